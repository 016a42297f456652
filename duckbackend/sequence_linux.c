//go:build !duckdb_use_lib

#define _GNU_SOURCE // asprintf

#include "allocate.h"
#include "guard.h"
#include "refuse.h"
#include "sequence.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// DuckDB logs how far a sequence has counted when the transaction that drew its numbers
// commits, not where it is rolled back: after a crash the numbers would be given again. And
// what it has of currval is the last number that anybody drew. Here it is noted which
// connection has drawn which numbers.

// What a connection has drawn of a sequence: the last number, if currval may say it, and whether
// any since it was last asked.
struct drawn {
	uint64_t sequence;
	int64_t last;
	_Bool known, recently;
};

// A connection that has drawn numbers, or is to log them.
struct drawer {
	const void *context;
	struct drawn *all;
	size_t count, room;
	uint64_t latest; // the sequence of which it has drawn a number last
	_Bool logging;
	struct drawer *next;
};

// Connections that have a bucket in common draw one after the other.
static struct bucket {
	pthread_mutex_t lock;
	struct drawer *first;
} buckets[] = {[0 ... 255] = {PTHREAD_MUTEX_INITIALIZER, NULL}};

enum { bucket_count = sizeof buckets / sizeof *buckets };

static struct bucket *enter(const void *context) {
	struct bucket *in = &buckets[(uintptr_t)context / 64 % bucket_count];
	pthread_mutex_lock(&in->lock);
	return in;
}

static void leave(struct bucket **in) { pthread_mutex_unlock(&(*in)->lock); }

// Also an exception passes through what is to be done at the end.
#define WITHIN(of) struct bucket *in __attribute__((cleanup(leave))) = enter(of)

static struct drawer **place(struct bucket *in, const void *context) {
	struct drawer **at = &in->first;
	while (*at && (*at)->context != context)
		at = &(*at)->next;
	return at;
}

// drawer_of makes a connection one; NULL: there is no memory for it.
static struct drawer *drawer_of(struct bucket *in, const void *context) {
	struct drawer **at = place(in, context);
	if (!*at && (*at = calloc(1, sizeof **at)))
		(*at)->context = context;
	return *at;
}

static struct drawn *find(const struct drawer *by, uint64_t sequence) {
	for (size_t i = 0; by && i < by->count; i++)
		if (by->all[i].sequence == sequence)
			return &by->all[i];
	return NULL;
}

// drawn_of makes a place for what a connection draws of a sequence; NULL: there is no memory for it.
static struct drawn *drawn_of(struct drawer *by, uint64_t sequence) {
	struct drawn *found = find(by, sequence);
	if (found || !by)
		return found;
	if (by->count == by->room) {
		size_t room = by->room ? 2 * by->room : 4;
		struct drawn *all = realloc(by->all, room * sizeof *all);
		if (!all)
			return NULL;
		by->all = all;
		by->room = room;
	}
	found = &by->all[by->count++];
	*found = (struct drawn){.sequence = sequence};
	return found;
}

size_t triremeTakeDrawn(const void *context, uint64_t *sequences, size_t room) {
	WITHIN(context);
	struct drawer *by = *place(in, context);
	size_t taken = 0;
	for (size_t i = 0; by && i < by->count && taken < room; i++) {
		if (by->all[i].recently)
			sequences[taken++] = by->all[i].sequence;
		by->all[i].recently = 0;
	}
	return taken;
}

int triremeLastDrawn(const void *context, int64_t *number) {
	WITHIN(context);
	struct drawer *by = *place(in, context);
	struct drawn *of = by ? find(by, by->latest) : NULL;
	if (!of || !of->known)
		return 0;
	*number = of->last;
	return 1;
}

int triremeNoteDrawn(const void *context, uint64_t sequence, int64_t number) {
	WITHIN(context);
	struct drawn *of = drawn_of(drawer_of(in, context), sequence);
	if (!of)
		return 0;
	of->last = number;
	of->known = 1;
	return 1;
}

void triremeForgetNumbers(const void *context) {
	WITHIN(context);
	struct drawer *by = *place(in, context);
	for (size_t i = 0; by && i < by->count; i++)
		by->all[i].known = 0;
}

