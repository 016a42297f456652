package sqlfront

import (
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
)

// printSelect writes a syntactic tree as SQL. DuckDB's tree of it is DuckDB's
// tree of the original text (F2).
func printSelect(s *selectNode) string {
	var b strings.Builder
	writeSelect(&b, s)
	return b.String()
}

func writeSelect(b *strings.Builder, s *selectNode) {
	if s.text != "" {
		b.WriteString(s.text)
		return
	}
	for i, cte := range s.with {
		b.WriteString(notName(i > 0, "WITH ", ", "))
		b.WriteString(load.Quote(cte.name))
		writeColumns(b, cte.columns)
		b.WriteString(" AS (")
		writeSelect(b, cte.query)
		b.WriteByte(')')
	}
	if len(s.with) > 0 {
		b.WriteByte(' ')
	}
	if s.setOp != NoSetOp {
		writeArms(b, s)
		writeTail(b, s)
		return
	}
	b.WriteString("SELECT ")
	if s.distinct {
		b.WriteString("DISTINCT ")
	}
	for i, item := range s.items {
		if i > 0 {
			b.WriteString(", ")
		}
		writeItem(b, item)
	}
	if s.from != nil {
		b.WriteString(" FROM ")
		writeFrom(b, s.from, false)
	}
	writeClause(b, " WHERE ", s.where)
	for i, e := range s.groupBy {
		b.WriteString(notName(i > 0, " GROUP BY ", ", "))
		writeExpr(b, e)
	}
	writeClause(b, " HAVING ", s.having)
	writeTail(b, s)
}

// writeArms writes a set operation; the parentheses leave no trace in DuckDB's
// tree.
func writeArms(b *strings.Builder, s *selectNode) {
	for i, arm := range s.arms {
		if i > 0 {
			b.WriteString(setOperators[s.setOp])
		}
		b.WriteByte('(')
		writeSelect(b, arm)
		b.WriteByte(')')
	}
}

// writeTail writes ORDER BY, LIMIT and OFFSET.
func writeTail(b *strings.Builder, s *selectNode) {
	writeOrders(b, s.orderBy)
	writeClause(b, " LIMIT ", s.limit)
	writeClause(b, " OFFSET ", s.offset)
}

func writeOrders(b *strings.Builder, list []orderNode) {
	for i, o := range list {
		b.WriteString(notName(i > 0, " ORDER BY ", ", "))
		writeOrder(b, o)
	}
}

func writeClause(b *strings.Builder, keyword string, e exprNode) {
	if e != nil {
		b.WriteString(keyword)
		writeExpr(b, e)
	}
}

func writeColumns(b *strings.Builder, names []string) {
	for i, n := range names {
		b.WriteString(notName(i > 0, "(", ", "))
		b.WriteString(load.Quote(n))
	}
	if len(names) > 0 {
		b.WriteByte(')')
	}
}

func writeItem(b *strings.Builder, item itemNode) {
	switch {
	case item.star && item.starTable != "":
		b.WriteString(load.Quote(item.starTable) + ".*")
	case item.star:
		b.WriteByte('*')
	default:
		writeExpr(b, item.expr)
		if item.alias != "" {
			b.WriteString(" AS " + load.Quote(item.alias))
		}
	}
}

func writeOrder(b *strings.Builder, o orderNode) {
	writeExpr(b, o.expr)
	if o.desc {
		b.WriteString(" DESC")
	} else if o.asc {
		b.WriteString(" ASC")
	}
	switch o.nulls {
	case nullsFirst:
		b.WriteString(" NULLS FIRST")
	case nullsLast:
		b.WriteString(" NULLS LAST")
	}
}

