//go:build !duckdb_use_lib

#include "guard.h"

#include <string.h>

// What a statement calls its text does not tell: a view calls it, a macro, a text that is
// computed, an older version of a view that another session has replaced. DuckDB binds
// every function that is called, by all ways, when it prepares or executes the statement. Here
// it is asked whether the connection may.

static void ask(const struct function_binder *binder, const struct cxx_string *name) { triremeAskOf(binder->context, triremeCalls, name); }

static int hides(const void *context, const struct cxx_string *setting) { return triremeForbids(context, triremeExamines, setting); }

// FunctionBinder::BindFunction of the functions in FROM, those of CALL and of files that
// stand for tables among them, and of PRAGMA.
#define TABLE_FUNCTION(prefix) prefix##_ZN6duckdb14FunctionBinder12BindFunctionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_16TableFunctionSetERKNS_6vectorINS_11LogicalTypeELb1ESaISC_EEERNS_9ErrorDataE
#define PRAGMA_FUNCTION(prefix) prefix##_ZN6duckdb14FunctionBinder12BindFunctionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_17PragmaFunctionSetERNS_6vectorINS_5ValueELb1ESaISC_EEERNS_9ErrorDataE

uint64_t TABLE_FUNCTION(__real_)(const struct function_binder *binder, const struct cxx_string *name, void *functions, void *arguments, void *error);

uint64_t TABLE_FUNCTION(__wrap_)(const struct function_binder *binder, const struct cxx_string *name, void *functions, void *arguments, void *error) {
	ask(binder, name);
	return TABLE_FUNCTION(__real_)(binder, name, functions, arguments, error);
}

uint64_t PRAGMA_FUNCTION(__real_)(const struct function_binder *binder, const struct cxx_string *name, void *functions, void *arguments, void *error);

uint64_t PRAGMA_FUNCTION(__wrap_)(const struct function_binder *binder, const struct cxx_string *name, void *functions, void *arguments, void *error) {
	ask(binder, name);
	return PRAGMA_FUNCTION(__real_)(binder, name, functions, arguments, error);
}

static __thread int examining; // current_setting is bound on this thread

// FunctionBinder::BindScalarFunction of one that is called by its name
#define SCALAR_FUNCTION(prefix) prefix##_ZN6duckdb14FunctionBinder18BindScalarFunctionERNS_26ScalarFunctionCatalogEntryENS_6vectorINS_10unique_ptrINS_10ExpressionESt14default_deleteIS5_ELb1EEELb1ESaIS8_EEERNS_9ErrorDataEbNS_12optional_ptrINS_6BinderELb1EEE

struct made SCALAR_FUNCTION(__real_)(const struct function_binder *binder, void *function, void *arguments, void *error, _Bool is_operator, void *of);

static void examined(const int *before) { examining = *before; }

struct made SCALAR_FUNCTION(__wrap_)(const struct function_binder *binder, void *function, void *arguments, void *error, _Bool is_operator, void *of) {
	void *entry[] = {function}; // what the C interface has of an entry of the catalog
	const char *name = duckdb_catalog_entry_get_name(entry);
	ask(binder, &(struct cxx_string){name, strlen(name)});
	int before __attribute__((cleanup(examined), unused)) = examining; // also an exception passes through it
	examining = !strcmp(name, "current_setting");
	return SCALAR_FUNCTION(__real_)(binder, function, arguments, error, is_operator, of);
}

// ClientContext::TryGetCurrentSetting, which current_setting asks when it is bound. A
// SettingLookupResult is returned in a register.
#define SETTING(prefix) prefix##_ZNK6duckdb13ClientContext20TryGetCurrentSettingERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_5ValueE

uint64_t SETTING(__real_)(const void *context, const struct cxx_string *name, void *value);

uint64_t SETTING(__wrap_)(const void *context, const struct cxx_string *name, void *value) {
	if (examining)
		triremeAskOf(context, triremeExamines, name);
	return SETTING(__real_)(context, name, value);
}

// duckdb_databases() and duckdb_settings() are also what the catalog is made of. Their rows
// have NULL for what is hidden.
typedef void function(void *context, void *input, void *output);

#define DATABASES _ZN6duckdb23DuckDBDatabasesFunctionERNS_13ClientContextERNS_18TableFunctionInputERNS_9DataChunkE
#define SETTINGS _ZN6duckdb22DuckDBSettingsFunctionERNS_13ClientContextERNS_18TableFunctionInputERNS_9DataChunkE

extern function DATABASES, SETTINGS;

enum { path_of_database = 2, name_of_setting = 0, value_of_setting = 1 };

static void blank(void *rows, uint64_t column, uint64_t row) {
	void *vector = duckdb_data_chunk_get_vector(rows, column);
	duckdb_vector_ensure_validity_writable(vector);
	duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

// The wall before settings stands before the paths of databases by this name.
static const struct cxx_string database_path = {"path", 4};

static void databases(void *context, void *input, void *output) {
	DATABASES(context, input, output);
	if (!hides(context, &database_path))
		return;
	for (uint64_t row = 0, rows = duckdb_data_chunk_get_size(output); row < rows; row++)
		blank(output, path_of_database, row);
}

static void settings(void *context, void *input, void *output) {
	SETTINGS(context, input, output);
	const struct duck_text *names = duckdb_vector_get_data(duckdb_data_chunk_get_vector(output, name_of_setting));
	for (uint64_t row = 0, rows = duckdb_data_chunk_get_size(output); row < rows; row++) {
		struct cxx_string name = {duck_bytes(&names[row]), names[row].bytes};
		if (hides(context, &name))
			blank(output, value_of_setting, row);
	}
}

// TableFunction::TableFunction, by which DuckDB makes its own when a database is opened.
#define TABLE(prefix) prefix##_ZN6duckdb13TableFunctionC1ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_6vectorINS_11LogicalTypeELb1ESaIS8_EEEPFvRNS_13ClientContextERNS_18TableFunctionInputERNS_9DataChunkEEPFNS_10unique_ptrINS_12FunctionDataESt14default_deleteISM_ELb1EEESE_RNS_22TableFunctionBindInputERSA_RNS7_IS6_Lb1ESaIS6_EEEEPFNSL_INS_24GlobalTableFunctionStateESN_ISY_ELb1EEESE_RNS_22TableFunctionInitInputEEPFNSL_INS_23LocalTableFunctionStateESN_IS15_ELb1EEERNS_16ExecutionContextES12_PSY_E

void TABLE(__real_)(void *made, void *name, void *arguments, function *call, void *bind, void *init, void *init_local);

void TABLE(__wrap_)(void *made, void *name, void *arguments, function *call, void *bind, void *init, void *init_local) {
	if (call == DATABASES)
		call = databases;
	if (call == SETTINGS)
		call = settings;
	TABLE(__real_)(made, name, arguments, call, bind, init, init_local);
}
