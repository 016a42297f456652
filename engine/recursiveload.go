package engine

import (
	"context"

	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// stateLoad makes an input of a recursion's step from the rows found last, which
// stay in memory.
type stateLoad struct {
	spec    *load.Spec
	domains []*cache.Domain
	keys    []*stateExpr // per key of the spec
	leaves  []*stateExpr // per leaf; nil for the number of rows
	where   *stateExpr   // nil: all rows
	all     bool         // of all rows so far, not of those found last
}

// newStateLoad reads the expressions of a load; nil: some cannot be evaluated in
// memory. distinct says that no row occurs several times.
func newStateLoad(spec *load.Spec, columns []rows.Column, distinct bool) *stateLoad {
	l := &stateLoad{spec: spec, leaves: make([]*stateExpr, len(spec.Leaves))}
	if spec.UsesParams() {
		return nil
	}
	for _, k := range spec.Keys {
		e := parseState(k.Expr, columns)
		if k.RowIndex || e == nil || e.t != k.Type {
			return nil
		}
		l.keys = append(l.keys, e)
	}
	for i, f := range spec.Leaves {
		if f.Moment == load.Rows {
			continue
		}
		e := parseState(f.Expr, columns)
		integer := f.Type == stateInteger || f.Type == stateBigInt
		double := f.Type == stateDouble && (f.Moment == load.Min || f.Moment == load.Max)
		if e == nil || f.Moment != load.Count && (e.t != f.Type || !integer && !double) || f.Moment == load.Sum && !distinct {
			return nil
		}
		l.leaves[i] = e
	}
	if spec.Where != "" {
		if l.where = parseState(spec.Where, columns); l.where == nil || l.where.t != stateBoolean {
			return nil
		}
	}
	return l
}

// plain is the column that key k is, if it is one whose coordinates it shares.
func (l *stateLoad) plain(k int, domains []*cache.Domain) (column int, ok bool) {
	e := l.keys[k]
	return e.col, e.op == "column" && domains[e.col] == l.domains[k]
}

// stateView is rows of a recursion with their values, decoded where needed.
type stateView struct {
	*stateRows
	domains []*cache.Domain
	columns []stateColumn
	done    []bool
	nulls   []fibers.Coord // per key column, that of NULL; -1: none. nil: not asked yet
}

// column decodes a column of integers or doubles.
func (v *stateView) column(c int) stateColumn {
	if v.columns == nil {
		v.columns, v.done = make([]stateColumn, len(v.coords)), make([]bool, len(v.coords))
	}
	if v.done[c] {
		return v.columns[c]
	}
	d := v.domains[c].Values()
	out := &v.columns[c]
	v.done[c] = true
	null, hasNull := d.Null()
	out.values = make([]int64, v.n)
	switch d.Kind() {
	case fibers.Int64Values:
		d.DecodeInt64(v.coords[c], out.values)
	case fibers.Float64Values:
		doubles := make([]float64, v.n)
		d.DecodeFloat64(v.coords[c], doubles)
		for i, x := range doubles {
			out.values[i] = rankOf(x)
		}
	default: // only asked whether it is NULL
	}
	if hasNull {
		for i, x := range v.coords[c] {
			if x == null {
				out.setNull(i, v.n)
			}
		}
	}
	return *out
}

// base makes the tensor of the rows. It fails with errStateExpr where DuckDB
// raises an error.
func (l *stateLoad) base(ctx context.Context, v *stateView, workers int) (*cache.Base, error) {
	r, err := l.rows(v)
	if err != nil {
		return nil, err
	}
	return cache.State(ctx, l.spec, l.domains, r.n, r.coords, r.leaves, r.times, workers)
}

// loadRows are rows of a recursion as a load takes them: those that it keeps, with
// their coordinates and values.
type loadRows struct {
	n      int
	coords [][]fibers.Coord
	leaves []cache.StateLeaf
	times  []int64
}

// rows evaluates the load's expressions. It fails with errStateExpr where DuckDB
// raises an error.
func (l *stateLoad) rows(v *stateView) (*loadRows, error) {
	out := &loadRows{n: v.n, coords: make([][]fibers.Coord, len(l.keys)), leaves: make([]cache.StateLeaf, len(l.leaves)), times: v.times}
	keep, err := l.kept(v)
	if err != nil {
		return nil, err
	}
	for k := range l.keys {
		if out.coords[k], err = l.key(v, k); err != nil {
			return nil, err
		}
		if l.spec.Keys[k].Null == load.DropNull {
			keep = notNull(keep, out.coords[k], l.domains[k].Values())
		}
	}
	for i, e := range l.leaves {
		if e == nil {
			continue
		}
		c, err := e.eval(v.n, v.column)
		if err != nil {
			return nil, err
		}
		leaf := cache.StateLeaf{Values: pick(c.values, keep), Nulls: pick(c.nulls, keep)}
		if l.spec.Leaves[i].Type == stateDouble && l.spec.Leaves[i].Moment != load.Count {
			leaf = cache.StateLeaf{Doubles: make([]float64, len(leaf.Values)), Nulls: leaf.Nulls}
			for r, x := range pick(c.values, keep) {
				leaf.Doubles[r] = ofRank(x)
			}
		}
		out.leaves[i] = leaf
	}
	if keep != nil {
		out.n, out.times = len(keep), pick(v.times, keep)
	}
	for k := range out.coords {
		out.coords[k] = pick(out.coords[k], keep)
	}
	return out, nil
}

// kept lists the rows that the predicate keeps; nil: all.
func (l *stateLoad) kept(v *stateView) ([]int32, error) {
	if l.where == nil {
		return nil, nil
	}
	c, err := l.where.eval(v.n, v.column)
	if err != nil {
		return nil, err
	}
	keep := make([]int32, 0, v.n)
	for i, x := range c.values {
		if x != 0 && !c.null(i) {
			keep = append(keep, int32(i))
		}
	}
	if len(keep) == v.n {
		return nil, nil
	}
	return keep, nil
}

// key is the coordinates of a key, of all rows.
func (l *stateLoad) key(v *stateView, k int) ([]fibers.Coord, error) {
	if c, ok := l.plain(k, v.domains); ok {
		return v.coords[c], nil
	}
	c, err := l.keys[k].eval(v.n, v.column)
	if err != nil {
		return nil, err
	}
	vec := rows.Vector{Type: l.keys[k].t, I64: c.values}
	if c.nulls != nil {
		for i, null := range c.nulls {
			if null {
				vec.SetNull(i, v.n)
			}
		}
	}
	out := make([]fibers.Coord, v.n)
	return out, cache.Encode(prepared(l.domains[k], &vec, v.n), &vec, v.n, out)
}

// notNull drops the rows without a value from those kept.
func notNull(keep []int32, coords []fibers.Coord, d *fibers.Domain) []int32 {
	null, ok := d.Null()
	if !ok {
		return keep
	}
	if keep != nil {
		out := keep[:0]
		for _, i := range keep {
			if coords[i] != null {
				out = append(out, i)
			}
		}
		return out
	}
	keep = make([]int32, 0, len(coords))
	for i, x := range coords {
		if x != null {
			keep = append(keep, int32(i))
		}
	}
	return keep
}

// pick is the values of the rows kept; all where keep is nil.
func pick[T any](values []T, keep []int32) []T {
	if keep == nil || values == nil {
		return values
	}
	out := make([]T, len(keep))
	for e, i := range keep {
		out[e] = values[i]
	}
	return out
}

// stateWindow is how many integers beyond those that a recursion begins with get
// coordinates at once: levels and distances count up.
const stateWindow = 1 << 10

// prepared is a domain with a representation, made for the values given where it
// has none.
func prepared(d *cache.Domain, v *rows.Vector, n int) *fibers.Domain {
	if have := d.Values(); have != nil {
		return have
	}
	hint := fibers.DomainHint{Rows: n}
	for i, x := range v.I64[:min(n, len(v.I64))] {
		switch {
		case v.IsNull(i):
		case !hint.HasRange:
			hint.HasRange, hint.Min, hint.Max = true, x, x
		default:
			hint.Min, hint.Max = min(hint.Min, x), max(hint.Max, x)
		}
	}
	if hint.HasRange && hint.Max < 1<<62 {
		hint.Max += stateWindow
	}
	return d.Prepare(hint)
}
