// What is known of how objects of DuckDB and of the C++ library lie in memory, and how they are
// given and returned: of one release, and on x86-64. Open refuses another one.

#pragma once

#ifndef __x86_64__
#error "DuckDB is known from inside on x86-64 only: build with -tags duckdb_use_lib and a DuckDB that is a library of its own"
#endif

#include <stddef.h>
#include <stdint.h>

#define DUCKDB_RELEASE "v1.5.6"

// AT is a member of an object, which begins at a byte of it.
#define AT(type, of, byte) ((type *)((char *)(of) + (byte)))

// Of the C++ library.

// What std::string begins with.
struct cxx_string {
	const char *text;
	size_t bytes;
};

// std::string
struct cxx_text {
	struct cxx_string string;
	char within[16];
};

// std::vector of std::string
struct cxx_texts {
	struct cxx_text *begin, *end, *limit;
};

// std::vector of pointers, unique_ptr among them
struct cxx_pointers {
	void **begin, **end, **limit;
};

// What a function returns that lies where its caller tells it to make it, and stays there: it is
// not touched. So are objects of more than two words, and those that have to be destroyed.
struct made {
	uint64_t words[3];
};

// What it returns in two registers.
struct words {
	uint64_t first, second;
};

// An exception of DuckDB's is a std::runtime_error, which is a pointer to functions and one to its text.
enum { exception_bytes = 4 * sizeof(void *) };

extern void *__cxa_allocate_exception(size_t bytes);
extern void __cxa_throw(void *exception, void *type, void (*destroy)(void *)) __attribute__((noreturn));
extern void _ZSt17__throw_bad_allocv(void) __attribute__((noreturn));
extern void *_Znwm(size_t bytes);                                                        // operator new
extern void _ZdlPv(void *p);                                                             // operator delete
extern void _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev(struct cxx_text *); // ~basic_string

// Of DuckDB's C interface.

extern const char *duckdb_catalog_entry_get_name(void *entry);
extern uint64_t duckdb_data_chunk_get_size(void *chunk);
extern void *duckdb_data_chunk_get_vector(void *chunk, uint64_t column);
extern void *duckdb_vector_get_data(void *vector);
extern void *duckdb_struct_vector_get_child(void *vector, uint64_t field);
extern void *duckdb_list_vector_get_child(void *vector);
extern uint64_t duckdb_list_vector_get_size(void *vector);
extern uint64_t *duckdb_vector_get_validity(void *vector);
extern void duckdb_vector_ensure_validity_writable(void *vector);
extern _Bool duckdb_validity_row_is_valid(uint64_t *validity, uint64_t row);
extern void duckdb_validity_set_row_invalid(uint64_t *validity, uint64_t row);

// Of DuckDB.

// string_t: a text of up to 12 bytes lies where it is; of a longer one the first four lie there, too.
enum { inline_bytes = 12, begin_bytes = 4 };

struct duck_text {
	uint32_t bytes;
	char begin[begin_bytes];
	union {
		char rest[inline_bytes - begin_bytes];
		char *elsewhere;
	} at;
};

static inline char *duck_bytes(const struct duck_text *t) { return t->bytes <= inline_bytes ? (char *)t->begin : t->at.elsewhere; }

// Vector
enum { vector_type = 0 };
// VectorType
enum { constant_vector = 2 };
// LogicalTypeId
enum { varchar_type = 25, blob_type = 26, bit_type = 36, nested_types = 100 };

// LogicalType
struct logical_type {
	uint8_t id, physical;
	const struct type_info *info; // shared_ptr
	void *shared;
};

// std::vector of the fields of a STRUCT, or the members of a UNION
struct type_fields {
	struct type_field *begin, *end, *limit;
};

// ExtraTypeInfoType; a UNION has that of a STRUCT, and a MAP that of a LIST.
enum { list_info = 4, struct_info = 5, array_info = 9 };

// ExtraTypeInfo, with what ListTypeInfo, ArrayTypeInfo and StructTypeInfo have after it
struct type_info {
	void **functions;
	uint8_t kind; // ExtraTypeInfoType
	struct cxx_text alias;
	void *extension;
	union {
		struct logical_type element;
		struct type_fields fields;
	} of;
};

struct type_field {
	struct cxx_text name;
	struct logical_type type;
};

// list_entry_t
struct list_entry {
	uint64_t offset, length;
};

// A vector of VARIANT is one of STRUCT, with keys before these: the numbers of keys and values that are in
// others, the types of values and where they begin in the data, and the data.
enum { variant_children = 1, variant_values = 2, variant_data = 3 };
// VariantLogicalType
enum { variant_object = 29, variant_array = 30 };

// CatalogEntry, of which AttachedDatabase is one
enum { entry_number = 8, entry_type = 16, entry_name = 32, entry_deleted = 64, entry_timestamp = 72 };
// From here on a timestamp is the number of a transaction that has not committed.
static const uint64_t transactions_begin = 4611686018427388000;
// CatalogType
enum { table_entry = 1, schema_entry = 2, view_entry = 3, sequence_entry = 6, type_entry = 8, function_entry = 26, macro_entry = 30, table_macro_entry = 31 };
// OnEntryNotFound
enum { raises, returns_null };
// AttachInfo
enum { attach_name = 16, attach_conflict = 192 };
// OnCreateConflict
enum { replace_on_conflict = 2 };
// AlterInfo, and those of its kinds that rename
enum { alter_type = 9, alter_catalog = 16, alter_of = 128, alter_new_name = 136 };
// AlterType, AlterTableType and AlterViewType
enum { alter_table = 1, alter_view = 2, rename_table = 2, rename_view = 1 };
// CreateSchemaInfo
enum { create_schema = 48 };

