package exec

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// fusedRows is the number of entries handed from step to step at once: they fit
// the second level cache with a leaf or two.
const fusedRows = 1 << 12

// RunFused executes a step whose result is not stored (physical P7) and the
// step into, which takes its entries as they come. in and intoIn bind the two;
// intoIn has no tensor for the operand that the step is. ranges are the intervals of the first step's leaves
// that watch asks for. Memory is that of one chunk beside both steps' own.
//
// Errors are those of RunStep.
func RunFused(ctx context.Context, step, into *physical.Step, in, intoIn Inputs, opt Options, watch []Watch) (*fibers.Tensor, FusedStats, error) {
	var stats FusedStats
	stats.Step.Workspace, stats.Into.Workspace = step.Output.Workspace.String(), into.Output.Workspace.String()
	if err := ctx.Err(); err != nil {
		return nil, stats, err
	}
	b := newBinder(step, in, opt)
	if !opt.NoRegistry {
		b.recognise()
		if err := b.hoist(ctx); err != nil {
			return nil, stats, err
		}
		defer b.forgetHoisted()
	}
	held := &meter{budget: opt.BudgetBytes, shared: opt.Account}
	wide, intoWide := make([]bool, len(step.Query.Leaves)), make([]bool, len(into.Query.Leaves))
	// A morsel is whole groups of the step, whose entries are then whole.
	c := &crew{ctx: ctx, binder: b, depth: step.Output.Prefix}
	c.hire = func() *worker {
		n := b.bind(ctx, wide)
		f := newFusion(ctx, n, step, into, intoIn, opt, intoWide, watch, held)
		c.entries = f.binder
		return &worker{nest: n, entries: f.nest, fused: f}
	}
	c.merge = func() *nest { return c.entries.merging().prepare(ctx, intoWide) }
	for {
		err := c.traverse()
		c.tell(&stats.Step)
		if err != nil {
			return nil, stats, err
		}
		again, err := b.overflow(c.over(false), wide, &stats.Step)
		if err == nil && !again {
			stats.Into.Traversals++
			again, err = c.entries.overflow(c.over(true), intoWide, &stats.Into)
		}
		if err != nil {
			return nil, stats, err
		}
		if again {
			c.release()
			continue
		}
		t, err := c.out.tensor(ctx, into.Output.Formats)
		if err != nil {
			return nil, stats, err
		}
		stats.gather(c, t.NNZ)
		return t, stats, nil
	}
}

// gather adds up what the workers of a traversal saw.
func (s *FusedStats) gather(c *crew, entries int) {
	s.Into.Entries, s.Into.Threads, s.Into.Morsels = entries, s.Step.Threads, s.Step.Morsels
	s.Into.Bytes = c.entries.meter.peak.Load()
	s.Step.Workspace, s.Into.Workspace = c.workers[0].nest.sink.kind.String(), c.workers[0].entries.sink.kind.String()
	s.Step.Entries, s.Ranges = 0, make([]Range, len(c.workers[0].fused.ranges))
	for _, w := range c.workers {
		s.Step.Entries += w.nest.sink.out.n
		s.Into.Kernel = w.entries.kernel
		for i, r := range w.fused.ranges {
			if r.Found {
				s.Ranges[i].widen(r.Lo, r.Hi)
			}
		}
	}
	if s.Into.Cells = int64(s.Step.Entries); c.workers[0].fused.nested {
		s.Into.Cells = 0
		for _, w := range c.workers {
			s.Into.Cells += w.entries.env.cells
		}
	}
}

// FusedStats are the true figures of two fused steps.
type FusedStats struct {
	Step, Into StepStats
	Ranges     []Range // one per Watch
}

// Watch asks for the interval from the least value of leaf Lo to the greatest of
// leaf Hi over the entries where leaf Valid is not 0 (empty: over all). The
// leaves are exact.
type Watch struct{ Lo, Hi, Valid string }

// Range is what a Watch saw; Found is false when there was no entry.
type Range struct {
	Lo, Hi semiring.Int128
	Found  bool
}

// fusion is the reading step of RunFused: it visits the entries of chunks
// instead of a tensor.
type fusion struct {
	from   *output // of the first step
	at     int     // the operand that it is
	binder *binder
	nest   *nest
	body   func(*env)
	nested bool         // the reading step has other operands, loops or comparisons
	outer  []*outerLoop // nested: the loops over the first step's indices
	bound  int          // nested: outer loops whose followers are at the last entry's coordinates
	work   *chunkWork   // nil: entry by entry
	watch  []Watch
	ranges []Range
	open   bool // the sink's group has begun
}

func newFusion(ctx context.Context, n *nest, step, into *physical.Step, in Inputs, opt Options, wide []bool, watch []Watch, held *meter) *fusion {
	f := &fusion{from: n.sink.out, watch: watch, ranges: make([]Range, len(watch))}
	f.from.full = f.take
	f.at = slices.IndexFunc(into.Operands, func(o physical.Operand) bool { return o.Tensor == step.Query.Name })
	f.nested = nested(step, into)
	f.from.unplaced = len(into.Query.Idxs) == 0 && !f.nested
	operands := make([]*fibers.Tensor, len(into.Operands))
	copy(operands, in.Operands)
	operands[f.at] = f.from.view(f.from.handed())
	in.Operands = operands
	f.binder = newBinder(into, in, opt)
	f.binder.meter, f.binder.fused = held, true
	f.nest = f.binder.prepare(ctx, wide)
	f.nest.kernel = "fused"
	if f.nested {
		f.bindNested(len(step.Output.Order))
		return f
	}
	f.body = f.nest.sink.take
	if !f.binder.exact {
		f.body = f.binder.residual(f.body)
	}
	if !opt.NoRegistry && f.binder.exact {
		if f.work = f.binder.chunkWork(f.nest.sink.accs, f.from.unplaced); f.work != nil {
			f.nest.kernel = "fused columns"
		}
	}
	return f
}

