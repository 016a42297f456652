//go:build !duckdb_use_lib

#include "guard.h"
#include "refuse.h"

#include <pthread.h>
#include <stdlib.h>

// A statement changes what it does not name: EXPLAIN ANALYZE, PREPARE and COPY DATABASE have
// others in them, a database is attached under the name of its file. Here it is asked
// whether a change may be where DuckDB makes it, whatever statement it comes from; and whether
// a file may be opened.

// triremePermit is Go's: NULL where a connection may make a change, otherwise the text of
// the error, which is free's. name is empty where a database itself is changed, and the path
// where something is opened. taken is what Change has of it.
extern char *triremePermit(void *by, uint64_t connection, int act, int object, const struct cxx_string *database, const struct cxx_string *name, int taken);

// Of DuckDB.
extern void *_ZN6duckdb16DatabaseInstance11GetDatabaseERNS_13ClientContextE(void *context);
extern uint64_t _ZNK6duckdb13ClientContext15GetConnectionIdEv(const void *context);
extern const struct cxx_string *_ZNK6duckdb7Catalog7GetNameB5cxx11Ev(const void *catalog);

// Catalog::GetCatalogEntry and Catalog::GetSchema return an optional_ptr, in a register.
#define CATALOG _ZN6duckdb7Catalog15GetCatalogEntryERNS_13ClientContextERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE
#define SCHEMA _ZN6duckdb7Catalog9GetSchemaERNS_13ClientContextERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESA_NS_15OnEntryNotFoundE

extern void *CATALOG(void *context, const struct cxx_string *database);
extern void *SCHEMA(void *context, const struct cxx_string *database, const struct cxx_string *schema, uint8_t if_not_found);

static const struct cxx_string none, served = {"trireme", 7};

struct guarded {
	const void *instance;
	void *by;
	struct guarded *next;
};

static struct guarded *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// DuckDB's handle points to the connection.
int triremeGuard(void *client, void *by) {
	struct guarded *g = malloc(sizeof *g);
	if (!g)
		return 0;
	g->instance = _ZN6duckdb16DatabaseInstance11GetDatabaseERNS_13ClientContextE(*(void **)client);
	g->by = by;
	pthread_mutex_lock(&lock);
	g->next = all;
	all = g;
	pthread_mutex_unlock(&lock);
	return 1;
}

void *triremeUnguard(void *by) {
	pthread_mutex_lock(&lock);
	struct guarded **at = &all;
	while (*at && (*at)->by != by)
		at = &(*at)->next;
	struct guarded *found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&lock);
	free(found);
	return by;
}

static void *guard_of(const void *instance) {
	pthread_mutex_lock(&lock);
	struct guarded *g = all;
	while (g && g->instance != instance)
		g = g->next;
	void *by = g ? g->by : NULL;
	pthread_mutex_unlock(&lock);
	return by;
}

// AttachedDatabase::GetCatalog and Catalog::GetDatabase
extern void *_ZN6duckdb16AttachedDatabase10GetCatalogEv(void *attached);
extern void *_ZN6duckdb7Catalog11GetDatabaseEv(void *catalog);

_Bool triremeGuards(void *attached) {
	return guard_of(_ZN6duckdb7Catalog11GetDatabaseEv(_ZN6duckdb16AttachedDatabase10GetCatalogEv(attached))) != NULL;
}

// asked is the text of the error for an act, which is free's; NULL: there is none.
static char *asked(const void *context, enum trireme_act act, int object, const struct cxx_string *database, const struct cxx_string *name, int taken) {
	void *by = guard_of(_ZN6duckdb16DatabaseInstance11GetDatabaseERNS_13ClientContextE((void *)context));
	return by ? triremePermit(by, _ZNK6duckdb13ClientContext15GetConnectionIdEv(context), act, object, database, name, taken) : NULL;
}

static void ask(const void *context, enum trireme_act act, int object, const struct cxx_string *database, const struct cxx_string *name, int taken) {
	char *refused = asked(context, act, object, database, name, taken);
	if (refused)
		triremeRefuse(refused);
}

