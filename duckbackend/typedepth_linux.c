//go:build !duckdb_use_lib

#include "allocate.h"
#include "duckdb_linux.h"
#include "guard.h"
#include "refuse.h"

// Types nest through the names of others, a level or more with each statement (CREATE TYPE t2 AS
// t1[], CREATE TABLE t2 AS SELECT list(x) FROM t1), and what DuckDB does with a value or a column
// takes time by the square of the depth, and asks nowhere whether to go on. Each level is made by
// one of the functions below. A STRUCT that has another one twice, which has another one twice,
// doubles with each level.
//
// Refused is what a statement names or calculates, and ALTER adds to a STRUCT. The functions are
// called elsewhere, too: for a file that is read, checkpoints of VARIANT, and values of it as text.
enum { depth_max = 100, parts_max = 20000 };

// fits counts the type and what it is made of; level is how many it is within, itself included.
static _Bool fits(const struct logical_type *t, int level, int *parts) {
	if (level > depth_max || ++*parts > parts_max)
		return 0;
	if (!t->info)
		return 1;
	switch (t->info->kind) {
	case list_info:
	case array_info:
		return fits(&t->info->of.element, level + 1, parts);
	case struct_info:
		for (const struct type_field *f = t->info->of.fields.begin; f < t->info->of.fields.end; f++)
			if (!fits(&f->type, level + 1, parts))
				return 0;
	}
	return 1;
}

// A type of which others are made, at a level, must fit.
static void must_fit(const struct logical_type *t, int level, int *parts) {
	if ((triremeMakesPlan() || triremeAltering()) && triremeMayFail() && !fits(t, level, parts))
		REFUSE("SQLSTATE 54001: a type is nested more than 100 deep, or has more than 20000 parts\nHINT: A MAP counts as two levels. Put what is nested so deep into tables, or into JSON.");
}

static void must_fit_all(const struct type_fields *fields) {
	int parts = 1;
	for (const struct type_field *f = fields->begin; f < fields->end; f++)
		must_fit(&f->type, 2, &parts);
}

// LogicalType::LIST, ARRAY, MAP of a STRUCT and of two types, STRUCT and UNION
#define LIST(prefix) prefix##_ZN6duckdb11LogicalType4LISTERKS0_
#define ARRAY(prefix) prefix##_ZN6duckdb11LogicalType5ARRAYERKS0_NS_12optional_idxE
#define MAP(prefix) prefix##_ZN6duckdb11LogicalType3MAPERKS0_
#define MAP_OF(prefix) prefix##_ZN6duckdb11LogicalType3MAPES0_S0_
#define STRUCT(prefix) prefix##_ZN6duckdb11LogicalType6STRUCTENS_6vectorISt4pairINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES0_ELb1ESaIS9_EEE
#define UNION(prefix) prefix##_ZN6duckdb11LogicalType5UNIONENS_6vectorISt4pairINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES0_ELb1ESaIS9_EEE

struct made LIST(__real_)(const struct logical_type *element);
struct made ARRAY(__real_)(const struct logical_type *element, uint64_t size);
struct made MAP(__real_)(const struct logical_type *entry);
struct made MAP_OF(__real_)(struct logical_type *key, struct logical_type *value);
struct made STRUCT(__real_)(struct type_fields *fields);
struct made UNION(__real_)(struct type_fields *members);

struct made LIST(__wrap_)(const struct logical_type *element) {
	must_fit(element, 2, &(int){1});
	return LIST(__real_)(element);
}

struct made ARRAY(__wrap_)(const struct logical_type *element, uint64_t size) {
	must_fit(element, 2, &(int){1});
	return ARRAY(__real_)(element, size);
}

struct made MAP(__wrap_)(const struct logical_type *entry) {
	must_fit(entry, 2, &(int){1});
	return MAP(__real_)(entry);
}

struct made MAP_OF(__wrap_)(struct logical_type *key, struct logical_type *value) {
	int parts = 2;
	must_fit(key, 3, &parts);
	must_fit(value, 3, &parts);
	return MAP_OF(__real_)(key, value);
}

struct made STRUCT(__wrap_)(struct type_fields *fields) {
	must_fit_all(fields);
	return STRUCT(__real_)(fields);
}

struct made UNION(__wrap_)(struct type_fields *members) {
	must_fit_all(members);
	return UNION(__real_)(members);
}
