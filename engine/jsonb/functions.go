package jsonb

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/pgtext"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Function is a function by its name: those that are operators in Postgres have the names of
// its functions behind them. Call gets a value for each parameter, none
// of them NULL: string, int64, bool, or []*string, nil where an element is NULL; it returns string, bool, or nil for NULL.
// Where stopped says so while it works, it ends with ErrStopped.
type Function struct {
	Name   string
	Params []rows.Type
	Result rows.Type
	Call   func(stopped func() bool, args []any) (any, error)
}

// function is how one is written: it works for w.
type function struct {
	name   string
	params []rows.Type
	result rows.Type
	call   func(w *work, args []any) (any, error)
}

var (
	jsonType = rows.Type{ID: rows.JSON}
	textType = rows.Type{ID: rows.Varchar}
	yesOrNo  = rows.Type{ID: rows.Boolean}
	integer  = rows.Type{ID: rows.BigInt}
	texts    = rows.Type{ID: rows.List, Name: "VARCHAR[]"}
)

// Functions are all of them. A path is a list, or the text of an array.
func Functions() []Function {
	var list []Function
	for _, f := range functions() {
		list = append(list, Function{f.name, f.params, f.result, heeding(f.call)})
	}
	return list
}

func functions() []function {
	list := []function{
		{"jsonb_contains", []rows.Type{jsonType, jsonType}, yesOrNo, comparing(func(a, b *value) bool { return a.contains(b) })},
		{"jsonb_contained", []rows.Type{jsonType, jsonType}, yesOrNo, comparing(func(a, b *value) bool { return b.contains(a) })},
		{"jsonb_concat", []rows.Type{jsonType, jsonType}, jsonType, func(w *work, args []any) (any, error) {
			a, b, err := parseTwo(w, args)
			out := concat(a, b)
			return out.String(), err
		}},
		{"jsonb_exists", []rows.Type{jsonType, textType}, yesOrNo, func(w *work, args []any) (any, error) {
			v, err := parse(w, args[0].(string))
			return v.exists(args[1].(string)), err
		}},
		{"jsonb_delete", []rows.Type{jsonType, textType}, jsonType, changed(func(v value, args []any) (value, error) { key := args[0].(string); return v.without([]*string{&key}) })},
		{"jsonb_delete", []rows.Type{jsonType, texts}, jsonType, changed(func(v value, args []any) (value, error) { return v.without(args[0].([]*string)) })},
		{"jsonb_delete", []rows.Type{jsonType, integer}, jsonType, changed(func(v value, args []any) (value, error) { return v.withoutElement(args[0].(int64)) })},
		{"jsonb_pretty", []rows.Type{jsonType}, textType, func(w *work, args []any) (any, error) {
			v, err := parse(w, args[0].(string))
			var b strings.Builder
			v.pretty(&b, "")
			return b.String(), err
		}},
	}
	list = append(list,
		function{"jsonb_key", []rows.Type{textType}, textType, func(_ *work, args []any) (any, error) { return keyPath(args[0].(string)), nil }},
		function{"jsonb_key", []rows.Type{integer}, integer, func(_ *work, args []any) (any, error) { return args[0], nil }})
	for name, decide := range comparisons {
		list = append(list, function{name, []rows.Type{jsonType, jsonType}, yesOrNo, comparing(func(a, b *value) bool { return decide(a.compare(b)) })})
	}
	for _, prefix := range []string{"json_", "jsonb_"} {
		list = append(list,
			function{prefix + "strip_nulls", []rows.Type{jsonType}, jsonType, changed(func(v value, _ []any) (value, error) { return v.stripped(), nil })},
			function{prefix + "typeof", []rows.Type{jsonType}, textType, func(w *work, args []any) (any, error) {
				v, err := parse(w, args[0].(string))
				return kindNames[v.kind], err
			}})
	}
	for _, typ := range []rows.Type{texts, textType} {
		list = append(list, ofPaths(typ)...)
	}
	return list
}

// keyPath is DuckDB's path that leads to a key, whatever it has in it.
func keyPath(key string) string {
	if strings.Trim(key, "*") == "" {
		return "/" + key // in quotes it is no key, or every one
	}
	return `$."` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
}

// comparisons are what operators of comparison call.
var comparisons = map[string]func(int) bool{
	"jsonb_eq": func(c int) bool { return c == 0 }, "jsonb_ne": func(c int) bool { return c != 0 },
	"jsonb_lt": func(c int) bool { return c < 0 }, "jsonb_le": func(c int) bool { return c <= 0 },
	"jsonb_gt": func(c int) bool { return c > 0 }, "jsonb_ge": func(c int) bool { return c >= 0 },
}

