package engine

import (
	"testing"
	"time"
)

// BenchmarkOuterJoins compares warm native with DuckDB on statements with rows that
// lack a partner: customers c (half a million) against orders o (a million, one in
// six of a customer that there is not). Runs alternate; the figures are the fastest.
// On two cores that others used as well, native took of DuckDB's time: left 0.19,
// left-count 0.15, left-coalesce 0.24, left-min 0.64, left-pad 0.40, full 0.25,
// not-exists 0.03, q13 0.21; before outer joins were read with if0 left took 2.2,
// left-count 2.1, left-coalesce 2.6, left-min 3.8, q13 0.72.
func BenchmarkOuterJoins(b *testing.B) {
	_, s := benchEngine(b, "SELECT setseed(0.5)",
		"CREATE TABLE c AS SELECT i AS k, (random() * 100)::INT AS g FROM range(500000) t(i)",
		"CREATE TABLE o AS SELECT (random() * 600000)::INT AS k, (random() * 1000)::INT AS x FROM range(1000000) t(i)",
		"INSERT INTO c VALUES (NULL, 1), (NULL, NULL)", "INSERT INTO o VALUES (NULL, 1), (NULL, NULL)")
	for _, q := range []struct{ name, sql string }{
		{"left", "SELECT g, count(*), sum(o.x) FROM c LEFT JOIN o ON c.k = o.k GROUP BY g"},
		{"left-count", "SELECT g, count(o.x) FROM c LEFT JOIN o ON c.k = o.k GROUP BY g"},
		{"left-coalesce", "SELECT g, count(*), sum(COALESCE(o.x, 7)) FROM c LEFT JOIN o ON c.k = o.k GROUP BY g"},
		{"left-min", "SELECT g, min(o.x), max(o.x) FROM c LEFT JOIN o ON c.k = o.k GROUP BY g"},
		{"left-pad", "SELECT o.x, count(*) FROM c LEFT JOIN o ON c.k = o.k GROUP BY o.x"},
		{"full", "SELECT g, count(*), sum(o.x) FROM c FULL JOIN o ON c.k = o.k GROUP BY g"},
		{"not-exists", "SELECT g, count(*) FROM c WHERE NOT EXISTS (SELECT 1 FROM o WHERE o.k = c.k) GROUP BY g"},
		{"q13", "SELECT n, count(*) FROM (SELECT c.k, count(o.x) AS n FROM c LEFT JOIN o ON c.k = o.k AND o.x < 900 GROUP BY c.k) t GROUP BY n"},
	} {
		b.Run("query="+q.name, func(b *testing.B) {
			fastest := map[string]time.Duration{}
			answers := map[string]string{}
			for first := true; b.Loop(); first = false {
				for _, backend := range []string{"native", "duckdb"} {
					if _, _, err := s.try("SET trireme.backend = '" + backend + "'"); err != nil {
						b.Fatal(err)
					}
					start := time.Now()
					text, _, err := s.try("SELECT * FROM (" + q.sql + ") ORDER BY ALL")
					took := time.Since(start)
					if err != nil || s.LastBackend() != backend {
						b.Fatalf("%s answered, error %v", s.LastBackend(), err)
					}
					answers[backend] = text
					if !first && (fastest[backend] == 0 || took < fastest[backend]) {
						fastest[backend] = took
					}
				}
				if answers["native"] != answers["duckdb"] {
					b.Fatal("different answers")
				}
			}
			b.ReportMetric(float64(fastest["native"].Microseconds())/1000, "native-ms")
			b.ReportMetric(float64(fastest["duckdb"].Microseconds())/1000, "duckdb-ms")
			if fastest["duckdb"] > 0 {
				b.ReportMetric(fastest["native"].Seconds()/fastest["duckdb"].Seconds(), "native/duckdb")
			}
		})
	}
}
