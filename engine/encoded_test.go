package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// typedTables fills two tables with columns whose order or equality is not that of
// their texts: the values of the ENUM are not in the order of the alphabet, some
// UHUGEINTs have more digits than others, and INTERVALs are equal that are written
// in other units.
func typedTables(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("DROP TYPE IF EXISTS mood;\nCREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'angry');\n")
	orNull := func(list ...string) string {
		if rng.IntN(5) == 0 {
			return "NULL"
		}
		return list[rng.IntN(len(list))]
	}
	for _, table := range []string{"u", "v"} {
		fmt.Fprintf(&b, "CREATE TABLE %s (k INTEGER, g INTEGER, e mood, id UUID, l BLOB, i INTERVAL, o INTERVAL, z TIMETZ, h UHUGEINT, f FLOAT, b BIT, w UBIGINT, y TINYINT);\n", table)
		for range 3 + rng.IntN(12) {
			fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s);\n", table, orNull("0", "1", "2"), orNull("1", "2"),
				orNull("'sad'", "'ok'", "'happy'", "'angry'"),
				orNull("'00000000-0000-0000-0000-000000000001'", "'f0000000-0000-0000-0000-000000000001'", "'7fffffff-0000-0000-0000-000000000001'"),
				orNull(`'\x00\xFF'`, `'\x80'`, "'a'", "''"),
				orNull("INTERVAL '30 days'", "INTERVAL '1 month'", "INTERVAL '29 days'", "INTERVAL '-1 day'"),
				orNull("INTERVAL '45 days'", "INTERVAL '2 years'", "INTERVAL '90 minutes'", "INTERVAL '-3 days'", "INTERVAL '-14 months'"),
				orNull("'12:00:00+00'", "'13:00:00+01'", "'09:00:00-05'"),
				orNull("9", "10", "340282366920938463463374607431768211455"), orNull("0.1", "-2.5", "1e30"),
				orNull("'010'", "'10'", "'1'"), orNull("18446744073709551615", "1", "0", "7"), orNull("-128", "-1", "0", "5", "127"))
		}
	}
	return b.String()
}

// encodedCases are statements over typedTables.
func encodedCases() []aggregateCase {
	return exactly(
		"SELECT g, min(e), max(e), min(id), max(id), min(l), max(l) FROM u GROUP BY g",
		"SELECT u.g, min(u.e) m, max(v.e), count(*) FROM u JOIN v USING (k) GROUP BY u.g HAVING min(u.e) > 'ok'::mood ORDER BY m, u.g",
		"SELECT q.m, count(*) FROM (SELECT k, min(e) m FROM u GROUP BY k) q JOIN v USING (k) GROUP BY q.m",
		"SELECT u.g, count(*) FROM u JOIN v USING (k) WHERE u.e < 'happy'::mood AND v.e <> CAST('ok' AS Mood) GROUP BY u.g",
		`SELECT coalesce(u.e, 'ok'::"mood"), count(*), max(coalesce(v.e, 'sad'::mood)) FROM u LEFT JOIN v USING (k) GROUP BY 1`,
		"SELECT u.e = coalesce(v.e, 'angry'::mood), count(*), min(v.e) FILTER (WHERE u.e >= 'ok'::mood) FROM u LEFT JOIN v ON u.k = v.k AND v.e BETWEEN 'sad'::mood AND 'happy'::mood GROUP BY 1",
		"SELECT count(*) FROM u JOIN v ON u.k = v.k AND v.e > coalesce(u.e, 'sad'::mood) WHERE u.e::VARCHAR::mood = u.e OR v.e IN ('ok'::mood, 'angry'::mood)",
		"SELECT u.g, min(u.id), max(u.l) FILTER (WHERE v.y > 0), min(v.h), max(u.h), min(u.o), max(v.o) FROM u JOIN v USING (k) GROUP BY u.g",
		"SELECT g, arg_max(e, e), arg_min(id, id), arg_max(f, f), arg_min(h, h), arg_min(l, l) FROM u GROUP BY g",
		"SELECT u.g, arg_max(v.id, v.id), arg_min(u.e, u.e) FILTER (WHERE u.y > 0), count(*) FROM u JOIN v USING (k) GROUP BY u.g",
		"SELECT h, z, b, count(*), min(e) FROM u GROUP BY h, z, b",
		"SELECT count(*) FROM u JOIN v ON u.e < v.e",
		"SELECT count(*), min(u.e) FROM u JOIN v ON u.h <= v.h AND u.k = v.k",
		"SELECT count(*) FROM u JOIN v ON u.id > v.id",
		"SELECT count(*), count(DISTINCT u.h) FROM u JOIN v ON u.h = v.h AND u.z = v.z",
		"SELECT count(*) FROM u JOIN v ON u.b = v.b",
		"SELECT count(*), count(DISTINCT u.i), count(u.i) FROM u JOIN v ON u.i = v.i",
		"SELECT count(*) FROM u JOIN v ON u.i <> v.i",
		"SELECT count(*) FROM u WHERE EXISTS (SELECT 1 FROM v WHERE v.i = u.i AND v.g = 1)",
		"SELECT count(*) FROM u WHERE NOT EXISTS (SELECT 1 FROM v WHERE v.o = u.o AND v.g = 1)",
		"SELECT count(*) FROM u WHERE u.i NOT IN (SELECT i FROM v WHERE g = 1 AND i IS NOT NULL)",
		"SELECT o, count(*), sum(y) FROM u GROUP BY o",
		"SELECT DISTINCT o FROM u ORDER BY o",
		"SELECT u.o, count(*) FROM u LEFT JOIN v ON u.o = v.o GROUP BY u.o HAVING count(*) > 0 ORDER BY u.o",
		"SELECT count(*), sum(q.n) FROM (SELECT i, count(*) n FROM u GROUP BY i) q",
	)
}

