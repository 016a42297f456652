//go:build !duckdb_use_lib

#include "allocate.h"
#include "wall.h"

#include <stdio.h>
#include <string.h>

// What a statement calls its text does not tell: a view calls it, a macro, a text that is
// computed, an older version of a view that another session has replaced. DuckDB binds
// every function that is called, by all ways, on the thread that prepares or executes the
// statement. Here it is asked whether it may.

static __thread struct wall wall;
static __thread int examining; // current_setting is bound on this thread

static const char *hidden = "\n";

void triremeHide(const char *settings) { hidden = settings; }

struct wall triremeWall(struct wall now) {
	struct wall before = wall;
	wall = now;
	return before;
}

// Of DuckDB's C interface.
extern const char *duckdb_catalog_entry_get_name(void *entry);
extern uint64_t duckdb_data_chunk_get_size(void *chunk);
extern void *duckdb_data_chunk_get_vector(void *chunk, uint64_t column);
extern void *duckdb_vector_get_data(void *vector);
extern void duckdb_vector_ensure_validity_writable(void *vector);
extern uint64_t *duckdb_vector_get_validity(void *vector);
extern void duckdb_validity_set_row_invalid(uint64_t *validity, uint64_t row);

enum { name_bytes = 64 };

struct cxx_string {
	const char *text;
	size_t bytes;
};

static void __attribute__((noreturn, cold)) deny(const char *format, const char *name, int bytes) {
	char text[128 + name_bytes];
	triremeRefuse(text, snprintf(text, sizeof text, format, bytes, name));
}

// among says whether a name is one of a list.
static int among(const char *list, const char *name, size_t bytes) {
	char line[name_bytes + 3];
	if (bytes > name_bytes)
		return 0;
	line[0] = '\n';
	for (size_t i = 0; i < bytes; i++)
		line[i + 1] = name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 'a' - 'A' : name[i];
	line[bytes + 1] = '\n';
	line[bytes + 2] = 0;
	return strstr(list, line) != NULL;
}

static void ask(const char *name, size_t bytes) {
	if (wall.functions && among(wall.functions, name, bytes))
		deny("SQLSTATE 42501: permission denied for function %.*s", name, bytes);
}

// FunctionBinder::BindFunction of the functions in FROM, those of CALL and of files that
// stand for tables among them, and of PRAGMA.
#define TABLE_FUNCTION(prefix) prefix##_ZN6duckdb14FunctionBinder12BindFunctionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_16TableFunctionSetERKNS_6vectorINS_11LogicalTypeELb1ESaISC_EEERNS_9ErrorDataE
#define PRAGMA_FUNCTION(prefix) prefix##_ZN6duckdb14FunctionBinder12BindFunctionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_17PragmaFunctionSetERNS_6vectorINS_5ValueELb1ESaISC_EEERNS_9ErrorDataE

uint64_t TABLE_FUNCTION(__real_)(void *binder, const struct cxx_string *name, void *functions, void *arguments, void *error);

uint64_t TABLE_FUNCTION(__wrap_)(void *binder, const struct cxx_string *name, void *functions, void *arguments, void *error) {
	ask(name->text, name->bytes);
	return TABLE_FUNCTION(__real_)(binder, name, functions, arguments, error);
}

uint64_t PRAGMA_FUNCTION(__real_)(void *binder, const struct cxx_string *name, void *functions, void *arguments, void *error);

uint64_t PRAGMA_FUNCTION(__wrap_)(void *binder, const struct cxx_string *name, void *functions, void *arguments, void *error) {
	ask(name->text, name->bytes);
	return PRAGMA_FUNCTION(__real_)(binder, name, functions, arguments, error);
}

// FunctionBinder::BindScalarFunction of one that is called by its name. What it returns lies
// where it is told to make it, and is not touched.
struct made {
	uint64_t expression[4];
};

#define SCALAR_FUNCTION(prefix) prefix##_ZN6duckdb14FunctionBinder18BindScalarFunctionERNS_26ScalarFunctionCatalogEntryENS_6vectorINS_10unique_ptrINS_10ExpressionESt14default_deleteIS5_ELb1EEELb1ESaIS8_EEERNS_9ErrorDataEbNS_12optional_ptrINS_6BinderELb1EEE

struct made SCALAR_FUNCTION(__real_)(void *binder, void *function, void *arguments, void *error, _Bool is_operator, void *of);

static void examined(const int *before) { examining = *before; }

