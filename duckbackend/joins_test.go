package duckbackend

import (
	"strconv"
	"testing"
)

// TestJoinsOfFirstRows: what a join has on one side does not change which rows are the first of
// the other, of all or of each group.
func TestJoinsOfFirstRows(t *testing.T) {
	db, err := Open(ctx, Config{Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c := openConn(t, db)
	plain, err := db.PlainConn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, c, "CREATE TABLE t(b BOOLEAN, v INTEGER); INSERT INTO t VALUES (true,10),(false,20),(NULL,NULL),(true,5),(false,7),(NULL,10),(true,10),(true,-3)")
	mustExec(t, c, "CREATE TABLE c(x INTEGER, y INTEGER); INSERT INTO c VALUES (10,11),(20,21),(NULL,NULL)")
	// Of types that are sorted as they are: what is made smaller first is told no values.
	mustExec(t, c, "CREATE TABLE s(k DOUBLE, b DOUBLE, v DOUBLE, n VARCHAR); INSERT INTO s VALUES (1,1,10,'a text of 20 letters'),(1,2,20,'a text of 22 letters'),(2,1,20,'a text of 22 letters'),(2,2,30,'a text of 33 letters'),(3,5,30,'a text of 33 letters')")
	mustExec(t, c, "CREATE TABLE e(x DOUBLE, n VARCHAR); INSERT INTO e VALUES (20,'a text of 22 letters')")
	mustExec(t, c, "CREATE TABLE many AS SELECT i::DOUBLE AS n, (i % 1000)::DOUBLE AS v FROM range(100000) r(i)")
	for _, sql := range []string{
		"SELECT sum(v), count(*) FROM (SELECT b, v FROM t ORDER BY b, v LIMIT 3) q, c WHERE q.v = c.x",
		"SELECT sum(v), count(*) FROM (SELECT b, v FROM t ORDER BY b, v LIMIT 3 OFFSET 1) q, c WHERE q.v = c.x",
		"SELECT sum(v), count(*) FROM (SELECT v FROM t ORDER BY ALL LIMIT 3) q, c WHERE q.v = c.x",
		"SELECT sum(v), count(*) FROM c LEFT JOIN (SELECT b, v FROM t ORDER BY b, v LIMIT 3) q ON q.v = c.x",
		"SELECT sum(v), count(*) FROM (SELECT b, v FROM t ORDER BY b, v LIMIT 3) q WHERE v IN (SELECT x FROM c)",
		"SELECT sum(q.v), count(*) FROM (SELECT b, v FROM t ORDER BY b, v LIMIT 3) q JOIN (SELECT DISTINCT v FROM t) s USING (v) JOIN c ON q.v = c.x",
		"SELECT sum(v), count(*) FROM (SELECT b, v FROM t ORDER BY b, v LIMIT 3) q, c WHERE q.v >= c.x AND q.v <= c.y",
		"SELECT sum(v), count(*) FROM (SELECT b, v FROM t ORDER BY b, v LIMIT 3) q, c WHERE q.v > c.x",
		"SELECT sum(v), count(*) FROM (SELECT b, v FROM (FROM t UNION ALL FROM t) ORDER BY b, v LIMIT 5) q, c WHERE q.v = c.x",
		"SELECT sum(n), count(*) FROM (SELECT n, v FROM many ORDER BY v DESC, n LIMIT 2000) q, (SELECT 990 + x AS x FROM range(5) r(x)) c WHERE q.v = c.x::DOUBLE",
		"SELECT n, v, x FROM (SELECT n, v FROM many ORDER BY v, n LIMIT 5) q JOIN c ON q.v = c.x - 10 ORDER BY n",
		"SELECT q.k, q.v FROM (SELECT DISTINCT ON (k) k, v FROM s ORDER BY k, b) q JOIN e ON q.v = e.x ORDER BY ALL",
		"SELECT q.k, q.n FROM (SELECT DISTINCT ON (k) k, n FROM s ORDER BY k, b) q JOIN e USING (n) ORDER BY ALL",
		"SELECT q.k, q.v FROM (SELECT DISTINCT ON (k) k, v FROM s ORDER BY k, b DESC) q JOIN e ON q.v <= e.x ORDER BY ALL",
		"SELECT q.k, q.v FROM (SELECT DISTINCT ON (k) k, v FROM s ORDER BY k, b) q WHERE v IN (SELECT x FROM e) ORDER BY ALL",
		"SELECT q.k, q.v FROM (SELECT DISTINCT ON (k) k, v FROM (FROM s UNION ALL SELECT k, b - 9, v + 10, n FROM s) ORDER BY k, b) q JOIN e ON q.v = e.x ORDER BY ALL",
		"SELECT q.k, q.v, w FROM (SELECT DISTINCT ON (k) k, v FROM s ORDER BY k, b) q JOIN (SELECT v, sum(k) AS w FROM s GROUP BY v) USING (v) JOIN e ON q.v = e.x ORDER BY ALL",
		"SELECT q.b, q.v FROM (SELECT b, v FROM s ORDER BY k, b OFFSET 2) q JOIN e ON q.v = e.x + 10 ORDER BY ALL",
		"SELECT q.b, q.v FROM (SELECT b, v FROM s ORDER BY k, b LIMIT (SELECT 2)) q JOIN e ON q.v = e.x ORDER BY ALL",
		"SELECT q.b, q.v FROM (SELECT b, v FROM s ORDER BY k, b DESC LIMIT 20%) q JOIN e ON q.v = e.x ORDER BY ALL",
		"SELECT q.b, q.v FROM (SELECT b, v FROM s LIMIT 3 OFFSET 1) q JOIN e ON q.v = e.x + 10 ORDER BY ALL",
		"SELECT q.v, q.m FROM (SELECT v, min(b) AS m FROM (SELECT b, v FROM s ORDER BY k, b OFFSET 1) GROUP BY v) q JOIN e ON q.v = e.x + 10 ORDER BY ALL",
		"SELECT sum(n), count(*) FROM (SELECT n, v FROM many ORDER BY v DESC, n LIMIT 30000) q, (SELECT (690 + 10 * x)::DOUBLE AS x FROM range(5) r(x)) c WHERE q.v = c.x",
		"SELECT sum(n), count(*) FROM (SELECT n, v FROM many ORDER BY v DESC, n OFFSET 30000) q, (SELECT (650 + 10 * x)::DOUBLE AS x FROM range(9) r(x)) c WHERE q.v = c.x",
		"SELECT sum(n), count(*) FROM (SELECT n, v FROM many ORDER BY v DESC, n LIMIT (SELECT 8000)) q, (SELECT (980 + 3 * x)::DOUBLE AS x FROM range(5) r(x)) c WHERE q.v = c.x",
		"SELECT q.v FROM (SELECT DISTINCT v FROM s ORDER BY v) q JOIN e ON q.v = e.x ORDER BY ALL",
		"SELECT q.v, q.w FROM (SELECT v, sum(k) AS w FROM s GROUP BY v ORDER BY v) q JOIN e ON q.v = e.x ORDER BY ALL",
	} {
		want := query(t, plain, sql)
		for i := range 20 {
			if got := query(t, c, sql); got != want {
				t.Errorf("%s: %q, want %q (time "+strconv.Itoa(i)+")", sql, got, want)
				break
			}
		}
	}
}
