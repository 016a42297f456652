//go:build !duckdb_use_lib

#include "duckdb_linux.h"

// Beside the errors of statements, which names might have been meant is found out by
// comparing all names of a kind with the one that is not there, those of the catalog under
// its lock: a name of a megabyte kept everybody waiting for seconds. No name is like one of
// that kind; where DuckDB compares the names of a list, it is by how that one begins.
enum { name_bytes_max = 256 };

static struct cxx_string beginning(const struct cxx_string *name) {
	return (struct cxx_string){name->text, name->bytes < name_bytes_max ? name->bytes : name_bytes_max};
}

#define SIMILARITY(prefix) prefix##_ZN6duckdb10StringUtil16SimilarityRatingERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_

double SIMILARITY(__real_)(const struct cxx_string *a, const struct cxx_string *b);

double SIMILARITY(__wrap_)(const struct cxx_string *a, const struct cxx_string *b) {
	if (a->bytes > name_bytes_max || b->bytes > name_bytes_max)
		return 0;
	return SIMILARITY(__real_)(a, b);
}

// StringUtil::TopNJaroWinkler and CandidatesErrorMessage
#define MOST_SIMILAR(prefix) prefix##_ZN6duckdb10StringUtil15TopNJaroWinklerERKNS_6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEELb1ESaIS7_EEERKS7_md

struct made MOST_SIMILAR(__real_)(const void *names, const struct cxx_string *name, uint64_t n, double least);

struct made MOST_SIMILAR(__wrap_)(const void *names, const struct cxx_string *name, uint64_t n, double least) {
	struct cxx_string begin = beginning(name);
	return MOST_SIMILAR(__real_)(names, &begin, n, least);
}

#define CANDIDATES(prefix) prefix##_ZN6duckdb10StringUtil22CandidatesErrorMessageERKNS_6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEELb1ESaIS7_EEERKS7_SD_m

struct made CANDIDATES(__real_)(const void *names, const struct cxx_string *name, const struct cxx_string *heading, uint64_t n);

struct made CANDIDATES(__wrap_)(const void *names, const struct cxx_string *name, const struct cxx_string *heading, uint64_t n) {
	struct cxx_string begin = beginning(name);
	return CANDIDATES(__real_)(names, &begin, heading, n);
}
