package fibers

import (
	"fmt"
	"iter"
	"math"
	"strings"
	"sync"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// ValueKind is the type of the SQL values of a domain.
type ValueKind uint8

// Value kinds. RowValues are row numbers: coordinate and value are the same
// number and nothing is stored.
const (
	Int64Values ValueKind = iota
	Int128Values
	Float64Values
	StringValues
	RowValues
)

// String returns the word used in messages.
func (k ValueKind) String() string {
	return [...]string{"int64", "int128", "float64", "string", "row"}[k]
}

// DomainHint is what is known of the values beforehand: the number of rows, the
// range of integers when HasRange, and the number of distinct values (0: unknown).
type DomainHint struct {
	Rows     int
	HasRange bool
	Min, Max int64
	Distinct int
}

const (
	// windowRows and windowFree bound an identity window: range <=
	// windowRows*rows + windowFree. A wider one would waste dense levels.
	windowRows = 4
	windowFree = 1024
	// codesMax keeps a domain's size below 2^31.
	codesMax = math.MaxInt32 - 1
)

// Domain maps SQL values to coordinates 0..Len-1. It only grows, codes handed
// out never change, and all methods may be called concurrently.
//
// Integers inside the window (or bitmap) given at creation have the first
// coordinates, in value order; all other values, and NULL, get the next free
// coordinate as they come.
type Domain struct {
	kind ValueKind
	base intBase // Int64Values: values that have a coordinate by arithmetic

	mu     sync.RWMutex
	limit  int // codesMax, smaller in tests
	n      int // coordinates in use
	null   Coord
	hash   intTable // Int64Values and Float64Values (canonical bits) outside base
	wide   map[semiring.Int128]Coord
	text   map[string]Coord
	i64    []int64 // value of coordinate base.n+e; a placeholder at NULL
	i128   []semiring.Int128
	str    []string
	strLen int64

	ranks  []int32
	ranked int // Len when ranks was computed, -1: never
}

// NewDomain makes an empty domain. Integers get an identity window when the
// hinted range is not much larger than the number of rows.
func NewDomain(kind ValueKind, hint DomainHint) *Domain {
	d := &Domain{kind: kind, null: -1, limit: codesMax, ranked: -1}
	switch kind {
	case Int64Values:
		if span, ok := windowSpan(hint); ok {
			d.base = intBase{offset: hint.Min, n: span}
		}
		d.hash.init(hint.Distinct)
	case Int128Values:
		d.wide = make(map[semiring.Int128]Coord, hint.Distinct)
	case Float64Values:
		d.hash.init(hint.Distinct)
	case StringValues:
		d.text = make(map[string]Coord, hint.Distinct)
	case RowValues:
		d.base = intBase{n: max(hint.Rows, 0)}
	default:
		panic(invariant.Failed("fibers: value kind %d", kind))
	}
	d.n = d.base.n
	return d
}

func windowSpan(hint DomainHint) (int, bool) {
	if !hint.HasRange || hint.Max < hint.Min {
		return 0, false
	}
	width := uint64(hint.Max) - uint64(hint.Min) // exact: the difference of int64 fits uint64
	bound := uint64(windowRows)*uint64(max(hint.Rows, 0)) + windowFree
	if width >= bound || width >= codesMax-1 {
		return 0, false
	}
	return int(width) + 1, true
}

// NewBitmapDomain makes an integer domain of the values that each yields, n of
// them from lo to hi: coordinates are their ranks. Meant for values whose range
// is too wide for a window but not for one bit each; where it is too wide for
// that too, the domain starts empty and hashes, and nothing is asked of each.
// Values need not be distinct or sorted. O(n + range/64).
func NewBitmapDomain(n int, lo, hi int64, each iter.Seq[[]int64]) *Domain {
	d := NewDomain(Int64Values, DomainHint{})
	d.base = newBitmapBase(n, lo, hi, each)
	d.n = d.base.n
	return d
}

// Window returns the identity window: the value at coordinate c is offset+c for
// c below n. n is 0 where there is none.
func (d *Domain) Window() (offset int64, n int) {
	if d.kind != Int64Values || d.base.words != nil {
		return 0, 0
	}
	return d.base.offset, d.base.n
}

// Kind returns the kind of the values.
func (d *Domain) Kind() ValueKind { return d.kind }

// Len is the dimension: one past the largest coordinate. Identity windows count
// all their coordinates.
func (d *Domain) Len() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.n
}

// Bytes estimates the memory held.
func (d *Domain) Bytes() int64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	const mapEntry = 24 // bytes beyond the key, measured loosely
	total := d.base.bytes() + d.hash.bytes() + 8*int64(cap(d.i64)) + 16*int64(cap(d.i128)+cap(d.str)) + 4*int64(cap(d.ranks))
	return total + int64(len(d.wide))*(16+mapEntry) + int64(len(d.text))*(16+mapEntry) + d.strLen
}

