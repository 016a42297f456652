package translate

import "github.com/trireme-db/trireme/sqlfront"

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
