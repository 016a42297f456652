package exec

import (
	"math"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
)

// window bounds a loop's coordinates by an index bound outside: the domain's
// coordinates are in SQL order.
type window struct {
	op    semiring.Op // this index op the other
	other int         // loop
}

// loop iterates one index: the shortest fiber leads, the others follow.
type loop struct {
	d        int
	dim      int32
	terms    []*term // restrict the loop; fibers known on entry
	repeats  []*term // a second level of an operand with the same index
	optional []*term // may be absent: position -1
	windows  []window
	masks    []func(*env) bool
	body     func(*env)
	first    fibers.Coord // coordinates below are outside the slice that is run
	limit    fibers.Coord // coordinates from here on are absent in some term, or outside the slice
	lo, hi   fibers.Coord // of the current run, hi exclusive
}

func (b *binder) newLoop(d int, body func(*env)) *loop {
	name := b.step.Loops[d].Index.Name
	l := &loop{d: d, dim: int32(b.dim(name)), body: body}
	for n, o := range b.operands {
		for lev, ix := range o.idx {
			if ix.Name != name {
				continue
			}
			t := newTerm(n, o.tensor.Levels[lev], o.tensor.Dims[lev], o.slots[lev], o.slots[lev+1])
			bound := -1
			if lev > 0 {
				bound = b.loopOf[o.idx[lev-1].Name]
			}
			switch {
			case !b.required.has(n):
				l.optional = append(l.optional, t)
			case bound == d:
				l.repeats = append(l.repeats, t)
			default:
				if t.kind == format.SparseList && bound < d-1 && int(l.dim) <= markDimMax {
					t.marks = newMarks(int(l.dim), o.valued || lev < len(o.idx)-1)
				}
				l.terms = append(l.terms, t)
			}
		}
	}
	l.limit = l.dim
	if len(l.terms) > 1 {
		for _, t := range l.terms {
			if t.byKey { // a level older than the domain ends before it
				l.limit = min(l.limit, t.dim)
			}
		}
	}
	if s, ok := b.in.Slices[name]; ok {
		l.limit = min(l.limit, s.Hi)
		l.first = min(s.Lo, l.limit)
	}
	b.addMasks(l)
	return l
}

// addMasks gives the loop the required comparisons that it completes.
func (b *binder) addMasks(l *loop) {
	for m, mask := range b.masks {
		left, right := b.loopOf[mask.L.Name], b.loopOf[mask.R.Name]
		if !b.required.has(len(b.operands)+m) || max(left, right) != l.d {
			continue
		}
		w, ok := windowOf(mask, left, right)
		if ok && b.in.Ranks[mask.L.Domain] == nil {
			l.windows = append(l.windows, w)
		} else {
			l.masks = append(l.masks, b.maskFunc(mask))
		}
	}
}

// windowOf writes a comparison as a bound on its later index.
func windowOf(m *einsum.Compare, left, right int) (window, bool) {
	if left == right || m.Op == semiring.Ne {
		return window{}, false
	}
	if left > right {
		return window{op: m.Op, other: right}, true
	}
	mirrored := map[semiring.Op]semiring.Op{
		semiring.Eq: semiring.Eq, semiring.Lt: semiring.Gt, semiring.Le: semiring.Ge, semiring.Gt: semiring.Lt, semiring.Ge: semiring.Le,
	}
	return window{op: mirrored[m.Op], other: left}, true
}

// bounds computes the coordinates that the windows and the limit admit.
func (l *loop) bounds(e *env) {
	if len(l.windows) == 0 {
		l.lo, l.hi = l.first, l.limit
		return
	}
	lo, hi := int64(l.first), int64(l.limit)
	for _, w := range l.windows {
		c := int64(e.ix[w.other])
		switch w.op {
		case semiring.Lt:
			hi = min(hi, c)
		case semiring.Le:
			hi = min(hi, c+1)
		case semiring.Gt:
			lo = max(lo, c+1)
		case semiring.Ge:
			lo = max(lo, c)
		default: // Eq
			lo, hi = max(lo, c), min(hi, c+1)
		}
	}
	l.lo, l.hi = fibers.Coord(lo), fibers.Coord(max(lo, hi))
}

// window is bounds inside the morsel that is run.
func (l *loop) window(e *env) {
	l.bounds(e)
	if l.d < e.cut {
		l.lo, l.hi = e.morsel.clip(e.ix, l.d, l.lo, l.hi)
	}
}

// start opens the fibers, chooses the leader and returns the range of its
// entries inside the window. lead nil: no term restricts the loop and its
// coordinates themselves are the range.
func (l *loop) start(e *env) (lead *term, from, to int32) {
	l.window(e)
	best := int64(math.MaxInt64)
	for _, t := range l.terms {
		t.open(e)
		if t.block() {
			l.lo, l.hi = t.clip(l.lo, l.hi)
		}
		cost := int64(t.n)
		if t.marks != nil {
			cost *= walkShorter
		}
		if t.block() && len(l.terms) > 1 {
			cost = math.MaxInt64 - 1
		}
		if cost < best {
			lead, best = t, cost
		}
	}
	if lead == nil {
		return nil, l.lo, l.hi
	}
	from, to = lead.clip(l.lo, l.hi)
	if from < to {
		for _, t := range l.terms {
			if t != lead {
				t.follow(e, to-from)
			}
		}
	}
	return lead, from, to
}

// run is the general loop.
func (l *loop) run(e *env) {
	lead, from, to := l.start(e)
	for at := from; at < to; at++ {
		if !e.burn(1) {
			return
		}
		c := at
		if lead != nil {
			c = lead.coord(at)
			e.pos[lead.slot] = lead.pos(at)
		}
		e.ix[l.d] = c
		if l.admit(e, lead, c) {
			l.body(e)
			if e.err != nil {
				return
			}
		}
	}
}

// admit moves the followers to c and reports whether all required ones and the
// masks accept it.
func (l *loop) admit(e *env, lead *term, c fibers.Coord) bool {
	for _, t := range l.terms {
		if t == lead {
			continue
		}
		pos, ok := t.find(e, c)
		if !ok {
			return false
		}
		e.pos[t.slot] = pos
	}
	for _, t := range l.repeats {
		pos, ok := t.level.Lookup(e.pos[t.parent], c)
		if !ok {
			return false
		}
		e.pos[t.slot] = pos
	}
	for _, mask := range l.masks {
		if !mask(e) {
			return false
		}
	}
	for _, t := range l.optional {
		pos, ok := int32(0), e.pos[t.parent] >= 0
		if ok {
			pos, ok = t.level.Lookup(e.pos[t.parent], c)
		}
		if !ok {
			pos = -1
		}
		e.pos[t.slot] = pos
	}
	return true
}
