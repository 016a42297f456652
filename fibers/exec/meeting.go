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
	hubs    []*hubs // per term; nil: its level has none
	cut     [][]fibers.Coord
	parents []int32 // whose fibers met
	known   bool
	dim     fibers.Coord
	met     term // the coordinates that are in all fibers
	marks   *marks
	bufs    [2][]fibers.Coord
	marked  int   // whose coordinates are marked; the other is free
	turn    int32 // numbers the intersections
}

// newMeeting returns the intersection of sorted lists of which only presence is
// wanted, or nil.
func (b *binder) newMeeting(terms []*term, dim int) *meeting {
	m := &meeting{
		terms: terms, parents: make([]int32, len(terms)), cut: make([][]fibers.Coord, len(terms)),
		dim: fibers.Coord(dim), marks: newMarks(dim, false), met: term{kind: format.SparseList},
	}
	for _, t := range terms {
		if t.kind != format.SparseList || t.marks.slots {
			return nil
		}
		m.hubs = append(m.hubs, b.hubsOf(t.level.(*fibers.SparseListLevel), dim))
	}
	return m
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
		return &m.met
	}
	m.known = false
	kept := m.list(e, 0, m.dim)
	m.met.idx, m.met.lo, m.met.n = kept, 0, int32(len(kept))
	if e.err != nil {
		return nil
	}
	m.turn++
	if len(kept) > 0 {
		m.marks.from, m.marks.to = 0, m.met.n
		if !m.marks.mark(e, m.turn, &m.met) {
			return nil
		}
		m.marked = 1 - m.marked
	}
	m.known = true
	return &m.met
}

// list returns what the terms' current fibers share in the range [lo,hi), until
// it is called again.
func (m *meeting) list(e *env, lo, hi fibers.Coord) []fibers.Coord {
	for i, t := range m.terms {
		from, to := t.clip(lo, hi)
		if m.cut[i] = t.fiber()[from:to]; from == to {
			return nil
		}
	}
	first := m.first(e)
	free := 1 - m.marked
	kept := append(m.bufs[free][:0], m.cut[first]...)
	m.bufs[free] = kept
	if !e.burn(len(kept)) {
		return nil
	}
	for i := range m.terms {
		if i != first {
			kept = m.narrow(e, i, kept)
		}
	}
	return kept
}

// first is the fiber whose coordinates are looked for in the others: a short one,
// where a look at the others costs alike.
func (m *meeting) first(e *env) int {
	best, least := 0, 0
	for i := range m.terms {
		look := 0
		for j, t := range m.terms {
			if i != j {
				look = max(look, m.look(e, j, t))
			}
		}
		if cost := look * len(m.cut[i]); i == 0 || cost < least {
			best, least = i, cost
		}
	}
	return best
}

// look is what it costs to look for a coordinate in a term's fiber, in probes.
func (m *meeting) look(e *env, i int, t *term) int {
	switch {
	case t.marks.parent == e.pos[t.parent]:
		return 1
	case int(t.n) >= m.hubs[i].min:
		return insideCost
	default:
		return markPays
	}
}

// narrow keeps the coordinates that are in the fiber of a term.
func (m *meeting) narrow(e *env, i int, kept []fibers.Coord) []fibers.Coord {
	t := m.terms[i]
	parent := e.pos[t.parent]
	if !e.burn(len(kept)) {
		return nil
	}
	if t.marks.parent == parent {
		return kernel.Marked(kept, t.marks.bytes)
	}
	if int(t.n) >= m.hubs[i].min && int(t.n) > insideCost*len(kept) {
		if bits := m.hubs[i].of(e, parent, markPays*len(kept)); bits != nil {
			return kernel.Inside(kept, bits)
		}
	}
	if t.marks.ready(e, parent, t, int32(len(kept))) {
		return kernel.Marked(kept, t.marks.bytes)
	}
	n, at, fiber := 0, int32(0), m.cut[i]
	for _, c := range kept {
		if at = fibers.GallopCoord(fiber, at, c); at == int32(len(fiber)) {
			break
		}
		if fiber[at] == c {
			kept[n] = c
			n++
		}
	}
	return kept[:n]
}
