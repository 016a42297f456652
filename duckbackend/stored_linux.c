//go:build !duckdb_use_lib

#include <stddef.h>
#include <stdint.h>

// DuckDB looks for every name that has no database among the temporary objects first, also for one
// in a default or a view that is stored in a database: a column would count by whatever temporary
// sequence a session has made. Here a sequence is looked for where the text is stored first.

// A text of the C++ library begins so.
struct cxx_string {
	const char *text;
	size_t bytes;
};

// CatalogSearchEntry, of which a CatalogSearchPath has some. They are longer than this.
struct search_entry {
	struct cxx_string catalog;
	uint64_t within[2];
	struct cxx_string schema;
};

struct search_path {
	const void *context;
	const char *begin, *end;
};

// A CatalogEntryRetriever has a path where it works for a stored text.
struct retriever {
	uint64_t callback[4];
	const void *context;
	const struct search_path *path;
};

extern const struct search_entry *_ZNK6duckdb17CatalogSearchPath10GetDefaultEv(const struct search_path *path);
extern uint8_t _ZNK6duckdb15EntryLookupInfo14GetCatalogTypeEv(const void *wanted);

enum { sequence_entry = 6 };  // CatalogType
enum { return_null = 1 };     // OnEntryNotFound

#define GET_ENTRY(prefix) prefix##_ZN6duckdb21CatalogEntryRetriever8GetEntryERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_RKNS_15EntryLookupInfoENS_15OnEntryNotFoundE

void *GET_ENTRY(__real_)(struct retriever *retriever, const struct cxx_string *catalog, const struct cxx_string *schema, const void *wanted, uint8_t if_not_found);

void *GET_ENTRY(__wrap_)(struct retriever *retriever, const struct cxx_string *catalog, const struct cxx_string *schema, const void *wanted, uint8_t if_not_found) {
	const struct search_path *path = retriever->path;
	if (path && !catalog->bytes && _ZNK6duckdb15EntryLookupInfo14GetCatalogTypeEv(wanted) == sequence_entry) {
		// Temporary objects come first on a path, the default next; a place without a database
		// follows those of the text.
		const char *at = (const char *)_ZNK6duckdb17CatalogSearchPath10GetDefaultEv(path);
		for (ptrdiff_t each = at - path->begin; at < path->end; at += each) {
			const struct search_entry *own = (const struct search_entry *)at;
			if (!own->catalog.bytes)
				break;
			void *found = GET_ENTRY(__real_)(retriever, &own->catalog, schema->bytes ? schema : &own->schema, wanted, return_null);
			if (found)
				return found;
		}
	}
	return GET_ENTRY(__real_)(retriever, catalog, schema, wanted, if_not_found);
}
