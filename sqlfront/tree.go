package sqlfront

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// treeNode is a node of DuckDB's syntax tree as it is serialised.
type treeNode = map[string]any

// trees asks DuckDB for syntax trees, and for the texts of changed ones.
type trees struct {
	ctx  context.Context
	prep TreePreparer
}

// statement is the tree of a SELECT; nil: DuckDB has none.
func (t trees) statement(sql string) treeNode {
	text, err := t.prep.SerializeSQL(t.ctx, sql)
	check(err)
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var tree treeNode
	if err := d.Decode(&tree); err != nil || tree["error"] != false {
		return nil
	}
	return tree
}

// node is the outermost node of a SELECT; nil: DuckDB has no tree of it.
func (t trees) node(sql string) treeNode {
	list, _ := t.statement(sql)["statements"].([]any)
	if len(list) != 1 {
		return nil
	}
	first, _ := list[0].(treeNode)
	node, _ := first["node"].(treeNode)
	return node
}

// print is the text of a node that is a statement; empty: DuckDB would read that text
// as another tree.
func (t trees) print(node treeNode) string {
	node, _ = withoutCommas(cloneTree(node), false).(treeNode)
	tree := treeNode{"error": false, "statements": []any{treeNode{"node": node, "named_param_map": []any{}}}}
	named, err := json.Marshal(tree)
	if err != nil {
		return ""
	}
	text, err := t.prep.DeserializeSQL(t.ctx, string(named))
	if err != nil || !sameJSON(t.node(text), node) {
		return ""
	}
	return text
}

// withoutCommas makes a CROSS JOIN that stands below another join (within) one with a
// condition: DuckDB prints a comma for it, without parentheses.
func withoutCommas(v any, within bool) any {
	switch v := v.(type) {
	case []any:
		for i, c := range v {
			v[i] = withoutCommas(c, false)
		}
	case treeNode:
		join := v["type"] == "JOIN"
		cross := join && v["ref_type"] == "CROSS"
		for k, c := range v {
			v[k] = withoutCommas(c, join && (k == "right" || k == "left" && (within || !cross)))
		}
		if cross && within {
			v["ref_type"], v["condition"] = "REGULAR", trueNode()
		}
	}
	return v
}

// trueNode is TRUE as DuckDB's parser has it.
func trueNode() treeNode {
	text := expressionNode("CONSTANT", "VALUE_CONSTANT", treeNode{
		"value": treeNode{"type": treeNode{"id": "VARCHAR", "type_info": nil}, "is_null": false, "value": "t"},
	})
	return expressionNode("CAST", "OPERATOR_CAST", treeNode{"child": text, "cast_type": treeNode{"id": "BOOLEAN", "type_info": nil}, "try_cast": false})
}

// cloneTree copies a tree.
func cloneTree(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, c := range v {
			out[i] = cloneTree(c)
		}
		return out
	case treeNode:
		out := make(treeNode, len(v))
		for k, c := range v {
			out[k] = cloneTree(c)
		}
		return out
	}
	return v
}

// mapTree replaces the nodes of a tree by f, which may change them; inside what f has
// replaced (done), nothing is looked at.
func mapTree(v any, f func(treeNode) (out any, done bool)) any {
	switch v := v.(type) {
	case []any:
		for i, c := range v {
			v[i] = mapTree(c, f)
		}
	case treeNode:
		out, done := f(v)
		if done {
			return out
		}
		for k, c := range v {
			v[k] = mapTree(c, f)
		}
	}
	return v
}

// anyNode reports whether a tree has a node for which is holds.
func anyNode(v any, is func(treeNode) bool) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(c any) bool { return anyNode(c, is) })
	case treeNode:
		if is(v) {
			return true
		}
		for _, c := range v {
			if anyNode(c, is) {
				return true
			}
		}
	}
	return false
}

// listOf is a list in a node; nil: there is none.
func listOf(v treeNode, name string) []any {
	list, _ := v[name].([]any)
	return list
}

