package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// tests tells of every lane whether something holds.
type tests func(e *env, l *lanes) []bool

// zeroColumn is binder.zeroTest on lanes; nil: no lane is ever zero.
func (b *binder) zeroColumn(x einsum.Expr, agg semiring.Op, fault *bool) tests {
	switch x := x.(type) {
	case *einsum.Access:
		if b.operands[b.operandOf(x)].leaf(x.Leaf).Elem == semiring.Pattern {
			return nil
		}
	case *einsum.Compare:
		return nil
	}
	if b.positive(x) {
		return nil
	}
	if m, ok := x.(*einsum.Map); ok && m.Op.IsTest() {
		return not(b.testColumn(m, agg, fault))
	}
	flag := b.conditionFlag()
	switch {
	case b.elemOf(x) == semiring.F64:
		return zerosOf(columnsOf(b, arithF64(), laneworkF64(), flag, agg, fault), x)
	case b.fits64(x):
		return zerosOf(columnsOf(b, arithI64(), laneworkI64(), flag, agg, fault), x)
	default:
		return zerosOf(columnsOf(b, arithI128(), laneworkI128(), flag, agg, fault), x)
	}
}

// not tells where a test does not hold.
func not(test tests) tests {
	var buf scratch[bool]
	return func(e *env, l *lanes) []bool {
		buf = buf.of(l.n)
		for i, holds := range test(e, l) {
			buf[i] = !holds
		}
		return buf
	}
}

func columnsOf[T any](b *binder, a *arith[T], w *lanework[T], leaf int, agg semiring.Op, fault *bool) *columns[T] {
	return &columns[T]{compiler: compiler[T]{binder: b, arith: a, leaf: leaf, agg: agg}, lanework: w, fault: fault}
}

func zerosOf[T any](c *columns[T], x einsum.Expr) tests {
	value := c.column(x)
	var buf scratch[bool]
	return func(e *env, l *lanes) []bool {
		buf = buf.of(l.n)
		c.zeros(buf, value(e, l))
		return buf
	}
}

// anyOf reports whether a test holds somewhere.
func anyOf(holds []bool) bool {
	for _, h := range holds {
		if h {
			return true
		}
	}
	return false
}

// guardColumn evaluates the conditions first, each on the lanes that the ones
// before it left: a value that is not selected is not computed.
func (c *columns[T]) guardColumn(x *einsum.Map) column[T] {
	out, plain := c.column(x.Args[0]), c.plain(x.Args[0])
	for n := len(x.Args) - 1; n > 0; n-- {
		zero := c.zeroColumn(x.Args[n], c.agg, c.fault)
		if zero == nil {
			continue
		}
		var s *subset
		if !plain {
			s = newSubset(len(c.operands), c.operandsIn(append(x.Args[n+1:len(x.Args):len(x.Args)], x.Args[0])...))
		}
		out, plain = c.guardedBy(zero, out, s), false
	}
	return out
}

// guardedBy skips the lanes where a condition is zero; their values are zero. A plain
// argument is evaluated on all of them: s is nil.
func (c *columns[T]) guardedBy(zero tests, arg column[T], s *subset) column[T] {
	var buf scratch[T]
	zeros := constantColumn(c.zero)
	return func(e *env, l *lanes) []T {
		masked := zero(e, l)
		if !anyOf(masked) {
			return arg(e, l)
		}
		buf = buf.of(l.n)
		if s == nil {
			c.either(buf, masked, zeros(e, l), arg(e, l))
			l.dropTrue(masked)
			return buf
		}
		l.dropTrue(masked)
		kernel.FillColumn(buf, c.zero)
		s.choose(l, masked, false)
		evaluate(e, s, arg, l, buf)
		return buf
	}
}

// plain reports whether evaluating an expression where its value is not wanted does
// nothing but take time: it is present at every cell, fits, and has no functions, which
// may have no value, and no guards.
func (b *binder) plain(x einsum.Expr) bool {
	m, ok := x.(*einsum.Map)
	if !ok {
		return b.given(x)
	}
	if m.Op.IsFunction() || m.Op == semiring.Guard || b.elemOf(m) != semiring.F64 && !b.fits64(m) {
		return false
	}
	return !slices.ContainsFunc(m.Args, func(arg einsum.Expr) bool { return !b.plain(arg) })
}

// if0Column is compiler.if0 on lanes.
func (c *columns[T]) if0Column(x *einsum.Map) column[T] {
	if out := c.orElseColumn(x); out != nil {
		return out
	}
	first, second := c.operandsIn(x.Args[0]), c.operandsIn(x.Args[1])
	all := len(c.operands)
	other := c.column(x.Args[1])
	out := c.column(x.Args[0])
	if zero := c.zeroColumn(x.Args[0], c.agg, c.fault); zero != nil {
		out = c.chosen(zero, false, out, other, newSubset(all, first), newSubset(all, second))
	}
	if c.given(x.Args[0]) {
		return out
	}
	absent, both := not(c.presentColumn(x.Args[0])), c.operandsIn(x)
	return c.chosen(absent, true, out, other, newSubset(all, both), newSubset(all, second))
}

