package sqlfront

import (
	"slices"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
)

// semiJoin binds A SEMI JOIN B and A ANTI JOIN B: of A the rows for which EXISTS, or
// NOT EXISTS, a row of B under the condition. What comes after it sees A alone.
func (b *block) semiJoin(f *joinNode, nullable bool) (*scope, *Join) {
	if nullable {
		refuse("semi join below an outer join")
	}
	left, tree := b.from(f.left, false)
	inner := &block{binder: b.binder, query: &Query{}, sel: &selectNode{}, ctes: b.ctes, around: b, own: true}
	right, rightTree := inner.from(f.right, false)
	outer := b.scopeFrom(left)
	both := &scope{tables: slices.Concat(outer.tables, right.tables)}
	var on []Expr
	switch f.kind {
	case joinOn:
		on = inner.conjuncts(nil, f.on, both)
	case joinUsing:
		on = inner.sameColumns(both, outer, right, f.using)
	case joinNatural:
		on = inner.sameColumns(both, outer, right, common(outer, right))
	default:
		panic(invariant.Failed("sqlfront: semi join of kind %d", f.kind))
	}
	inner.placeTree(rightTree)
	inner.query.Where = append(inner.query.Where, on...)
	inner.typeInputs()
	selectOne(inner.query)
	var kept Expr = &Subquery{Kind: Exists, Query: inner.query, T: boolean}
	if f.side == sideAnti {
		kept = &Call{Name: "not", Args: []Expr{kept}, T: boolean}
	}
	b.query.Where = append(b.query.Where, kept)
	return left, tree
}

// scopeFrom is what names of this block mean to a query inside it.
func (b *block) scopeFrom(s *scope) *scope {
	out := &scope{}
	for _, t := range s.tables {
		seen := &scopeTable{alias: t.alias, base: t.base, cols: slices.Clone(t.cols)}
		for i := range seen.cols {
			seen.cols[i].expr = b.seenFrom(seen.cols[i].expr, 1)
		}
		out.tables = append(out.tables, seen)
	}
	return out
}

// sameColumns are the equalities of USING or NATURAL.
func (b *block) sameColumns(both, left, right *scope, names []string) []Expr {
	j := &Join{}
	b.merge(j, both, left, right, names, sideInner)
	return j.On
}

// selectOne makes a query of which only the rows count one of a constant.
func selectOne(q *Query) {
	one := rows.Type{ID: rows.Integer}
	q.Select = []SelectItem{{Name: "one", Expr: &Cast{Arg: &Literal{SQL: "1", T: one}, T: one}}}
	q.Columns = []rows.Column{{Name: "one", Type: one}}
}
