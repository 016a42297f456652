package exec

import (
	"context"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// RunStep executes one step. The result has the modes Step.Output.Order in the
// formats Step.Output.Formats and the leaves of Step.Query. A Pattern or 64-bit
// leaf is wider than planned where an operand is, or where 64 bits overflowed.
//
// Errors: the context's, ErrBudget, ErrOverflow, ErrDomain, fibers.ErrTooMany.
func RunStep(ctx context.Context, step *physical.Step, in Inputs, opt Options) (*fibers.Tensor, StepStats, error) {
	wide := make([]bool, len(step.Query.Leaves))
	stats := StepStats{Workspace: step.Output.Workspace.String()}
	if err := ctx.Err(); err != nil {
		return nil, stats, err
	}
	b := newBinder(step, in, opt)
	for {
		n := b.bind(ctx, wide)
		again, err := n.traverse(b, wide, &stats)
		if err != nil {
			return nil, stats, err
		}
		if again {
			continue
		}
		t, err := n.sink.out.tensor(ctx, step.Output.Formats)
		stats.Bytes = max(stats.Bytes, n.env.peak)
		if err != nil {
			return nil, stats, err
		}
		stats.Entries = t.NNZ
		return t, stats, nil
	}
}

// traverse runs the nest once; see overflow for what it returns.
func (n *nest) traverse(b *binder, wide []bool, stats *StepStats) (again bool, err error) {
	e := n.env
	if e.err == nil && !b.empty() {
		n.run(e)
	}
	stats.Traversals++
	stats.Cells, stats.Kernel = e.cells, n.kernel
	stats.Bytes = max(stats.Bytes, e.peak)
	return n.overflow(b, wide, stats)
}

// overflow looks at what the traversal left: its error, or leaves that
// overflowed, which it marks in wide to be asked for again.
func (n *nest) overflow(b *binder, wide []bool, stats *StepStats) (again bool, err error) {
	e := n.env
	if e.err != nil {
		return false, e.err
	}
	if e.over[b.conditionFlag()] {
		return false, ErrOverflow
	}
	for l, over := range e.over[:len(wide)] {
		if !over {
			continue
		}
		if n.sink.accs[l].elem() != semiring.I64 {
			return false, ErrOverflow
		}
		wide[l], again = true, true
		stats.Wide = append(stats.Wide, b.query.Leaves[l].Name)
	}
	return again, nil
}
