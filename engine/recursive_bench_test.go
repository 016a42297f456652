package engine

import (
	"fmt"
	"testing"
)

// recursionBenchmarks are the traversals of BenchmarkRecursion, from vertex 0 of a
// graph.
var recursionBenchmarks = []struct{ name, sql string }{
	{"reachable", "WITH RECURSIVE r(node) AS (SELECT 0::BIGINT UNION SELECT e.dst FROM r JOIN edge e ON e.src = r.node) SELECT count(*), sum(node) FROM r"},
	{"bounded", "WITH RECURSIVE r(node, level) AS (SELECT 0::BIGINT, 0 UNION SELECT e.dst, r.level + 1 FROM r JOIN edge e ON e.src = r.node WHERE r.level < 6) SELECT level, count(*) FROM r GROUP BY level ORDER BY level"},
	{"levels", "WITH RECURSIVE r(node, level) USING KEY (node) AS (SELECT 0::BIGINT, 0 UNION SELECT e.dst, min(r.level + 1) FROM r JOIN edge e ON e.src = r.node WHERE e.dst NOT IN (SELECT node FROM recurring.r) GROUP BY e.dst) SELECT level, count(*) FROM r GROUP BY level ORDER BY level"},
	{"paths", "WITH RECURSIVE r(node, dist) USING KEY (node) AS (SELECT 0::BIGINT, 0::BIGINT UNION SELECT e.dst, min(r.dist + e.w) FROM r JOIN weighted e ON e.src = r.node LEFT JOIN recurring.r known ON known.node = e.dst WHERE known.dist IS NULL OR r.dist + e.w < known.dist GROUP BY e.dst) SELECT count(*), sum(dist), max(dist) FROM r"},
}

// BenchmarkRecursion runs traversals of the Epinions graph beside DuckDB, with the
// tensors in the cache. Backends take turns.
func BenchmarkRecursion(b *testing.B) {
	_, s := epinions(b)
	if _, _, err := s.try("CREATE TABLE weighted AS SELECT src, dst, 1 + (src * 7 + dst * 13) % 10 AS w FROM edge"); err != nil {
		b.Fatal(err)
	}
	for _, c := range recursionBenchmarks {
		want := ""
		for _, backend := range []string{"duckdb", "native", "duckdb", "native", "duckdb", "native"} {
			b.Run("query="+c.name+"/backend="+backend, func(b *testing.B) {
				if _, _, err := s.try("SET trireme.backend = '" + backend + "'"); err != nil {
					b.Fatal(err)
				}
				if got, _, err := s.try(c.sql); err != nil || want != "" && got != want {
					b.Fatalf("%s, want %s, error %v", got, want, err)
				} else {
					want = got
				}
				for b.Loop() {
					if _, _, err := s.try(c.sql); err != nil || s.LastBackend() != backend {
						b.Fatalf("answered by %s, error %v", s.LastBackend(), err)
					}
				}
			})
		}
	}
}

// BenchmarkRecursionSizes is what recursionRows is read off: reachable vertices of
// random graphs with eight edges each, and of a chain in steps of one row.
func BenchmarkRecursionSizes(b *testing.B) {
	_, s := benchEngine(b)
	for _, edges := range []int{1_000, 10_000, 30_000, 100_000, 300_000} {
		tables := []struct{ name, sql string }{
			{"random", fmt.Sprintf("SELECT (i * 7919 %% %d) AS src, (i * 104729 + i // 8) %% %d AS dst FROM range(%d) r(i)", edges/8, edges/8, edges)},
			{"chain", fmt.Sprintf("SELECT i AS src, CASE WHEN i < 300 THEN i + 1 ELSE i END AS dst FROM range(%d) r(i)", edges)},
		}
		for _, table := range tables {
			if _, _, err := s.try("CREATE OR REPLACE TABLE edge AS " + table.sql); err != nil {
				b.Fatal(err)
			}
			for _, backend := range []string{"duckdb", "native", "duckdb", "native"} {
				b.Run(fmt.Sprintf("graph=%s/edges=%d/backend=%s", table.name, edges, backend), func(b *testing.B) {
					if _, _, err := s.try("SET trireme.backend = '" + backend + "'"); err != nil {
						b.Fatal(err)
					}
					if _, _, err := s.try(recursionBenchmarks[0].sql); err != nil {
						b.Fatal(err)
					}
					for b.Loop() {
						if _, _, err := s.try(recursionBenchmarks[0].sql); err != nil || s.LastBackend() != backend {
							b.Fatalf("answered by %s, error %v", s.LastBackend(), err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkRecursionSteps is the time of a step of few rows, of which a grid has as
// many as two of its sides are long, and what the registry does for it: steps that look
// up what the rows lead to, or programs.
func BenchmarkRecursionSteps(b *testing.B) {
	const side = 200
	_, s := benchEngine(b, fmt.Sprintf(`CREATE TABLE edge AS WITH street AS (
		SELECT v AS a, v + 1 AS b FROM range(%[2]d) r(v) WHERE v %% %[1]d < %[1]d - 1
		UNION ALL SELECT v, v + %[1]d FROM range(%[2]d) r(v) WHERE v + %[1]d < %[2]d
		) SELECT a AS src, b AS dst FROM street UNION ALL SELECT b, a FROM street`, side, side*side),
		"CREATE TABLE weighted AS SELECT src, dst, 1 + (src * 7 + dst * 13) % 10 AS w FROM edge", "SET trireme.backend = 'native'")
	for _, c := range recursionBenchmarks {
		if c.name == "bounded" {
			continue
		}
		for _, registry := range []string{"on", "off", "on", "off"} {
			b.Run("query="+c.name+"/registry="+registry, func(b *testing.B) {
				for _, sql := range []string{"SET trireme.registry = '" + registry + "'", c.sql} {
					if _, _, err := s.try(sql); err != nil {
						b.Fatal(err)
					}
				}
				for b.Loop() {
					if _, _, err := s.try(c.sql); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/(2*side-1), "us/step")
			})
		}
	}
}
