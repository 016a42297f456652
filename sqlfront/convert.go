package sqlfront

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	driver "github.com/pingcap/tidb/pkg/parser/test_driver"
)

// converter copies the parser's tree into the syntactic tree. A node that it
// does not name is refused.
type converter struct {
	gated  gated
	depth  int
	inSets bool // the next expression may be a grouping set
}

func (c *converter) enter() {
	c.depth++
	if c.depth > exprDepthMax {
		refuse("nested too deeply")
	}
}

// selectStmt converts a SELECT. That it follows a set operator is the business
// of setOperation.
func (c *converter) selectStmt(s *ast.SelectStmt) *selectNode {
	if s.Kind != ast.SelectStmtKindSelect || s.LockInfo != nil || s.SelectIntoOpt != nil ||
		len(s.WindowSpecs) > 0 || len(s.TableHints) > 0 || len(s.Lists) > 0 {
		refuse("syntax: SELECT")
	}
	if t := c.text(s); t != nil {
		if t.call != "" {
			return &selectNode{text: "SELECT * FROM " + t.call, call: t.call}
		}
		return &selectNode{text: t.sql}
	}
	if len(s.Fields.Fields) == 0 {
		refuse("syntax: SELECT")
	}
	out := &selectNode{distinct: s.Distinct}
	out.with = c.with(s.With)
	for _, f := range s.Fields.Fields {
		out.items = append(out.items, c.item(f))
	}
	if s.From != nil {
		out.from = c.from(s.From.TableRefs)
	} else if s.Where != nil && (s.Having != nil || s.GroupBy != nil) || s.Having != nil && s.GroupBy != nil {
		refuse("syntax: SELECT") // without FROM the parser takes them in the wrong order
	}
	if s.Where != nil {
		out.where = c.expr(s.Where)
	}
	if s.GroupBy != nil {
		if s.GroupBy.Rollup {
			refuse("GROUPING SETS")
		}
		for _, item := range s.GroupBy.Items {
			if item.Desc || !item.NullOrder {
				refuse("syntax: GROUP BY")
			}
			out.groupBy = append(out.groupBy, c.groupItem(item.Expr))
		}
	}
	if s.Having != nil {
		out.having = c.expr(s.Having.Expr)
	}
	c.tail(out, s.OrderBy, s.Limit)
	return out
}

// text returns the text that a SELECT ? stands for; nil: it is none.
func (c *converter) text(s *ast.SelectStmt) *textNode {
	if len(s.Fields.Fields) != 1 {
		return nil
	}
	mark, ok := s.Fields.Fields[0].Expr.(*driver.ParamMarkerExpr)
	if !ok {
		return nil
	}
	t, _ := c.gated.marks[mark.Offset].(*textNode)
	return t
}

// tail converts ORDER BY, LIMIT and OFFSET into out.
func (c *converter) tail(out *selectNode, order *ast.OrderByClause, limit *ast.Limit) {
	if order != nil {
		for _, item := range order.Items {
			out.orderBy = append(out.orderBy, c.order(item))
		}
	}
	if limit != nil {
		out.limit = c.limit(limit.Count)
		out.offset = c.limit(limit.Offset)
	}
}

func (c *converter) with(w *ast.WithClause) []cteNode {
	if w == nil {
		return nil
	}
	if w.IsRecursive {
		refuse("recursive common table expression")
	}
	var out []cteNode
	for _, cte := range w.CTEs {
		out = append(out, c.cte(cte))
	}
	return out
}

func (c *converter) cte(cte *ast.CommonTableExpression) cteNode {
	out := cteNode{name: onePart(cte.Name.O)}
	for _, col := range cte.ColNameList {
		out.columns = append(out.columns, onePart(col.O))
	}
	out.query = c.query(cte.Query.Query)
	return out
}

func (c *converter) query(n ast.Node) *selectNode {
	c.enter()
	defer func() { c.depth-- }()
	switch n := n.(type) {
	case *ast.SelectStmt:
		return c.selectStmt(n)
	case *ast.SetOprStmt:
		return c.setOperation(n.With, n.SelectList.Selects, n.OrderBy, n.Limit)
	case *ast.SetOprSelectList:
		return c.setOperation(n.With, n.Selects, n.OrderBy, n.Limit)
	case *ast.SubqueryExpr:
		return c.query(n.Query)
	}
	refuse("syntax: subquery")
	return nil
}

