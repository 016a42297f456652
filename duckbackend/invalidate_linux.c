//go:build !duckdb_use_lib

#include "invalidate.h"

#include <stdint.h>

// Where a check of DuckDB's fails while a statement is executed or its transaction is
// committed, the error is called internal, and DuckDB closes its whole instance: an
// expression that it types wrongly would end the server for everybody. The transaction is
// rolled back like after any other error, and that is enough here. What cannot be rolled
// back is a fatal error, and that closes the instance.

static __thread _Bool fatal; // what was said of the last error on this thread

// DuckDB asks this of an error, then whether it is internal, before it closes anything.
#define INVALIDATES(prefix) prefix##_ZN6duckdb9Exception19InvalidatesDatabaseENS_13ExceptionTypeE

_Bool INVALIDATES(__real_)(uint8_t type);

_Bool INVALIDATES(__wrap_)(uint8_t type) { return fatal = INVALIDATES(__real_)(type); }

extern void *_ZN6duckdb12ValidChecker3GetERNS_16DatabaseInstanceE(void *instance);
extern void _ZN6duckdb12ValidChecker10InvalidateENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void *checker, void *message);

// ValidChecker::Invalidate of an instance. DuckDB has it inline, under a name that a
// definition elsewhere, this one, takes from it.
void _ZN6duckdb12ValidChecker10InvalidateINS_16DatabaseInstanceEEEvRT_NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void *instance, void *message) {
	if (fatal)
		_ZN6duckdb12ValidChecker10InvalidateENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
			_ZN6duckdb12ValidChecker3GetERNS_16DatabaseInstanceE(instance), message);
}

// A statement that cannot be bound leaves nothing in its transaction, and most errors of
// binding do not end it. Where a function looks at its constants when it is bound, or a file
// is opened, errors have other types, which do. What a client's statement means is found out
// by preparing texts that may be wrong, in its own transaction where that has made tables.

static __thread int binding; // calls on this thread that only prepare

void triremeBinding(int change) { binding += change; }

#define ENDS(prefix) prefix##_ZN6duckdb9Exception22InvalidatesTransactionENS_13ExceptionTypeE

_Bool ENDS(__real_)(uint8_t type);

_Bool ENDS(__wrap_)(uint8_t type) { return ENDS(__real_)(type) && (!binding || INVALIDATES(__real_)(type)); }
