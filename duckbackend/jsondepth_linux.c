//go:build !duckdb_use_lib

#include "duckdb_linux.h"

// Many of DuckDB's functions on JSON follow a document by recursion: one that nests its
// arrays and objects 100,000 times overruns the stack, which ends the process. All of
// them have their documents from one function, which is wrapped here: it refuses what is
// nested deeper than is good for any of them.
enum { depth_max = 1000 };

#define READ_OPTS(prefix) prefix##_ZN13duckdb_yyjson16yyjson_read_optsEPcmjPKNS_10yyjson_alcEPNS_15yyjson_read_errE

void *READ_OPTS(__real_)(char *text, size_t bytes, uint32_t flags, const void *alc, struct read_err *err);

// too_deep is where the value with which a text begins is nested too deep; bytes: nowhere.
// What follows the value, as in a file of many, is not looked at.
static size_t too_deep(const char *text, size_t bytes) {
	size_t depth = 0;
	int quoted = 0;
	for (size_t i = 0; i < bytes; i++) {
		char c = text[i];
		if (quoted) {
			if (c == '\\')
				i++;
			else if (c == '"')
				quoted = 0;
			continue;
		}
		switch (c) {
		case '"':
			quoted = 1;
			break;
		case '[':
		case '{':
			if (++depth > depth_max)
				return i;
			break;
		case ']':
		case '}':
			if (depth <= 1)
				return bytes;
			depth--;
			break;
		case ' ':
		case '\t':
		case '\r':
		case '\n':
			break;
		default:
			if (depth == 0) // a number or a word
				return bytes;
		}
		if (quoted && depth == 0) // a text
			return bytes;
	}
	return bytes;
}

void *READ_OPTS(__wrap_)(char *text, size_t bytes, uint32_t flags, const void *alc, struct read_err *err) {
	size_t at = text ? too_deep(text, bytes) : bytes;
	if (at >= bytes)
		return READ_OPTS(__real_)(text, bytes, flags, alc, err);
	if (err) {
		err->code = unexpected_character;
		err->msg = "arrays and objects are nested more than 1000 deep";
		err->pos = at;
	}
	return NULL;
}
