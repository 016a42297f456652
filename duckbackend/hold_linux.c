//go:build !duckdb_use_lib

#include "duckdb_linux.h"
#include "hold.h"

static __thread struct {
	const void *context; // NULL: nothing is held back
	uint64_t from_rows, rows;
	int fate;
} holding;

void triremeHold(const void *context, uint64_t from_rows) {
	holding.context = context;
	holding.from_rows = from_rows;
	holding.rows = 0;
	holding.fate = triremeUnknown;
}

int triremeFate(void) {
	holding.context = NULL;
	return holding.fate;
}

// MaterializedQueryResult, which is made on the thread that executes, before the commit.
#define RESULT(prefix) prefix##_ZN6duckdb23MaterializedQueryResultC1ENS_13StatementTypeENS_19StatementPropertiesENS_6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEELb1ESaIS9_EEENS_10unique_ptrINS_20ColumnDataCollectionESt14default_deleteISD_ELb1EEENS_16ClientPropertiesE

void RESULT(__real_)(void *result, uint8_t type, void *properties, void *names, void *rows, void *client);
extern uint64_t _ZNK6duckdb23MaterializedQueryResult8RowCountEv(const void *result);

void RESULT(__wrap_)(void *result, uint8_t type, void *properties, void *names, void *rows, void *client) {
	RESULT(__real_)(result, type, properties, names, rows, client);
	if (holding.context)
		holding.rows = _ZNK6duckdb23MaterializedQueryResult8RowCountEv(result);
}

#define COMMIT(prefix) prefix##_ZN6duckdb18TransactionContext6CommitEv

void COMMIT(__real_)(void *transaction);
extern void _ZN6duckdb18TransactionContext13SetAutoCommitEb(void *transaction, _Bool value);

void COMMIT(__wrap_)(void *transaction) {
	if (!holding.context || *AT(const void *, transaction, 0) != holding.context) {
		COMMIT(__real_)(transaction);
		return;
	}
	if (holding.rows >= holding.from_rows) {
		_ZN6duckdb18TransactionContext13SetAutoCommitEb(transaction, 0);
		holding.fate = triremeHeldBack;
		return;
	}
	COMMIT(__real_)(transaction);
	holding.fate = triremeCommitted;
}
