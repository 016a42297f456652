package einsum

import (
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// NonNegative reports whether every value of e is known to be >= 0, NaN being
// greatest: from declared facts (LeafDecl), the counts of inputs and patterns,
// and the operators, which add, multiply and choose among such values. It is
// what lets a product distribute over min and max.
func NonNegative(e Expr, leaf func(*Access) LeafDecl) bool {
	all := func(args []Expr) bool {
		for _, a := range args {
			if !NonNegative(a, leaf) {
				return false
			}
		}
		return true
	}
	switch e := e.(type) {
	case *Access:
		l := leaf(e)
		return l.NonNegative || l.Elem == semiring.Pattern
	case *Literal:
		return !e.negative()
	case *Compare:
		return true
	case *Agg:
		switch e.Op {
		case semiring.Or, semiring.And:
			return true
		case semiring.Min, semiring.Max:
			// Where all cells are masked it is the identity; that of max is negative.
			return !hasOpenGuard(e.Arg) && NonNegative(e.Arg, leaf)
		}
		return NonNegative(e.Arg, leaf)
	case *Map:
		switch e.Op {
		case semiring.Sqrt, semiring.Exp, semiring.Abs, semiring.Sigmoid, semiring.Relu, semiring.Or, semiring.And,
			semiring.Less, semiring.AtMost, semiring.Equal, semiring.Differ:
			return true
		case semiring.Select:
			return all(e.Args[1:])
		case semiring.Max:
			return maxNonNegative(e, leaf)
		case semiring.Guard:
			return NonNegative(e.Args[0], leaf)
		case semiring.Add, semiring.Mul, semiring.Plus, semiring.Min, semiring.If0:
			return all(e.Args)
		}
		v := FillOf(e, func(*Access) Fill { return Fill{State: FillUnknown} })
		return v.State == FillValue && !v.Value.negative() // a constant expression
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", e))
	}
}

// maxNonNegative: one argument that is >= 0 is enough where it is present
// wherever the map is, as a literal; else each must be.
func maxNonNegative(m *Map, leaf func(*Access) LeafDecl) bool {
	all := true
	for _, a := range m.Args {
		known := NonNegative(a, leaf)
		if _, literal := a.(*Literal); literal && known {
			return true
		}
		all = all && known
	}
	return all
}

func (l *Literal) negative() bool {
	if l.Elem == semiring.F64 {
		return l.F < 0
	}
	return l.I.Hi < 0
}
