//go:build !duckdb_use_lib

#include <stdint.h>

// Where a check of DuckDB's fails while a statement is executed, the error is called
// internal, and DuckDB closes its whole instance: an expression that it types wrongly would
// end the server for everybody. The statement is rolled back like after any other error,
// and that is enough here. What fails in a commit, in a rollback and in a checkpoint, where
// what is stored would be wrong, and what DuckDB calls fatal, still closes the instance.

static __thread int executing; // a task of a statement runs on this thread, or has just failed

#define EXECUTE_TASK(prefix) prefix##_ZN6duckdb8Executor11ExecuteTaskEb

uint8_t EXECUTE_TASK(__real_)(void *executor, _Bool dry_run);

uint8_t EXECUTE_TASK(__wrap_)(void *executor, _Bool dry_run) {
	int around = executing; // a function of ours that DuckDB calls may execute another statement
	executing = 1;
	uint8_t state = EXECUTE_TASK(__real_)(executor, dry_run); // an error leaves as an exception
	executing = around;
	return state;
}

// The end of a statement begins with this, and its commit or rollback follow.
void __real__ZN6duckdb8Executor11CancelTasksEv(void *executor);

void __wrap__ZN6duckdb8Executor11CancelTasksEv(void *executor) {
	executing = 0;
	__real__ZN6duckdb8Executor11CancelTasksEv(executor);
}

// DuckDB asks this of every error of an execution, before it looks for internal ones.
_Bool __real__ZN6duckdb9Exception19InvalidatesDatabaseENS_13ExceptionTypeE(uint8_t type);

_Bool __wrap__ZN6duckdb9Exception19InvalidatesDatabaseENS_13ExceptionTypeE(uint8_t type) {
	_Bool fatal = __real__ZN6duckdb9Exception19InvalidatesDatabaseENS_13ExceptionTypeE(type);
	if (fatal)
		executing = 0;
	return fatal;
}

extern void *_ZN6duckdb12ValidChecker3GetERNS_16DatabaseInstanceE(void *instance);
extern void _ZN6duckdb12ValidChecker10InvalidateENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void *checker, void *message);

// ValidChecker::Invalidate of an instance. DuckDB has it inline, under a name that a
// definition elsewhere, this one, takes from it.
void _ZN6duckdb12ValidChecker10InvalidateINS_16DatabaseInstanceEEEvRT_NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void *instance, void *message) {
	if (!executing)
		_ZN6duckdb12ValidChecker10InvalidateENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
			_ZN6duckdb12ValidChecker3GetERNS_16DatabaseInstanceE(instance), message);
}
