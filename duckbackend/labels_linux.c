//go:build !duckdb_use_lib

#include "allocate.h"
#include "duckdb_linux.h"
#include "refuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Some functions of DuckDB's make texts that are not UTF-8: regexp_extract('é', '\C') is half
// a letter. As a label of an ENUM such a text stays in the catalog, where everything that
// lists types or columns fails on it, and so does the server when it starts. A type with such
// a label is refused, and where a file has one, made without the server, the label is read
// with its wrong bytes written \xC3, and with apostrophes behind it where another is that.

extern _Bool _ZN6duckdb8Utf8Proc7IsValidEPKcm(const char *text, size_t bytes);

static int valid(const struct duck_text *l) { return _ZN6duckdb8Utf8Proc7IsValidEPKcm(duck_bytes(l), l->bytes); }

// LogicalType::ENUM
#define MAKE_ENUM(prefix) prefix##_ZN6duckdb11LogicalType4ENUMERNS_6VectorEm

struct made MAKE_ENUM(__real_)(void *labels, uint64_t n);

struct made MAKE_ENUM(__wrap_)(void *labels, uint64_t n) {
	const struct duck_text *l = duckdb_vector_get_data(labels);
	for (uint64_t i = 0; i < n; i++)
		if (!valid(&l[i]))
			REFUSE("SQLSTATE 22021: a label of an ENUM is not UTF-8: leave out the texts that are not, or make them valid, before they become labels");
	return MAKE_ENUM(__real_)(labels, n);
}

// The labels of an ENUM of a file that are being read.
struct reading {
	_Bool on;
	uint64_t n;        // how many there have been
	uint64_t *escaped; // the numbers of those whose bytes are written down
	uint64_t n_escaped;
};

static __thread struct reading reading;

static void read_out(struct reading *before) {
	free(reading.escaped);
	reading = *before;
}

// EnumTypeInfo::Deserialize
#define READ_ENUM(prefix) prefix##_ZN6duckdb12EnumTypeInfo11DeserializeERNS_12DeserializerE

struct made READ_ENUM(__real_)(void *from);

struct made READ_ENUM(__wrap_)(void *from) {
	struct reading before __attribute__((cleanup(read_out), unused)) = reading;
	reading = (struct reading){.on = 1};
	return READ_ENUM(__real_)(from);
}

// StringVector::AddStringOrBlob, by which the labels are read
#define ADD_TEXT(prefix) prefix##_ZN6duckdb12StringVector15AddStringOrBlobERNS_6VectorENS_8string_tE

struct words ADD_TEXT(__real_)(void *to, uint64_t first, uint64_t second);
struct words _ZN6duckdb12StringVector15AddStringOrBlobERNS_6VectorEPKcm(void *to, const char *text, uint64_t bytes);

static void release(char **text) { free(*text); }

// letter_bytes is how many bytes the letter has with which a text begins; 0: it is none.
static uint64_t letter_bytes(const char *text, uint64_t bytes) {
	for (uint64_t n = 1; n <= 4 && n <= bytes; n++)
		if (_ZN6duckdb8Utf8Proc7IsValidEPKcm(text, n))
			return n;
	return 0;
}

static int is(const struct duck_text *l, const char *text, uint64_t bytes) { return l->bytes == bytes && memcmp(duck_bytes(l), text, bytes) == 0; }

// add_other adds a text with as many apostrophes behind it as make it another than the first n labels
// of the vector and than one more. There is room for them behind the text.
static struct words add_other(void *to, char *text, uint64_t bytes, uint64_t n, const struct duck_text *than) {
	const struct duck_text *labels = duckdb_vector_get_data(to);
	for (uint64_t i = 0; i < n;) {
		if (!is(&labels[i], text, bytes) && !(than && is(than, text, bytes))) {
			i++;
			continue;
		}
		text[bytes++] = '\'';
		i = 0;
	}
	return _ZN6duckdb12StringVector15AddStringOrBlobERNS_6VectorEPKcm(to, text, bytes);
}

// room is memory for a text, and an apostrophe for each label before it and one more.
static char *room(uint64_t bytes) {
	char *text = malloc(bytes + reading.n + 2);
	if (!text)
		REFUSE("SQLSTATE 53200: no memory for a label of an ENUM");
	return text;
}

// keep_apart gives another text to a label that is written as the next one is.
static void keep_apart(void *to, const struct duck_text *next) {
	struct duck_text *labels = duckdb_vector_get_data(to);
	for (uint64_t i = 0; i < reading.n_escaped; i++) {
		struct duck_text *l = &labels[reading.escaped[i]];
		if (!is(l, duck_bytes(next), next->bytes))
			continue;
		char *text __attribute__((cleanup(release))) = room(l->bytes);
		memcpy(text, duck_bytes(l), l->bytes);
		struct words other = add_other(to, text, l->bytes, reading.n, next);
		memcpy(l, &other, sizeof other);
	}
}

static struct words add_escaped(void *to, const struct duck_text *l) {
	uint64_t *numbers = realloc(reading.escaped, (reading.n_escaped + 1) * sizeof *numbers);
	if (!numbers)
		REFUSE("SQLSTATE 53200: no memory for a label of an ENUM");
	numbers[reading.n_escaped++] = reading.n;
	reading.escaped = numbers;
	char *escaped __attribute__((cleanup(release))) = room(4 * (uint64_t)l->bytes);
	uint64_t n = 0;
	const char *text = duck_bytes(l);
	for (uint64_t i = 0, letter; i < l->bytes; i += letter ? letter : 1) {
		letter = letter_bytes(text + i, l->bytes - i);
		if (letter == 0)
			n += (uint64_t)sprintf(escaped + n, "\\x%02X", (unsigned char)text[i]);
		for (uint64_t k = 0; k < letter; k++)
			escaped[n++] = text[i + k];
	}
	return add_other(to, escaped, n, reading.n, NULL);
}

struct words ADD_TEXT(__wrap_)(void *to, uint64_t first, uint64_t second) {
	triremeAsk();
	struct words words = {first, second};
	const struct duck_text *l = (const struct duck_text *)&words;
	if (!reading.on)
		return ADD_TEXT(__real_)(to, first, second);
	if (valid(l)) {
		keep_apart(to, l);
		words = ADD_TEXT(__real_)(to, first, second);
	} else {
		words = add_escaped(to, l);
	}
	reading.n++;
	return words;
}
