package engine

import "testing"

const overView = "SELECT count(*) FROM w a JOIN w b ON a.x = b.x"

// A transaction sees a view as its snapshot has it, whoever answers.
func TestViewReplacedDuringTransaction(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	other.run("CREATE TABLE t AS SELECT i AS x FROM range(4) r(i)")
	other.run("CREATE VIEW w AS SELECT x FROM t WHERE x < 3")
	s.want(overView, "3")
	if by := s.LastBackend(); by != "native" {
		t.Fatalf("answered by %s, want native", by)
	}
	s.run("BEGIN")
	s.want(overView, "3")
	other.run("CREATE OR REPLACE VIEW w AS SELECT x FROM t WHERE x < 1")
	s.want(overView, "3")
	other.want(overView, "1")
	s.run("COMMIT")
	s.want(overView, "1")
}

// A view's names are looked up in its own schema, but a session's temporary
// table comes first, as in DuckDB.
func TestViewNames(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE SCHEMA sx")
	s.run("CREATE TABLE t AS SELECT 1 AS x FROM range(3)")
	s.run("CREATE TABLE sx.t AS SELECT 1 AS x FROM range(2)")
	s.run("CREATE VIEW sx.w AS SELECT x FROM t")
	const joined = "SELECT count(*) FROM sx.w JOIN t ON w.x = t.x"
	for _, backend := range []string{"native", "decomposed", "duckdb"} {
		s.run("SET trireme.backend = '" + backend + "'")
		s.want(joined, "6")
	}
	s.run("SET trireme.backend = 'auto'")
	s.run("CREATE TEMP TABLE t AS SELECT 1 AS x FROM range(5)")
	s.want(joined, "25")
	s.want("SELECT count(*) FROM sx.w JOIN trireme.main.t AS m ON w.x = m.x", "15")
	other.want(joined, "6")
}

// A temporary table hides one of the schema main, not from a name that has the schema.
func TestTemporaryTableHidesUnqualifiedName(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t AS SELECT 1 AS x FROM range(3)")
	const joined, qualified = "SELECT count(*) FROM t a JOIN t b ON a.x = b.x", "SELECT count(*) FROM main.t a JOIN main.t b ON a.x = b.x"
	s.want(joined, "9")
	s.run("CREATE TEMP TABLE t AS SELECT 1 AS x FROM range(5)")
	for _, backend := range []string{"duckdb", "auto"} {
		s.run("SET trireme.backend = '" + backend + "'")
		s.want(joined, "25")
		s.want(qualified, "9")
	}
}

// A view that no longer binds is DuckDB's error, and one that binds again is
// answered again.
func TestBrokenView(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t AS SELECT i AS x FROM range(4) r(i)")
	s.run("CREATE VIEW w AS SELECT x FROM t")
	s.want(overView, "4")
	s.run("DROP TABLE t")
	for _, backend := range []string{"auto", "native", "duckdb"} {
		s.run("SET trireme.backend = '" + backend + "'")
		if got, _, err := s.try(overView); err == nil {
			t.Errorf("%s: %s, want an error", backend, got)
		}
	}
	s.run("SET trireme.backend = 'auto'")
	s.run("CREATE TABLE t AS SELECT i AS x FROM range(2) r(i)")
	s.want(overView, "2")
	if by := s.LastBackend(); by != "native" {
		t.Errorf("answered by %s, want native", by)
	}
}
