//go:build !duckdb_use_lib

#define _GNU_SOURCE // open_memstream

#include "guard.h"

#include <stdio.h>
#include <stdlib.h>

// DuckDB's errors of constraints say little of which one it is: a table without its schema, and where a
// transaction commits neither a table nor a column. Where they are made it is known what was being checked,
// which is put before their texts in a guarded instance: VIOLATION, and the texts that follow each with its length
// before it.

// What is being checked on this thread.
struct checked {
	const void *info;  // of the table
	const void *index; // the last one that was looked into
	const void *key;   // the last foreign key
	_Bool commits, deletes;
};

static __thread struct checked checking;

static void back(struct checked *before) { checking = *before; }

// CHECKS begins to check something until the function returns.
#define CHECKS(...) \
	struct checked before __attribute__((cleanup(back), unused)) = checking; \
	checking = (struct checked){__VA_ARGS__}

static const void *info_of(const void *table) { return *AT(const void *, table, table_info); }

// DataTableInfo::GetSchemaName and GetTableName, which make a text where the first argument says.
extern void *_ZN6duckdb13DataTableInfo13GetSchemaNameB5cxx11Ev(struct cxx_text *made, const void *info);
extern void *_ZN6duckdb13DataTableInfo12GetTableNameB5cxx11Ev(struct cxx_text *made, const void *info);

static void free_text(char **text) { free(*text); }
static void end_text(struct cxx_text *text) { _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev(text); }

static void put(FILE *to, const struct cxx_string *text) {
	fprintf(to, "%zu:", text->bytes);
	fwrite(text->text, 1, text->bytes, to);
}

static void put_numbers(FILE *to, const struct numbers *numbers) {
	fprintf(to, "%zu:", (size_t)(numbers->end - numbers->begin));
	for (const uint64_t *n = numbers->begin; n < numbers->end; n++)
		fprintf(to, "%llu,", (unsigned long long)*n);
}

static void put_checked(FILE *to, const struct checked *c) {
	struct cxx_text schema __attribute__((cleanup(end_text))), table __attribute__((cleanup(end_text)));
	_ZN6duckdb13DataTableInfo13GetSchemaNameB5cxx11Ev(&schema, c->info);
	_ZN6duckdb13DataTableInfo12GetTableNameB5cxx11Ev(&table, c->info);
	fputs("VIOLATION ", to);
	put(to, AT(const struct cxx_string, *AT(const void *, c->info, info_database), entry_name));
	put(to, &schema.string);
	put(to, &table.string);
	fprintf(to, "%d", c->index != NULL);
	if (c->index) {
		put(to, AT(const struct cxx_string, c->index, index_name));
		fprintf(to, "%d", *AT(const uint8_t, c->index, index_type));
		put_numbers(to, AT(const struct numbers, c->index, index_columns));
	}
	fprintf(to, "%d", c->key != NULL);
	if (c->key) {
		fprintf(to, "%d", c->deletes);
		put(to, AT(const struct cxx_string, c->key, key_schema));
		put(to, AT(const struct cxx_string, c->key, key_table));
		put_numbers(to, AT(const struct numbers, c->key, key_from));
		put_numbers(to, AT(const struct numbers, c->key, key_to));
	}
}

// ConstraintException::ConstraintException of a text.
#define EXCEPTION(prefix) prefix##_ZN6duckdb19ConstraintExceptionC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE

void EXCEPTION(__real_)(void *made, const struct cxx_string *message);

void EXCEPTION(__wrap_)(void *made, const struct cxx_string *message) {
	char *said __attribute__((cleanup(free_text))) = NULL;
	size_t bytes = 0;
	FILE *to = checking.info && triremeGuards(*AT(void *, checking.info, info_database)) ? open_memstream(&said, &bytes) : NULL;
	if (to) {
		put_checked(to, &checking);
		fwrite(message->text, 1, message->bytes, to);
	}
	// Without memory for it, what DuckDB says is said.
	if (!to || fclose(to) != 0) {
		EXCEPTION(__real_)(made, message);
		return;
	}
	struct cxx_string all = {said, bytes};
	EXCEPTION(__real_)(made, &all);
}

