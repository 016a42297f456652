package exec

import (
	"math"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
)

// exponentMax leaves room in the exponent of a double for sums of as many terms as
// there can be.
const exponentMax = 1023 - 64

// distributes reports whether a sum of doubles may be taken as a sum of products
// whose constant factors are multiplied afterwards. With an infinity it may not
// (inf * (2 - 1) is one, inf * 2 - inf * 1 is none), nor where a product may be one:
// the answer is that of the expression as it is written.
func (b *binder) distributes(written einsum.Expr, terms []monomial) bool {
	outside := slices.ContainsFunc(terms, func(m monomial) bool { return len(m.outer) > 0 && len(m.inner) > 0 })
	if !outside && (len(terms) == 1 || !multiplies(written)) {
		return true // a sum of the values or products themselves
	}
	for _, m := range terms {
		sum := 0
		for _, x := range m.inner {
			sum += b.exponent(x)
		}
		for _, x := range m.outer {
			sum += b.exponent(x)
		}
		if sum > exponentMax {
			return false
		}
	}
	return true
}

// multiplies reports whether an expression has a product.
func multiplies(x einsum.Expr) bool {
	found := false
	einsum.Walk(x, func(x einsum.Expr) bool {
		if m, ok := x.(*einsum.Map); ok && m.Op == semiring.Mul {
			found = true
		}
		return !found
	})
	return found
}

// exponent bounds a factor of a monomial: |x| < 2^exponent.
func (b *binder) exponent(x einsum.Expr) int {
	switch x := x.(type) {
	case *einsum.Access:
		o := b.operands[b.operandOf(x)]
		if made := o.mapped[x.Leaf]; made != nil {
			return made.Exponent(0)
		}
		t := o.tensor
		return t.Exponent(slices.IndexFunc(t.Leaves, func(l fibers.Leaf) bool { return l.Name == x.Leaf }))
	case *einsum.Literal:
		if x.Elem != semiring.F64 {
			return x.I.Big().BitLen()
		}
		if math.IsInf(x.F, 0) || math.IsNaN(x.F) {
			return fibers.Unbounded
		}
		_, e := math.Frexp(x.F)
		return max(e, 0)
	default:
		return fibers.Unbounded
	}
}
