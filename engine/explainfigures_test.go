package engine

import (
	"encoding/json"
	"regexp"
	"testing"
)

// The first line of EXPLAIN has the figures that Postgres' has, whoever answers.
func TestExplainFigures(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t AS SELECT i AS a, i % 10 AS b, 'x' AS c FROM range(1000) r(i)")
	for _, backend := range []string{"auto", "native", "decomposed", "duckdb"} {
		s.run("SET trireme.backend = '" + backend + "'")
		for sql, want := range map[string]string{
			"SELECT x.b, count(*) FROM t x JOIN t y ON x.a = y.b GROUP BY x.b":                        `rows=\d+ width=16\)$`,
			"SELECT x.b, max(x.c) FROM t x JOIN t y ON x.a = y.b GROUP BY x.b ORDER BY 1 LIMIT 3":     `rows=\d+ width=40\)$`,
			"SELECT n FROM (SELECT x.b, count(*) AS n FROM t x JOIN t y ON x.a = y.b GROUP BY x.b) q": `rows=\d+ width=8\)$`,
		} {
			p, err := s.Prepare(t.Context(), "EXPLAIN "+sql, nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := p.Execute(t.Context(), nil)
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			lines, err := readRows(res)
			if err != nil {
				t.Fatal(err)
			}
			if first := regexp.MustCompile(`^backend: \w+.*  \(cost=0\.00\.\.\d+\.\d\d ` + want); !first.MatchString(lines[0]) {
				t.Errorf("%s on %s begins with %q", sql, backend, lines[0])
			}
		}
	}
	s.run("SET trireme.backend = 'auto'")
	for sql, rows := range map[string]float64{"SELECT a FROM t": 1000, "SELECT count(*) FROM t": 1} {
		var doc []map[string]any
		if err := json.Unmarshal([]byte(s.run("EXPLAIN (FORMAT JSON) "+sql)), &doc); err != nil {
			t.Fatal(err)
		}
		plan, _ := doc[0]["Plan"].(map[string]any)
		if cost, _ := plan["Total Cost"].(float64); plan["Plan Rows"] != rows || plan["Plan Width"] != 8.0 || cost <= 0 {
			t.Errorf("%s: %v, want %g rows", sql, plan, rows)
		}
	}
}
