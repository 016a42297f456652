//go:build !checked

package kernel

import (
	"unsafe"

	"github.com/trireme-db/trireme/internal/invariant"
)

// CountMarked counts the coordinates that are marked. The last filter of a count
// is this, not a selection. Without bounds checks, which the compiler cannot
// remove from marks[k] and which cost half as much again (BenchmarkCountMarked);
// all coordinates are below len(marks) (K5). Built with the tag checked it is
// what probe_checked.go says.
func CountMarked(ks []int32, marks []uint8) int {
	base := unsafe.Pointer(unsafe.SliceData(marks))
	n0, n1, n2, n3 := 0, 0, 0, 0
	for len(ks) >= 8 {
		q := (*[8]int32)(ks)
		n0 += int(*(*uint8)(unsafe.Add(base, q[0]))) + int(*(*uint8)(unsafe.Add(base, q[1])))
		n1 += int(*(*uint8)(unsafe.Add(base, q[2]))) + int(*(*uint8)(unsafe.Add(base, q[3])))
		n2 += int(*(*uint8)(unsafe.Add(base, q[4]))) + int(*(*uint8)(unsafe.Add(base, q[5])))
		n3 += int(*(*uint8)(unsafe.Add(base, q[6]))) + int(*(*uint8)(unsafe.Add(base, q[7])))
		ks = ks[8:]
	}
	for _, k := range ks {
		n0 += int(*(*uint8)(unsafe.Add(base, k)))
	}
	return n0 + n1 + n2 + n3
}

// CountInside counts the coordinates whose bit is set, bit k%64 of word k/64 (K5).
func CountInside(ks []int32, words []uint64) int {
	base := unsafe.Pointer(unsafe.SliceData(words))
	n0, n1 := uint64(0), uint64(0)
	for len(ks) >= 4 {
		q := (*[4]int32)(ks)
		n0 += *(*uint64)(unsafe.Add(base, q[0]>>6<<3)) >> (uint(q[0]) & 63) & 1
		n1 += *(*uint64)(unsafe.Add(base, q[1]>>6<<3)) >> (uint(q[1]) & 63) & 1
		n0 += *(*uint64)(unsafe.Add(base, q[2]>>6<<3)) >> (uint(q[2]) & 63) & 1
		n1 += *(*uint64)(unsafe.Add(base, q[3]>>6<<3)) >> (uint(q[3]) & 63) & 1
		ks = ks[4:]
	}
	for _, k := range ks {
		n0 += *(*uint64)(unsafe.Add(base, k>>6<<3)) >> (uint(k) & 63) & 1
	}
	return int(n0 + n1)
}

// CountFresh adds 1 to the counts of coordinates and to the touched list, of n
// entries, those whose count was 0; it returns the list's new length. touched
// has one place more than there are coordinates, and coordinates are below
// len(acc) (K5).
func CountFresh(acc []int64, ks, touched []int32, n int) int {
	base, list := unsafe.Pointer(unsafe.SliceData(acc)), unsafe.Pointer(unsafe.SliceData(touched))
	for _, k := range ks {
		at := (*int64)(unsafe.Add(base, int(k)*8))
		c := *at
		*(*int32)(unsafe.Add(list, n*4)) = k
		n += int(uint64(c-1) >> 63)
		*at = c + 1
	}
	return n
}

// TallyFresh is CountFresh in 32 bits, of which twice as many fit a cache.
func TallyFresh(acc []uint32, ks, touched []int32, n int) int {
	base, list := unsafe.Pointer(unsafe.SliceData(acc)), unsafe.Pointer(unsafe.SliceData(touched))
	for _, k := range ks {
		at := (*uint32)(unsafe.Add(base, int(k)*4))
		c := *at
		*(*int32)(unsafe.Add(list, n*4)) = k
		n += int((uint64(c) - 1) >> 63)
		*at = c + 1
	}
	return n
}

// selectMarked writes the marked coordinates and their entries to ks and es, which
// are at least as long as from, and returns their number (K5).
func selectMarked(from []int32, marks []uint8, ks, es []int32) int {
	if len(from) > min(len(ks), len(es)) {
		panic(invariant.Failed("kernel: a selection of %d longer than its buffers", len(from)))
	}
	base := unsafe.Pointer(unsafe.SliceData(marks))
	toK, toE := unsafe.Pointer(unsafe.SliceData(ks)), unsafe.Pointer(unsafe.SliceData(es))
	n := 0
	for e, k := range from {
		*(*int32)(unsafe.Add(toK, n*4)) = k
		*(*int32)(unsafe.Add(toE, n*4)) = int32(e)
		n += int(*(*uint8)(unsafe.Add(base, k)))
	}
	return n
}
