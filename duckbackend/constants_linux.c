//go:build !duckdb_use_lib

#include "guard.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// DuckDB takes two expressions for one where they are equal, and constants are where their values
// compare so: one month is thirty days then, and 0 is -0, which added to a date or divided by are not
// the same. Here two constants are equal where they are written alike.

// An expression: what all have, and what those have that are bound.
struct expression {
	void **functions;
	uint8_t type;
	uint8_t class;
	uint64_t texts[5];
	uint8_t value_type; // LogicalTypeId
};

enum { bound_constant = 31 };           // ExpressionClass
enum { varchar = 25, blob = 26, bit = 36 }; // LogicalTypeId

// BoundConstantExpression::ToString, whose result is made where the first argument says.
extern struct cxx_string *_ZNK6duckdb23BoundConstantExpression8ToStringB5cxx11Ev(void *text, const struct expression *e);

extern void _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev(void *text); // its end

// A text of the C++ library.
struct text {
	struct cxx_string s;
	uint64_t within[2];
};

static _Bool written_alike(const struct expression *a, const struct expression *b) {
	struct text left, right;
	_ZNK6duckdb23BoundConstantExpression8ToStringB5cxx11Ev(&left, a);
	_ZNK6duckdb23BoundConstantExpression8ToStringB5cxx11Ev(&right, b);
	_Bool alike = left.s.bytes == right.s.bytes && memcmp(left.s.text, right.s.text, left.s.bytes) == 0;
	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev(&left);
	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev(&right);
	return alike;
}

// Texts and bytes are equal where they are the same, and may be long.
static _Bool may_differ(uint8_t type) { return type != varchar && type != blob && type != bit; }

// BaseExpression::Equals compares what all expressions have.
#define EQUALS(prefix) prefix##_ZNK6duckdb14BaseExpression6EqualsERKS0_

_Bool EQUALS(__real_)(const struct expression *a, const struct expression *b);

_Bool EQUALS(__wrap_)(const struct expression *a, const struct expression *b) {
	if (!EQUALS(__real_)(a, b))
		return 0;
	return a->class != bound_constant || a->value_type != b->value_type || !may_differ(a->value_type) || written_alike(a, b);
}
