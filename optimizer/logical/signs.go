package logical

import (
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// choices eliminates an index from min and max of a product, where elimination
// itself knows plus only: max_ij a_i * b_ij = max_i a_i * max_j b_ij when a is
// never negative (OPTIMIZER A, operator table). Counter-example otherwise: -1 *
// max(2, 3) = -3, max(-2, -3) = -2. What has the index becomes a query; all
// leaves must part at the same atoms, sums among them, so that they stay one step.
// One alternative per reduced index.
func (w *rewriter) choices(qs []*einsum.Query, at int) [][]*einsum.Query {
	v, ok := newView(qs[at])
	if !ok || !v.hasChoice() {
		return nil
	}
	var out [][]*einsum.Query
	for _, x := range members(v.body.All() &^ v.body.Free) {
		if alt := w.chooseFirst(qs, at, v, x); alt != nil {
			out = append(out, alt)
		}
	}
	return out
}

// hasChoice reports a leaf that is the min or max of a product.
func (v *view) hasChoice() bool {
	return slices.ContainsFunc(v.leaves, func(l leafView) bool {
		return l.agg != nil && isChoice(l.agg.Op) && l.productUnder() != nil
	})
}

func isChoice(op semiring.Op) bool { return op == semiring.Min || op == semiring.Max }

// productUnder returns the factors of a leaf that is a product under min or max.
func (l *leafView) productUnder() []einsum.Expr {
	m, ok := l.agg.Arg.(*einsum.Map)
	if !ok || m.Op != semiring.Mul {
		return nil
	}
	return m.Args
}

// chooseFirst eliminates index x; nil when a leaf does not allow it.
func (w *rewriter) chooseFirst(qs []*einsum.Query, at int, v *view, x int) []*einsum.Query {
	first := &einsum.Query{Name: w.newName(qs)}
	rest := &einsum.Query{Name: v.q.Name, Idxs: v.q.Idxs}
	var atoms uint64
	for i := range v.leaves {
		l := &v.leaves[i]
		in, out, mul := w.partAt(v, l, x)
		if len(in) == 0 || len(out) == 0 {
			return nil
		}
		inner := product(mul, in)
		if set := v.body.atomsOf(inner); i == 0 {
			atoms = set
			first.Idxs = v.body.pick(v.indicesOf(inner) &^ (1 << x))
			if !v.body.restricts(v.body.Presence(inner), append(first.Idxs, v.body.Indices[x])) {
				return nil
			}
		} else if set != atoms {
			return nil
		}
		name := einsum.CountLeaf
		if i > 0 {
			name = "f" + strconv.Itoa(i)
		}
		e := &einsum.Agg{Op: l.agg.Op, Idxs: []einsum.Index{v.body.Indices[x]}, Arg: inner}
		first.Leaves = append(first.Leaves, einsum.Leaf{Name: name, Expr: e})
		left := slices.DeleteFunc(slices.Clone(l.agg.Idxs), func(y einsum.Index) bool { return y == v.body.Indices[x] })
		read := &einsum.Access{Tensor: first.Name, Leaf: name, Args: einsum.Ixs(first.Idxs...)}
		expr := einsum.Reduce(l.agg.Op, left, product(mul, append(out, read)))
		rest.Leaves = append(rest.Leaves, einsum.Leaf{Name: l.name, Expr: expr})
	}
	return slices.Concat(qs[:at], []*einsum.Query{first, rest}, qs[at+1:])
}

// partAt parts the factors of a leaf into those that have index x and the
// others; none when the leaf is no product, has guards, or multiplies a choice
// by what may be negative.
func (w *rewriter) partAt(v *view, l *leafView, x int) (in, out []einsum.Expr, mul semiring.Op) {
	if l.agg == nil || hasGuard(l.agg.Arg) || len(l.sum) != 1 || l.sum[0].neg {
		return nil, nil, semiring.NoOp
	}
	factors, mul := l.productUnder(), semiring.Mul
	if !isChoice(l.agg.Op) || factors == nil {
		a := &l.sum[0]
		factors, mul = slices.Concat(a.coefs, a.parts), l.ring.mul
		for _, s := range a.sums {
			factors = append(factors, l.ring.write(s))
		}
	}
	for _, e := range factors {
		if v.indicesOf(e)&(1<<x) != 0 {
			in = append(in, e)
			continue
		}
		if isChoice(l.agg.Op) && mul == semiring.Mul && !einsum.NonNegative(e, w.leafDecl) {
			return nil, nil, semiring.NoOp
		}
		out = append(out, e)
	}
	return in, out, mul
}
