package exec

import (
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
)

// seek is how a follower finds the leader's coordinate.
type seek uint8

const (
	byLookup seek = iota // dense, bytemap, hash: O(1)
	byGallop             // sorted list, moving on from the last coordinate
	byMark               // sorted list, marked in a workspace
)

// term is one level of one operand at the loop that binds its index, and its
// fiber below the current parent: n entries of idx from offset lo on.
type term struct {
	op     int
	level  fibers.Level
	kind   format.Kind
	dim    int32
	ptr    []int32        // fibers' bounds; nil: dense
	idx    []fibers.Coord // the level's coordinates; nil: dense
	byKey  bool           // dense, bytemap: position base + coordinate
	parent int            // position slots: of the fiber and of the entry found
	slot   int
	marks  *marks // not nil: the fiber outlives inner iterations and may be marked
	lo, n  int32
	base   int32
	cur    int32 // gallop: offset in the fiber
	seek   seek
}

func newTerm(op int, level fibers.Level, dim int, parent, slot int) *term {
	t := &term{op: op, level: level, kind: level.Kind(), dim: int32(dim), parent: parent, slot: slot}
	switch level := level.(type) {
	case *fibers.DenseLevel:
		t.byKey, t.dim = true, level.Dim
	case *fibers.BytemapLevel:
		t.byKey, t.dim, t.ptr, t.idx = true, level.Dim, level.Ptr, level.Idx
	case *fibers.SparseListLevel:
		t.ptr, t.idx = level.Ptr, level.Idx
	case *fibers.HashLevel:
		t.ptr, t.idx = level.Ptr, level.Idx
	default:
		panic(invariant.Failed("exec: level %T", level))
	}
	return t
}

// open finds the fiber below the current parent.
func (t *term) open(e *env) {
	p := e.pos[t.parent]
	if t.byKey {
		t.base = p * t.dim
	}
	if t.ptr == nil {
		t.n = t.dim
		return
	}
	t.lo = t.ptr[p]
	t.n = t.ptr[p+1] - t.lo
}

// fiber is the current fiber's coordinates; not for dense levels.
func (t *term) fiber() []fibers.Coord { return t.idx[t.lo : t.lo+t.n] }

// coord and pos return the coordinate and position of entry at of the fiber.
func (t *term) coord(at int32) fibers.Coord {
	if t.idx == nil {
		return at
	}
	return t.idx[t.lo+at]
}

func (t *term) pos(at int32) int32 {
	if t.byKey {
		return t.base + t.coord(at)
	}
	return t.lo + at
}

// follow prepares the term to be searched n times in ascending order.
func (t *term) follow(e *env, n int32) {
	switch {
	case t.kind != format.SparseList:
		t.seek = byLookup
	case t.marks != nil && (t.marks.parent == e.pos[t.parent] || t.marks.ready(e, e.pos[t.parent], t, n)):
		t.seek = byMark
	default:
		t.seek, t.cur = byGallop, 0
	}
}

// find returns the position of coordinate c, which is not below the last one.
func (t *term) find(e *env, c fibers.Coord) (int32, bool) {
	switch {
	case t.seek == byMark:
		return t.marks.find(c)
	case t.kind == format.Dense:
		return t.base + c, c < t.dim
	case t.seek == byGallop:
		fiber := t.fiber()
		t.cur = fibers.GallopCoord(fiber, t.cur, c)
		if t.cur == t.n || fiber[t.cur] != c {
			return 0, false
		}
		return t.lo + t.cur, true
	default:
		return t.level.Lookup(e.pos[t.parent], c)
	}
}
