package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
)

// window bounds a loop's coordinates by an index bound outside of it.
type window struct {
	op    semiring.Op // this index op the other
	other int         // loop
}

// sqlOrder is how a domain's coordinates stand to SQL order: below sorted they
// ascend in it; from there on are those that came when the domain was there
// already, and NULL's, in any order. ranks nil: all ascend.
type sqlOrder struct {
	ranks  []int32
	sorted fibers.Coord
}

// sortedShare is the share of a domain, one in so many coordinates, that must be
// in SQL order for windows to replace tests: the rest of the fibers is tested as
// before, in a second part.
const sortedShare = 2

// orderOf finds the sorted part of a domain; ok is false when it is too short.
func (b *binder) orderOf(domain int) (o sqlOrder, ok bool) {
	ranks := b.in.Ranks[domain]
	if ranks == nil {
		return sqlOrder{}, true
	}
	o, known := b.orders[domain]
	if !known {
		o = newOrder(ranks)
		b.orders[domain] = o
	}
	return o, sortedShare*int(o.sorted) >= len(ranks)
}

func newOrder(ranks []int32) sqlOrder {
	last, sorted := int32(-1), fibers.Coord(0)
	for _, r := range ranks {
		if r <= last {
			break
		}
		last = r
		sorted++
	}
	return sqlOrder{ranks: ranks, sorted: sorted}
}

// place returns where coordinate c stands among the sorted ones: all below at
// are less than its value, those from at on greater, but for itself when exact.
// ok is false for NULL.
func (o *sqlOrder) place(c fibers.Coord) (at fibers.Coord, exact, ok bool) {
	if o.ranks == nil || c < o.sorted {
		return c, true, true
	}
	rank := o.ranks[c]
	if rank < 0 {
		return 0, false, false
	}
	return fibers.SearchCoord(o.ranks[:o.sorted], rank), false, true
}

// windows are what comparisons make of a loop's range.
type windows struct {
	order  sqlOrder
	bounds []window          // <, <=, =, >=, >
	except []int             // loops whose coordinate is left out: <>
	always []func(*env) bool // comparisons that are tested per entry
	tests  []func(*env) bool // always and what bounds and except stand for
	differ []func(*env) bool // always and what except stands for
	left   bool              // a further part begins at next
	next   fibers.Coord      // coordinates from here to end are another part
	end    fibers.Coord
}

// addMasks gives the loop the required comparisons that it completes, and those
// that follow from them.
func (b *binder) addMasks(l *loop) {
	w := &l.windows
	for m, mask := range b.masks {
		left, right := b.loopOf[mask.L.Name], b.loopOf[mask.R.Name]
		if !b.required.has(len(b.operands)+m) || max(left, right) != l.d {
			continue
		}
		order, ok := b.orderOf(mask.L.Domain)
		if !ok || left == right {
			w.always = append(w.always, b.maskFunc(mask))
			continue
		}
		w.order = order
		bound, test := windowOf(mask, left, right), b.maskFunc(mask)
		w.tests = append(w.tests, test)
		if mask.Op == semiring.Ne {
			w.except = append(w.except, bound.other)
			w.differ = append(w.differ, test)
		} else {
			w.bounds = append(w.bounds, bound)
		}
	}
	b.implied(l)
	w.tests, w.differ = slices.Concat(w.always, w.tests), slices.Concat(w.always, w.differ)
	l.masks = w.always
	l.split = len(w.except) > 0 || w.order.ranks != nil && w.order.sorted < l.limit
}

// windowOf writes a comparison as a bound on its later index.
func windowOf(m *einsum.Compare, left, right int) window {
	if left > right {
		return window{op: m.Op, other: right}
	}
	return window{op: mirrored(m.Op), other: left}
}

