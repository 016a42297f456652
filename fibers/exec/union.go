package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
)

// cover returns terms of which wherever x is present some is, as few entries of them
// as it takes: the union of their fibers holds every coordinate that matters. Nil:
// there are no such.
func (b *binder) cover(x einsum.Expr, terms []*term) []*term {
	switch x := x.(type) {
	case *einsum.Access:
		n := b.operandOf(x)
		for _, t := range terms {
			if t.op == n && t.runs == nil {
				return []*term{t}
			}
		}
		return nil
	case *einsum.Literal, *einsum.Compare:
		return nil
	case *einsum.Agg:
		return b.cover(x.Arg, terms)
	case *einsum.Map:
		switch {
		case x.Op.Info().FirstOptional:
			return b.cover(x.Args[1], terms)
		case conjunctive(x):
			return b.coverAny(x.Args, terms)
		default:
			return b.coverAll(x.Args, terms)
		}
	default:
		panic(invariant.Failed("exec: expression %T", x))
	}
}

// coverAny is the cover of that argument which has the fewest entries in a fiber.
func (b *binder) coverAny(args []einsum.Expr, terms []*term) (best []*term) {
	least := 0
	for _, arg := range args {
		found, entries := b.cover(arg, terms), 0
		for _, t := range found {
			entries += t.typical()
		}
		if found != nil && (best == nil || entries < least) {
			best, least = found, entries
		}
	}
	return best
}

// typical is the number of entries that a fiber of the term's level has in the mean.
func (t *term) typical() int {
	switch fiberCount := len(t.ptr) - 1; {
	case t.idx == nil:
		return int(t.dim)
	case fiberCount < 1: // a pinpoint
		return 1
	default:
		return 1 + len(t.idx)/fiberCount
	}
}

// coverAll is the covers of all arguments together.
func (b *binder) coverAll(args []einsum.Expr, terms []*term) (all []*term) {
	for _, arg := range args {
		found := b.cover(arg, terms)
		if found == nil {
			return nil
		}
		for _, t := range found {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}

// openOptional opens the fibers of the optional operands that are present so
// far, and decides whether their union leads: the alternative is to walk best
// entries, or without a required term all coordinates. A step of a union costs no
// more than one of a walk, which looks the operands up (BenchmarkUnion).
func (l *loop) openOptional(e *env, best int64) (lead bool) {
	total := int64(0)
	for _, t := range l.optional {
		// A run is not known before the coordinate is: it is looked up.
		if t.absent = e.pos[t.parent] < 0; t.absent || t.runs != nil {
			continue
		}
		t.open(e)
		if t.leads {
			total += int64(t.n)
		}
	}
	l.merged = l.covered && (len(l.terms) == 0 || total < best)
	return l.merged
}

// clipOptional cuts the fibers of the union that leads to the window and returns how
// many entries they have together.
func (l *loop) clipOptional() int32 {
	total := int32(0)
	for _, t := range l.optional {
		t.at, t.end = 0, 0
		if t.leads && !t.absent {
			t.at, t.end = t.clip(l.lo, l.hi)
		}
		total += t.end - t.at
	}
	return total
}

// runUnion is the loop over the union of the optional terms' fibers: each has a
// next entry, and the least of those coordinates is the loop's.
func (l *loop) runUnion(e *env) {
	for {
		c := l.hi
		for _, t := range l.optional {
			if t.at < t.end {
				c = min(c, t.coord(t.at))
			}
		}
		if c >= l.hi {
			return
		}
		if !e.burn(len(l.optional)) {
			return
		}
		for _, t := range l.optional {
			pos := int32(-1)
			switch {
			case t.runs != nil:
				pos = t.lookup(e, c)
			case !t.leads:
				pos = t.seekOptional(e, c)
			case t.at < t.end && t.coord(t.at) == c:
				pos = t.pos(t.at)
				t.at++
			}
			e.pos[t.slot] = pos
		}
		e.ix[l.d] = c
		if l.admit(e, nil, c) {
			l.presentAgain(e, c)
			l.findLacks(e, c)
			l.body(e)
			if e.err != nil || l.breaker.stops() {
				return
			}
		}
	}
}

// present finds the optional operands' entries at c.
func (l *loop) present(e *env, c fibers.Coord) {
	for _, t := range l.optional {
		if t.runs != nil {
			e.pos[t.slot] = t.lookup(e, c)
			continue
		}
		e.pos[t.slot] = t.seekOptional(e, c)
	}
	l.presentAgain(e, c)
}

// seekOptional moves an optional term, which is no run, to c; -1: it is absent.
func (t *term) seekOptional(e *env, c fibers.Coord) int32 {
	if t.absent {
		return -1
	}
	if pos, ok := t.find(e, c); ok {
		return pos
	}
	return -1
}

func (l *loop) presentAgain(e *env, c fibers.Coord) {
	for _, t := range l.again {
		e.pos[t.slot] = t.lookup(e, c)
	}
}

// lookup finds the position of c without knowing the fiber; -1: absent.
func (t *term) lookup(e *env, c fibers.Coord) int32 {
	if p := e.pos[t.parent]; p >= 0 {
		if pos, ok := t.level.Lookup(p, c); ok {
			return pos
		}
	}
	return -1
}
