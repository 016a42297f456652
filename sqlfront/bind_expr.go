package sqlfront

import (
	"slices"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
)

// clause says where an expression stands, which decides what aliases mean.
// DuckDB looks for a column first in WHERE, ON and the select list; in HAVING
// and ORDER BY the answer depends, so a name that could be both is refused.
type clause uint8

const (
	clauseWhere clause = iota // ON, LIMIT
	clauseSelect
	clauseGroup
	clauseHaving
	clauseOrder
)

// aggregates are the aggregate functions with a translation.
var aggregates = map[string]bool{"count": true, "sum": true, "avg": true, "min": true, "max": true}

// bindExpr resolves the names of an expression. Aggregates become AggRefs, types
// are set where they can be told at once.
func (b *block) bindExpr(e exprNode, cl clause) Expr {
	switch e := e.(type) {
	case *nameNode:
		return b.name(e, cl)
	case *literalNode:
		return &Literal{SQL: e.sql, T: e.typ}
	case *paramNode:
		return b.param(e.n)
	case *callNode:
		c := &Call{Name: e.name, Args: b.bindList(e.args, cl)}
		c.T = inferCall(c)
		return c
	case *castNode:
		return &Cast{Arg: b.bindExpr(e.arg, cl), T: e.typ}
	case *caseNode:
		return b.bindCase(e, cl)
	case *inNode:
		return &In{Arg: b.bindExpr(e.arg, cl), List: b.bindList(e.list, cl), Not: e.not}
	case *funcNode:
		return b.call(e, cl)
	case *subqueryNode:
		return b.subquery(e, cl)
	default:
		panic(invariant.Failed("sqlfront: unknown exprNode %T", e))
	}
}

func (b *block) bindList(list []exprNode, cl clause) []Expr {
	out := make([]Expr, len(list))
	for i, e := range list {
		out[i] = b.bindExpr(e, cl)
	}
	return out
}

func (b *block) bindCase(e *caseNode, cl clause) Expr {
	c := &Case{}
	if e.operand != nil {
		c.Operand = b.bindExpr(e.operand, cl)
	}
	for _, w := range e.whens {
		c.Whens = append(c.Whens, When{Cond: b.bindExpr(w.cond, cl), Then: b.bindExpr(w.then, cl)})
	}
	if e.els != nil {
		c.Else = b.bindExpr(e.els, cl)
	}
	c.T = inferCase(c)
	return c
}

func (b *block) name(e *nameNode, cl clause) Expr {
	if len(e.parts) > 1 {
		find := func(s *scope) *scopeColumn { return s.qualified(e.parts) }
		if c := find(b.scope); c != nil {
			return c.expr
		}
		return b.outerColumn(e.parts[0], find)
	}
	name := e.parts[0]
	found := b.scope.unqualified(name)
	if len(found) > 1 {
		refuse("ambiguous name ", name)
	}
	alias, isAlias := -1, false
	if !b.inAgg && cl != clauseWhere && cl != clauseSelect {
		alias, isAlias = b.alias(name)
	}
	switch {
	case len(found) == 1 && (!isAlias || b.itemIs(alias, found[0])):
		return found[0].expr
	case len(found) == 1:
		refuse("ambiguous name ", name)
	case isAlias && (cl == clauseHaving || cl == clauseOrder):
		e := b.bindItem(alias)
		if _, constant := e.(*Literal); constant && cl == clauseHaving {
			refuse("alias of a constant")
		}
		return e
	}
	if _, ok := b.aliases[fold(name)]; ok {
		refuse("alias ", name, " in an expression")
	}
	return b.outerColumn(name, func(s *scope) *scopeColumn {
		found := s.unqualified(name)
		switch len(found) {
		case 0:
			return nil
		case 1:
			return found[0]
		}
		refuse("ambiguous name ", name)
		return nil
	})
}

// itemIs reports whether an output column is just the given column.
func (b *block) itemIs(i int, c *scopeColumn) bool {
	it := b.items[i]
	if it.column != nil {
		return it.column == c
	}
	n, ok := it.expr.(*nameNode)
	return ok && b.bindExpr(n, clauseSelect) == c.expr
}

// call binds a function or aggregate call.
func (b *block) call(e *funcNode, cl clause) Expr {
	name := fold(e.name)
	if name == "ifnull" && len(e.args) == 2 {
		name = "coalesce" // what DuckDB's parser makes of it
	}
	switch {
	case name == "coalesce":
		if len(e.args) == 0 || e.star || e.distinct {
			refuse("syntax: COALESCE")
		}
	case name == "nullif" && !b.function(name).Redefined:
		// A macro of DuckDB's own: CASE WHEN a = b THEN NULL ELSE a END.
		if len(e.args) != 2 || e.star || e.distinct {
			refuse("syntax: NULLIF")
		}
	case name == "count_star" && len(e.args) == 0 && !e.star && !e.distinct:
		return b.aggregate("count", &funcNode{name: "count", star: true}, cl)
	default:
		f := b.function(name)
		switch {
		case f.Macro:
			refuse("macro ", name)
		case f.Aggregate && aggregates[name]:
			return b.aggregate(name, e, cl)
		case f.Aggregate:
			refuse("aggregate ", name)
		case !f.Scalar:
			refuse("unknown function ", name)
		case !f.Consistent:
			refuse("volatile function ", name)
		case e.star || e.distinct:
			refuse("syntax: function ", name)
		}
	}
	c := &Call{Name: name, Args: b.bindList(e.args, cl)}
	c.T = inferCall(c)
	return c
}

// aggregate adds an aggregate call to the query, once.
func (b *block) aggregate(name string, e *funcNode, cl clause) Expr {
	switch {
	case b.inAgg:
		refuse("nested aggregate")
	case cl == clauseWhere:
		refuse("aggregate in WHERE")
	case e.star && name != "count", !e.star && len(e.args) != 1:
		refuse("arguments of ", name)
	}
	a := &AggCall{Func: name, Distinct: e.distinct}
	if !e.star {
		b.inAgg = true
		a.Args = b.bindList(e.args, cl)
		b.inAgg = false
		if slices.ContainsFunc(a.Args, onlyOuter) {
			refuse("aggregate of outer columns")
		}
		if l, ok := a.Args[0].(*Literal); ok && name == "count" && !e.distinct && l.T.ID != rows.SQLNull {
			a.Args = nil // count(1)
		}
	}
	key := aggKey(a)
	n, ok := b.aggKeys[key]
	if !ok {
		n = len(b.query.Aggs)
		b.aggKeys[key] = n
		b.query.Aggs = append(b.query.Aggs, a)
	}
	return &AggRef{N: n}
}
