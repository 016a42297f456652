package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

func TestQueryFormats(t *testing.T) {
	const sql = `SELECT * FROM (VALUES (1, 'a,"b', 1.50, true), (-20, NULL, NULL, false)) t(n, s, "d e", b)`
	for format, want := range map[string]string{
		"table": ` n   | s    | d e  | b
-----+------+------+---
   1 | a,"b | 1.50 | t
 -20 | NULL | NULL | f
(2 rows)
`,
		"csv": "n,s,d e,b\n1,\"a,\"\"b\",1.50,t\n-20,,,f\n",
		"json": `[
  {"n": 1, "s": "a,\"b", "d e": 1.50, "b": true},
  {"n": -20, "s": null, "d e": null, "b": false}
]
`,
	} {
		got, err := trireme(t, "", "query", "--format", format, sql)
		if err != nil || got != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", format, err, got, want)
		}
	}
	const unlike = "SELECT '' a, NULL b, chr(27) || '[2J' || chr(10) c, ' x' d"
	for format, want := range map[string]string{
		"table": " a | b    | c         | d\n---+------+-----------+----\n   | NULL | \\x1b[2J\\n |  x\n(1 row)\n",
		"csv":   "a,b,c,d\n\"\",,\"\x1b[2J\n\",\" x\"\n",
	} {
		if got, err := trireme(t, "", "query", "--format", format, unlike); err != nil || got != want {
			t.Errorf("%s: %v\n%q\nwant\n%q", format, err, got, want)
		}
	}
	doc, err := trireme(t, "", "query", "--format", "json", "SELECT 'nan'::DOUBLE a, 1e300 b, 170141183460469231731687303715884105727 c, '{\"k\": [1]}'::JSON d, '<é>' e WHERE true; SELECT 1 WHERE false")
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(doc))
	for dec.More() {
		var rows []map[string]any
		if err := dec.Decode(&rows); err != nil {
			t.Fatalf("%v in %s", err, doc)
		}
	}
	if !strings.Contains(doc, `{"a": "NaN", "b": 1e+300, "c": 170141183460469231731687303715884105727, "d": {"k": [1]}, "e": "<é>"}`) {
		t.Errorf("document %s", doc)
	}
}

func TestQueryKeepsADatabaseFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db") // the file's name is no schema
	if _, err := trireme(t, "CREATE SCHEMA s; CREATE TABLE s.t AS SELECT 41 AS x;\nUPDATE s.t SET x = x + 1", "query", "--db", path, "-"); err != nil {
		t.Fatal(err)
	}
	got, err := trireme(t, "", "query", "--db", path, "--format", "csv", "SELECT x FROM s.t")
	if err != nil || got != "x\n42\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestErrorsOfCommands(t *testing.T) {
	for _, c := range []struct {
		code string
		args []string
	}{
		{"42601", []string{"query", "SELEC 1"}},
		{"42601", []string{"query", "SELECT 'open"}},
		{"42P01", []string{"query", "SELECT * FROM missing"}},
		{"08P01", []string{"query", "SELECT $1"}},
		{"22023", []string{"query", "--backend", "fast", "SELECT 1"}},
		{"22023", []string{"query", "--format", "xml", "SELECT 1"}},
		{"22023", []string{"query", "--threads", "-1", "SELECT 1"}},
		{"22023", []string{"query", "--memory-limit", "lots", "SELECT 1"}},
		{"22023", []string{"query", "--memory-limit", "1MB", "SELECT 1"}},
		{"0A000", []string{"query", "--backend", "native", "SELECT 1"}},
		{"58030", []string{"query", "--db", "/no/such/directory/x.db", "SELECT 1"}},
		{"22023", []string{"serve", "--auth", "scram"}},
		{"22023", []string{"serve", "--auth", "magic"}},
	} {
		_, err := trireme(t, "", c.args...)
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%v: error %v, want SQLSTATE %s", c.args, err, c.code)
		}
	}
	if _, err := trireme(t, "", "query"); err == nil {
		t.Error("query without SQL")
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"": engine.DefaultMemoryLimit(), "8GB": 8e9, "512MiB": 512 << 20, " 1.5 gb": 15e8, "100000000": 1e8} {
		if got, err := memoryLimit(text); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"GB", "8XB", "-1GB", "1e30GB", "NaN", "8 G B"} {
		if got, err := memoryLimit(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestExplainCommand(t *testing.T) {
	got, err := trireme(t, "", "explain", "--backend", "duckdb", "SELECT 42 AS answer")
	if err != nil || !strings.Contains(got, "answer") {
		t.Errorf("%v: %s", err, got)
	}
	path := filepath.Join(t.TempDir(), "e.db")
	if _, err := trireme(t, "", "query", "--db", path, "CREATE TABLE e (s INTEGER, d INTEGER)"); err != nil {
		t.Fatal(err)
	}
	const join = "SELECT count(*) FROM e a, e b WHERE a.d = b.s"
	if got, err = trireme(t, "", "explain", "--db", path, "--backend", "native", join); err != nil || !strings.Contains(got, "LOGICAL PLAN") {
		t.Errorf("%v: %s", err, got)
	}
	if got, err = trireme(t, "", "explain", "--db", path, "--json", "--analyze", join); err != nil || !json.Valid([]byte(got)) {
		t.Errorf("%v: %s", err, got)
	}
}

func TestVersionCommand(t *testing.T) {
	got, err := trireme(t, "", "version")
	if err != nil || !strings.HasPrefix(got, "trireme "+release) {
		t.Errorf("%q, %v", got, err)
	}
}
