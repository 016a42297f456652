package sqlfront

import (
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/internal/rows"
)

// What neither the gate nor the parser reads, DuckDB's own tree often has in words that
// they know: the statement is written anew from that tree, with macros and lists of
// columns in full, and read again.

// itoa is here for trees, whose numbers are texts.
func itoa(n int) string { return strconv.Itoa(n) }

// rewriter writes a statement anew.
type rewriter struct {
	*binder
	trees
	// macros are how deep the bodies of macros are that are being written.
	macros int
	around []*stars // of the SELECTs around the one that is being written
	budget int      // nodes that may be added
	values int      // names given to what is set apart
	asked  int      // questions which relation that reads
}

// macroDepth bounds macros in macros, addedNodesMax what the bodies of macros and lists of
// columns add to a statement.
const (
	macroDepth    = 32
	addedNodesMax = 2000
)

// rewritten is a statement in other words, which mean the same to DuckDB; empty: there are
// none.
func (b *binder) rewritten(sql string) string {
	prep, ok := b.prep.(TreePreparer)
	if !ok || HasProgram(sql) {
		return ""
	}
	desc := b.description() // the statement's own errors come first
	r := &rewriter{binder: b, trees: trees{ctx: b.ctx, prep: prep}, budget: addedNodesMax}
	node := r.node(sql)
	if node == nil {
		return ""
	}
	node, _ = r.query(node, nil, true).(treeNode)
	text := r.print(node)
	if text == "" || text == sql {
		return ""
	}
	again, err := b.prep.Describe(b.ctx, text, b.given)
	if err != nil || !slices.EqualFunc(again.Columns, desc.Columns, func(a, b rows.Column) bool { return a.Type == b.Type }) ||
		!slices.Equal(again.Params, desc.Params) {
		return ""
	}
	return text
}

// query writes a query, in which the common table expressions are in sight. unseen: the
// names of its columns are not.
func (r *rewriter) query(v treeNode, ctes []any, unseen bool) any {
	list := listOf(nodeOf(v, "cte_map"), "map")
	for _, e := range list {
		entry, _ := e.(treeNode)
		body := nodeOf(nodeOf(entry, "value"), "query")
		if n := nodeOf(body, "node"); n != nil {
			body["node"] = r.query(n, ctes, false)
		}
		ctes = append(slices.Clip(ctes), e)
	}
	if isSelectNode(v) {
		return r.selection(v, ctes, unseen)
	}
	for k, c := range v {
		if k != "cte_map" {
			v[k] = r.tree(c, ctes)
		}
	}
	return v
}

// tree writes whatever is in a query.
func (r *rewriter) tree(v any, ctes []any) any {
	switch v := v.(type) {
	case []any:
		for i, c := range v {
			v[i] = r.tree(c, ctes)
		}
		return v
	case treeNode:
		switch {
		case v["cte_map"] != nil:
			return r.query(v, ctes, false)
		case v["class"] == "SUBQUERY":
			v["child"] = r.tree(v["child"], ctes)
			body := nodeOf(v, "subquery")
			body["node"] = r.query(nodeOf(body, "node"), ctes, true)
			return v
		case v["type"] == "TABLE_FUNCTION":
			call := nodeOf(v, "function")
			call["children"] = r.tree(call["children"], ctes)
			return r.tableMacro(v)
		}
		for k, c := range v {
			v[k] = r.tree(c, ctes)
		}
		return r.spelled(v)
	}
	return v
}