func TestEncodedTypes(t *testing.T) {
	compareOver(t, typedTables, 18, 5, encodedCases())
}

// The INTERVALs with the most months have more days than a month, and those with the most
// days more hours than a day. Not all come back from their texts: those are DuckDB's.
func TestExtremeIntervals(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e AS SELECT k, to_months(m) + to_days(d) + to_microseconds(u) AS i FROM " +
		"(VALUES (1, 2147483647), (2, -2147483648), (3, 0)) a(k, m), (VALUES (2147483647), (-2147483648), (40), (-9), (0)) b(d), " +
		"(VALUES (9223372036854775807), (-9223372036854775808), (3600000000), (-1), (0)) c(u)")
	s.run("CREATE TABLE o AS SELECT unnest([1, 2, 3]) AS k")
	s.run("CREATE TABLE r AS FROM e WHERE TRY_CAST(i::VARCHAR AS INTERVAL) = i")
	for _, sql := range []string{
		"SELECT x.k, min(x.i)::VARCHAR, max(x.i)::VARCHAR, count(*) FROM x JOIN o USING (k) GROUP BY x.k ORDER BY x.k",
		"SELECT min(x.i)::VARCHAR, max(x.i)::VARCHAR FROM x JOIN o USING (k)",
		"SELECT x.i::VARCHAR AS s, count(*) FROM x JOIN o USING (k) WHERE x.k = 1 GROUP BY x.i ORDER BY s",
	} {
		for table, backends := range map[string][]string{"r": {"auto", "native", "decomposed"}, "e": {"auto"}} {
			of := strings.ReplaceAll(strings.ReplaceAll(sql, "x.", table+"."), "FROM x", "FROM "+table)
			s.run("SET trireme.backend = 'duckdb'")
			want := s.run(of)
			for _, backend := range backends {
				s.run("SET trireme.backend = '" + backend + "'")
				if got := s.run(of); got != want {
					t.Errorf("%s\n%s: %s, want %s", of, backend, got, want)
				}
			}
		}
	}
}

