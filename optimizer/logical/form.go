package logical

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// factor is a part of a leaf that elimination never splits: usually one access
// or one comparison. All its atoms end up in the same kernel.
type factor struct {
	expr  einsum.Expr
	atoms uint64
}

// monomial is a product of factors: under Mul for sums, And for or, Plus for
// min and max. Guards restrict min and max.
type monomial struct {
	negated bool
	coefs   []einsum.Expr // literals
	factors []factor
	guards  []factor
}

// form is a leaf in the shape that elimination works on: agg over reduced
// indices of the sum of its monomials; more than one only under semiring.Add.
type form struct {
	name  string
	agg   semiring.Op
	monos []monomial
}

// combine returns the multiplication that goes with the aggregate.
func combine(agg semiring.Op) semiring.Op {
	switch agg {
	case semiring.Add:
		return semiring.Mul
	case semiring.Or:
		return semiring.And
	default:
		return semiring.Plus
	}
}

// maxMonomials bounds the expansion of one leaf.
const maxMonomials = 64

// formOf brings a leaf into form. ok is false when a kernel must not be cut
// out of it: an aggregate that nothing distributes over, a guard inside a sum
// (its zero cells are the sum's identity, not a factor), an expansion that is
// too large, or monomials that do not have all atoms.
func (b *Body) formOf(l einsum.Leaf) (form, bool) {
	agg, arg := aggOf(l.Expr)
	if agg == nil {
		return form{}, false
	}
	f := form{name: l.Name, agg: agg.Op}
	switch agg.Op {
	case semiring.Add:
		if hasGuard(arg) {
			return form{}, false
		}
		f.monos = b.expand(arg)
	case semiring.Min, semiring.Max:
		var m monomial
		b.flattenGuarded(arg, &m)
		f.monos = []monomial{m}
	case semiring.Or:
		var m monomial
		b.flatten(semiring.And, arg, &m)
		f.monos = []monomial{m}
	default:
		return form{}, false
	}
	if len(f.monos) == 0 || len(f.monos) > maxMonomials {
		return form{}, false
	}
	for _, m := range f.monos {
		if m.atoms() != b.Atoms() || m.hidesGuard() {
			return form{}, false
		}
	}
	return f, true
}

// hidesGuard reports a guard inside a factor: neg(guard(x, c)). Its condition
// would be lost from the validity of a partial result.
func (m *monomial) hidesGuard() bool {
	for _, f := range m.factors {
		if hasGuard(f.expr) {
			return true
		}
	}
	return false
}

func (m *monomial) atoms() uint64 {
	var set uint64
	for _, f := range m.factors {
		set |= f.atoms
	}
	for _, g := range m.guards {
		set |= g.atoms
	}
	return set
}

// compounds groups the atoms: those of a factor that is not present exactly
// where all of them are form one atom, since nothing can be cut out of the
// factor: in sum(s,p,j) L(s,p) * (S(s,j) + P(p,j)) pulling S out alone would drop
// cells of P. ok is false when the leaves differ in where a group is present.
func (b *Body) compounds(forms []form) (groups []uint64, ok bool) {
	compound := b.disjunctive(forms)
	for i := range len(b.Operands) + len(b.Masks) {
		g := uint64(1) << i
		for _, c := range compound {
			if c&g != 0 {
				g = c
			}
		}
		if g&(1<<i-1) == 0 {
			groups = append(groups, g)
		}
	}
	for _, c := range compound {
		if !b.samePresence(forms, c) {
			return nil, false
		}
	}
	return groups, true
}

// disjunctive returns the groups of atoms that are not present together, closed
// under factors that overlap them.
func (b *Body) disjunctive(forms []form) []uint64 {
	var out []uint64
	eachFactor(forms, func(f *factor) {
		if !isAtom(f.expr) {
			if sets := b.Presence(f.expr); len(sets) != 1 || sets[0] != f.atoms {
				out = merge(out, f.atoms, overlap)
			}
		}
	})
	for before := -1; len(out) > 0 && before != len(out); {
		before = len(out)
		eachFactor(forms, func(f *factor) {
			for _, c := range out {
				if c&f.atoms != 0 && f.atoms&^c != 0 {
					out = merge(out, f.atoms, overlap)
					before = -1
					return
				}
			}
		})
	}
	return out
}

func overlap(a, b uint64) bool { return a&b != 0 }

func isAtom(e einsum.Expr) bool {
	switch e.(type) {
	case *einsum.Access, *einsum.Compare:
		return true
	}
	return false
}

func eachFactor(forms []form, visit func(f *factor)) {
	for i := range forms {
		for j := range forms[i].monos {
			m := &forms[i].monos[j]
			for k := range m.factors {
				visit(&m.factors[k])
			}
			for k := range m.guards {
				visit(&m.guards[k])
			}
		}
	}
}

// samePresence reports whether a group of atoms is present at the same cells in
// every monomial of every leaf; leaf 0 must be one monomial, so that its factors
// over the group count the group's rows.
func (b *Body) samePresence(forms []form, group uint64) bool {
	if len(forms[0].monos) != 1 {
		return false
	}
	var want []uint64
	p := presence{body: b}
	for i := range forms {
		for j := range forms[i].monos {
			m := &forms[i].monos[j]
			sets := []uint64{0}
			for _, f := range slices.Concat(m.factors, m.guards) {
				if f.atoms&group != 0 {
					sets = p.conjoin(sets, p.of(f.expr))
				}
			}
			if p.merged {
				return false // equal sets prove nothing
			}
			slices.Sort(sets)
			if i == 0 {
				want = sets
			} else if !slices.Equal(sets, want) {
				return false
			}
		}
	}
	return true
}

