// triremePushCollations makes DuckDB apply the collations of a function's arguments, those
// that are functions of texts as NOCASE is, before it calls the function; 0: it could not.
int triremePushCollations(void *function);
