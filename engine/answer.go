package engine

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/translate"
)

// answer turns the result of a plan (one row per entry: key columns, then leaf
// columns) into the relation of GROUP BY expressions and aggregates.
type answer struct {
	src     rows.Cursor // the keys of the answer's query in order, then its leaves
	tr      *translate.Result
	leaves  map[string]int // leaf name -> column of src
	dicts   func(translate.LeafRef) []string
	columns []rows.Column
	started bool
	done    bool
	batch   rows.Batch
	own     []rows.Vector // per aggregate, room for values that are computed
}

// newAnswer prepares the relation. dicts returns the strings that a MIN or MAX
// leaf ranks; nil where such leaves are strings themselves.
func newAnswer(src rows.Cursor, tr *translate.Result, dicts func(translate.LeafRef) []string) *answer {
	a := &answer{src: src, tr: tr, leaves: map[string]int{}, dicts: dicts, own: make([]rows.Vector, len(tr.Aggs))}
	for i, l := range tr.Answer().Leaves {
		a.leaves[l.Name] = len(tr.Keys) + i
	}
	for i, g := range tr.Groups {
		a.columns = append(a.columns, rows.Column{Name: relationColumn('k', i), Type: g.Type})
	}
	for i, g := range tr.Aggs {
		a.columns = append(a.columns, rows.Column{Name: relationColumn('a', i), Type: g.Type})
	}
	if len(a.columns) == 0 { // SELECT of constants over groups cannot occur, but DuckDB needs a column
		a.columns = append(a.columns, rows.Column{Name: "k0", Type: rows.Type{ID: rows.Boolean}})
	}
	return a
}

// relations are the answers of a program over their entries.
func relations(entries []rows.Cursor, tr *translate.Result, dicts func(translate.LeafRef) []string) []rows.Cursor {
	out := make([]rows.Cursor, len(entries))
	for i, a := range tr.Answers() {
		out[i] = newAnswer(entries[i], a, dicts)
	}
	return out
}

func relationColumn(kind byte, i int) string {
	return string(kind) + new(big.Int).SetInt64(int64(i)).String()
}

// Columns returns k0.. and a0...
func (a *answer) Columns() []rows.Column { return a.columns }

// Close closes the plan's cursor.
func (a *answer) Close() error { return a.src.Close() }

// Next converts one batch of entries. A query without GROUP BY has its one row
// also when there is no entry: counts 0, all else NULL.
func (a *answer) Next(ctx context.Context) (*rows.Batch, error) {
	if a.done {
		return nil, nil
	}
	in, err := a.src.Next(ctx)
	if err != nil {
		return nil, err
	}
	if in == nil {
		a.done = true
		if a.started || !a.tr.Scalar {
			return nil, nil
		}
		return a.emptyRow(), nil
	}
	a.started = true
	if a.batch.Cols == nil {
		a.batch.Cols = make([]rows.Vector, len(a.columns))
	}
	a.batch.N = in.N
	for i, g := range a.tr.Groups {
		v := in.Cols[g.Key]
		v.Type = g.Type
		a.batch.Cols[i] = v
	}
	for i := range a.tr.Aggs {
		v, err := a.aggregate(i, in)
		if err != nil {
			return nil, err
		}
		a.batch.Cols[len(a.tr.Groups)+i] = v
	}
	if len(a.tr.Groups)+len(a.tr.Aggs) == 0 {
		a.batch.Cols[0] = rows.Vector{Type: a.columns[0].Type, I64: make([]int64, in.N)}
	}
	return &a.batch, nil
}

func (a *answer) emptyRow() *rows.Batch {
	b := &rows.Batch{N: 1}
	for _, g := range a.tr.Aggs {
		v := newVector(g.Type, 1)
		if g.Func != translate.CountValue {
			v.SetNull(0, 1)
		}
		b.Cols = append(b.Cols, v)
	}
	if len(b.Cols) == 0 {
		b.Cols = append(b.Cols, newVector(a.columns[0].Type, 1))
	}
	return b
}

// newVector makes a vector of n zero values.
func newVector(t rows.Type, n int) rows.Vector {
	v := rows.Vector{Type: t}
	switch t.Physical() {
	case rows.PhysInt64:
		v.I64 = make([]int64, n)
	case rows.PhysInt128:
		v.I128 = make([]semiring.Int128, n)
	case rows.PhysFloat64:
		v.F64 = make([]float64, n)
	case rows.PhysString:
		v.Str = make([]string, n)
	case rows.PhysInterval:
		v.Ivl = make([]rows.IntervalValue, n)
	}
	return v
}

