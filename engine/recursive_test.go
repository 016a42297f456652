package engine

import (
	"strings"
	"testing"
	"time"
)

// recursions are statements with WITH RECURSIVE over the tables of hostGraph.
var recursions = []string{
	"WITH RECURSIVE r(node) AS (SELECT 0 UNION SELECT e.dst FROM r JOIN e ON e.src = r.node) SELECT count(*), sum(node) FROM r",
	"WITH RECURSIVE r AS (SELECT 0 AS node, 0 AS level UNION SELECT e.dst, r.level + 1 FROM r JOIN e ON e.src = r.node WHERE r.level < 4) SELECT level, count(*) FROM r GROUP BY level ORDER BY level",
	"WITH RECURSIVE r AS (SELECT 0 AS node, 0 AS level UNION SELECT e.dst, r.level + 1 FROM r JOIN e ON e.src = r.node WHERE r.level < 4) SELECT node, min(level) FROM r GROUP BY node ORDER BY node",
	"WITH RECURSIVE r AS (SELECT src AS node, 1 AS n FROM e WHERE src < 2 UNION ALL SELECT e.dst, r.n + 1 FROM r JOIN e ON e.src = r.node WHERE r.n < 4) SELECT n, count(*), sum(node) FROM r GROUP BY n ORDER BY n",
	"WITH RECURSIVE r(a, b) AS (SELECT src, dst FROM e WHERE src < 3 UNION SELECT r.a, e.dst FROM r, e WHERE e.src = r.b) SELECT a, count(*) FROM r GROUP BY a ORDER BY a",
	"WITH RECURSIVE big AS (SELECT src, dst FROM e WHERE w > 2), r(node) AS (SELECT 1 UNION SELECT g.dst FROM r JOIN big g ON g.src = r.node) SELECT node FROM r ORDER BY node",
	"WITH RECURSIVE r(name) AS (SELECT name FROM l WHERE parent IS NULL UNION ALL SELECT l.name FROM r JOIN l ON l.parent = r.name) SELECT string_agg(name, ',' ORDER BY name) FROM r",
	"WITH RECURSIVE r(node, cost) AS (SELECT 0, 0::BIGINT UNION SELECT e.dst, r.cost + e.w FROM r JOIN e ON e.src = r.node WHERE r.cost + e.w < 9) SELECT node, min(cost) FROM r GROUP BY node ORDER BY node",
	"WITH RECURSIVE r(node, paths) AS (SELECT 0, 1::HUGEINT UNION ALL SELECT e.dst, sum(r.paths) FROM r JOIN e ON e.src = r.node WHERE e.dst > e.src GROUP BY e.dst) SELECT node, sum(paths) FROM r GROUP BY node ORDER BY node",
	"SELECT (WITH RECURSIVE r(node) AS (SELECT 0 UNION SELECT e.dst FROM r JOIN e ON e.src = r.node) SELECT count(*) FROM r) AS n, list(name ORDER BY name) FROM l",
}

func graphSession(t *testing.T) testSession {
	t.Helper()
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE TABLE e (src INTEGER, dst INTEGER, w BIGINT)",
		"INSERT INTO e SELECT i % 31, (i * 7 + i // 31) % 37, 1 + i % 5 FROM range(90) r(i)",
		"INSERT INTO e VALUES (NULL, 3, 1), (4, NULL, 1)",
		"CREATE TABLE l (name VARCHAR, parent VARCHAR)",
		"INSERT INTO l VALUES ('a', NULL), ('b', 'a'), ('c', 'a'), ('d', 'c'), ('e', 'd'), ('x', 'y')",
	} {
		s.run(sql)
	}
	return s
}

func TestRecursions(t *testing.T) {
	s := graphSession(t)
	for _, sql := range recursions {
		s.run("SET trireme.backend = 'duckdb'")
		want, columns := s.run(sql), s.columns(sql)
		for _, backend := range []string{"native", "decomposed"} {
			s.run("SET trireme.backend = '" + backend + "'")
			text, _, err := s.try(sql)
			if err != nil || text != want {
				t.Errorf("%s on %s: %q, want %q, error %v", sql, backend, text, want, err)
			}
			if by := s.LastBackend(); by != backend {
				t.Errorf("%s: answered by %s, backend %s", sql, by, backend)
			}
			if got := s.columns(sql); got != columns {
				t.Errorf("%s: columns %s, want %s", sql, got, columns)
			}
		}
	}
}

