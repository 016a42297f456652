package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// traversals are recursions over the edges e (src, dst, w) and the vertices s to
// begin with, whose answer does not depend on the order of rows. They end on every
// graph.
var traversals = []string{
	"WITH RECURSIVE r(node) AS (SELECT v FROM s UNION SELECT e.dst FROM r JOIN e ON e.src = r.node) SELECT node FROM r",
	"WITH RECURSIVE r(node) AS (SELECT v FROM s UNION SELECT e.dst FROM r JOIN e ON e.src IS NOT DISTINCT FROM r.node) SELECT node FROM r",
	"WITH RECURSIVE r(node) AS (SELECT v FROM s UNION SELECT e.dst FROM r, e WHERE e.src = r.node AND r.node <> 3 AND e.w > 1) SELECT node FROM r",
	"WITH RECURSIVE r(a, b) AS (SELECT v, v FROM s UNION SELECT r.a, e.dst FROM r JOIN e ON e.src = r.b) SELECT a, b FROM r",
	"WITH RECURSIVE r(a, b) AS (SELECT src, dst FROM e UNION SELECT r.b, r.a FROM r) SELECT a, b FROM r",
	"WITH RECURSIVE r(a, b, c) AS (SELECT v, v, v FROM s UNION SELECT r.a, r.c, e.dst FROM r JOIN e ON e.src = r.c) SELECT a, b, c FROM r",
	"WITH RECURSIVE r(node, level) AS (SELECT v, 0 FROM s UNION SELECT e.dst, r.level + 1 FROM r JOIN e ON e.src = r.node WHERE r.level < 5) SELECT node, level FROM r",
	"WITH RECURSIVE r(node, level) AS (SELECT v, 0::BIGINT FROM s UNION ALL SELECT e.dst, 1 + r.level FROM r JOIN e ON e.src = r.node WHERE r.level < 3 AND (r.node > 2 OR r.level = 0)) SELECT node, level, count(*) FROM r GROUP BY ALL",
	"WITH RECURSIVE r(node, level) AS (SELECT v, 0 FROM s UNION ALL SELECT r.node, r.level + 1 FROM r WHERE r.level < 9 AND r.node IS NOT NULL) SELECT node, level FROM r",
	"WITH RECURSIVE r(node, level) AS (SELECT v, 0 FROM s UNION ALL SELECT e.dst, r.level * 2 + 1 FROM r JOIN e ON e.src = r.node AND r.level < 6) SELECT node, level FROM r",
	"WITH RECURSIVE r(node, cost) AS (SELECT v, 0::BIGINT FROM s UNION SELECT e.dst, r.cost + e.w FROM r JOIN e ON e.src = r.node WHERE r.cost + e.w < 7) SELECT node, cost FROM r",
	"WITH RECURSIVE r(node, level, n) AS (SELECT v, 0, 1::HUGEINT FROM s UNION ALL SELECT e.dst, r.level + 1, sum(r.n) FROM r JOIN e ON e.src = r.node WHERE r.level < 4 GROUP BY e.dst, r.level) SELECT node, level, n FROM r",
	"WITH RECURSIVE r(node, level) AS (SELECT v, 0 FROM s UNION SELECT e.dst, min(r.level) + 1 FROM r JOIN e ON e.src = r.node WHERE r.level < 4 GROUP BY e.dst) SELECT node, level FROM r",
	"WITH RECURSIVE r(node) AS (SELECT v FROM s UNION SELECT a.dst FROM r JOIN e a ON a.src = r.node JOIN e b ON b.src = a.dst) SELECT node FROM r",
	"WITH RECURSIVE r(node) AS (SELECT v FROM s UNION SELECT e.dst FROM r JOIN e ON e.src = r.node WHERE NOT EXISTS (SELECT 1 FROM s WHERE s.v = e.dst)) SELECT node FROM r",
	"WITH RECURSIVE r(node) AS (SELECT v FROM s UNION SELECT g.dst FROM r JOIN (SELECT src, dst FROM e WHERE w < 4 GROUP BY src, dst) g ON g.src = r.node) SELECT count(*), sum(node) FROM r",
	"WITH RECURSIVE r(node) AS (SELECT v FROM s UNION (SELECT e.dst FROM r JOIN e ON e.src = r.node UNION ALL SELECT e.src FROM r JOIN e ON e.dst = r.node)) SELECT node FROM r",
	"WITH RECURSIVE r(day) AS (SELECT DATE '2024-01-01' + v FROM s WHERE v < 5 UNION SELECT d.b FROM r JOIN d ON d.a = r.day) SELECT day FROM r",
	"WITH RECURSIVE r(name) AS (SELECT 'n' || v FROM s UNION SELECT t.b FROM r JOIN t ON t.a = r.name) SELECT name FROM r",
	"WITH RECURSIVE r(node) AS (SELECT v FROM s UNION SELECT e.dst FROM r JOIN e ON e.src = r.node) SELECT x.node, count(*) FROM r x JOIN e ON e.src = x.node JOIN r y ON y.node = e.dst GROUP BY x.node",
}

