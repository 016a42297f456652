package logical

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
)

// factor takes common factors out of pointwise leaves: P*X - P*s*X = P*X*(1 - s)
// (OPTIMIZER B-5, section E). Where s is absent both sides are P*X. An aggregate
// has no use for it: its kernel evaluates the sum cell by cell, and elimination
// wants products. nil when no leaf has a common factor.
func (v *view) factor() *einsum.Query {
	return v.mapSums(func(l *leafView) []addend {
		if l.agg != nil {
			return l.sum
		}
		return factorOut(l.ring.likeTerms(l.sum))
	})
}

// factorOut takes the part that most addends have out of them, again and again,
// the first among equals.
func factorOut(sum []addend) []addend {
	part, times := commonPart(sum)
	if times < 2 {
		return sum
	}
	out := addend{parts: []einsum.Expr{part}}
	var rest, inner []addend
	for i := range sum {
		a := sum[i].clone()
		at := partAt(&a, part)
		if at < 0 {
			rest = append(rest, a)
			continue
		}
		a.parts = slices.Delete(a.parts, at, at+1)
		if len(a.parts)+len(a.sums)+len(a.coefs) == 0 {
			a.coefs = []einsum.Expr{einsum.Int(1)}
		}
		inner = append(inner, a)
	}
	out.times(factorOut(inner))
	return append(factorOut(rest), out)
}

// commonPart returns the part that occurs in the most addends, and in how many.
func commonPart(sum []addend) (part einsum.Expr, times int) {
	for i := range sum {
		for _, p := range sum[i].parts {
			n := 0
			for j := range sum {
				if partAt(&sum[j], p) >= 0 {
					n++
				}
			}
			if n > times {
				part, times = p, n
			}
		}
	}
	return part, times
}

func partAt(a *addend, part einsum.Expr) int {
	return slices.IndexFunc(a.parts, func(e einsum.Expr) bool { return einsum.Equal(e, part) })
}
