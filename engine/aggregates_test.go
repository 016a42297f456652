package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
)

// aggregateTables fills three small tables with random rows: many NULLs, few
// different keys, every type of measure.
func aggregateTables(rng *rand.Rand) string {
	orNull := func(text string) string {
		if rng.IntN(5) == 0 {
			return "NULL"
		}
		return text
	}
	integer := func(n int) string { return orNull(fmt.Sprint(rng.IntN(2*n+1) - n)) }
	var b strings.Builder
	b.WriteString("CREATE TABLE a (k INTEGER, g INTEGER, x INTEGER, y BIGINT, d DOUBLE, m DECIMAL(9,2), s VARCHAR, t DATE, f BOOLEAN);\n")
	b.WriteString("CREATE TABLE b (k INTEGER, h INTEGER, x INTEGER, d DOUBLE, s VARCHAR);\n")
	b.WriteString("CREATE TABLE c (k INTEGER, y INTEGER);\n")
	for range rng.IntN(14) {
		fmt.Fprintf(&b, "INSERT INTO a VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s);\n", integer(2), integer(1), integer(5), integer(4),
			orNull(fmt.Sprint(float64(rng.IntN(33)-16)/4)), orNull(fmt.Sprintf("%d.%02d", rng.IntN(9)-4, rng.IntN(3)*25)),
			orNull(fmt.Sprintf("'%c'", 'p'+rng.IntN(4))), orNull(fmt.Sprintf("DATE '2024-01-0%d'", 1+rng.IntN(5))), orNull(fmt.Sprint(rng.IntN(2) == 0)))
	}
	for range rng.IntN(10) {
		fmt.Fprintf(&b, "INSERT INTO b VALUES (%s, %s, %s, %s, %s);\n", integer(2), integer(1), integer(3),
			orNull(fmt.Sprint(float64(rng.IntN(17)-8)/4)), orNull(fmt.Sprintf("'%c'", 'p'+rng.IntN(4))))
	}
	for range rng.IntN(6) {
		fmt.Fprintf(&b, "INSERT INTO c VALUES (%s, %s);\n", integer(2), integer(3))
	}
	return b.String()
}

// aggregateCase is a statement over aggregateTables that native must answer.
type aggregateCase struct {
	sql string
	// tolerance is set where the order of additions shows.
	tolerance float64
}

func exactly(statements ...string) []aggregateCase {
	out := make([]aggregateCase, len(statements))
	for i, s := range statements {
		out[i] = aggregateCase{sql: s}
	}
	return out
}

// distinctCases are DISTINCT aggregates, alone, beside others, over joins and
// over derived tables.
func distinctCases() []aggregateCase {
	return exactly(
		"SELECT count(DISTINCT x) FROM a",
		"SELECT a.g, count(DISTINCT b.x) FILTER (WHERE b.d > 0), count(DISTINCT b.x) FILTER (WHERE b.d < 0), count(*) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT g, count(DISTINCT x) FROM a GROUP BY g",
		"SELECT g, count(DISTINCT x), sum(DISTINCT x), avg(DISTINCT x) FROM a GROUP BY g",
		"SELECT g, count(*), count(DISTINCT s), sum(x), min(s) FROM a GROUP BY g",
		"SELECT a.g, count(DISTINCT b.x), count(DISTINCT a.y), count(*) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT count(DISTINCT a.s), sum(DISTINCT b.x), count(*) FROM a JOIN b USING (k)",
		"SELECT a.g, b.h, sum(DISTINCT a.m), avg(DISTINCT a.d), sum(DISTINCT b.d) FROM a JOIN b ON a.k = b.k GROUP BY a.g, b.h",
		"SELECT a.g, count(DISTINCT a.x + a.y), min(DISTINCT b.s) FROM a, b, c WHERE a.k = b.k AND b.k = c.k AND c.y > 0 GROUP BY a.g",
		"SELECT a.g, count(DISTINCT a.t), max(a.t) FROM a, b WHERE a.k = b.k AND a.x < b.x GROUP BY a.g",
		"SELECT a.g, count(DISTINCT a.g) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT a.g, count(DISTINCT b.x) n FROM a JOIN b USING (k) GROUP BY a.g HAVING count(DISTINCT b.x) > 1 ORDER BY n, a.g",
		"SELECT sum(q.n), count(*) FROM (SELECT g, count(DISTINCT x) n, count(*) c FROM a GROUP BY g) q",
		"SELECT b.h, sum(q.n), max(q.w) FROM (SELECT k, count(DISTINCT x) n, sum(y) w FROM a GROUP BY k) q JOIN b USING (k) GROUP BY b.h",
		"SELECT q.g, count(DISTINCT q.n), count(DISTINCT b.h) FROM (SELECT k, g, count(*) n FROM a GROUP BY k, g) q JOIN b USING (k) GROUP BY q.g",
		"SELECT count(DISTINCT q.k) FROM (SELECT k, count(*) n FROM a GROUP BY k HAVING count(*) > 1) q JOIN b USING (k)",
		"SELECT q.k, count(DISTINCT b.x), count(*) FROM (SELECT k, sum(x) n FROM a GROUP BY k) q JOIN b USING (k) WHERE q.n > 0 GROUP BY q.k",
		"SELECT q.n, q.n - b.x AS age, count(DISTINCT b.k) FROM (SELECT k, min(x) AS n FROM a GROUP BY k) q JOIN b USING (k) GROUP BY 1, 2",
	)
}

