package translate

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// checkDialect refuses the forms of a query that have no translation: what
// lowering has left, and what it makes that is not known here.
func checkDialect(q *sqlfront.Query) error {
	reason := ""
	q.Walk(func(q *sqlfront.Query) {
		if r := unknownForm(q); r != "" && reason == "" {
			reason = r
		}
	})
	if reason != "" {
		return refuse("%s", reason)
	}
	return nil
}

func unknownForm(q *sqlfront.Query) string {
	switch {
	case q.Tree != nil:
		return "outer join"
	case q.SetOp != sqlfront.NoSetOp:
		return "set operation"
	case q.Sets != nil:
		return "grouping sets"
	case slices.ContainsFunc(q.Aggs, byInterval):
		return "extreme by an INTERVAL"
	}
	form := ""
	q.Roots(func(root sqlfront.Expr) {
		sqlfront.WalkExpr(root, func(e sqlfront.Expr) {
			switch e.(type) {
			case *sqlfront.Subquery, *sqlfront.OuterRef:
				form = "subquery"
			}
		})
	})
	return form
}

// byInterval reports whether an aggregate is ARG_MIN or ARG_MAX by an INTERVAL, of which
// DuckDB compares the months there, then the days, then the microseconds: elsewhere a
// month is 30 days.
func byInterval(call *sqlfront.AggCall) bool {
	by := plainCall(call)
	return atExtreme(by) && len(by.Args) == 2 && by.Args[1].Type().ID == rows.Interval
}
