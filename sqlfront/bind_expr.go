package sqlfront

import (
	"strings"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
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
		if truthTests[e.name] {
			return truthTest(e.name, b.bindExpr(e.args[0], cl))
		}
		if rows := b.comparedRows(e, cl); rows != nil {
			return rows
		}
		b.sameMeaning(e.name)
		c := &Call{Name: e.name, Args: b.bindList(e.args, cl)}
		c.T = inferCall(c)
		return equalOrNull(c)
	case *castNode:
		t := b.castType(e.typ)
		if e.try {
			return &Call{Name: TryCast, Args: []Expr{b.bindExpr(e.arg, cl)}, T: t}
		}
		return &Cast{Arg: b.bindExpr(e.arg, cl), T: t}
	case *caseNode:
		return b.bindCase(e, cl)
	case *inNode:
		if row := b.listedRow(e, cl); row != nil {
			return row
		}
		return &In{Arg: b.bindExpr(e.arg, cl), List: b.bindList(e.list, cl), Not: e.not}
	case *funcNode:
		return b.call(e, cl)
	case *subqueryNode:
		return b.subquery(e, cl)
	case *rowNode:
		refuse("row value")
		return nil
	case *setsNode, *allNode:
		refuse("GROUPING SETS")
		return nil
	default:
		panic(invariant.Failed("sqlfront: unknown exprNode %T", e))
	}
}

// truthTests are IS [NOT] TRUE and IS [NOT] FALSE.
var truthTests = map[string]bool{"is true": true, "is not true": true, "is false": true, "is not false": true}

// truthTest writes a truth test with COALESCE: IS NOT FALSE is TRUE where the
// value is NULL.
func truthTest(name string, e Expr) Expr {
	if e.Type() != boolean {
		e = &Cast{Arg: e, T: boolean}
	}
	known := func(unknown string) Expr {
		return &Call{Name: "coalesce", Args: []Expr{e, &Literal{SQL: unknown, T: boolean}}, T: boolean}
	}
	not := func(e Expr) Expr { return &Call{Name: "not", Args: []Expr{e}, T: boolean} }
	switch name {
	case "is true":
		return known("false")
	case "is not true":
		return not(known("false"))
	case "is false":
		return not(known("true"))
	case "is not false":
		return known("true")
	default:
		panic(invariant.Failed("sqlfront: unknown truth test %s", name))
	}
}

