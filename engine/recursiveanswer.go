package engine

import (
	"context"
	"errors"
	"math/bits"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

// recursionAnswer is the SELECT of a statement that only groups the rows of its one
// recursion by their columns: these are in memory as coordinates, so it is computed
// there and DuckDB is given no relation.
type recursionAnswer struct {
	groups []int       // columns of the recursion, per GROUP BY expression
	types  []rows.Type // of these
	aggs   []recursionAggregate
	scalar bool // no GROUP BY: one row
	finish *finisher
}

// recursionAggregate is an aggregate over a column; of none (-1) it is count(*).
type recursionAggregate struct {
	kind   recursionKind
	column int
	t      rows.Type
}

type recursionKind uint8

const (
	countRows recursionKind = iota
	sumValues
	leastValue
	greatestValue
)

// around analyzes what a statement makes of the rows of its one recursion; nil: DuckDB
// has to.
func (h *hosted) around(ctx context.Context, b *sqlfront.Block, columns []rows.Column) (*recursionAnswer, error) {
	if h.duck.class.Kind != sqlfront.ClassSelect || len(h.cut.Blocks) != 1 || h.duck.desc.Kind == duckbackend.KindMulti {
		return nil, nil
	}
	sel, err := h.analyzedHeld(ctx, h.cut.Around(b, columns))
	if sel == nil || err != nil {
		return nil, err
	}
	return newRecursionAnswer(sel, columns, h.duck.desc.Columns), nil
}

// newRecursionAnswer reads a SELECT whose only source is the rows of a
// recursion; nil: it has another form. columns are those of the recursion, out
// those that the statement has.
func newRecursionAnswer(sel *tensorSelect, columns, out []rows.Column) *recursionAnswer {
	q := sel.query
	if len(q.From) != 1 || !q.From[0].IsTable(sqlfront.WorkingTable) || q.Tree != nil || len(q.Where)+len(q.Anti) > 0 ||
		q.SetOp != sqlfront.NoSetOp || q.Sets != nil || len(q.From[0].Columns) != len(columns) || len(out) != len(sel.desc.Columns) {
		return nil
	}
	for i, c := range out {
		if sel.desc.Columns[i] != c {
			return nil
		}
	}
	a := &recursionAnswer{scalar: !q.Grouped && !q.Distinct}
	if a.scalar != (len(q.GroupBy) == 0) {
		return nil
	}
	for _, e := range q.GroupBy {
		c := column(e, 0)
		if c < 0 || !integral(columns[c].Type) && columns[c].Type.ID != rows.Varchar && columns[c].Type.ID != rows.Date {
			return nil
		}
		a.groups, a.types = append(a.groups, c), append(a.types, e.Type())
	}
	for _, g := range q.Aggs {
		agg, ok := newRecursionAggregate(g, columns)
		if !ok {
			return nil
		}
		a.aggs = append(a.aggs, agg)
	}
	if len(a.groups)+len(a.aggs) == 0 {
		return nil
	}
	a.finish = newFinisher(&translate.Finish{Query: q, Number: -1, Columns: out})
	if a.finish == nil {
		return nil
	}
	return a
}

// newRecursionAggregate reads an aggregate; ok is false where it is another than of
// integers.
func newRecursionAggregate(g *sqlfront.AggCall, columns []rows.Column) (a recursionAggregate, ok bool) {
	if g.Distinct || g.Filter != nil || len(g.Args) > 1 {
		return a, false
	}
	a = recursionAggregate{column: -1, t: g.T}
	if len(g.Args) == 1 {
		if a.column = column(g.Args[0], 0); a.column < 0 {
			return a, false
		}
	}
	if g.Func == "count" {
		return a, g.T.ID == rows.BigInt
	}
	if a.column < 0 || !integral(columns[a.column].Type) {
		return a, false
	}
	switch g.Func {
	case "sum":
		a.kind = sumValues
		return a, g.T.ID == rows.HugeInt
	case "min":
		a.kind = leastValue
	case "max":
		a.kind = greatestValue
	default:
		return a, false
	}
	return a, g.T == columns[a.column].Type
}

// recursionGroups are the groups found so far and the values of their aggregates.
type recursionGroups struct {
	of      *recursionAnswer
	domains []*cache.Domain
	keys    [][]fibers.Coord // per GROUP BY expression, by group
	single  []int32          // of one key: group by coordinate, from 1 on
	refined []map[uint64]int32
	n       int
	values  []recursionValues // per aggregate
	ids     []int32
	decoded []int64
	account *account
}

// recursionValues are those of an aggregate, by group: how many values there are, and
// their sum, or the least or greatest of them.
type recursionValues struct {
	count []int64
	sum   []semiring.Int128
	best  []int64
}

// answer computes the rows of the SELECT from those of a recursion, which it then
// closes; nil: DuckDB has to, and the recursion's rows are as they were.
func (a *recursionAnswer) answer(ctx context.Context, c *stateCursor) (rows.Cursor, error) {
	g := &recursionGroups{of: a, domains: c.domains, account: c.account, values: make([]recursionValues, len(a.aggs))}
	g.keys = make([][]fibers.Coord, len(a.groups))
	g.refined = make([]map[uint64]int32, len(a.groups))
	if a.scalar {
		g.grow()
	}
	for _, part := range c.parts {
		for lo := 0; lo < part.n; lo += entriesPerBatch {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			switch err := g.add(part, lo, min(lo+entriesPerBatch, part.n)); {
			case errors.Is(err, errUncertain), g.n > groupedRowsMax:
				return nil, nil
			case err != nil:
				return nil, lateError(err)
			}
		}
	}
	done := a.finish.rows(g.relation())
	if done == nil {
		return nil, nil
	}
	return &groupedRows{finished: finished{columns: a.finish.columns, batch: done}, release: c.Close}, nil
}

// groupedRows is a result that holds the memory charged for it.
type groupedRows struct {
	finished
	release func() error
}

// Close gives the memory back.
func (r *groupedRows) Close() error { return r.release() }

// groupedRowsMax is the number of groups up to which they are finished in memory: one
// batch, sorted before anybody could miss that it is not interrupted.
const groupedRowsMax = entriesPerBatch

// groupBytes is what a group costs beside its keys and values: its places in maps.
const groupBytes = 48

// add adds the rows from lo to hi of a part.
func (g *recursionGroups) add(part *stateRows, lo, hi int) error {
	had := g.n
	g.identify(part, lo, hi)
	if err := g.account.take(int64(g.n-had) * int64(groupBytes*max(1, len(g.of.groups))+32*len(g.values))); err != nil {
		return err
	}
	for i := range g.values {
		if err := g.aggregate(i, part, lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// grow adds a group.
func (g *recursionGroups) grow() {
	g.n++
	for i := range g.values {
		v := &g.values[i]
		v.count = append(v.count, 0)
		switch g.of.aggs[i].kind {
		case sumValues:
			v.sum = append(v.sum, semiring.Int128{})
		case leastValue, greatestValue:
			v.best = append(v.best, 0)
		}
	}
}

// identify finds the group of every row. That of several columns is found column by
// column: the groups of the columns before, and the coordinate.
func (g *recursionGroups) identify(part *stateRows, lo, hi int) {
	g.ids = g.ids[:0]
	if len(g.keys) == 1 {
		g.identifySingle(part.coords[g.of.groups[0]][lo:hi])
		return
	}
	g.ids = append(g.ids, make([]int32, hi-lo)...)
	for k, c := range g.of.groups {
		if g.refined[k] == nil {
			g.refined[k] = map[uint64]int32{}
		}
		last := k == len(g.of.groups)-1
		for i, x := range part.coords[c][lo:hi] {
			at := uint64(uint32(g.ids[i]))<<32 | uint64(uint32(x))
			id, known := g.refined[k][at]
			if !known {
				id = int32(len(g.refined[k]))
				g.refined[k][at] = id
				if last {
					g.keep(part, lo+i)
				}
			}
			g.ids[i] = id
		}
	}
}

// keep makes a group of the keys of row i.
func (g *recursionGroups) keep(part *stateRows, i int) {
	for k, c := range g.of.groups {
		g.keys[k] = append(g.keys[k], part.coords[c][i])
	}
	g.grow()
}

// identifySingle finds the groups of one column.
func (g *recursionGroups) identifySingle(coords []fibers.Coord) {
	for _, x := range coords {
		if int(x) >= len(g.single) {
			g.single = append(g.single, make([]int32, int(x)+1+int(x)/4-len(g.single))...)
		}
		if g.single[x] == 0 {
			g.keys[0] = append(g.keys[0], x)
			g.grow()
			g.single[x] = int32(g.n)
		}
		g.ids = append(g.ids, g.single[x]-1)
	}
}

// aggregate adds rows to the values of one aggregate.
func (g *recursionGroups) aggregate(nth int, part *stateRows, lo, hi int) error {
	a, v := &g.of.aggs[nth], &g.values[nth]
	null := fibers.Coord(-1)
	var coords []fibers.Coord
	if a.column >= 0 {
		coords = part.coords[a.column][lo:hi]
		d := g.domains[a.column].Values()
		if x, ok := d.Null(); ok {
			null = x
		}
		if a.kind != countRows {
			g.decoded = append(g.decoded[:0], make([]int64, hi-lo)...)
			d.DecodeInt64(coords, g.decoded)
		}
	}
	if a.kind == countRows && null < 0 && part.times == nil && g.of.scalar {
		v.count[0] += int64(hi - lo)
		return nil
	}
	for i := range hi - lo {
		if coords != nil && coords[i] == null {
			continue
		}
		to := int32(0)
		if !g.of.scalar {
			to = g.ids[i]
		}
		times := part.occurrences(lo + i)
		v.count[to] += times
		switch a.kind {
		case sumValues:
			if !v.addTo(to, g.decoded[i], times) {
				return errUncertain
			}
		case leastValue:
			if v.count[to] == times || g.decoded[i] < v.best[to] {
				v.best[to] = g.decoded[i]
			}
		case greatestValue:
			if v.count[to] == times || g.decoded[i] > v.best[to] {
				v.best[to] = g.decoded[i]
			}
		}
	}
	return nil
}

// addTo adds a value so many times to a sum; ok is false where it has more than 128
// bits.
func (v *recursionValues) addTo(to int32, x, times int64) (ok bool) {
	s := &v.sum[to]
	if times == 1 { // of at most 2^63 values of 64 bits
		lo, carry := bits.Add64(s.Lo, uint64(x), 0)
		s.Lo, s.Hi = lo, s.Hi+x>>63+int64(carry)
		return true
	}
	product, ok := semiring.FromInt64(x).Mul(semiring.FromInt64(times))
	if ok {
		*s, ok = s.Add(product)
	}
	return ok
}

// relation is the groups with their aggregates, as a finisher takes them.
func (g *recursionGroups) relation() *rows.Batch {
	b := &rows.Batch{N: g.n}
	for k, c := range g.of.groups {
		var v rows.Vector
		decode(g.domains[c].Values(), g.keys[k], &v)
		v.Type = g.of.types[k]
		b.Cols = append(b.Cols, v)
	}
	for i, a := range g.of.aggs {
		v, have := rows.Vector{Type: a.t}, &g.values[i]
		switch a.kind {
		case countRows:
			v.I64 = have.count
		case sumValues:
			v.I128 = have.sum
		case leastValue, greatestValue:
			v.I64 = have.best
		}
		for to, n := range have.count {
			if n == 0 && a.kind != countRows {
				v.SetNull(to, g.n)
			}
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}
