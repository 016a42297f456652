package sqlfront

import (
	"strings"
	"testing"
)

func TestCTIDEdits(t *testing.T) {
	for _, tc := range []struct{ sql, want string }{ // {x} is the place of x, <x> its row
		{"SELECT a, ctid FROM t WHERE a = 1", "SELECT a, {rowid} AS ctid FROM t WHERE a = 1"},
		{"SELECT t.ctid AS place, t.ctid p, t.ctid::text FROM t", "SELECT {t.rowid} AS place, {t.rowid} p, {t.rowid}::text FROM t"},
		{"UPDATE t SET a = $2 WHERE ctid = $1 RETURNING ctid", "UPDATE t SET a = $2 WHERE rowid = <$1> RETURNING ctid"},
		{"DELETE FROM t WHERE '(0,1)'::tid = t.ctid", "DELETE FROM t WHERE <'(0,1)'> = t.rowid"},
		{"DELETE FROM t WHERE '(0,1)' < ctid", "DELETE FROM t WHERE <'(0,1)'> < rowid"},
		{"DELETE FROM t a USING t b WHERE a.ctid < b.ctid", "DELETE FROM t a USING t b WHERE a.rowid < b.rowid"},
		{"DELETE FROM t WHERE ctid IN (SELECT min(ctid) FROM t GROUP BY a)", "DELETE FROM t WHERE rowid IN (SELECT min(rowid) FROM t GROUP BY a)"},
		{"DELETE FROM t WHERE ctid NOT IN ('(0,1)', $1::tid)", "DELETE FROM t WHERE rowid NOT IN (<'(0,1)'>, <$1>)"},
		{"DELETE FROM t WHERE ctid = ANY(ARRAY['(0,1)', '(0,2)']::tid[])", "DELETE FROM t WHERE rowid = ANY(ARRAY[<'(0,1)'>, <'(0,2)'>])"},
		{"DELETE FROM t WHERE ctid = ANY($1)", "DELETE FROM t WHERE rowid = ANY(list_transform(CAST($1 AS VARCHAR[]), lambda tid_x: <tid_x>))"},
		{"SELECT a FROM t ORDER BY ctid", "SELECT a FROM t ORDER BY rowid"},
		{"SELECT 1 AS ctid, ctid(2)", "SELECT 1 AS ctid, ctid(2)"},
		{"SELECT max(ctid) ctid FROM t", "SELECT max(rowid) ctid FROM t"},
		{"SELECT b.ctid FROM (SELECT min(ctid) AS ctid FROM t) b", "SELECT {b.rowid} AS ctid FROM (SELECT min(rowid) AS rowid FROM t) b"},
		{`SELECT b.ctid FROM (SELECT min(ctid) "ctid" FROM t) b`, "SELECT {b.rowid} AS ctid FROM (SELECT min(rowid) rowid FROM t) b"},
		{`SELECT "ctid" FROM t`, "SELECT {rowid} AS ctid FROM t"},
		{"SELECT ctid = ", "SELECT rowid = "},
		{"SELECT ctid = ANY(", "SELECT rowid = ANY("},
	} {
		want := tc.want
		for _, name := range []string{"rowid", "t.rowid", "b.rowid"} {
			want = strings.ReplaceAll(want, "{"+name+"}", placeOf(name))
		}
		for _, value := range []string{"$1", "'(0,1)'", "'(0,2)'", "tid_x"} {
			want = strings.ReplaceAll(want, "<"+value+">", rowOf(value))
		}
		if got := CTIDEdits(tc.sql).Apply(tc.sql, 0, len(tc.sql)); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", tc.sql, got, want)
		}
	}
}
