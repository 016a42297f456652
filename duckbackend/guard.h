#include "duckdb_linux.h"

// What a connection is about to do, as Act has it.
enum trireme_act { triremeWrites, triremeAttaches, triremeDetaches, triremeCreates, triremeOpens, triremeOpensDatabase, triremeCalls, triremeExamines };

// triremeGuard asks by before the connections of an instance change or open anything. client is
// DuckDB's handle for a connection of the instance. 0: there is no memory for it.
int triremeGuard(void *client, void *by);

// triremeUnguard ends that, and returns by.
void *triremeUnguard(void *by);

// triremeGuards says whether an attached database is one of an instance that is guarded, and not of
// somebody else's in the process.
_Bool triremeGuards(void *attached);

// triremeDraws is called before a number of a sequence is drawn in a transaction. An argument in
// which nextval is called may be computed when the statement is bound, in a transaction of which
// DuckDB does not know yet that it writes.
void triremeDraws(void *transaction);

// triremeAskOf raises the error for an act of a connection with a name alone, if there is one;
// triremeForbids says whether there is. context is DuckDB's of the connection.
void triremeAskOf(const void *context, enum trireme_act act, const struct cxx_string *name);
int triremeForbids(const void *context, enum trireme_act act, const struct cxx_string *name);

// triremeAttaching says whether a database is attached on this thread.
_Bool triremeAttaching(void);

// triremeAltering says whether an object is altered on this thread, not by what a file says.
_Bool triremeAltering(void);
