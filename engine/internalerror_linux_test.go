//go:build !duckdb_use_lib

package engine

import "testing"

// A statement that DuckDB types wrongly, and notices only when it executes it, fails alone:
// the server goes on, for this session as well.
func TestInternalErrorOfOneStatement(t *testing.T) {
	told := make(chan error, 10)
	e := openConfig(t, Config{Invalidated: func(err error) { told <- err }})
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE t AS SELECT 5 AS x")
	const wrong = "switch(x, map([1], [2]), 9::DECIMAL(38, 0))"
	s.run("CREATE TABLE indexed (x INTEGER)")
	s.run("CREATE INDEX wrong ON indexed ((" + wrong + "))") // evaluated when an insertion is committed
	for _, optimizer := range []string{"PRAGMA enable_optimizer", "PRAGMA disable_optimizer"} {
		s.run(optimizer)
		for _, sql := range []string{
			"SELECT " + wrong + " FROM t", "SELECT " + wrong + " FROM (SELECT unnest([1, 2]) AS x)", "SELECT " + wrong + ", count(*) FROM t GROUP BY 1",
			"SELECT list_transform([1, 2], lambda x: " + wrong + ")", "SELECT " + wrong + " FROM (SELECT i::INTEGER AS x FROM range(100000) v(i))",
			"CREATE TABLE u AS SELECT " + wrong + " AS x FROM t", "INSERT INTO t SELECT " + wrong + " FROM t", "UPDATE t SET x = " + wrong,
			"INSERT INTO indexed SELECT i FROM range(10) r(i)",
			"EXPLAIN ANALYZE SELECT " + wrong + " FROM t", "COPY (SELECT " + wrong + " FROM t) TO '/dev/null' (FORMAT csv)",
		} {
			s.wantError(sql, "XX000")
			other.want("SELECT sum(x), (SELECT count(*) FROM indexed) FROM t", "5|0")
		}
	}
	s.run("BEGIN")
	s.run("INSERT INTO indexed SELECT i FROM range(10) r(i)")
	s.wantError("COMMIT", "XX000")
	s.run("BEGIN")
	s.run("INSERT INTO t VALUES (6)")
	s.wantError("SELECT "+wrong+" FROM t", "XX000")
	s.wantError("FROM t", "25P02")
	s.run("ROLLBACK")
	other.want("SELECT sum(x), (SELECT count(*) FROM indexed) FROM t", "5|0")
	if len(told) != 0 {
		t.Errorf("DuckDB is closed: %v", <-told)
	}
}
