package exec

import (
	"math"
	"math/bits"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
)

// arith is the arithmetic of one element type. The second result of add, sub
// and mul says whether the value fits.
type arith[T any] struct {
	zero, one     T
	least, most   T // identities of Max and Min
	add, sub, mul func(a, b T) (T, bool)
	less          func(a, b T) bool // Min and Max order: NaN is greatest
	isZero        func(T) bool
	load          func(l *fibers.Leaf, slot int) func(*env) T
	literal       func(*einsum.Literal) T
	fromFloat     func(float64) T // nil for integers
	fromWide      func(semiring.Int128) (T, bool)
	fromInt       func(int64) T
	values        func(l *fibers.Leaf) *[]T
}

func addI64(a, b int64) (int64, bool) {
	s := a + b
	return s, (a^s)&(b^s) >= 0
}

func subI64(a, b int64) (int64, bool) {
	d := a - b
	return d, (a^b)&(a^d) >= 0
}

func mulI64(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	hi -= uint64(a>>63)&uint64(b) + uint64(b>>63)&uint64(a)
	return int64(lo), int64(hi) == int64(lo)>>63
}

func arithI64() *arith[int64] {
	return &arith[int64]{
		one: 1, least: math.MinInt64, most: math.MaxInt64,
		add: addI64, sub: subI64, mul: mulI64,
		fromWide: semiring.Int128.Int64,
		fromInt:  func(v int64) int64 { return v },
		less:     func(a, b int64) bool { return a < b },
		isZero:   func(v int64) bool { return v == 0 },
		load: func(l *fibers.Leaf, slot int) func(*env) int64 {
			if l.Elem == semiring.Pattern {
				return func(*env) int64 { return 1 }
			}
			invariant.Check(l.Elem == semiring.I64, "exec: %v leaf %s in 64-bit arithmetic", l.Elem, l.Name)
			vals := l.I64
			return func(e *env) int64 { return vals[e.pos[slot]] }
		},
		literal: func(l *einsum.Literal) int64 {
			v, ok := l.I.Int64()
			invariant.Check(ok && l.Elem == semiring.I64, "exec: literal %v in 64-bit arithmetic", l.I)
			return v
		},
		values: func(l *fibers.Leaf) *[]int64 { return &l.I64 },
	}
}

func arithI128() *arith[semiring.Int128] {
	type wide = semiring.Int128
	return &arith[wide]{
		one: semiring.FromInt64(1), least: wide{Hi: math.MinInt64}, most: wide{Hi: math.MaxInt64, Lo: math.MaxUint64},
		add: wide.Add, sub: wide.Sub, mul: wide.Mul,
		fromWide: func(v wide) (wide, bool) { return v, true },
		fromInt:  semiring.FromInt64,
		less:     func(a, b wide) bool { return a.Cmp(b) < 0 },
		isZero:   func(v wide) bool { return v == wide{} },
		load: func(l *fibers.Leaf, slot int) func(*env) wide {
			return func(e *env) wide { return l.Int128(e.pos[slot]) }
		},
		literal: func(l *einsum.Literal) wide {
			invariant.Check(l.Elem != semiring.F64, "exec: float literal in integer arithmetic")
			return l.I
		},
		values: func(l *fibers.Leaf) *[]wide { return &l.I128 },
	}
}

func arithF64() *arith[float64] {
	return &arith[float64]{
		one: 1, least: math.Inf(-1), most: math.NaN(),
		add:    func(a, b float64) (float64, bool) { return a + b, true },
		sub:    func(a, b float64) (float64, bool) { return a - b, true },
		mul:    func(a, b float64) (float64, bool) { return a * b, true },
		less:   func(a, b float64) bool { return a < b || math.IsNaN(b) && !math.IsNaN(a) },
		isZero: func(v float64) bool { return v == 0 },
		load: func(l *fibers.Leaf, slot int) func(*env) float64 {
			return func(e *env) float64 { return l.Float64(e.pos[slot]) }
		},
		literal: func(l *einsum.Literal) float64 {
			if l.Elem == semiring.F64 {
				return l.F
			}
			return l.I.Float64()
		},
		fromFloat: func(v float64) float64 { return v },
		fromWide:  func(v semiring.Int128) (float64, bool) { return v.Float64(), true },
		fromInt:   func(v int64) float64 { return float64(v) },
		values:    func(l *fibers.Leaf) *[]float64 { return &l.F64 },
	}
}

// binary returns the two-argument function of a map or aggregate.
func (a *arith[T]) binary(op semiring.Op) func(x, y T) (T, bool) {
	truth := func(v bool) T {
		if v {
			return a.one
		}
		return a.zero
	}
	switch op {
	case semiring.Add, semiring.Plus:
		return a.add
	case semiring.Sub:
		return a.sub
	case semiring.Mul:
		return a.mul
	case semiring.Min:
		return func(x, y T) (T, bool) {
			if a.less(y, x) {
				return y, true
			}
			return x, true
		}
	case semiring.Max:
		return func(x, y T) (T, bool) {
			if a.less(x, y) {
				return y, true
			}
			return x, true
		}
	case semiring.Or:
		return func(x, y T) (T, bool) { return truth(!a.isZero(x) || !a.isZero(y)), true }
	case semiring.And:
		return func(x, y T) (T, bool) { return truth(!a.isZero(x) && !a.isZero(y)), true }
	default:
		panic(invariant.Failed("exec: operator %v has no value", op))
	}
}

// identity is the identity of an aggregate (NoOp: any value, it is replaced).
func (a *arith[T]) identity(op semiring.Op) T {
	if op == semiring.NoOp {
		return a.zero
	}
	switch op.Info().Identity {
	case semiring.Zero:
		return a.zero
	case semiring.One:
		return a.one
	case semiring.Most:
		return a.most
	case semiring.Least:
		return a.least
	default:
		panic(invariant.Failed("exec: %v is no aggregate", op))
	}
}