// mirrored is the comparison with its sides exchanged.
func mirrored(op semiring.Op) semiring.Op {
	switch op {
	case semiring.Lt:
		return semiring.Gt
	case semiring.Le:
		return semiring.Ge
	case semiring.Gt:
		return semiring.Lt
	case semiring.Ge:
		return semiring.Le
	case semiring.Eq, semiring.Ne:
		return op
	default:
		panic(invariant.Failed("exec: %v is no comparison", op))
	}
}

// How one loop's value stands to another's, by all comparisons together; a
// stricter relation is a greater number.
const (
	unrelated uint8 = iota
	notAbove
	below
)

// relations says of loops x and y how x stands to y: [x][y].
type relations [][]uint8

// relations is the transitive closure of the required comparisons.
func (b *binder) relations() relations {
	if b.related != nil {
		return b.related
	}
	n := len(b.step.Loops)
	rel := make(relations, n)
	for x := range rel {
		rel[x] = make([]uint8, n)
	}
	for m, mask := range b.masks {
		if !b.required.has(len(b.operands) + m) {
			continue
		}
		x, y := b.loopOf[mask.L.Name], b.loopOf[mask.R.Name]
		switch mask.Op {
		case semiring.Lt:
			rel[x][y] = below
		case semiring.Gt:
			rel[y][x] = below
		case semiring.Le:
			rel[x][y] = max(rel[x][y], notAbove)
		case semiring.Ge:
			rel[y][x] = max(rel[y][x], notAbove)
		case semiring.Eq:
			rel[x][y], rel[y][x] = max(rel[x][y], notAbove), max(rel[y][x], notAbove)
		}
	}
	for via := range n {
		for x := range n {
			for y := range n {
				if rel[x][via] != unrelated && rel[via][y] != unrelated {
					rel[x][y] = max(rel[x][y], rel[x][via], rel[via][y])
				}
			}
		}
	}
	b.related = rel
	return rel
}

// implied adds bounds that follow from comparisons with loops further inside:
// of a < b < c with c bound before b, a < c. Bounds that follow from outer loops
// alone say nothing new.
func (b *binder) implied(l *loop) {
	if len(b.masks) < 2 {
		return
	}
	order, ok := b.orderOf(b.step.Loops[l.d].Index.Domain)
	if !ok {
		return
	}
	rel := b.relations()
	for o := range l.d {
		for _, w := range relationBounds(rel, l.d, o) {
			if l.windows.bounded(w) || rel.follows(w, l.d) {
				continue
			}
			l.windows.order = order
			l.windows.bounds = append(l.windows.bounds, w)
		}
	}
}

// relationBounds are the bounds on loop d by loop o.
func relationBounds(rel relations, d, o int) []window {
	var out []window
	if how := rel[o][d]; how != unrelated {
		out = append(out, window{op: [...]semiring.Op{notAbove: semiring.Ge, below: semiring.Gt}[how], other: o})
	}
	if how := rel[d][o]; how != unrelated {
		out = append(out, window{op: [...]semiring.Op{notAbove: semiring.Le, below: semiring.Lt}[how], other: o})
	}
	return out
}

// follows reports whether a bound on loop d follows from bounds by other loops
// outside of it.
func (r relations) follows(w window, d int) bool {
	for m := range d {
		lower := (w.op == semiring.Gt || w.op == semiring.Ge) && r[w.other][m] != unrelated && r[m][d] != unrelated
		upper := (w.op == semiring.Lt || w.op == semiring.Le) && r[d][m] != unrelated && r[m][w.other] != unrelated
		if m != w.other && (lower || upper) {
			return true
		}
	}
	return false
}

func (w *windows) bounded(by window) bool { return slices.Contains(w.bounds, by) }

// stableWindows are the bounds on loop d that stay while the given loops do.
func (b *binder) stableWindows(d int, outer []int) []window {
	if len(b.masks) == 0 || b.in.Ranks[b.step.Loops[d].Index.Domain] != nil {
		return nil
	}
	rel := b.relations()
	var out []window
	for _, o := range outer {
		if o < d {
			out = append(out, relationBounds(rel, d, o)...)
		}
	}
	return out
}

