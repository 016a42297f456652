package sqlfront

import (
	"slices"
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
	// scope is what names mean; nil while FROM is being bound, when seen holds
	// the tables bound so far.
	scope *scope
	seen  []*scopeTable
	// around is the block whose columns a name may mean that is not known here;
	// own says that the query is another than around's.
	around *block
	own    bool
	items  []boundItem
	// aliases are the explicit aliases of items, lower case; an alias that is
	// given twice has index -1.
	aliases map[string]int
	// item is the output column that is being bound, inWhere says that WHERE is;
	// aliasOpen are the output columns that aliases there have led to.
	item      int
	inWhere   bool
	aliasOpen map[int]bool
	aggKeys   map[string]int
	usedMerge bool
	// mergedOuter: by a RIGHT or FULL JOIN, where a star has another order.
	mergedOuter bool
	inAgg       bool
}

// boundItem is an output column before and after binding. Exactly one of node
// and column is set: column for what a star stands for.
type boundItem struct {
	expr   exprNode
	column *scopeColumn
	alias  string
	bound  Expr // over columns and AggRefs
	// usesAlias: the expression has aliases of columns before it.
	usesAlias bool
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
	return sel.setOp == NoSetOp && !sel.distinct && len(sel.groupBy) == 0 && sel.having == nil && !b.aggregates(sel)
}

// gathers reports whether a statement makes less of its rows: by groups,
// aggregates, DISTINCT or a set operation.
func (b *binder) gathers(sel *selectNode) bool {
	if sel.setOp == UnionAll {
		return slices.ContainsFunc(sel.arms, b.gathers)
	}
	return !b.plain(sel)
}

// aggregates looks for an aggregate call in what a block computes.
func (b *binder) aggregates(sel *selectNode) bool {
	for _, item := range sel.items {
		if !item.star && b.hasAggregate(item.expr) {
			return true
		}
	}
	for _, o := range sel.orderBy {
		if b.hasAggregate(o.expr) {
			return true
		}
	}
	return false
}

// hasAggregate looks for an aggregate call.
func (b *binder) hasAggregate(e exprNode) bool {
	found := false
	walkNodes(e, func(e exprNode) {
		if f, ok := e.(*funcNode); ok && !found {
			found = aggregates[fold(f.name)].name != "" || f.star || f.distinct || b.mayAggregate(b.function(fold(f.name)))
		}
	})
	return found
}

// mayAggregate reports whether a function is an aggregate, or a macro that may call one.
func (b *binder) mayAggregate(f Function) bool {
	if f.Aggregate || f.Redefined {
		return true
	}
	for _, m := range f.Macros {
		for name := range namesIn(m.Body) {
			if !m.Table && b.function(name).Aggregate {
				return true
			}
		}
	}
	return false
}

// outputNames are the columns of a query by name, empty where DuckDB makes one
// up, for each arm of a set operation; the first gives the query's.
type outputNames [][]string

// bindOrText binds a subquery or an arm; one that is refused may be a text, of
// which the query has the columns.
func (b *binder) bindOrText(sel *selectNode, ctes *cteScope, around *block) (q *Query, out outputNames) {
	b.attempt(sel, ctes, func() { q, out = b.bind(sel, ctes, around) }, func(s Source) {
		q, out = wholeSource("text", s)
	})
	return q, out
}

// wholeSource is a query of all columns of a source.
func wholeSource(alias string, s Source) (*Query, outputNames) {
	s.Alias = alias
	q, out := &Query{From: []Source{s}}, outputNames{nil}
	for i, c := range s.Columns {
		ref := &ColumnRef{Column: i, Name: c.Name, T: c.Type}
		q.Select = append(q.Select, SelectItem{Expr: ref, Name: c.Name})
		out[0] = append(out[0], c.Name)
	}
	return q, out
}