// TestRecursionWithoutEnd is stopped by its client, or by the memory limit.
func TestRecursionWithoutEnd(t *testing.T) {
	s := graphSession(t)
	s.run("SET trireme.backend = 'native'")
	const sql = "WITH RECURSIVE r(node) AS (SELECT 0 UNION ALL SELECT e.dst FROM r JOIN (SELECT DISTINCT 0 AS src, 0 AS dst FROM e) e ON e.src = r.node) SELECT count(*) FROM r"
	timer := time.AfterFunc(300*time.Millisecond, s.Cancel)
	defer timer.Stop()
	s.wantError(sql, "57014")
	s.want("SELECT count(*) FROM e a JOIN e b ON a.src = b.src WHERE a.src = 0", "9")
	s.run("SET trireme.memory_limit = '1MB'")
	s.wantError("WITH RECURSIVE r(node) AS (SELECT 0 UNION ALL SELECT e.dst FROM r JOIN e ON e.src = r.node) SELECT count(*) FROM r", "53200")
}

// TestRecursionsThatALimitEnds are DuckDB's, which makes no step more than the LIMIT
// needs. Where the rows are grouped or sorted first all of them are needed.
func TestRecursionsThatALimitEnds(t *testing.T) {
	s := graphSession(t)
	const endless = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) "
	const ends = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t WHERE x < 9) "
	for _, backend := range []string{"auto", "native", "decomposed"} {
		s.run("SET trireme.backend = '" + backend + "'")
		for _, sql := range []string{
			endless + "SELECT x FROM t LIMIT 2",
			endless + "SELECT x + 1 - 1 FROM (SELECT x FROM t LIMIT 2) s WHERE x > 0",
			endless + "(SELECT x FROM t) UNION ALL (SELECT x FROM t) LIMIT 2",
			"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT x + 1 FROM t) SELECT x FROM t LIMIT 2",
		} {
			if backend == "auto" {
				s.want(sql, "1;2")
			} else {
				s.wantError(sql, "0A000")
			}
		}
		for _, sql := range []string{
			ends + "SELECT count(*) FROM t LIMIT 2",
			ends + "SELECT count(*) FROM t GROUP BY x < 0 LIMIT 2",
			ends + "SELECT x FROM t ORDER BY -x LIMIT 1",
		} {
			s.want(sql, "9")
			if by := s.LastBackend(); backend != "auto" && by != backend {
				t.Errorf("%s: answered by %s, backend %s", sql, by, backend)
			}
		}
	}
}

// TestStateOfRecursions holds which recursions keep their rows in memory between
// the steps, and what EXPLAIN ANALYZE tells of these.
func TestStateOfRecursions(t *testing.T) {
	s := graphSession(t)
	s.run("SET trireme.backend = 'native'")
	for i, sql := range recursions {
		plan := s.run("EXPLAIN ANALYZE " + sql)
		if !strings.Contains(plan, "ITERATIONS") {
			t.Errorf("recursion %d goes through rows: %s", i, sql)
		}
	}
	for backend, wanted := range map[string][]string{
		"native":  {"1: 1 rows as list, looked up, ", " new rows, ", "kernel push, workspace none"},
		"general": {"1: 1 rows as sparse, planned", " new rows, ", "same plan, "},
	} {
		s.force(backend)
		plan := s.run("EXPLAIN ANALYZE " + recursions[0])
		for _, want := range wanted {
			if !strings.Contains(plan, want) {
				t.Errorf("%s: no %q in\n%s", backend, want, plan)
			}
		}
	}
	if doc := s.run("EXPLAIN (ANALYZE, FORMAT JSON) " + recursions[0]); !strings.Contains(doc, `"iterations": [`) {
		t.Errorf("no iterations in\n%s", doc)
	}
}