// EntryLookupInfo
enum { lookup_name = 8 };

// DataTable and RowGroupCollection, which have their DataTableInfo at the same byte; it begins with its
// AttachedDatabase
enum { table_info = 24, info_database = 0 };
// Index and BoundIndex
enum { index_columns = 8, index_name = 152, index_type = 216 };
// ForeignKeyInfo
enum { key_schema = 8, key_table = 40, key_to = 72, key_from = 96 };
// ForeignKeyType
enum { to_this = 0, from_this = 1 };

// std::vector of numbers of columns
struct numbers {
	const uint64_t *begin, *end, *limit;
};

// A CatalogSet begins with its catalog; a MetaTransaction, a TransactionContext and an Executor
// with their connection.

// Transaction and TransactionManager
enum { transaction_manager = 8, transaction_context = 16, manager_database = 8 };
// DatabaseModificationType
enum { modifies_sequence = 1 << 6 };

// CatalogTransaction, which is given by value. What DuckDB reads from a file has no connection.
struct catalog_transaction {
	void *instance, *context, *transaction;
	uint64_t id, started;
};

// CatalogSearchEntry, of which a path has some. They are longer than this.
struct search_entry {
	struct cxx_text database;
	struct cxx_string schema;
};

// CatalogSearchPath
struct search_path {
	const void *context;
	const char *begin, *end;
};

// EntryLookupInfo
struct entry_lookup {
	uint8_t type; // CatalogType
	const struct cxx_string *name;
	uint64_t within[2];
};

// CatalogEntryRetriever, which has a path where it works for a stored text
struct retriever {
	uint64_t callback[4];
	const void *context;
	const struct search_path *path;
};

// SequenceData
struct sequence_data {
	uint64_t members[8];
};

// FunctionBinder: it has a Binder, or none, and its connection.
struct function_binder {
	const void *binder, *context;
};

// OpenerFileSystem: a ClientFileSystem works for the connection that it has.
struct file_system {
	void **functions, *context;
};

// Of what has virtual functions, the table of functions begins after two words of _ZTV.
enum { functions_begin = 2 };

// Expression, of which BoundConstantExpression is one
struct expression {
	void **functions;
	uint8_t type, class;
	uint64_t texts[5];
	uint8_t value_type; // LogicalTypeId
};

// ExpressionClass
enum { bound_constant = 31 };

// LogicalOperatorType
enum operator_type {
	projection = 1, filter = 2, aggregate = 3, unnest = 5, order_by = 7, distinct = 11,
	delim_join = 51, comparison_join = 52, cross_product = 54, asof_join = 56, set_union = 75, set_except = 76, set_intersect = 77
};

// LogicalOperator, and what LogicalDistinct has after it
struct logical {
	void **functions;
	uint8_t type; // operator_type
	struct cxx_pointers children, expressions, types;
	uint64_t rows;
	_Bool has_rows;
	uint8_t distinct_on;
};

// Of its functions, EstimateCardinality
enum { estimate_rows = 8 };
// PhysicalPlanGenerator
enum { generator_context = 232 };

// LogicalComparisonJoin: its conditions, and the columns of which each combination is read once
enum { join_conditions = 184, join_once = 232 };
// ExpressionType
enum { not_equal = 26, distinct_from = 37, not_distinct_from = 40 };

// JoinCondition
struct join_condition {
	void *left, *right;
	uint8_t comparison; // ExpressionType
};

// std::vector of JoinCondition
struct join_conditions {
	struct join_condition *begin, *end, *limit;
};

// InsertStatement and OnConflictInfo, which begins with its OnConflictAction
enum { insert_source = 120, insert_conflict = 272, updates = 2, replaces = 3 };
// TableRef and SubqueryRef
enum { table_type = 8, table_subquery = 2, subquery_statement = 104 };
// SelectStatement
enum { statement_node = 120 };
// QueryNode and SelectNode
enum { node_type = 8, node_select = 1, node_modifiers = 16, select_from = 144, select_qualify = 216 };
// ResultModifier and DistinctModifier
enum { modifier_type = 8, modifier_distinct = 3, distinct_targets = 16 };

// ParserOptions
struct parser_options {
	_Bool keep_case, divide_integers;
	uint64_t depth;
	void *extensions;
	uint8_t override;
};

// StringPiece of RE2
struct piece {
	const char *text;
	size_t bytes;
};

// Prog of RE2, what an expression is compiled to
struct program {
	uint8_t is[8];
	int32_t starts[2];
	int32_t steps;
};

// BufferedData
enum { buffered_context = 16 };
// PendingExecutionResult
enum { result_ready = 0, result_blocked = 3 };

// RegexpOp of RE2
enum { any_byte = 13 };

// yyjson_read_err and yyjson_read_code of yyjson
struct read_err {
	uint32_t code;
	const char *msg;
	size_t pos;
};
enum { unexpected_character = 6 };
