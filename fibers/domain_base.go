package fibers

import (
	"iter"
	"math/bits"
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

func newBitmapBase(n int, lo, hi int64, each iter.Seq[[]int64]) intBase {
	width := uint64(hi) - uint64(lo)
	if n == 0 || hi < lo || width/64 > bitmapWords*uint64(n)+windowFree {
		return intBase{}
	}
	b := intBase{offset: lo, words: make([]uint64, width/64+1)}
	for vals := range each {
		for _, v := range vals {
			bit := uint64(v) - uint64(lo)
			b.words[bit/64] |= 1 << (bit % 64)
		}
	}
	b.before = make([]int32, len(b.words))
	for w, word := range b.words {
		b.before[w] = int32(b.n)
		b.n += bits.OnesCount64(word)
	}
	b.vals = make([]int64, 0, b.n)
	for w, word := range b.words {
		for ; word != 0; word &= word - 1 {
			b.vals = append(b.vals, lo+int64(64*w+bits.TrailingZeros64(word)))
		}
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

// encode finds values up to the first that has no coordinate here, and returns
// how many those are.
func (b *intBase) encode(vals []int64, out []Coord) int {
	out = out[:len(vals)]
	if b.words == nil {
		offset, n := b.offset, uint64(b.n)
		for e, v := range vals {
			at := uint64(v) - uint64(offset)
			if at >= n {
				return e
			}
			out[e] = Coord(at)
		}
		return len(vals)
	}
	for e, v := range vals {
		c, ok := b.find(v)
		if !ok {
			return e
		}
		out[e] = c
	}
	return len(vals)
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
	slots []intSlot
	n     int
	shift uint
}

// intSlot keeps key and coordinate on one cache line.
type intSlot struct {
	key   uint64
	place int32 // coordinate+1, 0: free
}

func (t *intTable) init(expected int) {
	if expected > 0 {
		t.resize(uint(bits.Len(uint(2 * expected))))
	}
}

func (t *intTable) resize(logSlots uint) {
	old := t.slots
	logSlots = max(logSlots, 4)
	t.slots = make([]intSlot, 1<<logSlots)
	t.shift = 64 - logSlots
	for _, s := range old {
		if s.place != 0 {
			t.put(s)
		}
	}
}

func (t *intTable) put(slot intSlot) {
	mask := uint64(len(t.slots) - 1)
	s := hashKey(slot.key) >> t.shift
	for t.slots[s].place != 0 {
		s = (s + 1) & mask
	}
	t.slots[s] = slot
}

func (t *intTable) find(key uint64) (Coord, bool) {
	if t.n == 0 {
		return 0, false
	}
	mask := uint64(len(t.slots) - 1)
	for s := hashKey(key) >> t.shift; ; s = (s + 1) & mask {
		slot := &t.slots[s]
		if slot.place == 0 {
			return 0, false
		}
		if slot.key == key {
			return slot.place - 1, true
		}
	}
}

// insert adds a key that is not there.
func (t *intTable) insert(key uint64, c Coord) {
	if 2*(t.n+1) > len(t.slots) {
		t.resize(uint(bits.Len(uint(len(t.slots)))))
	}
	t.n++
	t.put(intSlot{key: key, place: c + 1})
}

func (t *intTable) bytes() int64 { return 16 * int64(len(t.slots)) }
