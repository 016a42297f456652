package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// absence is a condition that every leaf of a step has as a factor: guard(1, 1 -
// and(T.l(k), 1)). The cells at which T has an entry that is not zero are visited,
// so that their entries of the result exist, but contribute nothing. It is no part
// of the leaves' expressions any more: it is tested at the loop that binds its last
// index, and never leads one.
type absence struct {
	condition
	leaf  *fibers.Leaf // nil: no stored value is zero
	depth int          // the loop that binds its last index; -1: it has none
}

// condition names what must not be there: a leaf of an operand.
type condition struct {
	op   int
	leaf string
}

// recognise takes the absences that all leaves have in common out of the query.
func (b *binder) recognise() {
	var common []condition
	for n, leaf := range b.query.Leaves {
		found := b.absencesIn(bodyOf(leaf.Expr))
		if n == 0 {
			common = found
		}
		common = slices.DeleteFunc(common, func(c condition) bool { return !slices.Contains(found, c) })
	}
	common = slices.DeleteFunc(common, func(c condition) bool { return !b.probeable(c) })
	if len(common) == 0 {
		return
	}
	q := *b.query
	q.Leaves = slices.Clone(q.Leaves)
	for n := range q.Leaves {
		leaf := &q.Leaves[n]
		if agg, ok := leaf.Expr.(*einsum.Agg); ok {
			leaf.Expr = &einsum.Agg{Op: agg.Op, Idxs: agg.Idxs, Arg: b.without(agg.Arg, common)}
		}
	}
	for _, leaf := range q.Leaves {
		for _, op := range b.operandsIn(bodyOf(leaf.Expr)) {
			if slices.ContainsFunc(common, func(c condition) bool { return c.op == op }) {
				return // it is read elsewhere too
			}
		}
	}
	b.query = &q
	for _, c := range common {
		b.absences = append(b.absences, b.absence(c))
	}
	p := b.presence(b.query.Leaves[0].Expr)
	b.required, b.exact = p.need, p.exact
}

func bodyOf(x einsum.Expr) einsum.Expr {
	if agg, ok := x.(*einsum.Agg); ok {
		return agg.Arg
	}
	return x
}

// probeable reports whether loops can test a condition: an operand that has an
// index twice is left to the expression.
func (b *binder) probeable(c condition) bool {
	idx := b.operands[c.op].idx
	for l, ix := range idx {
		if slices.ContainsFunc(idx[:l], func(o einsum.Index) bool { return o.Name == ix.Name }) {
			return false
		}
	}
	return true
}

func (b *binder) absence(c condition) *absence {
	o := b.operands[c.op]
	a := &absence{condition: c, depth: -1}
	if leaf := o.leaf(c.leaf); !withoutZero(o.tensor, leaf) {
		a.leaf = leaf
	}
	o.valued = a.leaf != nil
	if len(o.idx) > 0 {
		a.depth = b.loopOf[o.idx[len(o.idx)-1].Name]
	}
	return a
}

// lacking reports whether an operand is one that must be absent.
func (b *binder) lacking(op int) bool {
	return slices.ContainsFunc(b.absences, func(a *absence) bool { return a.op == op })
}

// absencesIn lists the absences under which an expression has a value at all.
func (b *binder) absencesIn(x einsum.Expr) (out []condition) {
	m, ok := x.(*einsum.Map)
	if !ok {
		return nil
	}
	switch m.Op {
	case semiring.Guard:
		out = b.absencesIn(m.Args[0])
		for _, cond := range m.Args[1:] {
			if c, ok := b.absent(cond); ok {
				out = append(out, c)
			} else { // a masked condition masks as one that is zero does
				out = append(out, b.absencesIn(cond)...)
			}
		}
	case semiring.Mul, semiring.And, semiring.Plus:
		for _, arg := range m.Args {
			out = append(out, b.absencesIn(arg)...)
		}
	}
	return out
}

// absent reads a condition of the form 1 - and(T.l(k), 1).
func (b *binder) absent(x einsum.Expr) (condition, bool) {
	sub, ok := x.(*einsum.Map)
	if !ok || sub.Op != semiring.Sub || len(sub.Args) != 2 || !isOne(sub.Args[0]) {
		return condition{}, false
	}
	and, ok := sub.Args[1].(*einsum.Map)
	if !ok || and.Op != semiring.And {
		return condition{}, false
	}
	var access *einsum.Access
	for _, arg := range and.Args {
		switch arg := arg.(type) {
		case *einsum.Access:
			if access != nil {
				return condition{}, false
			}
			access = arg
		default:
			if !isOne(arg) {
				return condition{}, false
			}
		}
	}
	if access == nil {
		return condition{}, false
	}
	return condition{op: b.operandOf(access), leaf: access.Leaf}, true
}

func isOne(x einsum.Expr) bool {
	l, ok := x.(*einsum.Literal)
	return ok && l.Elem == semiring.I64 && l.I == semiring.FromInt64(1)
}

