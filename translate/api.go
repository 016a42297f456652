// Package translate turns a bound Query into a tensor program, the loads that
// make its inputs, and what is left to finish on the result's rows
// (SEMANTICS: presence is structure, validity is a count).
package translate

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// Result is a translated statement.
type Result struct {
	Program *einsum.Program
	// Loads has one Spec per Program.Inputs, same order and names. Spec.Params
	// are the statement's parameters that it uses, unbound: Bind fills them.
	Loads []*load.Spec
	// Keys are the result's key columns: one per index of the last query.
	Keys []Key
	// Aggs say how each aggregate's value comes out of the last query's leaves.
	Aggs []Agg
	// Scalar: no GROUP BY; exactly one row, also when the result has no entry.
	Scalar bool
	Finish Finish
}

// Key is a key column of the result.
type Key struct {
	Type   rows.Type
	Domain int
}

// Agg says how one aggregate is read off the result's leaves.
type Agg struct {
	Func  AggFunc
	Value string // leaf of the value
	Valid string // leaf of the validity count; empty for counts
	Type  rows.Type
	// Scale is the number of decimal digits after the point of the value leaf.
	Scale int
}

// AggFunc is how a value leaf becomes a SQL value.
type AggFunc uint8

// CountValue: the leaf itself, 0 when absent. SumValue, MinMaxValue: the leaf,
// NULL where validity is 0. AvgValue: value leaf over validity, rounded once.
const (
	CountValue AggFunc = iota
	SumValue
	MinMaxValue
	AvgValue
)

// Finish is what DuckDB does on the relation (k0.., a0..) of keys and
// aggregates: SQL over the table name RelationName, empty when the result's
// rows are the answer as they are, projected by Project.
type Finish struct {
	SQL string
	// Project maps output columns to relation columns (keys first, then
	// aggregates) when SQL is empty.
	Project []int
	Columns []rows.Column // the statement's columns
}

// RelationName is the name under which Finish.SQL sees the result.
const RelationName = "trireme_result"
