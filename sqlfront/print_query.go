package sqlfront

import (
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// PrintQuery prints a bound query as DuckDB SQL with the same rows. Sources are
// named s0, s1, ... in order of FROM.
func PrintQuery(q *Query) string {
	var b strings.Builder
	writeQuery(&b, q)
	return b.String()
}

func writeQuery(b *strings.Builder, q *Query) {
	p := q.printer()
	b.WriteString("SELECT ")
	for i, s := range q.Select {
		if i > 0 {
			b.WriteString(", ")
		}
		p.expr(b, s.Expr)
		b.WriteString(" AS " + load.Quote(s.Name))
	}
	for i, s := range q.From {
		b.WriteString(notName(i > 0, " FROM ", ", "))
		if s.Table != nil {
			b.WriteString(s.Table.Name.SQL())
		} else {
			b.WriteByte('(')
			writeQuery(b, s.Query)
			b.WriteByte(')')
		}
		b.WriteString(" AS s" + strconv.Itoa(i))
	}
	for i, e := range q.Where {
		b.WriteString(notName(i > 0, " WHERE ", " AND "))
		p.expr(b, e)
	}
	for i, e := range q.GroupBy {
		b.WriteString(notName(i > 0, " GROUP BY ", ", "))
		p.expr(b, e)
	}
	if q.Having != nil {
		b.WriteString(" HAVING ")
		p.expr(b, q.Having)
	}
	for i, o := range q.OrderBy {
		b.WriteString(notName(i > 0, " ORDER BY ", ", "))
		p.expr(b, o.Expr)
		b.WriteString(notName(o.Desc, " ASC", " DESC"))
		b.WriteString(notName(o.NullsFirst, " NULLS LAST", " NULLS FIRST"))
	}
	if q.Limit != nil {
		b.WriteString(" LIMIT ")
		p.expr(b, q.Limit)
	}
	if q.Offset != nil {
		b.WriteString(" OFFSET ")
		p.expr(b, q.Offset)
	}
}

// printer prints expressions of q, groups and aggregates in full.
func (q *Query) printer() *Printer {
	p := &Printer{Column: func(c *ColumnRef) string {
		return "s" + strconv.Itoa(c.Source) + "." + load.Quote(c.Name)
	}}
	p.Group = func(g *GroupRef) string { return p.Print(q.GroupBy[g.N]) }
	p.Agg = func(a *AggRef) string { return p.aggregate(q.Aggs[a.N]) }
	return p
}

func (p *Printer) aggregate(a *AggCall) string {
	var b strings.Builder
	b.WriteString(a.Func + "(")
	if a.Distinct {
		b.WriteString("DISTINCT ")
	}
	if len(a.Args) == 0 {
		b.WriteByte('*')
	}
	for i, arg := range a.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		p.expr(&b, arg)
	}
	b.WriteByte(')')
	if a.Filter != nil {
		b.WriteString(" FILTER (WHERE ")
		p.expr(&b, a.Filter)
		b.WriteByte(')')
	}
	return b.String()
}