// kindNames are what jsonb_typeof calls kinds of values.
var kindNames = [...]string{null: "null", boolean: "boolean", number: "number", text: "string", array: "array", object: "object"}

// ofPaths are the functions with a path, or a list of keys, of that type.
func ofPaths(typ rows.Type) []function {
	list := []function{
		{"jsonb_at", []rows.Type{jsonType, typ}, jsonType, found(func(v *value) any { return v.String() })},
		{"jsonb_text_at", []rows.Type{jsonType, typ}, textType, found(func(v *value) any {
			switch v.kind {
			case null:
				return nil
			case text:
				return v.scalar
			}
			return v.String()
		})},
		{"jsonb_delete_path", []rows.Type{jsonType, typ}, jsonType, changed(func(v value, args []any) (value, error) {
			path, err := pathOf(args[0])
			if err != nil {
				return v, err
			}
			return v.withoutPath(path)
		})},
		{"jsonb_exists_any", []rows.Type{jsonType, typ}, yesOrNo, existing(func(found, keys int) bool { return found > 0 })},
		{"jsonb_exists_all", []rows.Type{jsonType, typ}, yesOrNo, existing(func(found, keys int) bool { return found == keys })},
		setting("jsonb_set", typ, func(yes bool) changing { return changing{replaces: true, creates: yes} }, true),
		setting("jsonb_insert", typ, func(yes bool) changing { return changing{after: yes, creates: true} }, false),
	}
	for _, f := range list[len(list)-2:] { // with the last parameter
		list = append(list, function{f.name, append(f.params[:3:3], yesOrNo), f.result, f.call})
	}
	return list
}

func parseTwo(w *work, args []any) (a, b value, err error) {
	if a, err = parse(w, args[0].(string)); err == nil {
		b, err = parse(w, args[1].(string))
	}
	return a, b, err
}

func comparing(f func(a, b *value) bool) func(*work, []any) (any, error) {
	return func(w *work, args []any) (any, error) {
		a, b, err := parseTwo(w, args)
		return f(&a, &b), err
	}
}

// changed makes another value of the first argument.
func changed(f func(v value, args []any) (value, error)) func(*work, []any) (any, error) {
	return func(w *work, args []any) (any, error) {
		v, err := parse(w, args[0].(string))
		if err != nil {
			return nil, err
		}
		v, err = f(v, args[1:])
		return v.String(), err
	}
}

// found is what the path in the second argument leads to, or NULL.
func found(show func(*value) any) func(*work, []any) (any, error) {
	return func(w *work, args []any) (any, error) {
		v, err := parse(w, args[0].(string))
		if err != nil {
			return nil, err
		}
		path, err := pathOf(args[1])
		if err != nil {
			return nil, err
		}
		if at := v.at(path); at != nil {
			return show(at), nil
		}
		return nil, nil
	}
}

// existing counts the keys of the second argument, NULLs aside, that the first has.
func existing(decide func(found, keys int) bool) func(*work, []any) (any, error) {
	return func(w *work, args []any) (any, error) {
		v, err := parse(w, args[0].(string))
		if err != nil {
			return nil, err
		}
		keys, err := pathOf(args[1])
		keys = slices.DeleteFunc(slices.Clone(keys), func(key *string) bool { return key == nil })
		n := 0
		for _, key := range keys {
			if v.exists(*key) {
				n++
			}
		}
		return decide(n, len(keys)), err
	}
}

// setting is a function that puts a value where a path leads; its last parameter may be
// left out.
func setting(name string, path rows.Type, how func(bool) changing, last bool) function {
	return function{name, []rows.Type{jsonType, path, jsonType}, jsonType, changed(func(v value, args []any) (value, error) {
		steps, err := pathOf(args[0])
		if err != nil {
			return v, err
		}
		item, err := parse(v.work, args[1].(string))
		if err != nil {
			return v, err
		}
		yes := last
		if len(args) > 2 {
			yes = args[2].(bool)
		}
		return v.withPath(steps, item, how(yes))
	})}
}

// pathOf is a list of texts, which may be the text of an array.
func pathOf(arg any) ([]*string, error) {
	if list, ok := arg.([]*string); ok {
		return list, nil
	}
	path := []*string{}
	ok := pgtext.ParseArray(arg.(string), func(e pgtext.Element) bool {
		if e.Null {
			path = append(path, nil)
		} else {
			path = append(path, &e.Text)
		}
		return true
	})
	if !ok {
		return nil, sqlerr.New(sqlerr.InvalidText, "malformed array literal: %q", arg).
			WithHint("Write a path as '{a,b}' or ARRAY['a', 'b'].")
	}
	return path, nil
}
