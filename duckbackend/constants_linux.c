//go:build !duckdb_use_lib

#include "duckdb_linux.h"

#include <string.h>

// DuckDB takes two expressions for one where they are equal, and constants are where their values
// compare so: one month is thirty days then, and 0 is -0, which added to a date or divided by are not
// the same. Here two constants are equal where they are written alike.

// BoundConstantExpression::ToString, whose result is made where the first argument says.
extern void *_ZNK6duckdb23BoundConstantExpression8ToStringB5cxx11Ev(struct cxx_text *text, const struct expression *e);

static _Bool written_alike(const struct expression *a, const struct expression *b) {
	struct cxx_text left, right;
	_ZNK6duckdb23BoundConstantExpression8ToStringB5cxx11Ev(&left, a);
	_ZNK6duckdb23BoundConstantExpression8ToStringB5cxx11Ev(&right, b);
	_Bool alike = left.string.bytes == right.string.bytes && memcmp(left.string.text, right.string.text, left.string.bytes) == 0;
	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev(&left);
	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev(&right);
	return alike;
}

// Texts and bytes are equal where they are the same, and may be long.
static _Bool may_differ(uint8_t type) { return type != varchar_type && type != blob_type && type != bit_type; }

// BaseExpression::Equals compares what all expressions have.
#define EQUALS(prefix) prefix##_ZNK6duckdb14BaseExpression6EqualsERKS0_

_Bool EQUALS(__real_)(const struct expression *a, const struct expression *b);

_Bool EQUALS(__wrap_)(const struct expression *a, const struct expression *b) {
	if (!EQUALS(__real_)(a, b))
		return 0;
	return a->class != bound_constant || a->value_type != b->value_type || !may_differ(a->value_type) || written_alike(a, b);
}
