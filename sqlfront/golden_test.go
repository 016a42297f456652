package sqlfront

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/treeprint"
)

// TestGolden shows bound queries. Directives:
//
//	bind        the bound query, or "duckdb: reason", or "error: message"
//	gate        the text for the parser, with what its marks stand for
//	first       the text with SELECT before FROM, or "as it is"
func TestGolden(t *testing.T) {
	d := newDuck(t)
	datadriven.Walk(t, "testdata/bind", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			switch td.Cmd {
			case "bind":
				a, err := d.analyze(td.Input)
				switch {
				case err != nil:
					first, _, _ := strings.Cut(err.Error(), "\n")
					return "error: " + first + "\n"
				case a.Query == nil:
					return "duckdb: " + a.Reason + "\n"
				}
				root := treeprint.New("query")
				dump(root, a.Query)
				return root.String()
			case "gate":
				return gateText(td.Input)
			case "first":
				if ordered, ok := selectFirst(td.Input); ok {
					return ordered + "\n"
				}
				return "as it is\n"
			default:
				t.Fatalf("unknown directive %s", td.Cmd)
				return ""
			}
		})
	})
}

func gateText(text string) (out string) {
	defer func() {
		if p, ok := recover().(refusal); ok {
			out = "duckdb: " + p.reason + "\n"
		}
	}()
	g := runGate(text, nil)
	out = strings.NewReplacer(nameSeparator, "<.>", listSeparator, "<,>").Replace(g.text) + "\n"
	for at := range len(g.text) {
		switch m := g.marks[at].(type) {
		case nil:
		case *literalNode:
			out += fmt.Sprintf("%d: %s %s\n", at, m.sql, m.typ)
		case *paramNode:
			out += fmt.Sprintf("%d: $%d\n", at, m.n)
		}
	}
	return out
}

// dump writes a query with names of sources for columns and types for what is
// computed. Subqueries are written as SQL.
func dump(n *treeprint.Node, q *Query) {
	p := (&queryWriter{}).printer(q)
	p.Column = func(c *ColumnRef) string { return q.From[c.Source].Alias + "." + c.Name }
	p.Group = func(g *GroupRef) string { return fmt.Sprintf("group%d", g.N) }
	p.Agg = func(a *AggRef) string { return fmt.Sprintf("agg%d", a.N) }
	typed := func(e Expr) string { return p.Print(e) + " : " + e.Type().String() }
	if q.SetOp != NoSetOp {
		n.Add(strings.TrimSpace(setOperators[q.SetOp]))
	}
	for _, a := range q.Arms {
		dump(n.Add("arm"), a)
	}
	for _, s := range q.From {
		switch {
		case s.Table != nil:
			n.Add("from " + s.Alias + " = " + s.Table.Name.SQL())
		case s.Query != nil:
			dump(n.Add("from "+s.Alias+columns(s.Columns)), s.Query)
		default:
			n.Add("from " + s.Alias + columns(s.Columns) + " = " + s.Text)
		}
	}
	if q.Tree != nil {
		dumpTree(n.Add("tree"), q, q.Tree, p)
	}
	for _, e := range q.Where {
		n.Add("where " + p.Print(e))
	}
	for i, e := range q.GroupBy {
		n.Add(fmt.Sprintf("group%d = %s", i, typed(e)))
	}
	for _, set := range q.Sets {
		n.Add(fmt.Sprintf("set %v", set))
	}
	for i, a := range q.Aggs {
		n.Add(fmt.Sprintf("agg%d = %s : %s", i, p.aggregate(a), a.T))
	}
	for _, s := range q.Select {
		n.Add("select " + s.Name + " = " + typed(s.Expr))
	}
	if q.Having != nil {
		n.Add("having " + p.Print(q.Having))
	}
	for _, o := range q.OrderBy {
		n.Add("order " + p.Print(o.Expr) + notName(o.Desc, "", " desc") + notName(o.NullsFirst, "", " nulls first"))
	}
	if q.Limit != nil {
		n.Add("limit " + typed(q.Limit))
	}
	if q.Offset != nil {
		n.Add("offset " + typed(q.Offset))
	}
	n.Add(fmt.Sprintf("grouped=%v distinct=%v", q.Grouped, q.Distinct))
}

func dumpTree(n *treeprint.Node, q *Query, j *Join, p *Printer) {
	if j.Left == nil {
		n.Add(q.From[j.Leaf].Alias)
		return
	}
	var on []string
	for _, e := range j.On {
		on = append(on, p.Print(e))
	}
	in := n.Add(map[JoinKind]string{InnerJoin: "inner", LeftJoin: "left", FullJoin: "full"}[j.Kind] + " on " + strings.Join(on, " and "))
	dumpTree(in, q, j.Left, p)
	dumpTree(in, q, j.Right, p)
}

func columns(cols []rows.Column) string {
	out := "("
	for i, c := range cols {
		out += notName(i > 0, "", ", ") + c.Name
	}
	return out + ")"
}
