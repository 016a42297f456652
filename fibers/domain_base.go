package fibers

import (
	"math/bits"
	"slices"
)

// intBase maps integers to coordinates 0..n-1 by arithmetic, in value order: an
// identity window (value - offset), or with words a presence bitmap and ranks.
type intBase struct {
	offset int64
	n      int
	words  []uint64
	before []int32 // values present in the words before this one
	vals   []int64 // sorted, for decoding a bitmap
}

// bitmapWords bounds a bitmap: so many words of 64 bits per value, 32 bytes, are
// what the hash that it replaces would take.
const bitmapWords = 4

func newBitmapBase(vals []int64) intBase {
	if len(vals) == 0 {
		return intBase{}
	}
	lo, hi := slices.Min(vals), slices.Max(vals)
	width := uint64(hi) - uint64(lo)
	if width/64 > bitmapWords*uint64(len(vals))+windowFree {
		return intBase{}
	}
	sorted := slices.Clone(vals)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	b := intBase{offset: lo, n: len(sorted), vals: sorted}
	b.words = make([]uint64, width/64+1)
	b.before = make([]int32, len(b.words))
	for _, v := range sorted {
		bit := uint64(v) - uint64(lo)
		b.words[bit/64] |= 1 << (bit % 64)
	}
	sum := int32(0)
	for w, word := range b.words {
		b.before[w] = sum
		sum += int32(bits.OnesCount64(word))
	}
	return b
}

func (b *intBase) find(v int64) (Coord, bool) {
	at := uint64(v) - uint64(b.offset)
	if b.words == nil {
		return Coord(at), at < uint64(b.n)
	}
	w := at / 64
	if w >= uint64(len(b.words)) || b.words[w]&(1<<(at%64)) == 0 {
		return 0, false
	}
	return b.before[w] + Coord(bits.OnesCount64(b.words[w]&(1<<(at%64)-1))), true
}

func (b *intBase) value(c Coord) int64 {
	if b.words == nil {
		return b.offset + int64(c)
	}
	return b.vals[c]
}

func (b *intBase) bytes() int64 {
	return 8*int64(len(b.words)+len(b.vals)) + 4*int64(len(b.before))
}

// intTable is an open-addressing hash from 64-bit keys to coordinates. At most
// half of the slots are taken. The zero table is empty.
type intTable struct {
	keys  []uint64
	slots []int32 // coordinate+1, 0: free
	n     int
	shift uint
}

func (t *intTable) init(expected int) {
	if expected > 0 {
		t.resize(uint(bits.Len(uint(2 * expected))))
	}
}

func (t *intTable) resize(logSlots uint) {
	old := *t
	logSlots = max(logSlots, 4)
	t.keys, t.slots = make([]uint64, 1<<logSlots), make([]int32, 1<<logSlots)
	t.shift = 64 - logSlots
	for s, c := range old.slots {
		if c != 0 {
			t.place(old.keys[s], c)
		}
	}
}

func (t *intTable) place(key uint64, slot int32) {
	mask := uint64(len(t.slots) - 1)
	s := hashKey(key) >> t.shift
	for t.slots[s] != 0 {
		s = (s + 1) & mask
	}
	t.keys[s], t.slots[s] = key, slot
}

func (t *intTable) find(key uint64) (Coord, bool) {
	if t.n == 0 {
		return 0, false
	}
	mask := uint64(len(t.slots) - 1)
	for s := hashKey(key) >> t.shift; t.slots[s] != 0; s = (s + 1) & mask {
		if t.keys[s] == key {
			return t.slots[s] - 1, true
		}
	}
	return 0, false
}

// insert adds a key that is not there.
func (t *intTable) insert(key uint64, c Coord) {
	if 2*(t.n+1) > len(t.slots) {
		t.resize(uint(bits.Len(uint(len(t.slots)))))
	}
	t.n++
	t.place(key, c+1)
}

func (t *intTable) bytes() int64 { return 12 * int64(len(t.slots)) }
