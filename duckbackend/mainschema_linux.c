//go:build !duckdb_use_lib

#include "duckdb_linux.h"

#include <strings.h>

// DuckDB takes a name like main.t for that of a temporary object first, since their schema is
// called so, too. Statements are written with the database before it; in the texts of views, functions
// and defaults, which must hold whatever the database is called, names are found here.

// CatalogEntryRetriever::GetEntry, by which binders find what is named. An optional_ptr is
// returned in a register.
#define ENTRY(prefix) prefix##_ZN6duckdb21CatalogEntryRetriever8GetEntryERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_RKNS_15EntryLookupInfoENS_15OnEntryNotFoundE

void *ENTRY(__real_)(void *retriever, const struct cxx_string *database, const struct cxx_string *schema, const void *entry, unsigned char not_found);

// Of DuckDB.
extern const void *_ZNK6duckdb21CatalogEntryRetriever13GetSearchPathEv(const void *retriever);
extern const void *_ZNK6duckdb17CatalogSearchPath10GetDefaultEv(const void *path); // the first entry that has been set

static const struct cxx_string temporary = {"temp", 4}, built_in = {"system", 6};

// next_place is the entry of a path behind one. Temporary objects come first, the first that has been
// set next; a place without a database follows the last of these. NULL: there are no more.
static const struct search_entry *next_place(const struct search_path *path, const struct search_entry *after) {
	const char *first = (const char *)_ZNK6duckdb17CatalogSearchPath10GetDefaultEv(path);
	const char *at = after ? (const char *)after + (first - path->begin) : first;
	return at < path->end && ((const struct search_entry *)at)->database.string.bytes ? (const struct search_entry *)at : NULL;
}

static _Bool is_main(const struct cxx_string *schema) {
	static const char name[] = "main";
	return schema->bytes == sizeof name - 1 && !strncasecmp(schema->text, name, sizeof name - 1);
}

static void *find_in_main(void *retriever, const struct cxx_string *database, const struct cxx_string *schema, const void *entry, unsigned char not_found) {
	const struct search_path *path = _ZNK6duckdb21CatalogEntryRetriever13GetSearchPathEv(retriever);
	const struct cxx_string *first = _ZNK6duckdb17CatalogSearchPath10GetDefaultEv(path);
	void *found = NULL;
	for (const struct search_entry *at = NULL; !found && (at = next_place(path, at));)
		if (is_main(&at->schema))
			found = ENTRY(__real_)(retriever, &at->database.string, schema, entry, returns_null);
	if (!found)
		found = ENTRY(__real_)(retriever, first, schema, entry, returns_null);
	if (found)
		return found;
	if (!ENTRY(__real_)(retriever, &temporary, schema, entry, returns_null))
		return ENTRY(__real_)(retriever, database, schema, entry, not_found);
	found = ENTRY(__real_)(retriever, &built_in, schema, entry, returns_null);
	return found ? found : ENTRY(__real_)(retriever, first, schema, entry, not_found);
}

// A sequence that such a text names without its schema is looked for where the text is stored
// first: a column would count by whatever temporary sequence a session has made.

extern unsigned char _ZNK6duckdb15EntryLookupInfo14GetCatalogTypeEv(const void *entry);

// find_own is NULL where there is no sequence of the name.
static void *find_own(void *retriever, const struct search_path *path, const void *entry) {
	void *found = NULL;
	for (const struct search_entry *at = NULL; !found && (at = next_place(path, at));)
		found = ENTRY(__real_)(retriever, &at->database.string, &at->schema, entry, returns_null);
	return found;
}

// A name such as user, where no column has it, is a call of a function. DuckDB's functions of these names
// are macros for the text duckdb; the server's ask the session who it is.

static const struct {
	struct cxx_string name, instead;
} users[] = {
	{{"user", 4}, {"trireme_current_user", 20}},
	{{"current_user", 12}, {"trireme_current_user", 20}},
	{{"current_role", 12}, {"trireme_current_role", 20}},
	{{"session_user", 12}, {"trireme_session_user", 20}},
};

static const struct cxx_string main_schema = {"main", 4};

// Of DuckDB: EntryLookupInfo::GetEntryName, and an EntryLookupInfo like another one with a name of
// its own, which it refers to.
extern const struct cxx_string *_ZNK6duckdb15EntryLookupInfo12GetEntryNameB5cxx11Ev(const void *entry);
extern void _ZN6duckdb15EntryLookupInfoC1ERKS0_RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void *made, const void *like, const struct cxx_string *name);

// find_user is what stands for a function that has been found: itself, where it is not such a macro of DuckDB's.
static void *find_user(void *retriever, const void *entry, void *found) {
	if (!found || _ZNK6duckdb15EntryLookupInfo14GetCatalogTypeEv(entry) != function_entry)
		return found;
	const struct cxx_string *name = _ZNK6duckdb15EntryLookupInfo12GetEntryNameB5cxx11Ev(entry);
	for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
		if (users[i].name.bytes != name->bytes || strncasecmp(users[i].name.text, name->text, name->bytes))
			continue;
		if (ENTRY(__real_)(retriever, &built_in, &main_schema, entry, returns_null) != found)
			return found;
		struct entry_lookup instead;
		_ZN6duckdb15EntryLookupInfoC1ERKS0_RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(&instead, entry, &users[i].instead);
		void *own = ENTRY(__real_)(retriever, &built_in, &main_schema, &instead, returns_null);
		return own ? own : found;
	}
	return found;
}

static void *find(void *retriever, const struct cxx_string *database, const struct cxx_string *schema, const void *entry, unsigned char not_found) {
	if (!database->bytes && is_main(schema))
		return find_in_main(retriever, database, schema, entry, not_found);
	const struct search_path *path = ((const struct retriever *)retriever)->path;
	if (!database->bytes && !schema->bytes && path && _ZNK6duckdb15EntryLookupInfo14GetCatalogTypeEv(entry) == sequence_entry) {
		void *found = find_own(retriever, path, entry);
		if (found)
			return found;
	}
	return ENTRY(__real_)(retriever, database, schema, entry, not_found);
}

void *ENTRY(__wrap_)(void *retriever, const struct cxx_string *database, const struct cxx_string *schema, const void *entry, unsigned char not_found) {
	return find_user(retriever, entry, find(retriever, database, schema, entry, not_found));
}
