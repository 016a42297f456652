package logical

import (
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// view is a normalised query taken apart for rewriting: every leaf as a sum of
// products, all over one body, so that a rewrite finds in each leaf the parts
// that belong together by their atoms.
type view struct {
	q      *einsum.Query
	body   *Body
	leaves []leafView
	decl   func(*einsum.Access) einsum.LeafDecl
}

type leafView struct {
	name string
	agg  *einsum.Agg // nil when pointwise
	ring ring
	sum  []addend
}

// newView takes a query apart; ok is false for one that no rewrite understands:
// aggregates without a ring, nested ones, too many atoms.
func newView(q *einsum.Query) (v *view, ok bool) {
	b, err := NewBody(q)
	if err != nil {
		return nil, false
	}
	v = &view{q: q, body: b}
	for _, l := range q.Leaves {
		agg, arg := aggOf(l.Expr)
		r, ok := ringOf(agg)
		if !ok || hasAgg(arg) {
			return nil, false
		}
		v.leaves = append(v.leaves, leafView{name: l.Name, agg: agg, ring: r, sum: r.read(arg)})
	}
	return v, true
}

func hasAgg(e einsum.Expr) bool { return len(einsum.Bound(e)) > 0 }

// expr is the leaf as an expression.
func (l *leafView) expr() einsum.Expr {
	e := l.ring.write(l.sum)
	if l.agg != nil {
		e = &einsum.Agg{Op: l.agg.Op, Idxs: l.agg.Idxs, Arg: e}
	}
	return e
}

// mapSums returns the query with every leaf's sum changed by f; nil when a leaf
// grows too large or no leaf changes.
func (v *view) mapSums(f func(l *leafView) []addend) *einsum.Query {
	out := &einsum.Query{Name: v.q.Name, Idxs: v.q.Idxs}
	changed := false
	for i := range v.leaves {
		l := v.leaves[i]
		before := v.q.Leaves[i].Expr
		if l.sum = f(&l); l.sum == nil {
			return nil
		}
		e := l.expr()
		if einsum.Equal(e, before) {
			e = before
		}
		changed = changed || e != before
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.name, Expr: e})
	}
	if !changed {
		return nil
	}
	return out
}

// atoms is the set of atoms in an addend.
func (v *view) atoms(r ring, a *addend) uint64 { return v.body.atomsOf(r.product(a)) }

func (v *view) sumAtoms(r ring, sum []addend) (set uint64) {
	for i := range sum {
		set |= v.atoms(r, &sum[i])
	}
	return set
}

// cells is equal for addends that are present at the same cells.
func (v *view) cells(r ring, a *addend) string {
	sets, exact := v.body.ExactPresence(r.product(a))
	slices.Sort(sets)
	if !exact { // equal sets prove nothing
		return einsum.ExprString(r.product(a))
	}
	return fmt.Sprint(sets)
}

// split parts an aggregate of a sum by what its addends need: sum_i (a + b) =
// sum_i a + sum_i b, where a and b are present at different cells (OPTIMIZER B,
// Annotated tree, rule 2). Addends over the same cells stay one aggregate, since
// they are one kernel. The aggregated index of each part is an index of its own
// (the virtual indices of Galley), so that each is eliminated at its own place.
//
// It holds for every aggregate over itself as a map, absent counting as its
// identity. max_i max(a, b) needs no repeat factor, and neither does sum_i (a +
// b) where b lacks i: that is written one(i) * b (E5), and summing one is the
// guarded count. Not of other operators: sum_i max(a, b) stays. Nor of guarded
// values of different element types: where all cells of the integers are masked,
// their aggregate is the identity of integers, which is no identity of floats.
//
// Normalising makes each part a query with the row count of its cells. A leaf
// that lacks a part is present there nevertheless, by another part (E1).
func (v *view) split() *einsum.Query {
	parts := v.parts()
	if len(parts) < 2 {
		return nil
	}
	names := v.names()
	rename := make([]map[einsum.Index]einsum.Index, len(parts))
	out := &einsum.Query{Name: v.q.Name, Idxs: v.q.Idxs}
	for i := range v.leaves {
		l := &v.leaves[i]
		if l.agg == nil || !v.oneIdentity(l) {
			return nil
		}
		groups := make([][]addend, len(parts))
		for k := range l.sum {
			p := slices.Index(parts, v.cells(l.ring, &l.sum[k]))
			groups[p] = append(groups[p], l.sum[k])
		}
		var sum []addend
		for p, g := range groups {
			if len(g) == 0 {
				continue
			}
			if rename[p] == nil {
				rename[p] = freshIndices(v.body.pick(v.body.All()&^v.body.Free), names, p > 0)
			}
			sum = append(sum, aggregated(l, l.agg.Idxs, g, rename[p]))
		}
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.name, Expr: l.ring.write(sum)})
	}
	return out
}