// keyTraversals are recursions with USING KEY over the same tables, whose steps have
// one row for each key, and one whose integers are cast. s has every vertex once for
// these.
var keyTraversals = []string{
	"WITH RECURSIVE r(node) AS (SELECT 1 UNION SELECT b.dst FROM r JOIN b ON b.src = r.node) SELECT node FROM r",
	"WITH RECURSIVE r(node, dist) USING KEY (node) AS (SELECT v, 0::BIGINT FROM s UNION SELECT e.dst, min(r.dist + e.w) FROM r JOIN e ON e.src = r.node LEFT JOIN recurring.r q ON q.node = e.dst WHERE q.dist IS NULL OR r.dist + e.w < q.dist GROUP BY e.dst) SELECT node, dist FROM r",
	"WITH RECURSIVE r(node, dist) USING KEY (node) AS (SELECT v, 0 FROM s UNION ALL SELECT e.dst, min(r.dist + e.w) FROM e JOIN r ON e.src = r.node LEFT JOIN recurring.r AS known ON e.dst = known.node WHERE (known.dist > r.dist + e.w OR known.node IS NULL) GROUP BY e.dst) SELECT node, dist FROM r",
	"WITH RECURSIVE r(node, dist) USING KEY (node) AS (SELECT v, 0 FROM s UNION SELECT e.dst, min(r.dist + e.w) FROM r JOIN e ON e.src = r.node LEFT JOIN recurring.r q ON q.node = e.dst WHERE q.dist IS NULL OR r.dist + e.w < q.dist GROUP BY e.dst HAVING min(r.dist + e.w) < 9) SELECT node, dist FROM r",
	"WITH RECURSIVE r(node, level) USING KEY (node) AS (SELECT v, 0 FROM s UNION SELECT e.dst, min(r.level + 1) FROM r JOIN e ON e.src = r.node WHERE e.dst NOT IN (SELECT node FROM recurring.r) GROUP BY e.dst) SELECT node, level FROM r",
	"WITH RECURSIVE r(node, n) USING KEY (node) AS (SELECT v, 1::HUGEINT FROM s UNION SELECT e.dst, sum(r.n) FROM r JOIN e ON e.src = r.node WHERE NOT EXISTS (SELECT 1 FROM recurring.r q WHERE q.node = e.dst) GROUP BY e.dst) SELECT node, n FROM r",
	"WITH RECURSIVE r(level, node) USING KEY (node) AS (SELECT 0, v FROM s UNION SELECT max(r.level + 1), e.dst FROM r JOIN e ON e.src = r.node JOIN recurring.r q ON q.node = e.dst WHERE r.level + 1 > q.level AND r.level < 5 GROUP BY e.dst) SELECT node, level FROM r",
	"WITH RECURSIVE r(a, b, dist) USING KEY (a, b) AS (SELECT v, v, 0 FROM s UNION SELECT r.a, e.dst, min(r.dist + e.w) FROM r JOIN e ON e.src = r.b LEFT JOIN recurring.r q ON q.a = r.a AND q.b = e.dst WHERE q.dist IS NULL OR r.dist + e.w < q.dist GROUP BY r.a, e.dst) SELECT a, b, dist FROM r",
	"WITH RECURSIVE r(node, n) USING KEY (node) AS (SELECT v, 0 FROM s UNION SELECT e.dst, max(r.n) + 1 FROM r JOIN e ON e.src = r.node WHERE r.n < 4 GROUP BY e.dst) SELECT node, n FROM r",
	"WITH RECURSIVE r(node, label) USING KEY (node) AS (SELECT v, v FROM s UNION SELECT e.dst, min(r.label) FROM r JOIN e ON e.src = r.node LEFT JOIN recurring.r q ON q.node = e.dst WHERE q.node IS NULL OR r.label < q.label GROUP BY e.dst) SELECT node, label FROM r",
	"WITH RECURSIVE r(node, n) USING KEY (node) AS (SELECT v, 0 FROM s UNION SELECT e.dst, min(r.n) + 1 FROM r JOIN e ON e.src = r.node JOIN recurring.r q ON q.node = e.src WHERE q.n < 3 GROUP BY e.dst) SELECT node, n FROM r",
	"WITH RECURSIVE r(node, dist) USING KEY (node) AS (SELECT v, 0::DOUBLE FROM s UNION SELECT e.dst, min(r.dist + e.w / 4) FROM r JOIN e ON e.src = r.node LEFT JOIN recurring.r q ON q.node = e.dst WHERE q.dist IS NULL OR r.dist + e.w / 4 < q.dist GROUP BY e.dst) SELECT node, dist FROM r",
	"WITH RECURSIVE r(node, dist) USING KEY (node) AS (SELECT v, 0::DOUBLE FROM s UNION SELECT e.dst, min(r.dist + e.w / 4) FROM r JOIN e ON e.src = r.node LEFT JOIN recurring.r q ON q.node = e.dst WHERE r.dist + e.w / 4 < coalesce(q.dist, 3e0) GROUP BY e.dst) SELECT node, dist FROM r",
	"WITH RECURSIVE r(node, dist) USING KEY (node) AS (SELECT v, 0 FROM s UNION SELECT e.dst, min(r.dist + e.w) FROM r JOIN e ON e.src = r.node LEFT JOIN recurring.r q ON q.node = e.dst WHERE coalesce(q.dist, 9) > r.dist + e.w GROUP BY e.dst) SELECT node, dist FROM r",
	"WITH RECURSIVE r(node, dist) USING KEY (node) AS (SELECT v, 8::DOUBLE FROM s UNION SELECT e.dst, max(r.dist - (e.w + 1) / 4) FROM r JOIN e ON e.src = r.node JOIN recurring.r q ON q.node = e.dst WHERE r.dist - (e.w + 1) / 4 > coalesce(q.dist, 1e0) GROUP BY e.dst) SELECT node, dist FROM r",
}

