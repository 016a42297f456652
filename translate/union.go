package translate

import (
	"errors"
	"fmt"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/sqlfront/lower"
)

// Union is a statement whose rows are those of several queries together: UNION ALL
// at the top, or grouping sets, of which each is one.
type Union struct {
	Arms []*sqlfront.Query // lowered
	// Columns are those of the relation of all rows: k0, k1, ..
	Columns []rows.Column
	// Finish is what is left to do on that relation.
	Finish Finish
	// Sets are the groups of every arm of grouping sets, each once, in the order of
	// the arm's GROUP BY; nil for other unions.
	Sets [][]int
}

// SplitUnion returns the arms of a query that is a union; nil for one that
// Translate takes as a whole. A form that cannot be lowered is *Ineligible.
func SplitUnion(q *sqlfront.Query) (*Union, error) {
	if q.SetOp != sqlfront.UnionAll && q.Sets == nil {
		return nil, nil
	}
	low, err := lower.Lower(q)
	var no *lower.Unsupported
	if errors.As(err, &no) {
		return nil, refuse("%s", no.Reason)
	}
	if err != nil || low.SetOp != sqlfront.UnionAll {
		return nil, err
	}
	u := &Union{Arms: low.Arms, Finish: finish(low, -1)}
	for i, it := range low.Arms[0].Select {
		u.Columns = append(u.Columns, rows.Column{Name: fmt.Sprintf("k%d", i), Type: it.Expr.Type()})
	}
	for _, set := range q.Sets {
		u.Sets = append(u.Sets, once(set))
	}
	return u, nil
}