// textOf is a text in a node; empty: there is none.
func textOf(v treeNode, name string) string {
	text, _ := v[name].(string)
	return text
}

// nodeOf is a node in a node; nil: there is none.
func nodeOf(v treeNode, name string) treeNode {
	node, _ := v[name].(treeNode)
	return node
}

func isSelectNode(v treeNode) bool { return v["type"] == "SELECT_NODE" }

func isStar(v treeNode) bool { return v["class"] == "STAR" }

// nameParts are the parts of a column's name; nil: v is none.
func nameParts(v treeNode) (parts []string) {
	if v["class"] != "COLUMN_REF" {
		return nil
	}
	for _, p := range listOf(v, "column_names") {
		text, _ := p.(string)
		parts = append(parts, text)
	}
	return parts
}

// columnNode is a column's name.
func columnNode(parts ...string) treeNode {
	names := make([]any, len(parts))
	for i, p := range parts {
		names[i] = p
	}
	return expressionNode("COLUMN_REF", "COLUMN_REF", treeNode{"column_names": names})
}

// functionNode calls a function.
func functionNode(name string, args ...any) treeNode {
	return expressionNode("FUNCTION", "FUNCTION", treeNode{
		"function_name": name, "schema": "", "catalog": "", "children": append([]any{}, args...), "filter": nil,
		"order_bys": treeNode{"type": "ORDER_MODIFIER", "orders": []any{}}, "distinct": false, "is_operator": false, "export_state": false,
	})
}

// numberNode is an integer.
func numberNode(n int) treeNode {
	return expressionNode("CONSTANT", "VALUE_CONSTANT", treeNode{
		"value": treeNode{"type": treeNode{"id": "INTEGER", "type_info": nil}, "is_null": false, "value": json.Number(itoa(n))},
	})
}

// textConstant is a text.
func textConstant(text string) treeNode {
	return expressionNode("CONSTANT", "VALUE_CONSTANT", treeNode{
		"value": treeNode{"type": treeNode{"id": "VARCHAR", "type_info": nil}, "is_null": false, "value": text},
	})
}

// noPlace is where a node is that no text has.
const noPlace = json.Number("18446744073709551615")

func expressionNode(class, kind string, v treeNode) treeNode {
	v["class"], v["type"], v["alias"], v["query_location"] = class, kind, "", noPlace
	return v
}

// selectOf is a SELECT of a list, over a FROM, which may read common table expressions.
func selectOf(list []any, from any, ctes []any) treeNode {
	return treeNode{
		"type": "SELECT_NODE", "modifiers": []any{}, "cte_map": treeNode{"map": append([]any{}, ctes...)}, "select_list": list, "from_table": from,
		"where_clause": nil, "group_expressions": []any{}, "group_sets": []any{}, "aggregate_handling": "STANDARD_HANDLING",
		"having": nil, "sample": nil, "qualify": nil,
	}
}

// nameDerived gives the derived tables of a FROM that have no name those that DuckDB gives
// them.
func nameDerived(from treeNode) {
	n := 0
	for _, l := range leavesOf(from, false) {
		if l.node["type"] != "SUBQUERY" || textOf(l.node, "alias") != "" {
			continue
		}
		name := "unnamed_subquery"
		if n++; n > 1 {
			name += itoa(n)
		}
		l.node["alias"] = name
	}
}

// relationsOf are the names of the elements of a FROM, in their order; ok is false where
// one has none.
func relationsOf(from treeNode) (names []string, ok bool) {
	if from["type"] == "JOIN" {
		left, leftOK := relationsOf(nodeOf(from, "left"))
		right, rightOK := relationsOf(nodeOf(from, "right"))
		if t := from["join_type"]; t == "SEMI" || t == "ANTI" {
			right = nil
		}
		return append(left, right...), leftOK && rightOK
	}
	name := relationName(from)
	return []string{name}, name != ""
}
