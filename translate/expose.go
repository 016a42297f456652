package translate

import (
	"fmt"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// inlinable reports whether a derived table's block can be a query of the same
// program: nothing cuts its rows, and every row has an entry in its tensor. A
// block without GROUP BY has a row even where its tensor has no entry.
func inlinable(q *sqlfront.Query) bool {
	return q.Limit == nil && q.Offset == nil && (q.Grouped || q.Distinct)
}

// expose returns a block whose inlined derived tables have plain columns: their
// groups, then their aggregates. What a derived table computes from these is put
// where it is used, and its HAVING becomes a condition of the block that reads
// it: a group that fails is no row there. inners holds the derived tables'
// blocks by source (nil: not inlined) and is given their plain form.
func expose(q *sqlfront.Query, inners []*sqlfront.Query) (*sqlfront.Query, error) {
	x := &exposer{given: make([]*sqlfront.Query, len(inners)), quotient: -1}
	copy(x.given, inners)
	out := *q
	out.From = append([]sqlfront.Source{}, q.From...)
	out.Where, out.GroupBy = x.all(q.Where), x.all(q.GroupBy)
	for i, inner := range x.given {
		if inner == nil {
			continue
		}
		inners[i] = plainColumns(inner)
		out.From[i].Query = inners[i]
		if inner.Having != nil {
			out.Where = append(out.Where, x.column(i, inner.Having))
		}
	}
	out.Anti = make([]sqlfront.Anti, len(q.Anti))
	for i, a := range q.Anti {
		out.Anti[i] = sqlfront.Anti{Query: a.Query, Keys: x.all(a.Keys), NullSafe: a.NullSafe}
	}
	out.Aggs = make([]*sqlfront.AggCall, len(q.Aggs))
	for i, call := range q.Aggs {
		c := *call
		c.Args = x.all(call.Args)
		if call.Filter != nil {
			c.Filter = x.all([]sqlfront.Expr{call.Filter})[0]
		}
		out.Aggs[i] = &c
	}
	if x.quotient >= 0 {
		return nil, &needRelation{source: x.quotient}
	}
	return &out, nil
}

type exposer struct {
	given []*sqlfront.Query
	// quotient is a derived table of which a variance or the like is read: the
	// engine makes it of several leaves, so that the table must be executed on its
	// own; negative: none.
	quotient int
}

func (x *exposer) all(es []sqlfront.Expr) []sqlfront.Expr {
	out := make([]sqlfront.Expr, len(es))
	for i, e := range es {
		out[i] = mapColumns(e, func(c *sqlfront.ColumnRef) sqlfront.Expr {
			if inner := x.given[c.Source]; inner != nil {
				return x.column(c.Source, inner.Select[c.Column].Expr)
			}
			return c
		})
	}
	return out
}

// column is an expression over a derived table's groups and aggregates as one
// over its plain columns.
func (x *exposer) column(src int, e sqlfront.Expr) sqlfront.Expr {
	inner := x.given[src]
	switch e.(type) {
	case *sqlfront.Literal, *sqlfront.Param:
		return &sqlfront.Cast{Arg: e, T: e.Type()} // a column's type does not follow its context
	}
	return mapLeaves(e, func(e sqlfront.Expr) sqlfront.Expr {
		switch e := e.(type) {
		case *sqlfront.GroupRef:
			return plainColumn(src, e.N, "g", e.N, e.T)
		case *sqlfront.AggRef:
			if call := inner.Aggs[e.N]; ofMoments(call) {
				x.quotient = src
			}
			return plainColumn(src, len(inner.GroupBy)+e.N, "a", e.N, e.T)
		}
		return e
	})
}

func plainColumn(src, column int, kind string, n int, t rows.Type) *sqlfront.ColumnRef {
	return &sqlfront.ColumnRef{Source: src, Column: column, Name: fmt.Sprintf("%s%d", kind, n), T: t}
}

// plainColumns is a block that selects its groups, then its aggregates, and
// keeps all groups.
func plainColumns(q *sqlfront.Query) *sqlfront.Query {
	out := *q
	out.Having, out.OrderBy, out.Select = nil, nil, nil
	for n, g := range q.GroupBy {
		out.Select = append(out.Select, sqlfront.SelectItem{Expr: &sqlfront.GroupRef{N: n, T: g.Type()}})
	}
	for n, a := range q.Aggs {
		out.Select = append(out.Select, sqlfront.SelectItem{Expr: &sqlfront.AggRef{N: n, T: a.T}})
	}
	out.Where = append([]sqlfront.Expr{}, q.Where...)
	out.GroupBy = append([]sqlfront.Expr{}, q.GroupBy...)
	out.Aggs = append([]*sqlfront.AggCall{}, q.Aggs...)
	return &out
}

// innerAggregate adds an aggregate to a derived table in plain form, unless it
// has it, and returns its column.
func innerAggregate(src int, inner *sqlfront.Query, call *sqlfront.AggCall) *sqlfront.ColumnRef {
	for column, it := range inner.Select {
		ref, ok := it.Expr.(*sqlfront.AggRef)
		if ok && sameCall(inner.Aggs[ref.N], call) {
			return plainColumn(src, column, "a", ref.N, call.T)
		}
	}
	n := len(inner.Aggs)
	inner.Aggs = append(inner.Aggs, call)
	inner.Select = append(inner.Select, sqlfront.SelectItem{Expr: &sqlfront.AggRef{N: n, T: call.T}})
	return plainColumn(src, len(inner.Select)-1, "a", n, call.T)
}

func sameCall(a, b *sqlfront.AggCall) bool {
	if a.Func != b.Func || a.Distinct || a.Filter != nil || len(a.Args) != len(b.Args) {
		return false
	}
	for i := range a.Args {
		if sourceSQL(a.Args[i]) != sourceSQL(b.Args[i]) {
			return false
		}
	}
	return true
}

// innerGroup adds a group to a derived table in plain form and returns its
// column. The expression must depend on its other groups only, so that there
// are no more groups than before.
func innerGroup(src int, inner *sqlfront.Query, e sqlfront.Expr) *sqlfront.ColumnRef {
	for column, it := range inner.Select {
		ref, ok := it.Expr.(*sqlfront.GroupRef)
		if ok && sourceSQL(inner.GroupBy[ref.N]) == sourceSQL(e) {
			return plainColumn(src, column, "g", ref.N, e.Type())
		}
	}
	n := len(inner.GroupBy)
	inner.GroupBy = append(inner.GroupBy, e)
	inner.Select = append(inner.Select, sqlfront.SelectItem{Expr: &sqlfront.GroupRef{N: n, T: e.Type()}})
	return plainColumn(src, len(inner.Select)-1, "g", n, e.Type())
}
