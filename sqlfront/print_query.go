package sqlfront

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// PrintQuery prints a query, bound or lowered, as DuckDB SQL with the same rows.
// Sources are named s0, s1, ... in order of FROM, those of inner blocks with the
// block's depth in front. A Bag is a UNION ALL, an Anti a NOT EXISTS.
func PrintQuery(q *Query) string {
	w := queryWriter{}
	w.query(q)
	return w.b.String()
}

// queryWriter prints one block, depth blocks inside the outermost.
type queryWriter struct {
	b     strings.Builder
	depth int
}

// alias names source n of the block at a depth.
func sourceAlias(depth, n int) string {
	if depth == 0 {
		return "s" + strconv.Itoa(n)
	}
	return "q" + strconv.Itoa(depth) + "s" + strconv.Itoa(n)
}

// inner prints a query of the next depth in parentheses.
func (w *queryWriter) inner(q *Query) string {
	in := queryWriter{depth: w.depth + 1}
	in.query(q)
	return "(" + in.b.String() + ")"
}

// all prints set operations between queries of one depth.
func (w *queryWriter) all(arms []*Query, op string) string {
	texts := make([]string, len(arms))
	for i, a := range arms {
		in := queryWriter{depth: w.depth}
		in.query(a)
		texts[i] = "(" + in.b.String() + ")"
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "(" + strings.Join(texts, op) + ")"
}

var setOperators = map[SetOp]string{
	UnionAll: " UNION ALL ", Union: " UNION ", Intersect: " INTERSECT ", Except: " EXCEPT ",
}

func (w *queryWriter) query(q *Query) {
	p := w.printer(q)
	w.list("SELECT ", ", ", len(q.Select), func(i int) string {
		distinct := notName(i == 0 && q.selectsGroups(), "", "DISTINCT ")
		return distinct + p.Print(q.Select[i].Expr) + " AS " + load.Quote(q.Select[i].Name)
	})
	w.from(q, p)
	w.where(q, p)
	w.groupBy(q, p)
	if q.Having != nil {
		w.b.WriteString(" HAVING " + p.Print(q.Having))
	}
	w.list(" ORDER BY ", ", ", len(q.OrderBy), func(i int) string {
		o := q.OrderBy[i]
		return p.Print(o.Expr) + notName(o.Desc, " ASC", " DESC") + notName(o.NullsFirst, " NULLS LAST", " NULLS FIRST")
	})
	if q.Limit != nil {
		w.b.WriteString(" LIMIT " + p.Print(q.Limit))
	}
	if q.Offset != nil {
		w.b.WriteString(" OFFSET " + p.Print(q.Offset))
	}
}

// list writes what there is of a clause.
func (w *queryWriter) list(first, next string, n int, item func(int) string) {
	for i := range n {
		w.b.WriteString(notName(i > 0, first, next))
		w.b.WriteString(item(i))
	}
}

func (w *queryWriter) from(q *Query, p *Printer) {
	switch {
	case q.SetOp != NoSetOp:
		cols := make([]rows.Column, len(q.Arms[0].Select))
		for i := range cols {
			cols[i].Name = "c" + strconv.Itoa(i)
		}
		w.b.WriteString(" FROM " + w.all(q.Arms, setOperators[q.SetOp]) + " AS " + sourceAlias(w.depth, 0) + columnList(cols))
	case q.Tree != nil:
		w.b.WriteString(" FROM " + w.tree(q, q.Tree, p))
	default:
		w.list(" FROM ", ", ", len(q.From), func(i int) string { return w.source(q, i) })
	}
}

func (w *queryWriter) source(q *Query, n int) string {
	s := &q.From[n]
	alias := " AS " + sourceAlias(w.depth, n)
	switch {
	case s.Table != nil:
		return s.Table.Name.SQL() + alias
	case s.Query != nil:
		return w.inner(s.Query) + alias + columnList(s.Columns)
	case len(s.Bag) > 0:
		in := queryWriter{depth: w.depth + 1}
		return in.all(s.Bag, setOperators[UnionAll]) + alias + columnList(s.Columns)
	case s.Text != "":
		return "(" + apart(s) + ")" + alias + columnList(s.Columns)
	default:
		panic(invariant.Failed("sqlfront: source %s is empty", s.Alias))
	}
}

// apart is a Text that is executed on its own where it reads tables: DuckDB may
// push what it learns from a join around it below its LIMIT, and then other rows
// are the first ones. A part that was cut out has none.
func apart(s *Source) string {
	if s.Cut || len(s.TextTables) == 0 && (s.Memory == 0 || s.IsTable(s.Memory)) {
		return s.Text
	}
	return "WITH apart AS MATERIALIZED (" + s.Text + ") SELECT * FROM apart"
}

func columnList(cols []rows.Column) string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = load.Quote(c.Name)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

var joinWords = map[JoinKind]string{InnerJoin: " JOIN ", LeftJoin: " LEFT JOIN ", FullJoin: " FULL JOIN "}

func (w *queryWriter) tree(q *Query, j *Join, p *Printer) string {
	if j.Left == nil {
		return w.source(q, j.Leaf)
	}
	on := "true"
	for i, e := range j.On {
		if i > 0 {
			on += " AND " + printUnpushed(p, e)
			continue
		}
		on = printUnpushed(p, e)
	}
	return "(" + w.tree(q, j.Left, p) + joinWords[j.Kind] + w.tree(q, j.Right, p) + " ON " + on + ")"
}

// printUnpushed prints a condition, in a CASE where DuckDB would look it up in its zone
// maps and lose rows.
func printUnpushed(p *Printer, e Expr) string {
	if !losesNulls(e) {
		return p.Print(e)
	}
	return "CASE WHEN " + p.Print(e) + " THEN TRUE ELSE FALSE END"
}

// where writes Where and Anti.
func (w *queryWriter) where(q *Query, p *Printer) {
	w.list(" WHERE ", " AND ", len(q.Where)+len(q.Anti), func(i int) string {
		if i < len(q.Where) {
			return printUnpushed(p, q.Where[i])
		}
		return w.anti(&q.Anti[i-len(q.Where)], p)
	})
}

func (w *queryWriter) anti(a *Anti, p *Printer) string {
	alias := sourceAlias(w.depth+1, 0)
	cols := make([]rows.Column, len(a.Query.Select))
	for i := range cols {
		cols[i].Name = "k" + strconv.Itoa(i)
	}
	var b strings.Builder
	b.WriteString("NOT EXISTS (SELECT 1 FROM " + w.inner(a.Query) + " AS " + alias + columnList(cols))
	for i, k := range a.Keys {
		b.WriteString(notName(i > 0, " WHERE ", " AND ") + p.Print(k))
		b.WriteString(notName(a.NullSafe[i], " = ", " IS NOT DISTINCT FROM ") + alias + "." + load.Quote(cols[i].Name))
	}
	b.WriteByte(')')
	return b.String()
}

// selectsGroups reports whether DISTINCT can be written as it is: a cast around
// an output would come before it.
func (q *Query) selectsGroups() bool {
	return q.Distinct && !slices.ContainsFunc(q.Select, func(s SelectItem) bool {
		_, group := s.Expr.(*GroupRef)
		return !group
	})
}

// groupBy writes GROUP BY.
func (w *queryWriter) groupBy(q *Query, p *Printer) {
	switch {
	case q.selectsGroups():
	case q.Sets != nil:
		w.b.WriteString(" GROUP BY GROUPING SETS (")
		w.list("", ", ", len(q.Sets), func(i int) string {
			var members []string
			for _, n := range q.Sets[i] {
				members = append(members, p.Print(q.GroupBy[n]))
			}
			return "(" + strings.Join(members, ", ") + ")"
		})
		w.b.WriteByte(')')
	default:
		w.list(" GROUP BY ", ", ", len(q.GroupBy), func(i int) string { return p.Print(q.GroupBy[i]) })
	}
}

// printer prints expressions of q, groups and aggregates in full.
func (w *queryWriter) printer(q *Query) *Printer {
	column := func(depth int, c *ColumnRef) string {
		return sourceAlias(depth, c.Source) + "." + load.Quote(c.Name)
	}
	p := &Printer{
		Column: func(c *ColumnRef) string { return column(w.depth, c) },
		Outer:  func(o *OuterRef) string { return column(w.depth-o.Levels, o.Column) },
	}
	p.Group = func(g *GroupRef) string {
		if q.SetOp != NoSetOp {
			return sourceAlias(w.depth, 0) + "." + load.Quote("c"+strconv.Itoa(g.N))
		}
		return p.Print(q.GroupBy[g.N])
	}
	p.Agg = func(a *AggRef) string { return p.aggregate(q.Aggs[a.N]) }
	p.Subquery = func(s *Subquery) string { return w.subquery(s, p) }
	return p
}

func (w *queryWriter) subquery(s *Subquery, p *Printer) string {
	switch s.Kind {
	case Exists:
		return "EXISTS " + w.inner(s.Query)
	case InQuery:
		return "(" + p.Print(s.Arg) + inWord(s.Op) + w.inner(s.Query)[1:] + ")"
	case Scalar:
		return w.inner(s.Query)
	default:
		panic(invariant.Failed("sqlfront: unknown subquery kind %d", s.Kind))
	}
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
	row := a.Func == "count" && len(a.Args) > 1
	b.WriteString(notName(row, "", "("))
	for i, arg := range a.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		p.expr(&b, arg)
	}
	b.WriteString(notName(row, ")", "))"))
	if a.Filter != nil {
		b.WriteString(" FILTER (WHERE ")
		p.expr(&b, a.Filter)
		b.WriteByte(')')
	}
	return b.String()
}