void triremeAskOf(const void *context, enum trireme_act act, const struct cxx_string *name) {
	ask(context, act, 0, &none, name, 0);
}

int triremeForbids(const void *context, enum trireme_act act, const struct cxx_string *name) {
	char *refused = asked(context, act, 0, &none, name, 0);
	free(refused);
	return refused != NULL;
}

// permit raises an error where a connection must not change a database.
static void permit(void *context, enum trireme_act act, const struct cxx_string *database) {
	ask(context, act, 0, database, &none, 0);
}

// permit_attach raises an error where a connection must not give a database a name.
static void permit_attach(void *context, const struct cxx_string *name) {
	ask(context, triremeAttaches, 0, name, &none, SCHEMA(context, &served, name, returns_null) != NULL);
}

// permit_name raises an error where a connection must not give an object a name.
static void permit_name(void *context, void *catalog, int object, const struct cxx_string *name) {
	int taken = object == schema_entry && CATALOG(context, name);
	ask(context, triremeCreates, object, _ZNK6duckdb7Catalog7GetNameB5cxx11Ev(catalog), name, taken);
}

// MetaTransaction::ModifyDatabase, which DuckDB calls for each database that a statement changes,
// before it executes the statement.
#define MODIFY(prefix) prefix##_ZN6duckdb15MetaTransaction14ModifyDatabaseERNS_16AttachedDatabaseENS_24DatabaseModificationTypeE

void MODIFY(__real_)(void **transaction, void *database, uint64_t modification);

void MODIFY(__wrap_)(void **transaction, void *database, uint64_t modification) {
	permit(*transaction, triremeWrites, AT(struct cxx_string, database, entry_name));
	MODIFY(__real_)(transaction, database, modification);
}

extern _Bool _ZN6duckdb11Transaction10IsReadOnlyEv(void *transaction);
extern void **_ZN6duckdb15MetaTransaction3GetERNS_13ClientContextE(void *context);

void triremeDraws(void *transaction) {
	if (!_ZN6duckdb11Transaction10IsReadOnlyEv(transaction))
		return;
	void **of = _ZN6duckdb15MetaTransaction3GetERNS_13ClientContextE(*AT(void *, transaction, transaction_context));
	MODIFY(__wrap_)(of, *AT(void *, *AT(void *, transaction, transaction_manager), manager_database), modifies_sequence);
}

static __thread int attaching; // a database is attached on this thread

_Bool triremeAttaching(void) { return attaching; }

static void attached(const int *before) { attaching = *before; }

// DatabaseManager::AttachDatabase
#define ATTACH(prefix) prefix##_ZN6duckdb15DatabaseManager14AttachDatabaseERNS_13ClientContextERNS_10AttachInfoERNS_13AttachOptionsE

struct made ATTACH(__real_)(void *manager, void *context, void *info, void *options);

struct made ATTACH(__wrap_)(void *manager, void *context, void *info, void *options) {
	const struct cxx_string *name = AT(struct cxx_string, info, attach_name);
	if (*AT(uint8_t, info, attach_conflict) == replace_on_conflict)
		permit(context, triremeDetaches, name);
	permit_attach(context, name);
	int before __attribute__((cleanup(attached), unused)) = attaching; // also an exception passes through it
	attaching = 1;
	return ATTACH(__real_)(manager, context, info, options);
}

#define DETACH(prefix) prefix##_ZN6duckdb15DatabaseManager14DetachDatabaseERNS_13ClientContextERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_15OnEntryNotFoundE

void DETACH(__real_)(void *manager, void *context, const struct cxx_string *name, uint8_t if_not_found);

void DETACH(__wrap_)(void *manager, void *context, const struct cxx_string *name, uint8_t if_not_found) {
	permit(context, triremeDetaches, name);
	DETACH(__real_)(manager, context, name, if_not_found);
}

// DatabaseManager::Alter renames.
#define ALTER_DATABASE(prefix) prefix##_ZN6duckdb15DatabaseManager5AlterERNS_13ClientContextERNS_9AlterInfoE

void ALTER_DATABASE(__real_)(void *manager, void *context, void *info);

