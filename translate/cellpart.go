package translate

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// A product on cells of which some factors read only part of the indices is taken
// apart: those factors are a query of their own, evaluated once per cell of theirs and
// not of all:
//
//	sum(x.a * l.a * greatest(1 - l.a * s.a, 0))    x over (i, j), l and s over (i)
//
// This is for sums of products that stay in the range of DOUBLE however they are
// multiplied; MIN and MAX would see the last bits.

// cellPart is what some factors of an argument are together.
type cellPart struct {
	factors, others []sqlfront.Expr
	sources         []int
	classes         []*class
}

// partOf finds the factors to take apart: those over the indices of one that is
// calculated from several sources, if these are not all indices.
func (e *emitter) partOf(a *argument) *cellPart {
	if !a.bounded || a.product != nil || len(a.conds) > 0 {
		return nil
	}
	factors := doubleFactors(a.expr)
	all := len(e.classesOf(a.sources))
	for _, wide := range factors {
		if len(sourcesOf(wide)) < 2 {
			continue
		}
		p := &cellPart{classes: e.classesOf(sourcesOf(wide))}
		if len(p.classes) == all {
			continue
		}
		for _, f := range factors {
			srcs := sourcesOf(f)
			if slices.ContainsFunc(e.classesOf(srcs), func(c *class) bool { return !slices.Contains(p.classes, c) }) {
				p.others = append(p.others, f)
				continue
			}
			p.factors = append(p.factors, f)
			for _, src := range srcs {
				if !slices.Contains(p.sources, src) {
					p.sources = append(p.sources, src)
				}
			}
		}
		if len(p.others) > 0 {
			return p
		}
	}
	return nil
}

// doubleFactors are the factors of a product of DOUBLE.
func doubleFactors(e sqlfront.Expr) []sqlfront.Expr {
	c, ok := e.(*sqlfront.Call)
	if !ok || c.Name != "*" || c.T.ID != rows.Double || slices.ContainsFunc(c.Args, func(x sqlfront.Expr) bool { return x.Type() != c.T }) {
		return []sqlfront.Expr{e}
	}
	var out []sqlfront.Expr
	for _, arg := range c.Args {
		out = append(out, doubleFactors(arg)...)
	}
	return out
}

// classesOf are the indices of some sources.
func (e *emitter) classesOf(srcs []int) []*class {
	var out []*class
	note := func(c *class) {
		if c.konst == nil && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	for _, src := range srcs {
		s := e.b.sources[src]
		if s.inner == nil {
			for _, k := range s.keys {
				note(k.class)
			}
			continue
		}
		for i, c := range s.inner.outs {
			note(e.innerClass(s, i, c))
		}
	}
	return out
}

// partCell is the value of an argument on one cell, with a part read from a query of
// its own, which it adds to the program.
func (e *emitter) partCell(p *cellPart) cellValue {
	value := e.productOnCell(p.factors)
	q := e.partQuery(p, value)
	access := func(leaf string) einsum.Expr {
		a := &einsum.Access{Tensor: q.Name, Leaf: leaf}
		for _, c := range p.classes {
			a.Args = append(a.Args, e.arg(c))
		}
		return a
	}
	out := e.productOnCell(p.others)
	out.v = einsum.Mul(out.v, access("v"))
	if len(value.known) > 0 {
		out.known = append(out.known, access("known"))
	}
	return out
}

// partQuery is the query of a part: its value, and 1 where that is not NULL if it may
// be. One that the program has already is that.
func (e *emitter) partQuery(p *cellPart, value cellValue) *einsum.Query {
	q := &einsum.Query{Name: "part"}
	var counts []einsum.Expr
	for _, src := range p.sources {
		counts = append(counts, e.access(e.b.sources[src], einsum.CountLeaf))
	}
	for _, c := range p.classes {
		q.Idxs = append(q.Idxs, e.t.index(c))
	}
	leaf := func(name string, op semiring.Op, x einsum.Expr) {
		q.Leaves = append(q.Leaves, einsum.Leaf{Name: name, Expr: einsum.Reduce(op, nil, x)})
	}
	leaf(einsum.CountLeaf, semiring.Or, einsum.Apply(semiring.And, counts...))
	leaf("v", semiring.Add, einsum.Guarded(value.v, append(slices.Clone(value.known), counts...)...))
	if len(value.known) > 0 {
		leaf("known", semiring.Add, einsum.Guarded(einsum.Int(1), append(slices.Clone(value.known), counts...)...))
	}
	key := q.Key()
	for _, old := range e.t.queries {
		if e.t.queryKey(old) == key {
			return old
		}
	}
	q.Name = e.t.name(q.Name)
	e.t.queries = append(e.t.queries, q)
	return q
}

// productOnCell is a product of factors.
func (e *emitter) productOnCell(factors []sqlfront.Expr) cellValue {
	var args []cellValue
	for _, f := range factors {
		args = append(args, e.cells(f).value(f))
	}
	return strictly(args, func(vs []einsum.Expr) einsum.Expr { return einsum.Mul(vs...) })
}
