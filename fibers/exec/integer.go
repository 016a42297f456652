package exec

import (
	"math/bits"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// Conditions, and arguments of functions and of operators of two numbers, are exact
// integers whatever their size: 128 bits hold a product of counts. Most need no more than
// 64, which their loops do ten times faster (BenchmarkKernelCells), and the values that
// are stored tell.

// wideBits is a magnitude that 64 bits do not hold.
const wideBits = 128

// fits64 reports whether an integer expression can be evaluated with 64 bits: its value
// and all that is computed on the way fit. O(values) of what it calculates with, once per
// leaf.
func (b *binder) fits64(x einsum.Expr) bool {
	if b.elemOf(x) > semiring.I64 {
		return false
	}
	m, ok := x.(*einsum.Map)
	if !ok {
		return true
	}
	switch m.Op {
	case semiring.If0, semiring.Min, semiring.Max, semiring.Guard, semiring.Select, semiring.Or, semiring.And, semiring.Rem:
		for _, arg := range b.alike(m) {
			if !b.fits64(arg) {
				return false
			}
		}
		return true
	default:
		return b.magnitude(m) < 64
	}
}

// alike are the arguments of a map that are evaluated in the type of its value.
func (b *binder) alike(m *einsum.Map) []einsum.Expr {
	switch m.Op {
	case semiring.Guard, semiring.Rem, semiring.Quot: // the divisor has a type of its own
		return m.Args[:1]
	case semiring.Select:
		return m.Args[1:]
	case semiring.Or, semiring.And: // which only ask whether the others are zero
		var out []einsum.Expr
		for _, arg := range m.Args {
			if b.elemOf(arg) <= semiring.I64 {
				out = append(out, arg)
			}
		}
		return out
	default:
		return m.Args
	}
}

// magnitude is an n, wideBits at most, with |v| < 2^n for the value of an integer
// expression and for all that is computed on the way to it.
func (b *binder) magnitude(x einsum.Expr) int {
	switch x := x.(type) {
	case *einsum.Access:
		return min(b.exponent(x), wideBits)
	case *einsum.Literal:
		return min(b.exponent(x), wideBits)
	case *einsum.Compare:
		return 1
	case *einsum.Map:
		return b.magnitudeOf(x)
	default:
		return wideBits
	}
}

func (b *binder) magnitudeOf(m *einsum.Map) int {
	if m.Op.IsTest() {
		return 1
	}
	args := b.alike(m)
	most, sum := 0, 0
	for _, arg := range args {
		n := b.magnitude(arg)
		most, sum = max(most, n), sum+n
	}
	switch m.Op {
	case semiring.Neg, semiring.Min, semiring.Max, semiring.Guard, semiring.Select, semiring.If0, semiring.Quot, semiring.Rem:
	case semiring.Or, semiring.And:
		most = max(most, 1)
	case semiring.Add, semiring.Plus, semiring.Sub:
		most += bits.Len(uint(len(args) - 1))
	case semiring.Mul:
		most = sum
	default:
		return wideBits
	}
	return min(most, wideBits)
}