// renumber makes the factors speak of groups of atoms, by their numbers.
func (f *form) renumber(groups []uint64) {
	eachFactor([]form{*f}, func(x *factor) {
		var set uint64
		for i, g := range groups {
			if g&x.atoms != 0 {
				set |= 1 << i
			}
		}
		x.atoms = set
	})
}

// expand multiplies a polynomial out; nil when it grows too large.
func (b *Body) expand(e einsum.Expr) []monomial {
	m, ok := e.(*einsum.Map)
	if !ok {
		return []monomial{b.single(e)}
	}
	switch m.Op {
	case semiring.Add, semiring.Sub:
		if !b.together(m.Args) {
			return []monomial{b.single(e)}
		}
		var sum []monomial
		for i, a := range m.Args {
			part := b.expand(a)
			if len(part) == 0 || len(sum)+len(part) > maxMonomials {
				return nil
			}
			sum = append(sum, negateIf(part, m.Op == semiring.Sub && i > 0)...)
		}
		return sum
	case semiring.Neg:
		return negateIf(b.expand(m.Args[0]), true)
	case semiring.Mul:
		product := []monomial{{}}
		for _, a := range m.Args {
			product = multiply(product, b.expand(a))
		}
		return product
	default:
		return []monomial{b.single(e)}
	}
}

// together reports whether expressions are present at the same cells.
func (b *Body) together(args []einsum.Expr) bool {
	first, exact := b.ExactPresence(args[0])
	slices.Sort(first)
	for _, a := range args[1:] {
		sets := b.Presence(a)
		slices.Sort(sets)
		if !exact || !slices.Equal(sets, first) {
			return false
		}
	}
	return true
}

func (b *Body) single(e einsum.Expr) monomial {
	if _, ok := e.(*einsum.Literal); ok {
		return monomial{coefs: []einsum.Expr{e}}
	}
	return monomial{factors: []factor{{expr: e, atoms: b.atomsOf(e)}}}
}

func negateIf(ms []monomial, negate bool) []monomial {
	if negate {
		for i := range ms {
			ms[i].negated = !ms[i].negated
		}
	}
	return ms
}

func multiply(a, b []monomial) []monomial {
	if len(a)*len(b) > maxMonomials {
		return nil
	}
	var out []monomial
	for _, x := range a {
		for _, y := range b {
			out = append(out, monomial{
				negated: x.negated != y.negated,
				coefs:   append(x.coefs[:len(x.coefs):len(x.coefs)], y.coefs...),
				factors: append(x.factors[:len(x.factors):len(x.factors)], y.factors...),
			})
		}
	}
	return out
}

// flatten collects the arguments of nested maps of one operator.
func (b *Body) flatten(op semiring.Op, e einsum.Expr, m *monomial) {
	if n, ok := e.(*einsum.Map); ok && n.Op == op {
		for _, a := range n.Args {
			b.flatten(op, a, m)
		}
		return
	}
	s := b.single(e)
	m.coefs = append(m.coefs, s.coefs...)
	m.factors = append(m.factors, s.factors...)
}

// flattenGuarded reads guard(plus(x, guard(y, c)), d) as the terms x, y under
// the guards c, d: a cell counts when all guards hold, wherever they stand.
func (b *Body) flattenGuarded(e einsum.Expr, m *monomial) {
	n, ok := e.(*einsum.Map)
	switch {
	case ok && n.Op == semiring.Plus:
		for _, a := range n.Args {
			b.flattenGuarded(a, m)
		}
	case ok && n.Op == semiring.Guard:
		b.flattenGuarded(n.Args[0], m)
		for _, c := range n.Args[1:] {
			m.guards = append(m.guards, factor{expr: c, atoms: b.atomsOf(c)})
		}
	default:
		s := b.single(e)
		m.coefs = append(m.coefs, s.coefs...)
		m.factors = append(m.factors, s.factors...)
	}
}

// product builds the map of args, or the only one of them.
func product(op semiring.Op, args []einsum.Expr) einsum.Expr {
	if len(args) == 1 {
		return args[0]
	}
	return &einsum.Map{Op: op, Args: args}
}

// expr is the monomial as an expression under the aggregate agg.
func (m *monomial) expr(agg semiring.Op) einsum.Expr {
	args := append([]einsum.Expr(nil), m.coefs...)
	for _, f := range m.factors {
		args = append(args, f.expr)
	}
	e := product(combine(agg), args)
	if m.negated {
		e = &einsum.Map{Op: semiring.Neg, Args: []einsum.Expr{e}}
	}
	if len(m.guards) == 0 {
		return e
	}
	guarded := []einsum.Expr{e}
	for _, g := range m.guards {
		guarded = append(guarded, g.expr)
	}
	return &einsum.Map{Op: semiring.Guard, Args: guarded}
}

// body is the form's expression below the aggregate.
func (f *form) body() einsum.Expr {
	sum := make([]einsum.Expr, len(f.monos))
	for i := range f.monos {
		sum[i] = f.monos[i].expr(f.agg)
	}
	return product(semiring.Add, sum)
}
