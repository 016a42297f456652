package exec

import (
	"math"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
)

// seek is how a follower finds the leader's coordinate.
type seek uint8

const (
	byLookup seek = iota // dense, bytemap, hash: O(1)
	byGallop             // sorted list, moving on from the last coordinate
	byMark               // sorted list, marked in a workspace
)

// term is one level of one operand at the loop that binds its index, and its
// fiber below the current parent: n entries of idx from offset lo on.
type term struct {
	op     int
	level  fibers.Level
	kind   format.Kind
	dim    int32
	ptr    []int32        // fibers' bounds; nil: dense
	idx    []fibers.Coord // the level's coordinates; nil: dense
	byKey  bool           // dense, bytemap: position base + coordinate
	parent int            // position slots: of the fiber and of the entry found
	slot   int
	marks  *marks // not nil: the fiber outlives inner iterations and may be marked
	lo, n  int32
	base   int32
	cur    int32 // gallop: offset in the fiber
	seek   seek
}

func newTerm(op int, level fibers.Level, dim int, parent, slot int) *term {
	t := &term{op: op, level: level, kind: level.Kind(), dim: int32(dim), parent: parent, slot: slot}
	switch level := level.(type) {
	case *fibers.DenseLevel:
		t.byKey, t.dim = true, level.Dim
	case *fibers.BytemapLevel:
		t.byKey, t.dim, t.ptr, t.idx = true, level.Dim, level.Ptr, level.Idx
	case *fibers.SparseListLevel:
		t.ptr, t.idx = level.Ptr, level.Idx
	case *fibers.HashLevel:
		t.ptr, t.idx = level.Ptr, level.Idx
	default:
		panic(invariant.Failed("exec: level %T", level))
	}
	return t
}

// open finds the fiber below the current parent.
func (t *term) open(e *env) {
	p := e.pos[t.parent]
	if t.byKey {
		t.base = p * t.dim
	}
	if t.ptr == nil {
		t.n = t.dim
		return
	}
	t.lo = t.ptr[p]
	t.n = t.ptr[p+1] - t.lo
}

// fiber is the current fiber's coordinates; not for dense levels.
func (t *term) fiber() []fibers.Coord { return t.idx[t.lo : t.lo+t.n] }

// coord and pos return the coordinate and position of entry at of the fiber.
func (t *term) coord(at int32) fibers.Coord {
	if t.idx == nil {
		return at
	}
	return t.idx[t.lo+at]
}

func (t *term) pos(at int32) int32 {
	if t.byKey {
		return t.base + t.coord(at)
	}
	return t.lo + at
}

// follow prepares the term to be searched n times in ascending order.
func (t *term) follow(e *env, n int32) {
	switch {
	case t.kind != format.SparseList:
		t.seek = byLookup
	case t.marks != nil && (t.marks.parent == e.pos[t.parent] || t.marks.ready(e, e.pos[t.parent], t, n)):
		t.seek = byMark
	default:
		t.seek, t.cur = byGallop, 0
	}
}

// find returns the position of coordinate c, which is not below the last one.
func (t *term) find(e *env, c fibers.Coord) (int32, bool) {
	switch {
	case t.seek == byMark:
		return t.marks.find(c)
	case t.kind == format.Dense:
		return t.base + c, c < t.dim
	case t.seek == byGallop:
		fiber := t.fiber()
		t.cur = fibers.GallopCoord(fiber, t.cur, c)
		if t.cur == t.n || fiber[t.cur] != c {
			return 0, false
		}
		return t.lo + t.cur, true
	default:
		return t.level.Lookup(e.pos[t.parent], c)
	}
}

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
	limit    fibers.Coord // coordinates from here on are absent in some term
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
		l.lo, l.hi = 0, l.limit
		return
	}
	lo, hi := int64(0), int64(l.limit)
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

// start opens the fibers, chooses the leader and returns the range of its
// entries inside the window. lead nil: no term restricts the loop and its
// coordinates themselves are the range.
func (l *loop) start(e *env) (lead *term, from, to int32) {
	l.bounds(e)
	best := int64(math.MaxInt64)
	for _, t := range l.terms {
		t.open(e)
		cost := int64(t.n)
		if t.marks != nil {
			cost *= walkShorter
		}
		if t.ptr == nil && len(l.terms) > 1 {
			cost = math.MaxInt64 - 1
		}
		if cost < best {
			lead, best = t, cost
		}
	}
	if lead == nil {
		return nil, l.lo, l.hi
	}
	from, to = l.clip(lead)
	if from < to {
		for _, t := range l.terms {
			if t != lead {
				t.follow(e, to-from)
			}
		}
	}
	return lead, from, to
}

// clip returns the range of a fiber's entries inside the window.
func (l *loop) clip(t *term) (from, to int32) {
	if t.idx == nil {
		return min(l.lo, t.n), min(l.hi, t.n)
	}
	from, to = 0, t.n
	if l.lo > 0 {
		from = fibers.SearchCoord(t.fiber(), l.lo)
	}
	if l.hi < t.dim {
		to = from + fibers.SearchCoord(t.fiber()[from:], l.hi)
	}
	return from, to
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