// writeFrom writes a FROM element; nested joins get parentheses, which leave
// no trace in DuckDB's tree.
func writeFrom(b *strings.Builder, f fromNode, nested bool) {
	switch f := f.(type) {
	case *tableNode:
		writeName(b, f.parts)
		if f.alias != "" {
			b.WriteString(" AS " + load.Quote(f.alias))
			writeColumns(b, f.columns)
		}
	case *derivedNode:
		if f.query.call != "" {
			b.WriteString(f.query.call)
			return
		}
		b.WriteByte('(')
		writeSelect(b, f.query)
		b.WriteByte(')')
		if f.alias != "" {
			b.WriteString(" AS " + load.Quote(f.alias))
			writeColumns(b, f.columns)
		}
	case *joinNode:
		if f.kind == joinComma {
			writeFrom(b, f.left, false)
			b.WriteString(", ")
			writeFrom(b, f.right, true)
			return
		}
		if nested {
			b.WriteByte('(')
		}
		writeFrom(b, f.left, true)
		b.WriteString(map[joinKind]string{joinCross: " CROSS", joinNatural: " NATURAL"}[f.kind])
		b.WriteString(map[joinSide]string{
			sideInner: " JOIN ", sideLeft: " LEFT JOIN ", sideRight: " RIGHT JOIN ", sideFull: " FULL JOIN ",
			sideSemi: " SEMI JOIN ", sideAnti: " ANTI JOIN ",
		}[f.side])
		writeFrom(b, f.right, true)
		writeClause(b, " ON ", f.on)
		if f.kind == joinUsing {
			b.WriteString(" USING ")
			writeColumns(b, f.using)
		}
		if nested {
			b.WriteByte(')')
		}
	default:
		panic(invariant.Failed("sqlfront: unknown fromNode %T", f))
	}
}

func writeName(b *strings.Builder, parts []string) {
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(load.Quote(p))
	}
}

func writeList(b *strings.Builder, list []exprNode) {
	for i, e := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		writeExpr(b, e)
	}
}

func writeExpr(b *strings.Builder, e exprNode) {
	switch e := e.(type) {
	case *nameNode:
		writeName(b, e.parts)
	case *literalNode:
		b.WriteString(e.sql)
	case *paramNode:
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(e.n))
	case *callNode:
		printCall(b, e.name, len(e.args), func(i int) { writeExpr(b, e.args[i]) })
	case *funcNode:
		writeFunc(b, e)
	case *castNode:
		b.WriteString(notName(e.try, "CAST(", "TRY_CAST("))
		writeExpr(b, e.arg)
		b.WriteString(" AS " + e.typ.String() + ")")
	case *caseNode:
		printCase(b, e.operand != nil, len(e.whens), e.els != nil, func(part, i int) {
			switch part {
			case caseOperand:
				writeExpr(b, e.operand)
			case caseCond:
				writeExpr(b, e.whens[i].cond)
			case caseThen:
				writeExpr(b, e.whens[i].then)
			case caseElse:
				writeExpr(b, e.els)
			}
		})
	case *inNode:
		printIn(b, e.not, len(e.list), func(i int) {
			if i < 0 {
				writeExpr(b, e.arg)
				return
			}
			writeExpr(b, e.list[i])
		})
	case *subqueryNode:
		writeSubquery(b, e)
	case *allNode:
		b.WriteString("ALL")
	case *setsNode:
		b.WriteString(strings.ToUpper(e.kind) + " (")
		writeList(b, e.list)
		b.WriteByte(')')
	case *rowNode:
		b.WriteByte('(')
		writeList(b, e.list)
		b.WriteByte(')')
	default:
		panic(invariant.Failed("sqlfront: unknown exprNode %T", e))
	}
}

func writeSubquery(b *strings.Builder, e *subqueryNode) {
	switch e.kind {
	case Exists:
		b.WriteString("EXISTS (")
	case InQuery:
		b.WriteByte('(')
		writeExpr(b, e.arg)
		b.WriteString(inWord(e.op))
	case Scalar:
		b.WriteByte('(')
	}
	writeSelect(b, e.query)
	b.WriteByte(')')
	if e.kind == InQuery {
		b.WriteByte(')')
	}
}

// inWord stands between what is tested and a query of any row that passes, up to
// its parenthesis.
func inWord(op string) string {
	if op == "" {
		return " IN ("
	}
	return " " + op + " ANY ("
}

func writeFunc(b *strings.Builder, e *funcNode) {
	b.WriteString(functionName(e.name) + "(")
	switch {
	case e.star:
		b.WriteByte('*')
	case e.distinct:
		b.WriteString("DISTINCT ")
	}
	writeList(b, e.args)
	writeOrders(b, e.order)
	b.WriteByte(')')
	writeClause(b, " FILTER (WHERE ", e.filter)
	if e.filter != nil {
		b.WriteByte(')')
	}
}
