//go:build !duckdb_use_lib

#include "guard.h"

#include <strings.h>

// DuckDB takes a name like main.t for that of a temporary object first, since their schema is
// called so, too. Statements are written with the database before it; in the texts of views, functions
// and defaults, which must hold whatever the database is called, names are found here.

// CatalogEntryRetriever::GetEntry, by which binders find what is named. An optional_ptr is
// returned in a register.
#define ENTRY(prefix) prefix##_ZN6duckdb21CatalogEntryRetriever8GetEntryERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_RKNS_15EntryLookupInfoENS_15OnEntryNotFoundE

enum not_found { raises, is_null }; // OnEntryNotFound

void *ENTRY(__real_)(void *retriever, const struct cxx_string *database, const struct cxx_string *schema, const void *entry, unsigned char not_found);

// Of DuckDB. The first entry of a search path that has been set; it begins with its database.
extern const void *_ZNK6duckdb21CatalogEntryRetriever13GetSearchPathEv(const void *retriever);
extern const struct cxx_string *_ZNK6duckdb17CatalogSearchPath10GetDefaultEv(const void *path);

static const struct cxx_string temporary = {"temp", 4}, built_in = {"system", 6};

void *ENTRY(__wrap_)(void *retriever, const struct cxx_string *database, const struct cxx_string *schema, const void *entry, unsigned char not_found) {
	static const char name[] = "main";
	if (database->bytes || schema->bytes != sizeof name - 1 || strncasecmp(schema->text, name, sizeof name - 1))
		return ENTRY(__real_)(retriever, database, schema, entry, not_found);
	const struct cxx_string *first = _ZNK6duckdb17CatalogSearchPath10GetDefaultEv(_ZNK6duckdb21CatalogEntryRetriever13GetSearchPathEv(retriever));
	void *found = ENTRY(__real_)(retriever, first, schema, entry, is_null);
	if (found)
		return found;
	if (!ENTRY(__real_)(retriever, &temporary, schema, entry, is_null))
		return ENTRY(__real_)(retriever, database, schema, entry, not_found);
	found = ENTRY(__real_)(retriever, &built_in, schema, entry, is_null);
	return found ? found : ENTRY(__real_)(retriever, first, schema, entry, not_found);
}