// bind binds a SELECT or a set operation into a query of its own.
func (b *binder) bind(sel *selectNode, ctes *cteScope, around *block) (*Query, outputNames) {
	b.blocks++
	if b.blocks > blocksMax {
		refuse("too many blocks")
	}
	switch {
	case sel.programText() != "":
		return wholeSource("program", b.programSource(sel, ctes))
	case sel.setOp != NoSetOp:
		return b.setOperation(sel, ctes, around)
	case sel.distinct && (len(sel.groupBy) > 0 || sel.having != nil || b.aggregates(sel)):
		return b.distinctGroups(sel, ctes, around)
	}
	bl := &block{binder: b, query: &Query{}, sel: sel, around: around, own: true, aggKeys: map[string]int{}}
	bl.bindTree(ctes)
	if b.plain(sel) {
		bl.plainOutputs()
	} else {
		bl.groups()
		bl.outputs()
	}
	names := make([]string, len(bl.items))
	for i, it := range bl.items {
		names[i] = it.name()
	}
	return bl.query, outputNames{names}
}

func (b *block) findAliases() {
	b.aliases, b.aliasOpen = map[string]int{}, map[int]bool{}
	for i, it := range b.items {
		if a := fold(it.alias); a != "" {
			if _, twice := b.aliases[a]; twice {
				i = -1
			}
			b.aliases[a] = i
		}
	}
}

// bindTree binds WITH, FROM and WHERE, and finds the output columns.
func (b *block) bindTree(ctes *cteScope) {
	b.placeTree(b.bindFromWhere(ctes, false))
}

// placeTree puts the tree of FROM into the query. Without an outer join there is no
// tree: its conditions are those of the block.
func (b *block) placeTree(tree *Join) {
	outer := false
	tree.each(func(j *Join) { outer = outer || j.Kind != InnerJoin })
	if outer {
		b.query.Tree = tree
		return
	}
	var on []Expr
	tree.each(func(j *Join) { on = append(on, j.On...) })
	b.query.Where = append(on, b.query.Where...)
}

// bindFromWhere binds WITH, FROM and WHERE, and finds the output columns; nullable:
// in what an outer join pads.
func (b *block) bindFromWhere(ctes *cteScope, nullable bool) *Join {
	b.ctes = ctes
	for i := range b.sel.with {
		b.ctes = &cteScope{node: &b.sel.with[i], outer: b.ctes}
	}
	s, tree := &scope{}, (*Join)(nil)
	if b.sel.from != nil {
		s, tree = b.from(b.sel.from, nullable)
	}
	b.scope = s
	b.items = b.expandItems()
	b.findAliases()
	if b.sel.where != nil {
		b.inWhere = true
		b.query.Where = b.conjuncts(b.query.Where, b.sel.where, b.scope)
		b.inWhere = false
	}
	return tree
}

// conjuncts appends a condition to list, cut at its ANDs.
func (b *block) conjuncts(list []Expr, e exprNode, s *scope) []Expr {
	if c, ok := e.(*callNode); ok && c.name == "and" {
		for _, arg := range c.args {
			list = b.conjuncts(list, arg, s)
		}
		return list
	}
	outer := b.scope
	b.scope = s
	bound, rows := b.rowConjuncts(e)
	if !rows {
		bound = []Expr{b.bindExpr(e, clauseWhere)}
	}
	b.scope = outer
	for _, e := range bound {
		if x, y, ok := equalOrBothNull(e); ok { // FALSE and NULL are the same here
			e = &Call{Name: "is not distinct from", Args: []Expr{x, y}, T: boolean}
		}
		list = bothTrue(list, e)
	}
	return list
}

// expandItems replaces stars by columns.
func (b *block) expandItems() []boundItem {
	var out []boundItem
	for _, item := range b.sel.items {
		if !item.star {
			out = append(out, boundItem{expr: item.expr, alias: item.alias})
			continue
		}
		if b.usedMerge && (item.starTable != "" || b.mergedOuter) {
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
				if !t.cols[i].merged {
					out = append(out, boundItem{column: &t.cols[i]})
				}
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
			it.bound = b.itemExpr(i)
		}
	}
	return it.bound
}

// itemExpr binds the expression of an output column.
func (b *block) itemExpr(i int) Expr {
	around := b.item
	b.item = i
	defer func() { b.item = around }()
	return b.bindExpr(b.items[i].expr, clauseSelect)
}

