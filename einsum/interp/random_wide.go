package interp

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// wideFactor makes a factor of the product p: a sum of terms, a factor that p
// has already, or an operand that may be absent.
func (g *generator) wideFactor(p *skeleton) *skeleton {
	switch {
	case len(p.children) == 0 && !g.opt.NoUnions:
		return g.difference()
	case len(p.children) == 0:
		return g.access(g.sources[g.pick(len(g.sources))], nil)
	case g.chance(4):
		return p.children[g.pick(len(p.children))]
	case g.chance(2) || g.opt.NoUnions:
		return g.optional(p.indices)
	default:
		return g.terms(p.indices)
	}
}

// terms is a sum like S(s) + P(p) + O(s,p): each term over indices of the scope,
// each over its own.
func (g *generator) terms(scope []einsum.Index) *skeleton {
	u := &skeleton{kind: unionSkeleton}
	for range 2 + g.pick(2) {
		t := g.inScope(scope)
		if g.chance(3) {
			t = g.product(t, g.inScope(scope))
		}
		u.children = append(u.children, t)
	}
	u.indices = common(u.children)
	return u
}

// difference is a sum like X(i,j) + u(i)*v(j), both terms over the same indices.
func (g *generator) difference() *skeleton {
	x := g.access(g.sources[g.pick(len(g.sources))], nil)
	outer := &skeleton{kind: productSkeleton}
	for n := 0; n < 4 && (n == 0 || len(outer.indices) < len(x.indices)); n++ {
		f := g.inScope(x.indices)
		outer.children = append(outer.children, f)
		outer.indices = union(outer.indices, f.indices)
	}
	u := &skeleton{kind: unionSkeleton, children: []*skeleton{x, outer}}
	if u.indices = common(u.children); len(u.indices) < len(x.indices) {
		return x // an index of x would be free where x is absent
	}
	return u
}

// optional is if0 of an access over indices of the scope; it restricts what its
// second child does.
func (g *generator) optional(scope []einsum.Index) *skeleton {
	k := &skeleton{kind: optionalSkeleton, children: []*skeleton{g.inScope(scope)}}
	if g.chance(3) {
		other := g.inScope(scope)
		k.children, k.indices = append(k.children, other), other.indices
	}
	return k
}

func (g *generator) product(factors ...*skeleton) *skeleton {
	p := &skeleton{kind: productSkeleton, children: factors}
	for _, f := range factors {
		p.indices = union(p.indices, f.indices)
	}
	return p
}

// inScope is an access at indices in scope and, for modes of a domain that has
// none there, constants.
func (g *generator) inScope(scope []einsum.Index) *skeleton {
	s := g.sources[g.pick(len(g.sources))]
	k := &skeleton{kind: accessSkeleton, source: s}
	for _, d := range s.domains {
		var same []einsum.Index
		for _, x := range scope {
			if x.Domain == d {
				same = append(same, x)
			}
		}
		if len(same) == 0 {
			k.args = append(k.args, g.constant(d))
			continue
		}
		x := same[g.pick(len(same))]
		k.args, k.indices = append(k.args, einsum.Ix(x)), union(k.indices, []einsum.Index{x})
	}
	return k
}

// common returns the indices that all terms restrict.
func common(terms []*skeleton) []einsum.Index {
	out := slices.Clone(terms[0].indices)
	for _, t := range terms[1:] {
		out = slices.DeleteFunc(out, func(x einsum.Index) bool { return !slices.Contains(t.indices, x) })
	}
	return out
}

func (g *generator) optionalValue(k *skeleton, render func(*skeleton) einsum.Expr) einsum.Expr {
	other := einsum.Expr(einsum.Int(int64(g.pick(3))))
	if len(k.children) > 1 {
		other = render(k.children[1])
	}
	return einsum.Apply(semiring.If0, render(k.children[0]), other)
}

// nestedValue reduces with any operator, and may put an exact function around.
func (g *generator) nestedValue(k *skeleton) einsum.Expr {
	op := []semiring.Op{semiring.Add, semiring.Add, semiring.Min, semiring.Max}[g.pick(4)]
	if g.opt.NoMinMax {
		op = semiring.Add
	}
	e := einsum.Reduce(op, k.over, g.sum(k.children[0], true))
	if g.chance(3) {
		return g.exactFunction(e)
	}
	return e
}

// exactFunction applies a function whose values are as exact as its argument.
func (g *generator) exactFunction(e einsum.Expr) einsum.Expr {
	return einsum.Apply([]semiring.Op{semiring.Abs, semiring.Relu}[g.pick(2)], e)
}

// function applies any function to an exact argument.
func (g *generator) function(e einsum.Expr) einsum.Expr {
	switch g.pick(5) {
	case 0:
		return einsum.Apply(semiring.Sqrt, einsum.Apply(semiring.Abs, e))
	case 1:
		return einsum.Apply(semiring.Ln, einsum.Apply(semiring.Plus, einsum.Apply(semiring.Abs, e), einsum.Float(0.5)))
	case 2:
		return einsum.Apply(semiring.Exp, einsum.Apply(semiring.Neg, einsum.Apply(semiring.Abs, e)))
	case 3:
		return einsum.Apply(semiring.Sigmoid, e)
	default:
		return g.exactFunction(e)
	}
}

// wideLeaves renders the body as products under min and max, as functions, and
// as aggregates of different operators with functions between them.
func (g *generator) wideLeaves(top *skeleton, src *source) []einsum.Leaf {
	var out []einsum.Leaf
	body := top.children[0]
	if !g.opt.NoMinMax && g.chance(2) {
		op := []semiring.Op{semiring.Min, semiring.Max}[g.pick(2)]
		out = append(out, einsum.Leaf{Name: "w", Expr: einsum.Reduce(op, top.over, g.sum(body, true))})
		src.sums = append(src.sums, "w")
	}
	if g.chance(3) {
		out = append(out, einsum.Leaf{Name: "f0", Expr: g.function(einsum.Sum(top.over, g.sum(body, true)))})
	}
	if !g.opt.NoNesting && len(top.over) > 1 && g.chance(3) {
		cut := 1 + g.pick(len(top.over)-1)
		inner := g.function(einsum.Sum(top.over[cut:], g.sum(body, true)))
		out = append(out, einsum.Leaf{Name: "f1", Expr: einsum.Sum(top.over[:cut], inner)})
	}
	return out
}
