package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/translate"
)

const (
	// surprising is how far a step's entries may be from the estimate before the
	// rest is planned again: |log2(true/estimated)| > 1.
	surprising = 2
	// replanCost is the estimated work, in cells, that must remain for another
	// planning to be worth its while: some four plannings of 0.4 ms, at 5.5 ns a
	// cell (both measured on patterns of four vertices). It is no time taken in the
	// run, because a plan must not depend on the load of the machine. Only work over
	// the step's result counts: what does not read it is as well planned as before.
	replanCost = 3e5
	// gatherCost is the work of gathering the degrees of a step's entry, in cells.
	// Of the results that are still read they are gathered where that is less than the
	// work that remains.
	gatherCost = 6
)

// surprise is a step whose result was far from the estimate.
type surprise struct {
	step      string
	estimated float64
	entries   int
	outgrew   int64 // the memory left, in bytes, that the step did not fit; 0: it did
}

// factor is how far off the estimate was.
func (s *surprise) factor() float64 { return qError(s.estimated, float64(s.entries)) }

// String says what was expected and what came.
func (s *surprise) String() string {
	if s.outgrew > 0 {
		return fmt.Sprintf("step %s outgrew the %d bytes left: less is stored", s.step, s.outgrew)
	}
	return fmt.Sprintf("after step %s: estimated %.4g, true %d (%.2fx)", s.step, s.estimated, s.entries, s.factor())
}

func (s *surprise) document() map[string]any {
	if s.outgrew > 0 {
		return map[string]any{"outgrew_memory": s.step, "bytes_left": s.outgrew}
	}
	return map[string]any{"after_step": s.step, "estimated_nnz": s.estimated, "nnz": s.entries, "q_error": s.factor()}
}

// replan plans what remains again, with the true figures of the steps that have
// run, when the last one is a surprise and enough work remains (OPTIMIZER D-6).
// next is the number of physical steps that have run. It reports whether there
// is a new plan, whose first step is the next to run. Every plan has run a step
// of its own before the next is made, and the first plan's steps bound their
// number.
func (n *nativeRun) replan(ctx context.Context, next int) (bool, error) {
	step := n.physical.Steps[next-1]
	done := 1 + slices.IndexFunc(n.logical.Steps, func(s *logical.Step) bool { return s.Query.Name == step.Query.Name })
	if done == 0 || done == len(n.logical.Steps) || n.replans == 0 || step.Output.Lockstep {
		return false, nil // only stored in another order, or the last, or it waits for its reader
	}
	s := &surprise{step: step.Query.Name, estimated: step.OutNNZ, entries: n.results[step.Query.Name].tensor.NNZ}
	left := s.remaining(n.logical.Steps[done:])
	if s.factor() <= surprising || left < replanCost {
		return false, nil
	}
	if err := n.gather(ctx, n.logical.Steps[done:], s.shrunk(left)); err != nil {
		return false, err
	}
	made := &planTrace{by: n.planning, because: s}
	started := time.Now()
	opt := n.planning.options(ctx, n.tr)
	opt.Done, opt.Settled = n.done, n.settled
	var err error
	made.logical, made.physical, err = optimizer.Replan(n.logical, done, n, opt)
	made.took = time.Since(started)
	var no *translate.Ineligible
	switch {
	case errors.As(unplanned(err), &no):
		return false, nil // what is left is beyond the planner in this form; the present plan stands
	case err != nil:
		return false, err
	case n.readsUnstored(made):
		return false, nil
	}
	for _, l := range n.logical.Steps[:done] {
		n.done = append(n.done, l.Query)
	}
	n.replans--
	n.adopt(made)
	return true, nil
}

// gather measures the degrees of those results that steps read and that are worth it
// beside the work that is left, in cells.
func (n *nativeRun) gather(ctx context.Context, rest []*logical.Step, left float64) error {
	for name, r := range n.results {
		read := slices.ContainsFunc(rest, func(s *logical.Step) bool { return readsAny(s.Query, map[string]bool{name: true}) })
		if !read || gatherCost*float64(r.tensor.NNZ) > left {
			continue
		}
		if err := r.gather(ctx); err != nil {
			return err
		}
	}
	return nil
}

// readsUnstored reports whether a new plan reads a step whose entries went to
// the next one as they came, or takes it for the answer of a further query.
func (n *nativeRun) readsUnstored(made *planTrace) bool {
	for _, s := range made.physical.Steps {
		for i := range s.Operands {
			if n.unstored[s.Operands[i].Tensor] != nil {
				return true
			}
		}
	}
	for q, a := range made.logical.Answered {
		if n.unstored[a.Step] != nil && n.logical.Answered[q].Step != a.Step {
			return true
		}
	}
	return false
}

// remaining is the cost of the steps that remain and read the step's result, or what
// is made of it. They were priced with the estimate: if there are more entries, there
// is more work.
func (s *surprise) remaining(rest []*logical.Step) float64 {
	cost := 0.0
	from := map[string]bool{s.step: true}
	for _, r := range rest {
		if readsAny(r.Query, from) {
			from[r.Query.Name] = true
			cost += r.Cost
		}
	}
	return cost * max(1, float64(s.entries)/max(s.estimated, 1))
}

// shrunk is what may be left of work that was priced with the estimate where there are
// fewer entries. Another plan may save more than the present one's share: that is why
// it is made; but no more than this is what gathering saves for certain.
func (s *surprise) shrunk(work float64) float64 {
	return work * min(1, float64(s.entries)/max(s.estimated, 1))
}

// readsAny reports whether a query reads one of the tensors.
func readsAny(q *einsum.Query, tensors map[string]bool) bool {
	return slices.ContainsFunc(q.Leaves, func(l einsum.Leaf) bool {
		return slices.ContainsFunc(einsum.Accesses(l.Expr), func(a *einsum.Access) bool { return tensors[a.Tensor] })
	})
}
