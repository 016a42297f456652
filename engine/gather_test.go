package engine

import (
	"strings"
	"testing"
)

// TestJoinsByExpressionOfSeveral: what only an expression over several sources joins with
// others is joined by its values, whatever these are.
func TestJoinsByExpressionOfSeveral(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE signal AS SELECT i::INTEGER AS i, CASE WHEN i % 5 > 0 THEN (i % 17)::DOUBLE END AS v, DATE '2024-01-01' + i::INTEGER AS day, chr(97 + i::INTEGER % 3) AS c, (i / 4)::DECIMAL(9, 2) AS m FROM range(60) r(i)")
	s.run("CREATE TABLE kernel AS SELECT (i - 2)::INTEGER AS d, 1.0::DOUBLE / (1 << i::INTEGER) AS w, chr(97 + i::INTEGER % 2) AS c, (i / 2)::DECIMAL(9, 2) AS m FROM range(5) r(i) UNION ALL SELECT NULL, 3, NULL, NULL")
	s.run("CREATE TABLE name AS SELECT * FROM (VALUES ('ab', 1), ('ba', 2), ('aa', 3), ('cc', 4), (NULL, 5)) v(c, n)")
	for _, sql := range []string{
		"SELECT sum(s.v * k.w), count(*), count(s.v) FROM signal o, kernel k, signal s WHERE s.i = o.i + k.d",
		"SELECT o.i, sum(s.v * k.w) FROM signal o, kernel k, signal s WHERE s.i = o.i + k.d GROUP BY o.i ORDER BY 1",
		"SELECT o.c, s.c, count(*), min(s.v), sum(k.w) FROM signal o CROSS JOIN kernel k JOIN signal s ON o.i + k.d = s.i AND s.v > o.v GROUP BY o.c, s.c",
		"SELECT count(*), sum(a.v * b.w) FROM signal a, kernel b, signal c, kernel d WHERE a.i - b.d = c.i + d.d",
		"SELECT count(*), max(o.i) FROM signal o, kernel k, signal s WHERE s.day = o.day + k.d",
		"SELECT n.n, count(*), sum(o.i) FROM signal o, kernel k, name n WHERE n.c = o.c || k.c GROUP BY n.n",
		"SELECT count(*), sum(o.v) FROM signal o, kernel k, signal s WHERE s.m = o.m + k.m",
		"SELECT count(*) FROM signal o, kernel k, signal s WHERE s.v = o.v * k.w",
		"SELECT k.c, count(*) FROM signal o JOIN kernel k ON o.c = k.c, signal s WHERE s.i = o.i * 2 + k.d GROUP BY k.c",
		"SELECT count(*), sum(s.v) FROM signal o, kernel k, signal s WHERE s.i = o.i + k.d AND o.i IN (SELECT n FROM name)",
		"SELECT o.i, count(s.v), sum(s.v) FROM signal o LEFT JOIN (SELECT p.i, s.v FROM signal p, kernel k, signal s WHERE s.i = p.i + k.d AND k.w < 1) s ON s.i = o.i GROUP BY o.i",
	} {
		s.equalsDuckDB(sql)
	}
	s.run("SET trireme.backend = 'native'")
	for sql, want := range map[string]string{
		"SELECT count(*), sum(s.i) FROM signal o, kernel k, signal s WHERE s.i = o.i + k.d":            "294|8673",
		"SELECT count(*) FROM signal a, kernel b, signal c, kernel d WHERE a.i - b.d = c.i + d.d":      "1460",
		"SELECT sum(n.n) FROM signal o, kernel k, name n WHERE n.c = o.c || k.c AND o.i < 3 AND n.n<3": "8",
	} {
		if got := strings.TrimSpace(s.run(sql)); got != want {
			t.Errorf("%s\n%s, want %s", sql, got, want)
		}
	}
}