// compareCases runs every statement over many random tables on all backends.
func compareCases(t *testing.T, seed uint64, rounds int, cases []aggregateCase) {
	t.Helper()
	compareOver(t, aggregateTables, seed, rounds, cases)
}

// compareOver is compareCases over other tables.
func compareOver(t *testing.T, tables func(*rand.Rand) string, seed uint64, rounds int, cases []aggregateCase) {
	t.Helper()
	r := newRig(t)
	full := make([]int, len(cases))
	for n := range rounds {
		schema := tables(rand.New(rand.NewPCG(seed, uint64(n))))
		r.dropTables()
		r.script(schema)
		for i, c := range cases {
			want, err := r.want(c.sql, nil)
			if err != nil {
				t.Fatalf("oracle: %v\n%s", err, c.sql)
			}
			refused, err := r.compareAll(c.sql, nil, want, difftest.CompareOptions{ToleranceAbs: c.tolerance})
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, schema, c.sql)
			}
			if refused != "" {
				t.Errorf("%s\nrefused: %s", c.sql, refused)
			}
			full[i] += len(want.Rows)
		}
		if t.Failed() {
			return
		}
	}
	for i, c := range cases {
		if full[i] == 0 {
			t.Errorf("no round had a row for\n%s", c.sql)
		}
	}
}

func TestDistinctAggregates(t *testing.T) { compareCases(t, 11, 6, distinctCases()) }

// about are statements whose answers agree to a relative few last bits.
func about(statements ...string) []aggregateCase {
	out := exactly(statements...)
	for i := range out {
		out[i].tolerance = 1e-9
	}
	return out
}

// momentCases are variances, covariances and regressions over exact types.
func momentCases() []aggregateCase {
	return about(
		"SELECT var_pop(x), var_samp(x), variance(x), stddev(x), stddev_pop(x), stddev_samp(x) FROM a",
		"SELECT g, var_pop(x), var_samp(m), stddev(y), count(*), sum(x) FROM a GROUP BY g",
		"SELECT a.g, var_pop(a.x), var_samp(b.x), stddev_pop(a.m) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT a.g, var_pop(a.x * b.x), var_samp(a.x + b.x), stddev(a.m - b.x) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT a.g, covar_pop(a.x, b.x), covar_samp(a.m, b.x), corr(a.x, b.x), corr(a.y, a.x) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT g, regr_slope(x, y), regr_intercept(x, m), regr_r2(m, x), regr_count(x, y), regr_avgx(x, m), regr_avgy(x, m) FROM a GROUP BY g",
		"SELECT a.g, regr_sxx(a.x, b.x), regr_syy(a.m, b.x), regr_sxy(a.m, b.x), regr_slope(b.x, a.m), regr_intercept(a.m, b.x) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT regr_slope(a.x, b.x), corr(a.x, c.y), regr_r2(a.x, c.y), regr_count(a.x, c.y) FROM a, b, c WHERE a.k = b.k AND b.k = c.k",
		"SELECT a.g, var_samp(DISTINCT b.x), count(DISTINCT b.x), stddev(b.x) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT var_pop(q.n), corr(q.n, q.w) FROM (SELECT k, count(*) n, sum(x) w FROM a GROUP BY k) q",
		"SELECT b.h, stddev(q.n * b.x) FROM (SELECT k, count(*) n FROM a GROUP BY k) q JOIN b USING (k) GROUP BY b.h",
		"SELECT max(q.v) FROM (SELECT k, var_pop(x) v FROM a GROUP BY k) q",
		"SELECT a.g, covar_pop(abs(a.x - b.x), c.y) FROM a, b, c WHERE a.k = b.k AND b.k = c.k GROUP BY a.g",
		"SELECT g, covar_pop(m, x), covar_pop(x, m), covar_samp(x, m) FROM a GROUP BY g",
	)
}

