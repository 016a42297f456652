package exec

import "github.com/trireme-db/trireme/fibers"

const (
	// markDimMax bounds the mark array of one operand: 64 Mi coordinates.
	markDimMax = 64 << 20
	// markPays is how many probed coordinates repay marking one: a search
	// costs about 8 probes.
	markPays = 8
	// walkShorter is the length ratio from which walking the marked fiber and
	// searching in the other beats probing the other's coordinates: a search in
	// 64 times as many costs as much as 64 probes.
	walkShorter = 64
)

// marks is a mark workspace: the coordinates of one sorted fiber scattered into
// an array, so that followers probe instead of searching. It is cleared by
// undoing the marks.
type marks struct {
	dim    int
	slots  bool    // positions are wanted, not only presence
	bytes  []uint8 // 1: marked
	at     []int32 // position+1; 0: not marked
	idx    []fibers.Coord
	parent int32 // whose fiber is marked; -1: none
	asked  int32 // the last fiber wanted, and how many coordinates were
	debt   int64 // searched in it
	from   int32 // the range of its entries that may be asked for
	to     int32
	// within are the bounds that stay while the fiber does: only what they admit
	// is ever asked for, and marked.
	within []window
}

func newMarks(dim int, slots bool) *marks {
	return &marks{dim: dim, slots: slots, parent: -1, asked: -1}
}

// ready marks the fiber of f, below parent, when n more searches in it make that
// worth while, and reports whether it did.
func (m *marks) ready(e *env, parent int32, f *term, n int32) bool {
	if m.asked != parent {
		m.asked, m.debt = parent, 0
		m.from, m.to = m.cut(e, f)
	}
	m.debt += int64(n)
	if m.debt*markPays < int64(m.to-m.from) {
		return false
	}
	return m.mark(e, parent, f)
}

// cut is the range of the fiber's entries that may be asked for.
func (m *marks) cut(e *env, f *term) (from, to int32) {
	if len(m.within) == 0 {
		return 0, f.n
	}
	var coordinates sqlOrder
	lo, hi := coordinates.cut(e, m.within, 0, fibers.Coord(m.dim))
	from = fibers.SearchCoord(f.fiber(), lo)
	return from, from + fibers.SearchCoord(f.fiber()[from:], hi)
}

func (m *marks) mark(e *env, parent int32, f *term) bool {
	if m.bytes == nil && m.at == nil && !m.allocate(e) {
		return false
	}
	if !m.undo(e) {
		return false
	}
	m.idx = f.fiber()[m.from:m.to]
	for from := 0; from < len(m.idx); from += gasUnits {
		piece := m.idx[from:min(from+gasUnits, len(m.idx))]
		if m.slots {
			base := f.lo + m.from + int32(from) + 1
			for i, c := range piece {
				m.at[c] = base + int32(i)
			}
		} else {
			for _, c := range piece {
				m.bytes[c] = 1
			}
		}
		if !e.burn(len(piece)) {
			return false
		}
	}
	m.parent = parent
	return true
}

func (m *marks) allocate(e *env) bool {
	if m.slots {
		m.at = make([]int32, m.dim)
		return e.hold(4 * int64(m.dim))
	}
	m.bytes = make([]uint8, m.dim)
	return e.hold(int64(m.dim))
}

func (m *marks) undo(e *env) bool {
	m.parent = -1
	for from := 0; from < len(m.idx); from += gasUnits {
		piece := m.idx[from:min(from+gasUnits, len(m.idx))]
		if m.slots {
			for _, c := range piece {
				m.at[c] = 0
			}
		} else {
			for _, c := range piece {
				m.bytes[c] = 0
			}
		}
		if !e.burn(len(piece)) {
			return false
		}
	}
	m.idx = nil
	return true
}

// find returns the position of a coordinate of the marked fiber (0 when only
// presence is kept).
func (m *marks) find(c fibers.Coord) (int32, bool) {
	if m.slots {
		return m.at[c] - 1, m.at[c] != 0
	}
	return 0, m.bytes[c] != 0
}
