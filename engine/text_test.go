package engine

import "testing"

const overText = "SELECT count(*), sum(t.x) FROM (SELECT x, row_number() OVER (ORDER BY x DESC) AS n FROM t) q JOIN t ON q.x = t.x WHERE q.n <= 2"

// What DuckDB executes inside a statement is read again when a table of it has
// changed, also one that only a view in it reads, and sees what its transaction
// wrote.
func TestTextFollowsItsTables(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE t AS SELECT i AS x FROM range(4) r(i)")
	s.run("CREATE TABLE u AS SELECT i AS x FROM range(4) r(i)")
	s.run("CREATE VIEW w AS SELECT x, rank() OVER (ORDER BY x) AS n FROM u")
	const overBoth = "SELECT count(*) FROM w JOIN t ON w.x = t.x WHERE w.n > 1"
	for _, backend := range []string{"native", "decomposed"} {
		s.run("SET trireme.backend = '" + backend + "'")
		s.want(overText, "2|5")
		s.want(overBoth, "3")
	}
	other.run("INSERT INTO t VALUES (10)")
	other.run("INSERT INTO u VALUES (10)")
	for _, backend := range []string{"native", "decomposed"} {
		s.run("SET trireme.backend = '" + backend + "'")
		s.want(overText, "2|13")
		s.want(overBoth, "4")
	}
	s.run("SET trireme.backend = 'auto'")
	s.run("BEGIN")
	s.want(overText, "2|13")
	other.run("INSERT INTO t VALUES (20)")
	s.want(overText, "2|13")
	s.run("INSERT INTO u VALUES (2)")
	s.want(overBoth, "5")
	s.run("ROLLBACK")
	s.want(overText, "2|30")
	s.want(overBoth, "4")
}

// Names in what DuckDB executes are those of the session.
func TestTextNames(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE SCHEMA sx")
	s.run("CREATE TABLE t AS SELECT i AS x FROM range(4) r(i)")
	s.run("CREATE TABLE sx.t AS SELECT i AS x FROM range(9) r(i)")
	s.want(overText, "2|5")
	s.run("SET search_path = 'sx'")
	s.want(overText, "2|15")
	other.want(overText, "2|5")
	s.run("RESET search_path")
	s.run("CREATE TEMP TABLE t AS SELECT 100 AS x")
	s.want(overText, "1|100")
	other.want(overText, "2|5")
}

// The first rows of a table are the same whatever they are joined with. DuckDB may
// filter the table by the join before it takes them, now and then only.
func TestTextKeepsItsFirstRows(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE few(k TIMESTAMP, m SMALLINT)")
	s.run("INSERT INTO few VALUES ('2023-01-15',2), ('2023-01-15',NULL), ('2024-02-29',1)")
	s.run("CREATE TABLE many(k TIMESTAMP, j USMALLINT, name VARCHAR)")
	s.run("INSERT INTO many VALUES ('2023-01-15',3,'a'), ('2023-01-15',3,'a'), ('2023-01-15',0,'c'), ('1969-12-31',0,'b'), ('2024-02-29',2,''), ('1969-12-31',0,''), ('1969-12-31',0,'c')")
	const query = "SELECT count(*), sum(f.j / (few.m + 7)) FROM few LEFT JOIN (SELECT k, j, name FROM many ORDER BY k, j, name LIMIT 3) f ON few.k = f.k AND few.m IS DISTINCT FROM f.j"
	for _, backend := range []string{"native", "decomposed"} {
		s.run("SET trireme.backend = '" + backend + "'")
		for range 30 {
			s.want(query, "3|NULL")
		}
	}
}
