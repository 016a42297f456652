package engine

import "testing"

// TestLateRefusal: what a forced backend refuses when it is executed leaves the transaction
// as it was.
func TestLateRefusal(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE i AS SELECT 1 AS x")
	s.run("CREATE TABLE j AS SELECT 1 AS x")
	for _, backend := range []string{"native", "decomposed"} {
		s.run("SET trireme.backend = '" + backend + "'")
		s.run("BEGIN")
		s.want("SELECT count(*) FROM i JOIN j USING (x)", "1")
		other.run("INSERT INTO i VALUES (2)")
		for _, sql := range []string{"SELECT count(*) FROM i JOIN j USING (x)", "SELECT n, rank() OVER (ORDER BY n) FROM (SELECT i.x, count(*) AS n FROM i JOIN j USING (x) GROUP BY i.x)"} {
			s.wantError(sql, "0A000")
		}
		s.want("SELECT count(*) FROM j", "1")
		s.run("SET trireme.backend = 'duckdb'")
		s.want("SELECT count(*) FROM i JOIN j USING (x)", "1")
		s.run("COMMIT")
	}
}

// TestUnflattened: a correlated subquery that DuckDB does not have is not supported, whoever
// is to answer.
func TestUnflattened(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a AS SELECT i AS k, i AS j FROM range(4) v(i)")
	const query = `WITH w AS (SELECT k, j FROM a ORDER BY k, j LIMIT 3)
		SELECT k, count(*) FROM a WHERE NOT (j = (SELECT min(b.j) FROM w b ANTI JOIN a c ON true WHERE b.k = a.j AND b.j < 2)) GROUP BY k`
	for _, backend := range []string{"auto", "native", "decomposed", "duckdb"} {
		s.run("SET trireme.backend = '" + backend + "'")
		s.wantError(query, "0A000")
	}
}
