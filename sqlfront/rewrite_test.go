package sqlfront

import (
	"context"
	"testing"
)

// TestRewritten compares statements with what they are written as to be read; empty: they
// stay.
func TestRewritten(t *testing.T) {
	d := newDuck(t)
	for _, m := range []string{
		"CREATE MACRO inc(x) AS x + 1", "CREATE MACRO twice(x) AS inc(x) + x", "CREATE MACRO total(x) AS sum(x)",
		"CREATE MACRO heavy(t) AS TABLE SELECT src AS k, count(*) AS n FROM e WHERE w > t GROUP BY src",
		"CREATE MACRO two(x) AS x, (x, y) AS x * y", "CREATE MACRO three(x, y := 3) AS x + y",
		"CREATE TABLE p(s STRUCT(x INTEGER, s STRUCT(x INTEGER), y STRUCT(z INTEGER)))",
	} {
		if _, err := d.conn.ExecContext(context.Background(), m); err != nil {
			t.Fatal(err)
		}
	}
	d.functions = map[string]Function{}
	d.loadFunctions(t)
	for _, c := range []struct{ sql, want string }{
		{"SELECT inc(a) FROM t", "SELECT (a + 1) FROM t"},
		{"SELECT twice(x := a) FROM t WHERE inc(b) > 3", "SELECT ((a + 1) + a) FROM t WHERE ((b + 1) > 3)"},
		{"SELECT g, total(a) FROM (SELECT inc(a) AS g, a FROM t) GROUP BY g", "SELECT g, sum(a) FROM (SELECT (a + 1) AS g, a FROM t) GROUP BY g"},
		{"SELECT inc(a) FROM t ORDER BY 1", `SELECT (a + 1) AS "inc(a)" FROM t ORDER BY 1`},
		{"SELECT * FROM (SELECT inc(a) FROM t)", `SELECT * FROM (SELECT (a + 1) AS "inc(a)" FROM t)`},
		{"SELECT h.n FROM heavy(2) h JOIN e ON e.src = h.k", "SELECT h.n FROM (SELECT src AS k, count_star() AS n FROM e WHERE (w > 2) GROUP BY src) AS h INNER JOIN e ON ((e.src = h.k))"},
		{"SELECT two(a), two(a, b) FROM t", "SELECT a, (a * b) FROM t"},
		{"SELECT three(a, b) FROM t", "SELECT (a + b) FROM t"},
		{"SELECT three(a) FROM t", "refused: macro three"},
		{"SELECT count(*) FROM t WHERE $1 < inc(a)", "SELECT count_star() FROM t WHERE ($1 < (a + 1))"},
		{"SELECT sum(COLUMNS('^[ab]$')) FROM t", "SELECT sum(t.a) AS a, sum(t.b) AS b FROM t"},
		{"SELECT max(COLUMNS(* EXCLUDE (w))) FROM e", "SELECT max(e.src) AS src, max(e.dst) AS dst FROM e"},
		{"SELECT max(COLUMNS(e.*)), min(COLUMNS(c -> c LIKE 's%')) FROM e JOIN edge USING (src, dst)", "SELECT max(e.src) AS src, max(e.dst) AS dst, max(e.w) AS w, min(src) AS src FROM e INNER JOIN edge USING (src, dst)"},
		{"SELECT v.* EXCLUDE (name) REPLACE (label + 1 AS label) RENAME (id AS i), count(*) FROM v GROUP BY ALL ORDER BY ALL", `SELECT v.id AS i, ("label" + 1) AS "label", count_star() FROM v GROUP BY ALL ORDER BY 1, 2, 3`},
		{"SELECT count(*) FROM e WHERE COLUMNS(*) > 1", "SELECT count_star() FROM e WHERE ((e.src > 1) AND (e.dst > 1) AND (e.w > 1))"},
		{"SELECT sum(coalesce(*COLUMNS('src|dst'))) FROM e", "SELECT sum(COALESCE(e.src, e.dst)) FROM e"},
		{"SELECT count(COLUMNS(*)) FROM e JOIN edge ON e.src = edge.src", "SELECT count(e.src) AS src, count(e.dst) AS dst, count(e.w) AS w, count(edge.src) AS src, count(edge.dst) AS dst FROM e INNER JOIN edge ON ((e.src = edge.src))"},
		{"WITH x AS (SELECT inc(a) AS a FROM t) SELECT max(COLUMNS(*)) FROM x JOIN e ON x.a = e.src", "WITH x AS (SELECT (a + 1) AS a FROM t)SELECT max(x.a) AS a, max(e.src) AS src, max(e.dst) AS dst, max(e.w) AS w FROM x INNER JOIN e ON ((x.a = e.src))"},
		{"SELECT name[1], name[1:2], [label, id], st['x'] FROM v, t", `SELECT array_extract("name", 1), array_slice("name", 1, 2), list_value("label", id), array_extract(st, 'x') FROM v , t`},
		{"SELECT d + INTERVAL (a) DAY, n: a FROM t", "SELECT (d + to_days(CAST(trunc(CAST(a AS DOUBLE)) AS INTEGER))), a AS n FROM t"},
		{"SELECT p.s.x, count(*) FROM p JOIN u ON p.s.y.z = u.a WHERE s.x > 1 GROUP BY p.s.x ORDER BY s.x", "SELECT struct_extract(p.s, 'x') AS x, count_star() FROM p INNER JOIN u ON ((struct_extract(struct_extract(p.s, 'y'), 'z') = u.a)) WHERE (struct_extract(p.s, 'x') > 1) GROUP BY struct_extract(p.s, 'x') ORDER BY struct_extract(p.s, 'x')"},
		{"SELECT s.s.x FROM p s, u x", "SELECT struct_extract(s.s, 'x') FROM p AS s , u AS x"},
		{"SELECT (SELECT max(u.x) FROM u WHERE u.a = p.s.x) FROM p", "SELECT (SELECT max(u.x) FROM u WHERE (u.a = struct_extract(p.s, 'x'))) FROM p"},
		{"SELECT list_transform([s], s -> s.x) FROM p", "SELECT list_transform(list_value(s), (s -> s.x)) FROM p"},
		{"SELECT a FROM t", ""},
		{"SELECT (SELECT max(COLUMNS('src')) FROM e WHERE e.dst = t.a) FROM t", "SELECT (SELECT max(e.src) FROM e WHERE (e.dst = t.a)) FROM t"},
	} {
		b := &binder{ctx: context.Background(), cat: d, prep: d, sql: c.sql}
		got := ""
		if reason := refusalOf(func() { got = b.rewritten(c.sql) }); reason != "" {
			got = "refused: " + reason
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sql, got, c.want)
		}
	}
}
