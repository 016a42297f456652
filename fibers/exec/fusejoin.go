package exec

import (
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// nested reports whether a step that takes the entries of another one as they come
// does more than fold them: it joins them with tensors, or loops inside of them.
func nested(step, into *physical.Step) bool {
	if len(into.Operands) > 1 || len(into.Loops) > len(step.Output.Order) {
		return true
	}
	for _, l := range into.Loops {
		if len(l.Masks) > 0 {
			return true
		}
	}
	return false
}

// outerLoop is a loop of a nested reader over an index of the step that it reads:
// the entries' coordinates lead it, the other operands follow.
type outerLoop struct {
	followers []*follower
	masks     []func(*env) bool
}

// follower is one level of another operand at an outer loop. Coordinates ascend
// below one parent, so a sorted list is searched on from the last one.
type follower struct {
	*term
	required bool
	opened   bool
	under    int32 // the position whose fiber is open
	last     fibers.Coord
}

// find moves to coordinate c and reports whether the loop goes on.
func (o *follower) find(e *env, c fibers.Coord) bool {
	p := e.pos[o.parent]
	switch {
	case p < 0: // absent further out
		e.pos[o.slot] = -1
		return !o.required
	case o.kind != format.SparseList:
		e.pos[o.slot] = o.lookup(e, c)
		return e.pos[o.slot] >= 0 || !o.required
	case !o.opened || o.under != p || c < o.last:
		o.open(e)
		o.opened, o.under, o.cur = true, p, 0
	}
	o.last = c
	fiber := o.fiber()
	o.cur = fibers.GallopCoord(fiber, o.cur, c)
	if o.cur == o.n || fiber[o.cur] != c {
		e.pos[o.slot] = -1
		return !o.required
	}
	e.pos[o.slot] = o.lo + o.cur
	return true
}

// bindNested composes the loops inside of the first depth ones, which entries lead.
func (f *fusion) bindNested(depth int) {
	b := f.binder
	f.body = b.composeFrom(f.nest, depth)
	f.nest.kernel = "fused " + f.nest.kernel
	for d := range depth {
		l := &outerLoop{}
		name := b.step.Loops[d].Index.Name
		for n, o := range b.operands {
			for lev, ix := range o.idx {
				if ix.Name == name && n != f.at {
					t := newTerm(n, o.tensor.Levels[lev], o.tensor.Dims[lev], o.slots[lev], o.slots[lev+1])
					l.followers = append(l.followers, &follower{term: t, required: b.required.has(n)})
				}
			}
		}
		for m, mask := range b.masks {
			last := max(b.loopOf[mask.L.Name], b.loopOf[mask.R.Name])
			if last == d && b.required.has(len(b.operands)+m) {
				l.masks = append(l.masks, b.maskFunc(mask))
			}
		}
		f.outer = append(f.outer, l)
	}
	if b.empty() {
		f.body = nil
	}
}

// visitNested moves from entry to entry of a chunk and runs the inner loops where
// the other operands have the coordinates. A group that is bound by outer loops is
// a run of entries, as with visit; others are the inner loops' own.
func (f *fusion) visitNested(c *outChunk) {
	if f.body == nil {
		return
	}
	e, s := f.nest.env, f.nest.sink
	slot := f.binder.operands[f.at].last()
	for i := range c.n {
		if !e.burn(1 + len(f.outer)) {
			return
		}
		if s.group < len(f.outer) && !(f.open && c.agrees(i, s.group, e.ix)) {
			f.close()
			for d := range s.group {
				e.ix[d] = c.coords[d][i]
			}
			f.bound = 0
			f.begin()
		}
		e.pos[slot] = int32(i)
		if f.enter(c, i) {
			f.body(e)
		}
		if e.err != nil {
			return
		}
	}
}

// enter binds the outer loops at entry i and reports whether all go on. Those whose
// coordinates are the last entry's are bound already.
func (f *fusion) enter(c *outChunk, i int) bool {
	e, d := f.nest.env, 0
	for d < f.bound && e.ix[d] == c.coords[d][i] {
		d++
	}
	for ; d < len(f.outer); d++ {
		x := c.coords[d][i]
		e.ix[d] = x
		if !f.outer[d].move(e, x) {
			f.bound = d
			return false
		}
	}
	f.bound = d
	return true
}

// move binds the loop at coordinate x and reports whether it goes on.
func (l *outerLoop) move(e *env, x fibers.Coord) bool {
	for _, o := range l.followers {
		if !o.find(e, x) {
			return false
		}
	}
	for _, mask := range l.masks {
		if !mask(e) {
			return false
		}
	}
	return true
}
