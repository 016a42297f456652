package engine

import (
	"fmt"
	"strings"
	"testing"
)

// TestChainsOfFullJoins: chains of FULL JOINs, nested ones and those over common table
// expressions that are read twice are planned in a time that grows with their length, not
// with its power: they end.
func TestChainsOfFullJoins(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE tiny AS SELECT (i % 3)::INTEGER AS i, (i % 4)::INTEGER AS k, i::INTEGER AS v FROM range(5) r(i)")
	s.run("INSERT INTO tiny VALUES (NULL, 1, 7), (2, NULL, 8)")
	chain, nested, shared := "tiny t0", "tiny n4 FULL JOIN tiny n5 ON n4.i = n5.k", "WITH w0 AS (SELECT i, k, v FROM tiny)"
	for n := 1; n <= 8; n++ {
		chain += fmt.Sprintf(" FULL JOIN tiny t%d ON t%d.i = t%d.k", n, n-1, n)
	}
	for n := 3; n >= 0; n-- {
		nested = fmt.Sprintf("tiny n%d FULL JOIN (%s) ON n%d.i = n%d.k", n, nested, n, n+1)
	}
	for n := 1; n <= 3; n++ {
		shared += fmt.Sprintf(", w%d AS (SELECT a.i, b.k, b.v FROM w%d a FULL JOIN w%d b ON a.i = b.k)", n, n-1, n-1)
	}
	for _, c := range []struct{ sql, want string }{
		{"SELECT count(*), sum(t0.v), sum(t8.v) FROM " + chain, "195|173|361"},
		{"SELECT count(*), sum(n0.v) FROM " + nested, "77|95"},
		{shared + " SELECT count(*), sum(v) FROM w3", ""},
	} {
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run(c.sql)
		if c.want != "" && want != c.want {
			t.Errorf("DuckDB answers %s, not %s", want, c.want)
		}
		for _, backend := range []string{"auto", "native", "decomposed"} {
			s.run("SET trireme.backend = '" + backend + "'")
			if got := s.run(c.sql); got != want {
				t.Errorf("%s: %s, not %s: %s", backend, got, want, strings.SplitN(c.sql, "FULL", 2)[0])
			}
		}
	}
}
