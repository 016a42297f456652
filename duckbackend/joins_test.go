package duckbackend

import (
	"strconv"
	"testing"
)

// TestJoinsOfFirstRows: what a join has on one side does not change which rows are the first of
// the other.
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
	mustExec(t, c, "CREATE TABLE many AS SELECT i AS n, i % 1000 AS v FROM range(100000) r(i)")
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
		"SELECT sum(n), count(*) FROM (SELECT n, v FROM many ORDER BY v DESC, n LIMIT 2000) q, (SELECT 990 + x AS x FROM range(5) r(x)) c WHERE q.v = c.x",
		"SELECT n, v, x FROM (SELECT n, v FROM many ORDER BY v, n LIMIT 5) q JOIN c ON q.v = c.x - 10 ORDER BY n",
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
