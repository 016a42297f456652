package exec

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// compiler turns pointwise expressions of one leaf into closures over T.
type compiler[T any] struct {
	*binder
	*arith[T]
	leaf int         // whose overflow flag to raise
	agg  semiring.Op // around the expression; NoOp: none
}

// value compiles x. The closure is called only where x is present; where a
// guard made it the aggregate's identity it sets env.skip.
func (c *compiler[T]) value(x einsum.Expr) func(*env) T {
	switch x := x.(type) {
	case *einsum.Access:
		op := c.operands[c.operandOf(x)]
		return c.load(op.leaf(x.Leaf), op.last())
	case *einsum.Literal:
		v := c.literal(x)
		return func(*env) T { return v }
	case *einsum.Compare:
		return func(*env) T { return c.one }
	case *einsum.Map:
		return c.mapValue(x)
	default:
		panic(invariant.Failed("exec: %T inside a pointwise expression", x))
	}
}

func (c *compiler[T]) mapValue(x *einsum.Map) func(*env) T {
	switch {
	case x.Op.IsFunction():
		return c.function(x)
	case x.Op.IsPair():
		return c.pair(x)
	}
	switch x.Op {
	case semiring.Select:
		return c.selected(x)
	case semiring.If0:
		return c.if0(x)
	case semiring.Guard:
		return c.guard(x)
	case semiring.Neg:
		arg, leaf := c.value(x.Args[0]), c.leaf
		return func(e *env) T {
			v, ok := c.sub(c.zero, arg(e))
			if !ok {
				e.over[leaf] = true
			}
			return v
		}
	case semiring.Mul:
		return c.product(x)
	case semiring.Plus, semiring.And:
		return c.fold(x)
	default:
		return c.disjunction(x)
	}
}

// guard evaluates the conditions first: a value that is not selected is not computed.
func (c *compiler[T]) guard(x *einsum.Map) func(*env) T {
	arg := c.value(x.Args[0])
	var zero []func(*env) bool
	for _, cond := range x.Args[1:] {
		if test := c.zeroTest(cond, c.agg); test != nil {
			zero = append(zero, test)
		}
	}
	return func(e *env) T {
		for _, test := range zero {
			if test(e) {
				e.skip = true
				return c.zero
			}
		}
		return arg(e)
	}
}

// zeroTest tests whether a condition is zero; nil: it never is. A condition of
// an access is read in its own type, so that a float one is not truncated.
func (b *binder) zeroTest(x einsum.Expr, agg semiring.Op) func(*env) bool {
	switch x := x.(type) {
	case *einsum.Access:
		op := b.operands[b.operandOf(x)]
		leaf, slot := op.leaf(x.Leaf), op.last()
		if leaf.Elem == semiring.Pattern {
			return nil
		}
		return func(e *env) bool { return leaf.IsZero(e.pos[slot]) }
	case *einsum.Compare:
		return nil
	}
	if elem := b.elemOf(x); elem == semiring.F64 {
		c := &compiler[float64]{binder: b, arith: arithF64(), leaf: b.conditionFlag(), agg: agg}
		value := c.value(x)
		return func(e *env) bool { return value(e) == 0 }
	}
	value := b.integer(x, agg)
	return func(e *env) bool { return value(e) == semiring.Int128{} }
}

// product multiplies; a zero factor makes the product zero whatever the
// others' size, so an overflow counts only without one.
func (c *compiler[T]) product(x *einsum.Map) func(*env) T {
	args, leaf := c.values(x.Args), c.leaf
	if len(args) == 1 {
		return args[0]
	}
	return func(e *env) T {
		v, fits, zero := args[0](e), true, false
		zero = c.isZero(v)
		for _, arg := range args[1:] {
			w := arg(e)
			zero = zero || c.isZero(w)
			var ok bool
			v, ok = c.mul(v, w)
			fits = fits && ok
		}
		if !fits {
			if zero {
				return c.zero
			}
			e.over[leaf] = true
		}
		return v
	}
}

func (c *compiler[T]) values(xs []einsum.Expr) []func(*env) T {
	out := make([]func(*env) T, len(xs))
	for a, x := range xs {
		out[a] = c.value(x)
	}
	return out
}

// fold evaluates a conjunctive map from left to right.
func (c *compiler[T]) fold(x *einsum.Map) func(*env) T {
	args, leaf, combine := c.operandsOf(x), c.leaf, c.binary(x.Op)
	return func(e *env) T {
		v := args[0](e)
		for _, arg := range args[1:] {
			var ok bool
			if v, ok = combine(v, arg(e)); !ok {
				e.over[leaf] = true
			}
		}
		return v
	}
}

// disjunction folds the arguments that are present and that no guard replaced
// by the identity of the aggregate around them. If none is left the whole is that
// identity; so it is if one was replaced and the identity is not the operator's:
// min(x) (guard(y, 0) + 1) gets no 1.
func (c *compiler[T]) disjunction(x *einsum.Map) func(*env) T {
	args, leaf, combine := c.operandsOf(x), c.leaf, c.binary(x.Op)
	tests := make([]func(*env) bool, len(args))
	for a, arg := range x.Args {
		if !c.given(arg) {
			tests[a] = c.presentFunc(arg)
		}
	}
	leaveOut := x.Op == c.agg || x.Op == semiring.Sub && c.agg == semiring.Add
	return func(e *env) T {
		v, some, skipped, before := c.zero, false, false, e.skip
		e.skip = false
		for a, arg := range args {
			if tests[a] != nil && !tests[a](e) {
				continue
			}
			w := arg(e)
			if e.skip {
				e.skip, skipped = false, true
				continue
			}
			ok := true
			switch {
			case some:
				v, ok = combine(v, w)
			case a > 0 && x.Op == semiring.Sub:
				v, ok = c.sub(c.zero, w)
			case x.Op == semiring.Or:
				v, ok = combine(c.zero, w)
			default:
				v = w
			}
			some = true
			if !ok {
				e.over[leaf] = true
			}
		}
		e.skip = before || skipped && !(some && leaveOut)
		return v
	}
}
