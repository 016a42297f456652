// Package logical turns a tensor program into a logical plan: a sequence of
// steps with one aggregation each, by variable elimination (Galley section 5).
package logical

import "github.com/trireme-db/trireme/einsum"

// Plan is a sequence of steps; the last one is the result. Invariants (Check):
//
//	L1. Every leaf of a step is one Agg over a pointwise expression, or a
//	    pointwise expression; all leaves of a step reduce the same indices. An
//	    Agg over no indices only gives a guard its meaning.
//	L2. Aggs do not nest.
//	L3. A step reads inputs and earlier steps only.
type Plan struct {
	Inputs []*einsum.Input
	Steps  []*Step
}

// Step is one materialized tensor.
type Step struct {
	Query *einsum.Query
	// BodyNNZ and OutNNZ are estimates: cells visited, entries stored.
	BodyNNZ, OutNNZ float64
}
