package paramtypes

import (
	"maps"
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// walker finds the sites of a form. Scopes are the blocks of a query: names mean the same
// within one.
type walker struct {
	r     *resolver
	form  string
	scope int
}

// scopeKey begins the keys of the expressions of the block.
func (w *walker) scopeKey() string { return w.form + " " + strconv.Itoa(w.scope) }

// query walks a statement; into are the types of the columns that its rows go to.
func (w *walker) query(n node, into []rows.Type) {
	w.block(n, true)
	columns, arms := outputs(n)
	for i := 0; i < columns; i++ {
		g := &group{}
		if i < len(into) {
			g.into, g.assigns = into[i], true
		}
		if len(arms) > 1 || g.into.ID != rows.Invalid {
			for _, arm := range arms {
				g.add(w, arm[i])
			}
			w.r.add(g)
		}
	}
}

// outputs are the expressions of the columns of a query, in each of its arms; none where
// an arm has columns that it does not name.
func outputs(n node) (columns int, arms [][]node) {
	switch text(n, "type") {
	case "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE":
		for _, side := range append(list(n["children"]), n["left"], n["right"]) {
			if side == nil {
				continue
			}
			c, a := outputs(object(side))
			if len(a) == 0 || len(arms) > 0 && c != columns {
				return 0, nil
			}
			columns, arms = c, append(arms, a...)
		}
		return columns, arms
	case "SELECT_NODE":
		items := objects(list(n["select_list"]))
		from := object(n["from_table"])
		if len(items) == 1 && text(items[0], "class") == "STAR" && text(from, "type") == "EXPRESSION_LIST" {
			for _, row := range list(from["values"]) {
				arms = append(arms, objects(list(row)))
			}
			return len(arms[0]), arms
		}
		if slices.ContainsFunc(items, func(e node) bool { return text(e, "class") == "STAR" }) {
			return 0, nil
		}
		return len(items), [][]node{items}
	}
	return 0, nil
}

func objects(l []any) []node {
	out := make([]node, len(l))
	for i := range l {
		out[i] = object(l[i])
	}
	return out
}

// block walks a query; outermost: its rows are the statement's.
func (w *walker) block(n node, outermost bool) {
	w.r.scopes++
	w = &walker{r: w.r, form: w.form, scope: w.r.scopes}
	for _, e := range list(object(n["cte_map"])["map"]) {
		begin := len(w.r.sites)
		w.nested(object(object(object(e)["value"])["query"]))
		w.r.source(begin)
	}
	switch text(n, "type") {
	case "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE":
		for _, side := range append(list(n["children"]), n["left"], n["right"]) {
			if side != nil {
				w.block(object(side), true) // the outputs are a group
			}
		}
	default:
		w.from(object(n["from_table"]))
		for _, item := range objects(list(n["select_list"])) {
			if _, ok := paramOf(item); ok && !outermost {
				item[outputField] = true
			}
			w.expr(item)
		}
		w.fixed(n["where_clause"], rows.Boolean)
		w.all(n["group_expressions"])
		w.fixed(n["having"], rows.Boolean)
		w.fixed(n["qualify"], rows.Boolean)
	}
	for _, m := range objects(list(n["modifiers"])) {
		limit := rows.BigInt
		if text(m, "type") == "LIMIT_PERCENT_MODIFIER" {
			limit = rows.Double
		}
		w.fixed(m["limit"], limit)
		w.fixed(m["offset"], rows.BigInt)
		w.all(m["orders"])
		w.all(m["distinct_on_targets"])
	}
}

// nested walks a query within an expression or FROM.
func (w *walker) nested(statement node) {
	n := object(statement["node"])
	w.block(n, false)
	columns, arms := outputs(n)
	for i := 0; i < columns && len(arms) > 1; i++ {
		g := &group{}
		for _, arm := range arms {
			g.add(w, arm[i])
		}
		w.r.add(g)
	}
}

// from walks an operand of FROM.
func (w *walker) from(n node) {
	switch text(n, "type") {
	case "JOIN":
		w.from(object(n["left"]))
		w.from(object(n["right"]))
		w.fixed(n["condition"], rows.Boolean)
	case "SUBQUERY":
		begin := len(w.r.sites)
		w.nested(object(n["subquery"]))
		w.r.source(begin)
	case "EXPRESSION_LIST":
		values, begin := list(n["values"]), len(w.r.sites)
		if len(values) == 0 {
			return
		}
		for i := range list(values[0]) {
			g := &group{}
			for _, row := range values {
				if e := list(row); i < len(e) {
					w.expr(object(e[i]))
					g.add(w, object(e[i]))
				}
			}
			w.r.add(g)
		}
		w.r.source(begin)
	default:
		w.all(n)
	}
}

// all walks what is in a part of a tree.
func (w *walker) all(v any) {
	switch v := v.(type) {
	case []any:
		for _, child := range v {
			w.all(child)
		}
	case node:
		switch {
		case v["class"] != nil:
			w.expr(v)
		case v["node"] != nil:
			w.nested(v)
		case v["cte_map"] != nil:
			w.block(v, false)
		default:
			for _, field := range slices.Sorted(maps.Keys(v)) {
				w.all(v[field])
			}
		}
	}
}

// fixed walks an expression at a place that has a type.
func (w *walker) fixed(v any, id rows.TypeID) {
	if e := object(v); e != nil {
		w.expr(e)
		w.group(nil, rows.Type{ID: id}, e)
	}
}

// group makes a group of expressions and notes it at the expression whose type it is, if
// it is that of any.
func (w *walker) group(of node, into rows.Type, members ...node) *group {
	g := &group{into: into}
	for _, m := range members {
		g.add(w, m)
	}
	if of != nil {
		of[groupField] = g
	}
	w.r.add(g)
	return g
}

// expr walks an expression and finds what parameters in it stand beside. The sites of
// what is within it come first.
func (w *walker) expr(e node) {
	w.expand(e)
	mark(e, w.scopeKey())
	class, kind := text(e, "class"), text(e, "type")
	switch class {
	case "SUBQUERY":
		w.subquery(e)
		return
	case "BETWEEN": // is two comparisons
		w.expr(object(e["input"]))
		for _, bound := range []string{"lower", "upper"} {
			w.expr(object(e[bound]))
			w.compare(object(e["input"]), object(e[bound]))
		}
		return
	}
	for _, field := range slices.Sorted(maps.Keys(e)) {
		w.all(e[field])
	}
	children := objects(list(e["children"]))
	switch {
	case class == "COMPARISON":
		w.compare(object(e["left"]), object(e["right"]))
	case class == "CONJUNCTION", kind == "OPERATOR_NOT":
		for _, c := range children {
			w.group(nil, rows.Type{ID: rows.Boolean}, c)
		}
	case class == "CASE":
		w.caseOf(e)
	case class == "CAST":
		w.r.add(&castSite{e})
	case kind == "COMPARE_IN", kind == "COMPARE_NOT_IN":
		w.among(children)
	case kind == "OPERATOR_COALESCE", kind == "ARRAY_CONSTRUCTOR":
		w.group(e, rows.Type{}, children...).list = kind == "ARRAY_CONSTRUCTOR"
	case kind == "ARRAY_EXTRACT", kind == "ARRAY_SLICE":
		for _, c := range children[min(1, len(children)):] {
			w.group(nil, rows.Type{ID: rows.BigInt}, c)
		}
	case class == "WINDOW":
		w.window(e, children)
	case class == "FUNCTION":
		w.function(e, children)
	}
}

// compare is a comparison; rows are compared column by column.
func (w *walker) compare(left, right node) {
	if isRow(left) && isRow(right) {
		l, r := objects(list(left["children"])), objects(list(right["children"]))
		for i := 0; i < len(l) && i < len(r); i++ {
			w.compare(l[i], r[i])
		}
		return
	}
	w.group(nil, rows.Type{}, left, right)
}

func isRow(e node) bool { return text(e, "class") == "FUNCTION" && text(e, "function_name") == "row" }

func (w *walker) among(children []node) {
	if len(children) > 0 && isRow(children[0]) {
		for _, c := range children[1:] {
			w.compare(children[0], c)
		}
		return
	}
	w.group(nil, rows.Type{}, children...)
}

func (w *walker) caseOf(e node) {
	var results []node
	for _, check := range objects(list(e["case_checks"])) {
		w.group(nil, rows.Type{ID: rows.Boolean}, object(check["when_expr"]))
		results = append(results, object(check["then_expr"]))
	}
	if last := object(e["else_expr"]); last != nil {
		results = append(results, last)
	}
	w.group(e, rows.Type{}, results...)
}

// subquery is a subquery, whose one column may be compared.
func (w *walker) subquery(e node) {
	child, query := object(e["child"]), object(object(e["subquery"])["node"])
	if child != nil {
		w.expr(child)
	}
	w.nested(object(e["subquery"]))
	columns, arms := outputs(query)
	if child == nil || columns != 1 {
		return
	}
	members := []node{child}
	for _, arm := range arms {
		if item := arm[0]; text(item, "function_name") == "unnest" && len(list(item["children"])) == 1 && text(object(query["from_table"]), "type") == "EMPTY" {
			w.r.add(&listSite{element: child, list: object(list(item["children"])[0])})
			return
		}
		members = append(members, arm[0])
	}
	w.group(nil, rows.Type{}, members...)
}

func (w *walker) window(e node, children []node) {
	for _, field := range []string{"start_expr", "end_expr", "offset_expr"} {
		if bound := object(e[field]); bound != nil {
			w.group(nil, rows.Type{ID: rows.BigInt}, bound)
		}
	}
	w.fixed(e["filter_expr"], rows.Boolean)
	if other := object(e["default_expr"]); other != nil && len(children) > 0 {
		w.group(nil, rows.Type{}, children[0], other)
		return
	}
	w.r.add(&callSite{name: text(e, "function_name"), args: children})
}

// alike are functions whose arguments have one type, which is the function's, as those of
// COALESCE.
var alike = map[string]bool{"greatest": true, "least": true, "nullif": true, "ifnull": true}

// within are functions of what WITHIN GROUP orders.
var within = map[string]bool{"quantile_cont": true, "quantile_disc": true}

func (w *walker) function(e node, children []node) {
	w.fixed(e["filter"], rows.Boolean)
	switch name := text(e, "function_name"); {
	case alike[name]:
		w.group(e, rows.Type{}, children...)
	case name == sqlfront.AssignedMark && len(children) == 2:
		w.group(nil, rows.Type{}, children...).assigns = true
	case name == "row", name == "struct_pack":
	case name == "list_value":
		w.group(e, rows.Type{}, children...).list = true
	default:
		operator, _ := e["is_operator"].(bool)
		for _, o := range objects(list(object(e["order_bys"])["orders"])) {
			if within[name] { // WITHIN GROUP (ORDER BY x) is the first argument
				children = append([]node{object(o["expression"])}, children...)
			}
		}
		w.r.add(&callSite{name: name, args: children, operator: operator})
	}
}
