package duckbackend

import (
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
)

// columnReader turns the vectors of one column into rows.Vectors. The 64-bit
// types, DOUBLE and INTERVAL alias DuckDB's memory; the others are converted
// into buffers that the next chunk overwrites, except strings, which are fresh.
type columnReader struct {
	typ  *duckType
	rows rows.Type
	// storage is the id that determines the layout of the vector's data.
	storage bindings.Type
	nulls   []uint64
	i64     []int64
	i128    []semiring.Int128
	f64     []float64
	str     []string
}

func newColumnReader(t *duckType) *columnReader {
	r := &columnReader{typ: t, rows: t.sql, storage: t.id}
	switch t.id {
	case bindings.TypeDecimal:
		r.storage = bindings.DecimalInternalType(t.logical)
	case bindings.TypeEnum:
		r.storage = bindings.EnumInternalType(t.logical)
	}
	return r
}

// readCast returns the first n values of a column of which vec has the texts.
func (r *columnReader) readCast(vec bindings.Vector, n int) rows.Vector {
	out := rows.Vector{Type: r.rows, Nulls: r.readNulls(vec, n)}
	r.str = resize(r.str, n)
	readTexts(r.str, unsafe.Slice((*duckString)(bindings.VectorGetData(vec)), n), &out)
	out.Str = r.str
	return out
}

// read returns the first n values of vec.
func (r *columnReader) read(vec bindings.Vector, n int) rows.Vector {
	out := rows.Vector{Type: r.rows, Nulls: r.readNulls(vec, n)}
	data := bindings.VectorGetData(vec)
	switch r.rows.Physical() {
	case rows.PhysInt64:
		out.I64 = r.readInt64(data, n)
	case rows.PhysInt128:
		out.I128 = r.readInt128(data, n)
	case rows.PhysFloat64:
		if r.typ.id == bindings.TypeDouble {
			out.F64 = unsafe.Slice((*float64)(data), n)
		} else {
			r.f64 = resize(r.f64, n)
			for i, v := range unsafe.Slice((*float32)(data), n) {
				r.f64[i] = float64(v)
			}
			out.F64 = r.f64
		}
	case rows.PhysInterval:
		out.Ivl = unsafe.Slice((*rows.IntervalValue)(data), n)
	default:
		out.Str = r.readString(data, n, &out)
	}
	return out
}

// readNulls inverts DuckDB's validity mask; nil when all are valid.
func (r *columnReader) readNulls(vec bindings.Vector, n int) []uint64 {
	mask := bindings.VectorGetValidity(vec)
	words := (n + 63) / 64
	if mask == nil {
		return nil
	}
	r.nulls = resize(r.nulls, words)
	var any uint64
	for w, valid := range unsafe.Slice((*uint64)(mask), words) {
		null := ^valid
		if rest := n - w*64; rest < 64 {
			null &= 1<<uint(rest) - 1
		}
		r.nulls[w] = null
		any |= null
	}
	if any == 0 {
		return nil
	}
	return r.nulls
}

func (r *columnReader) readInt64(data unsafe.Pointer, n int) []int64 {
	switch r.storage {
	case bindings.TypeBoolean, bindings.TypeUTinyInt:
		r.i64 = widen(r.i64, unsafe.Slice((*uint8)(data), n))
	case bindings.TypeTinyInt:
		r.i64 = widen(r.i64, unsafe.Slice((*int8)(data), n))
	case bindings.TypeSmallInt:
		r.i64 = widen(r.i64, unsafe.Slice((*int16)(data), n))
	case bindings.TypeUSmallInt:
		r.i64 = widen(r.i64, unsafe.Slice((*uint16)(data), n))
	case bindings.TypeInteger, bindings.TypeDate:
		r.i64 = widen(r.i64, unsafe.Slice((*int32)(data), n))
	case bindings.TypeUInteger:
		r.i64 = widen(r.i64, unsafe.Slice((*uint32)(data), n))
	case bindings.TypeSQLNull:
		r.i64 = resize(r.i64, n)
		return r.i64
	default: // BIGINT, DECIMAL of up to 18 digits, TIME and the TIMESTAMPs
		return unsafe.Slice((*int64)(data), n)
	}
	return r.i64
}

