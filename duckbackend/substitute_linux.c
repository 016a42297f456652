//go:build !duckdb_use_lib

#include "duckdb_linux.h"
#include "refuse.h"

#include <string.h>

// DuckDB's replace() compares all of a text that is looked for at each place, and asks nothing
// meanwhile: a million letters in two million take half a minute. Rows with a long text
// to look for are calculated here, by the search that asks and is linear; all others are DuckDB's.

extern uint64_t _ZN6duckdb12FindStrInStrEPKhmS1_m(const unsigned char *in, uint64_t in_bytes, const unsigned char *what, uint64_t bytes);
extern void _ZN6duckdb6Vector7FlattenEm(void *vector, uint64_t count);
extern void _ZN6duckdb9DataChunk7FlattenEv(void *chunk);

// StringVector::EmptyString
extern struct duck_text _ZN6duckdb12StringVector11EmptyStringERNS_6VectorEm(void *vector, uint64_t bytes);

static unsigned char *bytes_of(const struct duck_text *t) { return (unsigned char *)duck_bytes(t); }

enum { text_column, what_column, by_column, columns };

enum { short_bytes = 64, missing = -1 };

// is_constant says whether a vector has one row for all.
static int is_constant(const void *vector) { return *AT(const uint8_t, vector, vector_type) == constant_vector; }

static int looks_for_long(void *chunk) {
	void *what = duckdb_data_chunk_get_vector(chunk, what_column);
	uint64_t rows = is_constant(what) ? 1 : duckdb_data_chunk_get_size(chunk);
	if (rows > 1)
		_ZN6duckdb6Vector7FlattenEm(what, rows);
	const struct duck_text *texts = duckdb_vector_get_data(what);
	for (uint64_t row = 0; row < rows; row++)
		if (texts[row].bytes > short_bytes) // or it is NULL, and this means nothing
			return 1;
	return 0;
}

static uint64_t find(struct duck_text *in, uint64_t from, struct duck_text *what) {
	uint64_t at = _ZN6duckdb12FindStrInStrEPKhmS1_m(bytes_of(in) + from, in->bytes - from, bytes_of(what), what->bytes);
	return at == (uint64_t)missing ? at : from + at;
}

// length is how long the text is with what is found replaced.
static uint64_t length(struct duck_text *in, struct duck_text *what, struct duck_text *by) {
	uint64_t bytes = in->bytes;
	for (uint64_t at = 0; (at = find(in, at, what)) != (uint64_t)missing; at += what->bytes)
		bytes += (uint64_t)by->bytes - what->bytes;
	return bytes;
}

static struct duck_text replaced(void *result, struct duck_text *in, struct duck_text *what, struct duck_text *by) {
	uint64_t bytes = what->bytes ? length(in, what, by) : in->bytes;
	if (bytes > UINT32_MAX)
		REFUSE("SQLSTATE 54000: a text would be longer than 4 GiB");
	struct duck_text made = _ZN6duckdb12StringVector11EmptyStringERNS_6VectorEm(result, bytes);
	unsigned char *to = bytes_of(&made);
	uint64_t done = 0;
	for (uint64_t at = 0; what->bytes && (at = find(in, at, what)) != (uint64_t)missing; done = at) {
		memcpy(to, bytes_of(in) + done, at - done);
		memcpy(to + (at - done), bytes_of(by), by->bytes);
		to += at - done + by->bytes;
		at += what->bytes;
	}
	memcpy(to, bytes_of(in) + done, in->bytes - done);
	if (bytes > inline_bytes)
		memcpy(made.begin, made.at.elsewhere, begin_bytes);
	return made;
}

static void replace_long(void *chunk, void *result) {
	_ZN6duckdb9DataChunk7FlattenEv(chunk);
	struct duck_text *texts[columns], *to = duckdb_vector_get_data(result);
	uint64_t *valid[columns];
	for (int c = 0; c < columns; c++) {
		void *vector = duckdb_data_chunk_get_vector(chunk, c);
		texts[c] = duckdb_vector_get_data(vector);
		valid[c] = duckdb_vector_get_validity(vector);
	}
	duckdb_vector_ensure_validity_writable(result);
	for (uint64_t row = 0, rows = duckdb_data_chunk_get_size(chunk); row < rows; row++) {
		int is_null = 0;
		for (int c = 0; c < columns; c++)
			is_null |= !duckdb_validity_row_is_valid(valid[c], row);
		if (is_null)
			duckdb_validity_set_row_invalid(duckdb_vector_get_validity(result), row);
		else
			to[row] = replaced(result, &texts[text_column][row], &texts[what_column][row], &texts[by_column][row]);
	}
}

typedef void scalar_function(void *chunk, void *state, void *result);

static scalar_function *replace_short; // DuckDB's

static void replace(void *chunk, void *state, void *result) {
	if (looks_for_long(chunk))
		replace_long(chunk, result);
	else
		replace_short(chunk, state, result);
}

// ReplaceFun::GetFunction, by which DuckDB makes the function, with ScalarFunction::ScalarFunction.
// That is given a std::function, which begins with the pointer to what it calls.
#define GET(prefix) prefix##_ZN6duckdb10ReplaceFun11GetFunctionEv
#define SCALAR(prefix) prefix##_ZN6duckdb14ScalarFunctionC1ENS_6vectorINS_11LogicalTypeELb1ESaIS2_EEES2_St8functionIFvRNS_9DataChunkERNS_15ExpressionStateERNS_6VectorEEEPFNS_10unique_ptrINS_12FunctionDataESt14default_deleteISF_ELb1EEERNS_13ClientContextERS0_RNS1_INSE_INS_10ExpressionESG_ISM_ELb1EEELb1ESaISO_EEEEPFSI_RNS_23ScalarFunctionBindInputESL_SR_EPFNSE_INS_14BaseStatisticsESG_ISY_ELb1EEESK_RNS_23FunctionStatisticsInputEEPFNSE_INS_18FunctionLocalStateESG_IS15_ELb1EEES9_RKNS_23BoundFunctionExpressionEPSF_ES2_NS_17FunctionStabilityENS_20FunctionNullHandlingEPFS2_SK_RKS4_mE

static __thread int making;

static void made(int *unused) {
	(void)unused;
	making = 0;
}

struct made GET(__real_)(void);

struct made GET(__wrap_)(void) {
	int one __attribute__((cleanup(made), unused)) = making = 1;
	return GET(__real_)();
}

void SCALAR(__real_)(void *to, void *arguments, void *returns, scalar_function **function, void *bind, void *extended, void *statistics, void *local, void *varargs, uintptr_t stability, uintptr_t nulls, void *lambda);

void SCALAR(__wrap_)(void *to, void *arguments, void *returns, scalar_function **function, void *bind, void *extended, void *statistics, void *local, void *varargs, uintptr_t stability, uintptr_t nulls, void *lambda) {
	if (making) {
		replace_short = *function;
		*function = replace;
	}
	SCALAR(__real_)(to, arguments, returns, function, bind, extended, statistics, local, varargs, stability, nulls, lambda);
}
