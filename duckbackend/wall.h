// triremeWall puts a wall up for a connection's work, in the place of the one before.
// The functions and settings are those that it stands before, each name between two line
// feeds, in lower case; they stay until the next call. NULL, NULL: there is no wall.
void triremeWall(const void *context, const char *functions, const char *settings);
