package fibers

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/trireme-db/trireme/einsum/semiring"
)

// Unbounded is the Exponent of a leaf with an infinity or a NaN.
const Unbounded = math.MaxInt16

// exponents keeps what Exponent has found, one more than it per leaf; 0: not asked.
// Views of a tensor have those of the tensor.
type exponents []atomic.Int32

// KeepExponents makes a tensor whose values are final remember what Exponent finds.
func (t *Tensor) KeepExponents() { t.exponents = make(exponents, len(t.Leaves)) }

// AssumeUnbounded is KeepExponents for a tensor whose values are still to come.
func (t *Tensor) AssumeUnbounded() {
	t.KeepExponents()
	for i := range t.Leaves {
		t.exponents[i].Store(int32(elemExponent(t.Leaves[i].Elem) + 1))
	}
}

// elemExponent is the Exponent that any values of a type have at most.
func elemExponent(e semiring.Elem) int {
	switch e {
	case semiring.Pattern:
		return 1
	case semiring.I64:
		return 64
	case semiring.I128:
		return 128
	default:
		return Unbounded
	}
}

// Exponent is an e with |x| < 2^e for all values that are stored of a leaf, those of
// no entry among them, or Unbounded. Where nothing is remembered it takes a pass over
// the values. It may be called by several goroutines.
func (t *Tensor) Exponent(leaf int) int {
	if t.exponents == nil {
		return t.Leaves[leaf].exponent()
	}
	kept := &t.exponents[leaf]
	if e := kept.Load(); e != 0 {
		return int(e) - 1
	}
	e := t.Leaves[leaf].exponent()
	kept.Store(int32(e + 1))
	return e
}

func (l *Leaf) exponent() int {
	switch l.Elem {
	case semiring.I64:
		any := uint64(0) // the highest bit of some magnitude is that of all of them together
		for _, x := range l.I64 {
			sign := x >> 63
			any |= uint64((x ^ sign) - sign)
		}
		return bits.Len64(any)
	case semiring.F64:
		return floatExponent(l.F64)
	default:
		return elemExponent(l.Elem)
	}
}

func floatExponent(vals []float64) int {
	const sign, fraction, bias, special = 1 << 63, 52, 1022, 2047
	most := uint64(0) // doubles without their signs are ordered as integers
	for _, x := range vals {
		most = max(most, math.Float64bits(x)&^sign)
	}
	if most>>fraction == special {
		return Unbounded
	}
	return max(int(most>>fraction)-bias, 0)
}