// take hands out the next coordinate. The lock is held for writing.
func (d *Domain) take() (Coord, error) {
	if d.n >= d.limit {
		return 0, fmt.Errorf("a domain of %s values would hold more than %d coordinates", d.kind, d.limit)
	}
	c := Coord(d.n)
	d.n++
	return c, nil
}

// NullCoord returns the coordinate of NULL, which the first call allocates.
// It returns -1 when the domain is full.
func (d *Domain) NullCoord() Coord {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.null >= 0 {
		return d.null
	}
	invariant.Check(d.kind != RowValues, "fibers: a row number cannot be NULL")
	c, err := d.take()
	if err != nil {
		return -1
	}
	d.null = c
	switch d.kind {
	case Int128Values:
		d.i128 = append(d.i128, semiring.Int128{})
	case StringValues:
		d.str = append(d.str, "")
	default:
		d.i64 = append(d.i64, 0)
	}
	return c
}

// Null returns the coordinate of NULL if it has one.
func (d *Domain) Null() (Coord, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.null, d.null >= 0
}

// IsNull reports whether c is the coordinate of NULL.
func (d *Domain) IsNull(c Coord) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return c == d.null
}

// find and add are the two halves of encoding one kind of value: a lookup under
// the read lock, an insertion (lookup first) under the write lock. Values often
// come in runs, whose coordinate is found once.
func encode[T comparable](d *Domain, vals []T, out []Coord, find func(T) (Coord, bool), add func(T) (Coord, error)) error {
	e := 0
	d.mu.RLock()
	for ; e < len(vals); e++ {
		if e > 0 && vals[e] == vals[e-1] {
			out[e] = out[e-1]
			continue
		}
		c, ok := find(vals[e])
		if !ok {
			break
		}
		out[e] = c
	}
	d.mu.RUnlock()
	if e == len(vals) {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for ; e < len(vals); e++ {
		if e > 0 && vals[e] == vals[e-1] {
			out[e] = out[e-1]
			continue
		}
		c, ok := find(vals[e])
		if !ok {
			var err error
			if c, err = add(vals[e]); err != nil {
				return err
			}
		}
		out[e] = c
	}
	return nil
}

// EncodeInt64 writes the coordinates of vals to out, adding new values. For
// RowValues the values are row numbers.
func (d *Domain) EncodeInt64(vals []int64, out []Coord) error {
	if d.kind == RowValues {
		return d.encodeRows(vals, out)
	}
	d.want(Int64Values)
	e := d.base.encode(vals, out) // needs no lock: the base never changes
	if e == len(vals) {
		return nil
	}
	return encode(d, vals[e:], out[e:], d.findInt64, func(v int64) (Coord, error) { return d.addBits(v, uint64(v)) })
}

func (d *Domain) findInt64(v int64) (Coord, bool) {
	if c, ok := d.base.find(v); ok {
		return c, true
	}
	return d.hash.find(uint64(v))
}

// addBits stores value v, hashed by key, at the next coordinate.
func (d *Domain) addBits(v int64, key uint64) (Coord, error) {
	c, err := d.take()
	if err != nil {
		return 0, err
	}
	d.i64 = append(d.i64, v)
	d.hash.insert(key, c)
	return c, nil
}

func (d *Domain) encodeRows(vals []int64, out []Coord) error {
	top := int64(-1)
	for e, v := range vals {
		if v < 0 || v >= int64(d.limit) {
			return fmt.Errorf("row number %d is outside a domain of %d coordinates", v, d.limit)
		}
		out[e] = Coord(v)
		top = max(top, v)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n = max(d.n, int(top)+1)
	return nil
}

// EncodeInt128 is EncodeInt64 for 128-bit integers.
func (d *Domain) EncodeInt128(vals []semiring.Int128, out []Coord) error {
	d.want(Int128Values)
	find := func(v semiring.Int128) (Coord, bool) { c, ok := d.wide[v]; return c, ok }
	return encode(d, vals, out, find, func(v semiring.Int128) (Coord, error) {
		c, err := d.take()
		if err != nil {
			return 0, err
		}
		d.i128 = append(d.i128, v)
		d.wide[v] = c
		return c, nil
	})
}

// EncodeFloat64 is EncodeInt64 for floats: -0 is 0 and all NaN are one value.
func (d *Domain) EncodeFloat64(vals []float64, out []Coord) error {
	d.want(Float64Values)
	find := func(v float64) (Coord, bool) { return d.hash.find(canonicalBits(v)) }
	return encode(d, vals, out, find, func(v float64) (Coord, error) {
		b := canonicalBits(v)
		return d.addBits(int64(b), b)
	})
}

func canonicalBits(v float64) uint64 {
	switch {
	case v == 0:
		return 0
	case math.IsNaN(v):
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(v)
}

// EncodeString is EncodeInt64 for strings. New strings are copied.
func (d *Domain) EncodeString(vals []string, out []Coord) error {
	d.want(StringValues)
	find := func(v string) (Coord, bool) { c, ok := d.text[v]; return c, ok }
	return encode(d, vals, out, find, func(v string) (Coord, error) {
		c, err := d.take()
		if err != nil {
			return 0, err
		}
		v = strings.Clone(v)
		d.str = append(d.str, v)
		d.text[v] = c
		d.strLen += int64(len(v))
		return c, nil
	})
}

// LookupInt64 returns the coordinate of v without adding it.
func (d *Domain) LookupInt64(v int64) (Coord, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.kind == RowValues {
		return Coord(v), v >= 0 && v < int64(d.n)
	}
	d.want(Int64Values)
	return d.findInt64(v)
}

// LookupInt128 returns the coordinate of v without adding it.
func (d *Domain) LookupInt128(v semiring.Int128) (Coord, bool) {
	d.want(Int128Values)
	d.mu.RLock()
	defer d.mu.RUnlock()
	c, ok := d.wide[v]
	return c, ok
}

// LookupFloat64 returns the coordinate of v without adding it.
func (d *Domain) LookupFloat64(v float64) (Coord, bool) {
	d.want(Float64Values)
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.hash.find(canonicalBits(v))
}

// LookupString returns the coordinate of v without adding it.
func (d *Domain) LookupString(v string) (Coord, bool) {
	d.want(StringValues)
	d.mu.RLock()
	defer d.mu.RUnlock()
	c, ok := d.text[v]
	return c, ok
}

// Int64 returns the value of a coordinate that is not NULL's.
func (d *Domain) Int64(c Coord) int64 {
	if d.kind == RowValues {
		return int64(c)
	}
	d.want(Int64Values)
	d.mu.RLock()
	defer d.mu.RUnlock()
	if int(c) < d.base.n {
		return d.base.value(c)
	}
	return d.i64[int(c)-d.base.n]
}

// Int128 returns the value of a coordinate that is not NULL's.
func (d *Domain) Int128(c Coord) semiring.Int128 {
	d.want(Int128Values)
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.i128[c]
}

// Float64 returns the value of a coordinate that is not NULL's.
func (d *Domain) Float64(c Coord) float64 {
	d.want(Float64Values)
	d.mu.RLock()
	defer d.mu.RUnlock()
	return math.Float64frombits(uint64(d.i64[c]))
}

// String returns the value of a coordinate of a string domain that is not NULL's.
func (d *Domain) String(c Coord) string {
	d.want(StringValues)
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.str[c]
}

// DecodeInt64 writes the values of coordinates to out, as Int64 gives them; that
// of NULL is arbitrary.
func (d *Domain) DecodeInt64(coords []Coord, out []int64) {
	out = out[:len(coords)]
	offset := int64(0)
	if d.kind != RowValues {
		d.want(Int64Values)
		d.mu.RLock()
		defer d.mu.RUnlock()
		if d.base.words != nil || len(d.i64) > 0 {
			for e, c := range coords {
				if int(c) < d.base.n {
					out[e] = d.base.value(c)
				} else {
					out[e] = d.i64[int(c)-d.base.n]
				}
			}
			return
		}
		offset = d.base.offset
	}
	for e, c := range coords {
		out[e] = offset + int64(c)
	}
}

// DecodeInt128 is DecodeInt64 for 128-bit integers.
func (d *Domain) DecodeInt128(coords []Coord, out []semiring.Int128) {
	d.want(Int128Values)
	d.mu.RLock()
	defer d.mu.RUnlock()
	for e, c := range coords {
		out[e] = d.i128[c]
	}
}

// DecodeFloat64 is DecodeInt64 for floats.
func (d *Domain) DecodeFloat64(coords []Coord, out []float64) {
	d.want(Float64Values)
	d.mu.RLock()
	defer d.mu.RUnlock()
	for e, c := range coords {
		out[e] = math.Float64frombits(uint64(d.i64[c]))
	}
}

// DecodeString is DecodeInt64 for strings.
func (d *Domain) DecodeString(coords []Coord, out []string) {
	d.want(StringValues)
	d.mu.RLock()
	defer d.mu.RUnlock()
	for e, c := range coords {
		out[e] = d.str[c]
	}
}

func (d *Domain) want(kind ValueKind) {
	invariant.Check(d.kind == kind, "fibers: %s domain used for %s values", d.kind, kind)
}
