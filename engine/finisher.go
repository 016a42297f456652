package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

// finishRowsMax is the number of rows of a relation up to which a finish is tried
// without DuckDB, which takes some 0.5 ms to be given a relation and asked a
// statement, however small they are (BenchmarkFinish).
const finishRowsMax = 2048

// finisher does what is left to do on a relation: HAVING, arithmetic on DOUBLE, and, of
// few rows, ORDER BY and LIMIT. It knows those expressions, and of them those
// values, of which it is certain that DuckDB gives the same to the last bit, and exp of
// sums, which have no certain last bit; all else is DuckDB's.
type finisher struct {
	columns []rows.Column
	aggs    []*sqlfront.AggCall
	groups  int // relation columns before those of the aggregates
	number  int // relation column that must be above 0; negative: none
	items   []finishItem
	having  []finishTest
	order   []finishOrder
	limit   int // negative: all
	offset  int
}

// finishItem is a column of the result or of the order: one of the relation's, or
// computed.
type finishItem struct {
	column int
	value  finishNumber // nil: column
}

type finishOrder struct {
	finishItem
	desc, nullsFirst bool
}

// newFinisher returns nil where a finish is more than a finisher knows.
func newFinisher(f *translate.Finish) *finisher {
	q := f.Query
	if q == nil {
		return nil
	}
	c := &finisher{columns: f.Columns, aggs: q.Aggs, groups: len(q.GroupBy), number: f.Number, limit: -1}
	if f.Number >= 0 {
		c.number += c.groups
	}
	ok := c.bound(&c.limit, q.Limit) && c.bound(&c.offset, q.Offset) && c.tests(q.Having)
	for i, it := range q.Select {
		item, known := c.item(it.Expr)
		ok = ok && known && it.Expr.Type() == f.Columns[i].Type
		c.items = append(c.items, item)
	}
	for _, o := range q.OrderBy {
		item, known := c.item(o.Expr)
		ok = ok && known && hasOrder(o.Expr.Type())
		c.order = append(c.order, finishOrder{item, o.Desc, o.NullsFirst})
	}
	if !ok {
		return nil
	}
	return c
}

// bound reads LIMIT or OFFSET, where it is there.
func (f *finisher) bound(to *int, e sqlfront.Expr) bool {
	if e == nil {
		return true
	}
	n, ok := writtenNumber(e)
	if ok {
		*to = n
	}
	return ok
}

// writtenNumber is the value of an integer as it is written in SQL.
func writtenNumber(e sqlfront.Expr) (int, bool) {
	lit, ok := e.(*sqlfront.Literal)
	if !ok || !lit.T.IsInteger() {
		return 0, false
	}
	n, err := strconv.Atoi(lit.SQL)
	return n, err == nil && n >= 0
}

// item compiles an expression of SELECT or ORDER BY.
func (f *finisher) item(e sqlfront.Expr) (finishItem, bool) {
	if c, ok := f.column(e); ok {
		return finishItem{column: c}, true
	}
	value := f.compile(e)
	return finishItem{value: value}, value != nil
}

// column is the relation's column that an expression is.
func (f *finisher) column(e sqlfront.Expr) (int, bool) {
	switch e := e.(type) {
	case *sqlfront.GroupRef:
		return e.N, true
	case *sqlfront.AggRef:
		return f.groups + e.N, true
	}
	return 0, false
}

// hasOrder reports whether values of a type are ordered as they are stored.
func hasOrder(t rows.Type) bool {
	switch t.ID {
	case rows.Varchar, rows.Double, rows.Decimal, rows.Boolean, rows.Date, rows.Timestamp:
		return true
	}
	return t.IsInteger() && t.Physical() != rows.PhysString
}

// finish answers from a relation, which it then closes. Where it does not, out is
// nil and rest has the relation's rows. Where no row depends on the others they are
// finished batch by batch, however many there are; left hands those to DuckDB that come
// from a batch on that it has to finish.
func (f *finisher) finish(ctx context.Context, rel rows.Cursor, left func(context.Context, rows.Cursor) (rows.Cursor, error)) (out, rest rows.Cursor, err error) {
	if len(f.order) == 0 && f.limit < 0 && f.offset == 0 {
		return &finishing{finisher: f, rel: rel, left: left}, nil, nil
	}
	few := newBatch(rel.Columns())
	for few.N <= finishRowsMax {
		b, err := rel.Next(ctx)
		if err != nil {
			return nil, nil, closeAfter(err, rel.Close)
		}
		if b == nil {
			if done := f.rows(few); done != nil {
				return &finished{columns: f.columns, batch: done}, nil, rel.Close()
			}
			break
		}
		for i := range b.N {
			appendTo(few, b, i)
		}
	}
	return nil, &begunCursor{Cursor: rel, first: few, held: true}, nil
}

// errUncertain says that DuckDB has to compute a value.
var errUncertain = errors.New("a value that is left to DuckDB")

// rows are the finished rows of a relation; nil where DuckDB has to finish it.
func (f *finisher) rows(b *rows.Batch) *rows.Batch {
	if f.keepsAll() {
		return f.computed(b)
	}
	kept, err := f.kept(b)
	if err != nil {
		return nil
	}
	if err = f.sort(b, kept); err != nil {
		return nil
	}
	kept = kept[min(f.offset, len(kept)):]
	if f.limit >= 0 {
		kept = kept[:min(f.limit, len(kept))]
	}
	all := f.computed(b)
	if all == nil || len(kept) == b.N && len(f.order) == 0 {
		return all
	}
	out := newBatch(f.columns)
	for _, i := range kept {
		appendTo(out, all, i)
	}
	return out
}

