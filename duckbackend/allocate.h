#include <stddef.h>
#include <stdint.h>

// triremeAllow adds to the bytes of large blocks that DuckDB may hold.
void triremeAllow(int64_t bytes);

// triremeHeld is how many bytes of large blocks DuckDB holds.
int64_t triremeHeld(void);

// triremeFree is how many more bytes of large blocks DuckDB may hold.
int64_t triremeFree(void);

// triremeUnfailing, while it has added more than it has taken back, lets this thread have
// the memory that it asks for.
void triremeUnfailing(int change);

// triremeEnter names the flag that stops the operation on this thread: while it is not 0
// no large block is allocated for it. NULL: there is no operation. It returns the flag
// before.
int32_t *triremeEnter(int32_t *flag);

// triremeStopped says whether the operation on this thread is to stop.
int triremeStopped(void);

// triremeMayFail says whether an error may be raised on this thread.
int triremeMayFail(void);

// triremeMakesPlan says whether a plan is made on this thread.
int triremeMakesPlan(void);

// triremePlanTooLarge says whether a plan that is being made on this thread has no memory to grow.
int triremePlanTooLarge(void);

// triremeMeasure begins to count the bytes that DuckDB allocates and frees on this thread; triremeMeasured
// ends it, and returns how many are held that were not. Each may stand within another.
int64_t triremeMeasure(void);
int64_t triremeMeasured(int64_t since);

// triremeInterrupted says whether an expression is evaluated on this thread for an
// operation, or a connection, that is to stop. triremeAsk raises DuckDB's error for it.
int triremeInterrupted(void);
void triremeAsk(void);

// triremeEvaluating is DuckDB's context of the connection for which this thread evaluates an
// expression; NULL: there is none.
const void *triremeEvaluating(void);
