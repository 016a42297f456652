package logical

import (
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// unnest puts the definition of query s in place of every access to it, so that
// elimination sees one block: out = sum_ab D_ab * D_ab with D_ab = sum_k E_ak
// E_kb becomes sum_abkl E_ak E_kb E_al E_lb (FL inlines likewise before it
// normalises). It is right for any query, since an aggregate is present and has
// values exactly where the query's leaf does; worth it only where the
// definition merges with what reads it, which the normal form decides, and the
// cost (rewrite.go). The query itself goes unless it is needed by name.
//
// nil when no later query has a leaf that the definition could merge with.
func (w *rewriter) unnest(qs []*einsum.Query, s int) []*einsum.Query {
	def := qs[s]
	var out []*einsum.Query
	merges := false
	for i, q := range qs {
		switch {
		case i == s:
			if w.isNeeded(qs, s) {
				out = append(out, q)
			}
		case i > s && readsTensor(q, def.Name):
			inlined := inline(q, def)
			if inlined == nil {
				return nil
			}
			merges = merges || mergesWith(q, def)
			out = append(out, inlined)
		default:
			out = append(out, q)
		}
	}
	if !merges {
		return nil
	}
	return out
}

// mergesWith reports whether all that q reads of s merges: factors of a product
// inside an aggregate of the same operator, or pointwise beside something else.
// sum(a) max(k) stays nested, and so does guard(1, sum(k)); when one leaf needs
// the nested query as it is, the others may read it.
func mergesWith(q, s *einsum.Query) bool {
	merges := false
	for _, l := range q.Leaves {
		agg, arg := aggOf(l.Expr)
		reads, factors := 0, 0
		for _, x := range einsum.Accesses(arg) {
			if x.Tensor == s.Name {
				reads++
			}
		}
		if reads == 0 {
			continue
		}
		r, ok := ringOf(agg)
		if !ok {
			return false
		}
		for _, a := range r.read(arg) {
			for _, p := range a.parts {
				x, ok := p.(*einsum.Access)
				if ok && x.Tensor == s.Name && (agg != nil || len(a.parts)+len(a.sums) > 1) && sameAggregate(agg, s, x.Leaf) {
					factors++
				}
			}
		}
		if factors < reads {
			return false
		}
		merges = true
	}
	return merges
}

// sameAggregate reports whether a leaf of s is pointwise or reduces with the
// operator of agg; with any when that is nil. A number of rows is as good as
// whether there are any, where nothing else is asked.
func sameAggregate(agg *einsum.Agg, s *einsum.Query, leaf string) bool {
	for _, l := range s.Leaves {
		if def, _ := aggOf(l.Expr); l.Name == leaf && agg != nil && def != nil {
			return def.Op == agg.Op || agg.Op == semiring.Or && existence(l) != nil
		}
	}
	return true
}

// existence is whether a leaf that counts rows is not 0, for a leaf that sums
// products of row counts; nil for others. No row count is negative, so that
// sum_k a(i,k) * b(k) is 0 only where or_k and(a(i,k), b(k)) is. With a - b in
// place of the product it would not be.
func existence(l einsum.Leaf) einsum.Expr {
	agg, arg := aggOf(l.Expr)
	if agg == nil || agg.Op != semiring.Add || l.Name != einsum.CountLeaf {
		return nil
	}
	factors := []einsum.Expr{arg}
	if m, ok := arg.(*einsum.Map); ok && m.Op == semiring.Mul {
		factors = m.Args
	}
	for _, f := range factors {
		if x, ok := f.(*einsum.Access); !ok || x.Leaf != einsum.CountLeaf {
			return nil
		}
	}
	return &einsum.Agg{Op: semiring.Or, Idxs: agg.Idxs, Arg: product(semiring.And, factors)}
}

func readsTensor(q *einsum.Query, name string) bool {
	for _, l := range q.Leaves {
		if slices.ContainsFunc(einsum.Accesses(l.Expr), func(a *einsum.Access) bool { return a.Tensor == name }) {
			return true
		}
	}
	return false
}

// inline replaces the accesses to s in q. The bound indices of the k-th access
// with the same arguments in a product have the same names in all addends and
// leaves, so that what they reduce together is one aggregate. nil when s
// compares an index that an access binds to a constant, or an expression would
// grow beyond inlinedNodes.
func inline(q, s *einsum.Query) *einsum.Query {
	if comparesConstant(q, s) || growsTooLarge(q, s) {
		return nil
	}
	x := &inliner{s: s, names: einsum.NewNames(), fresh: map[string]map[string]einsum.Index{}}
	for _, l := range q.Leaves {
		x.names.TakeIndices(l.Expr)
	}
	for _, free := range q.Idxs {
		x.names.Take(free.Name)
	}
	n := &normalizer{}
	out := &einsum.Query{Name: q.Name, Idxs: q.Idxs}
	for _, l := range q.Leaves {
		agg, arg := aggOf(l.Expr)
		expr := mergeSums(n.apply(normalRules, x.expr(arg, agg != nil && agg.Op == semiring.Or)))
		if agg != nil {
			expr = n.merge(&einsum.Agg{Op: agg.Op, Idxs: agg.Idxs, Arg: expr})
		}
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.Name, Expr: unique(expr, q.Idxs)})
	}
	return out
}