// spreadCases are the same over DOUBLE, whose means are taken first.
func spreadCases() []aggregateCase {
	return about(
		"SELECT var_pop(d), var_samp(d), stddev(d), corr(d, x), covar_pop(x, d) FROM a",
		"SELECT g, var_pop(d), stddev_samp(d), count(*), sum(x), var_samp(x) FROM a GROUP BY g",
		"SELECT a.g, var_pop(a.d), var_samp(b.d), corr(a.d, b.d), covar_samp(b.d, a.m) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT a.g, b.h, regr_slope(a.d, b.d), regr_intercept(a.d, b.x), regr_r2(a.d, b.d), regr_sxx(a.d, b.d), regr_syy(a.d, b.d), regr_sxy(a.x, b.d) FROM a JOIN b USING (k) GROUP BY a.g, b.h",
		"SELECT a.g, var_pop(a.d * b.d), stddev(a.d - b.x) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT a.g, var_pop(a.d) FILTER (WHERE b.x > 0), count(DISTINCT a.d), var_pop(DISTINCT a.d), regr_count(a.d, b.d), regr_avgx(a.d, b.d) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT stddev(q.s), corr(q.s, q.n) FROM (SELECT k, count(*) n, sum(d) s FROM a GROUP BY k) q",
		"SELECT b.h, stddev_pop(q.s) FROM (SELECT k, count(*) n, sum(d) s FROM a GROUP BY k) q JOIN b USING (k) GROUP BY b.h",
	)
}

func TestSpreads(t *testing.T) { compareCases(t, 16, 6, spreadCases()) }

func TestMoments(t *testing.T) { compareCases(t, 12, 6, momentCases()) }

// otherNameCases are aggregates that are others under another name.
func otherNameCases() []aggregateCase {
	return exactly(
		"SELECT g, bool_and(f), bool_or(f), bool_or(x > 1), bool_and(s LIKE 'p%') FROM a GROUP BY g",
		"SELECT bool_and(a.f), bool_or(b.x > 1), mean(a.x) FROM a JOIN b USING (k)",
		"SELECT g, any_value(g), min(f), max(t), min(t), max(s), min(m), max(m) FROM a GROUP BY g",
		"SELECT a.g, bool_or(DISTINCT b.x > 0), count(DISTINCT b.x > 0) FROM a JOIN b USING (k) GROUP BY a.g",
	)
}

func TestOtherNames(t *testing.T) { compareCases(t, 13, 4, otherNameCases()) }