// selection writes one SELECT.
func (r *rewriter) selection(v treeNode, ctes []any, unseen bool) any {
	before := cloneTree(v).(treeNode)
	v["from_table"] = r.tree(v["from_table"], ctes)
	s := &stars{rewriter: r, from: nodeOf(v, "from_table"), ctes: ctes}
	r.around = append(r.around, s)
	defer func() { r.around = r.around[:len(r.around)-1] }()
	s.fieldsInConditions(s.from)
	var list []any
	changed := []bool{}
	for _, it := range listOf(v, "select_list") {
		item, _ := it.(treeNode)
		old := cloneTree(item)
		for _, one := range s.item(item) {
			one = r.tree(s.fields(one), ctes)
			list = append(list, one)
			changed = append(changed, !sameJSON(one, old))
		}
	}
	v["select_list"] = list
	for _, k := range []string{"where_clause", "having", "qualify"} {
		if c := nodeOf(v, k); c != nil {
			v[k] = r.tree(s.fields(s.condition(c)), ctes)
		}
	}
	v["group_expressions"] = r.tree(s.fields(v["group_expressions"]), ctes)
	for _, m := range listOf(v, "modifiers") {
		mod, _ := m.(treeNode)
		mod["orders"] = positions(listOf(mod, "orders"), len(list))
		if mod["orders"] == nil {
			delete(mod, "orders")
		}
		for k, c := range mod {
			mod[k] = r.tree(s.fields(c), ctes)
		}
	}
	if r.apart(v, ctes) {
		list = listOf(v, "select_list")
		changed = slices.Repeat([]bool{true}, len(list))
	}
	if slices.Contains(changed, true) && !(unseen && len(list) == len(listOf(before, "select_list")) && len(listOf(v, "modifiers")) == 0) {
		r.name(list, changed, before, ctes, aliasesIn(v["modifiers"]))
	}
	return v
}

// name gives items the names that they have before they are written anew. A name that ORDER BY
// or DISTINCT ON have (ordered) would mean the item then.
func (r *rewriter) name(list []any, changed []bool, before treeNode, ctes []any, ordered []string) {
	before["cte_map"] = treeNode{"map": append([]any{}, ctes...)}
	before["modifiers"] = []any{}
	columns := r.described(before)
	if len(columns) != len(list) {
		refuse("") // they are named by what they are made of
	}
	for i, it := range list {
		if item, _ := it.(treeNode); changed[i] && textOf(item, "alias") == "" {
			if slices.ContainsFunc(ordered, func(name string) bool { return fold(name) == fold(columns[i].Name) }) {
				refuse("")
			}
			item["alias"] = columns[i].Name
		}
	}
}

// described are the columns of a query; none: it is not known alone.
func (r *rewriter) described(v treeNode) []rows.Column {
	text := r.print(v)
	if text == "" {
		return nil
	}
	d, err := r.binder.prep.Describe(r.binder.ctx, text, r.given)
	if err != nil {
		return nil
	}
	return d.Columns
}

// positions are the orders of a modifier, with ORDER BY ALL as the positions of n columns.
func positions(orders []any, n int) any {
	if orders == nil {
		return nil
	}
	var out []any
	for _, o := range orders {
		order, _ := o.(treeNode)
		e := nodeOf(order, "expression")
		if !isStar(e) || e["expr"] != nil || len(listOf(e, "exclude_list")) > 0 || textOf(e, "relation_name") != "" {
			out = append(out, o)
			continue
		}
		for i := range n {
			one := cloneTree(order).(treeNode)
			one["expression"] = numberNode(i + 1)
			out = append(out, one)
		}
	}
	return out
}

// spelled is a node in words that the gate knows.
func (r *rewriter) spelled(v treeNode) any {
	switch v["type"] {
	case "FUNCTION":
		return r.call(v)
	case "ARRAY_EXTRACT":
		return r.named(v, "array_extract")
	case "ARRAY_SLICE":
		return r.named(v, "array_slice")
	case "STRUCT_EXTRACT":
		return r.named(v, "struct_extract")
	}
	return v
}

// named is the call of a function in the place of an operator.
func (r *rewriter) named(v treeNode, name string) any {
	if r.function(name).Redefined {
		return v
	}
	out := functionNode(name, listOf(v, "children")...)
	out["alias"] = v["alias"]
	return out
}

