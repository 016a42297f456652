package coverage

import (
	"strings"
	"testing"
)

func TestQueriesAreMany(t *testing.T) {
	queries, err := Queries()
	if err != nil {
		t.Fatal(err)
	}
	data, err := DataSets()
	if err != nil {
		t.Fatal(err)
	}
	families, used, heldOut := map[string]int{}, map[string]bool{}, 0
	for _, q := range queries {
		families[q.Family]++
		used[q.Data] = true
		if q.HeldOut() {
			heldOut++
		}
		if _, err := Script(q.Data, 1); err != nil {
			t.Errorf("%s: %v", q.Name, err)
		}
	}
	for family, least := range map[string]int{"tpch": 22, "ssb": 13, "film": 55, "graph": 60, "ml": 50, "bi": 150, "compose": 20} {
		if families[family] < least {
			t.Errorf("family %s has %d queries, want %d", family, families[family], least)
		}
	}
	if len(queries) < 400 || heldOut*4 < len(queries) || heldOut*5 > 2*len(queries) {
		t.Errorf("%d queries, %d of them held out; want 400 and about a third", len(queries), heldOut)
	}
	for _, name := range data {
		if !used[name] {
			t.Errorf("no query is over data set %s", name)
		}
	}
}

func TestParseQueries(t *testing.T) {
	const head = "-- For people: not a key.\n-- family: f\n-- data: d\n\n"
	got, err := parse("x.sql", head+"-- name: a\n-- order: total\n-- float: 1e3\nSELECT 1\n\n-- not a key: here\nFROM t;\n\n-- name: b\n-- check: SELECT 2\n-- undo: DROP TABLE t\nSELECT 3;\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []Query{
		{Name: "a", Family: "f", Data: "d", SQL: "SELECT 1\n\n-- not a key: here\nFROM t", Ordered: true, TermsMax: 1000},
		{Name: "b", Family: "f", Data: "d", SQL: "SELECT 3", Check: "SELECT 2", Undo: "DROP TABLE t"},
	}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("parsed %+v, want %+v", got, want)
	}
	for text, message := range map[string]string{
		head + "SELECT 1;\n":                             "without a name",
		head + "-- name: a\n-- name: b\nSELECT 1;\n":     "no statement",
		head + "-- name: a\nSELECT 1\n":                  "no end",
		head + "-- name: a\n-- order: some\nSELECT 1;\n": "order is",
		head + "-- name: a\n-- float: much\nSELECT 1;\n": "much",
		head + "-- name: a\n-- float: -1\nSELECT 1;\n":   "float is",
		head + "-- name: a\n-- colour: red\nSELECT 1;\n": "unknown key",
		"-- colour: red\n-- name: a\nSELECT 1;\n":        "unknown key",
		"-- family: f\n\n-- name: a\nSELECT 1;\n":        "no data",
	} {
		if _, err := parse("x.sql", text); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: error %v, want one that says %q", text, err, message)
		}
	}
}

func TestScripts(t *testing.T) {
	for _, scale := range []int{0, -1, ScaleMax + 1} {
		if _, err := Script("tpch", scale); err == nil {
			t.Errorf("scale %d is accepted", scale)
		}
	}
	if _, err := Script("nowhere", 1); err == nil {
		t.Error("an unknown data set is accepted")
	}
}