// setOperation converts a chain of set operations, which the parser gives flat:
// INTERSECT binds tighter than UNION and EXCEPT, all are left-associative.
func (c *converter) setOperation(with *ast.WithClause, selects []ast.Node, order *ast.OrderByClause, limit *ast.Limit) *selectNode {
	if sel, ok := selects[0].(*ast.SelectStmt); ok && len(selects) == 1 && sel.With == with {
		with = nil // the parser repeats it
	}
	ctes := c.with(with)
	var sum *selectNode  // of all before the last UNION or EXCEPT
	var last *selectNode // the chain of INTERSECT since
	outer := NoSetOp     // the operator between the two
	for i, n := range selects {
		arm := c.query(n)
		op := setOperatorOf(n)
		switch {
		case (op == NoSetOp) != (i == 0):
			refuse("syntax: set operation")
		case i == 0:
			last = arm
		case op == Intersect:
			last = combine(op, last, arm)
		default:
			sum = combine(outer, sum, last)
			outer, last = op, arm
		}
	}
	out := combine(outer, sum, last)
	if out == nil || len(ctes) == 0 && order == nil && limit == nil {
		return out
	}
	if len(selects) == 1 { // parentheses with more after them
		if len(ctes) > 0 || len(out.orderBy) > 0 || out.limit != nil || out.offset != nil {
			refuse("syntax: ORDER BY after parentheses")
		}
	}
	out.with = append(out.with, ctes...)
	c.tail(out, order, limit)
	return out
}

// combine is left op right; just right where there is no left.
func combine(op SetOp, left, right *selectNode) *selectNode {
	if left == nil {
		return right
	}
	if op == UnionAll && left.setOp == UnionAll && len(left.with) == 0 && len(left.orderBy) == 0 && left.limit == nil && left.offset == nil {
		left.arms = append(left.arms, right)
		return left
	}
	return &selectNode{setOp: op, arms: []*selectNode{left, right}}
}

// setOperatorOf is the operator before an arm.
func setOperatorOf(n ast.Node) SetOp {
	var op *ast.SetOprType
	switch n := n.(type) {
	case *ast.SelectStmt:
		op = n.AfterSetOperator
	case *ast.SetOprSelectList:
		op = n.AfterSetOperator
	}
	if op == nil {
		return NoSetOp
	}
	switch *op {
	case ast.UnionAll:
		return UnionAll
	case ast.Union:
		return Union
	case ast.Intersect:
		return Intersect
	case ast.Except:
		return Except
	}
	refuse("syntax: set operation")
	return NoSetOp
}

func (c *converter) item(f *ast.SelectField) itemNode {
	if f.WildCard != nil {
		if f.WildCard.Schema.O != "" {
			refuse("syntax: qualified star")
		}
		t := f.WildCard.Table.O
		if t != "" {
			t = onePart(t)
		}
		return itemNode{star: true, starTable: t}
	}
	out := itemNode{expr: c.expr(f.Expr)}
	if f.AsName.O != "" {
		out.alias = onePart(f.AsName.O)
		if strings.Contains(out.alias, listSeparator) {
			refuse("syntax: alias")
		}
	}
	return out
}

func (c *converter) order(item *ast.ByItem) orderNode {
	out := orderNode{desc: item.Desc, asc: !item.Desc && !item.NullOrder}
	e := item.Expr
	if t, ok := e.(*ast.IsTruthExpr); ok { // the gate's NULLS FIRST, NULLS LAST
		out.nulls = nullsLast
		if t.True != 0 {
			out.nulls = nullsFirst
		}
		// The mark binds as tightly as a comparison; what it took must be all.
		c.operand(t.Expr, levelConcat)
		e = t.Expr
	}
	out.expr = c.expr(e)
	return out
}