// castType is the type that a cast names. What DuckDB does not build in is an ENUM that
// somebody has made; a view's name for it is looked for where the view is.
func (b *binder) castType(t rows.Type) rows.Type {
	if t.ID != rows.Invalid {
		return t
	}
	name := t.Name
	if b.within != nil {
		name = load.Quote(b.within.Catalog) + "." + load.Quote(b.within.Schema) + "." + name
	}
	if known, ok := b.enums[name]; ok {
		return known
	}
	found := b.describeTypes("SELECT CAST(NULL AS "+name+")", 1)[0]
	if found.ID != rows.Enum {
		refuse("cast to ", fold(unquote(t.Name)))
	}
	if b.enums == nil {
		b.enums = map[string]rows.Type{}
	}
	b.enums[name] = found
	return found
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

// copyOf is what a column stands for. Where that is an expression of a derived table it
// counts as a copy.
func (b *binder) copyOf(c *scopeColumn) Expr {
	if _, column := c.expr.(*ColumnRef); !column {
		WalkExpr(c.expr, func(Expr) { b.copied++ })
		if b.copied > copiedMax {
			refuse("expressions of derived tables that are too large where they are put together")
		}
	}
	return c.expr
}

func (b *block) name(e *nameNode, cl clause) Expr {
	if len(e.parts) > 1 {
		find := func(s *scope) *scopeColumn { return s.qualified(e.parts) }
		if c := find(b.scope); c != nil {
			return b.copyOf(c)
		}
		return b.outerColumn(e.parts[0], find)
	}
	name := e.parts[0]
	found := b.scope.unqualified(name)
	if len(found) > 1 {
		refuse("ambiguous name ", name)
	}
	// A column of FROM goes before an alias in GROUP BY and in expressions of ORDER BY;
	// in HAVING where it is grouped.
	alias, isAlias := -1, false
	if !b.inAgg && (cl == clauseHaving || len(found) == 0 && (cl == clauseGroup || cl == clauseOrder)) {
		alias, isAlias = b.alias(name)
	}
	switch {
	case len(found) == 1 && (!isAlias || b.itemIs(alias, found[0])):
		return b.copyOf(found[0])
	case len(found) == 1 && b.grouped(name, found[0].expr):
		return b.copyOf(found[0])
	case isAlias && (cl == clauseHaving || cl == clauseOrder):
		e := b.bindItem(alias)
		if _, constant := e.(*Literal); constant && cl == clauseHaving {
			refuse("alias of a constant")
		}
		return e
	}
	if i, ok := b.aliases[fold(name)]; ok {
		return b.aliasIn(cl, name, i)
	}
	return b.clockOrOuter(name, cl, func(s *scope) *scopeColumn {
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

// aliasIn binds an alias of the select list that stands in an expression: of a
// later output column or of WHERE, where it means what the output column says.
// Aggregates know no aliases.
func (b *block) aliasIn(cl clause, name string, i int) Expr {
	known := cl == clauseSelect && i < b.item || cl == clauseWhere && b.inWhere
	if b.inAgg || i < 0 || !known || b.aliasOpen[i] || hasQuery(b.items[i].expr) {
		refuse("alias ", name, " in an expression")
	}
	if b.aliasUses++; b.aliasUses > aliasUsesMax {
		refuse("too many aliases in expressions")
	}
	b.aliasOpen[i] = true
	defer delete(b.aliasOpen, i)
	if cl == clauseWhere {
		return b.bindExpr(b.items[i].expr, cl)
	}
	b.items[b.item].usesAlias = true
	return b.itemExpr(i)
}

// hasQuery reports whether an expression has a subquery.
func hasQuery(e exprNode) bool {
	found := false
	walkNodes(e, func(e exprNode) {
		_, query := e.(*subqueryNode)
		found = found || query
	})
	return found
}

// grouped reports whether GROUP BY has a column that is an alias as well.
func (b *block) grouped(name string, column Expr) bool {
	within := false
	for _, g := range b.query.GroupBy {
		if g == column {
			return true
		}
		WalkExpr(g, func(e Expr) { within = within || e == column })
	}
	if within { // of which expression it is a part decides, which is not known here
		refuse("ambiguous name ", name)
	}
	return false
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
	bare := !e.star && !e.distinct && e.filter == nil && len(e.order) == 0
	b.sameMeaning(name)
	switch {
	case name == "coalesce":
		if len(e.args) == 0 || !bare {
			refuse("syntax: COALESCE")
		}
	case name == "nullif" && !b.function(name).Redefined:
		// A macro of DuckDB's own: CASE WHEN a = b THEN NULL ELSE a END.
		if len(e.args) != 2 || !bare {
			refuse("syntax: NULLIF")
		}
	case name == "if" && len(e.args) == 3 && bare: // a CASE, of DuckDB's parser too
		return b.bindCase(&caseNode{whens: []whenNode{{cond: e.args[0], then: e.args[1]}}, els: e.args[2]}, cl)
	case name == "grouping", name == "grouping_id":
		if len(e.args) == 0 || !bare || b.inAgg || cl == clauseWhere || cl == clauseGroup {
			refuse("GROUPING")
		}
		return &Call{Name: groupingCall, Args: b.bindList(e.args, cl), T: rows.Type{ID: rows.BigInt}}
	case name == "count_star" && len(e.args) == 0 && !e.star && !e.distinct:
		return b.aggregate(aggregates["count"], &funcNode{name: "count", star: true, filter: e.filter}, cl)
	default:
		f := b.function(name)
		switch {
		case clockCalls[name] != "" && len(e.args) == 0 && bare && !f.Redefined:
			return b.clock(clockCalls[name], cl)
		case f.Macro:
			refuse("macro ", name)
		case f.Aggregate && aggregates[name].name != "":
			return b.aggregate(aggregates[name], e, cl)
		case f.Aggregate:
			refuse("aggregate ", name)
		case !f.Scalar:
			refuse("unknown function ", name)
		case name == "struct_pack": // names fields as its arguments are named
			refuse("function struct_pack")
		case !f.Consistent, readsClock(name, len(e.args)):
			refuse("volatile function ", name)
		case !bare:
			refuse("syntax: function ", name)
		}
	}
	c := &Call{Name: name, Args: b.bindList(e.args, cl)}
	c.T = inferCall(c)
	return c
}

// ofThisRelease ends the reason of a function that another release of DuckDB has as the
// tensor engine does.
const ofThisRelease = " of this release of DuckDB"

// DependsOnRelease reports whether a statement would not be refused for a reason in another
// release of DuckDB.
func DependsOnRelease(reason string) bool { return strings.HasSuffix(reason, ofThisRelease) }

// sameMeaning refuses a function or operator to which the linked release of DuckDB
// gives another meaning than the tensor engine.
func (b *block) sameMeaning(name string) {
	if b.function(name).Differs {
		refuse("function ", name, ofThisRelease)
	}
}

// readsClock reports whether a function that DuckDB calls CONSISTENT depends on
// the present time: age of one argument is counted from today.
func readsClock(name string, args int) bool { return name == "age" && args == 1 }
