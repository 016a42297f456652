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
