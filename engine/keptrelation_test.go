package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRelationsAreKept: what DuckDB executes for a statement is made once while its tables,
// and what its text calls, are the same; what reads a file or a temporary table is made anew.
func TestRelationsAreKept(t *testing.T) {
	s := openSession(t, openEngine(t))
	file := filepath.Join(t.TempDir(), "f.csv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("i,v\n1,5\n2,7\n")
	s.run("CREATE TABLE x AS SELECT i::INTEGER AS i, i::DOUBLE AS v FROM range(9) r(i)")
	s.run("CREATE TABLE y AS SELECT (2 * i)::INTEGER AS i, (i / 4)::DOUBLE AS v FROM range(9) r(i)")
	s.run("CREATE MACRO half(z) AS z / 2")
	s.run("CREATE TEMP TABLE mine AS SELECT * FROM y")
	for _, c := range []struct{ sql, change string }{
		{"SELECT sum(abs(x.v - y.v)) FROM x LEFT JOIN y ON x.i = y.i", "INSERT INTO y VALUES (1, 2.5)"},
		{"SELECT count(*) FROM x, y WHERE (x.i * 7 + y.i * 3) % 5 < 2", "DELETE FROM x WHERE i = 3"},
		{"SELECT count(*) FROM x JOIN (SELECT i, half(v) AS h FROM y ORDER BY v LIMIT 4) q ON q.i = x.i WHERE q.h < 1", "CREATE OR REPLACE MACRO half(z) AS z * 9"},
		{"SELECT sum(abs(x.v - f.v)) FROM x LEFT JOIN (SELECT * FROM read_csv('" + file + "') LIMIT 8) f ON x.i = f.i", ""},
		{"SELECT sum(abs(x.v - m.v)) FROM x LEFT JOIN mine m ON x.i = m.i", "INSERT INTO mine VALUES (1, 100)"},
	} {
		for range 2 {
			for range 2 {
				s.run("SET trireme.backend = 'duckdb'")
				want := s.run(c.sql)
				s.run("SET trireme.backend = 'auto'")
				s.choosesNative()
				if got := s.run(c.sql); got != want {
					t.Errorf("%s: %s by %s, want %s", c.sql, got, s.LastBackend(), want)
				}
			}
			if c.change == "" {
				write("i,v\n1,50\n2,70\n3,1\n")
			} else {
				s.run(c.change)
			}
		}
	}
	s.run("SET trireme.backend = 'native'")
	const padded = "EXPLAIN ANALYZE SELECT sum(abs(x.v - y.v)) FROM x LEFT JOIN y ON x.i = y.i"
	for _, want := range []bool{false, true} {
		plan := s.run(padded)
		_, loads, _ := strings.Cut(plan, "relation_2 <- ")
		_, loads, _ = strings.Cut(loads, "entries, ")
		if got := strings.HasPrefix(loads, "cached"); loads == "" || got != want {
			t.Errorf("kept %v, want %v: %s", got, want, plan)
		}
	}
}