// inlinedNodes is how many nodes an expression may have by inlining: in a chain of queries,
// each a product of two reads of the one before, they double with each of them.
const inlinedNodes = 2000

func growsTooLarge(q, s *einsum.Query) bool {
	size := map[string]int{}
	for _, l := range s.Leaves {
		size[l.Name] = nodesOf(l.Expr)
	}
	for _, l := range q.Leaves {
		grown := nodesOf(l.Expr)
		for _, a := range einsum.Accesses(l.Expr) {
			if a.Tensor == s.Name {
				grown += size[a.Leaf]
			}
		}
		if grown > inlinedNodes {
			return true
		}
	}
	return false
}

func nodesOf(e einsum.Expr) (n int) {
	einsum.Walk(e, func(einsum.Expr) bool {
		n++
		return true
	})
	return n
}

// comparesConstant: an index of s that is compared has no constant in its place.
func comparesConstant(q, s *einsum.Query) bool {
	compares, constants := false, false
	for _, l := range s.Leaves {
		einsum.Walk(l.Expr, func(e einsum.Expr) bool {
			_, ok := e.(*einsum.Compare)
			compares = compares || ok
			return true
		})
	}
	for _, l := range q.Leaves {
		for _, a := range einsum.Accesses(l.Expr) {
			op := Operand{Args: a.Args}
			constants = constants || a.Tensor == s.Name && op.hasConstants()
		}
	}
	return compares && constants
}

type inliner struct {
	s     *einsum.Query
	names *einsum.Names
	fresh map[string]map[string]einsum.Index // bound indices of s, by access
	count map[string]int                     // accesses in the product at hand
}

// expr inlines in each addend of a sum apart. truth says that of e only matters
// whether it is 0.
func (x *inliner) expr(e einsum.Expr, truth bool) einsum.Expr {
	m, ok := e.(*einsum.Map)
	if ok && !m.Op.Info().Conjunctive && m.Op != semiring.If0 {
		args := make([]einsum.Expr, len(m.Args))
		for i, a := range m.Args {
			args[i] = x.expr(a, truth && m.Op == semiring.Or)
		}
		return &einsum.Map{Op: m.Op, Args: args}
	}
	x.count = map[string]int{}
	if !ok || m.Op != semiring.And {
		return x.factor(e, truth)
	}
	args := make([]einsum.Expr, len(m.Args))
	for i, a := range m.Args {
		args[i] = x.factor(a, true)
	}
	return &einsum.Map{Op: m.Op, Args: args}
}

// factor inlines in an expression that is no sum.
func (x *inliner) factor(e einsum.Expr, truth bool) einsum.Expr {
	if a, ok := e.(*einsum.Access); ok && a.Tensor == x.s.Name {
		return x.definition(a, truth)
	}
	return einsum.Rewrite(e, func(e einsum.Expr) einsum.Expr {
		if a, ok := e.(*einsum.Access); ok && a.Tensor == x.s.Name {
			return x.definition(a, false)
		}
		return e
	})
}

