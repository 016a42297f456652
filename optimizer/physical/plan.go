// Package physical turns a logical plan into a physical one: per step a loop
// order, the layout of every operand, one protocol per level, the output's
// format and its workspace (Galley section 6).
//
// In: a logical.Plan and statistics of its inputs. Out: a Plan for fibers/exec,
// one kernel per step; its queries are the logical ones, but for steps that only
// store a result in another order (named after it, with _r1, _r2, ..).
//
// # Where to read next
//
// build.go is the pass over the steps, loops.go puts a step's loop order as a
// problem that order.go searches; workspace.go prices where entries are gathered,
// layout.go chooses level kinds; fuse.go puts steps together; print.go shows the
// text form.
package physical

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// Plan is a sequence of steps; the last one is the result. Invariants (Check):
//
//	P1. Loops is a permutation of all indices of the step's query.
//	P2. The order of every operand's indices is a subsequence of Loops.
//	P3. At every loop at least one operand walks, or an operand's level is Dense
//	    or the index is Ranged.
//	P4. Output.Order is a permutation of the query's Idxs. With
//	    Output.Workspace None it is a prefix of Loops; otherwise its first
//	    Output.Prefix indices are, in that order. With SortWorkspace the output's
//	    indices are the first loops, in any order.
//	    The last level is not Dense, since that would store every coordinate, and
//	    none is of a Shaped kind, since no data is known. Where storage shows that the
//	    loops between the output's have one coordinate, package exec takes these for
//	    the first ones and gathers less, or nothing.
//	P5. An operand that is a step's result has the layout with which that step
//	    stores it.
//	P6. Operands are in the order of their first access in the query, leaf by
//	    leaf; every comparison stands at the later of its two loops.
//	P7. A step whose Output is Fused is followed by the only step that reads it,
//	    through one operand, without constants, that every cell has. That
//	    step's outermost loops are over the result's indices, in the order of
//	    Output. It is not Fused; if it has other operands, loops or comparisons,
//	    Output.Prefix is not 0.
//	P8. A level of a Shared kind is an operand's last. Shaped kinds are what the
//	    statistics of the tensor that was planned for say; storage of another
//	    shape has a sorted list instead, so that a plan is never wrong.
//	P9. A step whose Output is Flat says where one or two operands have entries and
//	    sums the products of a leaf of each (isProduct). Neither is it Fused nor the
//	    step before it.
//	P10. A step whose Output is Lockstep has one index, over which its outermost loop
//	    is, and no leaves of integers. The only step that reads it comes later, has
//	    that index alone, without comparisons, and reads nothing but such steps, each
//	    through one operand. It is not Lockstep itself; neither is Fused, Flat or
//	    behind a step that is Fused.
type Plan struct {
	Inputs []*einsum.Input
	Steps  []*Step
}

// Step is one kernel: a loop nest that computes all leaves of Query at once.
type Step struct {
	// Query in the logical dialect. Its accesses are resolved by Operand: each
	// distinct (tensor, arguments) pair is one operand, whatever its leaf.
	Query    *einsum.Query
	Loops    []Loop
	Operands []Operand
	Output   Output
	// BodyNNZ and OutNNZ are the logical estimates.
	BodyNNZ, OutNNZ float64
}

// Loop is one level of the loop nest, outermost first.
type Loop struct {
	Index einsum.Index
	// Masks are comparisons whose later index is this loop's.
	Masks []*einsum.Compare
	// Iterations is the estimated number of times the loop's body runs in all.
	Iterations float64
}

// Operand is the structure that one access reads, in the layout that the step
// needs. Modes bound to constants come first in Order.
type Operand struct {
	Tensor string
	Args   []einsum.Arg // in the tensor's declared mode order
	// Order gives the layout: position -> mode of the tensor. The constants'
	// modes first, then the others in loop order.
	Order []int
	// Formats are the level kinds in layout order.
	Formats []format.Kind
	// Protocols, in layout order, for the modes that are not constants.
	Protocols []format.Protocol
}

// Indices returns the operand's indices in layout order, constants left out.
func (o *Operand) Indices() []einsum.Index {
	var out []einsum.Index
	for _, m := range o.Order {
		if o.Args[m].Const == nil {
			out = append(out, o.Args[m].Index)
		}
	}
	return out
}

// Output is how a step stores its result.
type Output struct {
	Order   []einsum.Index
	Formats []format.Kind
	// Prefix is the number of leading indices of Order that are bound by the
	// same number of outermost loops.
	Prefix    int
	Workspace format.Workspace
	// Fused: the entries go to the next step as they come; nothing is stored.
	Fused bool
	// Lockstep: the step runs with the one that reads it, block by block of the
	// result's coordinates; nothing is stored.
	Lockstep bool
	// Flat: the operands are multiplied flattened (fibers/exec); there are loops only
	// where memory is short of that.
	Flat bool
	// Elems are the leaf types before any 128-bit rerun.
	Elems []semiring.Elem
}
