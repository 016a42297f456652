package fibers

// Fiber is a fiber's N stored entries in ascending order of coordinates: entry e
// has coordinate Idx[e] and position Base+e.
//
// With Idx nil the coordinates are consecutive from First on (dense, band,
// interval), or with Runs consecutive within each run. A Spread fiber (bytemap)
// has its entry at position Base+Idx[e]. All entries of a Shared fiber
// (interval), and all of one of its Runs, have one position.
type Fiber struct {
	Idx    []Coord
	First  Coord
	Base   int32
	N      int32
	Spread bool
	Shared bool
	// Runs are the fiber's runs; run r has position Base+r.
	Runs []Run
}

// Run is a run of consecutive coordinates from First on. At is the entry of the
// fiber with which it begins.
type Run struct{ First, At int32 }

// Coord returns the coordinate of entry e: O(1), with Runs O(log runs).
func (f *Fiber) Coord(e int32) Coord {
	switch {
	case f.Idx != nil:
		return f.Idx[e]
	case f.Runs != nil:
		r := f.Runs[f.run(e)]
		return r.First + e - r.At
	default:
		return f.First + e
	}
}

// Pos returns the position of entry e.
func (f *Fiber) Pos(e int32) int32 {
	switch {
	case f.Spread:
		return f.Base + f.Idx[e]
	case f.Runs != nil:
		return f.Base + f.run(e)
	case f.Shared:
		return f.Base
	default:
		return f.Base + e
	}
}

// run returns the run that entry e belongs to.
func (f *Fiber) run(e int32) int32 {
	lo, hi := int32(0), int32(len(f.Runs))
	for hi-lo > 1 {
		if mid := int32(uint32(lo+hi) >> 1); f.Runs[mid].At <= e {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// Coords writes the coordinates of entries from, from+1, .. to out and returns
// how many there were: len(out), or fewer at the end.
func (f *Fiber) Coords(from int32, out []Coord) int {
	n := max(0, min(len(out), int(f.N-from)))
	out = out[:n]
	switch {
	case f.Idx != nil:
		copy(out, f.Idx[from:])
	case f.Runs != nil && n > 0:
		f.runCoords(from, out)
	default:
		for i := range out {
			out[i] = f.First + from + int32(i)
		}
	}
	return n
}

func (f *Fiber) runCoords(from int32, out []Coord) {
	r := f.run(from)
	for i := range out {
		e := from + int32(i)
		if int(r)+1 < len(f.Runs) && f.Runs[r+1].At == e {
			r++
		}
		out[i] = f.Runs[r].First + e - f.Runs[r].At
	}
}

// Seek returns the first entry not before from whose coordinate is at least c;
// N when there is none. O(log distance), O(1) where coordinates are consecutive.
func (f *Fiber) Seek(from int32, c Coord) int32 {
	switch {
	case f.Idx != nil:
		return GallopCoord(f.Idx[:f.N], from, c)
	case f.Runs != nil:
		return max(from, f.seekRun(c))
	default:
		return max(from, min(f.N, max(0, c-f.First)))
	}
}

// seekRun is Seek from the start of a fiber of runs.
func (f *Fiber) seekRun(c Coord) int32 {
	lo, hi := 0, len(f.Runs) // the runs before lo begin at or before c
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); f.Runs[mid].First <= c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return 0
	}
	end := f.N
	if lo < len(f.Runs) {
		end = f.Runs[lo].At
	}
	r := f.Runs[lo-1]
	return min(end, r.At+c-r.First)
}
