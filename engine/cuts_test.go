package engine

import "testing"

// TestManyCuts: of a block many parts have no form in the notation, two for each bit of
// an aggregate. The text of each contained those of all before it, and took all memory.
func TestManyCuts(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE few AS SELECT * FROM (VALUES (1, -1, -1), (NULL, -1, 3), (NULL, 1, -1), (2, 0, 5)) v(k, j, x)")
	s.run("CREATE TABLE other AS SELECT * FROM (VALUES (-1, -1.5::DOUBLE), (NULL, 2.0), (2, -0.0)) v(j, y)")
	s.run("CREATE TABLE outside AS SELECT * FROM (VALUES (2), (1), (NULL)) v(j)")
	const from = " FROM other r1 JOIN (few r2 LEFT JOIN (SELECT c0, c1 FROM (VALUES (NULL::FLOAT, 0), (CAST(-1.5 AS FLOAT), 2), (CAST(1 AS FLOAT), 1)) v(c0, c1)) r3" +
		" ON r2.k = r3.c0) ON (r1.j = r2.k OR r3.c1 IS DISTINCT FROM -1)"
	const where = " WHERE (NOT EXISTS (SELECT 1 FROM outside r4 WHERE r4.j <= r2.k) OR r3.c1 <= 1)"
	for _, sql := range []string{
		"SELECT r2.k, bit_xor(r2.x) FILTER (WHERE r3.c0 IS DISTINCT FROM r1.j), sum(r1.y) FILTER (WHERE r2.x NOT IN (-1, 0))" + from + where + " GROUP BY r2.k",
		"SELECT bit_or(r2.x) FILTER (WHERE r3.c0 IS DISTINCT FROM r1.j), bit_and(r2.x * r1.j), count(*)" + from + where,
		"SELECT r2.k, max(r2.x) FILTER (WHERE r3.c0 IS DISTINCT FROM r1.j), min(sin(r2.x * r1.j) + r3.c0)" + from + where + " GROUP BY r2.k",
	} {
		s.equalsDuckDB(sql)
	}
}
