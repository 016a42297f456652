//go:build !duckdb_use_lib

#include "duckdb_linux.h"
#include "stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

// A stream's rows wait in a buffer; who adds to one that is full is set aside until the reader
// has taken some. DuckDB begins to read only when nothing is left to be done but what fills the
// buffer. Of a UNION ALL whose branches have joins, what the second branch needs is not begun
// before the first has ended, which is set aside: it waited for ever, and heeded no
// interrupt. Here the result is there to be read as soon as its buffer has been full.

struct triremeStream {
	const void *context;
	atomic_bool full; // the buffer has been, once at least
	struct triremeStream *outer, *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct triremeStream *streams;       // whose results are not there yet, on all threads
static __thread struct triremeStream *ours; // the innermost of this thread

struct triremeStream *triremeStreamBegin(const void *context) {
	struct triremeStream *begun = calloc(1, sizeof *begun);
	if (!begun)
		return NULL;
	begun->context = context;
	begun->outer = ours;
	ours = begun;
	pthread_mutex_lock(&lock);
	begun->next = streams;
	streams = begun;
	pthread_mutex_unlock(&lock);
	return begun;
}

void triremeStreamEnd(struct triremeStream *begun) {
	if (!begun)
		return;
	ours = begun->outer;
	pthread_mutex_lock(&lock);
	struct triremeStream **at = &streams;
	while (*at != begun)
		at = &(*at)->next;
	*at = begun->next;
	pthread_mutex_unlock(&lock);
	free(begun);
}

static void note_full(void *data) {
	const void *context = *AT(const void *, data, buffered_context);
	pthread_mutex_lock(&lock);
	for (struct triremeStream *s = streams; s; s = s->next)
		if (s->context == context)
			atomic_store(&s->full, 1);
	pthread_mutex_unlock(&lock);
}

#define BLOCK(prefix) prefix##_ZN6duckdb18SimpleBufferedData9BlockSinkERKNS_14InterruptStateE
#define BLOCK_BATCH(prefix) prefix##_ZN6duckdb19BatchedBufferedData9BlockSinkERKNS_14InterruptStateEm

void BLOCK(__real_)(void *data, const void *interrupt);

void BLOCK(__wrap_)(void *data, const void *interrupt) {
	BLOCK(__real_)(data, interrupt);
	note_full(data);
}

void BLOCK_BATCH(__real_)(void *data, const void *interrupt, uint64_t batch);

void BLOCK_BATCH(__wrap_)(void *data, const void *interrupt, uint64_t batch) {
	BLOCK_BATCH(__real_)(data, interrupt, batch);
	note_full(data);
}

#define EXECUTE_TASK(prefix) prefix##_ZN6duckdb8Executor11ExecuteTaskEb

uint8_t EXECUTE_TASK(__real_)(void *executor, _Bool dry_run);

uint8_t EXECUTE_TASK(__wrap_)(void *executor, _Bool dry_run) {
	uint8_t result = EXECUTE_TASK(__real_)(executor, dry_run);
	if (result == result_blocked && ours && ours->context == *AT(const void *, executor, 0) && atomic_load(&ours->full))
		return result_ready;
	return result;
}
