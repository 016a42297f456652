package engine

import (
	"strings"
	"testing"
)

// repeatedCases are aggregates that have no tensor, over as many rows as a block has
// counted.
func repeatedCases() []aggregateCase {
	return append(exactly(
		"SELECT a.g, median(b.x), count(*) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT median(a.x + b.x), sum(b.x), count(DISTINCT a.s), quantile_cont(b.x, 0.25), quantile_disc(a.s, 0.5), mad(a.m) FROM a JOIN b USING (k)",
		"SELECT a.g AS grp, string_agg(a.s, ',' ORDER BY a.s), list(b.x ORDER BY b.x DESC NULLS LAST) FROM a LEFT JOIN b USING (k) GROUP BY grp HAVING count(*) > 1 AND median(a.x) > -3",
		"SELECT a.g + 1 AS h, median(a.g + 1), histogram(b.x), approx_count_distinct(a.t) FROM a JOIN b USING (k) GROUP BY a.g + 1",
		"SELECT a.g, median(b.x) FILTER (WHERE a.f), quantile_cont(a.y, [0.1, 0.9]), count(*) FILTER (WHERE b.x > 0) FROM a JOIN b USING (k) GROUP BY 1",
		"SELECT q.m, count(*) FROM (SELECT a.g, median(b.x) AS m FROM a JOIN b USING (k) GROUP BY a.g) q JOIN c ON c.k = q.g GROUP BY q.m",
		"SELECT a.g, a.s, list(DISTINCT b.s ORDER BY b.s), min(b.x), max(a.t), bool_or(a.f) FROM a JOIN b ON a.k = b.k AND a.x > b.x GROUP BY a.g, a.s",
		"SELECT upper(a.s) AS u, median(length(b.s)) + 1 AS m FROM a JOIN b USING (k) GROUP BY u ORDER BY m DESC NULLS LAST, u LIMIT 2",
		"SELECT DISTINCT median(b.x) FROM a JOIN b USING (k) WHERE EXISTS (SELECT 1 FROM c WHERE c.k = a.k) GROUP BY a.g",
		"WITH j AS (SELECT a.g, b.x FROM a JOIN b USING (k)) SELECT g, median(x), mad(x) FROM j GROUP BY g",
	), about(
		"SELECT a.g, fsum(a.d), favg(b.d), stddev(b.d), median(a.d * b.d) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT skewness(a.d), kurtosis(b.d), entropy(a.s) FROM a JOIN b USING (k)",
	)...)
}

func TestRepeatedRows(t *testing.T) { compareCases(t, 31, 6, repeatedCases()) }

// TestNotRepeated: what depends on the order of rows, or shows one of several equal
// values, is refused.
func TestNotRepeated(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (k INTEGER, g INTEGER, s VARCHAR, d DOUBLE, i INTERVAL)")
	s.run("SET trireme.backend = 'native'")
	for _, list := range []string{
		"string_agg(x.s, ',')", "string_agg(x.s, ',' ORDER BY y.k)", "list(y.s)", "list(DISTINCT x.s)", "mode(x.s)",
		"first(x.s), median(y.k)", "list(x.d ORDER BY x.d)", "median(x.i)", "approx_quantile(x.d, 0.5)", "reservoir_quantile(x.d, 0.5)",
		"median(y.k), arg_max(x.s, y.k)", "list(x.s ORDER BY x.s, y.s)", "median(y.k), any_value(x.s)",
	} {
		e := s.wantError("SELECT x.g, "+list+" FROM a x JOIN a y USING (k) GROUP BY x.g", "0A000")
		if !strings.Contains(e.Message, "cannot answer this statement") {
			t.Errorf("%s: %s", list, e.Message)
		}
	}
	s.run("SET trireme.backend = 'auto'")
	s.run("SELECT x.g, median(y.k) FROM a x JOIN a y USING (k) GROUP BY x.g")
	if by := s.LastBackend(); by != "duckdb" {
		t.Errorf("auto answers on %s", by)
	}
}
