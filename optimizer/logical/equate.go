package logical

import (
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// equate makes one index of two that a key makes equal: where every cell of a query
// has an entry of L(i,j) and one of L(i,k), and there is at most one entry of L for
// an i, then j = k, and
//
//	sum(i,j,k) L(i,j) * L(i,k) * A(j,x) * B(k,y) = sum(i,j) L(i,j) * L(i,j) * A(j,x) * B(j,y)
//
// whatever the aggregate is, since no other cell exists. k must be reduced: an index
// of the result cannot be left out of it. Both must be there at every cell: of
// L(i,j) * A(j) + L(i,k) * B(k) no cell need have both. Products of two parts of a
// union over one table have this form, and without the rule their plans store the
// pairs of (j,k) and expect far too many.
func (n *normalizer) equate(q *einsum.Query) *einsum.Query {
	if !n.readsKeyTwice(q) {
		return q
	}
	for {
		b, err := NewBody(q)
		if err != nil {
			return q // planning it reports the error
		}
		drop, keep, ok := n.equal(q, b)
		if !ok {
			return q
		}
		q = n.renamed(q, drop, keep)
	}
}

// readsKeyTwice reports whether a query reads a tensor that has keys in two places.
func (n *normalizer) readsKeyTwice(q *einsum.Query) bool {
	read := map[string]*einsum.Access{}
	for _, l := range q.Leaves {
		for _, a := range einsum.Accesses(l.Expr) {
			in := n.inputs[a.Tensor]
			if in == nil || len(in.Keys) == 0 {
				continue
			}
			if other := read[a.Tensor]; other != nil && !slices.Equal(other.Args, a.Args) {
				return true
			}
			read[a.Tensor] = a
		}
	}
	return false
}

// equal finds an index to leave out, and the one that it equals.
func (n *normalizer) equal(q *einsum.Query, b *Body) (drop, keep einsum.Index, ok bool) {
	required := b.Atoms()
	for _, l := range q.Leaves {
		agg, arg := aggOf(l.Expr)
		if agg == nil {
			return drop, keep, false
		}
		for _, set := range b.Presence(arg) {
			required &= set
		}
	}
	for i := range b.Operands {
		for j := range b.Operands[:i] {
			x, y := &b.Operands[i], &b.Operands[j]
			if x.Tensor != y.Tensor || required&(1<<i) == 0 || required&(1<<j) == 0 || !n.sameEntry(x, y) {
				continue
			}
			for m := range x.Args {
				if drop, keep, ok = b.leaveOut(x.Args[m], y.Args[m]); ok {
					return drop, keep, true
				}
			}
		}
	}
	return drop, keep, false
}

// sameEntry reports whether two operands of one tensor agree in the modes of a key.
func (n *normalizer) sameEntry(x, y *Operand) bool {
	in := n.inputs[x.Tensor]
	return in != nil && slices.ContainsFunc(in.Keys, func(key []int) bool {
		return !slices.ContainsFunc(key, func(m int) bool { return !sameArg(x.Args[m], y.Args[m]) })
	})
}

func sameArg(x, y einsum.Arg) bool {
	if x.Const == nil || y.Const == nil {
		return x.Const == nil && y.Const == nil && x.Index == y.Index
	}
	return *x.Const == *y.Const
}

// leaveOut chooses which of two equal indices a query does without: one that it
// reduces, among others, and that no comparison and no operand has with the other.
func (b *Body) leaveOut(x, y einsum.Arg) (drop, keep einsum.Index, ok bool) {
	if x.Const != nil || y.Const != nil || x.Index == y.Index {
		return drop, keep, false
	}
	drop, keep = x.Index, y.Index
	if b.Free&(1<<b.index(drop)) != 0 {
		drop, keep = keep, drop
	}
	if b.Free&(1<<b.index(drop)) != 0 {
		return drop, keep, false
	}
	both := uint64(1)<<b.index(drop) | uint64(1)<<b.index(keep)
	together := slices.ContainsFunc(b.Masks, func(m Mask) bool { return m.Set == both }) ||
		slices.ContainsFunc(b.Operands, func(op Operand) bool { return op.Set&both == both })
	return drop, keep, !together && len(b.Indices) > bits.OnesCount64(b.Free)+1
}

// renamed is a query with one index in place of another that it reduced.
func (n *normalizer) renamed(q *einsum.Query, drop, keep einsum.Index) *einsum.Query {
	out := &einsum.Query{Name: q.Name, Idxs: q.Idxs}
	for _, l := range q.Leaves {
		agg, arg := aggOf(l.Expr)
		left := slices.DeleteFunc(slices.Clone(agg.Idxs), func(x einsum.Index) bool { return x == drop })
		arg = einsum.Rename(arg, map[string]einsum.Index{drop.Name: keep})
		arg = einsum.Rewrite(arg, n.once)
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.Name, Expr: &einsum.Agg{Op: agg.Op, Idxs: left, Arg: arg}})
	}
	return out
}

// once drops factors of a product that repeat one that is 1, and what an and repeats.
func (n *normalizer) once(e einsum.Expr) einsum.Expr {
	m, ok := e.(*einsum.Map)
	if !ok || m.Op != semiring.Mul && m.Op != semiring.And {
		return e
	}
	var args []einsum.Expr
	for _, a := range m.Args {
		repeats := slices.ContainsFunc(args, func(x einsum.Expr) bool { return einsum.Equal(x, a) })
		if !repeats || m.Op == semiring.Mul && !n.isPattern(a) {
			args = append(args, a)
		}
	}
	if len(args) == len(m.Args) || len(args) < 2 && m.Op == semiring.And {
		return e
	}
	return n.oneArgument(&einsum.Map{Op: m.Op, Args: args})
}

// isPattern reports an access to a leaf that is 1 wherever it is present.
func (n *normalizer) isPattern(e einsum.Expr) bool {
	a, ok := e.(*einsum.Access)
	if !ok || n.inputs[a.Tensor] == nil {
		return false
	}
	return slices.ContainsFunc(n.inputs[a.Tensor].Leaves, func(l einsum.LeafDecl) bool {
		return l.Name == a.Leaf && l.Elem == semiring.Pattern
	})
}
