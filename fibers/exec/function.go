package exec

import (
	"fmt"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// function compiles a function of one number. Its argument is evaluated in its
// own type and then converted, so that an integer is exact until then.
func (c *compiler[T]) function(x *einsum.Map) func(*env) T {
	invariant.Check(c.fromFloat != nil, "exec: %s in integer arithmetic", x.Op)
	arg, op, domain := c.float(x.Args[0], c.agg), x.Op, x.Op.Info().Domain
	return func(e *env) T {
		v := arg(e)
		if e.skip { // no value, so none outside the domain
			return c.zero
		}
		if !domain.Contains(v) {
			if e.err == nil {
				e.err = fmt.Errorf("%w: %s(%g)", ErrDomain, op, v)
			}
			return c.zero
		}
		return c.fromFloat(op.Of(v))
	}
}

// float compiles an expression of any type as a float: integers in 128 bits,
// then rounded once.
func (b *binder) float(x einsum.Expr, agg semiring.Op) func(*env) float64 {
	if b.elemOf(x) == semiring.F64 {
		c := &compiler[float64]{binder: b, arith: arithF64(), leaf: b.conditionFlag(), agg: agg}
		return c.value(x)
	}
	value := b.integer(x, agg)
	return func(e *env) float64 { return value(e).Float64() }
}

// integer compiles an integer expression that is exact whatever its size.
func (b *binder) integer(x einsum.Expr, agg semiring.Op) func(*env) semiring.Int128 {
	if b.fits64(x) {
		c := &compiler[int64]{binder: b, arith: arithI64(), leaf: b.conditionFlag(), agg: agg}
		value := c.value(x)
		return func(e *env) semiring.Int128 { return semiring.FromInt64(value(e)) }
	}
	c := &compiler[semiring.Int128]{binder: b, arith: arithI128(), leaf: b.conditionFlag(), agg: agg}
	return c.value(x)
}

// if0 compiles if0(x, d). The structure guarantees d, x it does not.
func (c *compiler[T]) if0(x *einsum.Map) func(*env) T {
	arg, zero, other := c.value(x.Args[0]), c.zeroTest(x.Args[0], c.agg), c.value(x.Args[1])
	var present func(*env) bool
	if !c.given(x.Args[0]) {
		present = c.presentFunc(x.Args[0])
	}
	return func(e *env) T {
		if present != nil && !present(e) {
			return other(e)
		}
		if zero != nil && zero(e) {
			if e.skip { // the argument is masked
				return c.zero
			}
			return other(e)
		}
		return arg(e)
	}
}

// operandsOf compiles the arguments of a map, those of or and and so that each
// is read in its own type.
func (c *compiler[T]) operandsOf(x *einsum.Map) []func(*env) T {
	out := make([]func(*env) T, len(x.Args))
	for i, arg := range x.Args {
		out[i] = c.operand(x.Op, arg)
	}
	return out
}

// operand compiles an operand of a map or aggregate: for or and and, which only
// ask whether it is zero, 0 or 1 in place of what 64 bits may not hold.
func (c *compiler[T]) operand(op semiring.Op, x einsum.Expr) func(*env) T {
	if op != semiring.Or && op != semiring.And || c.elemOf(x) <= semiring.I64 {
		return c.value(x)
	}
	zero := c.zeroTest(x, c.agg)
	return func(e *env) T {
		if zero(e) {
			return c.zero
		}
		return c.one
	}
}
