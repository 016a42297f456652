package interp

import (
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

type skeletonKind uint8

const (
	accessSkeleton skeletonKind = iota
	productSkeleton
	unionSkeleton
	aggSkeleton
	optionalSkeleton // the first child where it is present, else the second or a number
)

// skeleton is a body whose presence is settled and whose leaves and operators
// are not: every rendering of it is present at the same assignments.
type skeleton struct {
	kind     skeletonKind
	indices  []einsum.Index // free ones; all are restricted
	children []*skeleton
	masks    []*einsum.Compare // of a product
	over     []einsum.Index    // of an aggregate
	source   source            // of an access
	args     []einsum.Arg
}

func (g *generator) index(domain int) einsum.Index {
	x := einsum.Index{Name: fmt.Sprintf("i%d", g.names), Domain: domain}
	g.names++
	return x
}

// body makes a product of accesses connected by shared indices, some factors
// nested aggregates or unions.
func (g *generator) body() *skeleton {
	p := &skeleton{kind: productSkeleton}
	for n := 0; n == 0 || n < g.opt.Factors && !g.chance(3); n++ {
		var f *skeleton
		switch {
		case g.opt.Wide && g.chance(3):
			f = g.wideFactor(p)
		case n > 0 && !g.opt.NoNesting && g.chance(5):
			f = g.nested(p.indices)
		case !g.opt.NoUnions && g.chance(6):
			f = g.union(p.indices)
		default:
			f = g.access(g.sources[g.pick(len(g.sources))], p.indices)
		}
		p.children = append(p.children, f)
		p.indices = union(p.indices, f.indices)
	}
	for !g.opt.NoMasks && g.chance(3) {
		if m := g.mask(p.indices); m != nil {
			p.masks = append(p.masks, m)
		}
	}
	return p
}

func union(a, b []einsum.Index) []einsum.Index {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// access reads a source at indices in scope, new ones and constants.
func (g *generator) access(s source, scope []einsum.Index) *skeleton {
	k := &skeleton{kind: accessSkeleton, source: s}
	for _, d := range s.domains {
		var same []einsum.Index
		for _, x := range scope {
			if x.Domain == d {
				same = append(same, x)
			}
		}
		if !g.opt.NoConstants && g.chance(12) {
			k.args = append(k.args, g.constant(d))
			continue
		}
		var x einsum.Index
		if full := g.opt.Indices > 0 && g.names >= g.opt.Indices; len(same) > 0 && (full || !g.chance(3)) {
			x = same[g.pick(len(same))]
		} else {
			x = g.index(d)
		}
		k.args = append(k.args, einsum.Ix(x))
		k.indices = union(k.indices, []einsum.Index{x})
	}
	return k
}

func (g *generator) constant(domain int) einsum.Arg {
	v := g.domains[domain][g.pick(len(g.domains[domain]))]
	switch {
	case v.IsNull():
		return einsum.Null()
	case v.kind == kindString:
		return einsum.Text(v.Text())
	default:
		return einsum.Number(v.Text())
	}
}

// nested makes an aggregate over the private indices of a small product.
func (g *generator) nested(scope []einsum.Index) *skeleton {
	p := &skeleton{kind: productSkeleton}
	for range 1 + g.pick(2) {
		a := g.access(g.sources[g.pick(len(g.sources))], union(scope, p.indices))
		p.children = append(p.children, a)
		p.indices = union(p.indices, a.indices)
	}
	a := &skeleton{kind: aggSkeleton, children: []*skeleton{p}}
	for _, x := range p.indices {
		if slices.Contains(scope, x) {
			a.indices = append(a.indices, x)
		} else {
			a.over = append(a.over, x)
		}
	}
	return a
}

// union makes a disjunction of two accesses at the same indices; without a
// source of the same shape it is the access alone.
func (g *generator) union(scope []einsum.Index) *skeleton {
	first := g.access(g.sources[g.pick(len(g.sources))], scope)
	for _, s := range g.sources {
		if s.name != first.source.name && slices.Equal(s.domains, first.source.domains) {
			second := *first
			second.source = s
			return &skeleton{kind: unionSkeleton, indices: first.indices, children: []*skeleton{first, &second}}
		}
	}
	return first
}

func (g *generator) mask(scope []einsum.Index) *einsum.Compare {
	if len(scope) < 2 {
		return nil
	}
	l, r := scope[g.pick(len(scope))], scope[g.pick(len(scope))]
	if l == r || l.Domain != r.Domain {
		return nil
	}
	return &einsum.Compare{Op: semiring.Eq + semiring.Op(g.pick(6)), L: l, R: r}
}

// leaves renders the body: the row count, or whether there are rows, then some
// of each kind.
func (g *generator) leaves(top *skeleton, src *source) []einsum.Leaf {
	count := g.sum(top, false)
	if len(top.over) > 0 && g.chance(4) {
		count = g.exists(top) // a row count of which nobody asks the number
	}
	out := []einsum.Leaf{{Name: einsum.CountLeaf, Expr: count}}
	for i := range g.pick(3) {
		name := fmt.Sprintf("s%d", i)
		out = append(out, einsum.Leaf{Name: name, Expr: g.sum(top, true)})
		src.sums = append(src.sums, name)
	}
	if !g.opt.NoMinMax && len(top.over) > 0 && g.chance(2) {
		op := []semiring.Op{semiring.Min, semiring.Max}[g.pick(2)]
		out = append(out, einsum.Leaf{Name: "m", Expr: g.extreme(top, op)})
	}
	if len(top.over) > 0 && allPatterns(top) && g.chance(2) {
		out = append(out, einsum.Leaf{Name: "o", Expr: g.exists(top)})
		if d := g.distinct(top); d != nil {
			out = append(out, einsum.Leaf{Name: "d", Expr: d})
			src.sums = append(src.sums, "d")
		}
	}
	if !g.opt.NoMinMax && !g.opt.NoNesting && len(top.over) > 1 && g.chance(3) {
		out = append(out, einsum.Leaf{Name: "x", Expr: g.mixed(top)})
		src.sums = append(src.sums, "x")
	}
	if g.opt.Wide {
		out = append(out, g.wideLeaves(top, src)...)
	}
	return g.freshen(out)
}

// each renders the children of k.
func (g *generator) each(k *skeleton, render func(*skeleton) einsum.Expr) []einsum.Expr {
	out := make([]einsum.Expr, len(k.children))
	for i, c := range k.children {
		out[i] = render(c)
	}
	return out
}

// freshen renames indices bound twice in a leaf: a rendering may repeat a
// nested aggregate.
func (g *generator) freshen(leaves []einsum.Leaf) []einsum.Leaf {
	for i, l := range leaves {
		names := einsum.NewNames()
		for _, x := range einsum.Free(l.Expr) {
			names.Take(x.Name)
		}
		leaves[i].Expr = einsum.Freshen(l.Expr, names)
	}
	return leaves
}

// sum renders over + and *; with values, some accesses read measures, and a
// product may become the sum S_x*C_y + C_x*S_y.
func (g *generator) sum(k *skeleton, values bool) einsum.Expr {
	switch k.kind {
	case accessSkeleton:
		if values && len(k.source.sums) > 0 && g.chance(2) {
			return g.read(k, k.source.sums[g.pick(len(k.source.sums))])
		}
		return g.read(k, k.source.counts[0])
	case productSkeleton:
		first := einsum.Mul(g.factors(k, values)...)
		if values && g.chance(4) {
			if g.chance(2) {
				return einsum.Sub(first, einsum.Mul(g.factors(k, values)...))
			}
			return einsum.Add(first, einsum.Mul(g.factors(k, values)...))
		}
		return first
	case unionSkeleton:
		terms := g.each(k, func(c *skeleton) einsum.Expr { return g.sum(c, values) })
		if values && g.opt.Wide && len(terms) == 2 && g.chance(2) {
			return einsum.Sub(terms[0], terms[1])
		}
		return einsum.Add(terms...)
	case aggSkeleton:
		if values && g.opt.Wide {
			return g.nestedValue(k)
		}
		return einsum.Sum(k.over, g.sum(k.children[0], values))
	case optionalSkeleton:
		return g.optionalValue(k, func(c *skeleton) einsum.Expr { return g.sum(c, values) })
	default:
		panic(invariant.Failed("interp: skeleton kind %d", k.kind))
	}
}

func (g *generator) factors(k *skeleton, values bool) []einsum.Expr {
	var out []einsum.Expr
	for _, c := range k.children {
		out = append(out, g.sum(c, values))
	}
	for _, m := range k.masks {
		out = append(out, m)
	}
	if values && g.chance(6) {
		out = append(out, einsum.Int(int64(g.pick(5)-2)))
	}
	return out
}

// extreme renders over min or max: one factor gives the value, guarded by
// counts of all others.
func (g *generator) extreme(k *skeleton, op semiring.Op) einsum.Expr {
	switch k.kind {
	case accessSkeleton:
		if len(k.source.sums) > 0 {
			return g.read(k, k.source.sums[g.pick(len(k.source.sums))])
		}
		return g.read(k, einsum.CountLeaf)
	case productSkeleton:
		var conds []einsum.Expr
		for _, c := range k.children[1:] {
			conds = append(conds, g.condition(c))
		}
		for _, m := range k.masks {
			conds = append(conds, m)
		}
		value := g.extreme(k.children[0], op)
		if len(k.children) > 1 && k.children[0].kind == accessSkeleton && k.children[1].kind == accessSkeleton && g.chance(2) {
			value = einsum.Apply(semiring.Plus, value, g.extreme(k.children[1], op))
		}
		return einsum.Guarded(value, conds...)
	case unionSkeleton:
		return einsum.Apply(op, g.each(k, func(c *skeleton) einsum.Expr { return g.extreme(c, op) })...)
	case aggSkeleton:
		return einsum.Reduce(op, k.over, g.extreme(k.children[0], op))
	case optionalSkeleton:
		return g.optionalValue(k, func(c *skeleton) einsum.Expr { return g.extreme(c, op) })
	default:
		panic(invariant.Failed("interp: skeleton kind %d", k.kind))
	}
}

// condition renders what may be zero without being absent.
func (g *generator) condition(k *skeleton) einsum.Expr {
	if k.kind == accessSkeleton {
		return g.read(k, k.source.counts[g.pick(len(k.source.counts))])
	}
	return g.sum(k, false)
}

// exists renders over or and and: values are 0 and 1.
func (g *generator) exists(k *skeleton) einsum.Expr {
	switch k.kind {
	case accessSkeleton:
		return g.read(k, einsum.CountLeaf)
	case productSkeleton:
		var args []einsum.Expr
		for _, c := range k.children {
			args = append(args, g.exists(c))
		}
		for _, m := range k.masks {
			args = append(args, m)
		}
		return einsum.Apply(semiring.And, args...)
	case unionSkeleton:
		return einsum.Apply(semiring.Or, g.each(k, g.exists)...)
	case aggSkeleton:
		return einsum.Reduce(semiring.Or, k.over, g.exists(k.children[0]))
	case optionalSkeleton:
		return g.optionalValue(k, g.exists)
	default:
		panic(invariant.Failed("interp: skeleton kind %d", k.kind))
	}
}

// distinct counts the assignments of the first aggregated index.
func (g *generator) distinct(top *skeleton) einsum.Expr {
	if len(top.over) < 2 || g.opt.NoNesting {
		return nil
	}
	return einsum.Sum(top.over[:1], einsum.Reduce(semiring.Or, top.over[1:], g.exists(top.children[0])))
}

// mixed nests aggregates that do not exchange: max of sums, sum of minima.
func (g *generator) mixed(top *skeleton) einsum.Expr {
	body := g.sum(top.children[0], true)
	cut := 1 + g.pick(len(top.over)-1)
	if g.chance(2) {
		return einsum.Reduce(semiring.Max, top.over[:cut], einsum.Sum(top.over[cut:], body))
	}
	return einsum.Sum(top.over[:cut], einsum.Reduce(semiring.Min, top.over[cut:], body))
}

func (g *generator) read(k *skeleton, leaf string) einsum.Expr {
	return einsum.A(k.source.name, leaf, k.args...)
}

func allPatterns(k *skeleton) bool {
	if k.kind == accessSkeleton {
		return k.source.pattern
	}
	return !slices.ContainsFunc(k.children, func(c *skeleton) bool { return !allPatterns(c) })
}
