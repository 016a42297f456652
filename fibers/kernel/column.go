package kernel

import (
	"math"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// Scalar expressions over columns of up to BatchMax lanes. A lane's result is
// that of the scalar operator, to the last bit, whatever the other lanes hold.

// Column applies an operator of two arguments to every lane: dst[i] is a[i] op
// b[i]. The three have one length; dst may be one of the others. False when an
// integer does not fit.
type Column[T any] func(dst, a, b []T) bool

// ColumnF64 returns the loop for floats, nil where there is none. Of Min and Max
// NaN is greatest, and of equal values the first stays.
func ColumnF64(op semiring.Op) Column[float64] {
	switch op {
	case semiring.Add, semiring.Plus:
		return addF64
	case semiring.Sub:
		return subF64
	case semiring.Mul:
		return mulF64
	case semiring.Min:
		return minF64
	case semiring.Max:
		return maxF64
	case semiring.And:
		return func(dst, a, b []float64) bool { return bothHold(dst, a, b) }
	case semiring.Or:
		return func(dst, a, b []float64) bool { return oneHolds(dst, a, b) }
	default:
		return nil
	}
}

// ColumnI64 returns the loop for integers, nil where there is none.
func ColumnI64(op semiring.Op) Column[int64] {
	switch op {
	case semiring.Add, semiring.Plus:
		return addI64
	case semiring.Sub:
		return subI64
	case semiring.Mul:
		return mulI64
	case semiring.Min:
		return minI64
	case semiring.Max:
		return maxI64
	case semiring.Quot:
		return quotI64
	case semiring.Rem:
		return remI64
	case semiring.And:
		return func(dst, a, b []int64) bool { return bothHold(dst, a, b) }
	case semiring.Or:
		return func(dst, a, b []int64) bool { return oneHolds(dst, a, b) }
	default:
		return nil
	}
}

func addF64(dst, a, b []float64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
	return true
}

func subF64(dst, a, b []float64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
	return true
}

func mulF64(dst, a, b []float64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
	return true
}

func minF64(dst, a, b []float64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := a[i], b[i]
		if y < x || math.IsNaN(x) { // of two NaN either will do
			x = y
		}
		dst[i] = x
	}
	return true
}

func maxF64(dst, a, b []float64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := a[i], b[i]
		if x < y || math.IsNaN(y) {
			x = y
		}
		dst[i] = x
	}
	return true
}

func addI64(dst, a, b []int64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	carry := int64(0)
	for i := range dst {
		x, y := a[i], b[i]
		s := x + y
		carry |= (x ^ s) & (y ^ s)
		dst[i] = s
	}
	return carry >= 0
}

func subI64(dst, a, b []int64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	borrow := int64(0)
	for i := range dst {
		x, y := a[i], b[i]
		d := x - y
		borrow |= (x ^ y) & (x ^ d)
		dst[i] = d
	}
	return borrow >= 0
}

func mulI64(dst, a, b []int64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	all := true
	for i := range dst {
		p, fits := MulI64(a[i], b[i])
		all = all && fits
		dst[i] = p
	}
	return all
}

// quotI64 divides towards zero; by zero it is 0.
func quotI64(dst, a, b []int64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	all := true
	for i := range dst {
		x, y := a[i], b[i]
		switch {
		case y == 0:
			x = 0
		case y == -1:
			all = all && x != math.MinInt64
			x = -x
		default:
			x /= y
		}
		dst[i] = x
	}
	return all
}

// remI64 is what quotI64 leaves.
func remI64(dst, a, b []int64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := a[i], b[i]
		switch {
		case y == 0:
			x = 0
		case uint64(x)|uint64(y) <= math.MaxUint32: // a shorter division
			x = int64(uint32(x) % uint32(y))
		default:
			x %= y
		}
		dst[i] = x
	}
	return true
}

// bothHold is 1 where neither is zero, else 0.
func bothHold[T int64 | float64](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = T(bit(a[i] != 0) & bit(b[i] != 0))
	}
	return true
}

// oneHolds is 1 where not both are zero, else 0.
func oneHolds[T int64 | float64](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = T(bit(a[i] != 0) | bit(b[i] != 0))
	}
	return true
}

func minI64(dst, a, b []int64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = min(a[i], b[i])
	}
	return true
}

func maxI64(dst, a, b []int64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = max(a[i], b[i])
	}
	return true
}

// Function writes a function's values of src to dst, which may be src, and
// reports whether every lane was in its domain; the values of others are not
// defined.
func Function(op semiring.Op, dst, src []float64) bool {
	src = src[:len(dst)]
	all := true
	switch op {
	case semiring.Sqrt:
		for i, v := range src {
			all = all && !(v < 0)
			dst[i] = math.Sqrt(v)
		}
	case semiring.Ln:
		for i, v := range src {
			all = all && !(v <= 0)
			dst[i] = semiring.Ln.Of(v)
		}
	case semiring.Exp:
		exps(dst, src)
	case semiring.Abs:
		for i, v := range src {
			dst[i] = math.Abs(v)
		}
	case semiring.Sigmoid:
		for i, v := range src {
			dst[i] = -v
		}
		exps(dst, dst)
		for i, v := range dst {
			dst[i] = 1 / (1 + v)
		}
	case semiring.Relu:
		for i, v := range src {
			dst[i] = semiring.Relu.Of(v)
		}
	default:
		domain := op.Info().Domain
		for i, v := range src {
			all = all && domain.Contains(v)
			dst[i] = op.Of(v)
		}
	}
	return all
}

