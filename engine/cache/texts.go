package cache

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"
)

// texts numbers different strings in the order of their first occurrence. It is a
// table of open addressing that keeps hashes, so that it grows without a look at
// the strings, of which it keeps copies in blocks (BenchmarkTexts).
type texts struct {
	seed  maphash.Seed
	slots []textSlot // a power of two, at most half full
	all   []string   // by number
	block strings.Builder
}

// textSlot is a string's hash and its number plus 1; 0: the slot is free.
type textSlot struct {
	hash   uint32
	number int32
}

const (
	textSlotsMin = 64
	textBlock    = 64 << 10
)

func newTexts() *texts {
	return &texts{seed: maphash.MakeSeed(), slots: make([]textSlot, textSlotsMin)}
}

// number is that of a string, which is new to the table if it is the next one.
func (t *texts) number(s string) int64 {
	hash := uint32(maphash.String(t.seed, s))
	mask := uint32(len(t.slots) - 1)
	at := hash & mask
	for ; t.slots[at].number != 0; at = (at + 1) & mask {
		if slot := t.slots[at]; slot.hash == hash && t.all[slot.number-1] == s {
			return int64(slot.number - 1)
		}
	}
	t.all = append(t.all, t.keep(s))
	t.slots[at] = textSlot{hash: hash, number: int32(len(t.all))}
	if 2*len(t.all) > len(t.slots) {
		t.grow()
	}
	return int64(len(t.all) - 1)
}

func (t *texts) grow() {
	old := t.slots
	t.slots = make([]textSlot, 2*len(old))
	mask := uint32(len(t.slots) - 1)
	for _, slot := range old {
		if slot.number == 0 {
			continue
		}
		at := slot.hash & mask
		for t.slots[at].number != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = slot
	}
}

// keep copies a string to the current block.
func (t *texts) keep(s string) string {
	if len(s) > t.block.Cap()-t.block.Len() {
		if len(s) > textBlock/4 {
			return strings.Clone(s)
		}
		t.block = strings.Builder{}
		t.block.Grow(textBlock)
	}
	from := t.block.Len()
	t.block.WriteString(s)
	return t.block.String()[from:]
}

// sorted returns the strings in order, and by number the rank of each.
func (t *texts) sorted() (dict []string, ranks []int64) {
	order := make([]textEntry, len(t.all))
	for i := range t.all {
		order[i].number = int32(i)
	}
	t.sort(order, 0)
	dict, ranks = make([]string, len(order)), make([]int64, len(order))
	for r, e := range order {
		dict[r], ranks[e.number] = t.all[e.number], int64(r)
	}
	return dict, ranks
}

// textEntry is a string to sort. prefix is eight bytes of it as a number.
type textEntry struct {
	prefix uint64
	number int32
}

// textDepth is the offset up to which strings are sorted by eight bytes at once, and
// textFew the number of strings that are compared as they are.
const textDepth, textFew = 64, 8

// sort sorts strings that agree up to an offset, but for zeros that may follow
// the end of one: by eight bytes at once, and those that agree in these by what
// follows.
func (t *texts) sort(order []textEntry, from int) {
	if from >= textDepth || len(order) <= textFew {
		slices.SortFunc(order, func(a, b textEntry) int { return strings.Compare(t.all[a.number], t.all[b.number]) })
		return
	}
	for i := range order {
		var next [8]byte
		s := t.all[order[i].number]
		copy(next[:], s[min(from, len(s)):])
		order[i].prefix = binary.BigEndian.Uint64(next[:])
	}
	slices.SortFunc(order, func(a, b textEntry) int { return cmp.Compare(a.prefix, b.prefix) })
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && order[hi].prefix == order[lo].prefix {
			hi++
		}
		if hi-lo > 1 {
			t.sort(order[lo:hi], from+8)
		}
		lo = hi
	}
}
