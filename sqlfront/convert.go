package sqlfront

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// converter copies the parser's tree into the syntactic tree. A node that it
// does not name is refused.
type converter struct {
	gated gated
	depth int
}

func (c *converter) enter() {
	c.depth++
	if c.depth > exprDepthMax {
		refuse("nested too deeply")
	}
}

func (c *converter) selectStmt(s *ast.SelectStmt) *selectNode {
	if s.Kind != ast.SelectStmtKindSelect || s.LockInfo != nil || s.SelectIntoOpt != nil ||
		len(s.WindowSpecs) > 0 || len(s.TableHints) > 0 || len(s.Lists) > 0 || s.AfterSetOperator != nil {
		refuse("syntax: SELECT")
	}
	out := &selectNode{distinct: s.Distinct}
	if s.With != nil {
		if s.With.IsRecursive {
			refuse("recursive common table expression")
		}
		for _, cte := range s.With.CTEs {
			out.with = append(out.with, c.cte(cte))
		}
	}
	for _, f := range s.Fields.Fields {
		out.items = append(out.items, c.item(f))
	}
	if s.From != nil {
		out.from = c.from(s.From.TableRefs)
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
			out.groupBy = append(out.groupBy, c.expr(item.Expr))
		}
	}
	if s.Having != nil {
		out.having = c.expr(s.Having.Expr)
	}
	if s.OrderBy != nil {
		for _, item := range s.OrderBy.Items {
			out.orderBy = append(out.orderBy, c.order(item))
		}
	}
	if s.Limit != nil {
		out.limit = c.limit(s.Limit.Count)
		out.offset = c.limit(s.Limit.Offset)
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

func (c *converter) query(n ast.ResultSetNode) *selectNode {
	switch n := n.(type) {
	case *ast.SelectStmt:
		return c.selectStmt(n)
	case *ast.SetOprStmt:
		refuse("set operation")
	}
	refuse("syntax: subquery")
	return nil
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
	case *ast.SelectStmt:
		return &derivedNode{query: c.selectStmt(s), alias: alias, columns: columns}
	case *ast.Join:
		if alias != "" {
			refuse("syntax: alias of a join")
		}
		return c.from(s)
	case *ast.SetOprStmt:
		refuse("set operation")
	}
	refuse("syntax: FROM")
	return nil
}

func (c *converter) join(n *ast.Join) fromNode {
	if n.Tp == ast.LeftJoin || n.Tp == ast.RightJoin {
		refuse("outer join")
	}
	out := &joinNode{left: c.from(n.Left), right: c.from(n.Right)}
	switch {
	case n.StraightJoin:
		if n.On != nil || len(n.Using) > 0 || n.NaturalJoin {
			refuse("syntax: CROSS JOIN")
		}
		out.kind = joinCross
	case n.NaturalJoin:
		out.kind = joinNatural
	case n.On != nil:
		out.kind, out.on = joinOn, c.expr(n.On.Expr)
	case len(n.Using) > 0:
		out.kind = joinUsing
		for _, col := range n.Using {
			if col.Table.O != "" {
				refuse("syntax: USING")
			}
			out.using = append(out.using, onePart(col.Name.O))
		}
	default: // the gate has counted JOIN against ON and USING
		out.kind = joinComma
	}
	return out
}

// onePart returns a name that must not be qualified.
func onePart(name string) string {
	if strings.Contains(name, nameSeparator) {
		refuse("syntax: qualified name")
	}
	return name
}
