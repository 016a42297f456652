package paramtypes

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// Names of what the resolver keeps in a tree; none is a field of DuckDB's.
const (
	keyField    = "trireme key"
	groupField  = "trireme group"
	outputField = "trireme output" // of a parameter that is a column of a query within another
)

// typedBase separates the numbers of parameters of the statement from those of probes,
// which are DuckDB's to infer; from textBase on they are texts where nothing is known.
const (
	typedBase = 1_000_000
	textBase  = 2_000_000
)

// probed is the SQL of a form in which the expressions of keys are probes: parameter $i+1
// of the text has the type of keys[i].
// Calls over what is not known may have to be left out.
func (r *resolver) probed(f *form, keys []string, without calls) (string, error) {
	e := &emitter{r: r, keys: keys, without: without}
	data, err := json.Marshal(e.emit(f.tree))
	if err = errors.Join(err, e.failed); err != nil {
		return "", err
	}
	text, err := r.db.DeserializeSQL(r.ctx, string(data))
	if err != nil {
		return "", err
	}
	return r.valued(text)
}

// valued writes values in place of the statement's own parameters.
func (r *resolver) valued(text string) (string, error) {
	tokens, err := sqlfront.Tokens(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	end := 0
	for _, t := range tokens {
		if t.Kind != sqlfront.TokenParam {
			continue
		}
		n, err := strconv.Atoi(text[t.Start+1 : t.End])
		if err != nil || n < typedBase {
			continue
		}
		b.WriteString(text[end:t.Start])
		known, ok := r.known[n%typedBase]
		if !ok && n >= textBase {
			known.ID = rows.Varchar
		}
		b.WriteString(valueOf(known))
		end = t.End
	}
	return b.String() + text[end:], nil
}

// valueOf is a value of a type.
func valueOf(t rows.Type) string {
	if t.ID == rows.Invalid {
		return "NULL"
	}
	if t.ID == rows.Decimal && t.Width == 0 {
		t.Width, t.Scale = 4, 1
	}
	value := "NULL"
	if text, ok := t.SampleText(); ok { // DuckDB makes a NULL without a type of a call with a NULL
		value = "'" + text + "'"
	}
	return "CAST(" + value + " AS " + t.String() + ")"
}

// emitter copies a tree for DuckDB.
type emitter struct {
	r       *resolver
	keys    []string
	without calls
	failed  error
}

// calls are kinds of calls that a probe leaves out, as DuckDB finds no function for a
// NULL among some operands, and some functions take none.
type calls uint8

const (
	noCalls calls = iota
	operators
	allCalls
)

// leavesOut reports whether a call is left out, and how its operands stay in the text.
func (e *emitter) leavesOut(v node) (around string, out bool) {
	operator, _ := v["is_operator"].(bool)
	if v["class"] != "FUNCTION" || e.without == noCalls || e.without == operators && !operator || !e.r.open(v) || isRow(v) {
		return "", false
	}
	f, err := e.r.db.Function(e.r.ctx, text(v, "function_name"))
	if err != nil {
		e.failed = err
	}
	if f.Aggregate { // columns stay within an aggregate
		return "count", true
	}
	return "row", true
}

func (e *emitter) emit(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = e.emit(v[i])
		}
		return out
	case node:
		return e.node(v)
	}
	return v
}

func (e *emitter) node(v node) any {
	out := make(node, len(v))
	for field, value := range v {
		if field != keyField && field != groupField && field != outputField {
			out[field] = e.emit(value)
		}
	}
	if n, ok := paramOf(v); ok {
		if out["identifier"] = strconv.Itoa(typedBase + n); v[outputField] != nil {
			out["identifier"] = strconv.Itoa(textBase + n)
		}
	}
	around, leave := e.leavesOut(v)
	switch {
	case v["class"] == "DEFAULT":
		return nullConstant()
	case leave:
		return nullOver(out, around)
	case v["function_name"] == sqlfront.AssignedMark:
		out["function_name"] = "row"
	}
	key, _ := v[keyField].(string)
	if i := slices.Index(e.keys, key); key != "" && i >= 0 {
		return probeOf(out, i+1)
	}
	return out
}

// probeOf is CASE WHEN true THEN e ELSE $n END, with the alias of e.
func probeOf(e node, n int) node {
	alias, copied := e["alias"], node{}
	for field, value := range e {
		copied[field] = value
	}
	copied["alias"] = ""
	boolean := node{"id": "BOOLEAN", "type_info": nil}
	return node{
		"class": "CASE", "type": "CASE_EXPR", "alias": alias, "query_location": 0,
		"case_checks": []any{node{
			"when_expr": node{
				"class": "CONSTANT", "type": "VALUE_CONSTANT", "alias": "", "query_location": 0,
				"value": node{"type": boolean, "is_null": false, "value": true},
			},
			"then_expr": copied,
		}},
		"else_expr": node{"class": "PARAMETER", "type": "VALUE_PARAMETER", "alias": "", "query_location": 0, "identifier": strconv.Itoa(n)},
	}
}

// nullOver is a NULL in which the operands of a call still stand: CASE WHEN
// around(row(operands)) IS NULL THEN NULL END.
func nullOver(call node, around string) node {
	noOrder := node{"type": "ORDER_MODIFIER", "orders": []any{}}
	over := func(name string, operands []any) node {
		return node{
			"class": "FUNCTION", "type": "FUNCTION", "alias": "", "query_location": 0, "function_name": name, "schema": "", "catalog": "",
			"children": operands, "filter": nil, "order_bys": noOrder, "distinct": false, "is_operator": false, "export_state": false,
		}
	}
	operands := list(call["children"])
	for _, o := range objects(list(object(call["order_bys"])["orders"])) {
		operands = append(operands, o["expression"])
	}
	operand := over("row", append(operands, nullConstant()))
	if around != "row" {
		operand = over(around, []any{operand})
	}
	isNull := node{"class": "OPERATOR", "type": "OPERATOR_IS_NULL", "alias": "", "query_location": 0, "children": []any{operand}}
	return node{
		"class": "CASE", "type": "CASE_EXPR", "alias": call["alias"], "query_location": 0,
		"case_checks": []any{node{"when_expr": isNull, "then_expr": nullConstant()}}, "else_expr": nullConstant(),
	}
}

func nullConstant() node {
	return node{
		"class": "CONSTANT", "type": "VALUE_CONSTANT", "alias": "", "query_location": 0,
		"value": node{"type": node{"id": "NULL", "type_info": nil}, "is_null": true},
	}
}
