//go:build !duckdb_use_lib

#define _GNU_SOURCE // memmem

#include "duckdb_linux.h"

#include <stdlib.h>
#include <string.h>

// StringUtil::Replace moves the rest of the text for every occurrence, and DuckDB doubles the
// quotes of constants with it whenever it writes a statement's expressions down: a text of a
// few megabytes with an apostrophe in each word took minutes, and could not be stopped. Long
// texts are made here in one pass.
enum { short_bytes = 4096 };

#define REPLACE(prefix) prefix##_ZN6duckdb10StringUtil7ReplaceENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKS6_S8_

struct made REPLACE(__real_)(struct cxx_string *source, const struct cxx_string *from, const struct cxx_string *to);

// std::string's _M_replace: so many bytes from a place on become others.
void *_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm(struct cxx_string *text, size_t at, size_t bytes, const char *by, size_t by_bytes);

static size_t occurrences(const struct cxx_string *text, const struct cxx_string *of) {
	size_t n = 0;
	const char *end = text->text + text->bytes;
	for (const char *at = text->text; (at = memmem(at, end - at, of->text, of->bytes)); at += of->bytes)
		n++;
	return n;
}

// replaced writes the text with its occurrences replaced, and returns its end.
static char *replaced(char *out, const struct cxx_string *text, const struct cxx_string *from, const struct cxx_string *to) {
	const char *at = text->text, *end = at + text->bytes;
	for (const char *next; (next = memmem(at, end - at, from->text, from->bytes)); at = next + from->bytes) {
		out = (char *)memcpy(out, at, next - at) + (next - at);
		out = (char *)memcpy(out, to->text, to->bytes) + to->bytes;
	}
	return (char *)memcpy(out, at, end - at) + (end - at);
}

struct made REPLACE(__wrap_)(struct cxx_string *source, const struct cxx_string *from, const struct cxx_string *to) {
	// Longer than any text, so that it is in none and nothing is replaced any more.
	static const struct cxx_string nowhere = {"", SIZE_MAX / 2};
	if (source->bytes < short_bytes || from->bytes == 0)
		return REPLACE(__real_)(source, from, to);
	size_t n = occurrences(source, from);
	char *made = n > 1 ? malloc(source->bytes - n * from->bytes + n * to->bytes + 1) : NULL;
	if (!made)
		return REPLACE(__real_)(source, from, to);
	size_t bytes = replaced(made, source, from, to) - made;
	_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm(source, 0, source->bytes, made, bytes);
	free(made);
	return REPLACE(__real_)(source, &nowhere, to);
}
