package bench

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
)

// toleranceRel is how far two floats may be apart, relative to the larger: sums
// are added up in another order.
const toleranceRel = 1e-9

// answer is a whole result by columns, kept batch by batch as it arrives, so that
// keeping it costs little beside computing it.
type answer struct {
	columns []rows.Column
	batches []rows.Batch // copies, until they are joined
	vectors []rows.Vector
	nulls   [][]bool // by column; nil: none yet
	types   []string // where the columns' own types are not those of the server
	rows    int
}

func newAnswer(columns []rows.Column) *answer {
	a := &answer{columns: columns, vectors: make([]rows.Vector, len(columns)), nulls: make([][]bool, len(columns))}
	for i, c := range columns {
		a.vectors[i].Type = c.Type
	}
	return a
}

// add copies a batch. The copies are put together by join, when the clock has
// stopped: a column that grew as it arrived would be copied several times over.
func (a *answer) add(b *rows.Batch) {
	kept := rows.Batch{N: b.N, Cols: make([]rows.Vector, len(b.Cols))}
	for c := range b.Cols {
		from, to := &b.Cols[c], &kept.Cols[c]
		to.Type = a.vectors[c].Type
		to.Nulls = slices.Clone(from.Nulls)
		switch to.Type.Physical() {
		case rows.PhysInt64:
			to.I64 = slices.Clone(from.I64[:b.N])
		case rows.PhysInt128:
			to.I128 = slices.Clone(from.I128[:b.N])
		case rows.PhysFloat64:
			to.F64 = slices.Clone(from.F64[:b.N])
		case rows.PhysString:
			to.Str = slices.Clone(from.Str[:b.N])
		case rows.PhysInterval:
			to.Ivl = slices.Clone(from.Ivl[:b.N])
		}
	}
	a.batches = append(a.batches, kept)
	a.rows += b.N
}

// join makes columns of the batches that were added.
func (a *answer) join() {
	for c := range a.vectors {
		v := &a.vectors[c]
		switch v.Type.Physical() {
		case rows.PhysInt64:
			v.I64 = joined(a, c, func(v *rows.Vector) []int64 { return v.I64 })
		case rows.PhysInt128:
			v.I128 = joined(a, c, func(v *rows.Vector) []semiring.Int128 { return v.I128 })
		case rows.PhysFloat64:
			v.F64 = joined(a, c, func(v *rows.Vector) []float64 { return v.F64 })
		case rows.PhysString:
			v.Str = joined(a, c, func(v *rows.Vector) []string { return v.Str })
		case rows.PhysInterval:
			v.Ivl = joined(a, c, func(v *rows.Vector) []rows.IntervalValue { return v.Ivl })
		}
		a.nulls[c] = a.joinedNulls(c)
	}
	a.batches = nil
}

// joined is column c of all batches.
func joined[T any](a *answer, c int, values func(*rows.Vector) []T) []T {
	out := make([]T, 0, a.rows)
	for i := range a.batches {
		out = append(out, values(&a.batches[i].Cols[c])...)
	}
	return out
}

// joinedNulls are the rows at which column c is NULL; nil: there are none.
func (a *answer) joinedNulls(c int) []bool {
	var out []bool
	at := 0
	for i := range a.batches {
		b := &a.batches[i]
		if v := &b.Cols[c]; v.Nulls != nil {
			out = append(out, make([]bool, at-len(out))...)
			for i := range b.N {
				out = append(out, v.IsNull(i))
			}
		}
		at += b.N
	}
	return out
}

func (a *answer) isNull(c, i int) bool { return i < len(a.nulls[c]) && a.nulls[c][i] }

// cell is the text of a value; of floats with all their digits.
func (a *answer) cell(c, i int) string {
	v := &a.vectors[c]
	if a.isNull(c, i) {
		return "NULL"
	}
	switch v.Type.Physical() {
	case rows.PhysInt64:
		return scaled(semiring.FromInt64(v.I64[i]), v.Type)
	case rows.PhysInt128:
		return scaled(v.I128[i], v.Type)
	case rows.PhysFloat64:
		return strconv.FormatFloat(v.F64[i], 'g', -1, 64)
	case rows.PhysString:
		return v.Str[i]
	case rows.PhysInterval:
		return fmt.Sprint(v.Ivl[i])
	}
	panic(invariant.Failed("bench: physical type %d", v.Type.Physical()))
}

// scaled is an exact number with its decimal point.
func scaled(n semiring.Int128, t rows.Type) string {
	digits := n.String()
	if t.ID != rows.Decimal || t.Scale == 0 {
		return digits
	}
	digits, negative := strings.CutPrefix(digits, "-")
	digits = strings.Repeat("0", max(0, int(t.Scale)+1-len(digits))) + digits
	at := len(digits) - int(t.Scale)
	text := digits[:at] + "." + digits[at:]
	if negative {
		return "-" + text
	}
	return text
}

// scalar is the text of the only cell.
func (a *answer) scalar() (text string, ok bool) {
	if a.rows != 1 || len(a.columns) != 1 {
		return "", false
	}
	return a.cell(0, 0), true
}

// String is the only cell, or the number of rows.
func (a *answer) String() string {
	if text, ok := a.scalar(); ok {
		return text
	}
	return fmt.Sprintf("%d rows", a.rows)
}

// diff says how got differs from a: other types, other rows as a multiset, or
// floats that are further apart than toleranceRel; "" when it does not.
func (a *answer) diff(got *answer) string { return a.diffWithin(got, toleranceRel) }

func (a *answer) diffWithin(got *answer, tolerance float64) string {
	if w, g := a.typeNames(), got.typeNames(); !slices.Equal(w, g) {
		return fmt.Sprintf("columns %v, want %v", g, w)
	}
	if a.rows != got.rows {
		return fmt.Sprintf("%d rows, want %d", got.rows, a.rows)
	}
	want, have := a.sorted(), got.sorted()
	for i := range want {
		if want[i].exact != have[i].exact || !slices.EqualFunc(want[i].floats, have[i].floats, func(a, b float64) bool { return near(a, b, tolerance) }) {
			return fmt.Sprintf("%s, want %s", have[i], want[i])
		}
	}
	return ""
}

// typeNames are the types that the server has told.
func (a *answer) typeNames() []string {
	if a.types != nil {
		return a.types
	}
	var names []string
	for _, c := range a.columns {
		names = append(names, c.Type.String())
	}
	return names
}

// row is a row in a form that sorts: exact cells and nulls as text, then floats.
type row struct {
	exact  string
	floats []float64
}

func (r row) String() string {
	parts := strings.FieldsFunc(r.exact, func(c rune) bool { return c == 0 })
	for _, f := range r.floats {
		parts = append(parts, strconv.FormatFloat(f, 'g', -1, 64))
	}
	return strings.Join(parts, "|")
}

// sorted orders rows by exact cells first, so that floats that differ within the
// tolerance do not pull apart rows that belong together.
func (a *answer) sorted() []row {
	out := make([]row, a.rows)
	var text []byte
	for i := range out {
		text = text[:0]
		for c := range a.columns {
			if a.columns[c].Type.IsFloat() && !a.isNull(c, i) {
				out[i].floats = append(out[i].floats, a.vectors[c].F64[i])
				text = append(text, 0)
				continue
			}
			text = append(append(text, a.cell(c, i)...), 0)
		}
		out[i].exact = string(text)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].exact != out[j].exact {
			return out[i].exact < out[j].exact
		}
		return slices.Compare(out[i].floats, out[j].floats) < 0
	})
	return out
}

func near(a, b, tolerance float64) bool {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return true
	}
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}
