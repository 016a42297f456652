package engine

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// What a condition on the values of groups calculates stays in its type, as DuckDB's
// does, or DuckDB raises: a WHERE over groups, a FILTER, and a condition that reads a
// table as well.
func TestConditionsStayInType(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.choosesNative()
	s.run("CREATE TABLE a (g VARCHAR, m INTEGER)")
	s.run("CREATE TABLE b (m INTEGER)")
	s.run("INSERT INTO b VALUES (1)")
	groups := "(SELECT g, min(m) AS s FROM a GROUP BY g) r"
	statements := []string{
		"SELECT count(*) FROM " + groups + " WHERE r.s + r.s < 3",
		"SELECT count(*) FILTER (WHERE NOT (r.s * 2 BETWEEN 3 AND 9)) FROM " + groups,
		"SELECT count(*) FROM " + groups + ", b WHERE r.s + r.s > b.m OR r.s - b.m = 7",
		"SELECT count(*) FROM " + groups + " WHERE r.s + r.s IN (3, 2)",
	}
	s.run("INSERT INTO a VALUES ('x', 1), ('x', NULL), ('y', NULL)")
	for _, sql := range statements {
		s.run("SET trireme.backend = 'native'")
		if got, want := s.sorted(sql), s.duckSorted(sql); got != want {
			t.Errorf("%s\n%s, DuckDB %s", sql, got, want)
		}
	}
	s.run("INSERT INTO a VALUES ('z', 2147483647)")
	for _, sql := range statements {
		for _, backend := range []string{"native", "decomposed", "auto", "duckdb"} {
			s.run("SET trireme.backend = '" + backend + "'")
			_, _, err := s.try(sql)
			_, refused := refusal(err)
			forced := backend == "native" || backend == "decomposed" // which may refuse, or leave DuckDB all but a block
			if raised := err != nil && sqlerr.From(err).Code == sqlerr.NumericOutOfRange; !raised && !(forced && refused) {
				t.Errorf("%s: %s\nerror %v", backend, sql, err)
			}
		}
	}
}

// What DuckDB evaluates on the rows that an outer join pads may raise, though another
// operand is NULL there.
func TestPaddedOperandsRaise(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.choosesNative()
	s.run("CREATE TABLE a (k INTEGER, m BIGINT)")
	s.run("CREATE TABLE b (k INTEGER)")
	s.run("INSERT INTO b VALUES (1), (2)")
	s.run("INSERT INTO a VALUES (-1, -7), (1, 4)")
	statements := []string{
		"SELECT sum(abs(a.m) * b.k), count(*) FROM b FULL JOIN a ON b.k = a.k",
		"SELECT sum(abs(a.m) + 0 * b.k), count(*) FROM b RIGHT JOIN a ON b.k = a.k",
		"SELECT sum(coalesce((a.m - 1) * b.k, 3)), count(*) FROM a LEFT JOIN b ON b.k = a.k",
		"SELECT min(abs(a.m) * b.k) FILTER (WHERE a.k > 5), count(*) FROM b FULL JOIN a ON b.k = a.k",
		"SELECT sum(CASE WHEN abs(a.m) * b.k > 3 THEN 1 ELSE 0 END), count(*) FROM b FULL JOIN a ON b.k = a.k",
		"SELECT max(CASE WHEN b.k IS NULL THEN NULL ELSE -a.m END), count(*) FROM b FULL JOIN a ON b.k = a.k",
	}
	guarded := len(statements) - 1
	for _, sql := range statements {
		s.run("SET trireme.backend = 'native'")
		if got, want := s.sorted(sql), s.duckSorted(sql); got != want {
			t.Errorf("%s\n%s, DuckDB %s", sql, got, want)
		}
	}
	s.run("INSERT INTO a VALUES (-1, -9223372036854775808)")
	for _, sql := range statements[:guarded] {
		s.run("SET trireme.backend = 'native'")
		_, _, err := s.try(sql)
		if _, no := refusal(err); !no {
			t.Errorf("%s\nerror %v", sql, err)
		}
		s.run("SET trireme.backend = 'auto'")
		s.wantError(sql, sqlerr.NumericOutOfRange)
	}
	s.run("SET trireme.backend = 'native'")
	if got, want := s.sorted(statements[guarded]), s.duckSorted(statements[guarded]); got != want {
		t.Errorf("%s\n%s, DuckDB %s", statements[guarded], got, want)
	}
}

