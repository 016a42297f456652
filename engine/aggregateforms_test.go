package engine

import "testing"

// TestExtremesOfOneTableTwice: the least and the greatest sum of several columns of a
// table are not the sums of the columns' least and greatest values.
func TestExtremesOfOneTableTwice(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (k INTEGER, x INTEGER, y INTEGER)")
	s.run("CREATE TABLE b (k INTEGER, z INTEGER)")
	s.run("INSERT INTO a VALUES (1, 5, -9), (1, -7, 8), (1, 0, 0), (2, NULL, 4), (2, 3, NULL)")
	s.run("INSERT INTO b VALUES (1, 2), (1, 3), (2, NULL), (3, 1)")
	for _, sql := range []string{
		"SELECT max(a.x + b.z + a.y), min(a.x + b.z + a.y) FROM a JOIN b ON a.k = b.k",
		"SELECT max(a.x - b.z - a.x), min(b.z + a.x + b.z - a.x) FROM a JOIN b ON a.k = b.k",
		"SELECT b.z, max((a.x - b.z) + a.y) FROM a JOIN b ON a.k = b.k GROUP BY b.z",
		"SELECT max(coalesce(a.k, b.k) - a.y + a.y) FROM a FULL JOIN b ON a.k = b.k",
		"SELECT max(u.x + b.z + u.y) FROM (SELECT k, x, y FROM a UNION ALL SELECT k, y, x FROM a) u JOIN b ON u.k = b.k",
		"SELECT max(q.s + b.z + q.n), min(q.s - b.z - q.n) FROM (SELECT k, x, sum(y) AS s, count(*) AS n FROM a GROUP BY k, x) q JOIN b ON q.k = b.k",
		"SELECT max(a.x + b.z + 1 - 2), min(-a.x - b.z) FROM a JOIN b ON a.k = b.k",
	} {
		s.equalsDuckDB(sql)
	}
}

// TestCountsOfNothing: in a correlated subquery DuckDB has 0 for a COUNT of no rows, and
// NULL for COUNT_IF and REGR_COUNT.
func TestCountsOfNothing(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (k INTEGER, g INTEGER)")
	s.run("CREATE TABLE b (k INTEGER, x INTEGER)")
	s.run("INSERT INTO a VALUES (1, 1), (2, 1), (3, 2), (NULL, 2)")
	s.run("INSERT INTO b VALUES (1, 5), (1, NULL), (4, 2)")
	for _, call := range []string{
		"count(*)", "count(x)", "count(DISTINCT x)", "count(*) FILTER (WHERE x > 7)", "count_if(x > 7)", "regr_count(x, k)", "sum(x)", "bool_or(x > 7)",
		"coalesce(count_if(x > 7), 9)", "count(*) + count_if(x > 1)",
	} {
		one := "(SELECT " + call + " FROM b WHERE b.k = a.k)"
		s.equalsDuckDB("SELECT a.g, count(" + one + "), count(*) FROM a GROUP BY a.g")
		s.equalsDuckDB("SELECT a.g, count(*) FROM a JOIN a c ON a.g = c.g WHERE " + one + " IS NULL GROUP BY a.g")
		s.equalsDuckDB("SELECT a.g, " + one + " FROM a")
		s.equalsDuckDB("SELECT a.g, count(q.v) FROM a, LATERAL (SELECT " + call + " AS v FROM b WHERE b.k = a.k) q GROUP BY a.g")
		s.equalsDuckDB("SELECT count(*), (SELECT " + call + " FROM b WHERE b.x > 100) FROM a JOIN a c ON a.g = c.g")
	}
}
