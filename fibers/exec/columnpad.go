package exec

import (
	"math"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// pad is the value that an absent argument of a disjunctive operator is replaced by,
// so that arguments need not be told apart lane by lane: it leaves the other ones as
// they are, to the last bit and the sign of zero. False where T has none.
func pad[T any](a *arith[T], op semiring.Op) (T, bool) {
	switch op {
	case semiring.Min:
		return a.most, true
	case semiring.Max:
		return a.least, true
	case semiring.Sub, semiring.Or: // the first, absent or not, is taken from zero
		return a.zero, true
	case semiring.Add:
		if v, ok := any(math.Copysign(0, -1)).(T); ok {
			return v, true
		}
		return a.zero, true
	default:
		return a.zero, false
	}
}

// paddedColumn is disjunctionColumn where no argument skips lanes: what is absent is
// padded. It is asked for lanes at which some argument is present; nil: there is no
// padding.
func (c *columns[T]) paddedColumn(x *einsum.Map) column[T] {
	fill, ok := pad(c.arith, x.Op)
	if !ok {
		return nil
	}
	args := make([]column[T], len(x.Args))
	for a, arg := range x.Args {
		if c.maySkip(arg) {
			return nil
		}
		if args[a] = c.operandColumn(x.Op, arg); c.given(arg) {
			continue
		}
		if args[a] = c.paddedLoad(x.Op, arg, fill); args[a] == nil {
			args[a] = c.paddedArg(x.Op, arg, fill)
		}
	}
	if x.Op == semiring.Or { // of one argument, too, 0 or 1
		args = append([]column[T]{constantColumn(c.zero)}, args...)
	}
	return c.combined(c.binaryColumn(x.Op), args)
}

// paddedLoad reads a leaf of an operand that may be absent; nil: x is something else.
func (c *columns[T]) paddedLoad(op semiring.Op, x einsum.Expr, fill T) column[T] {
	access, ok := x.(*einsum.Access)
	if !ok || op == semiring.Or && c.elemOf(x) > semiring.I64 {
		return nil
	}
	o := c.operandOf(access)
	leaf := c.operands[o].leaf(access.Leaf)
	var vals []T
	if leaf.Elem != semiring.Pattern {
		if vals = *c.arith.values(leaf); vals == nil {
			return nil // stored in another type
		}
	}
	var buf scratch[T]
	return func(_ *env, l *lanes) []T {
		at := &l.at[o]
		if at.ix == nil && !at.fixed && vals != nil {
			return vals[at.off : int(at.off)+l.n]
		}
		buf = buf.of(l.n)
		switch {
		case at.fixed:
			v := fill
			if at.off >= 0 {
				if v = c.one; vals != nil {
					v = vals[at.off]
				}
			}
			kernel.FillColumn(buf, v)
		case vals == nil:
			for i := range buf {
				if buf[i] = fill; at.pos(i) >= 0 {
					buf[i] = c.one
				}
			}
		case at.off == 0:
			kernel.GatherPresent(buf, vals, at.ix, fill)
		default: // none is absent
			kernel.GatherColumn(buf, vals, at.off, at.ix)
		}
		return buf
	}
}

// paddedArg evaluates an argument on the lanes where it is present.
func (c *columns[T]) paddedArg(op semiring.Op, x einsum.Expr, fill T) column[T] {
	operands := c.operandsIn(x)
	value, present, s := c.operandColumn(op, x), c.presentColumn(x), newSubset(len(c.operands), operands)
	masked := compares(x)
	var buf scratch[T]
	return func(e *env, l *lanes) []T {
		if !masked && l.have(operands) {
			return value(e, l)
		}
		holds := present(e, l)
		s.choose(l, holds, true)
		if s.n == l.n {
			return value(e, &s.lanes)
		}
		buf = buf.of(l.n)
		kernel.FillColumn(buf, fill)
		if s.n > 0 {
			for j, v := range value(e, &s.lanes) {
				buf[s.of[j]] = v
			}
		}
		return buf
	}
}

// have reports whether operands are known to be present at all lanes.
func (l *lanes) have(operands []int) bool {
	for _, op := range operands {
		at := &l.at[op]
		if at.fixed && at.off < 0 || !at.fixed && at.ix != nil {
			return false
		}
	}
	return true
}