// TestPaddedTypes: an expression has the type that it has in the user's statement also
// where an outer join pads an operand: to DuckDB, x - NULL is a NULL of no type.
func TestPaddedTypes(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (k INTEGER, j DOUBLE, m DECIMAL(9,2), n BIGINT)")
	s.run("INSERT INTO a VALUES (2, 0.0, 1.00, 0), (0, -1.5, NULL, 0), (0, 0.25, NULL, 1), (0, -1.5, NULL, 0)")
	for _, expr := range []string{
		"least((q.n - p.m), 1)", "least((q.n - p.m) + 1, 1)", "least((q.n - p.m)::DECIMAL(12,3) * 2 - 1, 1)", "greatest(q.n - p.m, 1.0)", "coalesce(q.n - p.m, p.k)", "coalesce(p.j + q.n, q.n, p.k) + 1",
		"CASE WHEN (NOT (q.k = p.j) OR (p.j <> 3)) THEN (p.n * q.m) ELSE abs(q.k) END",
		"CASE WHEN p.n > q.n THEN q.n * p.m ELSE q.k END", "coalesce(p.j, q.k, p.n) / 2", "(coalesce(q.n - p.m, p.k) + 1)::VARCHAR",
	} {
		s.equalsDuckDB("SELECT count(*), " + expr + " FROM a p FULL JOIN a q ON p.k = q.j GROUP BY 2")
		s.equalsDuckDB("SELECT count(" + expr + "), max(" + expr + ") FROM a p FULL JOIN a q ON p.k = q.j")
		s.equalsDuckDB("SELECT typeof(x), count(*) FROM (SELECT count(*) AS n, " + expr + " AS x FROM a p LEFT JOIN a q ON p.k = q.j GROUP BY 2) GROUP BY 1")
	}
	// A derived table's constants are constants to DuckDB where they are loaded.
	for _, expr := range []string{"p.n + p.m + nullif(q.c, q.c)", "coalesce(p.n + p.m + nullif(q.c, q.c), 1)", "least(p.k * nullif(q.c, 7), p.m * q.c)", "(p.m + q.c)::VARCHAR", "(coalesce(p.m - nullif(q.c, q.c), p.k) + 1)::VARCHAR"} {
		s.equalsDuckDB("SELECT count(*), " + expr + " FROM a p FULL JOIN (SELECT j, 7 AS c FROM a WHERE k > 1) q ON p.k = q.j GROUP BY 2")
		s.equalsDuckDB("SELECT count(" + expr + "), max(" + expr + ") FROM a p FULL JOIN (SELECT j, 7 AS c FROM a) q ON p.k = q.j")
	}
	s.run("PREPARE p(INTEGER) AS SELECT p.k, (coalesce(p.m - $1, p.k) + 1)::VARCHAR, count(*) FROM a p JOIN a q ON p.k = q.k GROUP BY 1, 2")
	for _, arg := range []string{"NULL", "3"} {
		s.equalsDuckDB("EXECUTE p(" + arg + ")")
	}
	// What reads several tables is evaluated by DuckDB over their join, beside the NULLs.
	for _, expr := range []string{
		"coalesce(p.k * q.k, r.m * r.m)", "coalesce(p.k * q.k, (r.m * r.m)::DECIMAL(12,3) + 1)", "least(p.k * q.k, r.n - r.m)", "CASE WHEN p.k = q.k THEN r.n * r.m ELSE p.k * q.k END",
		"coalesce(p.k * q.n, r.j + 1)", "(p.k * q.k IS NOT NULL OR r.m * r.m > 1)",
	} {
		s.equalsDuckDB("SELECT count(*), " + expr + " FROM a r FULL JOIN (a p JOIN a q ON true) ON r.k = q.j GROUP BY 2")
		s.equalsDuckDB("SELECT count(" + expr + "), max(" + expr + ") FROM a r FULL JOIN (a p JOIN a q ON true) ON r.k = q.j")
		s.equalsDuckDB("SELECT count(*), " + expr + " FROM (SELECT k, j, m, n FROM a WHERE false) r FULL JOIN (a p JOIN a q ON true) ON r.m = q.j GROUP BY 2")
	}
}

