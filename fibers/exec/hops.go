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
	cols  []hopColumn // by position slot
	live  []int       // slots whose columns are of this batch
	moved []movedSlot
	ks    []fibers.Coord // the cells' coordinates in the cellLoop
	kept  []fibers.Coord // of them, once some are lost
	coord []fibers.Coord // and in the present hop
	cells []int32        // those that are left of a hop, by number
	every []int32        // all of them
	fixed []int32        // a column of one position
	lost  []int32        // a column that nobody reads
}

// hopName is the kernel's name in a step's statistics.
const hopName = "hop-columns"

// hop is one of the loops.
type hop struct {
	lead   *term // at most one entry in each of its fibers
	full   bool  // exactly one, at the position of its parent
	wanted bool  // its positions are read
	terms  []hopTerm
	coords []fibers.Coord
}

// hopTerm is a term that is looked up.
type hopTerm struct {
	*term
	certain bool // whatever the coordinate, it is there
	wanted  bool
}

// hopColumn is the positions of a batch's cells in one position slot.
type hopColumn struct {
	buf   []int32 // nil: all have the same, that of env
	at    []int32 // the positions, in buf or where they have been before; nil: first, first+1 and so on
	first int32
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
	h := &hops{cols: make([]hopColumn, b.slots)}
	for d := inner; d < len(b.step.Loops); d++ {
		step, ok := b.hop(d)
		if !ok {
			return nil
		}
		step.coords = make([]fibers.Coord, kernel.BatchMax)
		if step.wanted {
			h.column(step.lead.slot)
		}
		for _, t := range step.terms {
			if t.wanted {
				h.column(t.slot)
			}
		}
		h.steps = append(h.steps, step)
	}
	c := b.cellLoop(l, s)
	if c == nil {
		return nil
	}
	for i, t := range l.terms {
		if b.wanted(t) {
			h.column(t.slot)
			h.moved = append(h.moved, movedSlot{slot: t.slot, term: i})
		}
	}
	for _, buf := range []*[]int32{&h.kept, &h.cells, &h.every, &h.fixed, &h.lost} {
		*buf = make([]int32, kernel.BatchMax)
	}
	for i := range h.every {
		h.every[i] = int32(i)
	}
	c.hops = h
	return c
}

// column gives a slot a column.
func (h *hops) column(slot int) { h.cols[slot].buf = make([]int32, kernel.BatchMax) }

// wanted reports whether the positions of a term's entries are read: by an expression,
// or as the parents of a level below it.
func (b *binder) wanted(t *term) bool {
	o := b.operands[t.op]
	return o.valued || t.slot != o.last()
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
			p.lead, p.full, p.wanted = t, t.ptr != nil && len(t.idx) == len(t.ptr)-1, b.wanted(t)
		case t.runs != nil:
			return hop{}, false
		default:
			certain := t.byKey && t.kind != format.Band && t.full() && t.dim >= l.dim
			p.terms = append(p.terms, hopTerm{term: t, certain: certain, wanted: b.wanted(t)})
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
	h.ks, h.live = c.sel.Ks, h.live[:0]
	for _, m := range h.moved {
		c.locate(e, m.term)
		h.live = append(h.live, m.slot)
		col := &h.cols[m.slot]
		if src := &c.sources[m.term]; src.ix == nil {
			col.at, col.first = nil, src.off
		} else {
			col.at = col.buf[:n]
			src.positions(col.at, n)
		}
	}
	for s := range h.steps {
		p := &h.steps[s]
		cells := h.leap(e, p, n)
		for i := range p.terms {
			cells = h.find(e, &p.terms[i], cells, n)
		}
		if len(cells) < n {
			n = len(cells)
			h.compress(cells)
		}
	}
	return n
}

// at is the positions of n cells in a slot.
func (h *hops) at(e *env, slot, n int) []int32 {
	col := &h.cols[slot]
	switch {
	case col.buf == nil:
		kernel.FillColumn(h.fixed[:n], e.pos[slot])
		return h.fixed[:n]
	case col.at == nil:
		col.at = col.buf[:n]
		for i := range col.at {
			col.at[i] = col.first + int32(i)
		}
	}
	return col.at[:n]
}

