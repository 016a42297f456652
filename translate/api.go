// Package translate turns a bound Query into a tensor program, the loads that
// make its inputs, and what is left to finish on the result's rows.
//
// In: *sqlfront.Query. Out: *Result. Nothing is executed; the Facts it asks
// for are statistics of columns. A query outside the tensor fragment gives an
// *Ineligible error with a short, named reason.
//
// Invariants:
//
//	T1. Presence is structure: every leaf of a block's query multiplies by (or
//	    is guarded by) an access of every source, so all have leaf n's presence.
//	T2. Validity is a count: an aggregate that can be NULL has a validity leaf
//	    and is NULL where that leaf is 0.
//	T3. The program speaks of SQL values; coordinates begin in the engine.
//	T4. A form that could hide an error of DuckDB's (an overflow) carries a
//	    Check, or is refused; what the facts of base tables prove carries none.
//	T5. An entry whose leaf n is 0 is no row. A block has such entries only where
//	    it has conditions on values (hollow); whoever reads it guards with n.
//
// Read next: expose.go (derived tables), block.go (sources, index classes),
// predicate.go and condition.go, argument.go and point.go (arguments over
// several tables), measure.go (aggregates to leaves), bounds.go and loose.go
// (checks), finish.go.
package translate

import (
	"context"
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// Ineligible is why a query is DuckDB's.
type Ineligible struct{ Reason string }

// Error returns the reason.
func (e *Ineligible) Error() string { return e.Reason }

func refuse(format string, args ...any) error {
	return &Ineligible{Reason: fmt.Sprintf(format, args...)}
}

// Facts are exact statistics of single-table expressions over all rows of a
// table, for the version that the statement reads.
type Facts interface {
	// Range returns the least and greatest non-null value of an exact expression
	// (DECIMAL unscaled). ok is false when it is not known; a table without
	// values gives 0, 0, true.
	Range(ctx context.Context, t load.Table, expr string, typ rows.Type) (lo, hi semiring.Int128, ok bool, err error)
	// Count returns the number of rows of a table, and how many of them have NULL
	// for an expression (none: the empty text). ok is false when it is not known.
	Count(ctx context.Context, t load.Table, expr string, typ rows.Type) (rowCount, nulls int64, ok bool, err error)
	// Unique reports whether no two rows of a table agree on all of some
	// expressions, NULL being equal to NULL. False where it is not known.
	Unique(ctx context.Context, t load.Table, exprs []string) (bool, error)
	// Floats reports whether a DOUBLE expression has NaN or infinite values, and
	// its least non-zero and greatest magnitude.
	Floats(ctx context.Context, t load.Table, expr string) (nonFinite bool, absMax float64, err error)
}

// Result is a translated statement.
type Result struct {
	Program *einsum.Program
	// Loads has one Spec per Program.Inputs, same order and names. Expressions
	// may hold statement parameters ($n); Bind fills their values.
	Loads []*load.Spec
	// Relations are derived tables that are executed as statements of their own;
	// a Spec whose Table is Relation.Table reads their rows.
	Relations []Relation
	// Keys are the result's key columns: one per index of the last query.
	Keys []Key
	// Groups maps each GROUP BY expression to a position in Keys.
	Groups []GroupKey
	// Aggs say how each aggregate's value comes out of the last query's leaves.
	Aggs []Agg
	// Scalar: no GROUP BY; exactly one row, also when the result has no entry.
	Scalar bool
	// Checks must hold of the executed program, else DuckDB decides.
	Checks []Check
	Finish Finish
	// Output is the query whose tensor is the answer.
	Output string
	// Arms are the answers of a program that has several (grouping sets), in their
	// order: they have the Program, and Keys to Output of their own, which the
	// program's Result then lacks. Nil: the answer is the Result's own.
	Arms []*Result
	// Joined is true when the statement has a join or a nested aggregate.
	Joined bool
	// Written: the program is as the user wrote it, in the notation: DuckDB cannot
	// answer in its place.
	Written bool
}

// Answers are the answers of the program: its arms, or the Result itself.
func (r *Result) Answers() []*Result {
	if r.Arms != nil {
		return r.Arms
	}
	return []*Result{r}
}

// Answer is the query whose tensor is the answer.
func (r *Result) Answer() *einsum.Query {
	i := slices.IndexFunc(r.Program.Queries, func(q *einsum.Query) bool { return q.Name == r.Output })
	invariant.Check(i >= 0, "translate: no query %s", r.Output)
	return r.Program.Queries[i]
}

// Key is a key column of the result.
type Key struct {
	Domain int
}

// GroupKey is a GROUP BY expression in the result: the type in which the
// coordinate of Keys[Key] is decoded.
type GroupKey struct {
	Key  int
	Type rows.Type
}

// Agg says how one aggregate is read off the result's leaves.
type Agg struct {
	Func  AggFunc
	Value string // leaf of the value
	Valid string // leaf of the validity count; empty for counts
	Type  rows.Type
	// Scale is the number of decimal digits after the point of the value leaf.
	Scale int
	// Dict is the input leaf whose strings the value leaf's numbers rank, for
	// MIN and MAX over strings.
	Dict *LeafRef
	// Moments are the leaves of a MomentsValue, in place of Value.
	Moments *Moments
}

// LeafRef names a leaf of an input.
type LeafRef struct{ Input, Leaf string }

// AggFunc is how a value leaf becomes a SQL value.
type AggFunc uint8

// CountValue: the leaf itself, 0 when absent. SumValue, MinMaxValue: the leaf,
// NULL where validity is 0. AvgValue: value leaf over validity, rounded once.
// MomentsValue: read off the leaves of Moments and validity.
const (
	CountValue AggFunc = iota
	SumValue
	MinMaxValue
	AvgValue
	MomentsValue
)

// Finish is what is left to do on the relation with columns k0.. (GROUP BY
// expressions) and a0.. (aggregates).
type Finish struct {
	// SQL is DuckDB's statement over RelationName; empty when the relation's rows
	// are the answer, projected by Project.
	SQL string
	// Query is the block of which SQL has Select, Having, OrderBy, Limit and Offset;
	// nil when SQL is empty. Number is the aggregate that SQL wants above 0, beside
	// Having, negative: there is none.
	Query  *sqlfront.Query
	Number int
	// Project maps output columns to relation columns (groups first, then
	// aggregates) when SQL is empty.
	Project []int
	// Columns are the statement's columns.
	Columns []rows.Column
	// Top are the only rows of the relation that SQL may keep; nil: any.
	Top *Top
}

// Top are the Rows first rows by one column, and those that equal the last of
// them in it: what else an ORDER BY compares decides between these.
type Top struct {
	Column     int // of the relation
	Desc       bool
	NullsFirst bool
	Rows       int
}

// RelationName is the name under which Finish.SQL sees the result.
const RelationName = "trireme_result"
