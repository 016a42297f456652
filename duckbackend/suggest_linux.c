//go:build !duckdb_use_lib

#include <stddef.h>

// Beside the errors of statements, which names might have been meant is found out by
// comparing all names of the catalog with the one that is not there, under the catalog's
// lock: a name of a megabyte kept everybody waiting for seconds. Names of that kind are
// like no other.
enum { name_bytes_max = 256 };

struct cxx_string {
	const char *text;
	size_t bytes;
};

#define SIMILARITY(prefix) prefix##_ZN6duckdb10StringUtil16SimilarityRatingERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_

double SIMILARITY(__real_)(const struct cxx_string *a, const struct cxx_string *b);

double SIMILARITY(__wrap_)(const struct cxx_string *a, const struct cxx_string *b) {
	if (a->bytes > name_bytes_max || b->bytes > name_bytes_max)
		return 0;
	return SIMILARITY(__real_)(a, b);
}