// handed is the chunk that is handed on, full or not: it is the only one. Over
// budget it has no room, and the traversal reports the error.
func (o *output) handed() *outChunk {
	if c := o.room(); c != nil {
		return c
	}
	invariant.Check(o.env.err != nil, "exec: no room for the first chunk")
	c := &outChunk{coords: make([][]fibers.Coord, len(o.dims)), leaves: make([]fibers.Leaf, len(o.accs))}
	for l, acc := range o.accs {
		c.leaves[l] = fibers.NewLeaf(o.names[l], acc.elem(), 0)
	}
	return c
}

// view is a tensor of a chunk's leaves: entry i has position i. Its levels are
// never walked.
func (o *output) view(c *outChunk) *fibers.Tensor {
	t := &fibers.Tensor{Dims: o.dims, Levels: make([]fibers.Level, len(o.dims)), NNZ: 1}
	for m := range t.Levels {
		t.Levels[m] = &fibers.SparseListLevel{}
	}
	for _, l := range c.leaves {
		l.I64, l.I128, l.F64 = l.I64[:cap(l.I64)], l.I128[:cap(l.I128)], l.F64[:cap(l.F64)]
		t.Leaves = append(t.Leaves, l)
	}
	t.AssumeUnbounded() // the chunk is filled again and again
	return t
}

// take visits the entries of a chunk.
func (f *fusion) take(c *outChunk) {
	for w := range f.watch {
		f.see(&f.ranges[w], f.watch[w], c)
	}
	e := f.nest.env
	if !e.burn(c.n) {
		f.from.env.err = e.err
		return
	}
	switch {
	case f.nested:
		f.visitNested(c)
		// What the inner loops still hold is of entries that will be overwritten.
		if flush := f.nest.sink.flush; flush != nil {
			flush(e)
		}
	case f.work == nil || !f.takeColumns(c):
		f.visit(c, 0, c.n, f.body)
	}
	if e.err != nil {
		f.from.env.err = e.err
	}
}

// visit moves from entry to entry of from..to-1 and calls body; a group is a run
// of entries that agree in the output's prefix.
func (f *fusion) visit(c *outChunk, from, to int, body func(*env)) {
	e, s := f.nest.env, f.nest.sink
	slot := f.binder.operands[0].last()
	for i := from; i < to; i++ {
		same := f.open
		for d := 0; d < s.group && same; d++ {
			same = e.ix[d] == c.coords[d][i]
		}
		if !same {
			f.close()
			f.begin()
		}
		for d := range c.coords {
			if len(c.coords[d]) > 0 {
				e.ix[d] = c.coords[d][i]
			}
		}
		e.pos[slot] = int32(i)
		body(e)
	}
}

func (f *fusion) begin() {
	f.open = true
	if s := f.nest.sink; s.begin != nil {
		s.begin(f.nest.env)
	}
}

func (f *fusion) close() {
	if !f.open {
		return
	}
	f.open = false
	e, s := f.nest.env, f.nest.sink
	if s.flush != nil {
		s.flush(e)
	}
	if e.err == nil {
		s.end(e)
	}
}

// finish takes the last chunk and ends the last group: of the step, or of a morsel.
func (f *fusion) finish() {
	for _, c := range f.from.chunks {
		if c.n > 0 {
			f.take(c)
			c.empty()
		}
	}
	f.close()
}

// see widens a range by a chunk's entries.
func (f *fusion) see(r *Range, w Watch, c *outChunk) {
	find := func(name string) *fibers.Leaf {
		for l := range c.leaves {
			if c.leaves[l].Name == name {
				return &c.leaves[l]
			}
		}
		panic(invariant.Failed("exec: no leaf %s to watch", name))
	}
	lo, hi := find(w.Lo), find(w.Hi)
	if w.Valid == "" && lo.Elem == semiring.I64 && hi.Elem == semiring.I64 {
		least, most := lo.I64[0], hi.I64[0]
		for i := range c.n {
			least, most = min(least, lo.I64[i]), max(most, hi.I64[i])
		}
		r.widen(semiring.FromInt64(least), semiring.FromInt64(most))
		return
	}
	for i := range int32(c.n) {
		if w.Valid == "" || !find(w.Valid).IsZero(i) {
			r.widen(lo.Int128(i), hi.Int128(i))
		}
	}
}

func (r *Range) widen(lo, hi semiring.Int128) {
	if !r.Found || lo.Cmp(r.Lo) < 0 {
		r.Lo = lo
	}
	if !r.Found || hi.Cmp(r.Hi) > 0 {
		r.Hi = hi
	}
	r.Found = true
}
