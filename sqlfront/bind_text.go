package sqlfront

import (
	"encoding/json"
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
	for _, no := range []string{"unknown ", "ambiguous ", "alias ", "lateral", "too many", "volatile", "column outside", "collation"} {
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
	with := withClause(sql, ctes)
	if HasProgram(with + sql) {
		refuse("tensor program in a query of DuckDB's")
	}
	if with != "" || !startsQuery(sql) {
		sql = with + " SELECT * FROM (" + sql + ") AS text"
	}
	t := &textChecker{binder: b, trees: trees}
	tree := t.tree(sql)
	t.walk(tree, nil)
	full, err := json.Marshal(tree)
	if err != nil {
		refuse("query of DuckDB's")
	}
	s := Source{TextTables: t.tables}
	if s.Text, err = trees.DeserializeSQL(b.ctx, string(full)); err != nil {
		refuse("query of DuckDB's")
	}
	if !sameJSON(t.tree(s.Text), tree) {
		refuse("query of DuckDB's")
	}
	d, err := b.prep.Describe(b.ctx, s.Text, nil)
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

// withClause writes the common table expressions in sight that a text may mean,
// and those that they may mean.
func withClause(sql string, ctes *cteScope) string {
	var list []string
	known := map[string]bool{}
	for c := ctes; c != nil; c = c.outer {
		name := fold(c.node.name)
		if !mentions(sql, name) {
			continue
		}
		if known[name] {
			refuse("two common table expressions ", name)
		}
		known[name] = true
		var b strings.Builder
		b.WriteString(load.Quote(c.node.name))
		writeColumns(&b, c.node.columns)
		b.WriteString(" AS (")
		writeSelect(&b, c.node.query)
		b.WriteByte(')')
		list = append(list, b.String())
		sql += " " + b.String()
	}
	if len(list) == 0 {
		return ""
	}
	slices.Reverse(list) // outermost first
	return "WITH " + strings.Join(list, ", ")
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
	l := lexer{src: sql}
	for {
		t, err := l.next()
		if err != nil || t.kind == tokEOF {
			return false
		}
		text := sql[t.start:t.end]
		if t.kind == tokQuoted {
			text = unquote(text)
		}
		if (t.kind == tokWord || t.kind == tokQuoted) && fold(text) == name {
			return true
		}
	}
}

// textChecker goes through DuckDB's tree of a text: it names the tables in full,
// collects them, and refuses what could give another answer another time.
type textChecker struct {
	*binder
	trees  TreePreparer
	tables []load.Table
}

func (t *textChecker) tree(sql string) any {
	text, err := t.trees.SerializeSQL(t.ctx, sql)
	check(err)
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var tree map[string]any
	if err := d.Decode(&tree); err != nil || tree["error"] != false {
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
		t.walk(entry["value"], ctes)
		name, _ := entry["key"].(string)
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
		if !tableFunctions[fold(name)] || f["schema"] != "" || t.binder.function(fold(name)).Redefined {
			refuse("table function ", name)
		}
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
	switch {
	case !ok:
		refuse("unknown table ", parts[len(parts)-1])
	case table.View:
		t.view(table)
	case table.Collated != nil:
		refuse("collation")
	case !slices.Contains(t.tables, table.Name):
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
