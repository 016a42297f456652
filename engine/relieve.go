package engine

import (
	"context"
	"errors"
	"time"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/translate"
)

// A step that outgrows the statement's memory is run in slices of the outermost
// index of its result; if that is not enough, everything is planned again with
// less stored (twice at most); then the error is left to the caller, which hands
// the statement to decomposed if it may.

// relief is what has been tried.
type relief struct {
	plans  int          // made again with less stored
	stream *sliceStream // the last step runs slice by slice as rows are asked for
}

const (
	// relievingPlans is how often a statement is planned again with less stored:
	// once without what turned out too large, once with nothing stored at all.
	relievingPlans = 2
	// relievedCost is how much more work than before a plan that stores less may be
	// where DuckDB, which can spill, stands by.
	relievedCost = 100
	// relievedShare is the part of the memory left that one stored result of such a
	// plan may be expected to take.
	relievedShare = 4
)

// relieve gets on with a step that outgrew the memory. ran is how many steps that
// took, or -next when there is another plan.
func (n *nativeRun) relieve(ctx context.Context, next int) (ran int, err error) {
	if ran, err = n.lessAtOnce(ctx, next); !errors.Is(err, errBudget) {
		return ran, err
	}
	for n.relief.plans < relievingPlans {
		n.relief.plans++
		switch adopted, err := n.planSmaller(ctx, n.physical.Steps[next]); {
		case err != nil:
			return 0, err
		case adopted:
			return -next, nil
		}
	}
	return 0, errBudget
}

// lessAtOnce runs a step in slices; one that others run in lockstep with, after them
// first.
func (n *nativeRun) lessAtOnce(ctx context.Context, next int) (ran int, err error) {
	if len(n.waiting(n.physical.Steps[next])) > 0 {
		if err := n.alone(ctx, next); err != nil {
			return 0, err
		}
		if ran, err = n.advance(ctx, next); !errors.Is(err, errBudget) {
			return ran, err
		}
	}
	return n.slice(ctx, next)
}

// slice runs a step in slices. The last one delivers them one after the other,
// where it can; else they are put together.
func (n *nativeRun) slice(ctx context.Context, next int) (ran int, err error) {
	w, err := n.work(ctx, next)
	if err != nil {
		return 0, err
	}
	s, ok := newSlicer(w)
	if !ok {
		return 0, errBudget
	}
	if next+w.steps() == len(n.physical.Steps) && s.disjoint() && n.deliverable(w) {
		stream := &sliceStream{slicer: s, held: n.account.part(0)}
		if err := stream.advance(ctx); err != nil {
			return 0, err
		}
		n.relief.stream = stream
		return w.steps(), nil
	}
	t, err := s.all(ctx)
	if err == nil {
		err = n.store(w, t)
	}
	return w.steps(), err
}

// deliverable reports whether the answer may be delivered before all of it is
// known: it is asked for once, no check reads it, and nothing but memory can fail.
func (n *nativeRun) deliverable(w *stepWork) bool {
	readers := 0
	for _, a := range n.tr.Answers() {
		if a.Output == w.last().Query.Name {
			readers++
		}
	}
	if readers != 1 {
		return false
	}
	if len(w.watch) > 0 || mayFail(w.step) || w.into != nil && mayFail(w.into) {
		return false
	}
	for _, b := range n.tr.Bounds() {
		if planned(n.logical, b).Tensor == w.last().Query.Name {
			return false
		}
	}
	return true
}

// mayFail reports whether a step evaluates a function, which may have no value.
func mayFail(step *physical.Step) bool {
	found := false
	for _, l := range step.Query.Leaves {
		einsum.Walk(l.Expr, func(x einsum.Expr) bool {
			m, ok := x.(*einsum.Map)
			found = found || ok && m.Op.IsFunction()
			return true
		})
	}
	return found
}

// planSmaller plans the program again with less stored than the plan of which a
// step outgrew the memory, and reports whether there is such a plan. What has run
// is given up, and its memory with it.
func (n *nativeRun) planSmaller(ctx context.Context, outgrew *physical.Step) (adopted bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	because := &surprise{step: outgrew.Query.Name, estimated: outgrew.OutNNZ, outgrew: n.account.left()}
	results, unstored := n.results, n.unstored
	n.results, n.unstored = nil, nil // the statistics asked for are those of inputs
	defer func() {
		if !adopted {
			n.results, n.unstored = results, unstored
		}
	}()
	made := &planTrace{by: n.planning, because: because}
	opt := n.planning.options(ctx, n.tr)
	opt.BudgetBytes = float64(n.account.left())
	opt.StoredMax, opt.Settled = n.storedMax(outgrew), n.settled
	started := time.Now()
	made.logical, made.physical, err = optimizer.Optimize(n.program, n, opt)
	made.took = time.Since(started)
	if err != nil {
		var no *translate.Ineligible
		if errors.As(unplanned(err), &no) {
			return false, nil // the planner cannot do without
		}
		return false, err
	}
	tooDear := n.auto && planCost(made.logical) > relievedCost*planCost(n.logical)
	if tooDear || made.physical.String() == n.physical.String() {
		return false, nil
	}
	for _, r := range results {
		r.release(n.account)
	}
	n.restart(made)
	n.replans = 0 // it would store again what does not fit
	return true, nil
}

// storedMax is how many entries a step may be estimated to store.
func (n *nativeRun) storedMax(outgrew *physical.Step) float64 {
	if n.relief.plans == relievingPlans {
		return 1
	}
	entryBytes := 4 * int64(len(outgrew.Output.Order))
	for range outgrew.Query.Leaves {
		entryBytes += 8
	}
	fits := float64(n.account.left()) / float64(relievedShare*max(entryBytes, 1))
	return max(1, min(fits, outgrew.OutNNZ/2))
}

func planCost(p *logical.Plan) float64 {
	cost := 0.0
	for _, s := range p.Steps {
		cost += s.Cost
	}
	return cost
}

// overBudget is the error of a statement that memory does not suffice for; 0: its limit
// is not known.
func overBudget(limitBytes int64) *sqlerr.Error {
	than := "a tensor query may use"
	if limitBytes > 0 {
		than = "the " + printBytes(limitBytes) + " that " + than
	}
	return sqlerr.New(sqlerr.OutOfMemory, "the query needs more memory than %s", than).
		WithHint("Raise trireme.memory_limit or --memory-limit, or SET trireme.backend = 'decomposed' or 'duckdb' for this statement: they spill to disk.")
}
