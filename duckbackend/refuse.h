#include <stddef.h>

// triremeRefuse raises the error of work that is refused. Its text begins with SQLSTATE and
// the code.
void triremeRefuse(const char *text, size_t bytes) __attribute__((noreturn, cold));

#define REFUSE(text) triremeRefuse(text, sizeof(text) - 1)

// triremeScalarCalled and triremeOperationCalled are how DuckDB calls functions of ours: they
// raise the limit that one returns, whose text they free.
void triremeScalarCalled(void *info, void *input, void *output);
void triremeOperationCalled(void *info, void *input, void *output);
