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

// besideCases are statements with a split SELECT that keeps queries, which are blocks too;
// blocks is how many have a program.
func besideCases() []struct {
	sql    string
	blocks int
} {
	return []struct {
		sql    string
		blocks int
	}{
		{"SELECT (SELECT count(*) FROM b JOIN c USING (k)) AS n, list(x ORDER BY x) FROM a", 2},
		{"SELECT g, median(y), (SELECT sum(b.x) FROM b JOIN c USING (k)) + count(*) FROM a GROUP BY g HAVING count(*) > (SELECT min(k) FROM b WHERE x > 0)", 3},
		{"SELECT g, row_number() OVER (ORDER BY g), (SELECT max(b.x) FROM b JOIN c USING (k)) FROM a GROUP BY g", 2},
		{"SELECT g, rank() OVER (ORDER BY sum(x)) FROM a GROUP BY g QUALIFY count(*) OVER () > (SELECT count(*) - 3 FROM b WHERE k = 1) ORDER BY g", 2},
		{"WITH j AS (SELECT k, sum(x) AS s FROM b GROUP BY k) SELECT (SELECT max(s) FROM j), list(x ORDER BY x) FROM a", 2},
		{"SELECT list(x ORDER BY x), (SELECT list(s ORDER BY s)::VARCHAR || (SELECT count(*) FROM c) FROM b) FROM a", 3},
		// DuckDB makes the rows of q, which the program of the subquery loads
		{"SELECT (SELECT max(q.m) FROM (SELECT h, median(x) AS m, (SELECT min(y) FROM c) AS l FROM b GROUP BY h) q), list(k ORDER BY k) FROM a", 2},
		{"SELECT list(a.x ORDER BY a.x), (SELECT count(*) FROM b WHERE b.x = 1 AND (SELECT count(*) FROM c WHERE c.k = b.k) > 0) FROM a", 2},
		{"SELECT (WITH RECURSIVE r(k) AS (SELECT 0 UNION SELECT b.h FROM r JOIN b ON b.k = r.k) SELECT count(*) FROM r), string_agg(s, ',' ORDER BY s) FROM a", 2},
	}
}

// TestBlocksBesideSplitOnes: what is left of a SELECT that is split has blocks of its own.
func TestBlocksBesideSplitOnes(t *testing.T) {
	var all []string
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a AS SELECT i AS k, i % 3 AS g, i % 4 AS x, i AS y, 's' || i % 5 AS s FROM range(9) v(i)")
	s.run("CREATE TABLE b AS SELECT i % 5 AS k, i % 3 AS h, i % 4 AS x, 'b' || i % 2 AS s FROM range(9) v(i)")
	s.run("CREATE TABLE c AS SELECT i % 4 AS k, i AS y FROM range(7) v(i)")
	s.run("SET trireme.backend = 'native'")
	for _, c := range besideCases() {
		all = append(all, c.sql)
		plan := s.run("EXPLAIN ANALYZE " + c.sql)
		if n := strings.Count(plan, "TENSOR PROGRAM"); n != c.blocks {
			t.Errorf("%s: %d programs, want %d:\n%s", c.sql, n, c.blocks, plan)
		}
	}
	compareCases(t, 33, 6, exactly(all...))
}

func TestRepeatedRows(t *testing.T) { compareCases(t, 31, 6, repeatedCases()) }

// TestNotRepeated: what depends on the order of rows, or shows one of several equal
// values, is refused.
func TestNotRepeated(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (k INTEGER, g INTEGER, s VARCHAR, d DOUBLE, i INTERVAL)")
	s.run("INSERT INTO a VALUES (1, 1, 'x', 0, NULL), (1, 1, 'y', 0, NULL)")
	s.run("SET trireme.backend = 'native'")
	for _, list := range []string{
		"string_agg(x.s, ',')", "string_agg(x.s, ',' ORDER BY y.k)", "list(y.s)", "list(DISTINCT x.s)", "mode(x.s)",
		"first(x.s), median(y.k)", "last(y.s ORDER BY x.k)", "list(x.d ORDER BY x.d)", "median(x.i)", "approx_quantile(x.d, 0.5)", "reservoir_quantile(x.d, 0.5)",
		"median(y.k), arg_max(x.s, y.k)", "median(y.k), any_value(x.s)",
	} {
		e := s.wantError("SELECT x.g, "+list+" FROM a x JOIN a y USING (k) GROUP BY x.g", "0A000")
		if !strings.Contains(e.Message, "cannot answer this statement") {
			t.Errorf("%s: %s", list, e.Message)
		}
	}
}