// FillColumn writes a value to every lane.
func FillColumn[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// GatherColumn writes src[off+at[i]] to every lane i.
func GatherColumn[T any](dst, src []T, off int32, at []int32) {
	at = at[:len(dst)]
	for i := range dst {
		dst[i] = src[off+at[i]]
	}
}

// GatherOr writes src[at[i]] to every lane i, or other where at[i] is negative or
// the value zero.
func GatherOr[T int64 | float64](dst, src []T, at []int32, other T) {
	at = at[:len(dst)]
	for i, p := range at {
		v := other
		if p >= 0 && src[p] != 0 {
			v = src[p]
		}
		dst[i] = v
	}
}

// ReduceF64 combines s and the lanes, in order, by Add, Min, Max or Or.
func ReduceF64(op semiring.Op, s float64, lanes []float64) (float64, bool) {
	switch op {
	case semiring.Add:
		for _, v := range lanes {
			s += v
		}
	case semiring.Min:
		for _, v := range lanes {
			if v < s || math.IsNaN(s) {
				s = v
			}
		}
	case semiring.Max:
		for _, v := range lanes {
			if s < v || math.IsNaN(v) {
				s = v
			}
		}
	case semiring.Or:
		for _, v := range lanes {
			if s != 0 || v != 0 {
				return 1, true
			}
		}
	default:
		panic(invariant.Failed("kernel: reduction by %s", op))
	}
	return s, true
}

// ReduceI64 is ReduceF64 for integers; false when a sum may not fit.
func ReduceI64(op semiring.Op, s int64, lanes []int64) (int64, bool) {
	switch op {
	case semiring.Add:
		v, ok := SumI64(lanes, nil, len(lanes))
		s, fits := AddI64(s, v)
		return s, ok && fits
	case semiring.Min:
		for _, v := range lanes {
			s = min(s, v)
		}
	case semiring.Max:
		for _, v := range lanes {
			s = max(s, v)
		}
	case semiring.Or:
		for _, v := range lanes {
			if s != 0 || v != 0 {
				return 1, true
			}
		}
	default:
		panic(invariant.Failed("kernel: reduction by %s", op))
	}
	return s, true
}

// IsZeroF64 writes whether each lane is zero and returns how many are.
func IsZeroF64(dst []bool, src []float64) int {
	src = src[:len(dst)]
	n := 0
	for i, v := range src {
		dst[i] = v == 0
		if v == 0 {
			n++
		}
	}
	return n
}

// IsZeroI64 is IsZeroF64 for integers.
func IsZeroI64(dst []bool, src []int64) int {
	src = src[:len(dst)]
	n := 0
	for i, v := range src {
		dst[i] = v == 0
		if v == 0 {
			n++
		}
	}
	return n
}

// Truths writes 1 where a test holds and 0 elsewhere.
func Truths[T int64 | float64](dst []T, holds []bool) {
	for i, h := range holds[:len(dst)] {
		dst[i] = T(bit(h))
	}
}

// bit is 1 of true and 0 of false, without a branch.
func bit(b bool) int64 {
	v := int64(0)
	if b {
		v = 1
	}
	return v
}

// EitherI64 writes yes where a test holds and no elsewhere.
func EitherI64(dst []int64, holds []bool, yes, no []int64) {
	yes, no = yes[:len(dst)], no[:len(dst)]
	for i, h := range holds[:len(dst)] {
		m := -bit(h)
		dst[i] = yes[i]&m | no[i]&^m
	}
}

// EitherF64 is EitherI64 for floats, whose bits it moves: a branch that cannot be
// foretold costs more than all else here.
func EitherF64(dst []float64, holds []bool, yes, no []float64) {
	yes, no = yes[:len(dst)], no[:len(dst)]
	for i, h := range holds[:len(dst)] {
		m := uint64(-bit(h))
		dst[i] = math.Float64frombits(math.Float64bits(yes[i])&m | math.Float64bits(no[i])&^m)
	}
}

// CompareI64 returns the loop of a comparison of integers, Op.Test of every lane.
func CompareI64(op semiring.Op) func(dst []bool, a, b []int64) {
	switch op {
	case semiring.Less:
		return func(dst []bool, a, b []int64) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = a[i] < b[i]
			}
		}
	case semiring.AtMost:
		return func(dst []bool, a, b []int64) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = a[i] <= b[i]
			}
		}
	case semiring.Equal:
		return func(dst []bool, a, b []int64) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = a[i] == b[i]
			}
		}
	case semiring.Differ:
		return func(dst []bool, a, b []int64) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = a[i] != b[i]
			}
		}
	default:
		panic(invariant.Failed("kernel: %s is no test", op))
	}
}

// CompareF64 is CompareI64 for floats: NaN is equal to itself and greatest.
func CompareF64(op semiring.Op) func(dst []bool, a, b []float64) {
	switch op {
	case semiring.Less:
		return func(dst []bool, a, b []float64) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = lessF64(a[i], b[i])
			}
		}
	case semiring.AtMost:
		return func(dst []bool, a, b []float64) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = !lessF64(b[i], a[i])
			}
		}
	case semiring.Equal:
		return func(dst []bool, a, b []float64) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = equalF64(a[i], b[i])
			}
		}
	case semiring.Differ:
		return func(dst []bool, a, b []float64) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = !equalF64(a[i], b[i])
			}
		}
	default:
		panic(invariant.Failed("kernel: %s is no test", op))
	}
}

// lessF64 orders floats, NaN above all others: x < y, or y alone is NaN.
func lessF64(x, y float64) bool { return x < y || (y != y) && x == x }

func equalF64(x, y float64) bool { return x == y || (x != x) && (y != y) }
