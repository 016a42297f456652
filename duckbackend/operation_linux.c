//go:build !duckdb_use_lib

#include "operation.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void duckdb_scalar_function_set_special_handling(void *function);

// A function of DuckDB's has four settings of a byte each, one after the other: whether it
// is volatile, what becomes of NULL, of errors, and of collations. The C interface sets the
// second, which shows where they are, and not the last.
enum { from_nulls_to_collations = 2, push_combinable = 1 };

int triremePushCollations(void *function) {
	size_t bytes = malloc_usable_size(function);
	uint8_t *now = function, *before = malloc(bytes);
	if (!before)
		return 0;
	memcpy(before, function, bytes);
	duckdb_scalar_function_set_special_handling(function);
	size_t nulls = 0;
	while (nulls < bytes && now[nulls] == before[nulls])
		nulls++;
	int found = nulls + from_nulls_to_collations < bytes && now[nulls + from_nulls_to_collations] == 0;
	if (found) {
		now[nulls] = before[nulls];
		now[nulls + from_nulls_to_collations] = push_combinable;
	}
	free(before);
	return found;
}
