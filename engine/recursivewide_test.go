package engine

import "testing"

// TestRecursionFromFarApart: the values to begin with may be too far apart for a window of
// coordinates and not for a bitmap of all.
func TestRecursionFromFarApart(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e AS SELECT * FROM (VALUES (-150, 7), (200, 100000), (7, 70000), (3000, 1), (1, 200)) v(a, b)")
	for _, sql := range []string{
		"WITH RECURSIVE r(n) AS (VALUES (-150), (200) UNION SELECT e.b FROM r JOIN e ON e.a = r.n) SELECT count(*), sum(n) FROM r",
		"WITH RECURSIVE r(n) AS (VALUES (-1.50::DECIMAL(9,2)), (30.00) UNION SELECT (e.b / 100)::DECIMAL(9,2) FROM r JOIN e ON e.a = r.n * 100) SELECT count(*), sum(n) FROM r",
		"WITH RECURSIVE r(n, l) AS (SELECT a, 0 FROM e WHERE a IN (1, 3000) UNION SELECT e.b, l + 1 FROM r JOIN e ON e.a = r.n) SELECT count(*), sum(n), max(l) FROM r",
		"WITH RECURSIVE r(n) AS (VALUES (-30000), (30000), (200) UNION ALL SELECT e.b FROM r JOIN e ON e.a = r.n) SELECT count(*), sum(n) FROM r",
		"WITH RECURSIVE r(n) AS (VALUES (-1.50::DECIMAL(9,2)), (2.00) UNION SELECT u.x FROM r JOIN e ON e.a = r.n, unnest([e.b::DECIMAL(9,2), r.n]) u(x)) SELECT n, count(*) FROM r GROUP BY n",
	} {
		s.equalsDuckDB(sql)
	}
}