// limit returns nil for a part that is absent, also for the LIMIT that the gate
// puts before a lone OFFSET.
func (c *converter) limit(e ast.ExprNode) exprNode {
	if e == nil {
		return nil
	}
	n := c.expr(e)
	if l, ok := n.(*literalNode); ok && l.sql == "" {
		return nil
	}
	return n
}

func (c *converter) from(n ast.ResultSetNode) fromNode {
	c.enter()
	defer func() { c.depth-- }()
	switch n := n.(type) {
	case *ast.TableSource:
		return c.tableSource(n)
	case *ast.Join:
		if n.Right == nil {
			return c.from(n.Left)
		}
		return c.join(n)
	}
	refuse("syntax: FROM")
	return nil
}

func (c *converter) tableSource(n *ast.TableSource) fromNode {
	if n.Lateral {
		refuse("lateral join")
	}
	names := strings.Split(onePart(n.AsName.O), listSeparator)
	alias, columns := names[0], names[1:]
	if len(n.ColumnNames) > 0 {
		refuse("syntax: alias")
	}
	switch s := n.Source.(type) {
	case *ast.TableName:
		if len(s.IndexHints) > 0 || len(s.PartitionNames) > 0 || s.TableSample != nil || s.AsOf != nil ||
			s.Schema.O != "" {
			refuse("syntax: table")
		}
		return &tableNode{parts: strings.Split(s.Name.O, nameSeparator), alias: alias, columns: columns}
	case *ast.SelectStmt, *ast.SetOprStmt:
		return &derivedNode{query: c.query(s), alias: alias, columns: columns}
	case *ast.Join:
		if alias != "" {
			refuse("syntax: alias of a join")
		}
		return c.from(s)
	}
	refuse("syntax: FROM")
	return nil
}

func (c *converter) join(n *ast.Join) fromNode {
	out := &joinNode{left: c.from(n.Left), right: c.from(n.Right)}
	switch n.Tp {
	case ast.LeftJoin:
		out.side = sideLeft
	case ast.RightJoin:
		out.side = sideRight
	}
	switch {
	case n.StraightJoin:
		if n.On != nil || len(n.Using) > 0 || n.NaturalJoin {
			refuse("syntax: CROSS JOIN")
		}
		out.kind = joinCross
	case n.NaturalJoin:
		out.kind = joinNatural
	case n.On != nil:
		c.on(out, n.On.Expr)
	case len(n.Using) > 0:
		c.using(out, n.Using)
	default: // the gate has counted JOIN against ON and USING
		out.kind = joinComma
	}
	if isComma(out.right) || out.kind != joinComma && isComma(out.left) {
		refuse("syntax: a comma in parentheses") // DuckDB has none there
	}
	return out
}

func isComma(n fromNode) bool {
	j, ok := n.(*joinNode)
	return ok && j.kind == joinComma
}

// markedSides are the sides of the joins that the gate marks.
var markedSides = map[string]joinSide{fullName: sideFull, semiName: sideSemi, antiName: sideAnti}

// on converts a condition, which the gate may have wrapped with a mark.
func (c *converter) on(out *joinNode, e ast.ExprNode) {
	if f, ok := e.(*ast.FuncCallExpr); ok && len(f.Args) == 1 && f.Schema.O == "" {
		if side, marked := markedSides[f.FnName.O]; marked {
			out.side, e = side, f.Args[0]
		}
	}
	out.kind, out.on = joinOn, c.expr(e)
}

func (c *converter) using(out *joinNode, cols []*ast.ColumnName) {
	out.kind = joinUsing
	for i, col := range cols {
		mark, marked := strings.CutSuffix(col.Name.O, listSeparator)
		switch {
		case col.Table.O != "":
			refuse("syntax: USING")
		case i == 0 && marked:
			out.side = markedSides[mark]
		default:
			out.using = append(out.using, onePart(col.Name.O))
		}
	}
	if len(out.using) == 0 {
		out.kind = joinNatural
	}
}

// onePart returns a name that must not be qualified.
func onePart(name string) string {
	if strings.Contains(name, nameSeparator) {
		refuse("syntax: qualified name")
	}
	return name
}
