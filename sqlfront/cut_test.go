package sqlfront

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

// whole leaves out the blocks that are made only when they are asked for.
func whole(blocks []*Block) (out []*Block) {
	for _, b := range blocks {
		if b.Splits() {
			out = append(out, whole(b.Inner)...)
			continue
		}
		out = append(out, b)
	}
	return out
}

// cutText prints the blocks of a statement, inner ones indented.
func cutText(sql string) string {
	aggregate := func(name string) bool { return name == "count" || name == "sum" || name == "max" }
	c := Cut(sql, Classify(sql), aggregate)
	if c == nil || len(whole(c.Blocks)) == 0 {
		return "none"
	}
	var b strings.Builder
	var list func(indent string, blocks []*Block)
	list = func(indent string, blocks []*Block) {
		for _, x := range whole(blocks) {
			b.WriteString(indent + x.SQL + "\n")
			list(indent+"  ", x.Inner)
		}
	}
	list("", c.Blocks)
	return strings.TrimSuffix(b.String(), "\n")
}

func TestCut(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"SELECT a FROM t", "none"},
		{"INSERT INTO t VALUES (1), (2)", "none"},
		{"SELECT ? FROM (SELECT count(*) FROM t) q", "none"},
		{"SELECT 'SELECT count(*) FROM t' FROM (SELECT a FROM t) q", "none"},
		{"SELECT * FROM (SELECT count(*) FROM t) q", "SELECT count(*) FROM t"},
		{"SELECT * FROM (SELECT count(*) FROM (SELECT DISTINCT a FROM t) d) q", "SELECT count(*) FROM (SELECT DISTINCT a FROM t) d\n  SELECT DISTINCT a FROM t"},
		{"INSERT INTO t (a) SELECT count(*) FROM u ON CONFLICT DO NOTHING", "SELECT count(*) FROM u"},
		{"CREATE TABLE t AS SELECT count(*) FROM u WITH NO DATA", "SELECT count(*) FROM u"},
		{"COPY (SELECT count(*) FROM u) TO 'f' (FORMAT csv)", "SELECT count(*) FROM u"},
		{"CREATE VIEW v AS SELECT count(*) FROM u", "none"},
		{"INSERT INTO t FROM u SELECT count(*) ON CONFLICT DO NOTHING", "FROM u SELECT count(*)"},
		{"CREATE TABLE t AS FROM u SELECT max(a)", "FROM u SELECT max(a)"},
		{"SELECT trim(FROM s), * FROM (FROM u SELECT g, sum(a) GROUP BY g) q", "FROM u SELECT g, sum(a) GROUP BY g"},
		{"FROM u SELECT max(a) UNION ALL FROM v SELECT count(*) LIMIT 1", "FROM u SELECT max(a)\nFROM v SELECT count(*)"},
		{"WITH u AS (FROM t SELECT max(a) AS a) FROM u", "FROM t SELECT max(a) AS a"},
		{"UPDATE t SET a = (SELECT max(b) FROM u)", "SELECT max(b) FROM u"},
		{"SELECT count(*) FROM t UNION ALL SELECT max(a) FROM u ORDER BY 1", "SELECT count(*) FROM t\nSELECT max(a) FROM u"},
		{
			"WITH u AS (SELECT a FROM t), v AS (SELECT max(a) FROM u) SELECT * FROM v, (SELECT sum(a) FROM u) q",
			"WITH u AS (SELECT a FROM t) SELECT sum(a) FROM u\nWITH u AS (SELECT a FROM t) SELECT max(a) FROM u",
		},
		{"SELECT rank() OVER (ORDER BY a) FROM t", "none"},
		{"SELECT *, rank() OVER () FROM t GROUP BY ALL", "none"},
		{
			"WITH RECURSIVE r AS (SELECT 1 UNION SELECT a FROM r, t WHERE a IN (SELECT max(b) FROM t) AND (SELECT count(*) FROM r) > 0) SELECT * FROM r",
			"WITH RECURSIVE r AS (SELECT 1 UNION SELECT a FROM r, t WHERE a IN (SELECT max(b) FROM t) AND (SELECT count(*) FROM r) > 0) SELECT * FROM r\n  SELECT max(b) FROM t",
		},
	} {
		if got := cutText(c.sql); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sql, got, c.want)
		}
	}
}

