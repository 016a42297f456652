#include <stdint.h>

// triremeWriting begins (1) or ends (-1) work on this thread that may write.
void triremeWriting(int change);

// triremePlanning begins to make a plan on this thread; triremePlanned ends it and says
// whether the plan is used up when it is executed, which triremeUsedUp says of it meanwhile.
void triremePlanning(void);
void triremeUsedUp(void);
_Bool triremePlanned(void);