// TestAutoRecursion: auto iterates over large tables, and leaves small ones and
// what only iterates on rows to DuckDB.
func TestAutoRecursion(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.choosesNative() // what is worth iterating is not left to times
	s.run("CREATE TABLE small AS SELECT i AS src, (i * 7) % 100 AS dst FROM range(100) r(i)")
	s.run("CREATE TABLE large AS SELECT i % 1000 AS src, (i * 7919) % 1000 AS dst FROM range(80000) r(i)")
	text := func(table string) string {
		return "WITH RECURSIVE r(node) AS (SELECT 1 UNION SELECT e.dst FROM r JOIN " + table + " e ON e.src = r.node) SELECT count(*) FROM r"
	}
	for _, c := range []struct{ sql, by, plan string }{
		{text("small"), "duckdb", "reason: recursion over few rows"},
		{text("large"), "native", "backend: native"},
		{"WITH RECURSIVE r(node, n) USING KEY (node) AS (SELECT 1, 0 UNION SELECT e.dst, n + 1 FROM r JOIN large e ON e.src = r.node WHERE n < 1) SELECT count(*) FROM r", "duckdb", "backend: duckdb"},
	} {
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run(c.sql)
		s.run("SET trireme.backend = 'auto'")
		if got := s.run(c.sql); got != want || s.LastBackend() != c.by {
			t.Errorf("%s: %s from %s, want %s from %s", c.sql, got, s.LastBackend(), want, c.by)
		}
		if plan := s.run("EXPLAIN " + c.sql); !strings.Contains(plan, c.plan) {
			t.Errorf("%s: no %q in\n%s", c.sql, c.plan, plan)
		}
	}
	for _, backend := range []string{"decomposed", "native"} { // which of two rows with one key counts depends on their order
		s.run("SET trireme.backend = '" + backend + "'")
		s.wantError("WITH RECURSIVE r(node, n) USING KEY (node) AS (SELECT * FROM (VALUES (1, 0), (1, 2)) v(a, b) UNION SELECT e.dst, min(n + 1) FROM r JOIN small e ON e.src = r.node WHERE n < 3 GROUP BY e.dst) SELECT count(*) FROM r", "0A000")
	}
}

// TestAutoIteratesOverGroups: of few rows too, because DuckDB loses some of their rows.
func TestAutoIteratesOverGroups(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e AS SELECT * FROM (VALUES (2, 4), (4, 6), (6, 7000021), (6, 1), (2, 1)) v(src, dst)")
	for _, groups := range []string{"SELECT src, dst FROM e GROUP BY src, dst", "SELECT DISTINCT * FROM e"} {
		sql := "WITH RECURSIVE r(node) AS (SELECT 2 UNION SELECT g.dst FROM r JOIN (" + groups + ") g ON g.src = r.node) SELECT count(*), sum(node) FROM r"
		if got := s.run(sql); got != "5|7000034" || s.LastBackend() != "native" {
			t.Errorf("%s from %s for %s", got, s.LastBackend(), sql)
		}
	}
}

// TestRecursionsOfAllKinds are those that begin again without an assumption, take
// parameters, or raise what DuckDB raises.
func TestRecursionsOfAllKinds(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e (src INTEGER, dst INTEGER, w INTEGER)")
	s.run("INSERT INTO e VALUES (1, 2, 5), (2, 3, NULL), (2, 4, 1), (3, 5, 2), (4, 5, 1), (5, 6, 1), (1, 2, 3)")
	s.run("CREATE TABLE big AS SELECT 1 AS src, 3000000000 AS dst")
	for _, c := range []struct {
		sql  string
		args []string
	}{
		{"WITH RECURSIVE r(node, dist) USING KEY (node) AS (SELECT 1, 0 UNION SELECT e.dst, min(r.dist + e.w) FROM r JOIN e ON e.src = r.node GROUP BY e.dst) SELECT node, dist FROM r ORDER BY node", nil},
		{"WITH RECURSIVE r(node, dist) USING KEY (node) AS (SELECT 1, NULL::INTEGER UNION SELECT e.dst, max(r.dist) FROM r JOIN e ON e.src = r.node GROUP BY e.dst) SELECT node, dist FROM r ORDER BY node", nil},
		{"WITH RECURSIVE r(node, n) AS (SELECT $1::INTEGER, 0 UNION SELECT e.dst, r.n + 1 FROM r JOIN e ON e.src = r.node WHERE r.n < $2::INTEGER) SELECT node, n FROM r ORDER BY ALL", []string{"1", "2"}},
		{"WITH RECURSIVE r(node, n) AS (SELECT src, $1::INTEGER FROM e UNION ALL SELECT e.dst, r.n + $1::INTEGER FROM r JOIN e ON e.src = r.node WHERE r.n < 9) SELECT node, n FROM r ORDER BY ALL", []string{"3"}},
		{"WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT (SELECT count(*) FROM r AS q) + i FROM r WHERE i < 3) SELECT * FROM r ORDER BY ALL", nil},
	} {
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run(c.sql, c.args...)
		s.run("SET trireme.backend = 'native'")
		if got := s.run(c.sql, c.args...); got != want || s.LastBackend() != "native" {
			t.Errorf("%s: %s from %s, want %s", c.sql, got, s.LastBackend(), want)
		}
	}
	for _, c := range []struct{ sql, code string }{
		{"WITH RECURSIVE r(node) AS (SELECT 1 UNION SELECT big.dst FROM r JOIN big ON big.src = r.node) SELECT count(*) FROM r", "22003"},
		{"WITH RECURSIVE r(node, n) AS (SELECT 1, 2147483646 UNION SELECT e.dst, r.n + 1 FROM r JOIN e ON e.src = r.node) SELECT count(*) FROM r", "22003"},
	} {
		s.run("SET trireme.backend = 'duckdb'")
		code := s.wantError(c.sql, c.code).Code
		s.run("SET trireme.backend = 'auto'")
		s.wantError(c.sql, string(code))
		s.run("SET trireme.backend = 'native'")
		if _, _, err := s.try(c.sql); err == nil {
			t.Errorf("%s: no error", c.sql)
		}
	}
}

