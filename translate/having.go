package translate

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// conditionsOnRows moves those conjuncts of a HAVING that read only groups into WHERE: rows that
// form a group that is dropped need not be joined, and an equality of two groups is one of
// indices. q is not changed. Sets of groups that are derived from one another keep theirs.
//
//	SELECT a.i, b.k, sum(b.j) FROM a, b GROUP BY a.i, b.k HAVING a.i = b.k
func conditionsOnRows(q *sqlfront.Query) *sqlfront.Query {
	return rowConditions(q, map[*sqlfront.Query]*sqlfront.Query{})
}

// rowConditions keeps what it makes of a block: one that is read twice stays one.
func rowConditions(q *sqlfront.Query, made map[*sqlfront.Query]*sqlfront.Query) *sqlfront.Query {
	if known := made[q]; known != nil {
		return known
	}
	out, changed := *q, false
	out.From = slices.Clone(q.From)
	for i, s := range q.From {
		if s.Query != nil {
			out.From[i].Query = rowConditions(s.Query, made)
			changed = changed || out.From[i].Query != s.Query
		}
	}
	if q.Having != nil && q.Sets == nil {
		out.Where, out.Having = slices.Clone(q.Where), nil
		for _, e := range conjuncts(q.Having) {
			if onKeys(q, e) {
				out.Where, changed = append(out.Where, overRows(q, e)), true
				continue
			}
			out.Having = bothTrue(out.Having, e)
		}
	}
	made[q] = q
	if changed {
		made[q] = &out
	}
	return made[q]
}

// onKeys reports whether a conjunct reads groups and nothing else, raises no error, and is the
// same for all rows of a group: 0 and -0 are one group.
func onKeys(q *sqlfront.Query, e sqlfront.Expr) bool {
	groups, ok := 0, !fallible(e) && e.Type().ID == rows.Boolean
	sqlfront.WalkExpr(e, func(e sqlfront.Expr) {
		switch e := e.(type) {
		case *sqlfront.GroupRef:
			groups++
			switch e.T.ID {
			case rows.Double, rows.Float, rows.Interval:
				ok = false
			}
			ok = ok && !fallible(q.GroupBy[e.N])
		case *sqlfront.AggRef, *sqlfront.Subquery, *sqlfront.OuterRef, *sqlfront.Param:
			ok = false
		}
	})
	return ok && groups > 0
}

// overRows is an expression over a query's groups as one over its rows.
func overRows(q *sqlfront.Query, e sqlfront.Expr) sqlfront.Expr {
	if g, ok := e.(*sqlfront.GroupRef); ok {
		return q.GroupBy[g.N]
	}
	return sqlfront.MapChildren(e, func(e sqlfront.Expr) sqlfront.Expr { return overRows(q, e) })
}