// groupExpr binds a GROUP BY element: a position, a column, an alias, an
// expression, in this order.
func (b *block) groupExpr(g exprNode) Expr {
	switch g := g.(type) {
	case *literalNode:
		if g.number {
			return b.groupItem(b.position(g, "GROUP BY"))
		}
	case *nameNode:
		if len(g.parts) == 1 && len(b.scope.unqualified(g.parts[0])) == 0 {
			if i, ok := b.alias(g.parts[0]); ok {
				return b.groupItem(i)
			}
		}
	}
	return b.bindExpr(g, clauseGroup)
}

// groupItem binds an output column that GROUP BY names. An alias within it is one
// in an expression of GROUP BY, which DuckDB does not know.
func (b *block) groupItem(i int) Expr {
	e := b.bindItem(i)
	if b.items[i].usesAlias {
		refuse("alias in GROUP BY")
	}
	return e
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
	by := allOutputs(b.sel.orderBy, len(b.items))
	orders := make([]Expr, len(by))
	for i, o := range by {
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
	for i, o := range by {
		e := l.lift(orders[i])
		if !hasOutputRef(e) {
			continue // constant: orders nothing
		}
		q.OrderBy = append(q.OrderBy, OrderItem{Expr: e, Desc: o.desc, NullsFirst: o.nulls == nullsFirst})
	}
	b.typeOutputs()
	q.Limit, q.Offset = b.limitValue(b.sel.limit), b.limitValue(b.sel.offset)
}

// limitValue binds the number of LIMIT or OFFSET; nil: none.
func (b *binder) limitValue(e exprNode) Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *literalNode:
		return &Literal{SQL: e.sql, T: e.typ}
	case *paramNode:
		return b.param(e.n)
	}
	refuse("LIMIT expression")
	return nil
}

// plainOutputs binds the select list of a block without groups. An ORDER BY
// without LIMIT means nothing inside a statement.
func (b *block) plainOutputs() {
	if b.sel.limit != nil || b.sel.offset != nil || !ignorable(b.sel.orderBy) {
		refuse("ORDER BY or LIMIT in a derived table")
	}
	for i := range b.items {
		b.bindItem(i)
	}
	b.typeInputs()
	var roots []Expr
	for _, it := range b.items {
		roots = append(roots, it.bound)
	}
	b.query.checkCollations(roots)
	b.resolve(roots)
	for _, it := range b.items {
		e := it.bound
		if (adaptive(e) || !hasColumn(e)) && e.Type().ID != rows.SQLNull {
			e = &Cast{Arg: e, T: e.Type()}
		}
		b.query.Select = append(b.query.Select, SelectItem{Expr: e, Name: it.name()})
	}
}

// ignorable reports whether evaluating an ORDER BY cannot be noticed.
func ignorable(order []orderNode) bool {
	for _, o := range order {
		switch o.expr.(type) {
		case *nameNode, *literalNode:
		default:
			return false
		}
	}
	return true
}

// allOutputs writes ORDER BY ALL out: all outputs, by their positions.
func allOutputs(order []orderNode, outputs int) []orderNode {
	if len(order) != 1 {
		return order
	}
	if _, all := order[0].expr.(*allNode); !all {
		return order
	}
	out := make([]orderNode, outputs)
	for i := range out {
		out[i] = order[0]
		out[i].expr = &literalNode{sql: strconv.Itoa(i + 1), typ: rows.Type{ID: rows.Integer}, number: true}
	}
	return out
}

// orderExpr binds an ORDER BY element: a position, an alias, an expression.
func (b *block) orderExpr(o exprNode) Expr {
	switch o := o.(type) {
	case *literalNode:
		return b.bindItem(b.position(o, "ORDER BY"))
	case *paramNode:
		refuse("parameter in ORDER BY")
	case *nameNode:
		if len(o.parts) > 1 {
			break
		}
		if i, ok := b.alias(o.parts[0]); ok { // before a column of FROM
			return b.bindItem(i)
		}
	}
	return b.bindExpr(o, clauseOrder)
}
