package logical

import (
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Normalize brings every query into the shape of one step: either all leaves
// are pointwise, or all are one aggregate over the same indices and are present
// at the same cells. Aggregates merge and move outwards where the algebra
// allows; what remains nested becomes a query of its own.
func Normalize(p *einsum.Program) (*einsum.Program, error) {
	n := &normalizer{names: map[string]bool{}, counts: map[string]string{}}
	out := &einsum.Program{Inputs: p.Inputs}
	for _, in := range p.Inputs {
		n.names[in.Name] = true
		n.counts[in.Name] = in.Leaves[0].Name
	}
	for _, q := range p.Queries {
		n.names[q.Name] = true
	}
	for _, q := range p.Queries {
		flat, err := n.query(q)
		if err != nil {
			return nil, err
		}
		for _, x := range n.extracted {
			n.names[x.Name] = true
		}
		out.Queries = append(append(out.Queries, n.extracted...), flat)
		n.extracted = nil
		n.counts[q.Name] = q.Leaves[0].Name
	}
	return out, nil
}

type normalizer struct {
	names     map[string]bool
	counts    map[string]string // count leaf by tensor
	extracted []*einsum.Query   // of the query at hand
}

func (n *normalizer) query(q *einsum.Query) (*einsum.Query, error) {
	// Lifting may part leaves that agree as they are: of count and maximum of a
	// nested sum only the count's aggregates merge. Then nothing is lifted.
	lifted, extracted, err := n.flattenLeaves(q, lift)
	if err != nil {
		return nil, err
	}
	b, err := NewBody(lifted)
	if err != nil {
		return nil, err
	}
	if !aligned(b, lifted) {
		asIs, others, err := n.flattenLeaves(q, func(e einsum.Expr) einsum.Expr { return e })
		if err != nil {
			return nil, err
		}
		if body, err := NewBody(asIs); err == nil && aligned(body, asIs) {
			n.extracted = others
			return asIs, nil
		}
	}
	n.extracted = extracted
	if aligned(b, lifted) {
		return lifted, nil
	}
	return n.part(lifted, b)
}

// flattenLeaves returns the query without nested aggregates and the queries
// that compute those.
func (n *normalizer) flattenLeaves(q *einsum.Query, prepare func(einsum.Expr) einsum.Expr) (
	flat *einsum.Query, extracted []*einsum.Query, err error,
) {
	n.extracted = nil
	flat = &einsum.Query{Name: q.Name, Idxs: q.Idxs}
	for _, l := range q.Leaves {
		expr, err := n.flatten(prepare(l.Expr))
		if err != nil {
			return nil, nil, err
		}
		flat.Leaves = append(flat.Leaves, einsum.Leaf{Name: l.Name, Expr: expr})
	}
	return flat, n.extracted, nil
}

// part deals with leaves that disagree on what they reduce: every aggregate
// becomes a query, together with the leaves that agree with it, and the query
// reads them.
func (n *normalizer) part(q *einsum.Query, b *Body) (*einsum.Query, error) {
	out := &einsum.Query{Name: q.Name, Idxs: q.Idxs, Leaves: slices.Clone(q.Leaves)}
	groups := map[string]*einsum.Query{}
	for i, l := range q.Leaves {
		agg, _ := aggOf(l.Expr)
		if agg == nil || len(agg.Idxs) == 0 {
			continue
		}
		key := alignment(b, agg)
		if groups[key] == nil {
			g, err := n.extract(q.Idxs, agg, b)
			if err != nil {
				return nil, err
			}
			groups[key] = g
		}
		out.Leaves[i].Expr = n.read(groups[key], agg)
	}
	return out, nil
}

// aligned reports whether the leaves make one step.
func aligned(b *Body, q *einsum.Query) bool {
	first := ""
	for i, l := range q.Leaves {
		agg, arg := aggOf(l.Expr)
		if agg == nil {
			agg = &einsum.Agg{Arg: arg}
		}
		switch key := alignment(b, agg); {
		case i == 0:
			first = key
		case key != first:
			return false
		}
	}
	return true
}

// alignment is equal for aggregates that reduce the same indices over the same
// cells.
func alignment(b *Body, a *einsum.Agg) string {
	var reduced uint64
	for _, x := range a.Idxs {
		reduced |= 1 << b.index(x)
	}
	sets := b.Presence(a.Arg)
	slices.Sort(sets)
	return fmt.Sprint(reduced, sets)
}

// lift merges nested aggregates of one operator and moves an aggregate out of
// a product that distributes over it: a * sum_j b(j) = sum_j a * b(j), since no
// other factor mentions j (E4 of package einsum). It must not move out of a sum: a + sum_j b(j) has a once,
// sum_j (a + b(j)) has it for every j (OPTIMIZER B, Normalise).
func lift(e einsum.Expr) einsum.Expr {
	return einsum.Rewrite(e, func(e einsum.Expr) einsum.Expr {
		switch e := e.(type) {
		case *einsum.Agg:
			inner, ok := e.Arg.(*einsum.Agg)
			if !ok || inner.Op != e.Op || !e.Op.Info().Assoc || !e.Op.Info().Comm {
				return e
			}
			return &einsum.Agg{Op: e.Op, Idxs: append(slices.Clone(e.Idxs), inner.Idxs...), Arg: inner.Arg}
		case *einsum.Map:
			return liftMap(e)
		}
		return e
	})
}

func liftMap(m *einsum.Map) einsum.Expr {
	// A guard is left alone: its condition belongs to the aggregate around it.
	if m.Op != semiring.Mul && m.Op != semiring.And && m.Op != semiring.Plus {
		return m
	}
	for i, a := range m.Args {
		agg, ok := a.(*einsum.Agg)
		if !ok || !m.Op.Distributes(agg.Op) || hasGuard(agg.Arg) {
			continue
		}
		args := slices.Clone(m.Args)
		args[i] = agg.Arg
		inner := liftMap(&einsum.Map{Op: m.Op, Args: args})
		if below, ok := inner.(*einsum.Agg); ok && below.Op == agg.Op {
			return &einsum.Agg{Op: agg.Op, Idxs: append(slices.Clone(agg.Idxs), below.Idxs...), Arg: below.Arg}
		}
		return &einsum.Agg{Op: agg.Op, Idxs: agg.Idxs, Arg: inner}
	}
	return m
}

// flatten extracts the aggregates below the root of a leaf, innermost first.
func (n *normalizer) flatten(e einsum.Expr) (einsum.Expr, error) {
	root, arg := aggOf(e)
	var err error
	arg = einsum.Rewrite(arg, func(e einsum.Expr) einsum.Expr {
		agg, ok := e.(*einsum.Agg)
		if !ok || err != nil {
			return e
		}
		g, extractErr := n.extract(einsum.Free(agg), agg, nil)
		if extractErr != nil {
			err = extractErr
			return e
		}
		return n.read(g, agg)
	})
	if err != nil {
		return nil, err
	}
	if root == nil {
		return arg, nil
	}
	return &einsum.Agg{Op: root.Op, Idxs: root.Idxs, Arg: arg}, nil
}

// extract returns the query over idxs with the row count of an aggregate's
// cells; one that counts the same is used again.
func (n *normalizer) extract(idxs []einsum.Index, a *einsum.Agg, b *Body) (*einsum.Query, error) {
	q := &einsum.Query{Idxs: idxs, Leaves: []einsum.Leaf{{Name: einsum.CountLeaf, Expr: a}}}
	if b == nil {
		var err error
		if b, err = NewBody(q); err != nil {
			return nil, err
		}
	}
	var sum []einsum.Expr
	for _, set := range b.Presence(a.Arg) {
		var args []einsum.Expr
		for _, i := range members(set) {
			args = append(args, n.count(b, i))
		}
		if len(args) == 0 {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "an aggregate over every value of a domain")
		}
		sum = append(sum, product(semiring.Mul, args))
	}
	q.Leaves[0].Expr = &einsum.Agg{Op: semiring.Add, Idxs: a.Idxs, Arg: product(semiring.Add, sum)}
	for _, other := range n.extracted {
		if slices.Equal(other.Idxs, idxs) && einsum.Equal(other.Leaves[0].Expr, q.Leaves[0].Expr) {
			return other, nil
		}
	}
	q.Name = n.newName()
	n.extracted = append(n.extracted, q)
	n.counts[q.Name] = einsum.CountLeaf
	return q, nil
}