// definition is the leaf that an access reads, at the access's arguments; where
// only its truth matters, a row count is whether there are rows.
func (x *inliner) definition(a *einsum.Access, truth bool) einsum.Expr {
	key := operandKey(a)
	key += "\x00" + strconv.Itoa(x.count[key])
	x.count[operandKey(a)]++
	to := x.fresh[key]
	if to == nil {
		to = map[string]einsum.Index{}
		x.fresh[key] = to
	}
	k := slices.IndexFunc(x.s.Leaves, func(l einsum.Leaf) bool { return l.Name == a.Leaf })
	def := x.s.Leaves[k].Expr
	if truth {
		if e := existence(x.s.Leaves[k]); e != nil {
			def = e
		}
	}
	return substitute(def, func(y einsum.Index) einsum.Arg {
		if m := slices.Index(x.s.Idxs, y); m >= 0 {
			return a.Args[m]
		}
		if _, ok := to[y.Name]; !ok {
			to[y.Name] = einsum.Index{Name: x.names.Fresh(y.Name), Domain: y.Domain}
		}
		return einsum.Ix(to[y.Name])
	})
}

// substitute replaces every index of e, also by constants where it is free.
func substitute(e einsum.Expr, arg func(einsum.Index) einsum.Arg) einsum.Expr {
	return einsum.Rewrite(e, func(e einsum.Expr) einsum.Expr {
		switch n := e.(type) {
		case *einsum.Access:
			args := make([]einsum.Arg, len(n.Args))
			for i, a := range n.Args {
				args[i] = a
				if a.Const == nil {
					args[i] = arg(a.Index)
				}
			}
			return &einsum.Access{Tensor: n.Tensor, Leaf: n.Leaf, Args: args}
		case *einsum.Compare:
			return &einsum.Compare{Op: n.Op, L: arg(n.L).Index, R: arg(n.R).Index}
		case *einsum.Agg:
			idxs := make([]einsum.Index, len(n.Idxs))
			for i, y := range n.Idxs {
				idxs[i] = arg(y).Index
			}
			return &einsum.Agg{Op: n.Op, Idxs: idxs, Arg: n.Arg}
		}
		return e
	})
}

// mergeSums is the inverse of split where split has nothing to part: sum_k a +
// sum_k b = sum_k (a + b) when a and b are present at the same cells.
func mergeSums(e einsum.Expr) einsum.Expr {
	m, ok := e.(*einsum.Map)
	if !ok || m.Op != semiring.Add && m.Op != semiring.Sub {
		return e
	}
	first, ok := m.Args[0].(*einsum.Agg)
	if !ok || first.Op != semiring.Add {
		return e
	}
	args := []einsum.Expr{first.Arg}
	for _, a := range m.Args[1:] {
		next, ok := a.(*einsum.Agg)
		if !ok || next.Op != semiring.Add || !slices.Equal(next.Idxs, first.Idxs) || !sameAtoms(first.Arg, next.Arg) {
			return e
		}
		args = append(args, next.Arg)
	}
	return &einsum.Agg{Op: semiring.Add, Idxs: first.Idxs, Arg: &einsum.Map{Op: m.Op, Args: args}}
}

// sameAtoms reports whether two products of accesses have the same operands.
func sameAtoms(a, b einsum.Expr) bool {
	keys := func(e einsum.Expr) []string {
		var out []string
		for _, x := range einsum.Accesses(e) {
			out = append(out, operandKey(x))
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	return slices.Equal(keys(a), keys(b))
}

// unique gives bound indices that occur in several aggregates of a leaf names
// of their own (E4).
func unique(e einsum.Expr, free []einsum.Index) einsum.Expr {
	seen := map[string]bool{}
	repeated := false
	for _, x := range einsum.Bound(e) {
		repeated = repeated || seen[x.Name]
		seen[x.Name] = true
	}
	if !repeated {
		return e
	}
	names := einsum.NewNames()
	for _, x := range free {
		names.Take(x.Name)
	}
	return einsum.Freshen(e, names)
}
