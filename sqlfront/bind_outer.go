package sqlfront

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// subquery binds a query in an expression.
func (b *block) subquery(e *subqueryNode, cl clause) Expr {
	if e.kind == InQuery {
		if r := b.rowQuery(e, cl); r != nil {
			return r.value()
		}
	}
	s := &Subquery{Kind: e.kind, Op: e.op, T: boolean}
	if e.arg != nil {
		s.Arg = b.bindExpr(e.arg, cl)
	}
	sel := e.query
	if e.kind == Exists && sel.setOp == NoSetOp {
		sel = firstRow(sel)
	}
	q, names := b.bindOrText(sel, b.ctes, b)
	nameOutputs(q, names)
	if e.kind != Exists {
		if len(q.Select) != 1 {
			refuse("subquery with several columns")
		}
		if q.Columns[0].Type.ID == rows.SQLNull {
			refuse("NULL in a subquery")
		}
	}
	if e.kind == Scalar {
		s.T = q.Columns[0].Type
	}
	s.Query = q
	return s
}

// firstRow drops a LIMIT that does not change whether there is a row.
func firstRow(sel *selectNode) *selectNode {
	l, ok := sel.limit.(*literalNode)
	if !ok || sel.offset != nil || !l.number || strings.Trim(l.sql, "0") == "" {
		return sel
	}
	out := *sel
	out.limit = nil
	return &out
}

// outerColumn looks for a name that this block does not know in those around it,
// from the inside out.
func (b *block) outerColumn(name string, find func(*scope) *scopeColumn) Expr {
	levels := 0
	for at := b; ; at = at.around {
		if at.hasAlias(name) {
			refuse("alias ", name, " in an expression")
		}
		if at.around == nil {
			refuse("unknown name ", name)
		}
		if at.own {
			levels++
		}
		up := at.around
		in := up.scope
		if in == nil { // a derived table in FROM sees those before it
			in = &scope{tables: up.seen}
		}
		if c := find(in); c != nil {
			return up.seenFrom(b.copyOf(c), levels)
		}
	}
}

// hasAlias reports whether the select list gives a name, which DuckDB may then
// take for it.
func (b *block) hasAlias(name string) bool {
	return slices.ContainsFunc(b.sel.items, func(i itemNode) bool { return fold(i.alias) == fold(name) })
}

// seenFrom is an expression over a block's columns as a query so many levels
// inside sees it.
func (b *block) seenFrom(e Expr, levels int) Expr {
	if levels == 0 {
		return e
	}
	b.query.checkCollations([]Expr{e})
	var shift func(Expr) Expr
	shift = func(e Expr) Expr {
		switch e := e.(type) {
		case *ColumnRef:
			return &OuterRef{Levels: levels, Column: e}
		case *OuterRef:
			return &OuterRef{Levels: e.Levels + levels, Column: e.Column}
		case *Subquery:
			refuse("subquery in an outer column")
		}
		return MapChildren(e, shift)
	}
	return shift(e)
}

// onlyOuter reports whether an expression has columns, all of blocks further
// out: an aggregate of it may be theirs.
func onlyOuter(e Expr) bool {
	outer, inner := false, false
	WalkExpr(e, func(e Expr) {
		switch e.(type) {
		case *OuterRef:
			outer = true
		case *ColumnRef, *Subquery:
			inner = true
		}
	})
	return outer && !inner
}