// TestRecursionsKeepZeros: UNION ALL leaves -0 and 0 as they are, so that such rows are
// DuckDB's; to UNION they are one.
func TestRecursionsKeepZeros(t *testing.T) {
	s := graphSession(t)
	s.choosesNative()
	s.run("CREATE TABLE z (a INTEGER, c DOUBLE, f FLOAT)")
	s.run("INSERT INTO z VALUES (1, '-0.0', 1), (1, 0.0, '-0.0'), (2, -2, 0)")
	for _, sql := range []string{
		"WITH RECURSIVE r(c, n) AS (SELECT '-0.0'::DOUBLE, 0 UNION ALL SELECT r.c, n + 1 FROM r JOIN z ON z.a = 1 WHERE n < 2) SELECT 1 / c, n, count(*) FROM r GROUP BY ALL",
		"WITH RECURSIVE r(c, n) AS (SELECT 1::DOUBLE, 0 UNION ALL SELECT z.c, n + 1 FROM r JOIN z ON z.a = 1 WHERE n < 2) SELECT 1 / c, n, count(*) FROM r GROUP BY ALL",
		"WITH RECURSIVE r(c, n) AS (SELECT 1::FLOAT, 0 UNION ALL SELECT z.f, n + 1 FROM r JOIN z ON z.a = n + 1 WHERE n < 2) SELECT c, n FROM r",
		"WITH RECURSIVE r(a, c) AS (SELECT 1, 1.5::DOUBLE UNION SELECT z.a, r.c + z.c FROM r JOIN z ON z.a = r.a WHERE r.c < 3) SELECT a, c FROM r",
	} {
		if s.agrees(sql) < 0 {
			t.Errorf("DuckDB refuses %s", sql)
		}
	}
}