func (r *columnReader) readInt128(data unsafe.Pointer, n int) []semiring.Int128 {
	r.i128 = resize(r.i128, n)
	if r.storage == bindings.TypeUBigInt {
		for i, v := range unsafe.Slice((*uint64)(data), n) {
			r.i128[i] = semiring.Int128{Lo: v}
		}
		return r.i128
	}
	for i, v := range unsafe.Slice((*hugeInt)(data), n) {
		r.i128[i] = semiring.Int128{Hi: int64(v.upper), Lo: v.lower}
	}
	return r.i128
}

// hugeInt is the layout of duckdb_hugeint and duckdb_uhugeint.
type hugeInt struct{ lower, upper uint64 }

func (r *columnReader) readString(data unsafe.Pointer, n int, out *rows.Vector) []string {
	r.str = resize(r.str, n)
	switch r.typ.id {
	case bindings.TypeVarchar, bindings.TypeBlob:
		readTexts(r.str, unsafe.Slice((*duckString)(data), n), out)
	case bindings.TypeEnum:
		r.readEnum(data, n, out)
	case bindings.TypeUUID:
		for i, v := range unsafe.Slice((*hugeInt)(data), n) {
			r.str[i] = uuidText(v)
		}
	}
	return r.str
}

func (r *columnReader) readEnum(data unsafe.Pointer, n int, out *rows.Vector) {
	switch r.storage {
	case bindings.TypeUTinyInt:
		r.i64 = widen(r.i64, unsafe.Slice((*uint8)(data), n))
	case bindings.TypeUSmallInt:
		r.i64 = widen(r.i64, unsafe.Slice((*uint16)(data), n))
	default:
		r.i64 = widen(r.i64, unsafe.Slice((*uint32)(data), n))
	}
	for i, code := range r.i64 {
		if !out.IsNull(i) {
			r.str[i] = r.typ.dict[code]
		}
	}
}

// duckString is the layout of duckdb_string_t: at most inlineLen bytes stand in
// the struct itself, longer ones behind the pointer in its last eight bytes.
type duckString struct {
	length uint32
	prefix [4]byte
	ptr    unsafe.Pointer
}

const inlineLen = 12

func (s *duckString) bytes() []byte {
	if s.length <= inlineLen {
		return unsafe.Slice((*byte)(unsafe.Pointer(&s.prefix)), s.length)
	}
	return unsafe.Slice((*byte)(s.ptr), s.length)
}

// readTexts copies the strings of a chunk into one allocation, so that they
// outlive it.
func readTexts(dst []string, src []duckString, out *rows.Vector) {
	total := 0
	for i := range src {
		if !out.IsNull(i) {
			total += int(src[i].length)
		}
	}
	arena := make([]byte, 0, total)
	for i := range src {
		if out.IsNull(i) || src[i].length == 0 {
			dst[i] = ""
			continue
		}
		start := len(arena)
		arena = append(arena, src[i].bytes()...)
		dst[i] = unsafe.String(&arena[start], len(arena)-start)
	}
}

// widen converts src into dst, reusing its memory.
func widen[S int8 | int16 | int32 | uint8 | uint16 | uint32](dst []int64, src []S) []int64 {
	dst = resize(dst, len(src))
	for i, v := range src {
		dst[i] = int64(v)
	}
	return dst
}

// resize returns a slice of n elements, dst's memory where it suffices.
func resize[T any](dst []T, n int) []T {
	if cap(dst) < n {
		return make([]T, n, max(n, int(bindings.VectorSize())))
	}
	return dst[:n]
}
