//go:build !duckdb_use_lib

#include "duckdb_linux.h"
#include "refuse.h"

// A column may be a part of a part of a column: a.b.c.d. DuckDB follows such a chain of names
// by recursion without an end, and one of 100,000 overruns the stack, which ends the process.
// Each is made here, whatever text it stands in.
enum { names_max = 5000 };

// ColumnRefExpression::ColumnRefExpression of a chain of names.
#define COLUMN(prefix) prefix##_ZN6duckdb19ColumnRefExpressionC1ENS_6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEELb1ESaIS7_EEE

void COLUMN(__real_)(void *made, struct cxx_texts *names);

void COLUMN(__wrap_)(void *made, struct cxx_texts *names) {
	if (names->end - names->begin > names_max)
		REFUSE("SQLSTATE 54001: a column has more than 5000 names, one behind the other\nHINT: Take the first of them in a subquery, and the others of its result.");
	COLUMN(__real_)(made, names);
}
