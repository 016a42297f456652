package sqlfront

import (
	"fmt"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// A tensor program stands in a statement as a SELECT that has its columns and reads
// its operands, so that DuckDB describes, and the binder binds, what the user wrote.
// The HAVING has the program's text in a cast that fails: whoever executes the SELECT
// as it is gets an error, never an answer.

// programMark begins the text of a program in the SELECT that stands for it, with the
// SQLSTATE and the message of the error that DuckDB raises where it is asked to run one.
const programMark = "SQLSTATE 0A000: a tensor program runs in a statement and in the views of the main schema that it reads, not here: "

// Program is a tensor program over operands, as a table of a statement.
type Program struct {
	Text     string // in the notation
	Columns  []rows.Column
	Operands []ProgramOperand // one for each tensor that the program declares
}

// ProgramOperand is what stands for a tensor in SQL: its columns are those of the
// modes, then those of the leaves but the number of rows.
type ProgramOperand struct {
	From    string // for FROM
	Columns []string
	Params  []ProgramParam
}

// ProgramParam is parameter $N of the statement, which stands for a value of the
// operand's column.
type ProgramParam struct{ N, Column int }

// SQL is the SELECT that stands for the program.
func (p *Program) SQL() string {
	var b strings.Builder
	writeNulls(&b, p.Columns)
	having := "CAST(" + quoteLiteral(programMark+p.Text) + " AS INTEGER) = count(1)"
	for i, o := range p.Operands {
		alias := fmt.Sprintf("t%d", i+1)
		b.WriteString(notName(i > 0, " FROM ", ", ") + o.From + " AS " + alias)
		for _, c := range o.Columns {
			having += " + count(" + alias + "." + load.Quote(c) + ")"
		}
		for _, n := range o.Params {
			having += fmt.Sprintf(" + count(%s.%s = $%d)", alias, load.Quote(o.Columns[n.Column]), n.N)
		}
	}
	return b.String() + " HAVING " + having
}

// writeNulls selects a NULL for each column.
func writeNulls(b *strings.Builder, columns []rows.Column) {
	for i, c := range columns {
		fmt.Fprintf(b, "%sCAST(NULL AS %s) AS %s", notName(i > 0, "SELECT ", ", "), c.Type, load.Quote(c.Name))
	}
}

func quoteLiteral(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// HasProgram reports whether a statement has a SELECT that stands for a tensor program.
func HasProgram(sql string) bool { return strings.Contains(sql, programMark) }

// programText is the program that a SELECT stands for; empty: none.
func (sel *selectNode) programText() string {
	having, ok := sel.having.(*callNode)
	if !ok || having.name != "=" {
		return ""
	}
	cast, ok := having.args[0].(*castNode)
	if !ok {
		return ""
	}
	text, ok := cast.arg.(*literalNode)
	if !ok || !strings.HasPrefix(text.sql, "'"+programMark) {
		return ""
	}
	return strings.ReplaceAll(text.sql[1+len(programMark):len(text.sql)-1], "''", "'")
}

// program binds the SELECT that stands for a program: its operands are the sources,
// whatever they are, and GroupBy its columns.
func (b *binder) program(sel *selectNode, ctes *cteScope) *Query {
	b.blocks++
	if b.blocks > blocksMax {
		refuse("too many blocks")
	}
	bl := &block{binder: b, query: &Query{Program: sel.programText(), Grouped: true}, sel: sel, own: true}
	bl.ctes = ctes
	for i := range sel.with {
		bl.ctes = &cteScope{node: &sel.with[i], outer: bl.ctes}
	}
	q := bl.query
	if sel.from != nil {
		bl.operands(sel.from)
	}
	q.Operands = make([][]int, len(q.From))
	walkNodes(sel.having, func(e exprNode) {
		if f, ok := e.(*funcNode); ok && len(f.args) == 1 {
			if n, ok := f.args[0].(*nameNode); ok {
				bl.operandColumn(n)
			}
		}
	})
	for i, it := range sel.items {
		null, ok := it.expr.(*castNode)
		if !ok {
			refuse("tensor program")
		}
		q.GroupBy = append(q.GroupBy, &Cast{Arg: &Literal{SQL: "NULL", T: rows.Type{ID: rows.SQLNull}}, T: null.typ})
		q.Select = append(q.Select, SelectItem{Expr: &GroupRef{N: i, T: null.typ}, Name: it.alias})
		q.Columns = append(q.Columns, rows.Column{Name: it.alias, Type: null.typ})
	}
	return q
}

// operands binds the sources of a program.
func (b *block) operands(f fromNode) {
	switch f := f.(type) {
	case *joinNode:
		b.operands(f.left)
		b.operands(f.right)
	case *derivedNode:
		b.operandQuery(f.query, b.ctes, f.alias, f.columns)
	case *tableNode:
		b.operandTable(f)
	}
}

func (b *block) operandTable(f *tableNode) {
	if len(f.parts) == 1 {
		if c := b.ctes.find(f.parts[0]); c != nil && c.node.memory != 0 {
			b.addSource(c.node.source(f.alias))
			return
		} else if c != nil {
			b.operandQuery(c.node.query, c.outer, f.alias, c.node.columns)
			return
		}
	}
	t, ok := b.lookup(f.parts)
	switch {
	case !ok:
		refuse("unknown table ", f.parts[len(f.parts)-1])
	case t.View:
		b.operandView(t, f.alias)
	case t.Collated != nil:
		refuse(ofCollation)
	case t.Temporary:
		b.addSource(temporary(t, f.alias))
	default:
		b.addSource(Source{Alias: f.alias, Table: t, Columns: t.Columns})
	}
}

// operandView binds a view: what it selects, or the view as DuckDB executes it.
func (b *block) operandView(t *Table, alias string) {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	if t.ViewSQL != "" {
		var sel *selectNode
		if refusalOf(func() { sel = parseSelect(t.ViewSQL) }) == "" && sel.text == "" && !b.plain(sel) {
			outer := b.within
			b.within = &t.Name
			b.views = append(b.views, t.Name)
			b.operandQuery(sel, nil, alias, names)
			b.within = outer
			return
		}
	}
	b.operandQuery(&selectNode{text: "SELECT * FROM " + t.Name.SQL()}, nil, alias, names)
}

// operandQuery binds a query whose rows are an operand: as a statement of its own,
// which DuckDB executes where it is no aggregation.
func (b *block) operandQuery(sel *selectNode, ctes *cteScope, alias string, names []string) {
	add := func(s Source) {
		s.Alias = alias
		s.Columns = append([]rows.Column{}, s.Columns...)
		for i, n := range names {
			s.Columns[i].Name = n
		}
		b.addSource(s)
	}
	b.attempt(sel, ctes, func() {
		switch {
		case sel.programText() != "":
			add(b.programSource(sel, ctes))
			return
		case b.plain(sel):
			refuse("an operand that is rows, and that DuckDB does not run alone")
		}
		q, out := b.bind(sel, ctes, nil)
		nameOutputs(q, out)
		if q.keepsRows() {
			refuse("an operand that is rows, and that DuckDB does not run alone")
		}
		add(Source{Query: q, Columns: q.Columns})
	}, add)
}

// operandColumn notes a column of a source.
func (b *block) operandColumn(n *nameNode) {
	if len(n.parts) != 2 {
		refuse("tensor program")
	}
	for i, s := range b.query.From {
		if fold(s.Alias) != fold(n.parts[0]) {
			continue
		}
		for at, c := range s.Columns {
			if fold(c.Name) == fold(n.parts[1]) {
				b.query.Operands[i] = append(b.query.Operands[i], at)
				return
			}
		}
	}
	refuse("unknown name ", n.parts[1])
}

// programSource is a program as a source of another query, in which nobody looks into
// it: its text is an error to DuckDB.
func (b *binder) programSource(sel *selectNode, ctes *cteScope) Source {
	q := b.program(sel, ctes)
	var text strings.Builder
	writeNulls(&text, q.Columns)
	text.WriteString(" FROM (SELECT CAST(" + quoteLiteral(programMark+q.Program) + " AS INTEGER) AS never) WHERE never = 1")
	s := Source{Text: text.String(), Program: q, Columns: q.Columns}
	seen := map[string]bool{}
	for _, c := range s.Columns {
		if seen[fold(c.Name)] {
			refuse("duplicate column name ", c.Name)
		}
		seen[fold(c.Name)] = true
	}
	return s
}

// HasProgram reports whether a query is a tensor program or reads one.
func (q *Query) HasProgram() bool {
	found := false
	q.Walk(func(q *Query) { found = found || q.Program != "" })
	return found
}
