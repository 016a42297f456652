package jsonb

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// call calls the function of that name that takes such arguments.
func call(t *testing.T, name string, args ...any) (any, error) {
	t.Helper()
	return callUntil(t, func() bool { return false }, name, args...)
}

// listOf is a list without NULLs.
func listOf(items ...string) []*string {
	list := make([]*string, len(items))
	for i := range items {
		list[i] = &items[i]
	}
	return list
}

func callUntil(t *testing.T, stopped func() bool, name string, args ...any) (any, error) {
	t.Helper()
	for _, f := range Functions() {
		if f.Name != name || len(f.Params) != len(args) {
			continue
		}
		fits := true
		for i, p := range f.Params {
			_, list := args[i].([]*string)
			_, number := args[i].(int64)
			_, yes := args[i].(bool)
			fits = fits && list == (p.ID == rows.List) && number == (p.ID == rows.BigInt) && yes == (p.ID == rows.Boolean)
		}
		if fits {
			return f.Call(stopped, args)
		}
	}
	t.Fatalf("no function %s of %v", name, args)
	return nil, nil
}

// The values are Postgres 15's, but for blanks and the order of keys.
func TestFunctions(t *testing.T) {
	for _, c := range []struct {
		name string
		args []any
		want any
	}{
		{"jsonb_contains", []any{`{"a": 1, "b": [1, 2, {"c": null}]}`, `{"b": [2]}`}, true},
		{"jsonb_contains", []any{`{"a": {"b": 1, "c": 2}}`, `{"a": {"b": 1}}`}, true},
		{"jsonb_contains", []any{`{"a": {"b": 1}}`, `{"b": 1}`}, false},
		{"jsonb_contains", []any{`[{"a": 1}, {"b": 2}]`, `[{"a": 1, "b": 2}]`}, false},
		{"jsonb_contains", []any{`[1, [2]]`, `[2]`}, false},
		{"jsonb_contains", []any{`[1, 2]`, `1`}, true},
		{"jsonb_contains", []any{`1`, `[1]`}, false},
		{"jsonb_contains", []any{`[[1, 2]]`, `[[1]]`}, true},
		{"jsonb_contains", []any{`[1.0, 100]`, `[1, 1e2]`}, true},
		{"jsonb_contains", []any{`12345678901234567890`, `12345678901234567891`}, false},
		{"jsonb_contains", []any{`{}`, `[]`}, false},
		{"jsonb_contains", []any{`"a"`, `"\u0061"`}, true},
		{"jsonb_contained", []any{`{"b": 1}`, `{"a": 0, "b": 1}`}, true},
		{"jsonb_gt", []any{`7`, `10`}, false},
		{"jsonb_lt", []any{`-12`, `-3`}, true},
		{"jsonb_le", []any{`1.0`, `1`}, true},
		{"jsonb_eq", []any{`{"b": 1, "aa": [2]}`, `{"aa":[2.0],"b":1}`}, true},
		{"jsonb_ne", []any{`"1"`, `1`}, true},
		{"jsonb_lt", []any{`null`, `"a"`}, true},
		{"jsonb_lt", []any{`false`, `true`}, true},
		{"jsonb_gt", []any{`[1, 2]`, `[9]`}, true},
		{"jsonb_ge", []any{`{"b": 1}`, `{"aa": 0}`}, true},
		{"jsonb_eq", []any{`-0`, `0`}, true},
		{"jsonb_exists", []any{`{"a": 1}`, `a`}, true},
		{"jsonb_exists", []any{`["a", 1]`, `1`}, false},
		{"jsonb_exists", []any{`"a"`, `a`}, true},
		{"jsonb_exists_any", []any{`{"a": 1}`, listOf("b", "a")}, true},
		{"jsonb_exists_all", []any{`{"a": 1}`, `{b,a}`}, false},
		{"jsonb_exists_all", []any{`{"a": 1}`, `{}`}, true},
		{"jsonb_at", []any{`{"a": [1, {"b": "c"}]}`, `{a,1}`}, `{"b":"c"}`},
		{"jsonb_at", []any{`{"a": [1, 2]}`, listOf("a", "-1")}, `2`},
		{"jsonb_at", []any{`{"a": null}`, `{a}`}, `null`},
		{"jsonb_at", []any{`{"a": 1}`, `{a,b}`}, nil},
		{"jsonb_text_at", []any{`{"a": {"b": "c\nd"}}`, `{a,b}`}, "c\nd"},
		{"jsonb_text_at", []any{`{"a": null}`, `{a}`}, nil},
		{"jsonb_text_at", []any{`{"a": true}`, `{}`}, `{"a":true}`},
		{"jsonb_concat", []any{`{"a": 1, "b": {"c": 1}}`, `{"b": {"d": null}}`}, `{"a":1,"b":{"d":null}}`},
		{"jsonb_concat", []any{`[1]`, `{"a": 2}`}, `[1,{"a":2}]`},
		{"jsonb_concat", []any{`1`, `"x"`}, `[1,"x"]`},
		{"jsonb_delete", []any{`{"a": 1, "b": 2}`, `a`}, `{"b":2}`},
		{"jsonb_delete", []any{`["a", "b", "a", 1]`, `a`}, `["b",1]`},
		{"jsonb_delete", []any{`{"a": 1, "b": 2}`, listOf("a", "b")}, `{}`},
		{"jsonb_delete", []any{`[1, 2, 3]`, int64(-1)}, `[1,2]`},
		{"jsonb_delete", []any{`[1]`, int64(5)}, `[1]`},
		{"jsonb_delete_path", []any{`{"a": [1, {"b": 2}]}`, `{a,1,b}`}, `{"a":[1,{}]}`},
		{"jsonb_set", []any{`{"a": [1, 2]}`, `{a,0}`, `{"x": 1}`}, `{"a":[{"x":1},2]}`},
		{"jsonb_set", []any{`{"a": 1}`, `{b}`, `2`}, `{"a":1,"b":2}`},
		{"jsonb_set", []any{`{"a": 1}`, `{b}`, `2`, false}, `{"a":1}`},
		{"jsonb_set", []any{`[1]`, `{-9}`, `0`}, `[0,1]`},
		{"jsonb_set", []any{`{"a": 1}`, `{b,c}`, `2`}, `{"a":1}`},
		{"jsonb_insert", []any{`[1, 2]`, `{1}`, `9`}, `[1,9,2]`},
		{"jsonb_insert", []any{`[1, 2]`, `{1}`, `9`, true}, `[1,2,9]`},
		{"jsonb_insert", []any{`{"a": 1}`, `{b}`, `9`}, `{"a":1,"b":9}`},
		{"jsonb_strip_nulls", []any{`{"a": null, "b": [null, {"c": null}]}`}, `{"b":[null,{}]}`},
		{"jsonb_typeof", []any{`-1.5`}, "number"},
		{"json_typeof", []any{`"x"`}, "string"},
		{"jsonb_pretty", []any{`{"a": [1, {}]}`}, "{\n    \"a\": [\n        1,\n        {\n        }\n    ]\n}"},
		{"jsonb_concat", []any{`{"a": 1, "a": 2}`, `{}`}, `{"a":2}`},
		{"jsonb_concat", []any{`["\u0000\u001f\"\\/é😀"]`, `[]`}, `["\u0000\u001f\"\\/é😀"]`},
	} {
		if got, err := call(t, c.name, c.args...); err != nil || got != c.want {
			t.Errorf("%s%q = %v, %v, want %v", c.name, c.args, got, err, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, code string
		args       []any
	}{
		{"jsonb_contains", sqlerr.InvalidText, []any{`{"a": `, `1`}},
		{"jsonb_contains", sqlerr.InvalidText, []any{`1`, `1 2`}},
		{"jsonb_contains", sqlerr.InvalidText, []any{`1`, ``}},
		{"jsonb_typeof", sqlerr.InvalidText, []any{strings.Repeat("[", 5000)}},
		{"jsonb_delete", "22023", []any{`1`, `a`}},
		{"jsonb_delete", "22023", []any{`{"a": 1}`, int64(0)}},
		{"jsonb_delete", "22023", []any{`"a"`, int64(0)}},
		{"jsonb_delete_path", "22023", []any{`1`, `{a}`}},
		{"jsonb_set", "22023", []any{`1`, `{a}`, `2`}},
		{"jsonb_set", sqlerr.InvalidText, []any{`[1]`, `{a}`, `2`}},
		{"jsonb_insert", "22023", []any{`{"a": 1}`, `{a}`, `2`}},
		{"jsonb_at", sqlerr.InvalidText, []any{`{"a": 1}`, `a`}},
	} {
		got, err := call(t, c.name, c.args...)
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s%q = %v, %v, want %s", c.name, c.args, got, err, c.code)
		}
	}
}

// What is written is read again as the same value.
func FuzzRoundTrip(f *testing.F) {
	for _, seed := range []string{`{"a": [1, -2.5e3, null, true, "x\u00e9\n"]}`, `"\ud83d\ude00"`, `[[[]]]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		v, err := parse(nil, src)
		if err != nil {
			return
		}
		again, err := parse(nil, v.String())
		if err != nil || fmt.Sprint(again) != fmt.Sprint(v) {
			t.Errorf("%q is written %q: %v", src, v.String(), err)
		}
	})
}

// Functions stop, also where their time grows with the product of their arguments' sizes.
func TestFunctionsStop(t *testing.T) {
	const n = 30000
	var numbers, nulls strings.Builder
	for i := range n {
		fmt.Fprintf(&numbers, `"k%d":%d,`, i, i)
		fmt.Fprintf(&nulls, `"n%d":null,`, i)
	}
	object := "{" + numbers.String() + `"z":0}`
	array, last := "["+strings.Repeat(`"a",`, n)+"2]", "["+strings.Repeat("2,", n)+"2]"
	keys := listOf(strings.Fields(strings.Repeat("b ", n))...)
	for _, c := range []struct {
		name string
		args []any
	}{
		{"jsonb_contains", []any{array, last}},
		{"jsonb_contained", []any{object, object}},
		{"jsonb_concat", []any{object, object}},
		{"jsonb_exists_all", []any{array, keys}},
		{"jsonb_exists_any", []any{object, keys}},
		{"jsonb_delete", []any{array, keys}},
		{"jsonb_strip_nulls", []any{"{" + nulls.String() + numbers.String() + `"z":0}`}},
	} {
		asked := 0
		_, err := callUntil(t, func() bool { asked++; return asked > 400 }, c.name, c.args...)
		if !errors.Is(err, ErrStopped) {
			t.Errorf("%s: %v after %d questions", c.name, err, asked)
		}
	}
}

// Of a small value nested deeply no large text is made.
func TestPrettyTextsAreBounded(t *testing.T) {
	deep := strings.Repeat("[", 990) + strings.Repeat("1,", 60000) + "1" + strings.Repeat("]", 990)
	if _, err := call(t, "jsonb_pretty", deep); err == nil || sqlerr.From(err).Code != sqlerr.ProgramLimit {
		t.Errorf("%v, want %s", err, sqlerr.ProgramLimit)
	}
	got, err := call(t, "jsonb_pretty", "["+strings.Repeat("1,", 60000)+"1]")
	if text, _ := got.(string); err != nil || len(text) != 60001*7+2 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	asked := 0
	if _, err := callUntil(t, func() bool { asked++; return asked > 5 }, "jsonb_pretty", deep); !errors.Is(err, ErrStopped) {
		t.Errorf("%v after %d questions", err, asked)
	}
}