// without is an expression less some of its absences.
func (b *binder) without(x einsum.Expr, conds []condition) einsum.Expr {
	m, ok := x.(*einsum.Map)
	if !ok {
		return x
	}
	switch m.Op {
	case semiring.Guard:
		args := []einsum.Expr{b.without(m.Args[0], conds)}
		for _, cond := range m.Args[1:] {
			if c, ok := b.absent(cond); ok && slices.Contains(conds, c) {
				continue
			}
			if rest := b.without(cond, conds); rest == cond || !isOne(rest) {
				args = append(args, rest)
			}
		}
		if len(args) == 1 {
			return args[0]
		}
		return &einsum.Map{Op: m.Op, Args: args}
	case semiring.Mul, semiring.And, semiring.Plus:
		var args []einsum.Expr
		for _, arg := range m.Args {
			rest := b.without(arg, conds)
			if rest != arg && isOne(rest) && m.Op != semiring.Plus {
				continue
			}
			args = append(args, rest)
		}
		if len(args) == 0 {
			return einsum.Int(1)
		}
		return &einsum.Map{Op: m.Op, Args: args}
	}
	return x
}

// holds tests whether there is what must be absent at the current coordinates.
func (b *binder) holds(a *absence) func(*env) bool {
	slot, leaf := b.operands[a.op].last(), a.leaf
	if leaf == nil {
		return func(e *env) bool { return e.pos[slot] >= 0 }
	}
	return func(e *env) bool { return e.pos[slot] >= 0 && !leaf.IsZero(e.pos[slot]) }
}

// maskedWithin tests the absences that loops before loop d bind; nil: there are none.
func (b *binder) maskedWithin(d int) func(*env) bool {
	var tests []func(*env) bool
	for _, a := range b.absences {
		if a.depth < d {
			tests = append(tests, b.holds(a))
		}
	}
	if len(tests) == 0 {
		return nil
	}
	return func(e *env) bool {
		for _, test := range tests {
			if test(e) {
				return true
			}
		}
		return false
	}
}

// unmasked takes a cell that some absence masks as one that contributes nothing.
func (b *binder) unmasked(s *sink, body func(*env)) func(*env) {
	masked := b.maskedWithin(len(b.step.Loops))
	if masked == nil {
		return body
	}
	return func(e *env) {
		if masked(e) {
			s.touch(e)
			e.cells++
			return
		}
		body(e)
	}
}

// passing skips what is inside loop d at coordinates that an absence masks, once
// it is known that the entry exists to which all of it belongs.
func (b *binder) passing(d int, s *sink, body func(*env)) func(*env) {
	known := s.known(d)
	at := slices.IndexFunc(b.absences, func(a *absence) bool { return a.depth == d })
	if known == nil || at < 0 || d == len(b.step.Loops)-1 {
		return body
	}
	masked := b.maskedWithin(d + 1)
	return func(e *env) {
		if !masked(e) || !known(e) {
			body(e)
		}
	}
}

// lack is one level of an operand that must be absent, at the loop that binds its
// index.
type lack struct {
	*term
	last bool         // the level is the operand's last: an entry masks the cell
	leaf *fibers.Leaf // of the last level: unless its value is zero; nil: none is
}

// addLack adds level lev of operand n, one of an absence, to a loop.
func (b *binder) addLack(l *loop, a *absence, lev, bound int, outer []int, t *term) {
	o := b.operands[a.op]
	k := &lack{term: t, last: lev == len(o.idx)-1}
	if k.last {
		k.leaf = a.leaf
	}
	if t.kind == format.SparseList && bound < l.d-1 && int(l.dim) <= markDimMax {
		t.marks = newMarks(int(l.dim), o.valued || !k.last)
		t.marks.within = b.stableWindows(l.d, outer)
	}
	l.lacks = append(l.lacks, k)
}

// openLacks finds the fibers of what must be absent.
func (l *loop) openLacks(e *env) {
	for _, k := range l.lacks {
		k.absent = e.pos[k.parent] < 0
		if !k.absent && k.runs == nil {
			k.open(e)
		}
	}
}

// findLacks moves the positions of what must be absent to c.
func (l *loop) findLacks(e *env, c fibers.Coord) {
	for _, k := range l.lacks {
		e.pos[k.slot] = k.position(e, c)
	}
}

// position is that of coordinate c, which is not below the last one; -1: absent.
func (k *lack) position(e *env, c fibers.Coord) int32 {
	if k.absent {
		return -1
	}
	if k.runs != nil {
		return k.lookup(e, c)
	}
	if pos, ok := k.find(e, c); ok {
		return pos
	}
	return -1
}

// masks reports whether there is what must be absent at c, at the last level.
func (k *lack) masks(e *env, c fibers.Coord) bool {
	pos := k.position(e, c)
	return pos >= 0 && (k.leaf == nil || !k.leaf.IsZero(pos))
}

// leaveOut narrows the selection to the cells that no absence of this loop masks.
func (f *batcher) leaveOut(e *env) {
	for _, k := range f.lacks {
		switch {
		case !k.last || k.absent:
		case k.leaf == nil && k.kind == format.Bytemap && f.limit <= k.dim:
			f.sel = kernel.DropMarked(f.sel, k.present(), f.ks[:], f.es[:])
		case k.leaf == nil && k.runs == nil && k.seek == byMark:
			f.sel = kernel.DropMarked(f.sel, k.marks.bytes, f.ks[:], f.es[:])
		default:
			f.keep(func(c int32) bool { return !k.masks(e, c) })
		}
	}
}