// keepsAll reports whether the result has all rows of the relation, in its order.
func (f *finisher) keepsAll() bool {
	return f.number < 0 && len(f.having) == 0 && len(f.order) == 0 && f.limit < 0 && f.offset == 0
}

// computed are the columns of the result for all rows; nil where DuckDB has to compute
// one.
func (f *finisher) computed(b *rows.Batch) *rows.Batch {
	all := &rows.Batch{N: b.N, Cols: make([]rows.Vector, len(f.items))}
	for i, it := range f.items {
		var err error
		if all.Cols[i], err = it.vector(b, f.columns[i].Type); err != nil {
			return nil
		}
	}
	return all
}

// kept are the rows that HAVING keeps.
func (f *finisher) kept(b *rows.Batch) ([]int, error) {
	tests := make([]func(i int) bool, len(f.having))
	for t, test := range f.having {
		var err error
		if tests[t], err = test(b); err != nil {
			return nil, err
		}
	}
	out := make([]int, 0, b.N)
	for i := range b.N {
		keep := f.number < 0 || !b.Cols[f.number].IsNull(i) && !isZero(&b.Cols[f.number], i)
		for _, holds := range tests {
			keep = keep && holds(i)
		}
		if keep {
			out = append(out, i)
		}
	}
	return out, nil
}

// vector is the item's column for all rows.
func (it *finishItem) vector(b *rows.Batch, t rows.Type) (rows.Vector, error) {
	if it.value == nil {
		return b.Cols[it.column], nil
	}
	x, err := it.value(b)
	if err != nil {
		return rows.Vector{}, err
	}
	// The memory of x may be written again before the rows are read: a finisher that is
	// kept with its statement serves several results.
	out := rows.Vector{Type: t, F64: slices.Clone(x.v)}
	for i, null := range x.null {
		if null {
			out.SetNull(i, b.N)
		}
	}
	return out, nil
}

// sort puts the kept rows in order.
func (f *finisher) sort(b *rows.Batch, kept []int) error {
	if len(f.order) == 0 {
		return nil
	}
	keys := make([]rows.Vector, len(f.order))
	for k := range f.order {
		var err error
		if keys[k], err = f.order[k].vector(b, rows.Type{ID: rows.Double}); err != nil {
			return err
		}
	}
	slices.SortStableFunc(kept, func(i, j int) int {
		for k := range f.order {
			if c := f.order[k].compare(&keys[k], i, j); c != 0 {
				return c
			}
		}
		return 0
	})
	return nil
}

// compare is negative where row i comes before row j.
func (o *finishOrder) compare(v *rows.Vector, i, j int) int {
	switch {
	case v.IsNull(i) && v.IsNull(j):
		return 0
	case v.IsNull(i) || v.IsNull(j):
		if v.IsNull(i) == o.nullsFirst {
			return -1
		}
		return 1
	case o.desc:
		i, j = j, i
	}
	switch v.Type.Physical() {
	case rows.PhysInt64:
		return cmp.Compare(v.I64[i], v.I64[j])
	case rows.PhysInt128:
		return v.I128[i].Cmp(v.I128[j])
	case rows.PhysFloat64:
		return -cmp.Compare(-v.F64[i], -v.F64[j]) // NaN is the greatest
	default:
		return cmp.Compare(v.Str[i], v.Str[j])
	}
}

// finishing is a result that is finished batch by batch.
type finishing struct {
	*finisher
	rel  rows.Cursor
	left func(context.Context, rows.Cursor) (rows.Cursor, error)
	duck bool // rel is what DuckDB made of the rest
}

// Columns returns the statement's columns.
func (f *finishing) Columns() []rows.Column { return f.columns }

// Next returns the next batch that has rows.
func (f *finishing) Next(ctx context.Context) (*rows.Batch, error) {
	for !f.duck {
		b, err := f.rel.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		done := f.rows(b)
		if done == nil {
			if err := f.leave(ctx, b); err != nil {
				return nil, err
			}
			break
		}
		if done.N > 0 {
			return done, nil
		}
	}
	return f.rel.Next(ctx)
}

// leave hands a batch and what follows to DuckDB, which closes the relation.
func (f *finishing) leave(ctx context.Context, b *rows.Batch) error {
	rest := &begunCursor{Cursor: f.rel, first: b, held: true}
	f.rel, f.duck = &finished{columns: f.columns}, true
	cur, err := f.left(ctx, rest)
	if err == nil {
		f.rel = cur
	}
	return err
}

// Close closes what is left.
func (f *finishing) Close() error { return f.rel.Close() }

// finished is a result in memory.
type finished struct {
	columns []rows.Column
	batch   *rows.Batch // nil: delivered
}

// Columns returns the statement's columns.
func (f *finished) Columns() []rows.Column { return f.columns }

// Next returns all rows, then none.
func (f *finished) Next(context.Context) (*rows.Batch, error) {
	b := f.batch
	f.batch = nil
	if b == nil || b.N == 0 {
		return nil, nil
	}
	return b, nil
}

// Close has nothing to close.
func (f *finished) Close() error { return nil }

// wide is an integer of a vector.
func wide(v *rows.Vector, i int) semiring.Int128 {
	if v.I128 != nil {
		return v.I128[i]
	}
	return semiring.FromInt64(v.I64[i])
}
