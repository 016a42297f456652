// triremeWall puts a wall up for a connection's work, in the place of the one before. What it
// stands before, functions and settings, are entries of a name in lower case and the text of the
// error: "\1name\2text\1". They stay until the next call. NULL, NULL: there is no wall.
void triremeWall(const void *context, const char *functions, const char *settings);
