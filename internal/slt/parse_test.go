package slt

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func parse(t *testing.T, text string, dialect Dialect) []Record {
	t.Helper()
	records, err := Parse("a.test", text, dialect)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestParseStatementsAndQueries(t *testing.T) {
	records := parse(t, `# a comment
statement ok
CREATE TABLE t (x INTEGER)

statement error con1
SELECT nope
FROM t
----
Binder Error: one
two

query IT rowsort label-1
SELECT 1, 'a'
----
1	a

query I
SELECT 1
# a comment ends a statement

query T con2
SELECT 'x'

params 1 ;; 'a b' ;; NULL
query I nosort
SELECT $1
----
1
`, DuckDB)
	want := []Record{
		{Kind: Statement, Line: 2, Args: []string{"ok"}, SQL: "CREATE TABLE t (x INTEGER)"},
		{Kind: Statement, Line: 5, Args: []string{"error", "con1"}, SQL: "SELECT nope\nFROM t", Expect: Fails, Connection: "con1", Want: []string{"Binder Error: one", "two"}},
		{Kind: Query, Line: 12, Args: []string{"IT", "rowsort", "label-1"}, SQL: "SELECT 1, 'a'", Types: "IT", Sort: RowSort, Label: "label-1", Want: []string{"1\ta"}},
		{Kind: Query, Line: 17, Args: []string{"I"}, SQL: "SELECT 1", Types: "I"},
		{Kind: Query, Line: 21, Args: []string{"T", "con2"}, SQL: "SELECT 'x'", Types: "T", Connection: "con2"},
		{Kind: Query, Line: 24, Args: []string{"I", "nosort"}, SQL: "SELECT $1", Types: "I", Params: []string{"1", "'a b'", "NULL"}, Want: []string{"1"}},
	}
	for i := range records {
		records[i].want, records[i].types = [2]int{}, 0
	}
	if !reflect.DeepEqual(records, want) {
		t.Errorf("got\n%+v\nwant\n%+v", records, want)
	}
}

// sqlOf are the statements of records in order, loops opened once.
func sqlOf(records []Record) []string {
	var out []string
	for _, r := range records {
		if r.Kind == Loop {
			out = append(out, sqlOf(r.Body)...)
			continue
		}
		out = append(out, r.SQL)
	}
	return out
}

func TestParseSkipsWhatIsForOthers(t *testing.T) {
	text := `skipif duckdb
statement ok
no 1

onlyif mysql
statement ok
no 2

skipif mysql # with a reason
onlyif duckdb
statement ok
yes 1

mode skip

statement ok
no 3

mode unskip

onlyif duckdb
statement ok
yes 2

halt

statement ok
no 4
`
	if got := sqlOf(parse(t, text, DuckDB)); strings.Join(got, ",") != "yes 1,yes 2" {
		t.Errorf("%q", got)
	}
	if got := sqlOf(parse(t, "onlyif postgresql\nstatement ok\nyes\n", SQLite)); len(got) != 1 {
		t.Errorf("SQLite's files know us as postgresql: %q", got)
	}
}

func TestParseLoops(t *testing.T) {
	records := parse(t, `loop i 2 4

foreach a,b x,1 y,2

onlyif i=2&&a<>y
statement ok
inner

endloop

endloop

concurrentforeach t <signed> !hugeint extra

statement maybe
par

endloop
`, DuckDB)
	if len(records) != 2 {
		t.Fatalf("%d records", len(records))
	}
	outer, inner := records[0], records[0].Body[0]
	if !reflect.DeepEqual(outer.Values, []string{"2", "3"}) || !reflect.DeepEqual(inner.Values, []string{"x,1", "y,2"}) || inner.Variable != "a,b" {
		t.Errorf("%+v", outer)
	}
	if got := inner.Body[0].Conditions; !reflect.DeepEqual(got, []Condition{{"i", "=", "2", false}, {"a", "<>", "y", false}}) {
		t.Errorf("conditions %+v", got)
	}
	if got := records[1]; !got.Concurrent || strings.Join(got.Values, " ") != "tinyint smallint integer bigint extra" || got.Body[0].Expect != Maybe {
		t.Errorf("%+v", got)
	}
}

func TestParseDirectives(t *testing.T) {
	records := parse(t, `require parquet

require-env HOME

test-env A b

hash-threshold 8

load __TEST_DIR__/a.db

restart

reconnect

mode output_hash

set ignore_error_messages one, two

set seed 0.5

reset label x

sleep 1 millisecond

unzip a.gz

tags slow

loop i 0 1

continue

endloop
`, DuckDB)
	var kinds []Kind
	for _, r := range records {
		kinds = append(kinds, r.Kind)
	}
	want := []Kind{Require, RequireEnv, TestEnv, HashThreshold, Load, Restart, Reconnect, Mode, SetIgnored, SetSeed, ResetLabel, Sleep, Unzip, Loop}
	if !reflect.DeepEqual(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

func TestParseInclude(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.inc"), []byte("statement ok\nincluded\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	records, err := Parse(filepath.Join(dir, "a.test"), "include x.inc\n\nstatement ok\nown\n", DuckDB)
	if err != nil || strings.Join(sqlOf(records), ",") != "included,own" {
		t.Errorf("%v, %v", sqlOf(records), err)
	}
	if _, err := Parse(filepath.Join(dir, "a.test"), "include y.inc\n", DuckDB); err == nil {
		t.Error("a file that does not exist is included")
	}
}

func TestParseRefuses(t *testing.T) {
	for what, text := range map[string]string{
		"unknown directive":  "statements ok\nx\n",
		"unknown outcome":    "statement good\nx\n",
		"no SQL":             "statement ok\n\n",
		"no types":           "query\nSELECT 1\n",
		"bad types":          "query i-\nSELECT 1\n",
		"no endloop":         "loop i 0 1\n\nstatement ok\nx\n",
		"endloop":            "endloop\n",
		"loop without range": "loop i\n",
		"loop by words":      "loop i a b\n",
		"skipif alone":       "skipif duckdb\n",
		"params alone":       "params 1\nstatement ok\nx\n",
		"unknown set":        "set x y\n",
	} {
		if _, err := Parse("a.test", text, DuckDB); err == nil || !strings.HasPrefix(err.Error(), "a.test:") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
