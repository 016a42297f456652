package einsum

import (
	"math"
	"slices"

	"github.com/trireme-db/trireme/internal/invariant"
)

// Equal reports whether two programs are the same node for node, names and
// domains included. NaN equals NaN; -0 and 0 differ.
func (p *Program) Equal(o *Program) bool {
	return slices.EqualFunc(p.Inputs, o.Inputs, func(a, b *Input) bool {
		return a.Name == b.Name && slices.Equal(a.Domains, b.Domains) && slices.Equal(a.Leaves, b.Leaves) &&
			slices.EqualFunc(a.Keys, b.Keys, slices.Equal[[]int]) && a.Symmetric == b.Symmetric && a.Hollow == b.Hollow
	}) && slices.EqualFunc(p.Queries, o.Queries, (*Query).Equal)
}

// Equal reports whether two queries are the same node for node.
func (q *Query) Equal(o *Query) bool {
	return q.Name == o.Name && slices.Equal(q.Idxs, o.Idxs) &&
		slices.EqualFunc(q.Leaves, o.Leaves, func(a, b Leaf) bool {
			return a.Name == b.Name && Equal(a.Expr, b.Expr)
		})
}

// Equal reports whether two expressions are the same node for node. Key
// compares up to the names of bound indices and the order of arguments.
func Equal(a, b Expr) bool {
	switch a := a.(type) {
	case *Access:
		b, ok := b.(*Access)
		return ok && a.Tensor == b.Tensor && a.Leaf == b.Leaf && slices.EqualFunc(a.Args, b.Args, Arg.Equal)
	case *Map:
		b, ok := b.(*Map)
		return ok && a.Op == b.Op && slices.EqualFunc(a.Args, b.Args, Equal)
	case *Agg:
		b, ok := b.(*Agg)
		return ok && a.Op == b.Op && slices.Equal(a.Idxs, b.Idxs) && Equal(a.Arg, b.Arg)
	case *Literal:
		b, ok := b.(*Literal)
		return ok && a.Elem == b.Elem && a.I == b.I && sameFloat(a.F, b.F)
	case *Compare:
		b, ok := b.(*Compare)
		return ok && *a == *b
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", a))
	}
}

// Equal reports whether two arguments are the same index or the same constant.
func (a Arg) Equal(b Arg) bool {
	if a.Const == nil || b.Const == nil {
		return a.Const == b.Const && a.Index == b.Index
	}
	return *a.Const == *b.Const
}

func sameFloat(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}
