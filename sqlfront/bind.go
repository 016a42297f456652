package sqlfront

import (
	"strconv"

	"github.com/trireme-db/trireme/internal/rows"
)

var boolean = rows.Type{ID: rows.Boolean}

// block binds one SELECT. A plain derived table is a block that writes into the
// query of the block around it.
type block struct {
	*binder
	query *Query
	sel   *selectNode
	ctes  *cteScope
	scope *scope
	items []boundItem
	// aliases are the explicit aliases of items, lower case; an alias that is
	// given twice has index -1.
	aliases   map[string]int
	aggKeys   map[string]int
	usedMerge bool
	inAgg     bool
}

// boundItem is an output column before and after binding. Exactly one of node
// and column is set: column for what a star stands for.
type boundItem struct {
	expr   exprNode
	column *scopeColumn
	alias  string
	bound  Expr // over columns and AggRefs
}

// name is the column's name where it does not depend on how DuckDB prints
// expressions.
func (it boundItem) name() string {
	switch {
	case it.alias != "":
		return it.alias
	case it.column != nil:
		return it.column.name
	}
	if n, ok := it.expr.(*nameNode); ok {
		return n.parts[len(n.parts)-1]
	}
	return ""
}

// plain reports whether a block is selection, projection and join only.
func (b *binder) plain(sel *selectNode) bool {
	if sel.distinct || len(sel.groupBy) > 0 || sel.having != nil {
		return false
	}
	for _, item := range sel.items {
		if !item.star && b.hasAggregate(item.expr) {
			return false
		}
	}
	return true
}

// hasAggregate looks for an aggregate call.
func (b *binder) hasAggregate(e exprNode) bool {
	found := false
	walkNodes(e, func(e exprNode) {
		if f, ok := e.(*funcNode); ok && !found {
			found = aggregates[fold(f.name)] || f.star || f.distinct || b.function(fold(f.name)).Aggregate
		}
	})
	return found
}

// block binds a SELECT into a query of its own.
func (b *binder) block(sel *selectNode, ctes *cteScope, top bool) *block {
	bl := &block{binder: b, query: &Query{}, sel: sel, aggKeys: map[string]int{}}
	grouped := len(sel.groupBy) > 0 || sel.having != nil
	if top && !grouped && !sel.distinct {
		any := false
		for _, item := range sel.items {
			any = any || !item.star && b.hasAggregate(item.expr)
		}
		for _, o := range sel.orderBy {
			any = any || b.hasAggregate(o.expr)
		}
		if !any {
			refuse("no aggregate")
		}
	}
	bl.bindFromWhere(ctes)
	bl.items = bl.expandItems()
	bl.aliases = map[string]int{}
	for i, it := range bl.items {
		if a := fold(it.alias); a != "" {
			if _, twice := bl.aliases[a]; twice {
				i = -1
			}
			bl.aliases[a] = i
		}
	}
	bl.groups()
	bl.outputs()
	return bl
}

// bindFromWhere binds WITH, FROM and WHERE.
func (b *block) bindFromWhere(ctes *cteScope) {
	b.ctes = ctes
	for i := range b.sel.with {
		b.ctes = &cteScope{node: &b.sel.with[i], outer: b.ctes}
	}
	b.scope = b.from(b.sel.from)
	if b.sel.where != nil {
		b.conjuncts(b.sel.where, b.scope)
	}
}

// conjuncts appends a condition to Where, cut at its ANDs.
func (b *block) conjuncts(e exprNode, s *scope) {
	if c, ok := e.(*callNode); ok && c.name == "and" {
		for _, arg := range c.args {
			b.conjuncts(arg, s)
		}
		return
	}
	outer := b.scope
	b.scope = s
	bound := b.bindExpr(e, clauseWhere)
	b.scope = outer
	b.query.Where = append(b.query.Where, bound)
}

// expandItems replaces stars by columns.
func (b *block) expandItems() []boundItem {
	var out []boundItem
	for _, item := range b.sel.items {
		if !item.star {
			out = append(out, boundItem{expr: item.expr, alias: item.alias})
			continue
		}
		if b.usedMerge {
			refuse("star over USING")
		}
		tables := b.scope.tables
		if item.starTable != "" {
			t := b.scope.table(item.starTable)
			if t == nil {
				refuse("unknown name ", item.starTable)
			}
			tables = []*scopeTable{t}
		}
		for _, t := range tables {
			for i := range t.cols {
				out = append(out, boundItem{column: &t.cols[i]})
			}
		}
	}
	return out
}

