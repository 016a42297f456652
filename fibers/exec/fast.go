package exec

import (
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// fastLoop is an innermost loop that works on batches of the leader's entries:
// filters narrow a selection, then every leaf reduces or scatters it.
type fastLoop struct {
	batcher
	sink   *sink
	key    kernel.Key
	leaves []fastLeaf
	found  int64           // cells of the current run
	masked int64           // cells of it that contribute nothing
	outer  func(*env) bool // an absence bound by a loop around masks the run; nil: there is none
	// Scatter: the slots of the selected cells. within is the first slot of a run where
	// loops around it are modes of the workspace as well; nil: it is 0.
	slots  []int32
	within func(*env) int32
	placed []int32 // room for slots
	// deferred: all runs of a group end in the same slot with the same
	// coefficients, so their totals are added once, at the group's end.
	deferred bool
}

// fastLeaf is a sum over products, one leaf of the query.
type fastLeaf interface {
	// reset begins a run of the loop.
	reset()
	// reduce adds the current selection to the leaf's totals.
	reduce(e *env, f *fastLoop)
	// scatter adds the current selection to the slots of its coordinates.
	scatter(e *env, f *fastLoop)
	// finish adds the totals of a run that found cells to a slot.
	finish(e *env, f *fastLoop, slot int32)
	// depth is the innermost loop that a coefficient depends on, -1: none.
	depth() int
	// factors is the widest product's number of factors that depend on this loop.
	factors() int
}

// fastLoop returns the innermost loop as a specialised one, and its name in
// StepStats; nil where the registry has none.
func (b *binder) fastLoop(l *loop, s *sink) (*fastLoop, string) {
	if len(l.terms) == 0 && !l.covered || len(l.repeats)+len(l.again) > 0 {
		return nil, ""
	}
	f := &fastLoop{batcher: newBatcher(l), sink: s, outer: b.maskedWithin(l.d)}
	if !b.batchUnion(&f.batcher) {
		return nil, ""
	}
	for m, d := range s.loops {
		if d != l.d {
			continue
		}
		if s.kind != format.DenseWorkspace || m != len(s.loops)-1 {
			return nil, ""
		}
		f.key.Shape = kernel.Scatter
		f.bindWithin()
	}
	for n, acc := range s.accs {
		leaf := b.fastLeaf(f, n, acc)
		if f.union != nil {
			leaf = b.unionLeaf(f, n, acc)
		}
		if leaf == nil {
			return nil, ""
		}
		f.leaves = append(f.leaves, leaf)
		f.key.Factors = max(f.key.Factors, leaf.factors())
	}
	f.numbered = f.key.Shape == kernel.Scatter || len(l.lacks)+len(l.optional) > 0
	f.key.Filters = len(l.masks)
	for _, passes := range f.passes {
		if !passes {
			f.key.Filters++
		}
	}
	f.key.Filters = max(0, f.key.Filters-1)
	if f.deferred = b.mayDefer(f); f.deferred {
		s.flush = f.flush
		s.held = func() bool { return f.found+f.masked > 0 }
	}
	if f.union != nil {
		return f, unionName(f.key.Name())
	}
	return f, f.key.Name()
}

// mayDefer reports whether the coefficients of all leaves are bound outside the
// sink's group, which has one slot.
func (b *binder) mayDefer(f *fastLoop) bool {
	if f.sink.kind != format.None || f.key.Shape != kernel.Reduce {
		return false
	}
	for _, leaf := range f.leaves {
		if leaf.depth() >= f.sink.group {
			return false
		}
	}
	return true
}

func (f *fastLoop) run(e *env) {
	lead, from, to := f.start(e)
	if from >= to {
		return
	}
	f.lead = lead
	masked := f.outer != nil && f.outer(e)
	if f.merged {
		f.runMerged(e)
		return
	}
	if f.union == nil && len(f.lacks) == 0 && !masked && f.key.Shape == kernel.Reduce && f.key.Factors == 0 && len(f.masks) == 0 && f.countOnly(e, from, to) {
		f.finish(e)
		return
	}
	for f.at = from; f.at < to; f.at += kernel.BatchMax {
		n := min(to-f.at, kernel.BatchMax)
		if !e.burn(int(n)) {
			return
		}
		f.batch(e, n, masked)
	}
	f.finish(e)
}

// runMerged is run where the union of the optional terms leads.
func (f *fastLoop) runMerged(e *env) {
	f.lead, f.at = &f.union.lead, 0
	for n := f.union.next(f.loop); n > 0; n = f.union.next(f.loop) {
		if !e.burn(int(n) * len(f.optional)) {
			return
		}
		f.batch(e, n, false)
	}
	f.finish(e)
}

// batch hands the next n entries of the leader, as far as they pass, to the leaves.
func (f *fastLoop) batch(e *env, n int32, masked bool) {
	f.selectBatch(e, n)
	f.keepPresent(e)
	if len(f.sel.Ks) == 0 {
		return
	}
	if f.key.Shape == kernel.Scatter {
		f.toSlots(e)
		w := f.sink.dense
		w.n = kernel.Touch(f.slots, w.flags, w.touched, w.n)
	}
	if f.count(e, masked); len(f.sel.Ks) == 0 {
		return
	}
	if len(f.slots) > len(f.sel.Ks) { // some are left out
		f.toSlots(e)
	}
	for i, used := range f.valued {
		if used {
			f.locate(e, i)
		}
	}
	for _, leaf := range f.leaves {
		if f.key.Shape == kernel.Scatter {
			leaf.scatter(e, f)
		} else {
			leaf.reduce(e, f)
		}
	}
}

// bindWithin finds where the slots of a run begin, whose loop binds the last mode of the
// workspace.
func (f *fastLoop) bindWithin() {
	free := f.sink.loops[f.sink.modes:]
	outer := len(free) - 1
	if outer == 0 {
		return
	}
	row, dim := slotOf(free[:outer], f.sink.out.slotted[:outer]), fibers.Coord(f.sink.out.slotted[outer])
	f.within = func(e *env) int32 { return row(e) * dim }
	f.placed = make([]int32, kernel.BatchMax)
}

// toSlots finds the slots of the selected cells.
func (f *fastLoop) toSlots(e *env) {
	f.slots = f.sel.Ks
	if f.within == nil {
		return
	}
	first := f.within(e)
	f.slots = f.placed[:len(f.sel.Ks)]
	for i, k := range f.sel.Ks {
		f.slots[i] = first + k
	}
}

// count counts the selected cells and leaves those selected that contribute
// something: none where the run is masked.
func (f *fastLoop) count(e *env, masked bool) {
	all := len(f.sel.Ks)
	if masked {
		f.sel = kernel.Selection{}
	} else if len(f.lacks) > 0 {
		f.leaveOut(e)
	}
	f.found += int64(len(f.sel.Ks))
	f.masked += int64(all - len(f.sel.Ks))
}

func (f *fastLoop) reset() {
	f.found, f.masked = 0, 0
	for _, leaf := range f.leaves {
		leaf.reset()
	}
}

// finish ends a run.
func (f *fastLoop) finish(e *env) {
	if !f.deferred {
		f.flush(e)
	}
}

// flush adds the totals to their slot.
func (f *fastLoop) flush(e *env) {
	e.cells += f.found + f.masked
	if f.found+f.masked > 0 && f.key.Shape == kernel.Reduce {
		slot := f.sink.touch(e)
		if f.found > 0 {
			for _, leaf := range f.leaves {
				leaf.finish(e, f, slot)
			}
		}
	}
	f.reset()
}

// countOnly counts entries [from,to) of the leader that pass, when that takes
// no selection: no filter, or one that probes marks. Reports whether it could.
func (f *fastLoop) countOnly(e *env, from, to int32) bool {
	var filter *term
	for i, t := range f.terms {
		if t == f.lead || f.passes[i] {
			continue
		}
		if filter != nil {
			return false
		}
		filter = t
	}
	if filter == nil {
		f.found += int64(to - from)
		return true
	}
	if marked := filter.seek == byMark || filter.seek == byBits || filter.kind == format.Bytemap; f.lead.idx == nil || !marked {
		return false
	}
	idx := f.lead.fiber()
	for at := from; at < to; at += gasUnits {
		piece := idx[at:min(at+gasUnits, to)]
		if !e.burn(len(piece)) {
			return true
		}
		f.found += int64(countPiece(filter, piece))
	}
	return true
}

func countPiece(filter *term, ks []int32) int {
	switch {
	case filter.seek == byMark && filter.marks.slots:
		return kernel.CountSlots(ks, filter.marks.at)
	case filter.seek == byMark:
		return kernel.CountMarked(ks, filter.marks.bytes)
	case filter.seek == byBits:
		return kernel.CountInside(ks, filter.bits)
	default:
		return kernel.CountMarked(ks, filter.present())
	}
}
