package logical

import (
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// atom is what elimination moves as a whole: an operand, a mask, or a compound of
// several that a sum or an optional argument holds together.
type atom struct {
	set   uint64
	binds uint64      // indices that its presence restricts
	count einsum.Expr // the row count of an operand, the comparison of a mask
	term  stats.Term
	whole bool // a compound: a factor over it may be present where it is not
	label label
	args  []uint8
}

// elimination is the state of one query: the atoms that are left and the
// leaves over them. A number is used again only when there is no new one.
type elimination struct {
	pl      *planner
	q       *einsum.Query
	body    *Body
	atoms   []atom
	live    uint64
	reduced uint64 // indices still to eliminate
	forms   []form
	changed bool
}

// newElimination prepares a query; ok is false when it is one step as it is.
func newElimination(pl *planner, q *einsum.Query, b *Body) (*elimination, bool) {
	e := &elimination{pl: pl, q: q, body: b, reduced: b.All() &^ b.Free}
	if e.reduced == 0 || len(b.Operands) == 0 {
		return nil, false
	}
	for _, l := range q.Leaves {
		f, ok := b.formOf(l)
		if !ok {
			return nil, false
		}
		e.forms = append(e.forms, f)
	}
	groups, ok := b.compounds(e.forms)
	if !ok || len(groups) == 1 && len(b.Operands)+len(b.Masks) > 1 {
		return nil, false
	}
	e.describe(groups)
	e.live = lowBits(len(groups))
	for i := range e.forms {
		e.forms[i].renumber(groups)
	}
	return e, true
}

// taken is a step of the search in terms of the elimination's atoms.
type taken struct {
	atoms, set, gone uint64
}

// run eliminates in the order that the search finds, until one kernel takes all
// that is left: that is the query's own step. cost is the estimate for what the
// query has left to do then, unknown (negative) when that is not a kernel.
func (e *elimination) run() (cost float64, err error) {
	if stopped := e.pl.opt.Stopped; stopped != nil {
		if err := stopped(); err != nil {
			return 0, err
		}
	}
	st := newStructure(e)
	kernels := st.order(e.pl.opt.Search, e.pl.opt.Budget)
	number := map[*node]int{}
	for i, n := range st.base {
		number[n] = i
	}
	for i, k := range kernels {
		t := taken{set: k.set, gone: k.gone}
		for _, n := range k.nodes {
			at, ok := number[n]
			invariant.Check(ok, "optimizer/logical: a kernel of %s reads what no kernel before it makes", e.q.Name)
			t.atoms |= 1 << at
		}
		last := i == len(kernels)-1 && t.atoms|e.scalars() == e.live
		if most := e.pl.opt.StoredMax; most > 0 && !last && k.entries() > most {
			break
		}
		if last {
			if !e.hasConstant() {
				return st.cost(k), nil
			}
			t.atoms = e.live
		}
		at, err := e.apply(t, st.cost(k))
		if err != nil {
			return 0, err
		}
		number[st.apply(k)] = at
	}
	return -1, nil
}

// scalars returns the live atoms without indices.
func (e *elimination) scalars() uint64 {
	var out uint64
	for s := e.live; s != 0; s &= s - 1 {
		if e.atoms[bits.TrailingZeros64(s)].set == 0 {
			out |= s & -s
		}
	}
	return out
}

// hasConstant reports a leaf like max guard(1, c, d), without other terms, whose
// conditions may be zero. Row counts are not: under them alone the leaf is
// constant wherever there is an entry, which a kernel does without counting.
// Otherwise such a leaf need not be computed cell by cell: its validity is summed
// with the other leaves, and the query's own step, without indices to reduce,
// puts the constant in.
func (e *elimination) hasConstant() bool {
	for _, f := range e.forms {
		m := &f.monos[0]
		if len(m.factors) == 0 && !e.countsRows(m.guards) {
			return true
		}
	}
	return false
}

// countsRows reports whether all factors are row counts or comparisons.
func (e *elimination) countsRows(fs []factor) bool {
	for _, f := range fs {
		switch x := f.expr.(type) {
		case *einsum.Compare:
		case *einsum.Access:
			if x.Leaf != e.pl.cat.countLeaf(x.Tensor) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// ties lists the sets of atoms that a factor holds together.
func (e *elimination) ties() []uint64 {
	var out []uint64
	add := func(fs []factor) {
		for _, f := range fs {
			if f.atoms&(f.atoms-1) == 0 {
				continue
			}
			known := false
			for _, t := range out {
				known = known || t == f.atoms
			}
			if !known {
				out = append(out, f.atoms)
			}
		}
	}
	for i := range e.forms {
		for j := range e.forms[i].monos {
			add(e.forms[i].monos[j].factors)
			add(e.forms[i].monos[j].guards)
		}
	}
	return out
}

// pricedFactors lists the factors whose evaluation costs something beside the visit of a cell.
func (e *elimination) pricedFactors() (out []priced) {
	for _, f := range e.forms {
		for _, m := range f.monos {
			for _, x := range slices.Concat(m.factors, m.guards) {
				if cells := stats.ColumnCells(x.expr); cells > 0 {
					out = append(out, priced{x.atoms, cells})
				}
			}
		}
	}
	return out
}

// describe makes the atoms of the groups.
func (e *elimination) describe(groups []uint64) {
	b := e.body
	terms := e.pl.cat.Terms(b)
	for _, g := range groups {
		i := bits.TrailingZeros64(g)
		switch {
		case g&(g-1) != 0 || e.optional(g):
			e.atoms = append(e.atoms, e.compound(g, terms))
		case i < len(b.Operands):
			op := b.Operands[i]
			a := atom{
				set: op.Set, binds: op.Set, term: terms[i],
				count: &einsum.Access{Tensor: op.Tensor, Leaf: e.pl.cat.countLeaf(op.Tensor), Args: op.Args},
			}
			a.label, a.args = e.pl.share.access(op.Tensor, op.Args, e.number8)
			e.atoms = append(e.atoms, a)
		default:
			m := b.Masks[i-len(b.Operands)]
			a := atom{set: m.Set, count: m.Compare, term: terms[i]}
			a.label, a.args = e.pl.share.factor(m.Compare, e.number8)
			e.atoms = append(e.atoms, a)
		}
	}
}

// number8 is the number of an index.
func (e *elimination) number8(x einsum.Index) uint8 { return uint8(e.body.index(x)) }

// counted is the part of the row count that a group of atoms makes: the factors
// of leaf 0 over it.
func (e *elimination) counted(group uint64) einsum.Expr {
	var args []einsum.Expr
	for _, f := range e.forms[0].monos[0].factors {
		if f.atoms&group != 0 {
			args = append(args, f.expr)
		}
	}
	return product(semiring.Mul, args)
}

// optional reports whether an atom need not be present.
func (e *elimination) optional(group uint64) bool {
	sets := e.body.Presence(e.counted(group))
	return len(sets) != 1 || sets[0] != group
}

// compound describes a group of atoms by the alternatives of its presence. It
// binds the indices that every alternative has.
func (e *elimination) compound(group uint64, terms []stats.Term) atom {
	b := e.body
	a := atom{count: e.counted(group), whole: true}
	for _, i := range members(group) {
		a.set |= terms[i].Set
	}
	a.binds = a.set
	alternatives := b.Presence(a.count)
	for _, s := range alternatives {
		var has uint64
		for _, i := range members(s) {
			if i < len(b.Operands) {
				has |= b.Operands[i].Set
			}
		}
		a.binds &= has
	}
	a.label, a.args = e.pl.share.factor(a.count, e.number8)
	a.term = stats.Term{Set: a.set, Selectivity: 1}
	if a.binds != 0 {
		s := e.pl.cat.estimate(terms, alternatives)
		a.term = stats.Term{Stats: s, Set: s.Set()}
	}
	return a
}

// rest is the query over what is left; the query itself if nothing changed.
func (e *elimination) rest() *einsum.Query {
	if !e.changed {
		return e.q
	}
	out := &einsum.Query{Name: e.q.Name, Idxs: e.q.Idxs}
	for i := range e.forms {
		f := &e.forms[i]
		expr := f.body()
		if e.reduced != 0 || hasGuard(expr) {
			expr = &einsum.Agg{Op: f.agg, Idxs: e.body.pick(e.reduced), Arg: expr}
		}
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: f.name, Expr: expr})
	}
	return out
}