// readsOr reports whether an expression is if0(T.l, literal): what an outer join
// reads of the side that may have no row.
func readsOr(x einsum.Expr) (*einsum.Access, *einsum.Literal) {
	if m, ok := x.(*einsum.Map); ok && m.Op == semiring.If0 {
		access, _ := m.Args[0].(*einsum.Access)
		literal, _ := m.Args[1].(*einsum.Literal)
		if access != nil && literal != nil {
			return access, literal
		}
	}
	return nil, nil
}

// orElseColumn is if0Column of an access and a literal, in one pass; nil: it is of
// another form.
func (c *columns[T]) orElseColumn(x *einsum.Map) column[T] {
	access, literal := readsOr(x)
	if access == nil {
		return nil
	}
	op := c.operandOf(access)
	leaf, other := c.operands[op].leaf(access.Leaf), c.literal(literal)
	var vals []T
	if leaf.Elem != semiring.Pattern {
		if vals = *c.arith.values(leaf); vals == nil {
			return nil // stored in another type
		}
	}
	value := func(pos int32) T {
		switch {
		case pos < 0 || vals != nil && c.isZero(vals[pos]):
			return other
		case vals == nil:
			return c.one
		}
		return vals[pos]
	}
	var buf scratch[T]
	return func(_ *env, l *lanes) []T {
		at := &l.at[op]
		buf = buf.of(l.n)
		switch {
		case at.fixed:
			kernel.FillColumn(buf, value(at.off))
		case at.ix != nil && at.off == 0 && vals != nil:
			c.orElse(buf, vals, at.ix, other)
		default:
			for i := range buf {
				buf[i] = value(at.pos(i))
			}
		}
		return buf
	}
}

// chosen is other where a test holds and arg elsewhere; where it holds on a lane
// that is skipped, it is other only with always. s and t are where arg and other are
// evaluated; nil: on all lanes, both being plain.
func (c *columns[T]) chosen(test tests, always bool, arg, other column[T], s, t *subset) column[T] {
	var buf scratch[T]
	var held, wanted scratch[bool]
	return func(e *env, l *lanes) []T {
		holds := test(e, l)
		if !anyOf(holds) {
			return arg(e, l)
		}
		// What follows may evaluate the test's columns again.
		held = held.of(l.n)
		copy(held, holds)
		buf = buf.of(l.n)
		if s == nil {
			c.either(buf, held, other(e, l), arg(e, l))
			return buf
		}
		kernel.FillColumn(buf, c.zero)
		wanted = wanted.of(l.n)
		for i, h := range held {
			wanted[i] = h && (always || !l.skips(i))
		}
		s.choose(l, held, false)
		t.choose(l, wanted, true)
		evaluate(e, s, arg, l, buf)
		evaluate(e, t, other, l, buf)
		return buf
	}
}

// presentColumn is binder.presentFunc on lanes.
func (b *binder) presentColumn(x einsum.Expr) tests {
	switch x := x.(type) {
	case *einsum.Access:
		return presentAt(b.operandOf(x))
	case *einsum.Map:
		if x.Op.Info().FirstOptional {
			return b.presentColumn(x.Args[1])
		}
		var args []tests
		for _, arg := range x.Args {
			if !b.given(arg) {
				args = append(args, b.presentColumn(arg))
			} else if !conjunctive(x) {
				return everywhere()
			}
		}
		return presentIn(args, conjunctive(x))
	default: // a literal, or a comparison that holds everywhere
		return everywhere()
	}
}

// everywhere is the test that every lane passes.
func everywhere() tests {
	all := constantColumn(true)
	return func(e *env, l *lanes) []bool { return all(e, l) }
}

// presentAt tests whether an operand has an entry.
func presentAt(op int) tests {
	var buf scratch[bool]
	return func(_ *env, l *lanes) []bool {
		buf = buf.of(l.n)
		at := &l.at[op]
		if at.fixed || at.ix == nil {
			kernel.FillColumn(buf, at.off >= 0)
			return buf
		}
		for i, p := range at.ix[:l.n] {
			buf[i] = at.off+p >= 0
		}
		return buf
	}
}

// presentIn tests whether all, or any, of some tests hold; of none all do, and then
// any does as well.
func presentIn(args []tests, all bool) tests {
	if len(args) == 0 {
		return everywhere()
	}
	var buf scratch[bool]
	return func(e *env, l *lanes) []bool {
		buf = buf.of(l.n)
		copy(buf, args[0](e, l))
		for _, arg := range args[1:] {
			holds := arg(e, l)[:len(buf)]
			for i, h := range holds {
				if all {
					buf[i] = buf[i] && h
				} else {
					buf[i] = buf[i] || h
				}
			}
		}
		return buf
	}
}
