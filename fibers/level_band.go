package fibers

import "github.com/trireme-db/trireme/einsum/format"

// BandLevel holds one block of consecutive coordinates per fiber: position p has
// Ptr[p+1]-Ptr[p] of them from Start[p] on, at the positions from Ptr[p] on. It
// stores no coordinate per entry, and looks one up in O(1).
type BandLevel struct {
	Ptr   []int32
	Start []Coord // of an empty fiber: 0
}

// Kind is Band.
func (*BandLevel) Kind() format.Kind { return format.Band }

// Fiber returns the block below parent.
func (l *BandLevel) Fiber(parent int32) Fiber {
	lo, hi := l.Ptr[parent], l.Ptr[parent+1]
	return Fiber{First: l.Start[parent], Base: lo, N: hi - lo}
}

// Lookup is O(1).
func (l *BandLevel) Lookup(parent int32, c Coord) (int32, bool) {
	lo, off := l.Ptr[parent], c-l.Start[parent]
	return lo + off, c >= l.Start[parent] && off < l.Ptr[parent+1]-lo
}

func (l *BandLevel) span(lo, hi int32) (int32, int32) { return l.Ptr[lo], l.Ptr[hi] }

func (l *BandLevel) count(lo, hi int32) int { return int(l.Ptr[hi] - l.Ptr[lo]) }

func (l *BandLevel) bytes() int64 { return 4 * int64(len(l.Ptr)+len(l.Start)) }

// IntervalLevel is a BandLevel whose entries of one fiber have equal values and
// share the position of their parent. Always the last level.
type IntervalLevel struct {
	Ptr   []int32 // entries before each fiber
	Start []Coord
}

// Kind is Interval.
func (*IntervalLevel) Kind() format.Kind { return format.Interval }

// Fiber returns the block below parent, a Shared fiber.
func (l *IntervalLevel) Fiber(parent int32) Fiber {
	return Fiber{First: l.Start[parent], Base: parent, N: l.Ptr[parent+1] - l.Ptr[parent], Shared: true}
}

// Lookup is O(1).
func (l *IntervalLevel) Lookup(parent int32, c Coord) (int32, bool) {
	start := l.Start[parent]
	return parent, c >= start && c-start < l.Ptr[parent+1]-l.Ptr[parent]
}

func (*IntervalLevel) span(lo, hi int32) (int32, int32) { return lo, hi }

func (l *IntervalLevel) count(lo, hi int32) int { return int(l.Ptr[hi] - l.Ptr[lo]) }

func (l *IntervalLevel) bytes() int64 { return 4 * int64(len(l.Ptr)+len(l.Start)) }
