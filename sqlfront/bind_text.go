package sqlfront

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// attempt binds a derived table or subquery by bind, and where that is refused
// makes it a source that DuckDB executes. It is the refusal that counts if that
// does not go either.
func (b *binder) attempt(sel *selectNode, ctes *cteScope, bind func(), text func(Source)) {
	within := b.within
	reason := "text"
	if sel.text == "" {
		reason = refusalOf(bind)
	}
	if reason == "" {
		return
	}
	b.within = within
	if mayBeText(reason) {
		var s Source
		if refusalOf(func() { s = b.text(sel, ctes) }) == "" {
			text(s)
			return
		}
	}
	if reason == "text" {
		refuse("query of DuckDB's")
	}
	refuse(reason)
}

// refusalOf runs f and returns its refusal.
func refusalOf(f func()) (reason string) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case refusal:
			reason = p.reason
		default:
			panic(p)
		}
	}()
	f()
	return ""
}

// mayBeText reports whether a refusal leaves hope that DuckDB executes the query
// alone: not if a name in it is another's or nobody's.
func mayBeText(reason string) bool {
	for _, no := range []string{"unknown ", "ambiguous ", "alias ", "too many", "volatile", "column outside", "collation"} {
		if strings.HasPrefix(reason, no) {
			return false
		}
	}
	return true
}

// text makes a source of a query that DuckDB executes on its own: with the common
// table expressions that it needs, with its tables named in full.
func (b *binder) text(sel *selectNode, ctes *cteScope) Source {
	trees, ok := b.prep.(TreePreparer)
	if !ok {
		refuse("query of DuckDB's")
	}
	b.description() // the statement's own errors come first
	sql := printSelect(sel)
	w := withClause(sql, ctes)
	if HasProgram(w.text(false) + sql) {
		refuse("tensor program in a query of DuckDB's")
	}
	t := &textChecker{binder: b, trees: trees}
	s := Source{Memory: w.memory, Text: t.full(sql, w, false)}
	s.TextTables = t.tables
	if t.temporary {
		s.Memory |= SessionTables
	}
	described := s.Text
	if w.memory != 0 { // there is no such table before the text is executed
		described = t.full(sql, w, true)
	}
	d, err := b.prep.Describe(b.ctx, described, nil)
	if err != nil || len(d.Params) > 0 {
		refuse("query of DuckDB's")
	}
	s.Columns = d.Columns
	seen := map[string]bool{}
	for _, c := range d.Columns {
		if seen[fold(c.Name)] {
			refuse("duplicate column name ", c.Name)
		}
		if c.Type.ID == rows.SQLNull || c.Type.ID == rows.Invalid {
			refuse("NULL in a derived table")
		}
		seen[fold(c.Name)] = true
	}
	return s
}

// textWith are the common table expressions in sight that a text may mean, and those
// that they may mean, innermost first.
type textWith struct {
	nodes  []*cteNode
	memory InMemory // that some of them stand for
}

func withClause(sql string, ctes *cteScope) (w textWith) {
	known, read := map[string]bool{}, namesOf(sql)
	for c := ctes; c != nil; c = c.outer {
		name := fold(c.node.name)
		if !read[name] {
			continue
		}
		if known[name] {
			refuse("two common table expressions ", name)
		}
		known[name] = true
		w.nodes = append(w.nodes, c.node)
		w.memory |= c.node.memory
		read.add(c.node.text(true))
	}
	return w
}

// text is the WITH clause; empty where there is none.
func (w textWith) text(standIns bool) string {
	var b strings.Builder
	for i, c := range slices.Backward(w.nodes) {
		b.WriteString(notName(i < len(w.nodes)-1, "WITH ", ", ") + c.text(standIns))
	}
	return b.String()
}

// text is a common table expression as it was written. One that stands for a table in
// memory reads that, or has no rows (standIns).
func (c *cteNode) text(standIns bool) string {
	var b strings.Builder
	b.WriteString(load.Quote(c.name))
	writeColumns(&b, c.columns)
	b.WriteString(" AS (")
	if c.memory != 0 && !standIns {
		b.WriteString(c.memory.SQL())
	} else {
		writeSelect(&b, c.query)
	}
	b.WriteByte(')')
	return b.String()
}

// startsQuery reports whether a text begins with SELECT or WITH: of VALUES there
// is no tree.
func startsQuery(sql string) bool {
	l := lexer{src: sql}
	t, err := l.next()
	word := fold(sql[t.start:t.end])
	return err == nil && (word == "select" || word == "with")
}