// intervalTables are intervals that DuckDB's ARG_MIN and ARG_MAX put in another order
// than its MIN and MAX do.
func intervalTables(*rand.Rand) string {
	return `CREATE TABLE a (k INTEGER, v INTERVAL);
		INSERT INTO a VALUES (1, '720 hours'), (2, '1 month -30 days'), (3, '1 day -23 hours'), (4, '2 hours'), (5, '29 days'), (NULL, NULL)`
}

// TestExtremesByIntervals leaves to DuckDB which of two intervals ARG_MAX finds greater;
// intervals may be what it returns.
func TestExtremesByIntervals(t *testing.T) {
	compareOver(t, intervalTables, 1, 1, exactly("SELECT arg_max(v, k), arg_min(v, k), max(v), min(v) FROM a"))
	s := openSession(t, openEngine(t))
	s.choosesNative()
	for sql := range strings.SplitSeq(intervalTables(nil), ";") {
		s.run(sql)
	}
	for _, sql := range []string{"SELECT arg_max(k, v) FROM a", "SELECT max_by(k, v + v) FROM a", "SELECT count(*), min_by(v, v) FILTER (WHERE k > 1) FROM a"} {
		s.run("SET trireme.backend = 'native'")
		_, _, err := s.try(sql)
		if reason, no := refusal(err); !no || reason != "extreme by an INTERVAL" {
			t.Errorf("%s\nerror %v", sql, err)
		}
		s.run("SET trireme.backend = 'auto'")
		if got, want := s.sorted(sql), s.duckSorted(sql); got != want {
			t.Errorf("%s\n%s, DuckDB %s", sql, got, want)
		}
	}
}

// TestMomentsPastRange gives to DuckDB, which calculates in DOUBLE, the moments of
// integers whose exact sums need more than 128 bits.
func TestMomentsPastRange(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.choosesNative()
	s.run("CREATE TABLE a (m BIGINT)")
	s.run("INSERT INTO a VALUES (-9223372036854775808), (3)")
	sql := "SELECT stddev_pop(p.m) FROM a p JOIN a q ON true"
	for _, backend := range []string{"native", "decomposed"} {
		s.run("SET trireme.backend = '" + backend + "'")
		_, _, err := s.try(sql)
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code != sqlerr.FeatureNotSupported || e.Hint == "" {
			t.Errorf("%s: %v", backend, err)
		}
	}
	s.run("SET trireme.backend = 'auto'")
	if got, want := s.sorted(sql), s.duckSorted(sql); got != want {
		t.Errorf("%s, DuckDB %s", got, want)
	}
}

// A part that CASE or COALESCE keeps from raising is not evaluated on its own.
func TestGuardedPartsDoNotRaise(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (k INTEGER, s VARCHAR)")
	s.run("CREATE TABLE b (k INTEGER, s VARCHAR)")
	s.run("INSERT INTO a VALUES (1, '12'), (1, 'x'), (2, '7')")
	s.run("INSERT INTO b VALUES (1, '14'), (2, '9'), (2, 'zz')")
	for _, c := range []struct{ sql, want string }{
		{"SELECT sum(CASE WHEN a.s SIMILAR TO '[0-9]+' THEN levenshtein(b.s, (a.s::INTEGER + 1)::VARCHAR) END) FROM a JOIN b ON a.k = b.k", "4"},
		{"SELECT max(concat(coalesce(b.s, (a.s::INTEGER + 1)::VARCHAR), a.s)) FROM a JOIN b ON a.k = b.k", "zz7"},
	} {
		for _, backend := range []string{"duckdb", "native", "decomposed"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.want(c.sql, c.want)
		}
	}
}
