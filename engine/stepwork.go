package engine

import (
	"context"
	"slices"
	"time"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/translate"
)

// stepWork is a step of the plan with the one that takes its entries as they
// come (into, nil for most), or with those in lockstep with it, bound to tensors. It
// runs as a whole or, without the latter, in slices.
type stepWork struct {
	of         *nativeRun
	step, into *physical.Step
	in, inInto exec.Inputs
	parts      []exec.Part           // steps in lockstep with this one
	bounds     []translate.LeafBound // what is watched of entries that are not stored
	watch      []exec.Watch
	ranges     []exec.Range // what was seen
	took       time.Duration
	stats      exec.FusedStats
	paced      []exec.StepStats // of parts
	slices     int              // in which it ran; 0: as a whole
	ranBytes   int64            // most that the last run held
	// The records of the two; nil until there is something to record.
	trace, traceInto *stepTrace
}

// work binds the step at next.
func (n *nativeRun) work(ctx context.Context, next int) (w *stepWork, err error) {
	w = &stepWork{of: n, step: n.physical.Steps[next]}
	for _, part := range n.waiting(w.step) {
		in, err := n.inputs(ctx, part)
		if err != nil {
			return nil, err
		}
		w.parts = append(w.parts, exec.Part{Step: part, In: in})
	}
	if len(w.parts) > 0 {
		w.in = n.domainsOf(w.step)
		return w, nil
	}
	if w.in, err = n.inputs(ctx, w.step); err != nil || !w.step.Output.Fused {
		return w, err
	}
	w.into = n.physical.Steps[next+1]
	if w.inInto, err = n.inputsBut(ctx, w.into, w.step.Query.Name); err != nil {
		return w, err
	}
	// The intervals that checks need of entries are watched on the way.
	for _, b := range n.tr.Bounds() {
		if b = planned(n.logical, b); b.Tensor == w.step.Query.Name {
			w.bounds = append(w.bounds, b)
			w.watch = append(w.watch, exec.Watch{Lo: b.Lo, Hi: b.Hi, Valid: b.Valid})
		}
	}
	w.ranges = make([]exec.Range, len(w.watch))
	return w, nil
}

// steps is the number of steps done.
func (w *stepWork) steps() int {
	if w.into != nil {
		return 2
	}
	return 1
}

// last is the step whose result is stored.
func (w *stepWork) last() *physical.Step {
	if w.into != nil {
		return w.into
	}
	return w.step
}

// poolShare is how many times the memory that is kept for later steps must still
// be left for the statement: a step that is short of it has more use for it.
const poolShare = 16

// run runs the work, for a slice of an index where part says so. What it holds
// on the way is given back; the result is not charged yet.
func (w *stepWork) run(ctx context.Context, part map[string]exec.Slice) (t *fibers.Tensor, err error) {
	n := w.of
	held := n.account.part(0)
	defer held.close()
	if left := n.account.left(); left > 0 && left < poolShare*n.pool.Bytes() {
		n.pool.Drop()
	}
	opt := exec.Options{NoRegistry: n.noKernels, Threads: n.threads, BudgetBytes: n.account.left(), Account: held, Pool: n.pool}
	in := w.in
	in.Slices = part
	step, into := w.step, w.into
	switch {
	case part == nil:
	case into != nil:
		into = asList(into)
	default:
		step = asList(step)
	}
	started := time.Now()
	var stats exec.FusedStats
	switch {
	case len(w.parts) > 0:
		t, stats.Step, err = w.lockstep(ctx, opt)
	case into != nil:
		t, stats, err = exec.RunFused(ctx, step, into, in, w.inInto, opt, w.watch)
	default:
		t, stats.Step, err = exec.RunStep(ctx, step, in, opt)
	}
	w.took += time.Since(started)
	w.ranBytes = held.peak.Load()
	if err != nil {
		return nil, err
	}
	w.see(&stats)
	return t, nil
}

// lockstep runs the step with its parts. Where a check asks for the range of a part's
// leaf, the part has to be stored.
func (w *stepWork) lockstep(ctx context.Context, opt exec.Options) (*fibers.Tensor, exec.StepStats, error) {
	for _, b := range w.of.tr.Bounds() {
		asked := planned(w.of.logical, b).Tensor
		if slices.ContainsFunc(w.parts, func(p exec.Part) bool { return p.Step.Query.Name == asked }) {
			return nil, exec.StepStats{}, exec.ErrNoLockstep
		}
	}
	t, stats, err := exec.RunLockstep(ctx, w.parts, w.step, w.in, opt)
	w.paced = stats.Parts
	return t, stats.Into, err
}

// asList is a step that stores its result in sorted lists: the levels that the
// plan asks for may take memory by the size of the domains, which a slice does not
// make smaller.
func asList(step *physical.Step) *physical.Step {
	out := *step
	out.Output.Formats = slices.Repeat([]format.Kind{format.SparseList}, len(step.Output.Order))
	return &out
}

// see adds the figures of a run to those of the slices before.
func (w *stepWork) see(stats *exec.FusedStats) {
	addStats(&w.stats.Step, &stats.Step)
	addStats(&w.stats.Into, &stats.Into)
	for i, r := range stats.Ranges {
		if !r.Found {
			continue
		}
		if had := &w.ranges[i]; had.Found {
			if had.Lo.Cmp(r.Lo) < 0 {
				r.Lo = had.Lo
			}
			if had.Hi.Cmp(r.Hi) > 0 {
				r.Hi = had.Hi
			}
		}
		w.ranges[i] = r
	}
}

// addStats adds a slice's figures. The traversals are those of the slice that
// took most.
func addStats(all, s *exec.StepStats) {
	entries, cells, traversals, bytes, wide := all.Entries, all.Cells, all.Traversals, all.Bytes, all.Wide
	threads, morsels := all.Threads, all.Morsels
	*all = *s
	all.Entries += entries
	all.Cells += cells
	all.Traversals = max(s.Traversals, traversals)
	all.Bytes = max(s.Bytes, bytes)
	all.Threads = max(s.Threads, threads)
	all.Morsels += morsels
	if len(wide) > len(s.Wide) {
		all.Wide = wide
	}
}

// record notes for EXPLAIN and for checks what the work did; again as more
// slices have run.
func (w *stepWork) record() {
	n := w.of
	for i, r := range w.ranges {
		n.watched[w.bounds[i]] = nil
		if r.Found {
			n.watched[w.bounds[i]] = &translate.Interval{Lo: r.Lo.Big(), Hi: r.Hi.Big()}
		}
	}
	if n.trace == nil {
		return // nobody asks
	}
	if w.trace == nil {
		for i, stats := range w.paced {
			n.trace.ran(w.parts[i].Step, stats, 0)
		}
		w.trace = n.trace.ran(w.step, w.stats.Step, w.took)
		if w.into != nil {
			w.traceInto = n.trace.ran(w.into, w.stats.Into, 0)
		}
	}
	w.trace.stats, w.trace.took, w.trace.slices = w.stats.Step, w.took, w.slices
	if w.into != nil {
		w.traceInto.stats = w.stats.Into
	}
}
