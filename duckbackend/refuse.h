#include <stddef.h>

// triremeRefuse raises the error of work that is refused. Its text, which it frees, begins with
// SQLSTATE and the code.
void triremeRefuse(char *text) __attribute__((noreturn));

// triremeRefuseFor is triremeRefuse of a text that stays.
void triremeRefuseFor(const char *text, size_t bytes) __attribute__((noreturn, cold));

#define REFUSE(text) triremeRefuseFor(text, sizeof(text) - 1)

// triremeScalarCalled and triremeOperationCalled are how DuckDB calls functions of ours: they
// raise the limit that one returns.
void triremeScalarCalled(void *info, void *input, void *output);
void triremeOperationCalled(void *info, void *input, void *output);
