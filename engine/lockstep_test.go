package engine

import (
	"strings"
	"testing"
)

// lockstepTables are facts with numbers of two other tables, some of which have none.
const lockstepTables = `
CREATE TABLE fact AS SELECT i, (hash(i) % 300)::INTEGER AS p, (hash(i + 50000) % 200)::INTEGER AS q FROM range(12000) r(i) WHERE i % 7 <> 3;
CREATE TABLE one AS SELECT (i % 260)::INTEGER AS p, (i % 11)::INTEGER AS f, ((i % 17) - 8) / 4.0::DOUBLE AS x FROM range(900) r(i);
CREATE TABLE two AS SELECT (i % 150)::INTEGER AS q, (i % 11)::INTEGER AS f, ((i % 13) - 6) / 8.0::DOUBLE AS x FROM range(700) r(i);
CREATE TABLE weight AS SELECT i::INTEGER AS f, (i - 5) / 2.0::DOUBLE AS w FROM range(11) r(i)`

// lockstepQuery adds up what the two tables say of every fact.
const lockstepQuery = `SELECT s.i, sum(s.x * w.w) AS y, 2 * sum(s.x * w.w) AS z
FROM (SELECT i, f, x FROM fact JOIN one USING (p) UNION ALL SELECT i, f, x FROM fact JOIN two USING (q)) s JOIN weight w USING (f)
GROUP BY s.i ORDER BY s.i`

// TestLockstep: sums over the tables of a union run in lockstep with the sum of these
// sums, and one after the other where kernels are disabled or memory is short; rows are
// DuckDB's.
func TestLockstep(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	for _, sql := range strings.Split(lockstepTables, ";") {
		s.run(sql)
	}
	s.run("SET trireme.backend = 'duckdb'")
	want := s.run(lockstepQuery)
	s.run("SET trireme.backend = 'native'")
	for _, threads := range []string{"1", "3"} {
		s.run("SET trireme.threads = " + threads)
		if got := s.run(lockstepQuery); got != want {
			t.Errorf("%s threads: other rows than DuckDB's", threads)
		}
	}
	s.run("SET trireme.registry = 'off'")
	if got := s.run(lockstepQuery); got != want {
		t.Error("without kernels: other rows than DuckDB's")
	}
	s.run("SET trireme.registry = 'on'")
	plan := s.run("EXPLAIN ANALYZE " + lockstepQuery)
	for _, part := range []string{"lockstep; pattern, f64", "kernel lockstep columns"} {
		if !strings.Contains(plan, part) {
			t.Errorf("no %q in\n%s", part, plan)
		}
	}
	route := e.tensor.(*route)
	free := route.memory.limitBytes
	alone := false
	for bytes := int64(2 << 20); bytes > 10_000; bytes -= bytes / 8 {
		route.memory.limitBytes = bytes
		res, _, err := s.try("EXPLAIN ANALYZE " + lockstepQuery)
		if err != nil {
			break
		}
		if alone = alone || !strings.Contains(res, "kernel lockstep columns"); s.run(lockstepQuery) != want {
			t.Errorf("%d bytes: other rows than DuckDB's", bytes)
		}
	}
	route.memory.limitBytes = free
	if !alone {
		t.Error("with little memory the steps run in lockstep, or not at all")
	}
}
