#include <stdint.h>

// triremeHide names the settings that hide paths and secrets, once: each between two line
// feeds, in lower case. The text stays.
void triremeHide(const char *settings);

// struct wall is what this thread may not bind.
struct wall {
	const char *functions; // each between two line feeds, in lower case; NULL: there is no wall
	int hides;             // not 0: paths are not shown
};

// triremeWall puts a wall up on this thread, and returns the one before.
struct wall triremeWall(struct wall now);