// BoundIndex::ExecuteExpressions, which makes the keys of rows.
#define KEYS(prefix) prefix##_ZN6duckdb10BoundIndex18ExecuteExpressionsERNS_9DataChunkES2_

void KEYS(__real_)(void *index, void *input, void *result);

void KEYS(__wrap_)(void *index, void *input, void *result) {
	checking.index = index;
	KEYS(__real_)(index, input, result);
}

// Catalog::GetEntry, which a foreign key's other table is found with. Its schema and its name are then those of
// the ForeignKeyInfo, where one follows the other.
#define ENTRY(prefix) prefix##_ZN6duckdb7Catalog8GetEntryERNS_13ClientContextERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESA_RKNS_15EntryLookupInfoENS_15OnEntryNotFoundE

void *ENTRY(__real_)(void *context, const char *database, const char *schema, const void *entry, uint8_t not_found);

void *ENTRY(__wrap_)(void *context, const char *database, const char *schema, const void *entry, uint8_t not_found) {
	const char *key = schema - key_schema;
	_Bool of_key = checking.info && *AT(const char *const, entry, lookup_name) == key + key_table && database != schema - sizeof(struct cxx_text);
	if (of_key)
		checking.key = *(const uint8_t *)key == (checking.deletes ? from_this : to_this) ? NULL : key;
	return ENTRY(__real_)(context, database, schema, entry, not_found);
}

// What is checked of a DataTable's rows.

#define APPEND(prefix) prefix##_ZN6duckdb9DataTable11LocalAppendERNS_16LocalAppendStateERNS_13ClientContextERNS_9DataChunkEb

void APPEND(__real_)(void *table, void *state, void *context, void *rows, _Bool checked);

void APPEND(__wrap_)(void *table, void *state, void *context, void *rows, _Bool checked) {
	CHECKS(.info = info_of(table));
	APPEND(__real_)(table, state, context, rows, checked);
}

#define APPEND_CHUNK(prefix) prefix##_ZN6duckdb9DataTable11LocalAppendERNS_17TableCatalogEntryERNS_13ClientContextERNS_9DataChunkERKNS_6vectorINS_10unique_ptrINS_15BoundConstraintESt14default_deleteIS9_ELb1EEELb1ESaISC_EEE

void APPEND_CHUNK(__real_)(void *table, void *entry, void *context, void *rows, void *constraints);

void APPEND_CHUNK(__wrap_)(void *table, void *entry, void *context, void *rows, void *constraints) {
	CHECKS(.info = info_of(table));
	APPEND_CHUNK(__real_)(table, entry, context, rows, constraints);
}

#define APPEND_CHANGED(prefix) prefix##_ZN6duckdb9DataTable11LocalAppendERNS_17TableCatalogEntryERNS_13ClientContextERNS_9DataChunkERKNS_6vectorINS_10unique_ptrINS_15BoundConstraintESt14default_deleteIS9_ELb1EEELb1ESaISC_EEERNS_6VectorES6_

void APPEND_CHANGED(__real_)(void *table, void *entry, void *context, void *rows, void *constraints, void *numbers, void *deleted);

void APPEND_CHANGED(__wrap_)(void *table, void *entry, void *context, void *rows, void *constraints, void *numbers, void *deleted) {
	CHECKS(.info = info_of(table));
	APPEND_CHANGED(__real_)(table, entry, context, rows, constraints, numbers, deleted);
}

#define APPEND_ALL(prefix) prefix##_ZN6duckdb9DataTable11LocalAppendERNS_17TableCatalogEntryERNS_13ClientContextERNS_20ColumnDataCollectionERKNS_6vectorINS_10unique_ptrINS_15BoundConstraintESt14default_deleteIS9_ELb1EEELb1ESaISC_EEENS_12optional_ptrIKNS7_INS_12LogicalIndexELb1ESaISI_EEELb1EEE

void APPEND_ALL(__real_)(void *table, void *entry, void *context, void *rows, void *constraints, void *columns);

