package difftest_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/trireme-db/trireme/engine/difftest"
)

// classes maps the first words of DuckDB's error text to SQLSTATE classes.
var classes = []struct{ prefix, class string }{
	{"Binder Error: LIMIT/OFFSET cannot be negative", "22"}, // 2201W, as in Postgres
	{"Catalog Error", "42"},
	{"Binder Error", "42"},
	{"Parser Error", "42"},
	{"Syntax Error", "42"},
	{"Conversion Error", "22"},
	{"Out of Range Error", "22"},
	{"Invalid Input Error", "22"},
}

func classOf(err error) string {
	for _, c := range classes {
		if strings.HasPrefix(err.Error(), c.prefix) {
			return c.class
		}
	}
	return "unknown class of: " + err.Error()
}

func TestCorpusOnDuckDB(t *testing.T) {
	schema, cases := loadCorpus(t)
	o := newOracle(t)
	o.load(t, []string{schema})
	counts := map[difftest.Expect]int{}
	nonEmpty := 0
	for _, c := range cases {
		counts[c.Expect]++
		_, table, err := o.run(c)
		switch {
		case c.Expect == difftest.Error && err == nil:
			t.Errorf("%s:%d %s: DuckDB answers, want an error of class %s", c.File, c.Line, c.Name, c.Detail)
		case c.Expect == difftest.Error && classOf(err) != c.Detail:
			t.Errorf("%s:%d %s: class %s, want %s: %v", c.File, c.Line, c.Name, classOf(err), c.Detail, err)
		case c.Expect != difftest.Error && err != nil:
			t.Errorf("%s:%d %s: %v", c.File, c.Line, c.Name, err)
		case len(table) > 0:
			nonEmpty++
		}
	}
	t.Logf("%d cases: %d tensor, %d duckdb, %d error, %d any; %d have rows", len(cases), counts[difftest.Tensor],
		counts[difftest.DuckDB], counts[difftest.Error], counts[difftest.Any], nonEmpty)
	if counts[difftest.Tensor] < 320 {
		t.Errorf("%d cases for the tensor engine, want at least 320", counts[difftest.Tensor])
	}
}

func TestCorpusNamesAndDirectives(t *testing.T) {
	bad := map[string]string{
		"no expect":         "-- name: x\nSELECT 1;\n",
		"no name":           "SELECT 1;\n",
		"unknown kind":      "-- name: x\n-- expect: maybe\nSELECT 1;\n",
		"reason missing":    "-- name: x\n-- expect: duckdb\nSELECT 1;\n",
		"unknown directive": "-- name: x\n-- expects: tensor\nSELECT 1;\n",
		"no end":            "-- name: x\n-- expect: tensor\nSELECT 1\n",
		"name twice":        "-- name: x\n-- expect: tensor\nSELECT 1;\n-- name: x\n-- expect: tensor\nSELECT 1;\n",
		"two names":         "-- name: x\n-- name: y\n-- expect: tensor\nSELECT 1;\n",
	}
	for what, content := range bad {
		_, _, err := difftest.LoadCorpus(fstest.MapFS{
			difftest.SchemaFile: {Data: []byte("")}, "q.sql": {Data: []byte(content)},
		})
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	good := "-- a comment\n\n-- name: x\n-- expect: duckdb (why)\n-- params: 1 ;; 'a'\n-- order: total\n-- float: terms up to 5e9\nSELECT\n-- inside\n  1;\n"
	_, cases, err := difftest.LoadCorpus(fstest.MapFS{difftest.SchemaFile: {Data: []byte("")}, "q.sql": {Data: []byte(good)}})
	if err != nil {
		t.Fatal(err)
	}
	c := cases[0]
	if c.Name != "x" || c.Detail != "why" || len(c.Params) != 2 || !c.Ordered || c.ToleranceAbs != 5 || c.SQL != "SELECT\n-- inside\n  1" || c.Line != 3 {
		t.Errorf("parsed as %+v", c)
	}
}
