package exec

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers/kernel"
	"github.com/trireme-db/trireme/internal/invariant"
)

// integers reports whether a pair is one of two integers; Power never is.
func (b *binder) integers(x *einsum.Map) bool {
	return x.Op != semiring.Power && b.elemOf(x.Args[0]) != semiring.F64 && b.elemOf(x.Args[1]) != semiring.F64
}

// pair compiles an operator of two numbers. Each is evaluated in its own type,
// then both in that of the wider.
func (c *compiler[T]) pair(x *einsum.Map) func(*env) T {
	op := x.Op
	if !c.integers(x) {
		l, r := c.float(x.Args[0], c.agg), c.float(x.Args[1], c.agg)
		return func(e *env) T { return c.ofFloat(op, op.OfFloats(l(e), r(e))) }
	}
	l, r, leaf := c.integer(x.Args[0], c.agg), c.integer(x.Args[1], c.agg), c.leaf
	return func(e *env) T {
		v, ok := c.ofWide(op, l(e), r(e))
		if !ok {
			e.over[leaf] = true
		}
		return v
	}
}

func (a *arith[T]) truth(v bool) T {
	if v {
		return a.one
	}
	return a.zero
}

// ofFloat is the value of a pair of floats as T.
func (a *arith[T]) ofFloat(op semiring.Op, v float64) T {
	if op.IsTest() {
		return a.truth(v != 0)
	}
	invariant.Check(a.fromFloat != nil, "exec: %s in integer arithmetic", op)
	return a.fromFloat(v)
}

// ofWide is the value of a pair of integers as T.
func (a *arith[T]) ofWide(op semiring.Op, l, r semiring.Int128) (T, bool) {
	switch {
	case op.IsTest():
		return a.truth(op.Test(l, r)), true
	case op == semiring.Div:
		return a.ofFloat(op, semiring.Quotient(l, r)), true
	}
	v, ok := op.OfIntegers(l, r)
	out, fits := a.fromWide(v)
	return out, ok && fits
}

// selected compiles select(c, x, y): only what is chosen is evaluated.
func (c *compiler[T]) selected(x *einsum.Map) func(*env) T {
	zero, yes, no := c.zeroTest(x.Args[0], c.agg), c.value(x.Args[1]), c.value(x.Args[2])
	if zero == nil {
		return yes
	}
	return func(e *env) T {
		if zero(e) {
			if e.skip { // the condition is masked
				return c.zero
			}
			return no(e)
		}
		return yes(e)
	}
}

// pairColumn is pair on lanes.
func (c *columns[T]) pairColumn(x *einsum.Map) column[T] {
	op := x.Op
	switch {
	case op.IsTest():
		return c.truthColumn(c.testColumn(x, c.agg, c.fault))
	case !c.integers(x):
		l, r := c.floatColumn(x.Args[0], c.agg, c.fault), c.floatColumn(x.Args[1], c.agg, c.fault)
		return lanewise(c, l, r, func(a, b float64) (T, bool) { return c.ofFloat(op, op.OfFloats(a, b)), true })
	case c.fits64(x.Args[0]) && c.fits64(x.Args[1]):
		narrow := columnsOf(c.binder, arithI64(), laneworkI64(), c.conditionFlag(), c.agg, c.fault)
		l, r := narrow.column(x.Args[0]), narrow.column(x.Args[1])
		if loop := narrow.loop(op); loop != nil && c.fits64(x) {
			return converted(narrow.combined(loop, []column[int64]{l, r}), c.fromInt)
		}
		return lanewise(c, l, r, func(a, b int64) (T, bool) { return c.ofWide(op, semiring.FromInt64(a), semiring.FromInt64(b)) })
	}
	wide := columnsOf(c.binder, arithI128(), laneworkI128(), c.conditionFlag(), c.agg, c.fault)
	both := func(a, b semiring.Int128) (T, bool) { return c.ofWide(op, a, b) }
	return lanewise(c, wide.column(x.Args[0]), wide.column(x.Args[1]), both)
}

// truthColumn is 1 where a test holds, else 0.
func (c *columns[T]) truthColumn(test tests) column[T] {
	var buf scratch[T]
	return func(e *env, l *lanes) []T {
		buf = buf.of(l.n)
		c.truths(buf, test(e, l))
		return buf
	}
}

// testColumn tells where a comparison of two numbers holds.
func (b *binder) testColumn(x *einsum.Map, agg semiring.Op, fault *bool) tests {
	op, flag, l, r := x.Op, b.conditionFlag(), x.Args[0], x.Args[1]
	switch {
	case !b.integers(x):
		return compared(b.floatColumn(l, agg, fault), b.floatColumn(r, agg, fault), kernel.CompareF64(op))
	case b.fits64(l) && b.fits64(r):
		c := columnsOf(b, arithI64(), laneworkI64(), flag, agg, fault)
		return compared(c.column(l), c.column(r), kernel.CompareI64(op))
	}
	c := columnsOf(b, arithI128(), laneworkI128(), flag, agg, fault)
	return compared(c.column(l), c.column(r), func(dst []bool, x, y []semiring.Int128) {
		for i := range dst {
			dst[i] = op.Test(x[i], y[i])
		}
	})
}

func compared[T any](l, r column[T], test func(dst []bool, a, b []T)) tests {
	var buf scratch[bool]
	return func(e *env, lanes *lanes) []bool {
		x, y := l(e, lanes), r(e, lanes)
		buf = buf.of(lanes.n)
		test(buf, x, y)
		return buf
	}
}

// lanewise combines two columns of S into one of T.
func lanewise[S, T any](c *columns[T], l, r column[S], f func(a, b S) (T, bool)) column[T] {
	var buf scratch[T]
	leaf := c.leaf
	return func(e *env, lanes *lanes) []T {
		a, b := l(e, lanes), r(e, lanes)
		buf = buf.of(lanes.n)
		for i := range buf {
			v, ok := f(a[i], b[i])
			if buf[i] = v; !ok {
				e.over[leaf] = true
			}
		}
		return buf
	}
}

// selectColumn is selected on lanes.
func (c *columns[T]) selectColumn(x *einsum.Map) column[T] {
	yes, no := c.column(x.Args[1]), c.column(x.Args[2])
	zero := c.zeroColumn(x.Args[0], c.agg, c.fault)
	if zero == nil {
		return yes
	}
	if c.plain(x.Args[1]) && c.plain(x.Args[2]) && !c.maySkip(x.Args[0]) {
		return c.chosen(zero, false, yes, no, nil, nil)
	}
	all := len(c.operands)
	return c.chosen(zero, false, yes, no, newSubset(all, c.operandsIn(x.Args[1])), newSubset(all, c.operandsIn(x.Args[2])))
}
