//go:build !duckdb_use_lib

#include "allocate.h"
#include "duckdb_linux.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unwind.h>

// DuckDB's memory_limit counts what its buffer manager hands out. A value that one call
// of a function makes (repeat, a list, a text that is formatted) is made outside of it,
// while constants are folded before anything runs as well. Here such memory is refused
// where it is allocated: DuckDB's Allocator calls jemalloc under the names wrapped
// below, its C++ code operator new. Both have an error for memory that they do not get,
// which ends the statement.

// Blocks of fewer bytes are neither counted nor refused: DuckDB allocates them where an
// error must not come, and a value of many bytes is made in few blocks.
enum { large_bytes = 1 << 20 };

static _Atomic int64_t allowed_bytes; // 0: any number
static _Atomic int64_t held_bytes;    // of large blocks
static __thread _Atomic int32_t *stopped; // of the operation on this thread; NULL: none
static __thread int unfailing;            // calls on this thread that have no error for it

// Small blocks are counted where they may become many, while a plan is made of a statement: views, macros and
// names that stand for one another twice each make a short text a large plan.
static __thread int planning;         // plans that are made on this thread, one within the other
static __thread int64_t small, noted; // bytes of small blocks that they hold; of these, what held_bytes has

static void note_small(int64_t change) {
	small += change;
	if (small - noted < large_bytes && noted - small < large_bytes)
		return;
	atomic_fetch_add_explicit(&held_bytes, small - noted, memory_order_relaxed);
	noted = small;
}

// All blocks are counted while the plan of a prepared statement is made, to know what it holds from then on.
static __thread int measuring;
static __thread int64_t measured;

int64_t triremeMeasure(void) {
	measuring++;
	return measured;
}

int64_t triremeMeasured(int64_t since) {
	measuring--;
	return measured - since;
}

void triremeAllow(int64_t bytes) { atomic_fetch_add(&allowed_bytes, bytes); }

int64_t triremeHeld(void) { return atomic_load(&held_bytes); }

int64_t triremeFree(void) {
	int64_t allowed = atomic_load(&allowed_bytes);
	return allowed > 0 ? allowed - atomic_load(&held_bytes) : INT64_MAX;
}

void triremeUnfailing(int change) { unfailing += change; }

int triremeMakesPlan(void) { return planning; }

int triremePlanTooLarge(void) { return planning && small >= large_bytes && triremeFree() <= 0; }

int triremeMayFail(void) { return !unfailing; }

int32_t *triremeEnter(int32_t *flag) {
	int32_t *before = (int32_t *)stopped;
	stopped = (_Atomic int32_t *)flag;
	return before;
}

int triremeStopped(void) { return stopped && atomic_load_explicit(stopped, memory_order_relaxed); }

static int unwanted(size_t bytes) {
	if (triremeStopped())
		return 1;
	int64_t allowed = atomic_load_explicit(&allowed_bytes, memory_order_relaxed);
	return allowed > 0 && (bytes > (size_t)allowed || atomic_load_explicit(&held_bytes, memory_order_relaxed) > allowed - (int64_t)bytes);
}

// Functions of DuckDB's in which no memory is refused. What the buffer manager allocates for
// others it has counted for its memory_limit before, and does not take back where there is
// an error: it would be counted for ever. An error in a checkpoint, or where a transaction
// ends, leaves the database closed.
extern char _ZN6duckdb21StandardBufferManager23BufferAllocatorAllocateEPNS_20PrivateAllocatorDataEm[];
extern char _ZN6duckdb21StandardBufferManager22BufferAllocatorReallocEPNS_20PrivateAllocatorDataEPhmm[];
extern char _ZN6duckdb24SingleFileStorageManager16CreateCheckpointENS_12QueryContextENS_17CheckpointOptionsE[];
extern char _ZN6duckdb14CheckpointTask11ExecuteTaskEv[];
extern char _ZN6duckdb10VacuumTask11ExecuteTaskEv[];
extern char _ZN6duckdb22DuckTransactionManager17CommitTransactionERNS_13ClientContextERNS_11TransactionE[];
extern char _ZN6duckdb22DuckTransactionManager19RollbackTransactionERNS_11TransactionE[];

