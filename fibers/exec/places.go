package exec

import (
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
)

// The positions of a fiber are written down for n searches if that is at least
// placesLeast, and the fiber at most placesLength times as long (BenchmarkPlaces); and
// if it is of no more than placesDimMax coordinates, so that they stay in the
// processor's caches.
const (
	placesLeast  = 8
	placesLength = 16
	placesDimMax = 1 << 15
)

// places is a workspace for the fibers of a sorted list that every iteration of the
// loop around replaces: by coordinate, the position of the entry, plus 1. Nothing is
// ever cleared: what other fibers have left is not among the positions of this one.
type places struct {
	dim int
	at  []int32 // nil: none has been written
}

// newPlaces is the workspace for a term of a loop of so many coordinates; nil: its
// fibers are no lists, or the coordinates too many.
func newPlaces(t *term, dim int) *places {
	if t.kind != format.SparseList || dim > placesDimMax {
		return nil
	}
	return &places{dim: dim}
}

// write writes the positions of the fiber of t, and reports whether there is the
// memory and the time for them. O(fiber).
func (p *places) write(e *env, t *term) bool {
	if p.at == nil {
		if !e.hold(4 * int64(p.dim)) {
			return false
		}
		p.at = make([]int32, p.dim)
	}
	at, next := p.at, t.lo+1
	for i, c := range t.fiber() {
		at[c] = next + int32(i)
	}
	return e.burn(int(t.n))
}

// find returns the position of a coordinate, if the fiber of t has it.
func (p *places) find(t *term, c fibers.Coord) (int32, bool) {
	pos := p.at[c] - 1
	return pos, uint32(pos-t.lo) < uint32(t.n)
}
