package slt

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
)

// scripted answers by the statement's text.
type scripted map[string]Result

func (s scripted) Exec(sql string) error {
	if strings.HasPrefix(sql, "bad") {
		return errors.New("Binder Error: no\nsuch thing\n\nLINE 1: bad")
	}
	return nil
}

func (s scripted) Query(sql string, _ []string) (Result, error) {
	result, ok := s[sql]
	if !ok {
		return result, errors.New("no such query")
	}
	return result, nil
}

func TestRewrite(t *testing.T) {
	const before = `# kept
statement ok
create

statement error
bad

query X rowsort
q1

params 1
query X nosort
q2
----
old

# also kept
`
	const after = `# kept
statement ok
create

statement error
bad
----
Binder Error: no such thing

query IT rowsort
q1
----
1	NULL
2	(empty)

params 1
query R nosort
q2
----
nan

# also kept
`
	oracle := scripted{
		"q1": {
			Columns: []Column{{"a", pgtype.Int8OID}, {"b", pgtype.TextOID}},
			Rows:    [][]Cell{{{Text: "2"}, {}}, {{Text: "1"}, {Null: true}}},
		},
		"q2": {Columns: []Column{{"a", pgtype.Float8OID}}, Rows: [][]Cell{{{Text: "-nan"}}}},
	}
	for _, text := range []string{before, after} { // the second time nothing changes
		got, err := Rewrite("a.test", text, oracle)
		if err != nil || got != after {
			t.Errorf("%v\n%s", err, got)
		}
	}
	for what, text := range map[string]string{
		"unknown query": "query I\nq3\n", "a statement that should fail": "statement error\ncreate\n",
		"a loop": "loop i 0 1\n\nstatement ok\nx\n\nendloop\n", "a connection": "statement ok con1\nx\n",
	} {
		if _, err := Rewrite("a.test", text, oracle); err == nil {
			t.Errorf("%s is recorded", what)
		}
	}
}

func TestReport(t *testing.T) {
	r := NewReport()
	r.Add("join/a.test", Outcome{Passed: 3, Answered: map[string]int{"native": 2}, Refusals: []Refusal{{}}})
	r.Add("join/deep/b.test", Outcome{Failures: []Failure{{Line: 7, Reason: "row 12, column x: \"1\" | 2\nmore"}}})
	r.Add("join/deep/c.test", Outcome{Failures: []Failure{{Line: 9, Reason: "row 3, column x: \"7\" | 2"}}})
	r.Add("d.test", Outcome{Skipped: "require icu"})
	var b strings.Builder
	if err := r.Write(&b, 1); err != nil {
		t.Fatal(err)
	}
	const want = `| folder | passed | failed | skipped |
|---|---:|---:|---:|
| . | 0 | 0 | 1 |
| join | 1 | 2 | 0 |
| **all** | 1 | 2 | 1 |

Queries that held, answered by native: 2.
Statements that the forced backend did not take: 1.

| files | first reason | for example |
|---:|---|---|
| 2 | failed: row _, column x: _ \| _ | join/deep/b.test:7 |
| | 1 more reasons | |
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}
