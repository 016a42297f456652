package fibers

import (
	"context"
	"math/bits"

	"github.com/trireme-db/trireme/einsum/format"
)

// HashLevel finds a coordinate by open addressing on (parent, coordinate);
// positions and fibers are those of a sorted list. At most half of the slots
// are taken, so a lookup is O(1) expected.
type HashLevel struct {
	Ptr   []int32
	Idx   []Coord
	keys  []uint64 // parent<<32 | coordinate
	slots []int32  // position+1, 0: free
	shift uint
}

// newHashLevel indexes the entries of a sorted list.
func newHashLevel(ctx context.Context, ptr []int32, idx []Coord) (*HashLevel, error) {
	logSlots := uint(bits.Len(uint(2*len(idx)))) + 1
	l := &HashLevel{
		Ptr: ptr, Idx: idx,
		keys: make([]uint64, 1<<logSlots), slots: make([]int32, 1<<logSlots), shift: 64 - logSlots,
	}
	for parent := 0; parent+1 < len(ptr); parent++ {
		for p := ptr[parent]; p < ptr[parent+1]; p++ {
			if p&(checkEvery-1) == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			l.insert(uint64(parent)<<32|uint64(uint32(idx[p])), p)
		}
	}
	return l, nil
}

func (l *HashLevel) insert(key uint64, pos int32) {
	mask := uint64(len(l.slots) - 1)
	s := hashKey(key) >> l.shift
	for l.slots[s] != 0 {
		s = (s + 1) & mask
	}
	l.keys[s], l.slots[s] = key, pos+1
}

// hashKey mixes a key so that its high bits depend on all of it.
func hashKey(k uint64) uint64 {
	k ^= k >> 32
	k *= 0x9e3779b97f4a7c15
	k ^= k >> 29
	return k * 0xbf58476d1ce4e5b9
}

// Kind is Hash.
func (*HashLevel) Kind() format.Kind { return format.Hash }

// Fiber returns the sorted coordinates below parent.
func (l *HashLevel) Fiber(parent int32) Fiber {
	lo, hi := l.Ptr[parent], l.Ptr[parent+1]
	return Fiber{Idx: l.Idx[lo:hi:hi], Base: lo, N: hi - lo}
}

// Lookup probes linearly from the key's slot.
func (l *HashLevel) Lookup(parent int32, c Coord) (int32, bool) {
	key := uint64(parent)<<32 | uint64(uint32(c))
	mask := uint64(len(l.slots) - 1)
	for s := hashKey(key) >> l.shift; l.slots[s] != 0; s = (s + 1) & mask {
		if l.keys[s] == key {
			return l.slots[s] - 1, true
		}
	}
	return 0, false
}

func (l *HashLevel) span(lo, hi int32) (int32, int32) { return l.Ptr[lo], l.Ptr[hi] }

func (l *HashLevel) count(lo, hi int32) int { return int(l.Ptr[hi] - l.Ptr[lo]) }

func (l *HashLevel) bytes() int64 {
	return 4*int64(len(l.Ptr)+len(l.Idx)+len(l.slots)) + 8*int64(len(l.keys))
}
