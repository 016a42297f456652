package engine

import (
	"strings"
	"testing"
)

// TestConditionsOnGroups: those conjuncts of HAVING that read groups alone restrict the rows.
func TestConditionsOnGroups(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a AS SELECT (CASE WHEN n % 5 > 0 THEN n END)::INTEGER AS i, n % 3 AS j FROM range(40) r(n)")
	s.run("CREATE TABLE b AS SELECT (CASE WHEN n % 7 > 0 THEN n / 2 END)::INTEGER AS k, 'g' || (n % 4) AS g FROM range(60) r(n)")
	for sql, moved := range map[string]bool{
		"SELECT i, k, sum(j) FROM a, b GROUP BY i, k HAVING i = k AND i < 5":                                                           true,
		"SELECT i, k, sum(j), count(*) FROM a, b GROUP BY i, k HAVING i = k AND count(*) > 1":                                          true,
		"SELECT g, k, count(*) FROM a JOIN b ON i = k GROUP BY g, k HAVING g = 'g1' OR k IS NULL":                                      true,
		"SELECT g, count(*) FROM a FULL JOIN b ON i = k GROUP BY g HAVING g IS NULL":                                                   true,
		"SELECT sum(n) FROM (SELECT g, count(*) AS n FROM a JOIN b ON i = k GROUP BY g HAVING g <> 'g1' AND count(*) > 2) q":           true,
		"SELECT q.n, count(*) FROM (SELECT i, k, count(*) AS n FROM a, b GROUP BY i, k HAVING i = k) q JOIN a ON a.i = q.k GROUP BY 1": true,
		"SELECT i + 1, count(*) FROM a JOIN b ON i = k GROUP BY i + 1 HAVING i + 1 > 3":                                                false, // it may overflow
		"SELECT g, k, count(*) FROM a JOIN b ON i = k GROUP BY ROLLUP (g, k) HAVING g IS NULL":                                         false,
		"SELECT count(*) FROM a JOIN b ON i = k HAVING count(*) > 1":                                                                   false,
	} {
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run("SELECT * FROM (" + sql + ") ORDER BY ALL")
		s.run("SET trireme.backend = 'native'")
		s.want("SELECT * FROM ("+sql+") ORDER BY ALL", want)
		if got := s.run(sql); strings.Count(got, ";") != strings.Count(want, ";") {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
		if plan := s.run("EXPLAIN " + sql); moved && strings.Contains(plan, "WHERE trireme_result.k") {
			t.Errorf("%s: the groups are restricted afterwards\n%s", sql, plan)
		}
	}
}
