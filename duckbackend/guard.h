#include <stddef.h>
#include <stdint.h>

// A text of the C++ library, which begins so.
struct cxx_string {
	char *text;
	size_t bytes;
};

// What a connection is about to do, as Act has it.
enum trireme_act { triremeWrites, triremeAttaches, triremeDetaches, triremeCreates, triremeOpens, triremeOpensDatabase };

// triremeGuard asks by before the connections of an instance change or open anything. client is
// DuckDB's handle for a connection of the instance. 0: there is no memory for it.
int triremeGuard(void *client, void *by);

// triremeUnguard ends that, and returns by.
void *triremeUnguard(void *by);

// triremeDraws is called before a number of a sequence is drawn in a transaction. An argument in
// which nextval is called may be computed when the statement is bound, in a transaction of which
// DuckDB does not know yet that it writes.
void triremeDraws(void *transaction);