struct made SCALAR_FUNCTION(__wrap_)(void *binder, void *function, void *arguments, void *error, _Bool is_operator, void *of) {
	void *entry[] = {function}; // what the C interface has of an entry of the catalog
	const char *name = duckdb_catalog_entry_get_name(entry);
	ask(name, strlen(name));
	int before __attribute__((cleanup(examined), unused)) = examining; // also an exception passes through it
	examining = !strcmp(name, "current_setting");
	return SCALAR_FUNCTION(__real_)(binder, function, arguments, error, is_operator, of);
}

// ClientContext::TryGetCurrentSetting, which current_setting asks when it is bound. A
// SettingLookupResult is returned in a register.
#define SETTING(prefix) prefix##_ZNK6duckdb13ClientContext20TryGetCurrentSettingERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_5ValueE

uint64_t SETTING(__real_)(const void *context, const struct cxx_string *name, void *value);

uint64_t SETTING(__wrap_)(const void *context, const struct cxx_string *name, void *value) {
	if (examining && wall.hides && among(hidden, name->text, name->bytes))
		deny("SQLSTATE 42501: permission denied to examine \"%.*s\"", name->text, name->bytes);
	return SETTING(__real_)(context, name, value);
}

// duckdb_databases() and duckdb_settings() are also what the catalog is made of. Their rows
// have NULL for what is hidden.
typedef void function(void *context, void *input, void *output);

extern function _ZN6duckdb23DuckDBDatabasesFunctionERNS_13ClientContextERNS_18TableFunctionInputERNS_9DataChunkE;
extern function _ZN6duckdb22DuckDBSettingsFunctionERNS_13ClientContextERNS_18TableFunctionInputERNS_9DataChunkE;

enum { path_of_database = 2, name_of_setting = 0, value_of_setting = 1 };

struct text {
	uint32_t bytes;
	char begins[4];
	union {
		char continues[8]; // of up to 12 bytes
		const char *elsewhere;
	} rest;
};

static void blank(void *rows, int column, uint64_t row) {
	void *vector = duckdb_data_chunk_get_vector(rows, column);
	duckdb_vector_ensure_validity_writable(vector);
	duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

static void databases(void *context, void *input, void *output) {
	_ZN6duckdb23DuckDBDatabasesFunctionERNS_13ClientContextERNS_18TableFunctionInputERNS_9DataChunkE(context, input, output);
	for (uint64_t row = 0, rows = duckdb_data_chunk_get_size(output); row < rows; row++)
		blank(output, path_of_database, row);
}

static int is_hidden(const struct text *name) {
	int here = name->bytes <= sizeof name->begins + sizeof name->rest;
	return among(hidden, here ? name->begins : name->rest.elsewhere, name->bytes);
}

static void settings(void *context, void *input, void *output) {
	_ZN6duckdb22DuckDBSettingsFunctionERNS_13ClientContextERNS_18TableFunctionInputERNS_9DataChunkE(context, input, output);
	const struct text *names = duckdb_vector_get_data(duckdb_data_chunk_get_vector(output, name_of_setting));
	for (uint64_t row = 0, rows = duckdb_data_chunk_get_size(output); row < rows; row++)
		if (is_hidden(&names[row]))
			blank(output, value_of_setting, row);
}

// LogicalGet::LogicalGet, which puts a bound function into a plan. A TableFunction has what
// makes its rows in one of its words.
enum { words_of_function = 64 };

static void hide_in(function **table_function) {
	for (int i = 0; i < words_of_function; i++) {
		if (table_function[i] == _ZN6duckdb23DuckDBDatabasesFunctionERNS_13ClientContextERNS_18TableFunctionInputERNS_9DataChunkE)
			table_function[i] = databases;
		if (table_function[i] == _ZN6duckdb22DuckDBSettingsFunctionERNS_13ClientContextERNS_18TableFunctionInputERNS_9DataChunkE)
			table_function[i] = settings;
	}
}

#define GET(prefix) prefix##_ZN6duckdb10LogicalGetC1EmNS_13TableFunctionENS_10unique_ptrINS_12FunctionDataESt14default_deleteIS3_ELb1EEENS_6vectorINS_11LogicalTypeELb1ESaIS8_EEENS7_INSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEELb1ESaISG_EEESt13unordered_mapImNS_11TableColumnESt4hashImESt8equal_toImESaISt4pairIKmSK_EEE

void GET(__real_)(void *get, uint64_t index, function **table_function, void *bound, void *types, void *names, void *columns);

void GET(__wrap_)(void *get, uint64_t index, function **table_function, void *bound, void *types, void *names, void *columns) {
	if (wall.hides)
		hide_in(table_function);
	GET(__real_)(get, index, table_function, bound, types, names, columns);
}
