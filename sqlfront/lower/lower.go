// Package lower takes outer joins, subqueries in expressions, set operations and
// grouping sets out of a bound query: what remains is inner joins over tables,
// grouped blocks and bags, and anti joins, which translation knows.
//
// In: a *sqlfront.Query in the bound dialect. Out: one in the lowered dialect
// with the same answer, row for row. A form that it does not reach gives an
// *Unsupported error with a short, named reason. At the top UNION ALL and grouping
// sets stay a set operation, with lowered arms.
//
// Invariants:
//
//	L1. Lowering is a rewrite of SQL: the result, printed as SQL with EXISTS and
//	    UNION ALL, has DuckDB's answer for the original.
//	L2. The query that goes in is not changed; blocks may be shared by what comes
//	    out only where they are not changed later.
//	L3. Joined rows (rel) grow at the end of FROM only: an expression over them
//	    stays valid. Of two sides of a match, the outer one's columns are numbered
//	    from outerSpace on.
//	L4. The rows that pad a side are made of keys that the preserved side has, so
//	    that a key of its own finds its padding, and only once.
//
// Read next: rel.go (joined rows), tree.go (join trees), match.go (partners of a
// row, and the joins made of them), subquery.go, disjunct.go, gather.go, scalar.go, lateral.go,
// group.go, setop.go.
package lower

import (
	"fmt"

	"github.com/trireme-db/trireme/sqlfront"
)

// Unsupported is why a query has no lowered form.
type Unsupported struct{ Reason string }

// Error returns the reason.
func (e *Unsupported) Error() string { return e.Reason }

// refuse leaves the lowering; Lower recovers it.
func refuse(format string, args ...any) {
	panic(&Unsupported{Reason: fmt.Sprintf(format, args...)})
}

// Lower returns the lowered form of a query, or fails with *Unsupported. A query
// that is already in the lowered dialect is returned as it is.
func Lower(q *sqlfront.Query) (out *sqlfront.Query, err error) {
	if lowered(q) {
		return q, nil
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Unsupported:
			out, err = nil, p
		default:
			panic(p)
		}
	}()
	return top(q), nil
}

// lowered reports whether nothing of a query has to be rewritten.
func lowered(q *sqlfront.Query) bool {
	done := true
	q.Walk(func(q *sqlfront.Query) {
		done = done && q.Tree == nil && q.SetOp == sqlfront.NoSetOp && q.Sets == nil && !distinctGroups(q)
		for _, s := range q.From {
			done = done && (s.Query == nil || !s.Query.Plain())
		}
		for _, e := range q.Where {
			done = done && !eitherJoins(q.Where, e) && !gathers(q.Where, e)
		}
		q.Roots(func(e sqlfront.Expr) { done = done && !hasSubquery(e) && !readsAround(e) })
	})
	return done
}

// readsAround reports whether an expression reads a column of a block further out.
func readsAround(e sqlfront.Expr) bool {
	return anyExpr(e, func(e sqlfront.Expr) bool { _, ok := e.(*sqlfront.OuterRef); return ok })
}

// distinctGroups reports whether SELECT DISTINCT stands over groups or aggregates.
func distinctGroups(q *sqlfront.Query) bool {
	return q.Distinct && (q.Grouped || len(q.Aggs) > 0 || q.Having != nil)
}

// top lowers a statement: UNION ALL stays a set operation.
func top(q *sqlfront.Query) *sqlfront.Query {
	if q.Sets != nil && !q.Distinct {
		q = arms(q)
	}
	if q.SetOp != sqlfront.UnionAll {
		return query(q)
	}
	out := *q
	out.Arms = nil
	for _, a := range q.Arms {
		a = top(a)
		if a.SetOp == sqlfront.UnionAll && whole(a) && sameColumns(a) {
			out.Arms = append(out.Arms, a.Arms...)
			continue
		}
		out.Arms = append(out.Arms, a)
	}
	return &out
}

// query lowers a query that is a source, or the statement.
func query(q *sqlfront.Query) *sqlfront.Query {
	switch {
	case distinctGroups(q) || q.Sets != nil && q.Distinct:
		return query(distinctOver(q))
	case q.SetOp != sqlfront.NoSetOp:
		return setOperation(q)
	case q.Sets != nil:
		return setOperation(arms(q))
	}
	b := &block{q: q}
	return b.query()
}

// whole reports whether nothing cuts a query's rows.
func whole(q *sqlfront.Query) bool { return q.Limit == nil && q.Offset == nil }