// cut narrows [lo,hi) to what the bounds admit.
func (o *sqlOrder) cut(e *env, bounds []window, lo, hi fibers.Coord) (fibers.Coord, fibers.Coord) {
	for _, w := range bounds {
		at, exact, ok := o.place(e.ix[w.other])
		if !ok {
			return lo, lo
		}
		after := at
		if exact {
			after++
		}
		switch w.op {
		case semiring.Lt:
			hi = min(hi, at)
		case semiring.Le:
			hi = min(hi, after)
		case semiring.Gt:
			lo = max(lo, after)
		case semiring.Ge:
			lo = max(lo, at)
		case semiring.Eq:
			lo, hi = max(lo, at), min(hi, after)
		default:
			panic(invariant.Failed("exec: %v is no bound", w.op))
		}
	}
	return lo, max(lo, hi)
}

// bounds sets the loop's range to the coordinates that the windows admit: those
// in SQL order, where the domain has others as well.
func (l *loop) bounds(e *env) {
	l.window(e)
	w := &l.windows
	if w.order.ranks != nil {
		l.hi = max(l.lo, min(l.hi, w.order.sorted))
	}
	if len(w.bounds) > 0 {
		l.lo, l.hi = w.order.cut(e, w.bounds, l.lo, l.hi)
	}
}

// window sets the loop's range to the morsel and slice that are run.
func (l *loop) window(e *env) {
	l.lo, l.hi = l.first, l.limit
	if l.d < e.cut {
		l.lo, l.hi = e.morsel.clip(e.ix, l.d, l.lo, l.hi)
	}
}

// inParts runs a body of the loop once per part of its range: around those that
// a <> leaves out, and then over the coordinates without order, one by one.
func (l *loop) inParts(body func(*env)) func(*env) {
	if !l.split {
		return body
	}
	w := &l.windows
	return func(e *env) {
		l.bounds(e)
		for w.left = l.lo < l.hi; w.left; {
			w.left = false
			body(e)
			l.masks = w.always
			if e.err != nil || l.breaker.stops() {
				return
			}
			l.lo, l.hi = w.next, w.end
		}
		if w.order.ranks == nil {
			return
		}
		l.window(e)
		if l.lo = max(l.lo, w.order.sorted); l.lo >= l.hi {
			return
		}
		l.masks, l.tail = w.tests, true
		body(e)
		l.masks, l.tail = w.always, false
	}
}

// A range of fewer entries than these is not split where a <> leaves out a
// coordinate in the middle: the entries are tested, which costs less than
// entering the loop a second time (BenchmarkWindows/query=different). With other
// operands most entries do not come to the test.
const (
	splitAlone = 32
	splitAmong = 512
)

// leaveOut ends the range [from,to) of the leader's entries at the first
// coordinate that a <> leaves out, and leaves what is behind it to another part.
func (l *loop) leaveOut(e *env, lead *term, from, to int32) int32 {
	w := &l.windows
	if l.tail {
		return to
	}
	worth := int32(splitAlone)
	if len(l.terms) > 1 {
		worth = splitAmong
	}
	if to-from < worth {
		l.masks = w.differ
		return to
	}
	end := l.hi
	for _, other := range w.except {
		c, exact, ok := w.order.place(e.ix[other])
		if !ok { // NULL differs from nothing
			w.left = false
			return from
		}
		if !exact || c < l.lo || c >= l.hi {
			continue
		}
		at := min(c, to)
		if lead != nil && lead.idx != nil {
			fiber := lead.fiber()
			at = from + fibers.SearchCoord(fiber[from:to], c)
			if at == to || fiber[at] != c {
				continue
			}
		}
		to, l.hi = at, c
		w.left, w.next, w.end = true, c+1, end
	}
	return to
}