// expressionCases are expressions over several tables, and around and between
// nested aggregates.
func expressionCases() []aggregateCase {
	const joined = " FROM a JOIN b ON a.k = b.k"
	const nested = " FROM (SELECT k, count(*) n, sum(x) s, avg(x) m, min(x) l, max(m) h, sum(d) d FROM a GROUP BY k) q"
	return append(exactly(
		"SELECT a.g, sum(CASE WHEN a.x > b.x THEN a.x ELSE b.x END), count(CASE WHEN a.x = b.x THEN 1 END)"+joined+" GROUP BY a.g",
		"SELECT sum(CASE WHEN a.x > b.x AND NOT a.f OR b.s IS NULL THEN a.m WHEN a.x IS NULL THEN 2 END)"+joined,
		"SELECT min(coalesce(a.x, b.x)), max(coalesce(b.x, a.y, 7)), count(coalesce(a.x, b.x)), sum(coalesce(a.x, b.x, 0))"+joined,
		"SELECT sum(nullif(a.x, b.x)), count(nullif(a.x, b.x)), sum(greatest(a.x, b.x)), min(least(a.x, b.x, a.y))"+joined,
		"SELECT a.g, bool_and(a.x > b.x), bool_or(a.x = b.x OR a.f), bool_or(a.x IS DISTINCT FROM b.x)"+joined+" GROUP BY a.g",
		"SELECT sum(divide(a.x, b.x)), sum(a.x % b.x), count(divide(a.x, b.x)), max(a.y % b.x)"+joined,
		"SELECT min(a.x / b.x), max(a.d / b.d), count(a.x / b.x)"+joined,
		"SELECT max(floor(a.d * b.d)), min(round(a.d + b.d)), max(ceil(a.d - b.x)), max(trunc(a.x * b.d))"+joined,
		"SELECT sum(sign(a.x - b.x)), sum(abs(a.d - b.d)), max(sqrt(abs(a.d * b.d)))"+joined,
		"SELECT sum(CASE a.x WHEN b.x THEN 10 WHEN b.h THEN 20 ELSE 30 END), sum(a.x BETWEEN b.x AND b.h)::HUGEINT"+joined,
		"SELECT count(CASE WHEN a.x IN (b.x, b.h, 3) THEN 1 END), count(CASE WHEN a.x NOT IN (b.x, b.h) THEN 1 END)"+joined,
		"SELECT sum(CASE WHEN a.m > b.x THEN a.m - b.x ELSE 0 END), sum(CASE WHEN a.d < b.x THEN a.d END)"+joined,
		"SELECT max(q.m), min(q.m), sum(q.n * q.l) "+nested,
		"SELECT count(*), sum(q.n)"+nested+" WHERE q.s > q.m",
		"SELECT count(*)"+nested+" WHERE CASE WHEN q.n > 2 THEN q.s ELSE q.l END >= 0 OR q.h = q.l",
		"SELECT sum(CASE WHEN q.s > q.n THEN 1 ELSE 0 END), count(nullif(q.s, 0)), max(coalesce(q.s, -1))"+nested,
		"SELECT b.h, max(q.s / q.n), min(q.m - b.x), sum(CASE WHEN q.m > b.x THEN 1 END)"+nested+" JOIN b USING (k) GROUP BY b.h",
		"SELECT count(*) FROM (SELECT k, avg(x) m FROM a GROUP BY k HAVING avg(x) > 0 AND count(*) >= 1) q JOIN b USING (k)",
		"SELECT max(r.z) FROM (SELECT b.h, max(divide(q.s, q.n)) z"+nested+" JOIN b USING (k) GROUP BY b.h) r",
		"SELECT sum(q.s % 3), sum(divide(q.s, 2)), min(abs(q.s) - q.n), max(greatest(q.s, q.l, 0))"+nested,
		"SELECT sum(CASE WHEN a.t > DATE '2024-01-02' AND b.x > 0 THEN 1 ELSE 0 END), min(CASE WHEN a.f THEN b.x END)"+joined,
	), about(
		"SELECT sum(exp(a.d - b.d)), sum(sin(a.d * b.x)), avg(cos(a.x + b.x)), sum(power(a.x, 2) * b.d), sum(atan(a.d + b.d))"+joined,
		"SELECT a.g, avg(a.x / (1 + abs(b.x))), sum(round(a.d * b.d, 1)), sum(CASE WHEN a.x > b.x THEN exp(a.d * b.d) END)"+joined+" GROUP BY a.g",
		"SELECT sum(q.m), avg(q.m * q.n), sum(ln(1 + q.n)), var_pop(q.n)"+nested,
		"SELECT b.h, sum(1 / (1 + exp(-(q.d * b.d))))"+nested+" JOIN b USING (k) GROUP BY b.h",
		"SELECT var_pop(CASE WHEN a.x > b.x THEN a.x ELSE b.x END)"+joined,
		"SELECT a.g, sum(sqrt(abs(b.d))), count(*), sum(sqrt(abs(a.y)))"+joined+" WHERE a.x + b.x <> 1 GROUP BY a.g",
		"SELECT b.h, sum(ln(1 + abs(a.y))), avg(sqrt(abs(b.d * 2)))"+joined+" WHERE a.x * b.x > 1 OR a.x + b.h <= 0 GROUP BY b.h",
	)...)
}

