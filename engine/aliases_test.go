package engine

import "testing"

// A name that is a column of FROM and an alias of an output is the column in GROUP BY, in
// expressions of ORDER BY, and in HAVING where it is grouped; elsewhere the alias.
func TestColumnsAndAliases(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (a INTEGER, b INTEGER)")
	s.run("INSERT INTO t VALUES (1, 10), (1, 20), (2, 5), (3, 1)")
	s.run("CREATE TABLE u (a INTEGER, c INTEGER)")
	s.run("INSERT INTO u VALUES (1, 3), (1, 4), (2, 4), (NULL, 1)")
	for _, c := range []struct{ sql, want string }{
		{"SELECT -t.a AS a, count(*) FROM t JOIN u ON t.a = u.a GROUP BY t.a ORDER BY a", "-2|1;-1|4"},
		{"SELECT -b AS b, count(*) AS n FROM t LEFT JOIN u USING (a) GROUP BY b ORDER BY b", "-20|2;-10|2;-5|1;-1|1"},
		{"SELECT t.a AS x, max(b) AS b FROM t JOIN u ON t.a = u.a GROUP BY x ORDER BY b", "2|5;1|20"},
		{"SELECT -b AS b, count(*) FROM t LEFT JOIN u USING (a) GROUP BY t.b ORDER BY b + 0", "-1|1;-5|1;-10|2;-20|2"},
		{"SELECT -b AS b, count(*) FROM t LEFT JOIN u USING (a) GROUP BY t.b HAVING b > 5 ORDER BY b", "-20|2;-10|2"},
		{"SELECT t.a AS x, max(b) AS b FROM t JOIN u ON t.a = u.a GROUP BY x HAVING b > 9 AND min(b) < 20", "1|20"},
		{"SELECT -b AS b, count(*) AS c FROM t JOIN u ON t.a = u.a GROUP BY t.b HAVING b + c > 11 ORDER BY b", "-20|2;-10|2"},
		{"SELECT x, max(b) AS b FROM (SELECT -t.a AS x, sum(b) AS b FROM t JOIN u ON t.a = u.a GROUP BY t.a ORDER BY b LIMIT 1) q GROUP BY x", "-2|5"},
	} {
		for _, backend := range []string{"duckdb", "native", "decomposed"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.want(c.sql, c.want)
		}
	}
}
