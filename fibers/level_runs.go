package fibers

import "github.com/trireme-db/trireme/einsum/format"

// RunLevel holds runs of consecutive coordinates with equal values; a run has one
// position. The fiber below position p has runs Ptr[p]:Ptr[p+1]. Run r begins at
// coordinate First[r] and at entry Entries[r] of the level, so it is
// Entries[r+1]-Entries[r] long. Always the last level.
//
// Where all fibers have all coordinates of the dimension (run-length, not sparse),
// First is nil: runs begin where the one before ends.
type RunLevel struct {
	Dim     int32
	Ptr     []int32
	First   []Coord
	Entries []int32
}

// Kind is RunLength or SparseRunLength.
func (l *RunLevel) Kind() format.Kind {
	if l.First == nil {
		return format.RunLength
	}
	return format.SparseRunLength
}

// Bounds returns the coordinates [lo,hi) of run r, which is below parent.
func (l *RunLevel) Bounds(parent, r int32) (lo, hi Coord) {
	if l.First == nil {
		at := l.Entries[l.Ptr[parent]]
		return l.Entries[r] - at, l.Entries[r+1] - at
	}
	lo = l.First[r]
	return lo, lo + l.Entries[r+1] - l.Entries[r]
}

// Search returns the first run of the fiber below parent that ends after c. O(log
// runs).
func (l *RunLevel) Search(parent int32, c Coord) int32 {
	lo, hi := l.Ptr[parent], l.Ptr[parent+1]
	for lo < hi {
		mid := int32(uint32(lo+hi) >> 1)
		if _, end := l.Bounds(parent, mid); end <= c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Fiber lists the runs below parent: O(runs).
func (l *RunLevel) Fiber(parent int32) Fiber {
	lo, hi := l.Ptr[parent], l.Ptr[parent+1]
	f := Fiber{Base: lo, N: l.Entries[hi] - l.Entries[lo], Runs: make([]Run, 0, hi-lo)}
	for r := lo; r < hi; r++ {
		first, _ := l.Bounds(parent, r)
		f.Runs = append(f.Runs, Run{First: first, At: l.Entries[r] - l.Entries[lo]})
	}
	return f
}

// Lookup is a binary search among the fiber's runs.
func (l *RunLevel) Lookup(parent int32, c Coord) (int32, bool) {
	r := l.Search(parent, c)
	if c < 0 || r == l.Ptr[parent+1] {
		return 0, false
	}
	first, _ := l.Bounds(parent, r)
	return r, first <= c
}

func (l *RunLevel) span(lo, hi int32) (int32, int32) { return l.Ptr[lo], l.Ptr[hi] }

func (l *RunLevel) count(lo, hi int32) int { return int(l.Entries[l.Ptr[hi]] - l.Entries[l.Ptr[lo]]) }

func (l *RunLevel) bytes() int64 { return 4 * int64(len(l.Ptr)+len(l.First)+len(l.Entries)) }
