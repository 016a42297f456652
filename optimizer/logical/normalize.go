package logical

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Normalize brings every query into the shape of one step: either all leaves
// are pointwise, or all are one aggregate over the same indices and are present
// at the same cells. First the rules of the normal form (rules.go) run to their
// fixpoint, by which aggregates merge and move outwards where the algebra
// allows; what remains nested then becomes a query of its own. At last indices that
// keys make equal become one (equate.go). A normal program is its own normal form.
func Normalize(p *einsum.Program) (*einsum.Program, error) { return normalized(p, nil) }

// normalized is Normalize for a program some of whose queries are known to be
// normal: they stay as they are.
func normalized(p *einsum.Program, known map[*einsum.Query]bool) (*einsum.Program, error) {
	n := newNormalizer(p)
	out := &einsum.Program{Inputs: p.Inputs}
	for _, q := range p.Queries {
		if known[q] {
			out.Queries = append(out.Queries, q)
			continue
		}
		flat, err := n.query(q)
		if err != nil {
			return nil, err
		}
		for _, x := range n.extracted {
			n.names[x.Name] = true
			out.Queries = append(out.Queries, n.equate(x))
		}
		out.Queries = append(out.Queries, n.equate(flat))
		n.extracted = nil
	}
	return out, nil
}

func newNormalizer(p *einsum.Program) *normalizer {
	n := &normalizer{names: map[string]bool{}, counts: map[string]string{}, inputs: map[string]*einsum.Input{}}
	for _, in := range p.Inputs {
		n.names[in.Name] = true
		n.inputs[in.Name] = in
		n.counts[in.Name] = in.Leaves[0].Name
	}
	for _, q := range p.Queries {
		n.names[q.Name] = true
		n.counts[q.Name] = q.Leaves[0].Name
	}
	return n
}

type normalizer struct {
	names     map[string]bool
	counts    map[string]string // count leaf by tensor
	inputs    map[string]*einsum.Input
	extracted []*einsum.Query // of the query at hand
}

func (n *normalizer) query(q *einsum.Query) (*einsum.Query, error) {
	// Lifting may part leaves that agree as they are: of count and maximum of a
	// nested sum only the count's aggregates merge. Then nothing is lifted.
	lifted, extracted, err := n.flattenLeaves(q, normalRules)
	if err != nil {
		return nil, err
	}
	b, err := NewBody(lifted)
	if err != nil {
		return nil, err
	}
	if !aligned(b, lifted) {
		asIs, others, err := n.flattenLeaves(q, simplify)
		if err != nil {
			return nil, err
		}
		if body, err := NewBody(asIs); err == nil && aligned(body, asIs) {
			n.extracted = others
			return n.settle(asIs), nil
		}
	}
	n.extracted = extracted
	if !aligned(b, lifted) {
		if lifted, err = n.part(lifted, b); err != nil {
			return nil, err
		}
	}
	return n.settle(lifted), nil
}

// settle makes of leaf n of extracted queries the question whether there are rows,
// where q and the others ask nothing else of them: it is then one leaf with what they
// read, and merges with queries that do not count their rows either.
func (n *normalizer) settle(q *einsum.Query) *einsum.Query {
	for _, g := range n.extracted {
		readers := append(slices.Clone(n.extracted), q)
		if slices.ContainsFunc(readers, func(r *einsum.Query) bool { return readsLeaf(r, g.Name, einsum.CountLeaf) }) {
			continue
		}
		exists := existence(g.Leaves[0])
		k := slices.IndexFunc(g.Leaves, func(l einsum.Leaf) bool { return exists != nil && sameExistence(l.Expr, exists) })
		if k < 0 {
			continue
		}
		from := g.Leaves[k]
		g.Leaves[0].Expr = from.Expr
		g.Leaves = slices.Delete(g.Leaves, k, k+1)
		for _, r := range n.extracted {
			r.Leaves = readingCount(r.Leaves, g.Name, from.Name)
		}
		q = &einsum.Query{Name: q.Name, Idxs: q.Idxs, Leaves: readingCount(q.Leaves, g.Name, from.Name)}
	}
	return q
}

// sameExistence reports whether two expressions are one or-aggregate of the same
// factors, in any order.
func sameExistence(a, b einsum.Expr) bool {
	x, ok := a.(*einsum.Agg)
	y, isAgg := b.(*einsum.Agg)
	if !ok || !isAgg || x.Op != y.Op || indexKey(x.Idxs) != indexKey(y.Idxs) {
		return false
	}
	factors := func(e einsum.Expr) []string {
		if m, ok := e.(*einsum.Map); ok && m.Op == semiring.And {
			return sortedStrings(m.Args)
		}
		return sortedStrings([]einsum.Expr{e})
	}
	return slices.Equal(factors(x.Arg), factors(y.Arg))
}

// readsLeaf reports whether a query reads that leaf of a tensor.
func readsLeaf(q *einsum.Query, tensor, leaf string) bool {
	for _, l := range q.Leaves {
		if slices.ContainsFunc(einsum.Accesses(l.Expr), func(a *einsum.Access) bool { return a.Tensor == tensor && a.Leaf == leaf }) {
			return true
		}
	}
	return false
}

// readingCount are leaves that read leaf n of a tensor in place of another one.
func readingCount(leaves []einsum.Leaf, tensor, leaf string) []einsum.Leaf {
	out := slices.Clone(leaves)
	for i := range out {
		out[i].Expr = einsum.Rewrite(out[i].Expr, func(e einsum.Expr) einsum.Expr {
			if a, ok := e.(*einsum.Access); ok && a.Tensor == tensor && a.Leaf == leaf {
				return &einsum.Access{Tensor: tensor, Leaf: einsum.CountLeaf, Args: a.Args}
			}
			return e
		})
	}
	return out
}

