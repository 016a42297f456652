#include <stdint.h>

// triremeHold holds back the commit of the statement that this thread executes next for a
// connection, if its result has so many rows: its transaction is then as if it had been begun by
// BEGIN. triremeFate ends that, and says what has become of the transaction.
enum { triremeUnknown, triremeCommitted, triremeHeldBack };

void triremeHold(const void *context, uint64_t from_rows);
int triremeFate(void);
