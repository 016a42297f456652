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
	if !opt.NoRegistry {
		b.recognise()
		if p := newFlatProduct(b); p != nil {
			if t, ok, err := p.run(ctx, &stats); ok || err != nil {
				return t, stats, err
			}
		}
		if err := b.hoist(ctx); err != nil {
			return nil, stats, err
		}
		defer b.forgetHoisted()
	}
	c := &crew{
		ctx: ctx, binder: b, entries: b, depth: len(step.Loops),
		hire: func() *worker {
			n := b.bind(ctx, wide)
			return &worker{nest: n, entries: n}
		},
		merge: func() *nest { return b.merging().prepare(ctx, wide) },
	}
	for {
		err := c.traverse()
		c.tell(&stats)
		if err != nil {
			return nil, stats, err
		}
		again, err := b.overflow(c.over(true), wide, &stats)
		if err != nil {
			return nil, stats, err
		}
		if again {
			c.release()
			continue
		}
		stats.Placed = c.out.placed != nil
		stats.Workspace = c.workers[0].entries.sink.kind.String()
		t, err := c.out.tensor(ctx, step.Output.Formats)
		stats.Bytes = max(stats.Bytes, b.meter.peak.Load())
		if err != nil {
			return nil, stats, err
		}
		stats.Entries = t.NNZ
		return t, stats, nil
	}
}

// overflow looks at the leaves that a traversal found to overflow, over, and
// marks them in wide to be asked for again.
func (b *binder) overflow(over, wide []bool, stats *StepStats) (again bool, err error) {
	if over[b.conditionFlag()] {
		return false, ErrOverflow
	}
	for l := range wide {
		if !over[l] {
			continue
		}
		if wide[l] || b.leafElem(l) != semiring.I64 {
			return false, ErrOverflow
		}
		wide[l], again = true, true
		stats.Wide = append(stats.Wide, b.query.Leaves[l].Name)
	}
	return again, nil
}
