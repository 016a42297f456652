package translate

import (
	"maps"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// pad decides whether an outer join's bag is its rows that match, read with if0: a
// key that they lack is one row, of NULLs (SEMANTICS section 4: no column of the
// nullable side survives as an index). That is so where the bag's indices are the
// keys of the join, all of which another source restricts to those that its rows
// have, and nothing filters what is padded:
//
//	SELECT a.g, count(*), sum(b.y) FROM a LEFT JOIN b ON a.k = b.k GROUP BY a.g
//
// and not a group, DISTINCT or condition of b.y. Moments of what is NULL for NULLs
// are 0 there; those of others, as COALESCE(b.y, 7), are read of a row of NULLs.
func (t *translator) pad(b *block, s *source) {
	if !b.paddable(s) {
		return
	}
	strict := !slices.ContainsFunc(b.planned, func(a *plannedAgg) bool { return !nullForNulls(a, s.n) })
	if !strict {
		pad := s.bag.branches[1].From
		row := pad[len(pad)-1]
		if !b.looselyPaddable(s) || row.Text == "" {
			return
		}
		s.bag.nulls = &source{n: -1, alias: row.Alias, table: t.relation(row)}
	}
	s.bag.padded = true
}

func (b *block) paddable(s *source) bool {
	keys := b.q.From[s.n].Padded
	if keys == 0 || len(s.keys) != keys || len(s.bag.keep) > 0 {
		return false
	}
	columns := map[int]bool{}
	for _, k := range s.keys {
		c, ok := k.expr.(*sqlfront.ColumnRef)
		if !ok || c.Column >= keys || !restricted(find(k.class), s) {
			return false
		}
		columns[c.Column] = true
	}
	if len(columns) != keys || slices.ContainsFunc(b.conds, func(e sqlfront.Expr) bool { return reads(e, s) }) {
		return false
	}
	for _, a := range b.planned { // what a cell is asked for is read otherwise
		if a.arg == nil {
			continue
		}
		if slices.ContainsFunc(a.arg.factors[s.n], func(f factor) bool { return f.expr.Type().Physical() == rows.PhysString }) {
			return false // decomposed SQL has texts as they are, which if0 cannot give a number
		}
		if a.arg.cell && slices.Contains(a.arg.sources, s.n) || slices.ContainsFunc(a.arg.conds, func(e sqlfront.Expr) bool { return reads(e, s) }) {
			return false
		}
	}
	return true
}

// looselyPaddable reports whether the moments that a block reads of a bag can be
// those of a row of NULLs: no value has to be within bounds that are known only
// once it is computed.
func (b *block) looselyPaddable(s *source) bool {
	for _, c := range b.checks {
		loaded := false
		eachLeaf(c.Bound, func(x Bound) {
			r, ok := x.(*relationBound)
			loaded = loaded || ok && r.f.src == s.n
		})
		if loaded {
			return false
		}
	}
	return true
}

func reads(e sqlfront.Expr, s *source) bool { return slices.Contains(sourcesOf(e), s.n) }

// restricted reports whether some source other than a padded bag has an index.
func restricted(c *class, s *source) bool {
	return slices.ContainsFunc(c.members, func(m member) bool {
		return m.src != s && (m.src.bag == nil || !m.src.bag.padded)
	})
}

// nullForNulls reports whether each part of an aggregate that reads a source is
// NULL, or as a filter not TRUE, where all columns of the source are NULL.
func nullForNulls(a *plannedAgg, src int) bool {
	args := []*argument{a.arg}
	for _, word := range slices.Sorted(maps.Keys(a.sums)) {
		args = append(args, a.sums[word])
	}
	for _, arg := range args {
		if arg == nil {
			continue
		}
		for _, f := range arg.factors[src] {
			if len(sourcesOf(f.expr)) == 0 || f.filter == nil && !nullStrict(f.expr) || f.filter != nil && !filterStrict(f.filter) {
				return false
			}
		}
	}
	return true
}

// filterStrict is nullStrict for a predicate that may be FALSE as well.
func filterStrict(e sqlfront.Expr) bool {
	if c, ok := e.(*sqlfront.Call); ok && c.Name == "and" {
		return !slices.ContainsFunc(c.Args, func(arg sqlfront.Expr) bool { return !filterStrict(arg) })
	}
	return nullStrict(e)
}

// strictCalls are the operators and functions that are NULL where any argument is.
var strictCalls = map[string]bool{
	"+": true, "-": true, "*": true, "neg": true, "abs": true,
	"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true,
}

// nullStrict reports whether an expression, and each part of it that reads a column, is
// NULL where any column in it is.
func nullStrict(e sqlfront.Expr) bool {
	switch e := e.(type) {
	case *sqlfront.ColumnRef, *sqlfront.Literal, *sqlfront.Param:
		return true
	case *sqlfront.Cast:
		return nullStrict(e.Arg)
	case *sqlfront.Call:
		return strictCalls[e.Name] && !slices.ContainsFunc(e.Args, func(arg sqlfront.Expr) bool { return !nullStrict(arg) })
	}
	return false
}

// orNulls reads a leaf of a padded bag: of one row where it has none, whose sums
// and counts are 0, or those of a row of NULLs; its extremes are anything where a
// count of 0 masks them.
func (e *emitter) orNulls(s *source, a *einsum.Access) einsum.Expr {
	or := func(leaf string, other int64) einsum.Expr {
		return einsum.Apply(semiring.If0, &einsum.Access{Tensor: a.Tensor, Leaf: leaf, Args: a.Args}, einsum.Int(other))
	}
	counted := a.Leaf == einsum.CountLeaf
	if s.bag.nulls == nil && counted {
		return or(a.Leaf, 1)
	}
	if s.bag.nulls == nil {
		return or(a.Leaf, 0)
	}
	row := e.t.input(s.bag.nulls)
	s.bag.nulls.input = row
	if counted {
		return einsum.Mul(or(a.Leaf, 1), e.access(s.bag.nulls, einsum.CountLeaf))
	}
	i := slices.IndexFunc(s.input.spec.Leaves, func(l load.Leaf) bool { return l.Name == a.Leaf })
	x := ofBranch(s.bag.branches[1], s.input.exprs[a.Leaf])
	other := e.access(s.bag.nulls, row.momentOf(s.input.spec.Leaves[i].Moment, x))
	return einsum.Apply(semiring.Select, or(einsum.CountLeaf, 0), or(a.Leaf, 0), other)
}