void ALTER_DATABASE(__wrap_)(void *manager, void *context, void *info) {
	permit(context, triremeDetaches, AT(struct cxx_string, info, alter_catalog));
	permit_attach(context, AT(struct cxx_string, info, alter_new_name));
	ALTER_DATABASE(__real_)(manager, context, info);
}

// Catalog::CreateSchema
#define CREATE_SCHEMA(prefix) prefix##_ZN6duckdb7Catalog12CreateSchemaERNS_13ClientContextERNS_16CreateSchemaInfoE

void *CREATE_SCHEMA(__real_)(void *catalog, void *context, void *info);

void *CREATE_SCHEMA(__wrap_)(void *catalog, void *context, void *info) {
	permit_name(context, catalog, schema_entry, AT(struct cxx_string, info, create_schema));
	return CREATE_SCHEMA(__real_)(catalog, context, info);
}

// CatalogSet::CreateEntry, through which objects within a schema come into being. A unique_ptr is
// given by a pointer to it.
#define CREATE_ENTRY(prefix) prefix##_ZN6duckdb10CatalogSet11CreateEntryENS_18CatalogTransactionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_10unique_ptrINS_12CatalogEntryESt14default_deleteISB_ELb1EEERKNS_21LogicalDependencyListE

_Bool CREATE_ENTRY(__real_)(void **set, struct catalog_transaction transaction, const struct cxx_string *name, void **entry, void *dependencies);

_Bool CREATE_ENTRY(__wrap_)(void **set, struct catalog_transaction transaction, const struct cxx_string *name, void **entry, void *dependencies) {
	if (transaction.context)
		permit_name(transaction.context, *set, *AT(uint8_t, *entry, entry_type), name);
	return CREATE_ENTRY(__real_)(set, transaction, name, entry, dependencies);
}

// renames is the type of what gets another name; 0: nothing does.
static int renames(void *info) {
	uint8_t of = *AT(uint8_t, info, alter_of);
	switch (*AT(uint8_t, info, alter_type)) {
	case alter_table:
		return of == rename_table ? table_entry : 0;
	case alter_view:
		return of == rename_view ? view_entry : 0;
	}
	return 0;
}

// CatalogSet::AlterEntry
#define ALTER_ENTRY(prefix) prefix##_ZN6duckdb10CatalogSet10AlterEntryENS_18CatalogTransactionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERNS_9AlterInfoE

static __thread int altering; // an object is altered on this thread

_Bool triremeAltering(void) { return altering; }

static void altered(const int *before) { altering = *before; }

_Bool ALTER_ENTRY(__real_)(void **set, struct catalog_transaction transaction, const struct cxx_string *name, void *info);

_Bool ALTER_ENTRY(__wrap_)(void **set, struct catalog_transaction transaction, const struct cxx_string *name, void *info) {
	int object = renames(info);
	if (object && transaction.context)
		permit_name(transaction.context, *set, object, AT(struct cxx_string, info, alter_new_name));
	int before __attribute__((cleanup(altered), unused)) = altering; // also an exception passes through it
	altering = transaction.context && !attaching;
	return ALTER_ENTRY(__real_)(set, transaction, name, info);
}

// OpenerFileSystem::VerifyCanAccessFile and VerifyCanAccessDirectory, which DuckDB calls before it
// does anything with a path. Its own files are opened through another one than a ClientFileSystem.
extern void *_ZTVN6duckdb16ClientFileSystemE[];

static void permit_path(const struct file_system *files, const struct cxx_string *path) {
	if (files->functions == _ZTVN6duckdb16ClientFileSystemE + functions_begin)
		ask(files->context, attaching ? triremeOpensDatabase : triremeOpens, 0, &none, path, 0);
}

#define OPENING(name)                                                                       \
	void __real_##name(struct file_system *files, const struct cxx_string *path);           \
	void __wrap_##name(struct file_system *files, const struct cxx_string *path) {          \
		__real_##name(files, path);                                                         \
		permit_path(files, path);                                                           \
	}

OPENING(_ZN6duckdb16OpenerFileSystem19VerifyCanAccessFileERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)
OPENING(_ZN6duckdb16OpenerFileSystem24VerifyCanAccessDirectoryERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)
