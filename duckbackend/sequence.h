#include <stddef.h>
#include <stdint.h>

// A sequence is told by the number that the catalog has of it.

// triremeTakeDrawn writes the sequences of which a connection has drawn numbers since it was
// last asked, as many as there is room for, and returns how many it has written.
size_t triremeTakeDrawn(const void *context, uint64_t *sequences, size_t room);

// triremeLastDrawn is what currval says of the sequence of which a connection has drawn a number last. 0: there is none.
int triremeLastDrawn(const void *context, int64_t *number);

// triremeNoteDrawn makes a number what currval says for a connection. 0: there is no memory for it.
int triremeNoteDrawn(const void *context, uint64_t sequence, int64_t number);

// triremeForgetNumbers lets currval say for a connection that it has drawn no numbers.
void triremeForgetNumbers(const void *context);

// triremeForgetDrawn forgets all of a connection.
void triremeForgetDrawn(const void *context);

// triremeLogging makes nextval of a connection draw nothing, and only have the transaction log how
// far the sequence has counted. 0: there is no memory for it.
int triremeLogging(const void *context, int logging);