// mentions reports whether a word or quoted name occurs in a text.
func mentions(sql, name string) bool {
	for found := range namesIn(sql) {
		if found == name {
			return true
		}
	}
	return false
}

// TypeMentions reports whether one of some words, in lower case, occurs in the text of a type.
func TypeMentions(t rows.Type, words ...string) bool {
	names := namesOf(t.String())
	return slices.ContainsFunc(words, func(w string) bool { return names[w] })
}

// nameSet has the words and quoted names of texts, folded.
type nameSet map[string]bool

func namesOf(sql string) nameSet {
	s := nameSet{}
	s.add(sql)
	return s
}

// add adds those of another text.
func (s nameSet) add(sql string) {
	for name := range namesIn(sql) {
		s[name] = true
	}
}

// namesIn yields the words and quoted names of a text, folded, in their order.
func namesIn(sql string) iter.Seq[string] {
	return func(yield func(string) bool) {
		l := lexer{src: sql}
		for {
			t, err := l.next()
			if err != nil || t.kind == tokEOF {
				return
			}
			text := sql[t.start:t.end]
			if t.kind == tokQuoted {
				text = unquote(text)
			}
			if (t.kind == tokWord || t.kind == tokQuoted) && !yield(fold(text)) {
				return
			}
		}
	}
}

// textChecker goes through DuckDB's tree of a text: it names the tables in full,
// collects them, and refuses what could give another answer another time.
type textChecker struct {
	*binder
	trees  TreePreparer
	tables []load.Table
	// temporary: it reads a temporary table, or a file.
	temporary bool
	// memory are the names of common table expressions that read a table in memory, and
	// are still to be met: they are those of the outermost WITH.
	memory map[string]bool
}

// full is a text with its common table expressions, and its tables named in full.
func (t *textChecker) full(sql string, w textWith, standIns bool) string {
	if with := w.text(standIns); with != "" || !startsQuery(sql) {
		sql = with + " SELECT * FROM (" + sql + ") AS text"
	}
	t.memory = map[string]bool{}
	for _, c := range w.nodes {
		t.memory[fold(c.name)] = c.memory != 0
	}
	tree := t.tree(sql)
	t.walk(tree, nil)
	named, err := json.Marshal(tree)
	if err != nil {
		refuse("query of DuckDB's")
	}
	text, err := t.trees.DeserializeSQL(t.ctx, string(named))
	if err != nil || !sameJSON(t.tree(text), tree) {
		refuse("query of DuckDB's")
	}
	return text
}

func (t *textChecker) tree(sql string) any {
	tree := trees{ctx: t.ctx, prep: t.trees}.statement(sql)
	if tree == nil {
		refuse("query of DuckDB's")
	}
	return tree
}

// cteNames are the common table expressions in sight in a tree, innermost first.
type cteNames struct {
	name  string
	outer *cteNames
}

func (n *cteNames) has(name string) bool {
	for ; n != nil; n = n.outer {
		if n.name == fold(name) {
			return true
		}
	}
	return false
}

func (t *textChecker) walk(v any, ctes *cteNames) {
	switch v := v.(type) {
	case []any:
		for _, c := range v {
			t.walk(c, ctes)
		}
	case map[string]any:
		ctes = t.with(v, ctes)
		t.node(v, ctes)
		for k, c := range v {
			if k != "cte_map" {
				t.walk(c, ctes)
			}
		}
	}
}

// with walks the common table expressions of a node and adds their names.
func (t *textChecker) with(v map[string]any, ctes *cteNames) *cteNames {
	if name, ok := v["cte_name"].(string); ok {
		ctes = &cteNames{fold(name), ctes} // it sees itself
	}
	list, _ := v["cte_map"].(map[string]any)
	entries, _ := list["map"].([]any)
	for _, e := range entries {
		entry, _ := e.(map[string]any)
		name, _ := entry["key"].(string)
		if !t.memory[fold(name)] {
			t.walk(entry["value"], ctes)
		}
		delete(t.memory, fold(name))
		ctes = &cteNames{fold(name), ctes}
	}
	return ctes
}

// sessionValues are names that DuckDB takes for functions of the session or of
// the time where no column has them.
var sessionValues = map[string]bool{
	"current_date": true, "current_time": true, "current_timestamp": true, "localtime": true, "localtimestamp": true,
	"current_user": true, "user": true, "session_user": true, "current_role": true, "current_catalog": true,
	"current_schema": true, "current_database": true, "rowid": true,
}

