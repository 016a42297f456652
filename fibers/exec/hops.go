package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// hops are the loops inside a cellLoop when each of them has at most one coordinate:
// some operand tells it, as the columns of a table's row tell one another. There is
// nothing to iterate: the cells of a batch hop from coordinate to coordinate, all of
// them before the next one, and those that get lost are left out.
type hops struct {
	steps []hop
	cols  [][]int32 // by position slot, of the batch's cells; nil: all have the same
	moved []movedSlot
	ks    []fibers.Coord // the cells' coordinates in the cellLoop
	coord []fibers.Coord // and in the present hop
	keep  []int32
	fixed []int32 // a column of one position
}

// hopName is the kernel's name in a step's statistics.
const hopName = "hop-columns"

// hop is one of the loops.
type hop struct {
	lead  *term // at most one entry in each of its fibers
	terms []*term
}

// movedSlot is a position slot that a term of the cellLoop moves.
type movedSlot struct{ slot, term int }

// hopLoop returns the loop whose cells are entries of the output, where all loops
// inside it are hops; nil: there is none.
func (b *binder) hopLoop(brk *breaker, s *sink) *cellLoop {
	inner := s.group
	if brk != nil || b.opt.NoRegistry || len(b.absences) > 0 || !b.exact || s.kind != format.None || inner == 0 || inner == len(b.step.Loops) {
		return nil
	}
	l := b.newLoop(inner-1, nil)
	if l.split || l.point() != nil || len(l.optional) > 0 || slices.ContainsFunc(l.terms, func(t *term) bool { return t.runs != nil }) {
		return nil
	}
	h := &hops{cols: make([][]int32, b.slots)}
	for d := inner; d < len(b.step.Loops); d++ {
		step, ok := b.hop(d)
		if !ok {
			return nil
		}
		h.steps = append(h.steps, step)
		for _, t := range append(step.terms, step.lead) {
			h.cols[t.slot] = make([]int32, kernel.BatchMax)
		}
	}
	c := b.cellLoop(l, s)
	if c == nil {
		return nil
	}
	for i, t := range l.terms {
		o := b.operands[t.op]
		if o.valued || t.slot != o.last() {
			h.cols[t.slot] = make([]int32, kernel.BatchMax)
			h.moved = append(h.moved, movedSlot{slot: t.slot, term: i})
		}
	}
	for _, buf := range []*[]int32{&h.ks, &h.coord, &h.keep, &h.fixed} {
		*buf = make([]int32, kernel.BatchMax)
	}
	c.hops = h
	return c
}

// hop looks at loop d; false where it may have several coordinates, or looks at them
// otherwise than by the operands.
func (b *binder) hop(d int) (hop, bool) {
	l := b.newLoop(d, nil)
	if len(l.repeats)+len(l.optional)+len(l.again) > 0 || l.bounded() || b.sliced(d) {
		return hop{}, false
	}
	var p hop
	for _, t := range l.terms {
		switch {
		case p.lead == nil && b.single(t):
			p.lead = t
		case t.runs != nil:
			return hop{}, false
		default:
			p.terms = append(p.terms, t)
		}
	}
	return p, p.lead != nil
}

// single reports whether no fiber of a list has more than one entry. O(fibers), once
// per level.
func (b *binder) single(t *term) bool {
	if t.kind == format.Pinpoint {
		return true
	}
	if t.kind != format.SparseList || len(t.idx) >= len(t.ptr) {
		return false
	}
	known, ok := b.singles[t.level]
	if !ok {
		known = true
		for p := 1; p < len(t.ptr) && known; p++ {
			known = t.ptr[p]-t.ptr[p-1] <= 1
		}
		b.singles[t.level] = known
	}
	return known
}

// around returns the loop: by hops, but where a morsel begins or ends inside of them.
func (h *hops) around(c *cellLoop, general func(*env)) func(*env) {
	return func(e *env) {
		if e.cut > c.d+1 {
			c.flush(e)
			general(e)
			return
		}
		c.run(e)
	}
}

// run moves the selected cells of c through all hops and returns how many are left.
func (h *hops) run(e *env, c *cellLoop) int {
	n := len(c.sel.Ks)
	copy(h.ks, c.sel.Ks)
	for _, m := range h.moved {
		c.locate(e, m.term)
		c.sources[m.term].positions(h.cols[m.slot][:n], n)
	}
	for s := range h.steps {
		p := &h.steps[s]
		keep := h.leap(p.lead, h.at(e, p.lead.parent, n))
		for _, t := range p.terms {
			keep = h.find(e, t, keep, n)
		}
		if len(keep) < n {
			n = len(keep)
			h.compress(keep)
		}
	}
	return n
}

// at is the positions of n cells in a slot.
func (h *hops) at(e *env, slot, n int) []int32 {
	if col := h.cols[slot]; col != nil {
		return col[:n]
	}
	kernel.FillColumn(h.fixed[:n], e.pos[slot])
	return h.fixed[:n]
}

// leap finds the one coordinate below each position, and returns the cells that have
// one.
func (h *hops) leap(t *term, parents []int32) []int32 {
	pos, coord, keep := h.cols[t.slot][:len(parents)], h.coord[:len(parents)], h.keep[:len(parents)]
	n := 0
	if t.kind == format.Pinpoint {
		for i, p := range parents {
			k := t.idx[p]
			pos[i], coord[i], keep[n] = p, k, int32(i)
			n += int(1 - uint32(k)>>31)
		}
		return keep[:n]
	}
	for i, p := range parents {
		if at := t.ptr[p]; at < t.ptr[p+1] {
			pos[i], coord[i], keep[n] = at, t.idx[at], int32(i)
			n++
		}
	}
	return keep[:n]
}

// find looks the coordinates of cells up in a term and returns those that are there.
func (h *hops) find(e *env, t *term, cells []int32, n int) []int32 {
	parents, dst := h.at(e, t.parent, n), h.cols[t.slot]
	left := 0
	switch level := t.level.(type) {
	case *fibers.DenseLevel:
		for _, i := range cells {
			k := h.coord[i]
			dst[i] = parents[i]*t.dim + k
			if cells[left] = i; k < t.dim {
				left++
			}
		}
	case *fibers.BytemapLevel:
		for _, i := range cells {
			k := h.coord[i]
			at := parents[i]*t.dim + k
			dst[i] = at
			if cells[left] = i; k < t.dim && level.Present[at] != 0 {
				left++
			}
		}
	default:
		for _, i := range cells {
			at, ok := t.level.Lookup(parents[i], h.coord[i])
			dst[i] = at
			if cells[left] = i; ok {
				left++
			}
		}
	}
	return cells[:left]
}

// compress leaves the cells that are kept.
func (h *hops) compress(keep []int32) {
	pick(h.ks, keep)
	for _, col := range h.cols {
		if col != nil {
			pick(col, keep)
		}
	}
}

func pick(col, keep []int32) {
	for j, i := range keep {
		col[j] = col[i]
	}
}
