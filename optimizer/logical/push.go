package logical

import (
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// pushFunction moves a function of one number past an aggregate that has at
// most one cell: f(sum_s L_is Y_sh) = sum_s L_is f(Y_sh) when i is a key of L
// and L counts (OPTIMIZER B-6). f is then evaluated once per row of Y's table and not
// once per row of L's.
//
// Conditions: the indices that the free ones determine, by the keys of operands
// that every cell of the aggregate needs, are those that move out (chains of
// foreign keys included); what stays beside f has the value 1, that is, patterns
// and comparisons. With a multiplicity f(2 y) is not 2 f(y), without a key
// f(y + z) is not f(y) + f(z). f(0) = 0 is not needed: where there is no match
// both sides are absent. f is also evaluated for rows of Y that no row of L
// refers to, hence a function that may fail needs an argument that is known to
// be in its domain.
//
// The function's values become a query of their own. In leaves that read the
// same query without f, its rows are read from there as well, so that all leaves
// stay one step. nil when it does not apply.
func (w *rewriter) pushFunction(qs []*einsum.Query, at int) []*einsum.Query {
	q := qs[at]
	for _, l := range q.Leaves {
		for _, call := range calls(l.Expr) {
			x := call.Args[0].(*einsum.Access)
			s := slices.IndexFunc(qs[:at], func(s *einsum.Query) bool { return s.Name == x.Tensor })
			if s < 0 {
				continue
			}
			if out := w.pushCall(qs, at, qs[s], call, x); out != nil {
				return out
			}
		}
	}
	return nil
}

// calls lists functions of one number over an access, outside of aggregates.
func calls(e einsum.Expr) []*einsum.Map {
	var out []*einsum.Map
	einsum.Walk(e, func(e einsum.Expr) bool {
		if m, ok := e.(*einsum.Map); ok && m.Op.IsFunction() {
			if _, ok := m.Args[0].(*einsum.Access); ok {
				out = append(out, m)
			}
		}
		return true
	})
	return out
}

// pushed is the state of one push: leaf by leaf the aggregate's product is parted
// into what stays outside, over indices that are determined, and what goes into
// the new query.
type pushed struct {
	v       *view // of the query that f reads
	inside  uint64
	out, in []einsum.Index // aggregated outside, aggregated inside
	query   *einsum.Query
	leafOf  map[string]string // leaves of query by what they compute
}

func (w *rewriter) pushCall(qs []*einsum.Query, at int, s *einsum.Query, call *einsum.Map, x *einsum.Access) []*einsum.Query {
	if op := (Operand{Args: x.Args}); op.hasConstants() {
		return nil
	}
	p, ok := w.partForPush(s, x.Leaf)
	if !ok {
		return nil
	}
	value := p.leaf(x.Leaf)
	arg := p.insideOf(value)
	if arg == nil || !w.inDomain(call.Op, arg) {
		return nil
	}
	p.query = &einsum.Query{Name: w.newName(qs), Idxs: p.insideIndices(arg)}
	if !p.v.body.restricts(p.v.body.Presence(arg), append(p.query.Idxs, p.in...)) {
		return nil
	}
	p.add(einsum.Reduce(semiring.Add, p.in, newNormalizer(w.program(qs)).countOf(p.v.body, arg)))
	f := p.add(&einsum.Map{Op: call.Op, Args: []einsum.Expr{einsum.Reduce(value.ring.sum, p.in, arg)}})
	target := &einsum.Query{Name: qs[at].Name, Idxs: qs[at].Idxs}
	for _, l := range qs[at].Leaves {
		expr := einsum.Rewrite(l.Expr, func(e einsum.Expr) einsum.Expr {
			if einsum.Equal(e, call) {
				return p.read(value, f, x)
			}
			return e
		})
		expr = einsum.Rewrite(expr, func(e einsum.Expr) einsum.Expr {
			if a, ok := e.(*einsum.Access); ok && a.Tensor == x.Tensor && slices.EqualFunc(a.Args, x.Args, einsum.Arg.Equal) {
				return p.instead(a)
			}
			return e
		})
		target.Leaves = append(target.Leaves, einsum.Leaf{Name: l.Name, Expr: unique(expr, target.Idxs)})
	}
	return slices.Concat(qs[:at], []*einsum.Query{p.query, target}, qs[at+1:])
}

// partForPush decides what goes where; ok is false when no index is determined
// or nothing of value 1 stays outside.
func (w *rewriter) partForPush(s *einsum.Query, leaf string) (*pushed, bool) {
	v, ok := newView(s)
	if !ok {
		return nil, false
	}
	p := &pushed{v: v, leafOf: map[string]string{}}
	l := p.leaf(leaf)
	if l == nil || l.agg == nil || len(l.sum) != 1 || len(l.sum[0].guards) > 0 {
		return nil, false
	}
	b := v.body
	reduced := b.All() &^ b.Free
	determined := w.determined(v, l) & reduced
	if determined == 0 {
		return nil, false
	}
	p.out, p.in = b.pick(determined), b.pick(reduced&^determined)
	var outside uint64
	for _, e := range l.sum[0].parts {
		if v.indicesOf(e)&^(b.Free|determined) == 0 && w.isOne(e) {
			outside |= b.atomsOf(e)
		}
	}
	p.inside = v.atoms(l.ring, &l.sum[0]) &^ outside
	return p, outside != 0 && p.inside != 0
}

// leaf is the view of the leaf with that name.
func (p *pushed) leaf(name string) *leafView {
	for i := range p.v.leaves {
		if p.v.leaves[i].name == name {
			return &p.v.leaves[i]
		}
	}
	return nil
}

// determined is the closure of the free indices under the keys of operands that
// are present at every cell of the leaf.
func (w *rewriter) determined(v *view, l *leafView) uint64 {
	required := ^uint64(0)
	for _, set := range v.body.Presence(l.ring.write(l.sum)) {
		required &= set
	}
	known := v.body.Free
	for before := uint64(0); before != known; {
		before = known
		for i, op := range v.body.Operands {
			if required&(1<<i) != 0 && w.hasKey(v.body, op, known) {
				known |= op.Set
			}
		}
	}
	return known
}

// hasKey reports a key of the operand all of whose modes are bound to constants
// or known indices.
func (w *rewriter) hasKey(b *Body, op Operand, known uint64) bool {
	in := w.input(op.Tensor)
	if in == nil {
		return false
	}
	return slices.ContainsFunc(in.Keys, func(key []int) bool {
		return !slices.ContainsFunc(key, func(m int) bool {
			a := op.Args[m]
			return a.Const == nil && known&(1<<b.index(a.Index)) == 0
		})
	})
}

// isOne reports an expression whose value is 1 wherever it is present.
func (w *rewriter) isOne(e einsum.Expr) bool {
	switch e := e.(type) {
	case *einsum.Compare:
		return true
	case *einsum.Access:
		in := w.input(e.Tensor)
		return in != nil && slices.ContainsFunc(in.Leaves, func(l einsum.LeafDecl) bool {
			return l.Name == e.Leaf && l.Elem == semiring.Pattern
		})
	}
	return false
}

// inDomain reports whether a function is known not to fail at its argument:
// sqrt of what is never negative. For ln that is not enough.
func (w *rewriter) inDomain(f semiring.Op, arg einsum.Expr) bool {
	switch f.Info().Domain {
	case semiring.Everywhere:
		return true
	case semiring.NotNegative:
		return einsum.NonNegative(arg, w.leafDecl)
	default:
		return false
	}
}

// insideOf is the part of a leaf's product that goes into the new query; nil
// when the leaf has another shape than one product of parts.
func (p *pushed) insideOf(l *leafView) einsum.Expr {
	_, in, ok := p.part(l)
	if !ok {
		return nil
	}
	return l.ring.product(&in)
}

// part parts the product of a leaf by atoms. Literals and sums go inside.
func (p *pushed) part(l *leafView) (out []einsum.Expr, in addend, ok bool) {
	if l.agg == nil || len(l.sum) != 1 || len(l.sum[0].guards) > 0 || p.v.atoms(l.ring, &l.sum[0])&p.inside != p.inside {
		return nil, in, false
	}
	in = l.sum[0].clone()
	in.parts = nil
	for _, e := range l.sum[0].parts {
		switch set := p.v.body.atomsOf(e); {
		case set&p.inside == 0:
			out = append(out, e)
		case set&^p.inside == 0:
			in.parts = append(in.parts, e)
		default:
			return nil, in, false
		}
	}
	for _, s := range in.sums {
		if p.v.sumAtoms(l.ring, s)&^p.inside != 0 {
			return nil, in, false
		}
	}
	sign := in.neg
	in.neg = false
	if sign {
		in.coefs = append(in.coefs, einsum.Int(-1))
	}
	return out, in, len(in.parts)+len(in.sums) > 0
}

// insideIndices are the indices of the new query in the body's order.
func (p *pushed) insideIndices(arg einsum.Expr) []einsum.Index {
	set := p.v.indicesOf(arg)
	for _, x := range p.in {
		set &^= 1 << p.v.body.index(x)
	}
	return p.v.body.pick(set)
}

// add returns the leaf of the new query that computes e.
func (p *pushed) add(e einsum.Expr) string {
	key := einsum.ExprString(e)
	if name, ok := p.leafOf[key]; ok {
		return name
	}
	name := einsum.CountLeaf
	if len(p.query.Leaves) > 0 {
		name = "f" + strconv.Itoa(len(p.query.Leaves))
	}
	p.query.Leaves = append(p.query.Leaves, einsum.Leaf{Name: name, Expr: e})
	p.leafOf[key] = name
	return name
}

// read is the aggregate over the determined indices of what stays outside times
// a leaf of the new query, at the arguments of an access to the old one.
func (p *pushed) read(l *leafView, leaf string, at *einsum.Access) einsum.Expr {
	out, _, _ := p.part(l)
	args := append(out, &einsum.Access{Tensor: p.query.Name, Leaf: leaf, Args: einsum.Ixs(p.query.Idxs...)})
	e := &einsum.Agg{Op: semiring.Add, Idxs: p.out, Arg: product(semiring.Mul, args)}
	to := map[string]einsum.Index{}
	for m, x := range p.v.q.Idxs {
		to[x.Name] = at.Args[m].Index
	}
	return einsum.Rename(e, to)
}

// instead reads another leaf of the old query, a sum, through the new one.
func (p *pushed) instead(a *einsum.Access) einsum.Expr {
	l := p.leaf(a.Leaf)
	if l == nil || l.agg == nil || l.ring.sum != semiring.Add {
		return a
	}
	_, in, ok := p.part(l)
	if !ok || !p.countsLike(l) {
		return a
	}
	return p.read(l, p.add(einsum.Reduce(semiring.Add, p.in, l.ring.product(&in))), a)
}

// countsLike reports whether a leaf's inner part has the indices of the new
// query.
func (p *pushed) countsLike(l *leafView) bool {
	return slices.Equal(p.insideIndices(p.insideOf(l)), p.query.Idxs)
}
