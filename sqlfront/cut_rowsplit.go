package sqlfront

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// rowSplitter splits one SELECT by DuckDB's tree of it.
type rowSplitter struct {
	*resolver
	open   *openSelect
	coarse bool
	rest   *restSelect

	units  []treeNode
	keys   map[string]int // of units
	groups map[string]bool
	// grouped is what the SELECT groups by, of whose equal values one is read.
	grouped map[string]bool
}

// split returns the block as a statement.
func (s *rowSplitter) split() string {
	s.description() // the statement's own errors come first
	s.read()
	from := cloneTree(s.sel["from_table"])
	where := cloneTree(s.sel["where_clause"])
	s.sel["cte_map"] = treeNode{"map": []any{}}
	s.resolve()
	s.gathersRows()
	s.replaceUnits()
	if len(s.units) == 0 {
		refuse(NothingGathered)
	}
	s.nameItems()
	s.sel["from_table"], s.sel["where_clause"] = s.repeated(), nil
	s.determine()
	if s.rest.text = s.printed(s.sel); s.rest.text == "" {
		refuse("query of DuckDB's")
	}
	block := selectOf(append(cloneTree(s.asAny()).([]any), functionNode("count_star")), from, nil)
	block["where_clause"] = where
	block["group_expressions"] = cloneTree(s.asAny())
	block["group_sets"] = []any{numbers(len(s.units))}
	text := s.open.inScope.statement(s.printed(block))
	if text == "" {
		refuse("query of DuckDB's")
	}
	return text
}

// printed is the text of a node without marks; empty: there is none.
func (s *rowSplitter) printed(v treeNode) string {
	v = cloneTree(v).(treeNode)
	anyNode(v, func(n treeNode) bool { delete(n, resolvedMark); return false })
	return s.print(v)
}

func (s *rowSplitter) asAny() []any {
	out := make([]any, len(s.units))
	for i, u := range s.units {
		out[i] = u
	}
	return out
}

// numbers are those below n.
func numbers(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = json.Number(itoa(i))
	}
	return out
}

// read reads the SELECT. Queries in it that read nothing of it are not looked into.
func (s *rowSplitter) read() {
	k, lo, hi := s.open.cutter, s.open.lo, s.open.hi
	taken := namesOf(k.text(lo, hi))
	body := span{first: k.find(lo, hi, "from"), end: k.find(lo, hi, clauses[2:]...)}
	var b strings.Builder
	for i := lo; i < hi; {
		name := fmt.Sprintf("trireme query %d", len(s.rest.queries))
		end := k.partner[i]
		inBody := body.first <= i && i < body.end
		if inBody || !k.queryAt(i) || !s.alone(k.text(i+1, end)) {
			b.WriteString(k.gap(i) + k.text(i, i+1))
			i++
			continue
		}
		if taken[name] {
			refuse("query of DuckDB's")
		}
		s.rest.queries = append(s.rest.queries, restQuery{name, span{first: i + 1, end: end}})
		b.WriteString(` (SELECT "` + name + `")`)
		i = end + 1
	}
	s.sel = s.node(s.open.inScope.statement(b.String()))
	if s.sel == nil || !isSelectNode(s.sel) || nodeOf(s.sel, "from_table")["type"] == "EMPTY" || s.sel["sample"] != nil {
		refuse("query of DuckDB's")
	}
	var ctes []any
	s.sel, _ = s.query(s.sel, nil, true).(treeNode)
	ctes = listOf(nodeOf(s.sel, "cte_map"), "map")
	s.readRelations(ctes)
	if outermostStar(s.sel["select_list"]) != nil || anyNode(s.sel["select_list"], isStar) {
		refuse("star")
	}
	s.sameBytes()
}

// sameBytes refuses a collation of what is grouped or made distinct: of the texts that it
// makes equal the first row's is shown, which is not known of a block.
func (s *rowSplitter) sameBytes() {
	collated := func(n treeNode) bool { return n["class"] == "COLLATE" }
	merged := s.open.bag || len(listOf(s.sel, "group_sets")) > 0
	for _, m := range listOf(s.sel, "modifiers") {
		mod, _ := m.(treeNode)
		merged = merged || mod["type"] == "DISTINCT_MODIFIER"
		if anyNode(mod["distinct_on_targets"], collated) {
			refuse(ofCollation)
		}
	}
	if merged && (anyNode(s.sel["select_list"], collated) || anyNode(s.sel["group_expressions"], collated)) {
		refuse(ofCollation)
	}
}

// alone reports whether a query means something without the SELECT around it.
func (s *rowSplitter) alone(sql string) bool {
	text := s.open.inScope.statement(sql)
	if text == "" {
		return false
	}
	_, err := s.binder.prep.Describe(s.binder.ctx, text, s.given)
	return err == nil
}

// kept are the parts of the SELECT that are printed over the block.
var keptParts = []string{"select_list", "group_expressions", "having", "qualify", "modifiers"}

