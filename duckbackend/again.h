#include <stdint.h>

// triremeWriting begins (1) or ends (-1) work on this thread that may write.
void triremeWriting(int change);

// triremePlanning begins to make a plan on this thread; triremePlanned ends it and says
// whether the plan is used up when it is executed.
void triremePlanning(void);
_Bool triremePlanned(void);
