//go:build !duckdb_use_lib

#include "refuse.h"
#include "wall.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// What a statement calls its text does not tell: a view calls it, a macro, a text that is
// computed, an older version of a view that another session has replaced. DuckDB binds
// every function that is called, by all ways, when it prepares or executes the statement. Here
// it is asked whether the connection may.

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

// The walls, by DuckDB's context of their connections. Some statements bind on threads that
// work for many, as ALTER TABLE does.
struct wall {
	const void *context;
	const char *functions, *settings;
	struct wall *next;
};

enum { buckets = 256 };

static struct wall *walls[buckets];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER; // of walls

static struct wall **place(const void *context) {
	struct wall **at = &walls[(uintptr_t)context / 64 % buckets];
	while (*at && (*at)->context != context)
		at = &(*at)->next;
	return at;
}

void triremeWall(const void *context, const char *functions, const char *settings) {
	pthread_mutex_lock(&guard);
	struct wall **at = place(context), *wall = *at;
	if (!wall && (functions || settings)) {
		wall = *at = calloc(1, sizeof *wall);
		if (!wall)
			abort();
		wall->context = context;
	}
	if (functions || settings) {
		wall->functions = functions;
		wall->settings = settings;
	} else if (wall) {
		*at = wall->next;
		free(wall);
	}
	pthread_mutex_unlock(&guard);
}

// refusal is the text of the error for a name before which a connection has a wall, up to the
// next entry; NULL: it has none. The wall stays as long as the connection works.
static const char *refusal(const void *context, size_t entries, const char *name, size_t bytes) {
	char entry[name_bytes + 3];
	if (bytes > name_bytes)
		return NULL;
	entry[0] = '\1';
	for (size_t i = 0; i < bytes; i++)
		entry[i + 1] = name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 'a' - 'A' : name[i];
	entry[bytes + 1] = '\2';
	entry[bytes + 2] = 0;
	pthread_mutex_lock(&guard);
	const struct wall *wall = *place(context);
	const char *all = wall ? *(const char *const *)((const char *)wall + entries) : NULL;
	pthread_mutex_unlock(&guard);
	const char *found = all ? strstr(all, entry) : NULL;
	return found ? found + bytes + 2 : NULL;
}

static void refuse(const char *text) {
	if (text)
		triremeRefuseFor(text, strcspn(text, "\1"));
}

// A FunctionBinder has a Binder, or none, and its connection.
struct binder {
	const void *binder, *context;
};

static void ask(const struct binder *binder, const char *name, size_t bytes) {
	refuse(refusal(binder->context, offsetof(struct wall, functions), name, bytes));
}

static const char *hides(const void *context, const char *setting, size_t bytes) {
	return refusal(context, offsetof(struct wall, settings), setting, bytes);
}

// FunctionBinder::BindFunction of the functions in FROM, those of CALL and of files that
// stand for tables among them, and of PRAGMA.
#define TABLE_FUNCTION(prefix) prefix##_ZN6duckdb14FunctionBinder12BindFunctionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_16TableFunctionSetERKNS_6vectorINS_11LogicalTypeELb1ESaISC_EEERNS_9ErrorDataE
#define PRAGMA_FUNCTION(prefix) prefix##_ZN6duckdb14FunctionBinder12BindFunctionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_17PragmaFunctionSetERNS_6vectorINS_5ValueELb1ESaISC_EEERNS_9ErrorDataE

uint64_t TABLE_FUNCTION(__real_)(const struct binder *binder, const struct cxx_string *name, void *functions, void *arguments, void *error);

uint64_t TABLE_FUNCTION(__wrap_)(const struct binder *binder, const struct cxx_string *name, void *functions, void *arguments, void *error) {
	ask(binder, name->text, name->bytes);
	return TABLE_FUNCTION(__real_)(binder, name, functions, arguments, error);
}

uint64_t PRAGMA_FUNCTION(__real_)(const struct binder *binder, const struct cxx_string *name, void *functions, void *arguments, void *error);

uint64_t PRAGMA_FUNCTION(__wrap_)(const struct binder *binder, const struct cxx_string *name, void *functions, void *arguments, void *error) {
	ask(binder, name->text, name->bytes);
	return PRAGMA_FUNCTION(__real_)(binder, name, functions, arguments, error);
}

static __thread int examining; // current_setting is bound on this thread

// FunctionBinder::BindScalarFunction of one that is called by its name. What it returns lies
// where it is told to make it, and is not touched.
struct made {
	uint64_t expression[4];
};

#define SCALAR_FUNCTION(prefix) prefix##_ZN6duckdb14FunctionBinder18BindScalarFunctionERNS_26ScalarFunctionCatalogEntryENS_6vectorINS_10unique_ptrINS_10ExpressionESt14default_deleteIS5_ELb1EEELb1ESaIS8_EEERNS_9ErrorDataEbNS_12optional_ptrINS_6BinderELb1EEE

struct made SCALAR_FUNCTION(__real_)(const struct binder *binder, void *function, void *arguments, void *error, _Bool is_operator, void *of);

static void examined(const int *before) { examining = *before; }

struct made SCALAR_FUNCTION(__wrap_)(const struct binder *binder, void *function, void *arguments, void *error, _Bool is_operator, void *of) {
	void *entry[] = {function}; // what the C interface has of an entry of the catalog
	const char *name = duckdb_catalog_entry_get_name(entry);
	ask(binder, name, strlen(name));
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
		refuse(hides(context, name->text, name->bytes));
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
static const char database_path[] = "path";

static void databases(void *context, void *input, void *output) {
	DATABASES(context, input, output);
	if (!hides(context, database_path, sizeof database_path - 1))
		return;
	for (uint64_t row = 0, rows = duckdb_data_chunk_get_size(output); row < rows; row++)
		blank(output, path_of_database, row);
}

// A text of up to 12 bytes lies where it is.
struct text {
	uint32_t bytes;
	char begins[4];
	union {
		char continues[8];
		const char *elsewhere;
	} rest;
};

static void settings(void *context, void *input, void *output) {
	SETTINGS(context, input, output);
	const struct text *names = duckdb_vector_get_data(duckdb_data_chunk_get_vector(output, name_of_setting));
	for (uint64_t row = 0, rows = duckdb_data_chunk_get_size(output); row < rows; row++) {
		int here = names[row].bytes <= sizeof names->begins + sizeof names->rest;
		if (hides(context, here ? names[row].begins : names[row].rest.elsewhere, names[row].bytes))
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