static const char *const unrefused[] = {
	_ZN6duckdb21StandardBufferManager23BufferAllocatorAllocateEPNS_20PrivateAllocatorDataEm,
	_ZN6duckdb21StandardBufferManager22BufferAllocatorReallocEPNS_20PrivateAllocatorDataEPhmm,
	_ZN6duckdb24SingleFileStorageManager16CreateCheckpointENS_12QueryContextENS_17CheckpointOptionsE,
	_ZN6duckdb14CheckpointTask11ExecuteTaskEv,
	_ZN6duckdb10VacuumTask11ExecuteTaskEv,
	_ZN6duckdb22DuckTransactionManager17CommitTransactionERNS_13ClientContextERNS_11TransactionE,
	_ZN6duckdb22DuckTransactionManager19RollbackTransactionERNS_11TransactionE,
};

static _Unwind_Reason_Code find_unrefused(struct _Unwind_Context *frame, void *found) {
	const char *function = (const char *)_Unwind_GetRegionStart(frame);
	for (size_t i = 0; i < sizeof unrefused / sizeof *unrefused; i++)
		if (function == unrefused[i]) {
			*(int *)found = 1;
			return _URC_NORMAL_STOP;
		}
	return _URC_NO_REASON;
}

static int has_no_error(void) {
	int found = 0;
	_Unwind_Backtrace(find_unrefused, &found);
	return found;
}

// Blocks of the buffer manager, those of tables among them, are counted for memory_limit, and
// are neither refused nor counted here.
static __thread int counted; // calls on this thread that allocate and free them

static void leave(int *unused) {
	(void)unused;
	counted--;
}

#define COUNTED int within __attribute__((cleanup(leave), unused)) = counted++

// BlockAllocator::AllocateData, ReallocateData and FreeData
void *__real__ZNK6duckdb14BlockAllocator12AllocateDataEm(const void *of, uint64_t bytes);
void *__real__ZNK6duckdb14BlockAllocator14ReallocateDataEPhmm(const void *of, void *p, uint64_t was, uint64_t is);
void __real__ZNK6duckdb14BlockAllocator8FreeDataEPhm(const void *of, void *p, uint64_t bytes);

void *__wrap__ZNK6duckdb14BlockAllocator12AllocateDataEm(const void *of, uint64_t bytes) {
	COUNTED;
	return __real__ZNK6duckdb14BlockAllocator12AllocateDataEm(of, bytes);
}

void *__wrap__ZNK6duckdb14BlockAllocator14ReallocateDataEPhmm(const void *of, void *p, uint64_t was, uint64_t is) {
	COUNTED;
	return __real__ZNK6duckdb14BlockAllocator14ReallocateDataEPhmm(of, p, was, is);
}

void __wrap__ZNK6duckdb14BlockAllocator8FreeDataEPhm(const void *of, void *p, uint64_t bytes) {
	COUNTED;
	__real__ZNK6duckdb14BlockAllocator8FreeDataEPhm(of, p, bytes);
}

// refused says whether a block is not to be had.
static int refused(size_t bytes) {
	return bytes >= large_bytes && !unfailing && !counted && unwanted(bytes) && !has_no_error();
}

// count notes that a block has another size; 0: it is not there.
static void count(size_t was, size_t is) {
	if (measuring)
		measured += (int64_t)is - (int64_t)was;
	int64_t change = (is < large_bytes ? 0 : (int64_t)is) - (was < large_bytes ? 0 : (int64_t)was);
	if (change && !counted)
		atomic_fetch_add_explicit(&held_bytes, change, memory_order_relaxed);
}