// TestRecursionsThatBeginWithNothing: the step is computed once even where there are no rows
// to begin with, and finds some by its outer joins, its groups and what it has not seen.
func TestRecursionsThatBeginWithNothing(t *testing.T) {
	s := graphSession(t)
	const outer = "WITH RECURSIVE r(name) AS (SELECT name FROM l WHERE parent = $1 UNION SELECT e.name FROM r JOIN l e ON e.parent = r.name FULL JOIN l f ON f.name = e.name) SELECT name, count(name) FROM r GROUP BY name"
	for _, c := range []struct {
		sql  string
		args []string
		rows bool
	}{
		{strings.Replace(outer, "$1", "NULL", 1), nil, true},
		{outer, []string{"nobody"}, true},
		{outer, []string{"a"}, true},
		{"WITH RECURSIVE r(node) AS (SELECT src FROM e WHERE src > 99 UNION SELECT e.dst FROM r RIGHT JOIN e ON e.src = r.node) SELECT node FROM r", nil, true},
		{"WITH RECURSIVE r(node) AS (SELECT src FROM e WHERE src > 99 UNION SELECT e.dst FROM r LEFT JOIN e ON e.src = r.node) SELECT node FROM r", nil, false},
		{"WITH RECURSIVE r(node) AS (SELECT src FROM e WHERE src > 99 UNION SELECT e.src FROM e WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.node = e.src)) SELECT node FROM r", nil, true},
		{"WITH RECURSIVE r(node) AS (SELECT src FROM e WHERE src > 99 UNION ALL SELECT e.src FROM e LEFT JOIN r ON r.node = e.src WHERE r.node IS NULL AND e.src IS NOT NULL) SELECT node, count(*) FROM r GROUP BY node", nil, true},
		{"WITH RECURSIVE r(n) AS (SELECT w FROM e WHERE w > 99 UNION SELECT count(n) FROM r) SELECT n FROM r", nil, true},
		{"WITH RECURSIVE r(node, n) USING KEY (node) AS (SELECT src, w FROM e WHERE src > 99 UNION SELECT e.src, count(*) FROM e LEFT JOIN r ON r.node = e.src WHERE e.src NOT IN (SELECT node FROM recurring.r) GROUP BY e.src) SELECT node, n FROM r", nil, true},
		{"WITH RECURSIVE r(node, n) USING KEY (node) AS (SELECT src, w FROM e WHERE src > 99 UNION SELECT e.src, min(e.w) FROM e LEFT JOIN r ON r.node = e.src WHERE e.src NOT IN (SELECT node FROM recurring.r) GROUP BY e.src) SELECT node, n FROM r", nil, true},
		{"WITH RECURSIVE r(node, n) USING KEY (node) AS (SELECT src, w FROM e WHERE src > 99 UNION SELECT e.src, min(e.w) FROM e LEFT JOIN r ON r.node = e.src WHERE NOT EXISTS (SELECT 1 FROM recurring.r q WHERE q.node = e.src) AND e.src IS NOT NULL GROUP BY e.src) SELECT node, n FROM r", nil, true},
		{"WITH RECURSIVE r(node, n) USING KEY (node) AS (SELECT src, w FROM e WHERE src > 99 UNION SELECT e.src, count(r.n) FROM e LEFT JOIN r ON r.node = e.src WHERE r.node IS NULL AND e.src IS NOT NULL GROUP BY e.src) SELECT node, n FROM r", nil, true},
	} {
		s.run("SET trireme.backend = 'duckdb'")
		sql := c.sql + " ORDER BY ALL"
		want := s.run(sql, c.args...)
		if (want != "") != c.rows {
			t.Errorf("%s: DuckDB gives %q", c.sql, want)
		}
		for _, backend := range []string{"native", "decomposed"} {
			s.run("SET trireme.backend = '" + backend + "'")
			if got := s.run(sql, c.args...); got != want || s.LastBackend() != backend {
				t.Errorf("%s of %v: %q from %s, want %q from %s", c.sql, c.args, got, s.LastBackend(), want, backend)
			}
		}
	}
}

// TestRecursionOverManyValues reaches more vertices than a page of the set of rows
// found has, from several to begin with.
func TestRecursionOverManyValues(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e AS SELECT i AS src, 2 * i + j AS dst FROM range(1, 1000) r(i), range(2) t(j)")
	for _, sql := range []string{
		"WITH RECURSIVE r(a, b) AS (SELECT src, dst FROM e WHERE src < 6 UNION SELECT r.a, e.dst FROM r JOIN e ON e.src = r.b) SELECT a, count(*), sum(b) FROM r GROUP BY a ORDER BY a",
		"WITH RECURSIVE r(a, b, c) AS (SELECT src, dst, src % 2 FROM e WHERE src < 6 UNION SELECT r.a, e.dst, r.c FROM r JOIN e ON e.src = r.b) SELECT a, c, count(*), sum(b) FROM r GROUP BY a, c ORDER BY a",
	} {
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run(sql)
		s.run("SET trireme.backend = 'native'")
		if got := s.run(sql); got != want || s.LastBackend() != "native" {
			t.Errorf("%s: %s from %s, want %s", sql, got, s.LastBackend(), want)
		}
	}
}

// TestFewAndManyRows: a set of vertices is found by asking for each, and by marking all
// of a step first, in one recursion: of a chain with a star at its end, whose leaves
// lead on to another chain.
func TestFewAndManyRows(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE edge AS SELECT i AS src, i + 1 AS dst FROM range(40) r(i)" +
		" UNION ALL SELECT 40, 1000 + 3 * i FROM range(9000) r(i)" +
		" UNION ALL SELECT 1000 + 3 * i, 30000 + i % 70 FROM range(9000) r(i)" +
		" UNION ALL SELECT 30000 + i, 30001 + i FROM range(100) r(i) UNION ALL SELECT 30101, 5")
	for _, start := range []string{"0", "40", "30050", "7"} {
		s.equalsDuckDB("WITH RECURSIVE reached(node) AS (SELECT " + start + "::BIGINT UNION SELECT e.dst FROM reached r JOIN edge e ON e.src = r.node)" +
			" SELECT count(*), sum(node), min(node), max(node) FROM reached")
		s.equalsDuckDB("WITH RECURSIVE reached(node) AS (SELECT " + start + "::BIGINT UNION SELECT e.dst FROM reached r JOIN edge e ON e.src = r.node)" +
			" SELECT node FROM reached")
	}
}
