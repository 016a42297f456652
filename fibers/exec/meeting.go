package exec

import (
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// meeting is the intersection of fibers that stay while an outer loop moves: it
// is computed once and probed by every row, instead of each of them.
type meeting struct {
	terms   []*term
	parents []int32 // whose fibers met
	known   bool
	list    term // the coordinates that are in all fibers
	marks   *marks
	bufs    [2][]fibers.Coord
	marked  int   // whose coordinates are marked; the other is free
	turn    int32 // numbers the intersections
}

// newMeeting returns the intersection of sorted lists of which only presence is
// wanted, or nil.
func newMeeting(terms []*term, dim int) *meeting {
	for _, t := range terms {
		if t.kind != format.SparseList || t.marks.slots {
			return nil
		}
	}
	return &meeting{terms: terms, parents: make([]int32, len(terms)), marks: newMarks(dim, false), list: term{kind: format.SparseList}}
}

// meet returns the intersection of the terms' current fibers, marked unless it is
// empty; nil when the traversal stops.
func (m *meeting) meet(e *env) *term {
	same := m.known
	for i, t := range m.terms {
		same = same && m.parents[i] == e.pos[t.parent]
		m.parents[i] = e.pos[t.parent]
	}
	if same {
		return &m.list
	}
	m.known = false
	shortest := m.terms[0]
	for _, t := range m.terms {
		if t.n < shortest.n {
			shortest = t
		}
	}
	free := 1 - m.marked
	kept := append(m.bufs[free][:0], shortest.fiber()...)
	m.bufs[free] = kept
	for _, t := range m.terms {
		if t != shortest {
			kept = m.narrow(e, t, kept)
		}
	}
	m.list.idx, m.list.lo, m.list.n = kept, 0, int32(len(kept))
	if e.err != nil {
		return nil
	}
	m.turn++
	if len(kept) > 0 {
		m.marks.from, m.marks.to = 0, m.list.n
		if !m.marks.mark(e, m.turn, &m.list) {
			return nil
		}
		m.marked = free
	}
	m.known = true
	return &m.list
}

// narrow keeps the coordinates that are in the fiber of t.
func (m *meeting) narrow(e *env, t *term, kept []fibers.Coord) []fibers.Coord {
	parent := e.pos[t.parent]
	if t.marks.parent == parent || t.marks.ready(e, parent, t, int32(len(kept))) {
		return kernel.Marked(kept, t.marks.bytes)
	}
	n, at, fiber := 0, int32(0), t.fiber()
	for _, c := range kept {
		if at = fibers.GallopCoord(fiber, at, c); at == t.n {
			break
		}
		if fiber[at] == c {
			kept[n] = c
			n++
		}
	}
	e.burn(len(kept))
	return kept[:n]
}
