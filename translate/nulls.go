package translate

import (
	"strings"

	"github.com/trireme-db/trireme/sqlfront"
)

// anyIsEnough are the functions that are NULL only where all arguments are.
var anyIsEnough = map[string]bool{"coalesce": true, "greatest": true, "least": true}

// neverNull reports whether an expression over a block's columns is NULL in no row:
// by the facts of base tables for columns, and by what operators make of them. What
// may fail, as a cast, fails its load: it gives no NULL.
func (t *translator) neverNull(q *sqlfront.Query, e sqlfront.Expr) (bool, error) {
	switch e := e.(type) {
	case *sqlfront.Literal:
		return !strings.EqualFold(e.SQL, "NULL"), nil
	case *sqlfront.ColumnRef:
		return t.columnNeverNull(q, e)
	case *sqlfront.Cast:
		return t.neverNull(q, e.Arg)
	case *sqlfront.Call:
		if !anyIsEnough[e.Name] && !strictCalls[e.Name] {
			return false, nil
		}
		for _, arg := range e.Args {
			never, err := t.neverNull(q, arg)
			if err != nil || never == anyIsEnough[e.Name] {
				return never, err
			}
		}
		return strictCalls[e.Name], nil
	}
	return false, nil
}

// columnNeverNull is neverNull for a column: of a bag in all of its branches.
func (t *translator) columnNeverNull(q *sqlfront.Query, c *sqlfront.ColumnRef) (bool, error) {
	from := q.From[c.Source]
	if from.Table != nil {
		has, err := t.hasNull(q, c)
		return !has, err
	}
	branches := branchesOf(from)
	for _, branch := range branches {
		if never, err := t.neverNull(branch, branch.Select[c.Column].Expr); !never || err != nil {
			return false, err
		}
	}
	return branches != nil, nil
}