// bindItem binds an output column once.
func (b *block) bindItem(i int) Expr {
	it := &b.items[i]
	if it.bound == nil {
		if it.column != nil {
			it.bound = it.column.expr
		} else {
			it.bound = b.bindExpr(it.expr, clauseSelect)
		}
	}
	return it.bound
}

// groups binds GROUP BY, or what DISTINCT groups by.
func (b *block) groups() {
	q := b.query
	seen := map[string]bool{}
	add := func(e Expr) {
		if !hasColumn(e) {
			refuse("constant in GROUP BY")
		}
		if k := exprKey(e); !seen[k] {
			seen[k] = true
			q.GroupBy = append(q.GroupBy, e)
		}
	}
	for _, g := range b.sel.groupBy {
		e := b.groupExpr(g)
		if hasAggRef(e) {
			refuse("aggregate in GROUP BY")
		}
		add(e)
	}
	q.Grouped = len(b.sel.groupBy) > 0
	for i := range b.items {
		b.bindItem(i)
	}
	if b.sel.distinct {
		if q.Grouped || b.sel.having != nil || len(q.Aggs) > 0 {
			refuse("DISTINCT over groups")
		}
		q.Distinct = true
		for _, it := range b.items {
			add(it.bound)
		}
	}
}

// groupExpr binds a GROUP BY element: a position, a column, an alias, an
// expression, in this order.
func (b *block) groupExpr(g exprNode) Expr {
	switch g := g.(type) {
	case *literalNode:
		return b.bindItem(b.position(g, "GROUP BY"))
	case *paramNode:
		refuse("parameter in GROUP BY")
	case *nameNode:
		if len(g.parts) == 1 && len(b.scope.unqualified(g.parts[0])) == 0 {
			if i, ok := b.alias(g.parts[0]); ok {
				return b.bindItem(i)
			}
		}
	}
	return b.bindExpr(g, clauseGroup)
}

// position reads a literal as the number of an output column.
func (b *block) position(l *literalNode, clause string) int {
	n, err := strconv.Atoi(l.sql)
	if err != nil || !l.number {
		refuse("constant in ", clause)
	}
	if n < 1 || n > len(b.items) {
		refuse("position in ", clause)
	}
	return n - 1
}

// alias finds an explicit alias of the select list.
func (b *block) alias(name string) (int, bool) {
	i, ok := b.aliases[fold(name)]
	if ok && i < 0 {
		refuse("ambiguous name ", name)
	}
	return i, ok
}

// outputs binds what is computed over groups and aggregates, and types it.
func (b *block) outputs() {
	q := b.query
	var having Expr
	if b.sel.having != nil {
		having = b.bindExpr(b.sel.having, clauseHaving)
	}
	orders := make([]Expr, len(b.sel.orderBy))
	for i, o := range b.sel.orderBy {
		orders[i] = b.orderExpr(o.expr)
	}
	b.typeInputs()
	l := b.newLifter()
	for _, it := range b.items {
		q.Select = append(q.Select, SelectItem{Expr: l.lift(it.bound), Name: it.name()})
	}
	if having != nil {
		q.Having = l.lift(having)
	}
	for i, o := range b.sel.orderBy {
		e := l.lift(orders[i])
		if !hasOutputRef(e) {
			continue // constant: orders nothing
		}
		q.OrderBy = append(q.OrderBy, OrderItem{Expr: e, Desc: o.desc, NullsFirst: o.nulls == nullsFirst})
	}
	b.typeOutputs()
	if b.sel.limit != nil {
		q.Limit = b.bindExpr(b.sel.limit, clauseWhere)
	}
	if b.sel.offset != nil {
		q.Offset = b.bindExpr(b.sel.offset, clauseWhere)
	}
}

// orderExpr binds an ORDER BY element: a position, an alias, an expression.
func (b *block) orderExpr(o exprNode) Expr {
	switch o := o.(type) {
	case *literalNode:
		return b.bindItem(b.position(o, "ORDER BY"))
	case *paramNode:
		refuse("parameter in ORDER BY")
	}
	return b.bindExpr(o, clauseOrder)
}
