package exec

import (
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
)

// mergeLength is the length of a fiber against the number of searches in it up to
// which stepping through it beats galloping (BenchmarkFollow).
const mergeLength = 8

// seek is how a follower finds the leader's coordinate.
type seek uint8

const (
	byLookup seek = iota // blocks, bytemap, hash, pinpoint: O(1)
	byGallop             // sorted list, searching on from the last coordinate
	byMerge              // sorted list, stepping on from the last coordinate
	byMark               // sorted list, marked in a workspace
	byBits               // sorted list of which only presence is wanted: its bitmap
	byPlace              // sorted list, its positions written down by coordinate
)

// term is one level of one operand at the loop that binds its index, and its
// fiber below the current parent: n entries of idx from offset lo on.
//
// A block (dense, band, interval, one run) has no idx: its entries are the
// coordinates first to first+n, and they are numbered by them. It leads only
// where there is nothing else; otherwise it bounds the loop, so that every
// coordinate that is asked for is there.
type term struct {
	op     int
	level  fibers.Level
	kind   format.Kind
	dim    int32
	ptr    []int32        // fibers' bounds; nil: dense, pinpoint
	idx    []fibers.Coord // the level's coordinates; nil: a block
	byKey  bool           // position base + coordinate: dense, bytemap, band
	shared bool           // all entries of the fiber have position base: interval, run
	parent int            // position slots: of the fiber and of the entry found
	slot   int
	marks  *marks  // not nil: the fiber outlives inner iterations and may be marked
	places *places // not nil: it does not, and its positions may be written down
	lo, n  int32
	first  fibers.Coord // block: its first coordinate
	start  []fibers.Coord
	runs   *fibers.RunLevel // not nil: the fiber is the run with number run
	run    int32
	base   int32
	cur    int32 // gallop: offset in the fiber
	seek   seek
	hubs   *hubs    // not nil: only presence is wanted, and a long fiber has a bitmap
	bits   []uint64 // byBits
	absent bool     // an optional operand without a fiber here
	leads  bool     // an optional operand that is part of the union that may lead
	at     int32    // union: the next entry and the end
	end    int32
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
	case *fibers.BandLevel:
		t.byKey, t.ptr, t.start = true, level.Ptr, level.Start
	case *fibers.IntervalLevel:
		t.shared, t.ptr, t.start = true, level.Ptr, level.Start
	case *fibers.RunLevel:
		t.shared, t.ptr, t.runs = true, level.Ptr, level
	case *fibers.PinpointLevel:
		t.idx, t.ptr = level.Idx, level.Bounds()
	default:
		panic(invariant.Failed("exec: level %T", level))
	}
	if t.idx == nil && t.kind != format.Dense && t.start == nil && t.runs == nil {
		t.idx = []fibers.Coord{} // a list without entries, no block
	}
	return t
}

// open finds the fiber below the current parent.
func (t *term) open(e *env) {
	p := e.pos[t.parent]
	switch {
	case t.idx == nil:
		t.openBlock(e, p)
		return
	case t.kind == format.Pinpoint:
		t.lo, t.n = p, 1
		if t.idx[p] < 0 {
			t.n = 0
		}
		return
	case t.byKey:
		t.base = p * t.dim
	}
	t.lo = t.ptr[p]
	t.n = t.ptr[p+1] - t.lo
}

// openBlock finds a fiber that is a block. Its position, where there is one for
// all its entries, is known from here on.
func (t *term) openBlock(e *env, p int32) {
	switch {
	case t.kind == format.Dense:
		t.base, t.n = p*t.dim, t.dim
	case t.runs != nil:
		lo, hi := t.runs.Bounds(p, t.run)
		t.first, t.n, t.base = lo, hi-lo, t.run
		e.pos[t.slot] = t.base
	default:
		t.first, t.n = t.start[p], t.ptr[p+1]-t.ptr[p]
		if t.shared {
			t.base = p
			e.pos[t.slot] = p
		} else {
			t.base = t.ptr[p] - t.first
		}
	}
}

// block reports whether the term's fibers are blocks.
func (t *term) block() bool { return t.idx == nil }

// fiber is the current fiber's coordinates; not for blocks.
func (t *term) fiber() []fibers.Coord { return t.idx[t.lo : t.lo+t.n] }

// coord and pos return the coordinate and position of entry at of the fiber.
func (t *term) coord(at int32) fibers.Coord {
	if t.idx == nil {
		return at
	}
	return t.idx[t.lo+at]
}

func (t *term) pos(at int32) int32 {
	switch {
	case t.shared:
		return t.base
	case t.byKey:
		return t.base + t.coord(at)
	default:
		return t.lo + at
	}
}

// clip returns the range of the fiber's entries with coordinates in [lo,hi).
func (t *term) clip(lo, hi fibers.Coord) (from, to int32) {
	if t.block() {
		end := t.first + t.n
		return max(t.first, min(lo, end)), max(t.first, min(hi, end))
	}
	from, to = 0, t.n
	if lo > 0 {
		from = fibers.SearchCoord(t.fiber(), lo)
	}
	if hi < t.dim {
		to = from + fibers.SearchCoord(t.fiber()[from:], hi)
	}
	return from, to
}

// follow prepares the term to be searched n times in ascending order.
func (t *term) follow(e *env, n int32) {
	switch {
	case t.kind != format.SparseList:
		t.seek = byLookup
	case t.marks != nil && (t.marks.parent == e.pos[t.parent] || t.marks.ready(e, e.pos[t.parent], t, n)):
		t.seek = byMark
	case t.hub() && int64(t.n) > insideCost*int64(n) && t.bitmap(e, n):
		t.seek = byBits
	case t.places != nil && n >= placesLeast && int64(t.n) <= placesLength*int64(n) && t.places.write(e, t):
		t.seek = byPlace
	case int64(t.n) <= mergeLength*int64(n):
		t.seek, t.cur = byMerge, 0
	default:
		t.seek, t.cur = byGallop, 0
	}
}

// hub reports whether the fiber has a bitmap, memory permitting.
func (t *term) hub() bool { return t.hubs != nil && int(t.n) >= t.hubs.min }

// bitmap finds the fiber's bitmap for n searches and reports whether there is one.
func (t *term) bitmap(e *env, n int32) bool {
	t.bits = t.hubs.of(e, e.pos[t.parent], markPays*int(n))
	return t.bits != nil
}

// find returns the position of coordinate c, which is not below the last one.
func (t *term) find(e *env, c fibers.Coord) (int32, bool) {
	switch {
	case t.seek == byMark:
		return t.marks.find(c)
	case t.seek == byPlace:
		return t.places.find(t, c)
	case t.seek == byBits:
		return 0, t.bits[c>>6]>>(uint(c)&63)&1 != 0
	case t.block():
		return t.pos(c), c >= t.first && c-t.first < t.n
	case t.seek == byMerge:
		fiber := t.fiber()
		cur := t.cur
		for cur < t.n && fiber[cur] < c {
			cur++
		}
		t.cur = cur
		return t.lo + cur, cur < t.n && fiber[cur] == c
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
