//go:build !duckdb_use_lib

#include "allocate.h"
#include "duckdb_linux.h"
#include "refuse.h"

#include <stdlib.h>

// A VARIANT may hold others, a level more with each cast of a list that has one, and many of
// DuckDB's functions follow it by recursion: what is nested some 10,000 deep overruns the stack,
// which ends the process. The bound is that of JSON. Each cast to VARIANT comes through the
// function that is wrapped here, when the values have been made.
enum { depth_max = 1000 };

// What is in the VARIANT of a row: values, the first of which is all of it, and the numbers of
// those that are within others.
struct variant {
	const uint8_t *type;
	const uint32_t *offset; // in data
	uint64_t values;
	const uint32_t *child;
	uint64_t children;
	const unsigned char *data, *end;
};

struct level {
	uint32_t value, depth;
};

// A number of seven bits a byte, from the lowest on.
static uint64_t number_at(const unsigned char **at, const unsigned char *end) {
	uint64_t n = 0;
	for (int shift = 0; *at < end && shift < 64; shift += 7) {
		unsigned char c = *(*at)++;
		n |= (uint64_t)(c & 127) << shift;
		if (c < 128)
			break;
	}
	return n;
}

// too_deep follows the values; pending has room for each of them.
static _Bool too_deep(const struct variant *v, struct level *pending) {
	uint64_t waiting = 0, seen = 1;
	pending[waiting++] = (struct level){0, 1};
	while (waiting > 0) {
		struct level in = pending[--waiting];
		if (v->type[in.value] != variant_object && v->type[in.value] != variant_array)
			continue;
		if (in.depth > depth_max)
			return 1;
		const unsigned char *at = v->data + v->offset[in.value];
		uint64_t n = number_at(&at, v->end), first = n ? number_at(&at, v->end) : 0;
		for (uint64_t i = first; i < first + n && i < v->children && seen < v->values; i++, seen++)
			if (v->child[i] < v->values)
				pending[waiting++] = (struct level){v->child[i], in.depth + 1};
	}
	return 0;
}

// any_too_deep looks at the rows of a vector of VARIANTs that has just been made.
static _Bool any_too_deep(void *vector) {
	void *children = duckdb_struct_vector_get_child(vector, variant_children), *values = duckdb_struct_vector_get_child(vector, variant_values);
	uint64_t all = duckdb_list_vector_get_size(values);
	if (all <= depth_max)
		return 0;
	const struct list_entry *values_of = duckdb_vector_get_data(values), *children_of = duckdb_vector_get_data(children);
	const struct duck_text *data_of = duckdb_vector_get_data(duckdb_struct_vector_get_child(vector, variant_data));
	void *value = duckdb_list_vector_get_child(values), *child = duckdb_list_vector_get_child(children);
	const uint8_t *type = duckdb_vector_get_data(duckdb_struct_vector_get_child(value, 0));
	const uint32_t *offset = duckdb_vector_get_data(duckdb_struct_vector_get_child(value, 1));
	const uint32_t *index = duckdb_vector_get_data(duckdb_struct_vector_get_child(child, 1));
	_Bool deep = 0;
	for (uint64_t row = 0, done = 0; done < all && !deep; row++) {
		uint64_t n = values_of[row].length;
		done += n;
		if (n <= depth_max)
			continue;
		const unsigned char *data = (const unsigned char *)duck_bytes(&data_of[row]);
		struct variant v = {type + values_of[row].offset, offset + values_of[row].offset, n, index + children_of[row].offset, children_of[row].length, data, data + data_of[row].bytes};
		struct level *pending = malloc(n * sizeof *pending);
		if (!pending)
			_ZSt17__throw_bad_allocv();
		deep = too_deep(&v, pending);
		free(pending);
	}
	return deep;
}

// VariantUtils::FinalizeVariantKeys
#define FINISH(prefix) prefix##_ZN6duckdb12VariantUtils19FinalizeVariantKeysERNS_6VectorERNS_15OwningStringMapIjSt3mapINS_8string_tEjSt4lessIS5_ESaISt4pairIKS5_jEEEEERNS_15SelectionVectorEm

void FINISH(__real_)(void *vector, void *keys, void *selected, uint64_t n);

void FINISH(__wrap_)(void *vector, void *keys, void *selected, uint64_t n) {
	if (triremeMayFail() && any_too_deep(vector))
		REFUSE("SQLSTATE 54001: a VARIANT is nested more than 1000 deep\nHINT: Put what is nested so deep into tables.");
	FINISH(__real_)(vector, keys, selected, n);
}