void APPEND_ALL(__wrap_)(void *table, void *entry, void *context, void *rows, void *constraints, void *columns) {
	CHECKS(.info = info_of(table));
	APPEND_ALL(__real_)(table, entry, context, rows, constraints, columns);
}

#define VERIFY(prefix) prefix##_ZN6duckdb9DataTable23VerifyAppendConstraintsERNS_15ConstraintStateERNS_13ClientContextERNS_9DataChunkENS_12optional_ptrINS_17LocalTableStorageELb1EEENS7_INS_15ConflictManagerELb1EEE

void VERIFY(__real_)(void *table, void *state, void *context, void *rows, void *storage, void *conflicts);

void VERIFY(__wrap_)(void *table, void *state, void *context, void *rows, void *storage, void *conflicts) {
	CHECKS(.info = info_of(table));
	VERIFY(__real_)(table, state, context, rows, storage, conflicts);
}

#define MERGE(prefix) prefix##_ZN6duckdb9DataTable10LocalMergeERNS_13ClientContextERNS_25OptimisticWriteCollectionE

void MERGE(__real_)(void *table, void *context, void *rows);

void MERGE(__wrap_)(void *table, void *context, void *rows) {
	CHECKS(.info = info_of(table));
	MERGE(__real_)(table, context, rows);
}

#define UPDATE(prefix) prefix##_ZN6duckdb9DataTable6UpdateERNS_16TableUpdateStateERNS_13ClientContextERNS_6VectorERKNS_6vectorINS_13PhysicalIndexELb1ESaIS8_EEERNS_9DataChunkE

void UPDATE(__real_)(void *table, void *state, void *context, void *numbers, void *columns, void *rows);

void UPDATE(__wrap_)(void *table, void *state, void *context, void *numbers, void *columns, void *rows) {
	CHECKS(.info = info_of(table));
	UPDATE(__real_)(table, state, context, numbers, columns, rows);
}

#define DELETE(prefix) prefix##_ZN6duckdb9DataTable6DeleteERNS_16TableDeleteStateERNS_13ClientContextERNS_6VectorEm

uint64_t DELETE(__real_)(void *table, void *state, void *context, void *numbers, uint64_t n);

uint64_t DELETE(__wrap_)(void *table, void *state, void *context, void *numbers, uint64_t n) {
	CHECKS(.info = info_of(table), .deletes = 1);
	return DELETE(__real_)(table, state, context, numbers, n);
}

// RowGroupCollection::VerifyNewConstraint of ALTER TABLE.
#define ALTER(prefix) prefix##_ZN6duckdb18RowGroupCollection19VerifyNewConstraintERKNS_12QueryContextERNS_9DataTableERKNS_15BoundConstraintE

void ALTER(__real_)(void *collection, void *context, void *table, void *constraint);

void ALTER(__wrap_)(void *collection, void *context, void *table, void *constraint) {
	CHECKS(.info = info_of(table));
	ALTER(__real_)(collection, context, table, constraint);
}

// LocalStorage::Commit, which adds the rows of each table to its indexes. It goes through their chunks for
// that, of which RowGroupCollection::Chunks makes an iterator where the first argument says.
#define COMMIT(prefix) prefix##_ZN6duckdb12LocalStorage6CommitENS_12optional_ptrINS_18StorageCommitStateELb1EEE
#define CHUNKS(prefix) prefix##_ZN6duckdb18RowGroupCollection6ChunksERNS_15DuckTransactionERKNS_6vectorINS_12StorageIndexELb1ESaIS4_EEE

void COMMIT(__real_)(void *storage, void *state);

void COMMIT(__wrap_)(void *storage, void *state) {
	CHECKS(.commits = 1);
	COMMIT(__real_)(storage, state);
}

void *CHUNKS(__real_)(void *made, void *collection, void *transaction, void *columns);

void *CHUNKS(__wrap_)(void *made, void *collection, void *transaction, void *columns) {
	if (checking.commits)
		checking = (struct checked){.info = info_of(collection), .commits = 1};
	return CHUNKS(__real_)(made, collection, transaction, columns);
}
