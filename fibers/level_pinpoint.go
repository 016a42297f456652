package fibers

import "github.com/trireme-db/trireme/einsum/format"

// PinpointLevel holds at most one coordinate per fiber, at the position of its
// parent: a foreign key below its row. There are no bounds of fibers to read.
type PinpointLevel struct {
	Idx []Coord // by position; noCoord: an empty fiber
	ptr []int32 // entries before each fiber
}

// noCoord marks an empty fiber of a PinpointLevel.
const noCoord Coord = -1

// Bounds returns the fibers' bounds as those of a list; nil where a fiber is
// empty, since entries and positions then differ.
func (l *PinpointLevel) Bounds() []int32 {
	if int(l.ptr[len(l.Idx)]) != len(l.Idx) {
		return nil
	}
	return l.ptr
}

// Kind is Pinpoint.
func (*PinpointLevel) Kind() format.Kind { return format.Pinpoint }

// Fiber returns the one entry below parent, or none.
func (l *PinpointLevel) Fiber(parent int32) Fiber {
	idx := l.Idx[parent : parent+1 : parent+1]
	if idx[0] == noCoord {
		idx = idx[:0]
	}
	return Fiber{Idx: idx, Base: parent, N: int32(len(idx))}
}

// Lookup is O(1).
func (l *PinpointLevel) Lookup(parent int32, c Coord) (int32, bool) {
	return parent, l.Idx[parent] == c && c != noCoord
}

func (*PinpointLevel) span(lo, hi int32) (int32, int32) { return lo, hi }

func (l *PinpointLevel) count(lo, hi int32) int {
	return int(l.ptr[hi] - l.ptr[lo])
}

func (l *PinpointLevel) bytes() int64 { return 4 * int64(len(l.Idx)+len(l.ptr)) }
