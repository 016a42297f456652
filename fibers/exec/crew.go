package exec

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

const (
	// cutUnits is the expected work from which a step is cut into morsels at once,
	// morselUnits the work of a morsel: starting a second worker and merging cost as
	// much as some 50 thousand units (BenchmarkThreads, query=small).
	cutUnits, morselUnits = 500_000, 100_000
	// At least and at most so many morsels: fewer leave workers idle at the end, more
	// cost more to find and to merge than they gain.
	morselsMin, morselsMax = 32, 512
	// longUnits is the work after which a step that was expected to be short begins
	// again, cut into morsels; longer is how much more work it is then taken to be.
	longUnits, longer = 2_000_000, 8
)

// worker runs morsels of a step. entries is the nest whose sink gathers what is
// stored: the same one, or that of the step fused to it.
type worker struct {
	nest    *nest
	entries *nest
	fused   *fusion   // of the step that takes the entries as they come; nil: none
	pace    *lockstep // the steps that run with the map that the nest is; nil: none
}

func (w *worker) run(p morsel) error {
	e := w.nest.env
	e.morsel, e.cut = p, p.depth()
	if e.err == nil {
		w.nest.run(e)
	}
	if w.fused != nil && w.err() == nil {
		w.fused.finish()
	}
	if out := w.entries.sink.out; out.placed != nil && w.err() == nil {
		out.placed.flush(out)
	}
	return w.err()
}

// err is why the worker stopped: its own reason before that of others.
func (w *worker) err() error {
	if err := w.nest.env.err; err != nil && !errors.Is(err, errStopped) {
		return err
	}
	if err := w.entries.env.err; err != nil {
		return err
	}
	return w.nest.env.err
}

// dismiss releases the workspaces.
func (w *worker) dismiss() {
	w.nest.env.dismiss()
	if w.entries != w.nest {
		w.entries.env.dismiss()
	}
	if w.pace != nil {
		w.pace.dismiss()
	}
}

// crew is the workers of one step. Where the work is cut, and so which sums are
// partial, does not depend on how many they are.
type crew struct {
	ctx     context.Context
	binder  *binder        // of the step whose nest is traversed
	entries *binder        // of the step whose entries are stored; set by hire
	hire    func() *worker // binds one more worker
	merge   func() *nest   // makes the nest in which morsels of one group are merged
	depth   int            // outermost loops that may be cut
	// cuts divides the step in place of divide; nil: divide does.
	cuts    func() (morsels []morsel, limit int64)
	long    float64 // work that the step is known to be more than
	workers []*worker
	morsels int
	out     *output // all entries
}

// traverse runs the step once; afterwards its entries are in out.
func (c *crew) traverse() error {
	w := c.hire()
	c.workers, c.morsels, c.out = []*worker{w}, 1, w.entries.sink.out
	if c.binder.empty() || w.err() != nil {
		return w.err()
	}
	morsels, limit := c.divide()
	if len(morsels) > 1 {
		c.morsels = len(morsels)
		err := c.runMorsels(morsels, c.binder.opt.Threads)
		if !errors.Is(err, ErrBudget) || len(c.workers) == 1 {
			return err
		}
		c.release() // there is room for the workspaces of one, perhaps
		c.workers = []*worker{c.hire()}
		return c.runMorsels(morsels, 1)
	}
	c.place(nil)
	w.nest.env.limit = limit
	err := w.run(morsel{})
	if errors.Is(err, errLong) {
		c.long = float64(limit)
		c.release()
		return c.traverse()
	}
	w.dismiss()
	return err
}

// release gives back all that the workers hold: they begin again.
func (c *crew) release() {
	c.binder.meter.release()
	c.binder.meter.hold(c.binder.hoisted)
	c.binder.forgetHubs()
	if c.entries != c.binder {
		c.entries.meter.release()
	}
}

// divide cuts the step where that is worth while. Otherwise limit is the work
// after which it is asked again; 0: never.
func (c *crew) divide() (morsels []morsel, limit int64) {
	if c.cuts != nil {
		return c.cuts()
	}
	opt := &c.binder.opt
	if c.depth == 0 || opt.Threads <= 1 && opt.Morsels == 0 && !c.inexact() {
		return nil, 0
	}
	sink := c.workers[0].entries.sink
	group, merge := sink.group, c.entries.mergedEntries(sink)
	if opt.Morsels > 0 {
		return c.binder.cut(c.depth, group, opt.Morsels, 1e18, merge), 0
	}
	units := c.binder.expected()
	if c.entries != c.binder {
		units += c.entries.expected()
	}
	units = max(units, longer*c.long)
	if units < cutUnits {
		return nil, longUnits
	}
	parts := min(max(int(min(units/morselUnits, morselsMax)), morselsMin), morselsMax)
	if whole := c.wholeGroups(group, parts, units, merge); whole != nil {
		return whole, int64(min(longer*units, 1e18))
	}
	return c.binder.cut(c.depth, group, parts, units, merge), int64(min(longer*units, 1e18))
}

