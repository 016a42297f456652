//go:build !duckdb_use_lib

// The database in which names without one are looked for may be gone: another session has
// detached it, or the transaction that attached it was rolled back. DuckDB's checkpoint()
// takes it for there all the same, and the process ends.

#define DEFAULT_DATABASE(prefix) prefix##_ZN6duckdb15DatabaseManager18GetDefaultDatabaseB5cxx11ERNS_13ClientContextE

void *DEFAULT_DATABASE(__real_)(void *context);

// Catalog::GetCatalog, which throws where there is no database of the name. One that is
// there stays until the transaction ends.
extern void *_ZN6duckdb7Catalog10GetCatalogERNS_13ClientContextERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void *context, void *name);

void *DEFAULT_DATABASE(__wrap_)(void *context) {
	void *name = DEFAULT_DATABASE(__real_)(context);
	_ZN6duckdb7Catalog10GetCatalogERNS_13ClientContextERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(context, name);
	return name;
}
