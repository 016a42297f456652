//go:build !duckdb_use_lib

#include "again.h"

// What DuckDB plans with, the least and the greatest values of columns and whether they have
// NULLs, is of the time when a statement is prepared, and it decides what is true of all rows.
// When a statement is executed, within the transaction in which it is, DuckDB compares the
// versions of the catalogs with those that it was prepared with, and plans anew if they are
// others. So a version is made to stand for the data, too: whatever has been written since
// makes it another.

static uint64_t written;           // how often work that may write has ended
static int64_t writing;            // such work under way, on all threads
static __thread int64_t ours;      // of it on this thread
static __thread int plans;         // how many plans are being made, one within the other
static __thread uint64_t begun;    // the version of the data from before them
static __thread _Bool used_up;     // one of them is good for one execution

// data_version is the version of what is committed, and of what this thread has written.
// While others write it is one that there was never before and will never be again. Work that ends
// counts before it is no longer under way: who finds none under way finds it counted.
static uint64_t data_version(void) {
	static uint64_t never = (uint64_t)1 << 63;
	if (__atomic_load_n(&writing, __ATOMIC_SEQ_CST) != ours)
		return __atomic_add_fetch(&never, 1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&written, __ATOMIC_SEQ_CST);
}

void triremeWriting(int change) {
	if (change < 0)
		__atomic_add_fetch(&written, 1, __ATOMIC_SEQ_CST);
	ours += change;
	__atomic_add_fetch(&writing, change, __ATOMIC_SEQ_CST);
}

void triremePlanning(void) {
	if (plans++)
		return;
	used_up = 0;
	begun = data_version();
}

void triremeUsedUp(void) { used_up = 1; }

_Bool triremePlanned(void) {
	plans--;
	return used_up;
}

// A catalog's version only grows, but for that of a transaction that has changed it, which is
// beyond all others: the sum is the same only if both are.
#define CATALOG_VERSION(prefix) prefix##_ZN6duckdb22DuckTransactionManager17GetCatalogVersionERNS_11TransactionE

uint64_t CATALOG_VERSION(__real_)(void *manager, void *transaction);

// A plan has the version from before its transaction began, an execution that from after it.
uint64_t CATALOG_VERSION(__wrap_)(void *manager, void *transaction) {
	return CATALOG_VERSION(__real_)(manager, transaction) + (plans ? begun : data_version());
}
