package duckbackend

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// SerializeSQL returns DuckDB's own syntax tree of a SELECT as JSON, in the form of
// release 1 (treeOfRelease1) whichever release is linked.
func (c *Conn) SerializeSQL(ctx context.Context, sql string) (text string, err error) {
	text, err = c.oneText(ctx, "SELECT system.main.json_serialize_sql("+quoteText(sql)+")::VARCHAR")
	if err != nil || isRelease1() {
		return text, err
	}
	return treeOfRelease1(text)
}

// DeserializeSQL returns the SQL of a syntax tree that SerializeSQL made. Release 2
// reads trees of release 1 as well.
func (c *Conn) DeserializeSQL(ctx context.Context, tree string) (text string, err error) {
	return c.oneText(ctx, "SELECT system.main.json_deserialize_sql("+quoteText(tree)+"::JSON)")
}

// treeOfRelease1 gives a tree of release 2 the form of release 1: arguments of calls
// are children, the query of a common table expression is in "query", names are not
// repeated as paths, places have no lengths, and texts, integers of 64 bits, NULL and booleans are typed values.
// Constants of other types keep what release 2 has of them.
func treeOfRelease1(text string) (string, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return "", sqlerr.Wrap(sqlerr.InternalError, err)
	}
	out, err := json.Marshal(nodeOfRelease1(tree))
	if err != nil {
		return "", sqlerr.Wrap(sqlerr.InternalError, err)
	}
	return string(out), nil
}

func nodeOfRelease1(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = nodeOfRelease1(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = nodeOfRelease1(v[k])
		}
		delete(v, "qualified_name")
		delete(v, "query_location_length")
		if args, ok := v["arguments"].([]any); ok {
			v["children"] = argumentsOfRelease1(args)
			delete(v, "arguments")
		}
		if node, ok := v["query_node"]; ok {
			v["query"] = map[string]any{"node": node}
			delete(v, "query_node")
		}
		if literal, ok := v["literal"].(map[string]any); ok {
			return literalOfRelease1(v, literal)
		}
	}
	return v
}

// argumentsOfRelease1 are the arguments of a call; the name of one is its alias.
func argumentsOfRelease1(args []any) []any {
	children := make([]any, 0, len(args))
	for _, a := range args {
		arg, _ := a.(map[string]any)
		child, _ := arg["expression"].(map[string]any)
		if name, _ := arg["name"].(string); name != "" {
			child["alias"] = name
		}
		children = append(children, child)
	}
	return children
}

// literalOfRelease1 is the node of a constant.
func literalOfRelease1(node, literal map[string]any) map[string]any {
	text, _ := literal["text"].(string)
	kind, typed := "", any(text)
	switch literal["kind"] {
	case "STRING", "BOOLEAN":
		kind = "VARCHAR"
	case "NULL_LITERAL":
		kind = "NULL"
	case "INTEGER":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return node
		}
		kind, typed = "BIGINT", json.Number(text)
		if n == int64(int32(n)) {
			kind = "INTEGER"
		}
	default:
		return node
	}
	value := map[string]any{"type": typeOfRelease1(kind), "is_null": kind == "NULL"}
	if kind != "NULL" {
		value["value"] = typed
	}
	delete(node, "literal")
	if literal["kind"] != "BOOLEAN" {
		node["value"] = value
		return node
	}
	value["value"] = text[:1] // as the grammar of release 1 writes TRUE and FALSE: CAST('t' AS BOOLEAN)
	return map[string]any{
		"class": "CAST", "type": "OPERATOR_CAST", "alias": node["alias"], "query_location": node["query_location"],
		"child":     map[string]any{"class": "CONSTANT", "type": "VALUE_CONSTANT", "alias": "", "query_location": node["query_location"], "value": value},
		"cast_type": typeOfRelease1("BOOLEAN"), "try_cast": false,
	}
}

func typeOfRelease1(id string) map[string]any { return map[string]any{"id": id, "type_info": nil} }
