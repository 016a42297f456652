package exec

import "github.com/trireme-db/trireme/fibers/kernel"

// lanes are up to kernel.BatchMax cells on which expressions are evaluated column
// by column: where the operands' entries are, and which cells a guard has
// replaced by the aggregate's identity (env.skip of every cell).
type lanes struct {
	n       int
	at      []place // by operand; only of those that expressions read
	skip    []bool  // with skipped: per lane
	skipped bool    // some lane is
}

// place is where one operand's entry of each lane is: at position off+ix[i],
// off+i with ix nil, or, fixed, off for all.
type place struct {
	source
	fixed bool
}

func newLanes(operands int) *lanes { return &lanes{at: make([]place, operands)} }

// begin takes n lanes, none of which is skipped.
func (l *lanes) begin(n int) { l.n, l.skipped = n, false }

// pos is the position of lane i; negative: the operand is absent.
func (p *place) pos(i int) int32 {
	if p.fixed {
		return p.off
	}
	return p.source.at(i)
}

// drop skips lane i.
func (l *lanes) drop(i int) {
	if !l.skipped {
		l.skip = scratch[bool](l.skip).of(l.n)
		clear(l.skip)
		l.skipped = true
	}
	l.skip[i] = true
}

// dropTrue skips the lanes for which a test is true.
func (l *lanes) dropTrue(masked []bool) {
	if !l.skipped {
		l.skip = scratch[bool](l.skip).of(l.n)
		copy(l.skip, masked)
		l.skipped = true
		return
	}
	for i, m := range masked[:l.n] {
		l.skip[i] = l.skip[i] || m
	}
}

// skips reports whether lane i is skipped.
func (l *lanes) skips(i int) bool { return l.skipped && l.skip[i] }

// scratch is a buffer that grows to the longest batch.
type scratch[T any] []T

// of returns the first n places.
func (s scratch[T]) of(n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n, min(max(2*n, 16), max(n, kernel.BatchMax)))
}

// subset is some of the lanes, on which a part of an expression is evaluated.
type subset struct {
	lanes
	of       []int32 // their numbers, ascending
	operands []int   // that the part reads
	bufs     [][]int32
}

func newSubset(all int, operands []int) *subset {
	s := &subset{operands: operands, bufs: make([][]int32, len(operands))}
	s.at = make([]place, all)
	return s
}

// choose takes the lanes of l for which a test is as wanted.
func (s *subset) choose(l *lanes, test []bool, wanted bool) {
	s.of = scratch[int32](s.of).of(l.n)
	n := 0
	for i, t := range test[:l.n] {
		s.of[n] = int32(i)
		if t == wanted {
			n++
		}
	}
	s.of = s.of[:n]
	s.take(l)
}

// take finds where the operands of the chosen lanes are.
func (s *subset) take(l *lanes) {
	s.begin(len(s.of))
	for k, op := range s.operands {
		at := &l.at[op]
		if s.at[op] = *at; at.fixed {
			continue
		}
		s.bufs[k] = scratch[int32](s.bufs[k]).of(s.n)
		if at.ix != nil && at.off == 0 {
			kernel.GatherColumn(s.bufs[k], at.ix, 0, s.of)
		} else {
			for j, i := range s.of {
				s.bufs[k][j] = at.source.at(int(i))
			}
		}
		s.at[op].source = source{ix: s.bufs[k]}
	}
	if !l.skipped {
		return
	}
	for j, i := range s.of {
		if l.skip[i] {
			s.drop(j)
		}
	}
}

// settle skips the lanes of l that were skipped in the meantime.
func (s *subset) settle(l *lanes) {
	if !s.skipped {
		return
	}
	for j, i := range s.of {
		if s.skip[j] {
			l.drop(int(i))
		}
	}
}

// evaluate writes an expression's values on the subset to their lanes of out.
func evaluate[T any](e *env, s *subset, x column[T], l *lanes, out []T) {
	if s.n == 0 {
		return
	}
	for j, v := range x(e, &s.lanes) {
		out[s.of[j]] = v
	}
	s.settle(l)
}
