package kernel

import (
	"math/bits"

	"github.com/trireme-db/trireme/einsum/semiring"
)

// Union is the coordinates of several ascending lists within a window, each once:
// a bitmap, and for every word of it how many coordinates are in the words before.
// The zero value is ready to be used.
type Union struct {
	first int32
	words []uint64
	ranks []int32
}

// Reset makes the union empty, for coordinates first..first+span-1.
func (u *Union) Reset(first, span int32) {
	n := int(span+63) / 64
	if n > cap(u.words) {
		u.words, u.ranks = make([]uint64, n), make([]int32, n)
	}
	u.first, u.words, u.ranks = first, u.words[:n], u.ranks[:n]
	clear(u.words)
}

// Add adds coordinates.
func (u *Union) Add(ks []int32) {
	words, first := u.words, u.first
	for _, k := range ks {
		at := uint32(k - first)
		words[at>>6] |= 1 << (at & 63)
	}
}

// List writes the coordinates to dst in ascending order and returns how many they
// are. Places follow it.
func (u *Union) List(dst []int32) int {
	n := 0
	for w, word := range u.words {
		u.ranks[w] = int32(n)
		for base := u.first + int32(w)*64; word != 0; word &= word - 1 {
			dst[n] = base + int32(bits.TrailingZeros64(word))
			n++
		}
	}
	return n
}

// Places writes, for coordinates of the union, base plus their number in ks to the
// places at which List has put them.
func (u *Union) Places(ks []int32, base int32, dst []int32) {
	for i, k := range ks {
		dst[u.Rank(k)] = base + int32(i)
	}
}

// PlacesByKey is Places with base plus the coordinate.
func (u *Union) PlacesByKey(ks []int32, base int32, dst []int32) {
	for _, k := range ks {
		dst[u.Rank(k)] = base + k
	}
}

// Rank is how many coordinates are below k.
func (u *Union) Rank(k int32) int32 {
	at := uint32(k - u.first)
	below := u.words[at>>6] & (1<<(at&63) - 1)
	return u.ranks[at>>6] + int32(bits.OnesCount64(below))
}

// GatherPresent writes src[at[i]] to every lane i, or other where at[i] is negative.
func GatherPresent[T any](dst, src []T, at []int32, other T) {
	at = at[:len(dst)]
	for i, p := range at {
		v := other
		if p >= 0 {
			v = src[p]
		}
		dst[i] = v
	}
}

// KeepTrue narrows a selection to its members for which holds is true. ks and es
// are as of KeepMarked.
func KeepTrue(s Selection, holds []bool, ks, es []int32) Selection {
	n := 0
	for i, k := range s.Ks {
		at := int32(i)
		if s.Es != nil {
			at = s.Es[i]
		}
		ks[n], es[n] = k, at
		if holds[i] {
			n++
		}
	}
	return Selection{Ks: ks[:n], Es: es[:n]}
}

// PlacesMerged writes base plus the number in fiber of every coordinate of ks to dst,
// -1 where it is not in there. Both ascend; it looks from number cur on, and returns
// where it is to look for what comes after ks.
func PlacesMerged(ks, fiber []int32, cur, base int32, dst []int32) int32 {
	dst = dst[:len(ks)]
	at := int(cur)
	for i, k := range ks {
		for at < len(fiber) && fiber[at] < k {
			at++
		}
		p := int32(-1)
		if at < len(fiber) && fiber[at] == k {
			p = base + int32(at)
		}
		dst[i] = p
	}
	return int32(at)
}

// AppendSingles appends what Add or Or makes of each lane alone: a sum from zero on,
// so that no zero is negative, or 0 and 1. False, and nothing is appended, for others.
func AppendSingles[T int64 | float64](op semiring.Op, dst, lanes []T) ([]T, bool) {
	switch op {
	case semiring.Add:
		var zero T
		for _, v := range lanes {
			dst = append(dst, zero+v)
		}
	case semiring.Or:
		for _, v := range lanes {
			one := T(1)
			if v == 0 {
				one = 0
			}
			dst = append(dst, one)
		}
	default:
		return dst, false
	}
	return dst, true
}