// place is where the cells' entries of an operand are, whose last slot is given.
func (h *hops) place(e *env, slot int) place {
	switch col := &h.cols[slot]; {
	case col.buf == nil:
		return place{source: source{off: e.pos[slot]}, fixed: true}
	case col.at == nil:
		return place{source: source{off: col.first}}
	default:
		return place{source: source{ix: col.at}}
	}
}

// leap finds the one coordinate below each position, and returns the cells that have
// one.
func (h *hops) leap(e *env, p *hop, n int) (cells []int32) {
	t := p.lead
	if p.full && h.cols[t.parent].buf != nil {
		h.leapAll(p, n)
		return h.every[:n]
	}
	h.coord = p.coords[:n]
	parents, pos, cells := h.at(e, t.parent, n), h.set(p.wanted, t.slot, n), h.cells[:n]
	left := 0
	if t.kind == format.Pinpoint {
		for i, at := range parents {
			k := t.idx[at]
			pos[i], h.coord[i], cells[left] = at, k, int32(i)
			left += int(1 - uint32(k)>>31)
		}
		return cells[:left]
	}
	for i, at := range parents {
		if from := t.ptr[at]; from < t.ptr[at+1] {
			pos[i], h.coord[i], cells[left] = from, t.idx[from], int32(i)
			left++
		}
	}
	return cells[:left]
}

// leapAll is leap where every fiber has its entry: coordinates of parents that follow
// one another are read where they are.
func (h *hops) leapAll(p *hop, n int) {
	parents := &h.cols[p.lead.parent]
	if parents.at == nil {
		h.coord = p.lead.idx[parents.first:][:n]
	} else {
		h.coord = p.coords[:n]
		kernel.GatherColumn(h.coord, p.lead.idx, 0, parents.at[:n])
	}
	if !p.wanted {
		return
	}
	h.live = append(h.live, p.lead.slot)
	col := &h.cols[p.lead.slot]
	col.at, col.first = nil, parents.first
	if parents.at != nil {
		col.at = col.buf[:n]
		copy(col.at, parents.at)
	}
}

// set returns the places of a slot's column of n cells, where somebody reads it.
func (h *hops) set(wanted bool, slot, n int) []int32 {
	if !wanted {
		return h.lost[:n]
	}
	h.live = append(h.live, slot)
	col := &h.cols[slot]
	col.at = col.buf[:n]
	return col.at
}

// find looks the coordinates of cells up in a term and returns those that are there.
func (h *hops) find(e *env, t *hopTerm, cells []int32, n int) []int32 {
	if t.certain {
		if t.wanted {
			h.findAll(e, t.term, n)
		}
		return cells
	}
	if len(cells) == n { // perhaps every, which stays as it is
		copy(h.cells[:n], cells)
		cells = h.cells[:n]
	}
	parents := h.at(e, t.parent, n)
	dst := h.set(t.wanted, t.slot, n)
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

// findAll is find in an array that has every coordinate. The coordinates below its root
// are the positions.
func (h *hops) findAll(e *env, t *term, n int) {
	if h.cols[t.parent].buf == nil && e.pos[t.parent] == 0 {
		h.live = append(h.live, t.slot)
		h.cols[t.slot].at = h.coord
		return
	}
	parents := h.at(e, t.parent, n)
	dst := h.set(true, t.slot, n)
	for i, k := range h.coord {
		dst[i] = parents[i]*t.dim + k
	}
}

// compress leaves the cells that are kept.
func (h *hops) compress(cells []int32) {
	pick(h.kept, h.ks, cells)
	h.ks = h.kept[:len(cells)]
	for _, slot := range h.live {
		col := &h.cols[slot]
		if col.at == nil {
			for j, i := range cells {
				col.buf[j] = col.first + i
			}
		} else {
			pick(col.buf, col.at, cells)
		}
		col.at = col.buf[:len(cells)]
	}
}

// pick writes those of a column that cells number, in ascending order, to dst, which
// may be the column.
func pick(dst, col, cells []int32) {
	for j, i := range cells {
		dst[j] = col[i]
	}
}
