package engine

import (
	"errors"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TestFiltersOfFallibleValues: DuckDB evaluates the argument of an aggregate on the
// rows that its FILTER drops too, and of an argument that is only counted, and raises
// what they raise. Where no row raises, the tensor backends answer.
func TestFiltersOfFallibleValues(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (k UTINYINT, j UINTEGER, s VARCHAR)")
	s.run("INSERT INTO a VALUES (2, 0, 'x'), (0, 5, '3')")
	s.run("CREATE TABLE b (k UTINYINT, x DOUBLE)")
	s.run("INSERT INTO b VALUES (2, -1), (7, 2), (0, 2)")
	for _, c := range []struct{ fails, answers string }{
		{"SELECT min(j - k) FILTER (WHERE k = 0) FROM a", "SELECT min(j - k) FILTER (WHERE k = 0) FROM a WHERE j > 0"},
		{"SELECT min(j - k) FILTER (WHERE false) FROM a", "SELECT min(j + k) FILTER (WHERE false) FROM a"},
		{"SELECT sum(s::INTEGER) FILTER (WHERE s = '3') FROM a", "SELECT sum(k::VARCHAR::INTEGER) FILTER (WHERE s = '3') FROM a"},
		{"SELECT sum(DISTINCT j - k) FILTER (WHERE s = '3') FROM a", "SELECT sum(DISTINCT j * k) FILTER (WHERE s = '3') FROM a"},
		{"SELECT k, avg(j - k) FILTER (WHERE s = '3') FROM a GROUP BY ROLLUP (k)", "SELECT k, avg(j + k) FILTER (WHERE s = '3') FROM a GROUP BY ROLLUP (k)"},
		{"SELECT sum((a.j - a.k) * b.k) FILTER (WHERE s = '3') FROM a JOIN b USING (k)", "SELECT sum((a.j + a.k) * b.k) FILTER (WHERE s = '3') FROM a JOIN b USING (k)"},
		{"SELECT sum(a.j - a.k) FILTER (WHERE s = '3' AND b.k >= 0) FROM a JOIN b USING (k)", "SELECT sum(a.j + a.k) FILTER (WHERE s = '3' AND b.k >= 0) FROM a JOIN b USING (k)"},
		{"SELECT sum(sqrt(b.x)) FILTER (WHERE s = '3') FROM a JOIN b USING (k)", "SELECT sum(sqrt(b.x + 1)) FILTER (WHERE s = '3') FROM a JOIN b USING (k)"},
		{"SELECT sum(sqrt(b.x * a.j - 1)) FILTER (WHERE s = '3') FROM a JOIN b USING (k)", "SELECT sum(sqrt(b.x * a.j)) FILTER (WHERE x > 0 AND a.s = '3') FROM a JOIN b USING (k)"},
		{"SELECT max(sqrt(m)) FILTER (WHERE k = 0) FROM (SELECT k, min(x) AS m FROM b GROUP BY k) q", "SELECT max(sqrt(abs(m))) FILTER (WHERE k = 0) FROM (SELECT k, min(x) AS m FROM b GROUP BY k) q"},
		{"SELECT count(j - k), sum(k) FROM a", "SELECT count(j + k), sum(k) FROM a"},
		{"SELECT count(j - k) FILTER (WHERE s = '3') FROM a", "SELECT count(j + k) FILTER (WHERE s = '3') FROM a"},
		{"SELECT count(a.j - a.k) FILTER (WHERE s = '3' AND b.k >= 0) FROM a JOIN b USING (k)", "SELECT count(a.j + a.k) FILTER (WHERE s = '3' AND b.k >= 0) FROM a JOIN b USING (k)"},
	} {
		s.run("SET trireme.backend = 'duckdb'")
		_, _, err := s.try(c.fails)
		var raised *sqlerr.Error
		if !errors.As(err, &raised) {
			t.Fatalf("%s: error %v, want one of SQLSTATE", c.fails, err)
		}
		for _, backend := range []string{"native", "decomposed"} {
			s.run("SET trireme.backend = '" + backend + "'")
			if _, _, err := s.try(c.fails); err == nil {
				t.Errorf("%s: %s answers, DuckDB raises %v", c.fails, backend, raised)
			}
		}
		s.run("SET trireme.backend = 'auto'")
		s.wantError(c.fails, raised.Code)
		s.equalsDuckDB(c.answers)
	}
}
