package fibers

import "github.com/trireme-db/trireme/einsum/format"

// SparseListLevel holds the sorted coordinates of the fiber below position p in
// Idx[Ptr[p]:Ptr[p+1]]; the position of an entry is its offset in Idx.
type SparseListLevel struct {
	Ptr []int32
	Idx []Coord
}

// Kind is SparseList.
func (*SparseListLevel) Kind() format.Kind { return format.SparseList }

// Fiber returns the coordinates below parent without copying them.
func (l *SparseListLevel) Fiber(parent int32) Fiber {
	lo, hi := l.Ptr[parent], l.Ptr[parent+1]
	return Fiber{Idx: l.Idx[lo:hi:hi], Base: lo, N: hi - lo}
}

// Lookup is a binary search in the fiber.
func (l *SparseListLevel) Lookup(parent int32, c Coord) (int32, bool) {
	lo, hi := l.Ptr[parent], l.Ptr[parent+1]
	e := lo + SearchCoord(l.Idx[lo:hi], c)
	return e, e < hi && l.Idx[e] == c
}

func (l *SparseListLevel) span(lo, hi int32) (int32, int32) { return l.Ptr[lo], l.Ptr[hi] }

func (l *SparseListLevel) count(lo, hi int32) int { return int(l.Ptr[hi] - l.Ptr[lo]) }

func (l *SparseListLevel) bytes() int64 { return 4 * int64(len(l.Ptr)+len(l.Idx)) }

// SearchCoord returns the first offset of the ascending idx whose coordinate is
// at least c.
func SearchCoord(idx []Coord, c Coord) int32 {
	lo, hi := 0, len(idx)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if idx[mid] < c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return int32(lo)
}

// GallopCoord is SearchCoord for a search that starts at from, where the
// answer is expected near: O(log distance).
func GallopCoord(idx []Coord, from int32, c Coord) int32 {
	n := int32(len(idx))
	if from >= n || idx[from] >= c {
		return from
	}
	step := int32(1)
	lo := from
	for lo+step < n && lo+step > 0 && idx[lo+step] < c {
		lo += step
		step <<= 1
	}
	hi := n
	if lo+step < n && lo+step > 0 {
		hi = lo + step
	}
	return lo + 1 + SearchCoord(idx[lo+1:hi], c)
}
