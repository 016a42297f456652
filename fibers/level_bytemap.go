package fibers

import "github.com/trireme-db/trireme/einsum/format"

// BytemapLevel holds a presence byte for every coordinate below Dim; position
// parent*Dim + c. The sorted coordinates of each fiber are kept for walking.
type BytemapLevel struct {
	Dim     int32
	Present []uint8 // by position
	Ptr     []int32
	Idx     []Coord
}

// Kind is Bytemap.
func (*BytemapLevel) Kind() format.Kind { return format.Bytemap }

// Fiber returns the coordinates that are present, as a Spread fiber.
func (l *BytemapLevel) Fiber(parent int32) Fiber {
	lo, hi := l.Ptr[parent], l.Ptr[parent+1]
	return Fiber{Idx: l.Idx[lo:hi:hi], Base: parent * l.Dim, N: hi - lo, Spread: true}
}

// Lookup is O(1).
func (l *BytemapLevel) Lookup(parent int32, c Coord) (int32, bool) {
	if uint32(c) >= uint32(l.Dim) {
		return 0, false
	}
	p := parent*l.Dim + c
	return p, l.Present[p] != 0
}

func (l *BytemapLevel) span(lo, hi int32) (int32, int32) { return lo * l.Dim, hi * l.Dim }

func (l *BytemapLevel) count(lo, hi int32) int { return int(l.Ptr[hi] - l.Ptr[lo]) }

func (l *BytemapLevel) bytes() int64 {
	return int64(len(l.Present)) + 4*int64(len(l.Ptr)+len(l.Idx))
}