// randomGraph fills the tables of traversals: cyclic, with loops, duplicate edges
// and NULLs, or empty.
func randomGraph(s testSession, rnd *rand.Rand) {
	vertex := func(n int) string {
		if rnd.IntN(12) == 0 {
			return "NULL"
		}
		return fmt.Sprint(rnd.IntN(n) * []int{1, 1, 1000003}[rnd.IntN(3)%(1+rnd.IntN(3))])
	}
	n, edges, starts := 3+rnd.IntN(14), rnd.IntN(40), rnd.IntN(4)
	s.run("DELETE FROM e")
	s.run("DELETE FROM s")
	for range edges {
		s.run(fmt.Sprintf("INSERT INTO e VALUES (%s, %s, %d)", vertex(n), vertex(n), rnd.IntN(6)))
	}
	if edges > 0 && rnd.IntN(2) == 0 {
		s.run("INSERT INTO e SELECT * FROM e LIMIT 5")
	}
	for range starts {
		s.run("INSERT INTO s VALUES (" + vertex(n+2) + ")")
	}
	s.derivedGraph()
}

// derivedGraph makes the edges of other types.
func (s testSession) derivedGraph() {
	s.t.Helper()
	s.run("CREATE OR REPLACE TABLE d AS SELECT DATE '2024-01-01' + (src % 9)::INTEGER AS a, DATE '2024-01-01' + (dst % 9)::INTEGER AS b FROM e")
	s.run("CREATE OR REPLACE TABLE b AS SELECT src::BIGINT AS src, dst::BIGINT AS dst FROM e")
	s.run("CREATE OR REPLACE TABLE t AS SELECT 'n' || src AS a, 'n' || dst AS b FROM e")
}

// force sets the backend of that name; general is native whose recursions run the
// program of every step.
func (s testSession) force(name string) (backend string) {
	s.t.Helper()
	backend, registry := name, "on"
	if name == "general" {
		backend, registry = "native", "off"
	}
	s.run("SET trireme.backend = '" + backend + "'")
	s.run("SET trireme.registry = '" + registry + "'")
	return backend
}

// lookedUp are those of the traversals whose steps look up what the rows found last
// lead to, and need no program (pushStep).
var lookedUp = []int{0, 1, 2, 3, 6, 17, 18, 19, 20, 21, 22, 24, 26, 29, 33}