// gathersRows refuses a SELECT that neither aggregates nor makes less of its rows in
// another way.
func (s *rowSplitter) gathersRows() {
	less := s.open.bag || s.sel["qualify"] != nil || anyNode(s.sel["from_table"], s.lateral)
	for _, m := range listOf(s.sel, "modifiers") {
		mod, _ := m.(treeNode)
		less = less || mod["type"] == "DISTINCT_MODIFIER"
	}
	grouped := len(listOf(s.sel, "group_sets")) > 0 || s.sel["aggregate_handling"] == "FORCE_AGGREGATES" || s.sel["having"] != nil
	for _, part := range keptParts {
		grouped = grouped || s.anyAggregate(s.sel[part])
	}
	if !grouped && !less && !anyNode(s.sel["select_list"], func(n treeNode) bool { return n["class"] == "SUBQUERY" && !s.kept(n) }) {
		refuse(NothingGathered)
	}
}

// lateral reports whether a node is a derived table that aggregates and reads others of FROM.
func (s *rowSplitter) lateral(v treeNode) bool {
	if v["type"] != "SUBQUERY" || v["class"] != nil || !s.anyAggregate(v["subquery"]) {
		return false
	}
	text := s.printed(nodeOf(nodeOf(v, "subquery"), "node"))
	return text != "" && !s.alone(text)
}

// kept reports whether a subquery is one that the rest keeps.
func (s *rowSplitter) kept(sub treeNode) bool {
	list, _ := field(sub, "subquery", "node", "select_list").([]any)
	if len(list) != 1 {
		return false
	}
	item, _ := list[0].(treeNode)
	parts := nameParts(item)
	return len(parts) == 1 && slices.ContainsFunc(s.rest.queries, func(q restQuery) bool { return q.name == parts[0] })
}

// isAggregate reports whether a node calls an aggregate function.
func (s *rowSplitter) isAggregate(v treeNode) bool {
	return v["class"] == "FUNCTION" && s.function(fold(textOf(v, "function_name"))).Aggregate
}

// anyAggregate looks for an aggregate outside of queries.
func (s *rowSplitter) anyAggregate(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, s.anyAggregate)
	case treeNode:
		if v["class"] == "SUBQUERY" {
			return false
		}
		if s.isAggregate(v) {
			return true
		}
		for _, c := range v {
			if s.anyAggregate(c) {
				return true
			}
		}
	}
	return false
}

// replaceUnits makes columns of the block of what the parts that are kept need of FROM.
func (s *rowSplitter) replaceUnits() {
	for _, g := range s.groupExpressions() {
		s.grouped[unitKey(g)] = true
		if s.coarse && s.calculated(g) {
			s.groups[unitKey(g)] = true
		}
	}
	s.compared(listOf(s.sel, "group_expressions"))
	for _, part := range keptParts {
		if s.sel[part] != nil {
			s.sel[part] = s.over(s.sel[part], false)
		}
	}
}

// groupExpressions are what the SELECT groups by.
func (s *rowSplitter) groupExpressions() (out []treeNode) {
	items := listOf(s.sel, "select_list")
	if s.sel["aggregate_handling"] == "FORCE_AGGREGATES" {
		for _, it := range items {
			if item, _ := it.(treeNode); !s.anyAggregate(item) && !anyNode(item, isWindow) {
				out = append(out, item)
			}
		}
	}
	for _, e := range listOf(s.sel, "group_expressions") {
		g, _ := e.(treeNode)
		out = append(out, s.meant(g))
	}
	return out
}

// meant is the item that a position or an alias names, else the expression itself.
func (s *rowSplitter) meant(e treeNode) treeNode {
	items := listOf(s.sel, "select_list")
	if e["class"] == "CONSTANT" {
		n, _ := field(e, "value", "value").(json.Number)
		if i := position(n.String()); i >= 1 && i <= len(items) {
			item, _ := items[i-1].(treeNode)
			return item
		}
	}
	if parts := nameParts(e); len(parts) == 1 && e[resolvedMark] == nil {
		for _, it := range items {
			if item, _ := it.(treeNode); fold(textOf(item, "alias")) == fold(parts[0]) {
				return item
			}
		}
	}
	return e
}

