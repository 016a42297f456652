package paramtypes

import (
	"encoding/json"
	"strconv"

	"github.com/trireme-db/trireme/internal/rows"
)

func object(v any) node {
	n, _ := v.(node)
	return n
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func text(n node, field string) string {
	s, _ := n[field].(string)
	return s
}

// paramOf is the number of a parameter.
func paramOf(n node) (number int, ok bool) {
	if n["class"] != "PARAMETER" {
		return 0, false
	}
	number, err := strconv.Atoi(text(n, "identifier"))
	return number, err == nil
}

// open reports whether an expression has a parameter in it whose type is not known.
func (r *resolver) open(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, child := range v {
			if r.open(child) {
				return true
			}
		}
	case node:
		if n, ok := paramOf(v); ok {
			_, known := r.known[n]
			return !known
		}
		for field, child := range v {
			if field != groupField && r.open(child) {
				return true
			}
		}
	}
	return false
}

// standing is what is known of the type of an expression.
type standing uint8

const (
	// unknown: it has no type: a parameter, a string or NULL.
	unknown standing = iota
	// pending: it will be known when parameters in it are, or DuckDB has been asked.
	pending
	typed
)

// typeOf is the type of an expression. One that DuckDB has to tell goes to ask.
func (r *resolver) typeOf(e node, ask asked) (rows.Type, standing) {
	if n, ok := paramOf(e); ok {
		t, known := r.known[n]
		if !known {
			return t, unknown
		}
		return t, typed
	}
	switch text(e, "class") {
	case "CONSTANT":
		return constantType(object(object(e["value"])["type"]))
	case "STAR", "DEFAULT":
		return rows.Type{}, unknown
	}
	if g, ok := e[groupField].(*group); ok && r.open(e) {
		if g.untyped(r, ask) {
			return rows.Type{}, unknown
		}
		return rows.Type{}, pending
	}
	if text(e, "class") != "CAST" && r.open(e) {
		return rows.Type{}, pending
	}
	key, _ := e[keyField].(string)
	t, ok := r.types[key]
	switch {
	case t.isType():
		return t.typ, typed
	case !ok || t.open && t.known < len(r.known):
		ask[key] = e
		return t.typ, pending
	case t.open: // what it is made of may come to be known
		return t.typ, pending
	}
	return t.typ, unknown
}

// constantTypes are the types of constants, which are written without a cast.
var constantTypes = map[string]rows.TypeID{
	"BOOLEAN": rows.Boolean, "TINYINT": rows.TinyInt, "SMALLINT": rows.SmallInt, "INTEGER": rows.Integer, "BIGINT": rows.BigInt, "HUGEINT": rows.HugeInt,
	"UHUGEINT": rows.UHugeInt, "UBIGINT": rows.UBigInt, "DECIMAL": rows.Decimal, "DOUBLE": rows.Double, "INTEGER_LITERAL": rows.Integer,
}

func constantType(t node) (rows.Type, standing) {
	id, ok := constantTypes[text(t, "id")]
	if !ok {
		return rows.Type{}, unknown
	}
	return rows.Type{ID: id}, typed
}

// mark gives an expression the key by which its type is asked for: expressions of one
// block that are the same have one, so that a group and what is selected of it stay the
// same.
func mark(e node, scope string) {
	if _, done := e[keyField]; !done {
		data, err := json.Marshal(unplaced(e))
		if err != nil {
			panic(err) // a tree was JSON
		}
		e[keyField] = scope + " " + string(data)
	}
}

// unplaced is a tree without what does not change its meaning.
func unplaced(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = unplaced(v[i])
		}
		return out
	case node:
		out := node{}
		for field, child := range v {
			switch field {
			case "query_location", "alias", keyField, groupField:
			default:
				out[field] = unplaced(child)
			}
		}
		return out
	}
	return v
}
