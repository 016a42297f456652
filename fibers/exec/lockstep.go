package exec

import (
	"context"
	"errors"
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// Part is a step in lockstep with the one that reads it, bound to data.
type Part struct {
	Step *physical.Step
	In   Inputs
}

// LockstepStats are the true figures of steps in lockstep.
type LockstepStats struct {
	Parts []StepStats
	Into  StepStats
}

// ErrNoLockstep is returned where steps do not run in lockstep as the plan has it: a
// value turns out to be an integer, which may overflow, or kernels are disabled. They
// are to be run one after the other.
var ErrNoLockstep = errors.New("the steps do not run in lockstep")

// RunLockstep executes steps of one index whose results are not stored (physical P10)
// and the step into, which maps their entries: for one block of coordinates after the
// other the nest of each part runs, and then the map, column by column. in has no
// tensors for the operands. Memory is a chunk per part beside the result.
//
// Errors are those of RunStep, and ErrNoLockstep before anything has run.
func RunLockstep(ctx context.Context, parts []Part, into *physical.Step, in Inputs, opt Options) (*fibers.Tensor, LockstepStats, error) {
	stats := LockstepStats{Parts: make([]StepStats, len(parts))}
	stats.Into.Workspace = into.Output.Workspace.String()
	if err := ctx.Err(); err != nil {
		return nil, stats, err
	}
	r := &lockstepRun{ctx: ctx, into: into, in: in, opt: opt, meter: &meter{budget: opt.BudgetBytes, shared: opt.Account}}
	if opt.NoRegistry || !r.bindParts(parts) {
		return nil, stats, ErrNoLockstep
	}
	r.wide = make([]bool, len(into.Query.Leaves))
	c := &crew{ctx: ctx, depth: 1, cuts: r.cut}
	c.hire = func() *worker {
		w, b := r.hire()
		c.binder, c.entries = b, b
		return w
	}
	c.merge = func() *nest { return c.binder.merging().prepare(ctx, r.wide) }
	for {
		err := c.traverse()
		c.tell(&stats.Into)
		if err == nil && overflows(c.workers) {
			err = ErrOverflow
		}
		if err != nil {
			return nil, stats, err
		}
		again, err := c.binder.overflow(c.over(true), r.wide, &stats.Into)
		if err != nil {
			return nil, stats, err
		}
		if again {
			c.release()
			continue
		}
		stats.Into.Placed = c.out.placed != nil
		t, err := c.out.tensor(ctx, into.Output.Formats)
		stats.Into.Bytes = max(stats.Into.Bytes, r.meter.peak.Load())
		if err != nil {
			return nil, stats, err
		}
		stats.Into.Entries = t.NNZ
		stats.tell(c.workers)
		return t, stats, nil
	}
}

// lockstepRun is what the workers of RunLockstep share.
type lockstepRun struct {
	ctx   context.Context
	into  *physical.Step
	in    Inputs
	opt   Options
	meter *meter
	parts []*binder
	wide  []bool // leaves of into that need 128 bits
	dim   int    // coordinates; known when a worker is
}

// bindParts binds the parts; false: some value may overflow.
func (r *lockstepRun) bindParts(parts []Part) bool {
	for _, p := range parts {
		b := newBinder(p.Step, p.In, r.opt)
		for l := range p.Step.Query.Leaves {
			if e := b.leafElem(l); e != semiring.Pattern && e != semiring.F64 {
				return false
			}
		}
		b.meter = r.meter
		b.recognise()
		r.parts = append(r.parts, b)
	}
	return true
}

// lockstep is a worker: nests of the parts and the columns of the map.
type lockstep struct {
	parts    []*pacedPart
	sink     *sink
	dim      fibers.Coord
	leaves   []columnLeaf
	lanes    *lanes
	present  tests        // where the map has an entry, as far as required does not say
	required []*pacedPart // without which it has none
	coords   [][]fibers.Coord
}

// pacedPart is a part of a worker.
type pacedPart struct {
	nest     *nest
	chunk    *outChunk
	op       int  // of the map
	empty    bool // an operand that it needs has no entry: there is nothing to run
	entries  int
	from, to [1]fibers.Coord
	at       []int32 // per coordinate of a block, its entry in the chunk; -1: there is none
}

// hire binds one more worker, with a binder of the map of its own: its operands are
// the worker's chunks.
func (r *lockstepRun) hire() (*worker, *binder) {
	s := &lockstep{coords: [][]fibers.Coord{make([]fibers.Coord, kernel.BatchMax)}}
	in := r.in
	in.Operands = make([]*fibers.Tensor, len(r.into.Operands))
	var failed error
	for _, b := range r.parts {
		p := &pacedPart{nest: b.bind(r.ctx, make([]bool, len(b.query.Leaves))), empty: b.empty(), at: make([]int32, kernel.BatchMax)}
		out := p.nest.sink.out
		out.full = func(*outChunk) { panic(invariant.Failed("exec: more entries than coordinates")) }
		if p.chunk = out.handed(); p.nest.env.err != nil {
			failed = p.nest.env.err
		} else {
			p.nest.env.held += int64(p.chunk.cap) * out.entryBytes() // it goes with the worker
		}
		p.op = slices.IndexFunc(r.into.Operands, func(o physical.Operand) bool { return o.Tensor == b.step.Query.Name })
		in.Operands[p.op] = out.view(p.chunk)
		s.parts = append(s.parts, p)
	}
	b := newBinder(r.into, in, r.opt)
	b.meter = r.meter
	n := b.prepare(r.ctx, r.wide)
	if n.kernel = lockstepKernel; failed != nil {
		n.env.err = failed
	}
	s.bind(b, n)
	n.run = s.run
	r.dim = int(s.dim)
	return &worker{nest: n, entries: n, pace: s}, b
}

// lockstepKernel is the kernel of the map that EXPLAIN shows.
const lockstepKernel = "lockstep columns"

// bind compiles the map.
func (s *lockstep) bind(b *binder, n *nest) {
	s.sink, s.dim = n.sink, fibers.Coord(b.dim(b.step.Loops[0].Index.Name))
	s.lanes, s.present = newLanes(len(b.operands)), b.presentColumn(bodyOf(b.query.Leaves[0].Expr))
	for l, acc := range n.sink.accs {
		leaf := b.columnLeaf(l, acc)
		invariant.Check(leaf != nil, "exec: leaf %s of a map is no column", b.query.Leaves[l].Name)
		s.leaves = append(s.leaves, leaf)
	}
	for _, p := range s.parts {
		if b.required.has(p.op) {
			s.required = append(s.required, p)
		}
	}
}

// run goes through the coordinates of the morsel block by block.
func (s *lockstep) run(e *env) {
	lo, hi := e.morsel.clip(e.ix, 0, 0, s.dim)
	for from := lo; from < hi && e.err == nil; from += kernel.BatchMax {
		s.block(e, from, min(from+kernel.BatchMax, hi))
	}
}

// block runs the parts for the coordinates from..to-1, and then the map.
func (s *lockstep) block(e *env, from, to fibers.Coord) {
	n, all := int(to-from), true
	for _, p := range s.parts {
		if !p.run(from, to) {
			if e.err == nil {
				e.err = p.nest.env.err
			}
			return
		}
		all = all && p.chunk.n == n
	}
	if !e.burn(n * len(s.parts)) {
		return
	}
	if all {
		n = s.everywhere(from, n)
	} else {
		n = s.somewhere(e, from, n)
	}
	if n > 0 {
		s.evaluate(e, n)
	}
}

// run makes the part's entries of the coordinates from..to-1.
func (p *pacedPart) run(from, to fibers.Coord) bool {
	e := p.nest.env
	p.chunk.empty()
	p.from[0], p.to[0] = from, to
	e.morsel, e.cut = morsel{from: p.from[:], to: p.to[:]}, 1
	if e.err == nil && !p.empty {
		p.nest.run(e)
	}
	p.entries += p.chunk.n
	return e.err == nil
}

// everywhere takes n coordinates at which every part has an entry.
func (s *lockstep) everywhere(from fibers.Coord, n int) int {
	for _, p := range s.parts {
		s.lanes.at[p.op] = place{}
	}
	for i := range n {
		s.coords[0][i] = from + fibers.Coord(i)
	}
	return n
}

// somewhere takes those of n coordinates at which the map has an entry, and returns
// how many these are.
func (s *lockstep) somewhere(e *env, from fibers.Coord, n int) int {
	for _, p := range s.parts {
		kernel.FillColumn(p.at[:n], -1)
		for i, k := range p.chunk.coords[0][:p.chunk.n] {
			p.at[k-from] = int32(i)
		}
		s.lanes.at[p.op] = place{source: source{ix: p.at[:n]}}
	}
	s.lanes.begin(n)
	kept := 0
	for i, holds := range s.present(e, s.lanes)[:n] {
		if !holds || slices.ContainsFunc(s.required, func(p *pacedPart) bool { return p.at[i] < 0 }) {
			continue
		}
		s.coords[0][kept] = from + fibers.Coord(i)
		for _, p := range s.parts {
			p.at[kept] = p.at[i]
		}
		kept++
	}
	for _, p := range s.parts {
		s.lanes.at[p.op].ix = p.at[:kept]
	}
	return kept
}

// evaluate appends the map's entries at n lanes.
func (s *lockstep) evaluate(e *env, n int) {
	e.cells += int64(n)
	s.lanes.begin(n)
	for _, leaf := range s.leaves {
		if leaf.evaluate(e, s.lanes); leaf.faulty() {
			leaf.explain(e, s.lanes)
			return
		}
	}
	s.sink.out.appendColumns(s.coords, n, func(l int, dst *fibers.Leaf, from, to int) {
		s.leaves[l].appendRange(dst, from, to)
	})
}

// cut divides the coordinates into morsels of whole blocks. An entry is computed whole
// wherever the cuts are.
func (r *lockstepRun) cut() (morsels []morsel, limit int64) {
	opt := &r.opt
	if opt.Threads <= 1 && opt.Morsels == 0 {
		return nil, 0
	}
	count := opt.Morsels
	if count == 0 {
		units := 0.0
		for _, b := range r.parts {
			units += b.expected()
		}
		if units = max(units, float64(r.dim*len(r.parts))); units < cutUnits {
			return nil, 0
		}
		count = min(max(int(min(units/morselUnits, morselsMax)), morselsMin), morselsMax)
	}
	blocks := (r.dim + kernel.BatchMax - 1) / kernel.BatchMax
	size := fibers.Coord(max((blocks+count-1)/count, 1) * kernel.BatchMax)
	var p morsel
	for to := size; int(to) < r.dim; to += size {
		p.to = []fibers.Coord{to}
		morsels = append(morsels, p)
		p = morsel{from: p.to}
	}
	return append(morsels, p), 0
}

// dismiss releases what the parts hold.
func (s *lockstep) dismiss() {
	for _, p := range s.parts {
		p.nest.env.dismiss()
	}
}

// overflows reports whether a part met a value that did not fit: of its conditions,
// since doubles always do.
func overflows(workers []*worker) bool {
	return slices.ContainsFunc(workers, func(w *worker) bool {
		return slices.ContainsFunc(w.pace.parts, func(p *pacedPart) bool { return slices.Contains(p.nest.env.over, true) })
	})
}

// tell adds up what the workers of a traversal saw of the parts.
func (s *LockstepStats) tell(workers []*worker) {
	for k := range s.Parts {
		t := &s.Parts[k]
		t.Traversals, t.Threads, t.Morsels = 1, s.Into.Threads, s.Into.Morsels
		for _, w := range workers {
			p := w.pace.parts[k]
			t.Entries += p.entries
			t.Cells += p.nest.env.cells
			t.Kernel, t.Rows, t.Workspace = p.nest.kernel, p.nest.rows, p.nest.sink.kind.String()
		}
	}
}