// call writes a call: of a macro, what it stands for.
func (r *rewriter) call(v treeNode) any {
	name := fold(textOf(v, "function_name"))
	f := r.function(name)
	switch schema := textOf(v, "schema"); {
	case schema == "main" && textOf(v, "catalog") == "" && !f.Redefined:
		v["schema"] = ""
	case schema == "":
	case systemSchemas[schema] || !f.Scalar && !f.Aggregate:
		return v
	default: // x.f(y) is f(x, y)
		column := columnNode(schema)
		if table := textOf(v, "catalog"); table != "" {
			column = columnNode(table, schema)
		}
		v["children"] = append([]any{column}, listOf(v, "children")...)
		v["schema"], v["catalog"] = "", ""
	}
	if name == "nullif" || !slices.ContainsFunc(f.Macros, func(m Macro) bool { return !m.Table }) {
		return v
	}
	body := r.expand(name, f, v, false)
	out, _ := field(body, "select_list").([]any)
	if len(out) != 1 {
		refuse("macro ", name)
	}
	one, _ := r.tree(out[0], nil).(treeNode)
	r.macros--
	one["alias"] = v["alias"]
	return one
}

// systemSchemas may stand before functions.
var systemSchemas = map[string]bool{"main": true, "pg_catalog": true, "information_schema": true}

// tableMacro writes a table macro as the query that it stands for.
func (r *rewriter) tableMacro(v treeNode) any {
	call := nodeOf(v, "function")
	name := fold(textOf(call, "function_name"))
	f := r.function(name)
	if !slices.ContainsFunc(f.Macros, func(m Macro) bool { return m.Table }) || textOf(call, "schema") != "" {
		return v
	}
	body := r.query(r.expand(name, f, call, true), nil, false)
	r.macros--
	alias := textOf(v, "alias")
	if alias == "" {
		alias = name
	}
	out := derivedTree(alias, body.(treeNode))
	out["sample"], out["column_name_alias"] = v["sample"], listOf(v, "column_name_alias")
	return out
}

// expand is the body of a macro, with arguments for its parameters. The caller writes it,
// and counts down macros then.
func (r *rewriter) expand(name string, f Function, call treeNode, table bool) treeNode {
	if r.macros++; r.macros > macroDepth {
		refuse("macro ", name)
	}
	args := listOf(call, "children")
	at := slices.IndexFunc(f.Macros, func(m Macro) bool { return m.Table == table && len(m.Params) == len(args) })
	if at < 0 || f.Redefined && (f.Scalar || f.Aggregate) || slices.ContainsFunc(f.Macros[at+1:], func(m Macro) bool { return len(m.Params) == len(args) }) {
		refuse("macro ", name)
	}
	m := f.Macros[at]
	values := map[string]any{}
	for i, a := range args {
		arg, _ := a.(treeNode)
		param := m.Params[i]
		if alias := textOf(arg, "alias"); alias != "" {
			param = alias
			arg["alias"] = ""
		}
		values[fold(param)] = arg
	}
	if len(values) != len(args) {
		refuse("macro ", name)
	}
	sql := m.Body
	if !table {
		sql = "SELECT (" + sql + ")"
	}
	body := r.node(sql)
	if body == nil {
		refuse("macro ", name)
	}
	return r.substitute(name, body, values)
}

// substitute puts arguments in the place of parameters.
func (r *rewriter) substitute(name string, body treeNode, values map[string]any) treeNode {
	out := mapTree(body, func(v treeNode) (any, bool) {
		parts := nameParts(v)
		if v["class"] == "LAMBDA" {
			refuse("macro ", name) // its parameters may have the same names
		}
		if len(parts) == 0 {
			return nil, false
		}
		arg, ok := values[fold(parts[0])]
		switch {
		case !ok:
			return nil, false
		case len(parts) > 1:
			refuse("macro ", name)
		}
		r.add(arg)
		one := cloneTree(arg).(treeNode)
		one["alias"] = v["alias"]
		return one, true
	})
	return out.(treeNode)
}

// add counts nodes that are written again.
func (r *rewriter) add(v any) {
	anyNode(v, func(treeNode) bool { r.budget--; return false })
	if r.budget < 0 {
		refuse("macro that grows")
	}
}
