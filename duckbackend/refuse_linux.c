//go:build !duckdb_use_lib

#include "duckdb_linux.h"
#include "refuse.h"

#include <stdlib.h>
#include <string.h>

// Of DuckDB's errors those of invalid input, of a range and of a conversion are NULL to TRY(), which
// a limit must not be.
extern void _ZN6duckdb23NotImplementedExceptionC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void *exception, const void *text);
extern void _ZN6duckdb23NotImplementedExceptionD1Ev(void *exception);
extern char _ZTIN6duckdb23NotImplementedExceptionE[];

static void *exception_of(const char *text, size_t bytes) {
	struct cxx_string message = {text, bytes};
	void *exception = __cxa_allocate_exception(exception_bytes);
	_ZN6duckdb23NotImplementedExceptionC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(exception, &message);
	return exception;
}

static void __attribute__((noreturn)) throw_it(void *exception) {
	__cxa_throw(exception, _ZTIN6duckdb23NotImplementedExceptionE, _ZN6duckdb23NotImplementedExceptionD1Ev);
}

void triremeRefuseFor(const char *text, size_t bytes) { throw_it(exception_of(text, bytes)); }

void triremeRefuse(char *text) {
	void *exception = exception_of(text, strlen(text));
	free(text);
	throw_it(exception);
}

static void raise_limit(char *limit) {
	if (limit)
		triremeRefuse(limit);
}

extern char *triremeScalarCall(void *info, void *input, void *output);
extern char *triremeOperationCall(void *info, void *input, void *output);

void triremeScalarCalled(void *info, void *input, void *output) { raise_limit(triremeScalarCall(info, input, output)); }
void triremeOperationCalled(void *info, void *input, void *output) { raise_limit(triremeOperationCall(info, input, output)); }
