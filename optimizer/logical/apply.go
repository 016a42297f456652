package logical

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// apply makes the kernel a step, or finds one that exists, and puts accesses to
// its result in place of the kernel's factors; it returns the result's number.
// The tensor has one leaf for the row count and one for every distinct partial
// value that the query's leaves need.
func (e *elimination) apply(k taken, cost float64) (int, error) {
	step := &partial{e: e, k: k, names: map[string]string{}, q: &einsum.Query{
		Idxs: e.body.pick(k.set &^ k.gone),
	}}
	step.counts = e.counts(k.atoms)
	step.leaf(einsum.CountLeaf, semiring.Add, step.counts, nil)
	forms := make([]form, len(e.forms))
	for i, f := range e.forms {
		forms[i] = form{name: f.name, agg: f.agg}
		for _, m := range f.monos {
			forms[i].monos = append(forms[i].monos, step.split(f.agg, m))
		}
	}
	step.settle()
	have, name, args, leaves := e.pl.place(step.q)
	step.resolve(forms, name, args, leaves)
	e.forms, e.changed = forms, true
	at := e.replace(k, name, args)
	if have {
		return at, nil
	}
	return at, e.pl.add(step.q, true, cost, e.remaining())
}

// remaining is the program that is left when all steps so far exist.
func (e *elimination) remaining() []*einsum.Query {
	if e.pl.trying {
		return nil
	}
	return append([]*einsum.Query{e.rest()}, e.pl.todo...)
}

// replace takes the kernel's atoms out of the body and puts the result in.
func (e *elimination) replace(k taken, name string, args []einsum.Arg) int {
	set := k.set &^ k.gone
	at := e.number(k)
	if at == len(e.atoms) {
		e.atoms = append(e.atoms, atom{})
	}
	e.atoms[at] = atom{
		set: set, binds: set,
		count: &einsum.Access{Tensor: name, Leaf: einsum.CountLeaf, Args: args},
	}
	e.live = e.live&^k.atoms | 1<<at
	e.reduced &^= k.gone
	return at
}

// number is the atom number of a kernel's result: a new one, or when all are
// used up the least that the kernel frees. No leaf refers to that any more, since
// the kernel takes all factors over its atoms.
func (e *elimination) number(k taken) int {
	if len(e.atoms) < maxBits {
		return len(e.atoms)
	}
	return bits.TrailingZeros64(k.atoms)
}

// partial is a step under construction.
type partial struct {
	e     *elimination
	k     taken
	q     *einsum.Query
	names map[string]string // leaf names by what they compute

	counts []einsum.Expr // the row counts that leaf n combines
	// asked and added say what somebody needs of leaf n: whether it is 0, and the
	// number itself.
	asked, added bool
}

// placeholder stands for a leaf of the step until its tensor has a name.
func placeholder(leaf string) einsum.Expr { return &einsum.Access{Leaf: leaf} }

// leaf returns the name of the step's leaf that aggregates the combination of
// args under the guards, adding it when it is new.
func (p *partial) leaf(prefix string, agg semiring.Op, args, guards []einsum.Expr) string {
	key := leafKey(agg, args, guards)
	if name, ok := p.names[key]; ok {
		p.added = p.added || name == einsum.CountLeaf && prefix != validPrefix
		return name
	}
	name := prefix
	if len(p.q.Leaves) > 0 {
		if agg == semiring.Or && p.names[leafKey(semiring.Add, args, guards)] == einsum.CountLeaf {
			p.asked = true
			return einsum.CountLeaf // not 0 where any product of counts is not
		}
		name = fmt.Sprintf("%s%d", prefix, len(p.q.Leaves))
	}
	p.q.Leaves = append(p.q.Leaves, einsum.Leaf{Name: name, Expr: p.expr(agg, args, guards)})
	p.names[key] = name
	return name
}

// expr aggregates the combination of args under the guards.
func (p *partial) expr(agg semiring.Op, args, guards []einsum.Expr) einsum.Expr {
	expr := product(combine(agg), args)
	if len(guards) > 0 {
		expr = &einsum.Map{Op: semiring.Guard, Args: append([]einsum.Expr{expr}, guards...)}
	}
	if p.k.gone == 0 && len(guards) == 0 {
		return expr
	}
	return &einsum.Agg{Op: agg, Idxs: p.e.body.pick(p.k.gone), Arg: expr}
}