// wholeMin is how many morsels of whole groups do where those can write their entries
// to their places: nothing is merged then.
const wholeMin = 16

// wholeGroups cuts the step where its entries have places and groups are morsels
// enough; nil where either is not so.
func (c *crew) wholeGroups(group, parts int, units, merge float64) []morsel {
	if _, ok := placedKind(c.entries.step.Output.Formats); !ok || group == 0 || group >= c.depth || c.entries != c.binder {
		return nil
	}
	if out := c.binder.cut(group, group, parts, units, merge); len(out) >= wholeMin {
		return out
	}
	return nil
}

// inexact reports whether values depend on the order in which they are combined.
func (c *crew) inexact() bool {
	for _, b := range []*binder{c.binder, c.entries} {
		for l, leaf := range b.query.Leaves {
			if agg, ok := leaf.Expr.(*einsum.Agg); ok && len(agg.Idxs) > 0 && b.leafElem(l) == semiring.F64 {
				return true
			}
		}
	}
	return false
}

// expected is the estimated work of the step, in units of env.burn: at least the
// times that loops run. Without an estimate it is the operands' entries.
func (b *binder) expected() float64 {
	units := b.step.BodyNNZ
	for d := range b.step.Loops {
		units += b.step.Loops[d].Iterations
	}
	if units == 0 {
		for _, o := range b.operands {
			units += float64(o.tensor.NNZ)
		}
	}
	return units
}

// runMorsels lets up to so many workers take morsel after morsel. The caller's
// goroutine is the first of them; a budget that has no room for another's
// workspaces leaves the morsels to those that there are.
func (c *crew) runMorsels(morsels []morsel, threads int) error {
	for len(c.workers) < min(threads, len(morsels)) {
		w := c.hire()
		if w.err() != nil {
			w.dismiss()
			break
		}
		c.workers = append(c.workers, w)
	}
	c.place(morsels)
	s := &shift{morsels: morsels, merger: newMerger(c)}
	for _, w := range c.workers {
		w.nest.env.stop = &s.stop
		w.entries.sink.out.expected = int(min(c.entries.step.OutNNZ/float64(len(morsels)), firstMax))
	}
	var wg sync.WaitGroup
	for _, w := range c.workers[1:] {
		wg.Go(func() { s.work(w) })
	}
	s.work(c.workers[0])
	wg.Wait()
	if p := s.panicked.Load(); p != nil {
		panic(p)
	}
	for _, w := range c.workers {
		if err := w.err(); err != nil && !errors.Is(err, errStopped) {
			return err
		}
		w.dismiss()
	}
	var err error
	c.out, err = s.merger.finish()
	return err
}

// shift is the morsels of one traversal while workers take them.
type shift struct {
	morsels  []morsel
	next     atomic.Int64
	stop     atomic.Bool
	merger   *merger
	panicked atomic.Pointer[workerPanic]
}

func (s *shift) work(w *worker) {
	defer func() {
		if p := recover(); p != nil {
			s.panicked.CompareAndSwap(nil, &workerPanic{value: p, stack: debug.Stack()})
			s.stop.Store(true)
		}
	}()
	for !s.stop.Load() {
		k := int(s.next.Add(1)) - 1
		if k >= len(s.morsels) {
			return
		}
		if w.run(s.morsels[k]) != nil || !s.merger.add(k, w.entries.sink.out.detach()) {
			s.stop.Store(true)
		}
	}
}

// workerPanic carries a panic to the goroutine of the statement, which alone
// recovers. Printed with %+v it shows where the worker was.
type workerPanic struct {
	value any
	stack []byte
}

// Format prints the value, and with a plus the worker's stack.
func (p *workerPanic) Format(s fmt.State, verb rune) {
	_, err := fmt.Fprintf(s, "%v", p.value)
	if err == nil && verb == 'v' && s.Flag('+') {
		_, err = fmt.Fprintf(s, "\n%s", p.stack)
	}
	if err != nil {
		panic(err) // the printer recovers it, and says so
	}
}

// over tells per leaf of the traversed step, or with entries of the stored one,
// whether a worker met a value that did not fit.
func (c *crew) over(entries bool) []bool {
	var out []bool
	for _, w := range c.workers {
		n := w.nest
		if entries {
			n = w.entries
		}
		if out == nil {
			out = make([]bool, len(n.env.over))
		}
		for l, o := range n.env.over {
			out[l] = out[l] || o
		}
	}
	if entries && c.out != nil && c.out.env != nil {
		for l, o := range c.out.env.over {
			out[l] = out[l] || o
		}
	}
	return out
}

// tell adds the figures of a traversal.
func (c *crew) tell(stats *StepStats) {
	stats.Traversals++
	stats.Cells, stats.Threads, stats.Morsels = 0, len(c.workers), c.morsels
	for _, w := range c.workers {
		stats.Cells += w.nest.env.cells
		stats.Kernel, stats.Rows = w.nest.kernel, w.nest.rows
	}
	stats.Bytes = max(stats.Bytes, c.binder.meter.peak.Load())
}
