package exec

import (
	"slices"

	"github.com/trireme-db/trireme/fibers"
)

// standing is the list that stays while rows move past it. Windows leave
// list[from:to] of it, and whoever probes it asks for marks of just these: they
// follow the window, which moves up with the rows, so that each coordinate is
// marked and cleared once.
type standing struct {
	dim      int
	list     []fibers.Coord
	of       []int32 // the parents whose fibers the list is made of
	lo, hi   fibers.Coord
	known    bool
	from, to int32
	bytes    []uint8
	at, end  int32 // list[at:end] is marked
	debt     int64 // searches since the list came
}

// is reports whether the list is that of the fibers below the terms' parents, in
// the range [lo,hi); from now on it is taken to be.
func (s *standing) is(e *env, terms []*term, lo, hi fibers.Coord) bool {
	same := s.known && s.lo == lo && s.hi == hi
	s.of = slices.Grow(s.of, len(terms))[:len(terms)]
	for i, t := range terms {
		same = same && s.of[i] == e.pos[t.parent]
		s.of[i] = e.pos[t.parent]
	}
	s.lo, s.hi, s.known = lo, hi, true
	return same
}

// set gives it another list, of which nothing is marked yet.
func (s *standing) set(list []fibers.Coord) {
	s.list, s.debt = list, 0
	s.from, s.to, s.at, s.end = 0, int32(len(list)), 0, 0
}

// start lays the window where rows begin: at the list's lower end, empty where
// the upper bound moves as well.
func (s *standing) start(lower, upper bool) {
	if lower || upper {
		s.from, s.to = 0, 0
	}
	if !upper {
		s.to = int32(len(s.list))
	}
}

// move shifts the window up to [lo,hi).
func (s *standing) move(lo, hi fibers.Coord) {
	s.from = fibers.GallopCoord(s.list, s.from, lo)
	s.to = fibers.GallopCoord(s.list, max(s.to, s.from), hi)
}

// left is the number of coordinates in the window.
func (s *standing) left() int { return int(s.to - s.from) }

// window is the coordinates in the window.
func (s *standing) window() []fibers.Coord { return s.list[s.from:s.to] }

// pays reports whether n more probes make marks worth while that are not there.
func (s *standing) pays(n int) bool {
	if s.at < s.end {
		return true
	}
	s.debt += int64(n)
	return s.debt*markPays >= int64(s.to-s.from)
}

// follow marks the coordinates in the window, and no others; false: the
// traversal stops.
func (s *standing) follow(e *env) bool {
	if s.at == s.from && s.end == s.to {
		return true
	}
	if s.bytes == nil {
		s.bytes = make([]uint8, s.dim)
		if !e.hold(int64(s.dim)) {
			return false
		}
	}
	gone := min(s.from, s.end)
	ok := s.put(e, min(s.at, gone), gone, 0)
	s.at, s.end = max(s.at, s.from), max(s.end, s.from)
	ok = ok && s.put(e, s.end, s.to, 1)
	s.at, s.end = s.from, s.to
	return ok
}

// clear removes all marks.
func (s *standing) clear(e *env) bool {
	ok := s.put(e, s.at, s.end, 0)
	s.at, s.end = 0, 0
	return ok
}

func (s *standing) put(e *env, from, to int32, mark uint8) bool {
	for ; from < to; from += gasUnits {
		piece := s.list[from:min(from+gasUnits, to)]
		for _, c := range piece {
			s.bytes[c] = mark
		}
		if !e.burn(len(piece)) {
			return false
		}
	}
	return true
}
