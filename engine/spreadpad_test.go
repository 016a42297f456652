package engine

import (
	"strings"
	"testing"
)

// TestSpreadOfPadding: what an expression makes of the NULLs that an outer join pads with
// counts for the bounds of a variance: where its square leaves DOUBLE, DuckDB raises.
func TestSpreadOfPadding(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t AS SELECT * FROM (VALUES (1, 'a', 2), (1, 'b', 3), (2, 'a', 5)) v(k, s, j)")
	s.run("CREATE TABLE b AS SELECT * FROM (VALUES (1, 1.0::DOUBLE), (9, 2.0)) v(k, x)")
	const joined = " FROM t LEFT JOIN b USING (k)"
	for _, sql := range []string{
		"SELECT stddev_pop(coalesce(b.x, 1e200))" + joined,
		"SELECT t.s, var_pop(coalesce(b.x, 1e200)), count(*)" + joined + " GROUP BY t.s",
		"SELECT max(v) FROM (SELECT t.s, stddev_pop(coalesce(b.x, 1e200)) AS v" + joined + " GROUP BY t.s)",
		"SELECT t.s, corr(coalesce(b.x, 1e200), t.j)" + joined + " GROUP BY t.s",
		"SELECT var_samp(CASE WHEN b.x IS NULL THEN -1e200 ELSE b.x END)" + joined,
	} {
		for backend, code := range map[string]string{"duckdb": "22003", "auto": "22003", "native": "0A000", "decomposed": "0A000"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.wantError(sql, code)
		}
	}
	for _, x := range []string{"coalesce(b.x, 3)", "coalesce(b.x, -0.5)", "CASE WHEN b.x IS NULL THEN 7 ELSE b.x END", "round(coalesce(b.x, 2.5))"} {
		s.equalsDuckDB(strings.ReplaceAll("SELECT t.s, round(var_pop(X), 6), round(stddev_samp(X), 6)"+joined+" GROUP BY t.s", "X", x))
	}
}