func TestExpressions(t *testing.T) { compareCases(t, 14, 6, expressionCases()) }

// extremeCases are ARG_MIN and ARG_MAX where no two rows of a group have the
// extreme and different arguments.
func extremeCases() []aggregateCase {
	return exactly(
		"SELECT g, arg_max(x, x), arg_min(t, t), arg_max(f, f) FROM a GROUP BY g",
		"SELECT a.g, arg_max(b.x, b.x), count(*), arg_min(a.x * 2, a.x) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT arg_max(a.d, a.d), arg_min(a.m, a.m) FILTER (WHERE b.x > 0) FROM a JOIN b USING (k)",
		"SELECT max_by(q.k, q.k), min_by(q.n, q.n) FROM (SELECT k, count(*) n FROM a GROUP BY k) q",
		"SELECT g, arg_max(CASE WHEN x > 0 THEN x END, x), arg_min(coalesce(x, 0), x) FROM a GROUP BY g",
	)
}

func TestArgumentsOfExtremes(t *testing.T) { compareCases(t, 17, 6, extremeCases()) }

// filterCases are aggregates with FILTER, over one table, others and several.
func filterCases() []aggregateCase {
	const joined = " FROM a JOIN b ON a.k = b.k"
	return exactly(
		"SELECT g, count(*) FILTER (WHERE x > 0), sum(x) FILTER (WHERE f), count(*), min(s) FILTER (WHERE x IS NULL) FROM a GROUP BY g",
		"SELECT a.g, count(*) FILTER (WHERE a.x > 0), sum(a.x) FILTER (WHERE b.x > 0), avg(b.x) FILTER (WHERE a.f AND b.h = 0)"+joined+" GROUP BY a.g",
		"SELECT sum(a.x * b.x) FILTER (WHERE a.f), max(a.x - b.x) FILTER (WHERE b.h >= 0), max(a.s) FILTER (WHERE b.x > 0), sum(a.x + b.x) FILTER (WHERE c.y > 0) FROM a, b, c WHERE a.k = b.k AND b.k = c.k",
		"SELECT count(*) FILTER (WHERE a.x > b.x), sum(a.x) FILTER (WHERE a.x <> b.x AND a.f)"+joined,
		"SELECT a.g, count(DISTINCT b.x) FILTER (WHERE a.f), sum(DISTINCT a.x) FILTER (WHERE a.x > 0), count(DISTINCT a.x) FILTER (WHERE b.h = 1)"+joined+" GROUP BY a.g",
		"SELECT count(*) FILTER (WHERE q.n > 1), sum(q.s) FILTER (WHERE q.n > 1 AND q.s > 0) FROM (SELECT k, count(*) n, sum(x) s FROM a GROUP BY k) q",
		"SELECT b.h, sum(q.s) FILTER (WHERE b.x > 0), count(*) FILTER (WHERE q.s > b.x), sum(b.x) FILTER (WHERE q.n = 1) FROM (SELECT k, count(*) n, sum(x) s FROM a GROUP BY k) q JOIN b USING (k) GROUP BY b.h",
		"SELECT bool_or(b.x > 0) FILTER (WHERE a.f), any_value(a.g) FILTER (WHERE a.g = 1), count(*) FILTER (WHERE true), sum(1) FILTER (WHERE a.f)"+joined,
		"SELECT sum(CASE WHEN a.x > b.x THEN 1 ELSE 0 END) FILTER (WHERE a.f), count(coalesce(a.x, b.x)) FILTER (WHERE b.h = 0), min(coalesce(b.x, a.y)) FILTER (WHERE c.y > 0) FROM a, b, c WHERE a.k = b.k AND b.k = c.k",
		"SELECT g, count(*) FILTER (WHERE x > 100), sum(x) FILTER (WHERE x > 100), count_if(x > 0), count_if(f) FILTER (WHERE x > 0) FROM a GROUP BY g",
	)
}

