//go:build !duckdb_use_lib

#define _GNU_SOURCE // open_memstream

#include "duckdb_linux.h"
#include "refuse.h"

#include <stdio.h>
#include <stdlib.h>

// DuckDB makes a MERGE of an INSERT with ON CONFLICT. Its source takes one row of each key, by
// DISTINCT ON: where DO UPDATE has two rows of a key, one of them would be gone without a word, and so
// would all but one of those whose key is NULL, which are in conflict with nothing. Here a second
// row of a key is the error where rows are updated, and those whose key is NULL are all taken.

// Parser::ParseExpressionList and ColumnRefExpression::ToString make what they return where the first
// argument says.
extern void *_ZN6duckdb6Parser19ParseExpressionListERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_13ParserOptionsE(struct cxx_pointers *made, const struct cxx_text *sql, struct parser_options options);
extern void *_ZNK6duckdb19ColumnRefExpression8ToStringB5cxx11Ev(struct cxx_text *made, const void *column);

static void free_text(char **text) { free(*text); }

// write_each writes something of each column, with separators.
static void write_each(FILE *to, const struct cxx_pointers *columns, const char *separator, const char *suffix) {
	for (void **column = columns->begin; column < columns->end; column++) {
		struct cxx_text name;
		_ZNK6duckdb19ColumnRefExpression8ToStringB5cxx11Ev(&name, *column);
		fprintf(to, "%s%s%s", column == columns->begin ? "" : separator, name.string.text, suffix);
		_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev(&name);
	}
}

// once is the condition that is an error for the second row of a key.
static void once(FILE *to, const struct cxx_pointers *columns) {
	fputs("CASE WHEN ", to);
	write_each(to, columns, " AND ", " IS NOT NULL");
	fputs(" AND row_number() OVER (PARTITION BY ", to);
	write_each(to, columns, ", ", "");
	fputs(") > 1 THEN system.main.error('SQLSTATE 21000: ON CONFLICT DO UPDATE command cannot affect row a second time\n"
	      "HINT: Ensure that no rows proposed for insertion within the same command have duplicate constrained values.') ELSE true END", to);
}

// apart has another value for each row whose key is NULL, and none for the others.
static void apart(FILE *to, const struct cxx_pointers *columns) {
	fputs("CASE WHEN ", to);
	write_each(to, columns, " OR ", " IS NULL");
	fputs(" THEN system.main.uuid() END", to);
}

static void *parsed(const char *sql, size_t bytes) {
	struct cxx_text text = {{sql, bytes}, {0}};
	struct cxx_pointers made;
	_ZN6duckdb6Parser19ParseExpressionListERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_13ParserOptionsE(&made, &text, (struct parser_options){1, 0, 1000, NULL, 0});
	void *first = *made.begin;
	_ZdlPv(made.begin);
	return first;
}

// expression is what write makes of columns.
static void *expression(void (*write)(FILE *, const struct cxx_pointers *), const struct cxx_pointers *columns) {
	char *sql __attribute__((cleanup(free_text))) = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&sql, &bytes);
	if (to)
		write(to, columns);
	if (!to || fclose(to) != 0)
		REFUSE("SQLSTATE 53200: there is no memory for a statement");
	return parsed(sql, bytes);
}

static void append(struct cxx_pointers *to, void *p) {
	size_t n = to->end - to->begin;
	void **all = _Znwm((n + 1) * sizeof *all);
	for (size_t i = 0; i < n; i++)
		all[i] = to->begin[i];
	all[n] = p;
	_ZdlPv(to->begin);
	*to = (struct cxx_pointers){all, all + n + 1, all + n + 1};
}

// take_once makes a condition of the DISTINCT ON of a query.
static void take_once(void *node) {
	struct cxx_pointers *modifiers = AT(struct cxx_pointers, node, node_modifiers);
	void **distinct = *modifiers->begin;
	*AT(void *, node, select_qualify) = expression(once, AT(struct cxx_pointers, distinct, distinct_targets));
	modifiers->end = modifiers->begin;
	((void (**)(void *))*distinct)[1](distinct); // its end, and that of its memory
}

// take_apart leaves a DISTINCT ON the rows whose key is NULL.
static void take_apart(void *node) {
	struct cxx_pointers *targets = AT(struct cxx_pointers, *AT(struct cxx_pointers, node, node_modifiers)->begin, distinct_targets);
	append(targets, expression(apart, targets));
}

// An INSERT that is being bound: first its table is, then its source. What these name is none of it.
struct upsert {
	const void *source; // as the statement has it
	_Bool updates;
	int bound;
};

// distinct_of is the query of DuckDB's that asks only DISTINCT ON of a table; NULL: it is none.
static void *distinct_of(void *table, const struct upsert *upsert) {
	if (*AT(uint8_t, table, table_type) != table_subquery)
		return NULL;
	void *statement = *AT(void *, table, subquery_statement), *node = *AT(void *, statement, statement_node);
	const struct cxx_pointers *modifiers = AT(struct cxx_pointers, node, node_modifiers);
	if (statement == upsert->source || *AT(uint8_t, node, node_type) != node_select || modifiers->end - modifiers->begin != 1 ||
	    *AT(uint8_t, *modifiers->begin, modifier_type) != modifier_distinct)
		return NULL;
	return node;
}

// take_rows goes through the queries, one for each unique index, from the last to the first.
static void take_rows(void *table, const struct upsert *upsert) {
	for (void *node; (node = distinct_of(table, upsert)); table = *AT(void *, node, select_from)) {
		if (upsert->updates)
			take_once(node);
		else
			take_apart(node);
	}
}

static __thread struct upsert *binding;

static void back(struct upsert **before) { binding = *before; }

// Binder::Bind of an InsertStatement and of a TableRef
#define BIND_INSERT(prefix) prefix##_ZN6duckdb6Binder4BindERNS_15InsertStatementE
#define BIND_TABLE(prefix) prefix##_ZN6duckdb6Binder4BindERNS_8TableRefE

struct made BIND_INSERT(__real_)(void *binder, void *insert);

struct made BIND_INSERT(__wrap_)(void *binder, void *insert) {
	struct upsert *before __attribute__((cleanup(back), unused)) = binding, upsert;
	const uint8_t *conflict = *AT(const uint8_t *, insert, insert_conflict);
	upsert = (struct upsert){*AT(void *, insert, insert_source), conflict && *conflict == updates, 0};
	binding = conflict && *conflict != replaces ? &upsert : NULL;
	return BIND_INSERT(__real_)(binder, insert);
}

struct made BIND_TABLE(__real_)(void *binder, void *table);

struct made BIND_TABLE(__wrap_)(void *binder, void *table) {
	struct upsert *before __attribute__((cleanup(back), unused)) = binding;
	binding = NULL;
	if (before && before->bound++ == 1)
		take_rows(table, before);
	return BIND_TABLE(__real_)(binder, table);
}