// oneIdentity reports whether the addends of a leaf may be aggregated apart:
// under guards, when all have one element type.
func (v *view) oneIdentity(l *leafView) bool {
	if l.ring.sum != semiring.Min && l.ring.sum != semiring.Max || !hasGuard(l.agg.Arg) {
		return true
	}
	elem := func(a *addend) semiring.Elem {
		return max(semiring.I64, einsum.ElemOf(l.ring.product(a), func(x *einsum.Access) semiring.Elem { return v.decl(x).Elem }))
	}
	for i := range l.sum {
		if elem(&l.sum[i]) != elem(&l.sum[0]) {
			return false
		}
	}
	return true
}

// parts lists the distinct cells of the leaves' addends in order of appearance.
func (v *view) parts() []string {
	var out []string
	for i := range v.leaves {
		l := &v.leaves[i]
		for k := range l.sum {
			if c := v.cells(l.ring, &l.sum[k]); !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// names has the names of the query's indices taken.
func (v *view) names() *einsum.Names {
	names := einsum.NewNames()
	for _, x := range v.body.Indices {
		names.Take(x.Name)
	}
	return names
}

// freshIndices maps indices to new ones, or to themselves.
func freshIndices(idxs []einsum.Index, names *einsum.Names, fresh bool) map[einsum.Index]einsum.Index {
	to := map[einsum.Index]einsum.Index{}
	for _, x := range idxs {
		to[x] = x
		if fresh {
			to[x] = einsum.Index{Name: names.Fresh(x.Name), Domain: x.Domain}
		}
	}
	return to
}

// aggregated is the aggregate of a sum over some indices, renamed, as an addend.
// A sum that is subtracted as a whole keeps its sign outside.
func aggregated(l *leafView, idxs []einsum.Index, sum []addend, to map[einsum.Index]einsum.Index) addend {
	negative := l.ring.sum == semiring.Add
	for i := range sum {
		negative = negative && sum[i].neg
	}
	if negative {
		sum = negateAll(sum)
	}
	agg := &einsum.Agg{Op: l.ring.sum, Idxs: idxs, Arg: l.ring.write(sum)}
	e := einsum.MapIndices(agg, func(x einsum.Index) einsum.Index {
		if y, ok := to[x]; ok {
			return y
		}
		return x
	})
	return addend{neg: negative, parts: []einsum.Expr{e}}
}

// distributions lists the queries that one step of distribution makes of v, in
// a fixed order (OPTIMIZER B, Distributivity, with improvement B-2):
//
//   - a part pushed into a sum that stands in the same product, and only there:
//     L * t * (S + P) = L * (S*t + P*t);
//   - a product multiplied out by one of its sums: L * (S + P) = L*S + L*P;
//   - one addend of a leaf multiplied out down to its parts, the others left as
//     they are, and all of them.
//
// Which sum, part or addend is told by its atoms, so that all leaves change
// alike. Every step keeps values and presence of each leaf, so that it may be
// found in some leaves only.
func (v *view) distributions() []*einsum.Query {
	var out []*einsum.Query
	add := func(f func(l *leafView) []addend) {
		if q := v.mapSums(f); q != nil {
			out = append(out, q)
		}
	}
	sums, pushes, products := v.places()
	for _, p := range pushes {
		add(func(l *leafView) []addend { return v.pushInto(l.ring, l.sum, p) })
	}
	for _, s := range sums {
		add(func(l *leafView) []addend { return v.multiplyOut(l.ring, l.sum, s) })
	}
	for _, p := range products {
		add(func(l *leafView) []addend {
			return v.expandWhere(l, func(a *addend) bool { return v.atoms(l.ring, a) == p })
		})
	}
	if len(products) > 1 {
		add(func(l *leafView) []addend { return v.expandWhere(l, func(*addend) bool { return true }) })
	}
	return out
}

// push names a part and a sum of one product by their atoms.
type push struct{ part, sum uint64 }

// places lists what distribution can act on: sums inside products, parts beside
// sums, and addends of leaves that contain sums.
func (v *view) places() (sums []uint64, pushes []push, products []uint64) {
	var visit func(r ring, sum []addend)
	visit = func(r ring, sum []addend) {
		for i := range sum {
			a := &sum[i]
			for _, s := range a.sums {
				set := v.sumAtoms(r, s)
				if len(a.sums)+len(a.parts)+len(a.coefs) > 1 {
					sums = appendNew(sums, set)
				}
				for _, p := range a.parts {
					pushes = appendNew(pushes, push{v.body.atomsOf(p), set})
				}
				visit(r, s)
			}
		}
	}
	for i := range v.leaves {
		l := &v.leaves[i]
		visit(l.ring, l.sum)
		for k := range l.sum {
			if len(l.sum[k].sums) > 0 {
				products = appendNew(products, v.atoms(l.ring, &l.sum[k]))
			}
		}
	}
	return sums, pushes, products
}

func appendNew[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// pushInto moves one part into the sum beside it, wherever the two meet.
func (v *view) pushInto(r ring, sum []addend, p push) []addend {
	out := make([]addend, len(sum))
	for i := range sum {
		a := sum[i].clone()
		for k, s := range a.sums {
			a.sums[k] = v.pushInto(r, s, p)
		}
		k := slices.IndexFunc(a.sums, func(s []addend) bool { return v.sumAtoms(r, s) == p.sum })
		at := slices.IndexFunc(a.parts, func(e einsum.Expr) bool { return v.body.atomsOf(e) == p.part })
		if k >= 0 && at >= 0 {
			part := a.parts[at]
			a.parts = slices.Delete(a.parts, at, at+1)
			inner := make([]addend, len(a.sums[k]))
			for j := range inner {
				inner[j] = a.sums[k][j].clone()
				inner[j].parts = append(inner[j].parts, part)
			}
			a.sums[k] = inner
		}
		out[i] = a
	}
	return out
}

// multiplyOut multiplies every product by its sums over the given atoms.
func (v *view) multiplyOut(r ring, sum []addend, atoms uint64) []addend {
	var out []addend
	for i := range sum {
		a := sum[i].clone()
		for k, s := range a.sums {
			if a.sums[k] = v.multiplyOut(r, s, atoms); a.sums[k] == nil {
				return nil
			}
		}
		k := slices.IndexFunc(a.sums, func(s []addend) bool { return v.sumAtoms(r, s) == atoms })
		if k < 0 {
			out = append(out, a)
			continue
		}
		part := v.multiplyOut(r, a.over(k), atoms)
		if part == nil || len(out)+len(part) > maxMonomials {
			return nil
		}
		out = append(out, part...)
	}
	return r.likeTerms(out)
}

// expandWhere multiplies the chosen addends of a leaf out, down to their parts.
func (v *view) expandWhere(l *leafView, chosen func(*addend) bool) []addend {
	var out []addend
	for i := range l.sum {
		part := l.sum[i : i+1]
		if chosen(&l.sum[i]) {
			part = l.ring.expandAll(part)
		}
		if part == nil || len(out)+len(part) > maxMonomials {
			return nil
		}
		out = append(out, part...)
	}
	return l.ring.likeTerms(out)
}