func TestFilters(t *testing.T) { compareCases(t, 15, 6, filterCases()) }

// TestFiltersOfInfiniteValues: a row that a FILTER of another table drops adds
// nothing, though an infinity times its count of 0 is NaN.
func TestFiltersOfInfiniteValues(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (k INTEGER, d DOUBLE)")
	s.run("INSERT INTO a VALUES (1, 'inf'), (2, 1), (3, '-inf'), (4, NULL), (2, 'nan')")
	s.run("CREATE TABLE b (k INTEGER, x INTEGER)")
	s.run("INSERT INTO b VALUES (1, 1), (2, 0), (2, 3), (3, 0), (1, NULL)")
	for _, sql := range []string{
		"SELECT a.k, sum(a.d) FILTER (WHERE b.x > 0) FROM a, b WHERE b.k < 2 OR b.k < a.k GROUP BY a.k",
		"SELECT a.k, sum(a.d) FILTER (WHERE b.x > 0), avg(a.d) FILTER (WHERE b.x = 0) FROM a JOIN b ON a.k = b.k GROUP BY a.k",
		"SELECT b.k, sum(a.d) FILTER (WHERE b.x > 0 AND a.k < 2), sum(a.d + 1) FILTER (WHERE b.x = 0) FROM a, b GROUP BY b.k",
		"SELECT sum(a.d * b.x) FILTER (WHERE c.x > 0), sum(coalesce(a.d, b.x)) FILTER (WHERE c.x > 0), sum(CASE WHEN a.k > b.k THEN a.d END) FILTER (WHERE c.x IS NULL) FROM a JOIN b USING (k) JOIN b c ON c.k = b.k",
	} {
		s.equalsDuckDB(sql)
	}
}

// Large values close to each other: their squares would cancel.
func TestSpreadOfLargeValues(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE v AS SELECT i % 2 AS k, 1e9 + i AS d, 1000000000 + i AS x FROM range(6) r(i)")
	s.run("CREATE TABLE w AS SELECT 0 AS k UNION ALL SELECT 1")
	s.run("SET trireme.backend = 'native'")
	const sql = "SELECT round(var_pop(v.d), 12), round(var_pop(v.x), 12), round(corr(v.d, v.x), 12) FROM v JOIN w ON v.k = w.k WHERE v.k = 0"
	s.want(sql, "2.666666666667|2.666666666667|1")
}

// TestSignOfZero: MIN, MAX and ANY_VALUE of values that are all -0 are -0, whichever
// loops answer. Of -0 and 0, which are equal, either may be shown.
func TestSignOfZero(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a AS SELECT i % 40 AS k, i % 3 AS g, '-0'::DOUBLE AS d, 0.25::FLOAT AS j, i AS n FROM range(4000) r(i)")
	s.run("CREATE TABLE b AS SELECT i % 50 AS k, -1.5::FLOAT AS m, 1 AS one FROM range(100) r(i)")
	for _, of := range []string{"d", "round(j - 0.5)", "-1 * d * -1", "d * n", "d / one", "CASE WHEN n >= 0 THEN d END"} {
		for _, more := range []string{"", ", sum(d)", ", count(m)", ", max(" + of + ")::VARCHAR", ", any_value(" + of + ")::VARCHAR"} {
			aggregates := "min(" + of + ")::VARCHAR" + more
			s.equalsDuckDB("SELECT " + aggregates + " FROM a JOIN b USING (k)")
			s.equalsDuckDB("SELECT k, " + aggregates + " FROM a JOIN b USING (k) GROUP BY k")
			s.equalsDuckDB("SELECT g, " + aggregates + " FROM a JOIN b USING (k) GROUP BY g")
			s.equalsDuckDB("SELECT b.k, " + aggregates + " FROM a JOIN b ON a.g = b.k GROUP BY b.k")
		}
	}
	s.equalsDuckDB("SELECT k, min(round(j * m))::VARCHAR, max(d * one)::VARCHAR FROM a JOIN b USING (k) GROUP BY k")
	s.equalsDuckDB("SELECT min(round(j * m))::VARCHAR, min(least(d, one))::VARCHAR FROM a JOIN b USING (k)")
}
