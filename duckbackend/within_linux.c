//go:build !duckdb_use_lib

#define _GNU_SOURCE // memmem

#include "allocate.h"
#include "duckdb_linux.h"
#include "refuse.h"

#include <stdlib.h>
#include <string.h>

// Some functions work for seconds within one row: on a list of millions, a text of
// megabytes. Those that make an element of a list, a text or an entry of a table of
// hashes at a time come through the functions below, which ask whether to go on. What asks
// nothing and takes much more time for more bytes is bounded.

// Of many calls in a row that take little, the one is asked at which they have done as much as
// this, in bytes that are looked at or made.
enum { work_max = 1 << 16, call_work = 64 };

static __thread uint64_t work_done;

static inline void ask_for(uint64_t bytes) {
	work_done += call_work + bytes;
	if (work_done >= work_max) {
		work_done = 0;
		triremeAsk();
	}
}

// How many bytes the argument a or b stands for: a text of the C++ library, one of DuckDB's, a
// number of them, or nothing that grows.
#define CXX_TEXT (((const struct cxx_string *)a)->bytes)
#define DUCK_TEXT ((uint32_t)a)

#define MAKES2(name, bytes)                                               \
	struct words __real_##name(void *to, uint64_t a);                     \
	struct words __wrap_##name(void *to, uint64_t a) {                    \
		ask_for(bytes);                                                   \
		return __real_##name(to, a);                                      \
	}
#define MAKES3(name, bytes)                                               \
	struct words __real_##name(void *to, uint64_t a, uint64_t b);         \
	struct words __wrap_##name(void *to, uint64_t a, uint64_t b) {        \
		ask_for(bytes);                                                   \
		return __real_##name(to, a, b);                                   \
	}
#define MAKES4(name, bytes)                                                      \
	struct words __real_##name(void *of, uint64_t a, uint64_t b, uint64_t c);    \
	struct words __wrap_##name(void *of, uint64_t a, uint64_t b, uint64_t c) {   \
		ask_for(bytes);                                                          \
		return __real_##name(of, a, b, c);                                       \
	}

#define WITHIN2(name)                                                     \
	struct words __real_##name(void *to, uint64_t a);                     \
	struct words __wrap_##name(void *to, uint64_t a) {                    \
		triremeAsk();                                                     \
		return __real_##name(to, a);                                      \
	}
#define WITHIN4(name)                                                            \
	struct words __real_##name(void *of, uint64_t a, uint64_t b, uint64_t c);    \
	struct words __wrap_##name(void *of, uint64_t a, uint64_t b, uint64_t c) {   \
		triremeAsk();                                                            \
		return __real_##name(of, a, b, c);                                       \
	}

// StringVector::EmptyString, AddString and AddStringOrBlob (of which another is in labels_linux.c)
MAKES2(_ZN6duckdb12StringVector11EmptyStringERNS_6VectorEm, a)
MAKES2(_ZN6duckdb12StringVector9AddStringERNS_6VectorERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE, CXX_TEXT)
MAKES3(_ZN6duckdb12StringVector9AddStringERNS_6VectorENS_8string_tE, DUCK_TEXT)
MAKES3(_ZN6duckdb12StringVector9AddStringERNS_6VectorEPKcm, b)
MAKES3(_ZN6duckdb12StringVector15AddStringOrBlobERNS_6VectorEPKcm, b)
// Interval::Add of a timestamp, also in a time zone, ICUDateFunc::Add: range() and
// generate_series() of lists, and bins, count with them
MAKES3(_ZN6duckdb8Interval3AddENS_11timestamp_tENS_10interval_tE, 0)
MAKES4(_ZN6duckdb11ICUDateFunc3AddERNS_10TZCalendarENS_11timestamp_tENS_10interval_tE, 0)
// hugeint_t::operator-=: bins of integers
MAKES2(_ZN6duckdb9hugeint_tmIERKS0_, 0)
// UnifiedVariantVectorData::GetTypeId: each value in a VARIANT
MAKES3(_ZNK6duckdb24UnifiedVariantVectorData9GetTypeIdEmm, 0)
// ListVector::Reserve, Append and PushBack
WITHIN2(_ZN6duckdb10ListVector7ReserveERNS_6VectorEm)
WITHIN4(_ZN6duckdb10ListVector6AppendERNS_6VectorERKS1_mm)
// A vector of a part of another one, from which an aggregate of a list is calculated, and
// ArenaAllocator::AllocateNewBlock
WITHIN4(_ZN6duckdb6VectorC1ERKS0_RKNS_15SelectionVectorEm)
WITHIN2(_ZN6duckdb14ArenaAllocator16AllocateNewBlockEm)
// What unordered_map and unordered_set ask before each entry, _Prime_rehash_policy::_M_need_rehash
WITHIN4(_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm)