func (t *textChecker) node(v map[string]any, ctes *cteNames) {
	if v["sample"] != nil {
		refuse("TABLESAMPLE")
	}
	switch v["class"] {
	case "PARAMETER":
		refuse("parameter in a query of DuckDB's")
	case "COLLATE":
		refuse("COLLATE")
	case "COLUMN_REF":
		parts, _ := v["column_names"].([]any)
		if name, _ := parts[len(parts)-1].(string); sessionValues[fold(name)] {
			refuse("volatile function ", name)
		}
	case "FUNCTION":
		t.function(v)
	case "WINDOW":
		if name, _ := v["function_name"].(string); t.binder.function(fold(name)).Macro {
			refuse("macro ", name)
		}
	}
	switch v["type"] {
	case "BASE_TABLE":
		t.table(v, ctes)
	case "TABLE_FUNCTION":
		f, _ := v["function"].(map[string]any)
		name, _ := f["function_name"].(string)
		if !isTableFunction(fold(name)) || f["schema"] != "" || t.binder.function(fold(name)).Redefined {
			refuse("table function ", name)
		}
		t.temporary = t.temporary || FileFunctions[fold(name)]
		f["known"] = true
	case "SHOW_REF":
		refuse("DESCRIBE")
	}
}

// function refuses a function that is not one of DuckDB's own with one value for
// the same arguments.
func (t *textChecker) function(v map[string]any) {
	if v["known"] == true {
		delete(v, "known")
		return
	}
	name, _ := v["function_name"].(string)
	name = fold(name)
	f := t.binder.function(name)
	args, _ := v["children"].([]any)
	switch {
	case f.Redefined, f.Macro && name != "nullif":
		refuse("macro ", name)
	case strings.HasPrefix(refusedCalls[name], "function "):
		refuse(refusedCalls[name])
	case name == "unnest", name == "count_star", name == "nullif":
	case !f.Scalar && !f.Aggregate, f.Scalar && !f.Consistent, readsClock(name, len(args)):
		refuse("volatile function ", name)
	}
}

// table resolves a table of a text.
func (t *textChecker) table(v map[string]any, ctes *cteNames) {
	var parts []string
	for _, k := range []string{"catalog_name", "schema_name", "table_name"} {
		if p, _ := v[k].(string); p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 1 && ctes.has(parts[0]) {
		return
	}
	if v["at_clause"] != nil {
		refuse("AT")
	}
	table, ok := t.lookup(parts)
	t.temporary = t.temporary || !ok || table.Temporary
	switch {
	case !ok:
		t.fileColumns(parts)
		return
	case table.View:
		t.view(table)
	case table.Collated != nil:
		refuse(ofCollation)
	case !table.Temporary && !slices.Contains(t.tables, table.Name):
		t.tables = append(t.tables, table.Name)
	}
	v["catalog_name"], v["schema_name"], v["table_name"] = table.Name.Catalog, table.Name.Schema, table.Name.Name
}

// view collects the tables that a view reads; the text goes on naming the view.
func (t *textChecker) view(table *Table) {
	if table.ViewSQL == "" {
		refuse("view")
	}
	t.blocks++
	if t.blocks > blocksMax {
		refuse("too many blocks")
	}
	if !slices.Contains(t.views, table.Name) {
		t.views = append(t.views, table.Name)
	}
	outer := t.within
	t.within = &table.Name
	t.walk(t.tree(table.ViewSQL), nil)
	t.within = outer
}

// sameJSON compares a tree with that of its printed text, but for positions. A
// list of values is printed as a query of it.
func sameJSON(again, tree any) bool {
	switch tree := tree.(type) {
	case map[string]any:
		m, ok := again.(map[string]any)
		if !ok {
			return false
		}
		if tree["type"] == "EXPRESSION_LIST" && m["type"] == "SUBQUERY" && m["alias"] == tree["alias"] {
			return sameJSON(field(m, "subquery", "node", "from_table", "values"), tree["values"])
		}
		for k, v := range tree {
			if k != "query_location" && k != "named_param_map" && !sameJSON(m[k], v) {
				return false
			}
		}
		return len(tree) == len(m)
	case []any:
		l, ok := again.([]any)
		return ok && slices.EqualFunc(l, tree, sameJSON)
	}
	return again == tree
}

// field follows a path of names; nil where it ends.
func field(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}
