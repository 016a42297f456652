//go:build !duckdb_use_lib

#include "allocate.h"

#include <stddef.h>
#include <stdint.h>

// DuckDB asks whether a statement was interrupted between the chunks that a pipeline
// takes, and between the passes of its optimizer. A lambda over a list evaluates an
// expression for each of its elements meanwhile, nested ones for each pair of elements;
// binding and optimizing take seconds for some statements. Here it is asked where an
// expression is evaluated, and where the parts of one are visited. Both end in exceptions
// at other times as well.

// Of the C++ library and of DuckDB.
extern void *__cxa_allocate_exception(size_t bytes);
extern void __cxa_throw(void *exception, void *type, void (*destroy)(void *)) __attribute__((noreturn));
extern void _ZN6duckdb18InterruptExceptionC1Ev(void *exception);
extern void _ZN6duckdb18InterruptExceptionD1Ev(void *exception);
extern char _ZTIN6duckdb18InterruptExceptionE[];

// An exception of DuckDB's is a std::runtime_error, which is a pointer to functions and
// one to its text.
enum { exception_bytes = 4 * sizeof(void *) };

static void __attribute__((noreturn, cold)) interrupted(void) {
	void *exception = __cxa_allocate_exception(exception_bytes);
	_ZN6duckdb18InterruptExceptionC1Ev(exception);
	__cxa_throw(exception, _ZTIN6duckdb18InterruptExceptionE, _ZN6duckdb18InterruptExceptionD1Ev);
}

// An executor of expressions knows its connection, but for those of indexes: these work
// where nothing may fail.
extern _Bool _ZN6duckdb18ExpressionExecutor10HasContextEv(void *executor);
extern void *_ZN6duckdb18ExpressionExecutor10GetContextEv(void *executor);
extern _Bool _ZNK6duckdb13ClientContext13IsInterruptedEv(const void *context);

static inline void ask(void *executor) {
	if (triremeStopped())
		interrupted();
	if (_ZN6duckdb18ExpressionExecutor10HasContextEv(executor) &&
	    _ZNK6duckdb13ClientContext13IsInterruptedEv(_ZN6duckdb18ExpressionExecutor10GetContextEv(executor)))
		interrupted();
}

#define EXECUTE_CHUNK(prefix) prefix##_ZN6duckdb18ExpressionExecutor7ExecuteEPNS_9DataChunkERS1_
#define EXECUTE(prefix) prefix##_ZN6duckdb18ExpressionExecutor7ExecuteERKNS_10ExpressionEPNS_15ExpressionStateEPKNS_15SelectionVectorEmRNS_6VectorE

void EXECUTE_CHUNK(__real_)(void *executor, void *in, void *out);

void EXECUTE_CHUNK(__wrap_)(void *executor, void *in, void *out) {
	ask(executor);
	EXECUTE_CHUNK(__real_)(executor, in, out);
}

void EXECUTE(__real_)(void *executor, const void *expression, void *state, const void *selected, uint64_t count, void *result);

void EXECUTE(__wrap_)(void *executor, const void *expression, void *state, const void *selected, uint64_t count, void *result) {
	ask(executor);
	EXECUTE(__real_)(executor, expression, state, selected, count, result);
}

#define VISIT(prefix) prefix##_ZN6duckdb18ExpressionIterator17EnumerateChildrenERNS_10ExpressionERKSt8functionIFvS2_EE
#define VISIT_OWNED(prefix) prefix##_ZN6duckdb18ExpressionIterator17EnumerateChildrenERNS_10ExpressionERKSt8functionIFvRNS_10unique_ptrIS1_St14default_deleteIS1_ELb1EEEEE

void VISIT(__real_)(void *expression, const void *callback);

void VISIT(__wrap_)(void *expression, const void *callback) {
	if (triremeStopped())
		interrupted();
	VISIT(__real_)(expression, callback);
}

void VISIT_OWNED(__real_)(void *expression, const void *callback);

void VISIT_OWNED(__wrap_)(void *expression, const void *callback) {
	if (triremeStopped())
		interrupted();
	VISIT_OWNED(__real_)(expression, callback);
}