// position is a number as a position; 0: it is none.
func position(text string) int {
	n := 0
	for _, c := range []byte(text) {
		if !isDigit(c) || n > 1<<16 {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

func isWindow(v treeNode) bool { return v["class"] == "WINDOW" }

// calculated reports whether an expression is made of columns of FROM alone, so that the
// block may calculate it.
func (s *rowSplitter) calculated(v treeNode) bool {
	marked := false
	other := anyNode(v, func(n treeNode) bool {
		marked = marked || n[resolvedMark] != nil
		return isWindow(n) || isStar(n) || s.isAggregate(n) || n["class"] == "LAMBDA" || n["class"] == "COLUMN_REF" && n[resolvedMark] == nil ||
			n["class"] == "SUBQUERY"
	})
	return marked && !other
}

// unitKey is the same for the same expressions.
func unitKey(v treeNode) string {
	v = cloneTree(v).(treeNode)
	v["alias"] = ""
	anyNode(v, func(n treeNode) bool { delete(n, "query_location"); return false })
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// unit is the column of the block for an expression.
func (s *rowSplitter) unit(v treeNode) treeNode {
	key := unitKey(v)
	n, ok := s.keys[key]
	if !ok {
		n = len(s.units)
		s.keys[key] = n
		u := cloneTree(v).(treeNode)
		u["alias"] = ""
		s.units = append(s.units, u)
	}
	out := columnNode(BlockColumn(n))
	out["alias"] = v["alias"]
	return out
}

// shows is the column of the block for an expression of which different values may be equal,
// where it makes a difference which of them it is.
func (s *rowSplitter) shows(v treeNode) treeNode {
	out := s.unit(v)
	s.rest.shown = append(s.rest.shown, s.keys[unitKey(v)])
	return out
}

// over is a tree over the block's columns; called: what an aggregate is called with.
func (s *rowSplitter) over(v any, called bool) any {
	switch v := v.(type) {
	case []any:
		for i, c := range v {
			v[i] = s.over(c, called)
		}
	case treeNode:
		switch {
		case (v[resolvedMark] != nil || s.groups[unitKey(v)]) && !called && s.grouped[unitKey(v)]:
			return s.unit(v)
		case v[resolvedMark] != nil, s.groups[unitKey(v)]:
			return s.shows(v)
		case v["class"] == "SUBQUERY" && !s.kept(v):
			if v["subquery_type"] != "SCALAR" && v["child"] != nil {
				refuse("query of DuckDB's")
			}
			return s.shows(v)
		case s.isAggregate(v):
			s.arguments(v)
			called = true
		}
		s.unnamedArguments(v)
		for k, c := range v {
			v[k] = s.over(c, called)
		}
	}
	return v
}

// arguments makes columns of the block of what an aggregate is called with.
func (s *rowSplitter) arguments(call treeNode) {
	s.compared(listOf(call, "children"))
	for _, o := range listOf(nodeOf(call, "order_bys"), "orders") {
		order, _ := o.(treeNode)
		list := []any{order["expression"]}
		s.compared(list)
		order["expression"] = list[0]
	}
	if f := nodeOf(call, "filter"); f != nil && s.coarse && s.calculated(f) {
		call["filter"] = s.unit(f)
	}
}

// compared makes columns of the block of expressions of which equal values are one.
func (s *rowSplitter) compared(list []any) {
	for i, c := range list {
		if e, _ := c.(treeNode); e[resolvedMark] != nil || s.coarse && s.calculated(e) {
			list[i] = s.unit(e)
		}
	}
}

// nameItems gives all items the names that they have.
func (s *rowSplitter) nameItems() {
	items, columns := listOf(s.sel, "select_list"), s.description().Columns
	if len(items) != len(columns) {
		refuse("number of columns")
	}
	named := map[string]int{}
	for i, c := range columns {
		item, _ := items[i].(treeNode)
		item["alias"] = c.Name
		named[fold(c.Name)]++
	}
	for _, part := range keptParts {
		for _, name := range aliasesIn(s.sel[part]) {
			if named[fold(name)] > 1 {
				refuse("a name of several items")
			}
		}
	}
	s.rest.items = len(items)
}

// aliasesIn are the names without a qualifier outside of queries.
func aliasesIn(v any) (out []string) {
	switch v := v.(type) {
	case []any:
		for _, c := range v {
			out = append(out, aliasesIn(c)...)
		}
	case treeNode:
		if v["class"] == "SUBQUERY" {
			return aliasesIn(v["child"])
		}
		if parts := nameParts(v); len(parts) == 1 {
			return parts
		}
		for _, c := range v {
			out = append(out, aliasesIn(c)...)
		}
	}
	return out
}

// unnamedArguments refuses a call whose value has the names of what it is called with.
func (s *rowSplitter) unnamedArguments(call treeNode) {
	if call["class"] != "FUNCTION" {
		return
	}
	switch fold(textOf(call, "function_name")) {
	case "alias":
		refuse("the name of an expression as a value")
	case "struct_pack":
		for _, c := range listOf(call, "children") {
			if arg, _ := c.(treeNode); textOf(arg, "alias") == "" {
				refuse("a field without a name")
			}
		}
	}
}

// repeated is the FROM of the rest: as many rows as the block has counted.
func (s *rowSplitter) repeated() any {
	return s.node(fmt.Sprintf(`SELECT 1 FROM %q, range(%q) AS "trireme times"("trireme time")`, restRelation, BlockColumn(len(s.units))))["from_table"]
}
