package exec

import (
	"sync/atomic"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

const (
	// hubShare is the share of a dimension, one in so many coordinates, from which
	// a fiber is a hub, and has a bitmap: one of 8 times its size at most. Shorter
	// fibers' bitmaps crowd each other out of the caches (BenchmarkPairs).
	hubShare = 256
	// hubMin is the length below which a fiber is no hub, however small the
	// dimension: walking it costs as much as finding its bitmap.
	hubMin = 64
	// hubBytes bounds the bitmaps of one level, and so does one part in hubBudget of
	// the step's budget.
	hubBytes, hubBudget = 32 << 20, 8
)

// hubs are bitmaps of the long fibers of a sorted list, made when they would have
// saved as much as they cost: a short fiber then meets a long one in the time of
// the short one. All workers of a step share them.
type hubs struct {
	level *fibers.SparseListLevel
	words int // of a bitmap
	min   int // length of a hub
	left  atomic.Int64
	table atomic.Pointer[hubTable]
}

// hubTable finds the bitmap of a fiber by open addressing. At most half of its
// places are taken, and none is given up.
type hubTable struct {
	keys []atomic.Int32             // position+1 of the fiber; 0: free
	gain []atomic.Int64             // what its bitmap would have saved so far
	bits []atomic.Pointer[[]uint64] // nil: not made, or there is no room for it
	mask uint32
}

// hubsOf returns the hubs of a level, the same ones for every nest of the step.
// Coordinates, those asked for too, are below dim.
func (b *binder) hubsOf(level *fibers.SparseListLevel, dim int) *hubs {
	h := b.hubs[level]
	if h == nil {
		h = &hubs{level: level, min: max(hubMin, dim/hubShare)}
		if b.hubs == nil {
			b.hubs = map[*fibers.SparseListLevel]*hubs{}
		}
		b.hubs[level] = h
	}
	h.words = max(h.words, dim/64+1)
	return h
}

// forgetHubs drops all bitmaps: their bytes were given back.
func (b *binder) forgetHubs() {
	for _, h := range b.hubs {
		h.table.Store(nil)
	}
}

// of returns the bitmap of the fiber of position p, with which gain probes are
// saved this time; nil where it has none.
func (h *hubs) of(e *env, p int32, gain int) []uint64 {
	t := h.table.Load()
	if t == nil {
		t = h.allocate(e.meter.budget)
	}
	at, ok := h.find(t, p)
	if !ok {
		return nil
	}
	if bits := t.bits[at].Load(); bits != nil {
		return *bits
	}
	cost := int64(h.words) + int64(h.level.Ptr[p+1]-h.level.Ptr[p])
	if sum := t.gain[at].Add(int64(gain)); sum < cost || sum-int64(gain) >= cost {
		return nil // whose gain passes the cost makes it
	}
	return h.build(e, t, at, p)
}

// find returns the place of a fiber, new or not; false where the table is full.
func (h *hubs) find(t *hubTable, p int32) (at uint32, ok bool) {
	key := p + 1
	for at = uint32(p) * 0x9e3779b1 >> 7 & t.mask; ; at = (at + 1) & t.mask {
		found := t.keys[at].Load()
		if found == 0 {
			if h.left.Add(-1) < 0 {
				h.left.Add(1)
				return 0, false
			}
			if t.keys[at].CompareAndSwap(0, key) {
				return at, true
			}
			h.left.Add(1)
			found = t.keys[at].Load() // somebody took the place: for this fiber, perhaps
		}
		if found == key {
			return at, true
		}
	}
}

// allocate makes the table, with twice as many places as there may be bitmaps.
func (h *hubs) allocate(budget int64) *hubTable {
	room := int64(hubBytes)
	if budget > 0 {
		room = min(room, budget/hubBudget)
	}
	most := min(int(room)/(8*h.words), len(h.level.Idx)/h.min+1)
	size := 4
	for size < 2*most {
		size *= 2
	}
	t := &hubTable{keys: make([]atomic.Int32, size), gain: make([]atomic.Int64, size), mask: uint32(size - 1)}
	t.bits = make([]atomic.Pointer[[]uint64], size)
	if !h.table.CompareAndSwap(nil, t) {
		return h.table.Load()
	}
	h.left.Store(int64(most))
	return t
}

// build makes the bitmap of a fiber, unless there is no memory for it: it only
// saves time.
func (h *hubs) build(e *env, t *hubTable, at uint32, p int32) []uint64 {
	bytes := 8 * int64(h.words)
	if !e.meter.hold(bytes) {
		e.meter.hold(-bytes)
		return nil
	}
	e.held += bytes
	words := make([]uint64, h.words)
	fiber := h.level.Idx[h.level.Ptr[p]:h.level.Ptr[p+1]]
	e.burn(h.words)
	for from := 0; from < len(fiber); from += gasUnits {
		piece := fiber[from:min(from+gasUnits, len(fiber))]
		if !e.burn(len(piece)) {
			return nil
		}
		kernel.SetBits(words, piece)
	}
	t.bits[at].Store(&words)
	return words
}
