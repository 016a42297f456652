package exec

import (
	"math"
	"slices"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
)

// loop iterates one index: the shortest fiber leads, the others follow. Where no
// operand restricts it, the union of those leads of which some are present.
type loop struct {
	d        int
	dim      int32
	terms    []*term // restrict the loop; fibers known on entry
	repeats  []*term // a second level of an operand with the same index
	optional []*term // may be absent: position -1; fibers known on entry
	lacks    []*lack // must be absent for a cell to count; fibers known on entry
	again    []*term // a second level of an optional operand with the same index
	windows  windows
	masks    []func(*env) bool // comparisons to test in the current part
	body     func(*env)
	first    fibers.Coord // coordinates below are outside the slice that is run
	limit    fibers.Coord // coordinates from here on are absent in some term, or outside the slice
	lo, hi   fibers.Coord // of the current part, hi exclusive
	split    bool         // the range may be several parts (inParts)
	tail     bool         // the current part is of coordinates without order
	covered  bool         // some optional term has every coordinate of the structure
	merged   bool         // the union of the optional terms leads
	breaker  *breaker     // not nil: the loop may stop before its end
	// expected is how many entries a loop that stops at its first cell looks at.
	expected int32
}

func (b *binder) newLoop(d int, body func(*env)) *loop {
	name := b.step.Loops[d].Index.Name
	l := &loop{d: d, dim: int32(b.dim(name)), body: body}
	for n, o := range b.operands {
		for lev, ix := range o.idx {
			if ix.Name == name {
				b.addTerm(l, n, lev)
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
	for _, t := range b.cover(b.query.Leaves[0].Expr, l.optional) {
		l.covered, t.leads = true, true
	}
	b.addMasks(l)
	return l
}

// addTerm adds level lev of operand n, whose index is the loop's.
func (b *binder) addTerm(l *loop, n, lev int) {
	o := b.operands[n]
	t := newTerm(n, o.tensor.Levels[lev], o.tensor.Dims[lev], o.slots[lev], o.slots[lev+1])
	var outer []int // the loops that move the fiber
	bound := -1
	for _, ix := range o.idx[:lev] {
		bound = b.loopOf[ix.Name]
		outer = append(outer, bound)
	}
	if a := slices.IndexFunc(b.absences, func(a *absence) bool { return a.op == n }); a >= 0 {
		b.addLack(l, b.absences[a], lev, bound, outer, t)
		return
	}
	switch required := b.required.has(n); {
	case bound == l.d && required:
		l.repeats = append(l.repeats, t)
	case bound == l.d:
		l.again = append(l.again, t)
	case !required:
		if t.kind == format.SparseList && bound < l.d-1 && int(l.dim) <= markDimMax {
			t.marks = newMarks(int(l.dim), o.valued || lev < len(o.idx)-1)
			t.marks.within = b.stableWindows(l.d, outer)
		} else {
			t.places = newPlaces(t, int(l.dim))
		}
		l.optional = append(l.optional, t)
	default:
		if level, ok := t.level.(*fibers.SparseListLevel); ok && !o.valued && lev == len(o.idx)-1 {
			t.hubs = b.hubsOf(level, int(l.dim))
		}
		if t.kind == format.SparseList && bound < l.d-1 && int(l.dim) <= markDimMax {
			t.marks = newMarks(int(l.dim), o.valued || lev < len(o.idx)-1)
			t.marks.within = b.stableWindows(l.d, outer)
		} else {
			t.places = newPlaces(t, int(l.dim))
		}
		l.terms = append(l.terms, t)
	}
}

// start opens the fibers, chooses the leader and returns the range of its
// entries inside the window. lead nil: no term restricts the loop and its
// coordinates themselves are the range.
func (l *loop) start(e *env) (lead *term, from, to int32) {
	if !l.split {
		l.bounds(e)
	}
	best := int64(math.MaxInt64)
	for _, t := range l.terms {
		t.open(e)
		if t.block() {
			l.lo, l.hi = t.clip(l.lo, l.hi)
		}
	}
	for _, t := range l.terms {
		cost := int64(t.n)
		if t.marks != nil {
			cost *= l.search(t)
		}
		if t.block() && len(l.terms) > 1 {
			cost = math.MaxInt64 - 1
		}
		if cost < best {
			lead, best = t, cost
		}
	}
	if len(l.optional) > 0 && l.openOptional(e, best) {
		lead = nil
	}
	l.openLacks(e)
	from, to = l.lo, l.hi
	if lead != nil {
		lead, from, to = l.clipped(lead)
	}
	if len(l.windows.except) > 0 {
		to = l.leaveOut(e, lead, from, to)
	}
	switch {
	case l.merged:
		l.follow(e, nil, l.clipOptional())
	case from < to:
		l.follow(e, lead, to-from)
	}
	return lead, from, to
}

// search is what it costs to look for an entry of lead in the other fibers, in
// probes of marks.
func (l *loop) search(lead *term) int64 {
	for _, t := range l.terms {
		if t != lead && t.marks == nil && !t.hub() {
			return walkShorter
		}
	}
	return insideCost
}

// reclip is the range of the shortest fiber from which on the other fibers are
// cut as well, to lead where that leaves fewer entries of them: two searches each.
const reclip = 64

// clipped cuts the leader to the window, and where much is left of it those that
// may lead in its place.
func (l *loop) clipped(lead *term) (best *term, from, to int32) {
	from, to = lead.clip(l.lo, l.hi)
	best = lead
	if len(l.terms) == 1 || to-from < reclip || len(l.windows.bounds) == 0 {
		return best, from, to
	}
	for _, t := range l.terms {
		if t == lead || t.marks != nil || t.block() {
			continue
		}
		if lo, hi := t.clip(l.lo, l.hi); hi-lo < to-from {
			best, from, to = t, lo, hi
		}
	}
	return best, from, to
}

// follow prepares all terms but the leader to be searched n times; fewer, where
// the loop stops at its first cell as a rule.
func (l *loop) follow(e *env, lead *term, n int32) {
	if l.breaker.atOnce(l.d) {
		n = min(n, l.expected)
	}
	for _, t := range l.terms {
		if t != lead {
			t.follow(e, n)
		}
	}
	for _, k := range l.lacks {
		if !k.absent && k.runs == nil {
			k.follow(e, n)
		}
	}
	for _, t := range l.optional {
		if !t.absent && t.runs == nil && !(l.merged && t.leads) {
			t.follow(e, n)
		}
	}
}

// run is the general loop.
func (l *loop) run(e *env) {
	lead, from, to := l.start(e)
	if l.merged {
		l.runUnion(e)
		return
	}
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
			if len(l.optional) > 0 {
				l.present(e, c)
			}
			l.findLacks(e, c)
			l.body(e)
			if e.err != nil || l.breaker.stops() {
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
	return true
}
