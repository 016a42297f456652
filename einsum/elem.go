package einsum

import (
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// ElemOf returns the element type of an expression, given those of the leaves
// that it reads: F64 if a float takes part, else I128 if a wide integer does,
// else I64; F64 of a function (semiring.Op.IsFunction). Pattern is the type of what is 1 wherever it is present.
func ElemOf(e Expr, leaf func(*Access) semiring.Elem) semiring.Elem {
	switch e := e.(type) {
	case *Access:
		return leaf(e)
	case *Literal:
		return e.Elem
	case *Compare:
		return semiring.Pattern
	case *Agg:
		// A masked cell leaves the identity in place of a 1.
		if t := ElemOf(e.Arg, leaf); t != semiring.Pattern || e.Op != semiring.Add && !hasOpenGuard(e.Arg) {
			return t
		}
		return semiring.I64
	case *Map:
		return mapElem(e, leaf)
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", e))
	}
}

func mapElem(m *Map, leaf func(*Access) semiring.Elem) semiring.Elem {
	if m.Op == semiring.Guard {
		return ElemOf(m.Args[0], leaf)
	}
	switch {
	case m.Op.IsFunction(), m.Op == semiring.Div, m.Op == semiring.Power:
		return semiring.F64
	case m.Op.IsTest():
		return semiring.I64
	case m.Op == semiring.Select:
		return max(ElemOf(m.Args[1], leaf), ElemOf(m.Args[2], leaf), semiring.I64)
	}
	widest := semiring.Pattern
	for _, a := range m.Args {
		widest = max(widest, ElemOf(a, leaf))
	}
	switch m.Op {
	case semiring.Or, semiring.And:
		if widest != semiring.Pattern {
			return semiring.I64
		}
	case semiring.Add, semiring.Sub, semiring.Neg, semiring.Plus, semiring.Quot, semiring.Rem:
		return max(widest, semiring.I64)
	}
	return widest
}

// Elems returns the leaves of every tensor of the program, by tensor name, in
// the order of the leaves: their element types and whether they are known to be
// >= 0 (NonNegative). The program passes Check.
func (p *Program) Elems() map[string][]LeafDecl {
	out := map[string][]LeafDecl{}
	for _, in := range p.Inputs {
		out[in.Name] = in.Leaves
		if !in.Leaves[0].NonNegative { // a number of rows
			out[in.Name] = slices.Clone(in.Leaves)
			out[in.Name][0].NonNegative = true
		}
	}
	leaf := func(a *Access) LeafDecl {
		for _, l := range out[a.Tensor] {
			if l.Name == a.Leaf {
				return l
			}
		}
		panic(invariant.Failed("einsum: %s passed Check", a))
	}
	elem := func(a *Access) semiring.Elem { return leaf(a).Elem }
	for _, q := range p.Queries {
		decl := make([]LeafDecl, len(q.Leaves))
		for i, l := range q.Leaves {
			decl[i] = LeafDecl{Name: l.Name, Elem: ElemOf(l.Expr, elem), NonNegative: NonNegative(l.Expr, leaf)}
		}
		out[q.Name] = decl
	}
	return out
}
