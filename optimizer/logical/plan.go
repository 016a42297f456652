// Package logical turns a tensor program into a logical plan: a sequence of
// steps with one aggregation each, by variable elimination (Galley section 5).
//
// In: an einsum.Program that passes Check, and statistics of its inputs. Out: a
// Plan; its steps, read as a program, mean what the program means. The algebra
// that a rewrite may use is that of package semiring and nothing else.
//
// What elimination relies on: row counts and the validity counts in guards are
// never negative, so that a sum of products of them is 0 only when all are.
//
// # Where to read next
//
// normalize.go makes queries of one aggregate each by the rules of rules.go;
// rewrite.go searches for a cheaper program of the same meaning: distribute.go,
// descend.go, factor.go, unnest.go, push.go and signs.go have its moves, poly.go
// the sums of products that these work on. symmetry.go counts once what a query
// counts in several orders, which pattern.go finds. form.go is the shape that a
// query is cut in, eliminate.go chooses the cuts, apply.go makes them, share.go
// finds steps that exist already, unite.go those that are only read together. body.go and catalog.go are what the physical
// planner uses as well: the operands of a query and what is known of tensors.
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
	// Answered tells, of queries of the program that are no step because another
	// step computes the same, which. It is no part of the printed plan.
	Answered map[string]Answered
	// Sparing says that the steps are those of a network's path: what takes longer to
	// plan than it saves in one of many small steps is not looked for.
	Sparing bool
}

// Answered is a query computed under another name: a step, and the query's
// leaves by the names that they have there.
type Answered struct {
	Step   string
	Leaves map[string]string
}

// Leaf returns the step and leaf that hold a leaf of a query or input.
func (p *Plan) Leaf(tensor, leaf string) (step, name string) {
	a, ok := p.Answered[tensor]
	if !ok {
		return tensor, leaf
	}
	return a.Step, a.Leaves[leaf]
}

// Step is one materialized tensor.
type Step struct {
	Query *einsum.Query
	// BodyNNZ and OutNNZ are estimates: cells visited, entries stored.
	BodyNNZ, OutNNZ float64
	// Cost is the estimated work, in cells visited by one loop (stats.VisitNs).
	Cost float64
	// Rest is the program that remains after the step: what is left of its query,
	// in terms of this and earlier steps, and the queries after it. Its result is
	// the plan's. It is no part of the printed plan.
	Rest []*einsum.Query
}