// settle makes of leaf n the question whether there are rows, if the forms ask
// nothing else of it: that takes no arithmetic.
func (p *partial) settle() {
	if p.asked && !p.added && p.k.gone != 0 {
		p.q.Leaves[0].Expr = p.expr(semiring.Or, p.counts, nil)
	}
}

// validPrefix begins the names of validity leaves, of which only matters
// whether they are 0.
const validPrefix = "v"

// leafKey is equal for combinations of the same arguments in any order.
func leafKey(agg semiring.Op, args, guards []einsum.Expr) string {
	return agg.String() + "\x00" + strings.Join(sortedStrings(args), "\x00") +
		"\x01" + strings.Join(sortedStrings(guards), "\x00")
}

func sortedStrings(es []einsum.Expr) []string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = einsum.ExprString(e)
	}
	slices.Sort(out)
	return out
}

// split takes the kernel's part out of a monomial.
//
// A sum distributes over the product: sum_l (a*b(l)) = a * sum_l b(l). The
// least of a sum splits likewise, x + min_l y(l), but only over the cells whose
// guards hold: whether one exists is the partial result's own validity,
// sum_l of the product of the guards, which guards what is left. Guards are
// counts, never negative, so that their sum is 0 only when all of them are.
func (p *partial) split(agg semiring.Op, m monomial) monomial {
	out := monomial{negated: m.negated, coefs: m.coefs}
	terms := p.take(m.factors, &out.factors)
	guards := p.take(m.guards, &out.guards)
	bit := uint64(1) << p.e.number(p.k)
	if len(terms) > 0 {
		prefix := map[semiring.Op]string{semiring.Add: "t", semiring.Or: "o", semiring.Min: "m", semiring.Max: "m"}[agg]
		leaf := p.leaf(prefix, agg, terms, guards)
		out.factors = append([]factor{{expr: placeholder(leaf), atoms: bit}}, out.factors...)
	}
	if len(guards) > 0 {
		valid := slices.Clone(guards)
		for _, i := range members(p.k.atoms &^ p.guarded(m.guards)) {
			valid = append(valid, p.e.atoms[i].count)
		}
		leaf := p.leaf(validPrefix, semiring.Add, valid, nil)
		out.guards = append([]factor{{expr: placeholder(leaf), atoms: bit}}, out.guards...)
	}
	return out
}

// take returns the distinct expressions of the factors inside the kernel and
// puts the others into rest.
func (p *partial) take(fs []factor, rest *[]factor) []einsum.Expr {
	var out []einsum.Expr
	for _, f := range fs {
		if f.atoms&p.k.atoms == 0 {
			*rest = append(*rest, f)
		} else {
			out = append(out, f.expr)
		}
	}
	return out
}

// guarded returns the atoms inside the kernel that are present wherever the
// guards are: of if0(a, 1) a is not.
func (p *partial) guarded(guards []factor) uint64 {
	var set uint64
	for _, g := range guards {
		for _, i := range members(g.atoms & p.k.atoms) {
			if !p.e.atoms[i].whole {
				set |= 1 << i
			}
		}
	}
	return set
}

// resolve replaces placeholders by accesses to the tensor that holds the step.
func (p *partial) resolve(forms []form, tensor string, args []einsum.Arg, leaves map[string]string) {
	fix := func(fs []factor) {
		for i, f := range fs {
			if a, ok := f.expr.(*einsum.Access); ok && a.Tensor == "" {
				fs[i].expr = &einsum.Access{Tensor: tensor, Leaf: leaves[a.Leaf], Args: args}
			}
		}
	}
	for _, f := range forms {
		for _, m := range f.monos {
			fix(m.factors)
			fix(m.guards)
		}
	}
}

// counts lists the row counts of the atoms, in order.
func (e *elimination) counts(atoms uint64) []einsum.Expr {
	var out []einsum.Expr
	for _, i := range members(atoms) {
		out = append(out, e.atoms[i].count)
	}
	return out
}