// Texts that DuckDB copies and frees: what is raised while it copies one leaves it behind.
static char *to_be_copied(char *text) {
	if (text && triremeInterrupted()) {
		free(text);
		triremeAsk();
	}
	if (text && triremeMayFail() && triremeFree() / 2 < (int64_t)strlen(text)) {
		free(text);
		_ZSt17__throw_bad_allocv();
	}
	return text;
}

#define MAKING(name)                                           \
	char *__real_##name(const char *text, int64_t bytes);      \
	char *__wrap_##name(const char *text, int64_t bytes) {     \
		triremeAsk();                                          \
		return to_be_copied(__real_##name(text, bytes));       \
	}

// Utf8Proc::Normalize, utf8proc_remove_accents
MAKING(_ZN6duckdb8Utf8Proc9NormalizeEPKcm)
MAKING(_ZN6duckdb23utf8proc_remove_accentsEPKhl)

// Numbers of any length are converted from and to digits in time that grows with the square.
enum { digits_max = 50000, number_bytes_max = 20800 };

#define LONG_NUMBER "SQLSTATE 54000: a BIGNUM of more than 50000 digits is not converted"

#define TO_NUMBER(prefix) prefix##_ZN6duckdb6Bignum12EncodeBignumB5cxx11ERKNS_8string_tEmmbb
#define FROM_NUMBER(prefix) prefix##_ZN6duckdb6Bignum15BignumToVarcharB5cxx11ERKNS_8bignum_tE

// A bignum_t is a string_t of its bytes.
struct made TO_NUMBER(__real_)(const struct duck_text *text, uint64_t start, uint64_t end, _Bool negative, _Bool zero);

struct made TO_NUMBER(__wrap_)(const struct duck_text *text, uint64_t start, uint64_t end, _Bool negative, _Bool zero) {
	if (text->bytes > digits_max)
		REFUSE(LONG_NUMBER);
	return TO_NUMBER(__real_)(text, start, end, negative, zero);
}

struct made FROM_NUMBER(__real_)(const struct duck_text *number);

struct made FROM_NUMBER(__wrap_)(const struct duck_text *number) {
	if (number->bytes > number_bytes_max)
		REFUSE(LONG_NUMBER);
	return FROM_NUMBER(__real_)(number);
}

// The C library writes a number with a precision into memory of its own, some five bytes for
// each digit, at one go. No value has more than some 17,000 digits that are not zero.
enum { precision_max = 100000 };

static void check_precision(int precision) {
	if (precision > precision_max)
		REFUSE("SQLSTATE 54000: a precision in a format is at most 100000");
}

#define PRECISE(name, number)                                                         \
	int __real_##name(number value, int precision, uint64_t specs, void *to);         \
	int __wrap_##name(number value, int precision, uint64_t specs, void *to) {        \
		check_precision(precision);                                                   \
		return __real_##name(value, precision, specs, to);                            \
	}

// fmt's format_float, and snprintf_float of numbers in hexadecimal digits
PRECISE(_ZN10duckdb_fmt2v68internal12format_floatIdEEiT_iNS1_11float_specsERNS1_6bufferIcEE, double)
PRECISE(_ZN10duckdb_fmt2v68internal12format_floatIeEEiT_iNS1_11float_specsERNS1_6bufferIcEE, long double)
PRECISE(_ZN10duckdb_fmt2v68internal14snprintf_floatIdEEiT_iNS1_11float_specsERNS1_6bufferIcEE, double)
PRECISE(_ZN10duckdb_fmt2v68internal14snprintf_floatIeEEiT_iNS1_11float_specsERNS1_6bufferIcEE, long double)

// Of a regular expression that has groups, or is too large for other ways, each step is
// taken at each byte. The others are linear.
static const uint64_t steps_max = 1 << 30;

#define STEP_BY_STEP(prefix) prefix##_ZN10duckdb_re24Prog9SearchNFAERKNS_11StringPieceES3_NS0_6AnchorENS0_9MatchKindEPS1_i

_Bool STEP_BY_STEP(__real_)(struct program *program, const struct piece *text, const struct piece *context, int anchor, int kind, void *match, int matches);

_Bool STEP_BY_STEP(__wrap_)(struct program *program, const struct piece *text, const struct piece *context, int anchor, int kind, void *match, int matches) {
	triremeAsk();
	if (program->steps > 0 && text->bytes > steps_max / program->steps)
		REFUSE("SQLSTATE 54000: a text is too long for this regular expression: its bytes times the expression's steps are more than 2^30");
	return STEP_BY_STEP(__real_)(program, text, context, anchor, kind, match, matches);
}

// Reading a pattern of megabytes takes seconds, and ends with the error that it is too large.
enum { pattern_bytes_max = 1 << 18 };

static void ask_to_compile(const struct piece *pattern) {
	triremeAsk();
	if (pattern->bytes > pattern_bytes_max)
		REFUSE("SQLSTATE 54000: pattern too large: a regular expression has at most 256 KiB");
}