// Which of equal texts stands for a group is not known where a collation makes them equal.
func TestCollatedGroups(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE c AS SELECT * FROM (VALUES (1, 'b'), (1, 'B'), (2, 'a'), (2, 'A')) v(k, s)")
	s.run("CREATE TABLE o AS SELECT unnest([1, 2]) AS k")
	for _, sql := range []string{
		"SELECT c.s COLLATE NOCASE AS z, count(*) FROM c JOIN o USING (k) GROUP BY z ORDER BY z",
		"SELECT c.s COLLATE NOCASE || '' AS z, median(c.k) FROM c JOIN o USING (k) GROUP BY 1 ORDER BY 1",
		"SELECT DISTINCT c.s COLLATE NOCASE AS z FROM c JOIN o USING (k) ORDER BY z",
		"SELECT DISTINCT ON (c.s COLLATE NOCASE) c.k FROM c JOIN o USING (k) ORDER BY c.s COLLATE NOCASE, c.k",
	} {
		s.run("SET trireme.backend = 'native'")
		if _, _, err := s.try(sql); err == nil || !strings.Contains(strings.ToLower(err.Error()), "collat") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	s.want("SELECT count(*) FILTER (WHERE c.s COLLATE NOCASE = 'B') FROM c JOIN o USING (k)", "2")
}

// bitCases are aggregates of bits.
func bitCases() []aggregateCase {
	return exactly(
		"SELECT g, bit_and(x), bit_or(x), bit_xor(x), count(*) FROM a GROUP BY g",
		"SELECT a.g, bit_xor(b.x), bit_and(a.y), bit_or(b.x) FILTER (WHERE a.f) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT bit_or(x), bit_and(DISTINCT x), bit_xor(x) FROM a WHERE x > 100",
	)
}

func TestBits(t *testing.T) { compareCases(t, 19, 4, bitCases()) }

func TestBitsOfTypes(t *testing.T) {
	compareOver(t, typedTables, 20, 4, exactly(
		"SELECT g, bit_and(y), bit_or(y), bit_xor(y) FROM u GROUP BY g",
		"SELECT bit_and(w), bit_or(w), bit_xor(w) FROM u",
		"SELECT bit_xor(u.y), bit_and(v.w) FROM u JOIN v USING (k)",
	))
}

// TestCompensatedSums: a compensated sum has digits that a plain one loses, and is NaN
// where a sum is infinite.
func TestCompensatedSums(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE p AS SELECT i % 2 AS k, CASE WHEN i = 1 THEN 'inf'::DOUBLE ELSE i::DOUBLE END AS d FROM range(6) r(i)")
	s.run("CREATE TABLE q AS SELECT 0 AS k UNION ALL SELECT 1")
	s.want("SELECT p.k, fsum(p.d) FROM p JOIN q USING (k) GROUP BY p.k ORDER BY p.k", "0|6;1|NaN")
	s.run("CREATE TABLE n AS SELECT unnest([9007199254740992::DOUBLE, 1, 1, 0]) AS n")
	for _, name := range []string{"fsum", "kahan_sum", "sumkahan"} {
		s.want("SELECT "+name+"(n.n) = 9007199254740994, sum(n.n) = 9007199254740992 FROM n JOIN q ON q.k = 0", "1|1")
	}
	s.run("SET trireme.backend = 'native'")
	s.want("SELECT fsum(n.n) = 9007199254740994, favg(n.n) = 9007199254740994 / 4 FROM n JOIN q ON q.k = 0", "1|1")
}

// TestQuotientOfDoubles: divide is the operator //, which by zero is NULL, not infinite.
func TestQuotientOfDoubles(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE x AS SELECT * FROM (VALUES (0, 7.5::DOUBLE), (1, 'nan'::DOUBLE), (1, 2::DOUBLE), (2, 'inf'::DOUBLE)) v(k, d)")
	s.run("CREATE TABLE y AS SELECT * FROM (VALUES (0, 2::DOUBLE), (0, 0::DOUBLE), (1, '-0'::DOUBLE), (2, 0::DOUBLE), (2, 'nan'::DOUBLE), (0, NULL)) v(k, d)")
	for _, sql := range []string{
		"SELECT max(divide(x.d, y.d)), min(x.d // y.d), count(divide(x.d, y.d)), count(x.d / y.d), max(x.d / y.d) FROM x JOIN y USING (k)",
		"SELECT x.k, max(divide(x.d, y.d)), sum(coalesce(divide(x.d, y.d), -1)) FROM x JOIN y USING (k) GROUP BY x.k ORDER BY x.k",
		"SELECT count(*) FROM x JOIN y USING (k) WHERE divide(x.d, y.d) IS NULL",
		"SELECT count(*) FROM x JOIN y USING (k) WHERE divide(x.d, y.d) > 1 OR mod(x.d, y.d) > 1",
	} {
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run(sql)
		for _, backend := range []string{"native", "decomposed"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.want(sql, want)
		}
	}
}

// TestOwnTypes: a cast to an ENUM that somebody has made means the one that there is when
// the statement is executed, and in a view the one of its schema.
func TestOwnTypes(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (k INTEGER, s VARCHAR)")
	s.run("INSERT INTO a VALUES (1, 'low'), (2, 'high'), (2, NULL)")
	s.run("CREATE SCHEMA other")
	s.run("CREATE TYPE level AS ENUM ('low', 'high')")
	s.run("CREATE TYPE other.level AS ENUM ('high', 'low')")
	s.run("CREATE VIEW v AS SELECT k, s::level AS l FROM a")
	s.run("CREATE VIEW other.w AS SELECT k, s::level AS l FROM main.a")
	const sql = "SELECT x.k, count(*) FROM a x JOIN a y USING (k) WHERE x.s::level < 'high'::level GROUP BY x.k"
	for _, query := range []string{
		sql,
		"SELECT v.l, count(*) FROM v JOIN a USING (k) WHERE v.l < 'high'::level GROUP BY v.l",
		"SELECT w.k, max(w.l), count(*) FROM other.w JOIN a USING (k) WHERE w.l IS NOT NULL GROUP BY w.k",
		"SELECT x.k, count(*) FROM a x JOIN a y USING (k) WHERE TRY_CAST(x.s || 'er' AS level) IS NULL GROUP BY x.k",
	} {
		s.equalsDuckDB(query)
	}
	s.run("DROP VIEW v")
	s.run("DROP TYPE level")
	s.run("CREATE TYPE level AS ENUM ('none', 'high', 'low')")
	s.equalsDuckDB(sql)
	s.run("DROP TYPE level")
	s.wantError(sql, "42704")
}