void triremeForgetDrawn(const void *context) {
	WITHIN(context);
	struct drawer **at = place(in, context), *by = *at;
	if (!by)
		return;
	*at = by->next;
	free(by->all);
	free(by);
}

int triremeLogging(const void *context, int logging) {
	WITHIN(context);
	struct drawer *by = drawer_of(in, context);
	if (by)
		by->logging = logging;
	return by != NULL;
}

extern struct sequence_data _ZNK6duckdb20SequenceCatalogEntry7GetDataEv(const void *sequence);
extern void _ZN6duckdb15DuckTransaction17PushSequenceUsageERNS_20SequenceCatalogEntryERKNS_12SequenceDataE(void *transaction, void *sequence, const struct sequence_data *data);

#define NEXT(prefix) prefix##_ZN6duckdb20SequenceCatalogEntry9NextValueERNS_15DuckTransactionE
#define CURRENT(prefix) prefix##_ZN6duckdb20SequenceCatalogEntry12CurrentValueEv

int64_t NEXT(__real_)(void *sequence, void *transaction);

int64_t NEXT(__wrap_)(void *sequence, void *transaction) {
	triremeDraws(transaction);
	const void *context = triremeEvaluating();
	if (!context)
		return NEXT(__real_)(sequence, transaction);
	WITHIN(context);
	struct drawer *by = drawer_of(in, context);
	struct drawn *of = drawn_of(by, *AT(uint64_t, sequence, entry_number));
	if (!of)
		_ZSt17__throw_bad_allocv();
	if (by->logging) {
		struct sequence_data data = _ZNK6duckdb20SequenceCatalogEntry7GetDataEv(sequence);
		_ZN6duckdb15DuckTransaction17PushSequenceUsageERNS_20SequenceCatalogEntryERKNS_12SequenceDataE(transaction, sequence, &data);
		return 0;
	}
	of->last = NEXT(__real_)(sequence, transaction);
	of->known = of->recently = 1;
	by->latest = of->sequence;
	return of->last;
}

int64_t CURRENT(__real_)(void *sequence);

int64_t CURRENT(__wrap_)(void *sequence) {
	const void *context = triremeEvaluating();
	if (!context)
		return CURRENT(__real_)(sequence);
	WITHIN(context);
	struct drawn *of = find(*place(in, context), *AT(uint64_t, sequence, entry_number));
	if (of && of->known)
		return of->last;
	char *text;
	if (asprintf(&text, "SQLSTATE 55000: currval of sequence \"%s\" is not yet defined in this session", *AT(char *, sequence, entry_name)) < 0)
		_ZSt17__throw_bad_allocv();
	triremeRefuse(text);
}

// What a transaction has drawn is logged when it commits. Another one may have dropped or replaced the sequence
// by then, with a commit that stands in the log before: who reads it would find no sequence, or count on
// with one that has begun again.
struct sequence_value {
	void *sequence;
	uint64_t drawn;
	int64_t counter;
};

extern _Bool _ZNK6duckdb12CatalogEntry9HasParentEv(const void *entry);
extern void *_ZN6duckdb12CatalogEntry6ParentEv(void *entry); // what has taken its place

static _Bool is_dropped(void *sequence) {
	if (!_ZNK6duckdb12CatalogEntry9HasParentEv(sequence))
		return 0;
	void *now = _ZN6duckdb12CatalogEntry6ParentEv(sequence);
	return *AT(_Bool, now, entry_deleted) && __atomic_load_n(AT(uint64_t, now, entry_timestamp), __ATOMIC_SEQ_CST) < transactions_begin;
}

#define LOG_VALUE(prefix) prefix##_ZN6duckdb13WriteAheadLog18WriteSequenceValueENS_13SequenceValueE

void LOG_VALUE(__real_)(void *log, struct sequence_value value);

void LOG_VALUE(__wrap_)(void *log, struct sequence_value value) {
	if (!is_dropped(value.sequence))
		LOG_VALUE(__real_)(log, value);
}