// Of jemalloc; weak, since DuckDB may be built without it.
__attribute__((weak)) void *__real_duckdb_je_malloc(size_t);
__attribute__((weak)) void *__real_duckdb_je_realloc(void *, size_t);
__attribute__((weak)) void __real_duckdb_je_free(void *);
__attribute__((weak)) size_t duckdb_je_malloc_usable_size(const void *);

void *__wrap_duckdb_je_malloc(size_t bytes) {
	if (refused(bytes))
		return NULL;
	void *p = __real_duckdb_je_malloc(bytes);
	if (p && (measuring || bytes >= large_bytes / 2)) // what is usable may be more
		count(0, duckdb_je_malloc_usable_size(p));
	return p;
}

void *__wrap_duckdb_je_realloc(void *p, size_t bytes) {
	size_t was = p ? duckdb_je_malloc_usable_size(p) : 0;
	if (bytes > was && refused(bytes))
		return NULL;
	void *moved = __real_duckdb_je_realloc(p, bytes);
	if (moved)
		count(was, duckdb_je_malloc_usable_size(moved));
	return moved;
}

void __wrap_duckdb_je_free(void *p) {
	if (p)
		count(duckdb_je_malloc_usable_size(p), 0);
	__real_duckdb_je_free(p);
}

// Sketches of quantiles have their memory from realloc, of as many bytes as a statement
// says. DuckDB takes a NULL of it for an error of its own, after which the database has to
// be opened again. Such blocks are bounded and not counted, since free is everybody's.
void *__real_realloc(void *, size_t);

void *__wrap_realloc(void *p, size_t bytes) {
	int more = !p || bytes > malloc_usable_size(p); // for less of a block there is always an answer
	void *moved = more && refused(bytes) ? NULL : __real_realloc(p, bytes);
	if (!moved && bytes >= large_bytes)
		_ZSt17__throw_bad_allocv();
	return moved;
}

// operator new and delete, under the names that they have for the linker. They are the
// library's, too, which makes texts.

void *_Znwm(size_t bytes) {
	if (!refused(bytes)) {
		void *p = malloc(bytes ? bytes : 1);
		if (p) {
			if (measuring || bytes >= large_bytes / 2)
				count(0, malloc_usable_size(p));
			if (planning && bytes < large_bytes / 2)
				note_small((int64_t)malloc_usable_size(p));
			return p;
		}
	}
	_ZSt17__throw_bad_allocv();
}

void _ZdlPv(void *p) {
	if (p) {
		size_t bytes = malloc_usable_size(p);
		count(bytes, 0);
		if (planning && bytes < large_bytes / 2)
			note_small(-(int64_t)bytes);
	}
	free(p);
}

void _ZdlPvm(void *p, size_t bytes) { (void)bytes; _ZdlPv(p); }

// planned forgets the small blocks of a plan that is made, or not made: from now on they are not told from others.
static void planned(const int *unused) {
	(void)unused;
	if (--planning)
		return;
	small = 0;
	atomic_fetch_sub_explicit(&held_bytes, noted, memory_order_relaxed);
	noted = 0;
}

// Also an exception passes through what is to be done at the end.
#define PLANNING int within __attribute__((cleanup(planned), unused)) = planning++

// Planner::CreatePlan and Optimizer::Optimize
#define CREATE_PLAN(prefix) prefix##_ZN6duckdb7Planner10CreatePlanENS_10unique_ptrINS_12SQLStatementESt14default_deleteIS2_ELb1EEE
#define OPTIMIZE(prefix) prefix##_ZN6duckdb9Optimizer8OptimizeENS_10unique_ptrINS_15LogicalOperatorESt14default_deleteIS2_ELb1EEE

void CREATE_PLAN(__real_)(void *planner, void **statement);

void CREATE_PLAN(__wrap_)(void *planner, void **statement) {
	PLANNING;
	CREATE_PLAN(__real_)(planner, statement);
}

struct made OPTIMIZE(__real_)(void *optimizer, void **plan);

struct made OPTIMIZE(__wrap_)(void *optimizer, void **plan) {
	PLANNING;
	return OPTIMIZE(__real_)(optimizer, plan);
}