static void may_fail(int *unused) {
	(void)unused;
	triremeUnfailing(-1);
}

#define UNFAILING                                                            \
	int unfailing __attribute__((cleanup(may_fail), unused)) = 1;            \
	triremeUnfailing(1)

// TemporaryMemoryManager::Register, by which sorts, joins and groups share memory, has the lock that what an error
// destroys there waits for: it would be held for ever.
#define REGISTER(prefix) prefix##_ZN6duckdb22TemporaryMemoryManager8RegisterERNS_13ClientContextE

struct made REGISTER(__real_)(void *manager, void *context);

struct made REGISTER(__wrap_)(void *manager, void *context) {
	UNFAILING;
	return REGISTER(__real_)(manager, context);
}

// A \C of an expression is any byte, half of a letter too: what it finds is a text that is not
// UTF-8, and clients are promised texts that are. RE2 makes a part of the kind any_byte for it and for
// nothing else.
static __thread int has_any_byte; // the expression that this thread compiles

#define MAKE_PART(prefix) prefix##_ZN10duckdb_re26RegexpC1ENS_8RegexpOpENS0_10ParseFlagsE

void MAKE_PART(__real_)(void *made, int kind, int flags);

void MAKE_PART(__wrap_)(void *made, int kind, int flags) {
	has_any_byte |= kind == any_byte;
	MAKE_PART(__real_)(made, kind, flags);
}

extern void _ZN10duckdb_re23RE2D1Ev(void *made); // RE2::~RE2

static void refuse_any_byte(void *made) {
	if (!has_any_byte)
		return;
	_ZN10duckdb_re23RE2D1Ev(made);
	REFUSE("SQLSTATE 22021: \\C finds parts of letters, which are not UTF-8: write . for a letter, or look for bytes in what encode() makes of the text");
}

// RE2::RE2 of a part of a text, of that with options, and of a text, which begins alike. What
// an error leaves of one is not freed: there is none until it is made.
#define COMPILING(name)                                                                   \
	void __real_##name(void *made, const struct piece *pattern, const void *options);     \
	void __wrap_##name(void *made, const struct piece *pattern, const void *options) {    \
		ask_to_compile(pattern);                                                          \
		UNFAILING;                                                                        \
		has_any_byte = 0;                                                                 \
		__real_##name(made, pattern, options);                                            \
		refuse_any_byte(made);                                                            \
	}

COMPILING(_ZN10duckdb_re23RE2C1ERKNS_11StringPieceE)
COMPILING(_ZN10duckdb_re23RE2C1ERKNS_11StringPieceERKNS0_7OptionsE)
COMPILING(_ZN10duckdb_re23RE2C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)

#define AT_ONCE(prefix) prefix##_ZN10duckdb_re24Prog9SearchDFAERKNS_11StringPieceES3_NS0_6AnchorENS0_9MatchKindEPS1_PbPNS_10SparseSetTIvEE

_Bool AT_ONCE(__real_)(struct program *program, const struct piece *text, const struct piece *context, int anchor, int kind, void *match, void *failed, void *matches);

_Bool AT_ONCE(__wrap_)(struct program *program, const struct piece *text, const struct piece *context, int anchor, int kind, void *match, void *failed, void *matches) {
	triremeAsk();
	return AT_ONCE(__real_)(program, text, context, anchor, kind, match, failed, matches);
}

// FindStrInStr, by which contains, instr, string_split and patterns of LIKE find a text in
// another one, compares all of a long one again and again. This definition takes the
// place of DuckDB's, also within DuckDB; memmem takes time for the bytes of both. -1: it is not
// there.
enum { short_bytes = 64 };

static const unsigned char *find(const unsigned char *in, uint64_t in_bytes, const unsigned char *what, uint64_t bytes) {
	if (bytes > in_bytes)
		return NULL;
	if (bytes > short_bytes)
		return memmem(in, in_bytes, what, bytes);
	const unsigned char *at = memchr(in, what[0], in_bytes - bytes + 1), *last = in + in_bytes - bytes;
	if (!at || bytes == 1)
		return at;
	uint16_t begin, here;
	for (memcpy(&begin, what, sizeof begin); at <= last; at++) {
		memcpy(&here, at, sizeof here);
		if (here == begin && !memcmp(at + sizeof begin, what + sizeof begin, bytes - sizeof begin))
			return at;
	}
	return NULL;
}

uint64_t _ZN6duckdb12FindStrInStrEPKhmS1_m(const unsigned char *in, uint64_t in_bytes, const unsigned char *what, uint64_t bytes) {
	ask_for(in_bytes + bytes);
	if (bytes == 0)
		return 0;
	const unsigned char *at = find(in, in_bytes, what, bytes);
	return at ? (uint64_t)(at - in) : UINT64_MAX;
}
