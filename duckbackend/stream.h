// triremeStreamBegin says that this thread executes a statement whose result is a stream for a
// connection, up to triremeStreamEnd of what it returns; NULL: there is no memory to note it.
struct triremeStream *triremeStreamBegin(const void *context);
void triremeStreamEnd(struct triremeStream *begun);