// flattenLeaves returns the query without nested aggregates and the queries
// that compute those.
func (n *normalizer) flattenLeaves(q *einsum.Query, rules []rule) (
	flat *einsum.Query, extracted []*einsum.Query, err error,
) {
	n.extracted = nil
	flat = &einsum.Query{Name: q.Name, Idxs: q.Idxs}
	for _, l := range q.Leaves {
		expr, err := n.flatten(n.apply(rules, l.Expr))
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
	sets, exact := b.ExactPresence(a.Arg)
	slices.Sort(sets)
	if !exact { // equal sets prove nothing
		return fmt.Sprint(reduced, einsum.ExprString(a.Arg))
	}
	return fmt.Sprint(reduced, sets)
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
// cells; one that counts the same is used again, unless the aggregate reads a query
// that comes after it.
func (n *normalizer) extract(idxs []einsum.Index, a *einsum.Agg, b *Body) (*einsum.Query, error) {
	q := &einsum.Query{Idxs: idxs, Leaves: []einsum.Leaf{{Name: einsum.CountLeaf, Expr: a}}}
	if b == nil {
		var err error
		if b, err = NewBody(q); err != nil {
			return nil, err
		}
	}
	if !b.restricts(b.Presence(a.Arg), idxs) {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "an aggregate over every value of a domain")
	}
	count := n.countOf(b, a.Arg)
	q.Leaves[0].Expr = &einsum.Agg{Op: semiring.Add, Idxs: a.Idxs, Arg: count}
	key := countKey(q)
	for i, other := range n.extracted {
		if countKey(other) == key && !readsAny(a, n.extracted[i+1:]) {
			return other, nil
		}
	}
	q.Name = n.newName()
	n.extracted = append(n.extracted, q)
	n.counts[q.Name] = einsum.CountLeaf
	return q, nil
}

// readsAny reports whether an expression reads one of the queries.
func readsAny(e einsum.Expr, qs []*einsum.Query) bool {
	return slices.ContainsFunc(einsum.Accesses(e), func(a *einsum.Access) bool {
		return slices.ContainsFunc(qs, func(q *einsum.Query) bool { return q.Name == a.Tensor })
	})
}

// restricts reports whether every alternative has an operand, and all indices
// of idxs in operands: a nested aggregate may leave that to what stands beside it,
// a(i) * max(j) if0(b(i), 1) * c(j), a query may not (E5).
func (b *Body) restricts(alternatives []uint64, idxs []einsum.Index) bool {
	var wanted uint64
	for _, x := range idxs {
		wanted |= 1 << b.index(x)
	}
	for _, set := range alternatives {
		var has uint64
		operands := set & lowBits(len(b.Operands))
		for _, i := range members(operands) {
			has |= b.Operands[i].Set
		}
		if operands == 0 || wanted&^has != 0 {
			return false
		}
	}
	return true
}

// countOf returns the row count of an expression's cells: present where the
// expression is, and never 0 there. Of a sum it has the expression's own shape,
// so that what distributes in one distributes in the other.
func (n *normalizer) countOf(b *Body, e einsum.Expr) einsum.Expr {
	sets, exact := b.ExactPresence(e)
	if len(sets) > 1 || !exact {
		return n.countShape(e)
	}
	var args []einsum.Expr
	for _, i := range members(sets[0]) {
		args = append(args, n.count(b, i))
	}
	return product(semiring.Mul, args)
}

// countShape counts the cells of a part of an expression: products of what its
// operator needs, sums of alternatives.
func (n *normalizer) countShape(e einsum.Expr) einsum.Expr {
	switch e := e.(type) {
	case *einsum.Access:
		return &einsum.Access{Tensor: e.Tensor, Leaf: n.counts[e.Tensor], Args: e.Args}
	case *einsum.Compare:
		return e
	case *einsum.Literal:
		return einsum.Int(1)
	case *einsum.Agg:
		return &einsum.Agg{Op: semiring.Add, Idxs: e.Idxs, Arg: n.countShape(e.Arg)}
	case *einsum.Map:
		op := semiring.Add
		if e.Op.Needs(len(e.Args) - 1) {
			op = semiring.Mul
		}
		var args []einsum.Expr
		for i, a := range e.Args {
			if op == semiring.Mul && !e.Op.Needs(i) {
				continue
			}
			if c := n.countShape(a); !slices.ContainsFunc(args, func(x einsum.Expr) bool { return einsum.Equal(x, c) }) {
				args = append(args, c)
			}
		}
		return n.apply(simplify, product(op, args))
	default:
		panic(invariant.Failed("logical: unknown Expr %T", e))
	}
}

// countKey is equal for extracted queries that count the same cells under the
// same names of indices, in whatever order these and the factors stand.
func countKey(q *einsum.Query) string {
	agg, arg := aggOf(q.Leaves[0].Expr)
	r := ring{semiring.Add, semiring.Mul}
	var texts []string
	for _, a := range r.read(arg) {
		texts = append(texts, strings.Join(sortedStrings(a.parts), "*"))
	}
	slices.Sort(texts)
	return indexKey(q.Idxs) + "=" + indexKey(agg.Idxs) + strings.Join(texts, "+")
}

// indexKey is equal for the same indices in any order.
func indexKey(idxs []einsum.Index) string {
	names := make([]string, len(idxs))
	for i, x := range idxs {
		names[i] = strconv.Quote(x.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ",")
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