// count is the row count of an atom.
func (n *normalizer) count(b *Body, atom int) einsum.Expr {
	if atom >= len(b.Operands) {
		return b.Masks[atom-len(b.Operands)].Compare
	}
	op := b.Operands[atom]
	return &einsum.Access{Tensor: op.Tensor, Leaf: n.counts[op.Tensor], Args: op.Args}
}

// read returns an access to the aggregate as a leaf of the extracted query.
func (n *normalizer) read(q *einsum.Query, a *einsum.Agg) einsum.Expr {
	leaf := ""
	for _, l := range q.Leaves {
		if einsum.ExprString(l.Expr) == einsum.ExprString(a) {
			leaf = l.Name
		}
	}
	if leaf == "" {
		leaf = fmt.Sprintf("a%d", len(q.Leaves))
		q.Leaves = append(q.Leaves, einsum.Leaf{Name: leaf, Expr: a})
	}
	args := make([]einsum.Arg, len(q.Idxs))
	for i, x := range q.Idxs {
		args[i] = einsum.Arg{Index: x}
	}
	return &einsum.Access{Tensor: q.Name, Leaf: leaf, Args: args}
}

// newName returns a name that neither the program nor an extracted query has.
func (n *normalizer) newName() string {
	for i := 1; ; i++ {
		name := fmt.Sprintf("S%d", i)
		taken := slices.ContainsFunc(n.extracted, func(q *einsum.Query) bool { return q.Name == name })
		if !taken && !n.names[name] {
			return name
		}
	}
}