// vectorOn is newVector on the memory of another vector of that type, with
// arbitrary values.
func vectorOn(room *rows.Vector, t rows.Type, n int) rows.Vector {
	if max(cap(room.I64), cap(room.I128), cap(room.F64), cap(room.Str), cap(room.Ivl)) < n {
		return newVector(t, n)
	}
	v := rows.Vector{Type: t}
	switch t.Physical() {
	case rows.PhysInt64:
		v.I64 = room.I64[:n]
	case rows.PhysInt128:
		v.I128 = room.I128[:n]
	case rows.PhysFloat64:
		v.F64 = room.F64[:n]
	case rows.PhysString:
		v.Str = room.Str[:n]
	case rows.PhysInterval:
		v.Ivl = room.Ivl[:n]
	}
	return v
}

// aggregate computes one aggregate's column: a leaf as it is, or value by value.
func (a *answer) aggregate(nth int, in *rows.Batch) (rows.Vector, error) {
	g := &a.tr.Aggs[nth]
	if g.Func == translate.MomentsValue {
		return a.moments(nth, in), nil
	}
	val := &in.Cols[a.leaves[g.Value]]
	var valid *rows.Vector
	if g.Valid != "" {
		valid = &in.Cols[a.leaves[g.Valid]]
	}
	var dict []string
	if g.Dict != nil && a.dicts != nil {
		dict = a.dicts(*g.Dict)
	}
	if out, ok := asStored(g, val); ok && dict == nil {
		out.Nulls = zeroRows(valid, in.N)
		return out, nil
	}
	a.own[nth] = vectorOn(&a.own[nth], g.Type, in.N)
	out := a.own[nth]
	for i := range in.N {
		if valid != nil && isZero(valid, i) {
			out.SetNull(i, in.N)
			continue
		}
		var err error
		switch {
		case g.Func == translate.AvgValue:
			out.F64[i] = average(val, valid, i, g.Scale)
		case dict != nil:
			out.Str[i] = dict[val.I64[i]]
		case out.Type.Physical() == rows.PhysString:
			out.Str[i] = val.Str[i]
		case out.Type.Physical() == rows.PhysFloat64:
			out.F64[i] = asFloat(val, i, g.Scale)
		default:
			err = storeExact(&out, i, asInt128(val, i), g)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// asStored is a leaf's column under an aggregate's type, where its values are the
// aggregate's already. They are shared, not copied.
func asStored(g *translate.Agg, val *rows.Vector) (rows.Vector, bool) {
	out := rows.Vector{Type: g.Type}
	exact := g.Scale == int(g.Type.Scale)
	switch p := g.Type.Physical(); {
	case g.Func == translate.AvgValue:
		return out, false
	case p == rows.PhysFloat64 && val.F64 != nil:
		out.F64 = val.F64
		if g.Func == translate.SumValue {
			out.F64 = unsignedZeros(val.F64)
		}
	case p == rows.PhysInt64 && exact && val.I64 != nil:
		out.I64 = val.I64
	case p == rows.PhysInt128 && exact && val.I128 != nil:
		out.I128 = val.I128
	case p == rows.PhysString && val.Str != nil:
		out.Str = val.Str
	default:
		return out, false
	}
	return out, true
}

// unsignedZeros is a column of sums as DuckDB has them: it adds to 0, and no -0 makes
// that negative. A product of sums may be -0.
func unsignedZeros(sums []float64) []float64 {
	const minusZero = 1 << 63
	for i, x := range sums {
		if math.Float64bits(x) != minusZero {
			continue
		}
		out := slices.Clone(sums)
		for ; i < len(out); i++ {
			if out[i] == 0 {
				out[i] = 0
			}
		}
		return out
	}
	return sums
}

// zeroRows are the rows of a column that are zero, as a vector's Nulls; nil where
// none is, or without a column.
func zeroRows(v *rows.Vector, n int) []uint64 {
	var out rows.Vector
	if v == nil {
		return nil
	}
	if v.I64 != nil && v.Nulls == nil {
		for i, x := range v.I64[:n] {
			if x == 0 {
				out.SetNull(i, n)
			}
		}
		return out.Nulls
	}
	for i := range n {
		if isZero(v, i) {
			out.SetNull(i, n)
		}
	}
	return out.Nulls
}

func isZero(v *rows.Vector, i int) bool {
	if v.IsNull(i) {
		return true
	}
	if v.I128 != nil {
		return v.I128[i].Sign() == 0
	}
	if v.F64 != nil {
		return v.F64[i] == 0
	}
	return v.I64[i] == 0
}

func asInt128(v *rows.Vector, i int) semiring.Int128 {
	if v.I128 != nil {
		return v.I128[i]
	}
	invariant.Check(v.I64 != nil, "engine: an exact aggregate over a %s leaf", v.Type)
	return semiring.FromInt64(v.I64[i])
}

// asFloat reads a leaf as DOUBLE; an exact one has scale digits after the point.
func asFloat(v *rows.Vector, i, scale int) float64 {
	if v.F64 != nil {
		return v.F64[i]
	}
	return quotient(asInt128(v, i), semiring.FromInt64(1), scale)
}

// storeExact stores an exact value in the aggregate's type; what does not fit
// is 22003.
func storeExact(out *rows.Vector, i int, x semiring.Int128, g *translate.Agg) error {
	for s := g.Scale; s < int(g.Type.Scale); s++ {
		var ok bool
		if x, ok = x.Mul(semiring.FromInt64(10)); !ok {
			return outOfRange(g.Type)
		}
	}
	invariant.Check(g.Type.ID != rows.Decimal || g.Scale <= int(g.Type.Scale), "engine: scale %d for %s", g.Scale, g.Type)
	if out.I128 != nil {
		out.I128[i] = x
		return nil
	}
	v, ok := x.Int64()
	if !ok {
		return outOfRange(g.Type)
	}
	out.I64[i] = v
	return nil
}

func outOfRange(t rows.Type) error {
	return sqlerr.New(sqlerr.NumericOutOfRange, "aggregate out of range for type %s", t).
		WithHint("Cast the argument to DOUBLE to get an approximate value.")
}

// average is sum over count as DuckDB gives it (see quotient).
func average(sum, count *rows.Vector, i, scale int) float64 {
	n := asInt128(count, i)
	if sum.F64 != nil {
		if sum.F64[i] == 0 {
			return 0 / n.Float64() // of -0 as well, as in unsignedZeros
		}
		return sum.F64[i] / n.Float64()
	}
	return quotient(asInt128(sum, i), n, scale)
}

const (
	// exactFloat is the largest magnitude below which every integer is a float64.
	exactFloat = 1 << 53
	// extendedBits is the precision of x86's long double, in which DuckDB divides.
	extendedBits = 64
	// tieSlack is the distance from a tie, relative to half a unit in the last
	// place, within which rounding to extendedBits first may change the result.
	tieSlack = 1.0 / 512
)

// quotient returns x / (n * 10^scale), rounded to extendedBits and then to a
// float64, which is DuckDB's AVG. The two roundings differ from one only where
// the first lands on a tie, so most quotients are one division.
func quotient(x, n semiring.Int128, scale int) float64 {
	a, okA := x.Int64()
	b, okB := n.Int64()
	den := float64(b) * math.Pow10(scale)
	if okA && okB && a > -exactFloat && a < exactFloat && den < exactFloat {
		q := float64(a) / den
		rest := math.Abs(math.FMA(-q, den, float64(a)))
		half := (math.Nextafter(math.Abs(q), math.Inf(1)) - math.Abs(q)) / 2 * den
		if math.Abs(rest-half) > half*tieSlack {
			return q
		}
	}
	extended := func() *big.Float { return new(big.Float).SetPrec(extendedBits) }
	den10 := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	d := extended().SetInt(den10.Mul(den10, n.Big()))
	f, _ := extended().Quo(extended().SetInt(x.Big()), d).Float64()
	return f
}

// projection is a cursor that selects columns of another.
type projection struct {
	rows.Cursor
	pick    []int
	columns []rows.Column
	batch   rows.Batch
}

// Columns returns the statement's columns.
func (p *projection) Columns() []rows.Column { return p.columns }

// Next selects the columns of the next batch.
func (p *projection) Next(ctx context.Context) (*rows.Batch, error) {
	in, err := p.Cursor.Next(ctx)
	if in == nil || err != nil {
		return nil, err
	}
	if p.batch.Cols == nil {
		p.batch.Cols = make([]rows.Vector, len(p.pick))
	}
	p.batch.N = in.N
	for i, c := range p.pick {
		p.batch.Cols[i] = in.Cols[c]
	}
	return &p.batch, nil
}
