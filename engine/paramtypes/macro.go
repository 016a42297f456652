package paramtypes

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/sqlfront"
)

// macrosMax bounds how many calls of macros a statement is written without: a macro may be
// made of others.
const macrosMax = 1000

// expand writes a call of a macro as what it stands for, if there is a parameter in it whose type
// is not known: that has a type where the macro uses it.
func (w *walker) expand(e node) {
	args := objects(list(e["children"]))
	if text(e, "class") != "FUNCTION" || alike[text(e, "function_name")] || !w.r.anyOpen(args) || w.r.macros == macrosMax {
		return
	}
	f, err := w.r.db.Function(w.r.ctx, text(e, "function_name"))
	if err != nil {
		w.r.failed = cmp.Or(w.r.failed, err)
		return
	}
	macro, ok := macroFor(f, args)
	if !ok {
		return
	}
	body, err := w.r.tree("SELECT " + macro.Body)
	if err != nil || body == nil {
		w.r.failed = cmp.Or(w.r.failed, err)
		return
	}
	items := objects(list(object(object(list(body["statements"])[0])["node"])["select_list"]))
	if len(items) != 1 {
		return
	}
	values := map[string]node{}
	for i, name := range macro.Params {
		values[strings.ToLower(name)] = args[i]
	}
	w.r.macros++
	expanded, alias := object(substitute(items[0], values)), e["alias"]
	clear(e)
	maps.Copy(e, expanded)
	e["alias"] = alias
	w.expand(e)
}

// macroFor is the one macro that a call with some arguments means; false: it calls no macro, or DuckDB
// has to choose.
func macroFor(f sqlfront.Function, args []node) (sqlfront.Macro, bool) {
	fits := slices.DeleteFunc(slices.Clone(f.Macros), func(m sqlfront.Macro) bool { return m.Table || len(m.Params) != len(args) })
	named := slices.ContainsFunc(args, func(a node) bool { return text(a, "alias") != "" })
	if len(fits) != 1 || named || f.Redefined && (f.Scalar || f.Aggregate) {
		return sqlfront.Macro{}, false
	}
	return fits[0], true
}

// substitute is a part of a macro with copies of the arguments in place of its parameters.
func substitute(v any, values map[string]node) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = substitute(v[i], values)
		}
		return out
	case node:
		if names := list(v["column_names"]); v["class"] == "COLUMN_REF" && len(names) == 1 {
			if name, _ := names[0].(string); values[strings.ToLower(name)] != nil {
				return substitute(values[strings.ToLower(name)], nil)
			}
		}
		out := make(node, len(v))
		for field, child := range v {
			out[field] = substitute(child, values)
		}
		return out
	}
	return v
}

// tree is DuckDB's syntax tree of a SELECT; nil: it has none.
func (r *resolver) tree(sql string) (node, error) {
	text, err := r.db.SerializeSQL(r.ctx, sql)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // integers of 64 bits
	var tree node
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	if failed, _ := tree["error"].(bool); failed || len(list(tree["statements"])) != 1 {
		return nil, nil
	}
	return tree, nil
}