// TestReplace checks what stands for blocks, and where an offset comes from.
func TestReplace(t *testing.T) {
	sql := "SELECT q.n, x FROM (SELECT count(*) AS n FROM t) q WHERE bad"
	c := Cut(sql, Classify(sql), func(name string) bool { return name == "count" })
	got, place := c.Replace([]Taken{{Block: whole(c.Blocks)[0], Relation: "tmp", Columns: []rows.Column{{Name: "n"}}}})
	if want := `SELECT q.n, x FROM (SELECT "trireme block 0" AS "n" FROM tmp) q WHERE bad`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, word := range []string{"x FROM", "WHERE", "bad"} {
		if at := place(strings.Index(got, word)); at != strings.Index(sql, word) {
			t.Errorf("%s is at %d, want %d", word, at, strings.Index(sql, word))
		}
	}
	if at := place(strings.Index(got, "tmp")); at != -1 {
		t.Errorf("the relation is at %d of the statement", at)
	}
}

// fuzzCutSeeds are statements with blocks.
var fuzzCutSeeds = []string{
	"WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a), b AS MATERIALIZED (SELECT max(x) FROM a) (SELECT * FROM b) UNION SELECT count(*) FROM b LIMIT 1",
	"SELECT t.g, g h, sum(x), (SELECT 1), sum(sum(x)) OVER w FROM t GROUP BY t.g, 2 WINDOW w AS (ORDER BY max(y)) QUALIFY rank() OVER w = 1",
	"INSERT INTO t WITH a AS (SELECT 1) SELECT count(*) FROM a ON CONFLICT DO NOTHING RETURNING *",
	"SELECT t.a, (SELECT max(x) + 1 AS m FROM u, v WHERE u.k = t.k AND v.l BETWEEN 1 AND 2) FROM t, LATERAL (SELECT g, sum(DISTINCT y) FROM w WHERE t.b = w.c GROUP BY 1 ORDER BY 2 LIMIT 1) q",
	"COPY (SELECT count(*) FROM t) TO 'f'", "CREATE TABLE t AS (SELECT count(*) FROM u) WITH DATA", "UPDATE t SET a = (SELECT max(b) FROM u)",
}

// FuzzCut: no text makes the cutter fail, and blocks lie in the text, inside one
// another.
func FuzzCut(f *testing.F) {
	for _, sql := range fuzzCutSeeds {
		f.Add(sql)
	}
	f.Fuzz(checkCut)
}

func checkCut(t *testing.T, sql string) {
	t.Helper()
	c := Cut(sql, Classify(sql), func(name string) bool { return len(name) == 3 || name == "any_value" })
	if c == nil {
		return
	}
	var inside func(start, end int, blocks []*Block)
	inside = func(start, end int, blocks []*Block) {
		for _, b := range blocks {
			if b.Start < start || b.End > end || b.Start >= b.End {
				t.Fatalf("block from %d to %d within %d to %d", b.Start, b.End, start, end)
			}
			taken := Taken{Block: b, Relation: "r"}
			if b.Splits() {
				inside(start, end, b.Inner)
				continue
			}
			if c := b.Correlation; c != nil {
				outside := make([]int, len(c.Equalities))
				for i, e := range c.Equalities {
					outside[i] = max(strings.Compare(e.Sides[1].Outside, ""), 0)
				}
				c.grouped(outside)
				c.pairs(outside)
			}
			c.Replace([]Taken{taken})
			c.Body([]Taken{taken})
			c.Reads(b, nil)
			if b.Recursion != nil {
				b.Recursion.Base(nil)
				b.Recursion.Step([]rows.Column{{Name: "x"}})
			}
			inside(start, end, b.Inner)
		}
	}
	inside(0, len(sql), c.Blocks)
}

// A long chain of common table expressions takes time that is about the square of its
// length, that of the texts of its blocks: its cube would take minutes here.
func TestCutOfALongChain(t *testing.T) {
	const n = 1500
	var b strings.Builder
	b.WriteString("WITH c0 AS (SELECT a, count(*) AS n FROM e GROUP BY a)")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, ", c%d AS (SELECT a, n + 1 AS n FROM c%d)", i, i-1)
	}
	fmt.Fprintf(&b, " SELECT count(*) FROM c%d x JOIN c%d y USING (a) WINDOW w AS ()", n-1, n-1)
	sql := b.String()
	cut := Cut(sql, Classify(sql), func(name string) bool { return name == "count" })
	if cut == nil {
		t.Fatal("there are blocks")
	}
	if first := whole(cut.Blocks)[0]; !strings.Contains(sql, first.SQL[len("WITH "):min(len(first.SQL), 40)]) {
		t.Errorf("the first block is %.80s", first.SQL)
	}
}