// TestTraversalsThatLookUp holds which traversals run without programs, on a graph
// without NULLs; without the registry none does.
func TestTraversalsThatLookUp(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e AS SELECT (i % 7)::INTEGER AS src, (i * 3 % 8)::INTEGER AS dst, (i % 4)::INTEGER AS w FROM range(30) r(i)")
	s.run("CREATE TABLE s AS SELECT i::INTEGER AS v FROM range(3) r(i)")
	s.derivedGraph()
	for i, sql := range slices.Concat(traversals, keyTraversals) {
		for _, backend := range []string{"native", "general"} {
			s.force(backend)
			plan := s.run("EXPLAIN ANALYZE " + sql)
			want := backend == "native" && slices.Contains(lookedUp, i)
			if got := strings.Contains(plan, " rows as list, looked up, "); got != want {
				t.Errorf("%s: traversal %d looked up %v, want %v: %s", backend, i, got, want, sql)
			}
			if got := strings.Contains(plan, "kernel push"); got != want {
				t.Errorf("%s: traversal %d has kernel push %v, want %v", backend, i, got, want)
			}
		}
	}
}

// TestTraversalsPastWords: sums that have more than 64 bits are the programs', and
// what does not fit their type is DuckDB's error; distances may be negative, and end
// beyond the values that have coordinates at once.
func TestTraversalsPastWords(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e AS SELECT * FROM (VALUES (1, 2, 5::BIGINT), (2, 3, -9), (1, 3, 9), (3, 4, 1000000007), (4, 5, 2), (9, 10, 9223372036854775807)) v(src, dst, w)")
	const sql = "WITH RECURSIVE r(node, dist) USING KEY (node) AS (SELECT %d, %d::BIGINT UNION SELECT e.dst, min(r.dist + e.w) FROM r JOIN e ON e.src = r.node " +
		"LEFT JOIN recurring.r q ON q.node = e.dst WHERE q.dist IS NULL OR r.dist + e.w < q.dist GROUP BY e.dst) SELECT node, dist FROM r"
	for _, from := range []string{fmt.Sprintf(sql, 1, 0), fmt.Sprintf(sql, 4, -7), fmt.Sprintf(sql, 9, 0), fmt.Sprintf(sql, 9, -1)} {
		s.force("duckdb")
		want := s.sorted(from)
		for _, backend := range []string{"native", "general"} {
			s.force(backend)
			if got, _, err := s.try(from); err == nil {
				if lines := strings.Split(got, ";"); !slices.Equal(slices.Sorted(slices.Values(lines)), strings.Split(want, ";")) {
					t.Errorf("%s: %s, want %s", backend, got, want)
				}
			} else if !strings.Contains(err.Error(), "overflow") {
				t.Errorf("%s: %v", backend, err)
			}
		}
	}
	for _, backend := range []string{"native", "general"} {
		s.force(backend)
		if got, _, err := s.try(fmt.Sprintf(sql, 9, 1)); err == nil {
			t.Errorf("%s: %s, want an error", backend, got)
		}
	}
}

// TestTraversalsOfRandomGraphs compares every backend with DuckDB, without its
// optimizer, which loses rows of some steps (misfiltered).
func TestTraversalsOfRandomGraphs(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	e := openEngine(t)
	s, oracle := openSession(t, e), openSession(t, e)
	oracle.run("SET trireme.backend = 'duckdb'")
	oracle.run("PRAGMA disable_optimizer")
	s.run("CREATE TABLE e (src INTEGER, dst INTEGER, w INTEGER)")
	s.run("CREATE TABLE s (v INTEGER)")
	rnd := rand.New(rand.NewPCG(20, 26))
	sorted := func(text string) string {
		lines := strings.Split(text, ";")
		slices.Sort(lines)
		return strings.Join(lines, ";")
	}
	for round := range rounds {
		randomGraph(s, rnd)
		for i, sql := range slices.Concat(traversals, keyTraversals) {
			backends := []string{"native", "general", "decomposed"}
			if i == len(traversals) {
				s.run("CREATE OR REPLACE TABLE s AS SELECT DISTINCT v FROM s")
			}
			want := sorted(oracle.run(sql))
			for _, backend := range backends {
				forced := s.force(backend)
				got, _, err := s.try(sql)
				by := s.LastBackend()
				if err != nil || sorted(got) != want || by != forced {
					s.force("duckdb")
					t.Fatalf("round %d, %s: %s\n%s, want\n%s\nfrom %s, error %v\nedges %s\nto begin with %s",
						round, backend, sql, sorted(got), want, by, err, s.run("FROM e"), s.run("FROM s"))
				}
			}
		}
	}
}
