package engine

import (
	"context"
	"strings"
	"testing"
)

// Literals in which drivers write values in Postgres' form mean in DuckDB what they
// mean there.
func TestPostgresLiterals(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (b BLOB, a INTEGER[], v VARCHAR, d DATE, n INTEGER)")
	s.run(`INSERT INTO t VALUES ('\x004142', '{1,NULL}', '\x0041', '0044-03-15 BC'::date, 1), ('\xAA\xBB', '[3]', '{1}', NULL, 2)`)
	for _, c := range []struct{ sql, want string }{
		{"SELECT hex(b), a, v, d::VARCHAR, n FROM t ORDER BY n", "004142|[1, NULL]|\\x0041|0044-03-15 (BC)|1;AABB|[3]|{1}|NULL|2"},
		{`SELECT n FROM t WHERE b = '\x004142'`, "1"},
		{`SELECT n FROM t WHERE v = '\x0041'`, "1"},
		{`SELECT n FROM t WHERE v = '{1}'`, "2"},
		{`SELECT n FROM t WHERE n = ANY('{2,3}')`, "2"},
		{`SELECT count(*) FROM t WHERE v <> ALL('{"{1}"}')`, "1"},
		{`SELECT n FROM t WHERE n = ANY('{2,3}'::int[])`, "2"},
		{`SELECT x.n FROM t x JOIN t y ON x.n = y.n WHERE y.b = '\xaabb' AND x.n = ANY ( '{1,2}' )`, "2"},
		{`UPDATE t SET b = '\x0000' WHERE n = 2 RETURNING hex(b)`, "0000"},
		{
			`SELECT hex('\x0041'::bytea), hex(CAST('\x0041' AS bytea)), hex(E'\\x0041'::bytea), hex(bytea '\x0041'), hex('a\001\\'::bytea), hex('é'::bytea)`,
			"0041|0041|0041|0041|61015C|C3A9",
		},
		{`SELECT hex('\x0041'::BLOB), hex('\x00\x41'::bytea)`, "003431|0041"}, // DuckDB's
		{`SELECT ['\x0041'::bytea] = '{"\\x0041"}'::bytea[]`, "1"},
		{`SELECT '{"a b",NULL,"c,d"}'::text[], '{}'::int[], '{t,off}'::bool[]`, "[a b, NULL, 'c,d']|[]|[true, false]"},
		{`SELECT 'on'::bool, 'of'::boolean, bool 'ye'`, "1|0|1"},
		{`SELECT ('1 year -3 days +04:05:06'::interval)::VARCHAR`, "1 year -3 days 04:05:06"},
	} {
		s.want(c.sql, c.want)
	}
	// What pg_dump --inserts writes.
	s.run("CREATE TABLE w (n INTEGER, d DATE, at TIMESTAMP, tz TIMESTAMPTZ, i INTERVAL)")
	s.run(`INSERT INTO w VALUES (1, '0044-03-15 BC', '0044-03-15 10:00:00 BC', '0044-03-15 10:00:00+00 BC', '-1 mons +3 days'),
		(2, '2024-01-01', '2024-01-01 10:00:00', '2024-01-01 10:00:00+00', '-2 days +01:00:00'), (3, NULL, NULL, NULL, '1 year 2 mons -3 days +04:05:06.5')`)
	s.want("SELECT n, d::VARCHAR, at::VARCHAR, (tz AT TIME ZONE 'UTC')::VARCHAR, i::VARCHAR FROM w ORDER BY n",
		"1|0044-03-15 (BC)|0044-03-15 (BC) 10:00:00|0044-03-15 (BC) 10:00:00|-1 month 3 days;2|2024-01-01|2024-01-01 10:00:00|2024-01-01 10:00:00|-2 days 01:00:00;3|NULL|NULL|NULL|1 year 2 months -3 days 04:05:06.5")
	s.want("SELECT n FROM w WHERE d = '0044-03-15 BC' AND i = '-1 mons +3 days'", "1")
	s.run(`PREPARE q AS SELECT n FROM t WHERE b = '\x0000'`)
	s.want("EXECUTE q", "2")
	// A name of a column that DuckDB makes of a text which it reads stays.
	for sql, name := range map[string]string{`SELECT 't'::bool`: "CAST('t' AS BOOLEAN)", `SELECT 'a'::bytea`: `CAST('a' AS "BLOB")`} {
		p, err := s.Prepare(context.Background(), sql, nil)
		if err != nil || p.Columns()[0].Name != name {
			t.Errorf("%s: %v, not a column %s", sql, err, name)
		}
	}
	for sql, want := range map[string]struct {
		code   string
		offset int
	}{
		`SELECT '\x004142'::bytea, nothing`:                {"42703", 26},
		`SELECT '{1}'::int[], nothing`:                     {"42703", 21},
		`SELECT n FROM t WHERE n = ANY('{1}') AND nothing`: {"42703", -1},
		`SELECT '\x00zz'::int[]`:                           {"22P02", 15},
		`SELECT 'NaN'::numeric`:                            {"22P02", 12},
	} {
		if e := s.wantError(sql, want.code); e.Offset != want.offset {
			t.Errorf("%s: %v at %d, want at %d", sql, e, e.Offset, want.offset)
		}
	}
}

// A time with an offset may go without seconds, which DuckDB wants, in queries and in what
// is kept.
func TestTimesWithoutSeconds(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("SET timezone = 'UTC'")
	s.want(`SELECT ('2024-01-01 10:00+00'::timestamptz)::TEXT, (timestamptz '2024-01-01T10:00-05:30')::TEXT, (CAST('2024-01-01 10:00Z' AS timestamptz))::TEXT, ('2024-01-01 10:00 +02'::timestamptz)::TEXT`,
		"2024-01-01 10:00:00+00|2024-01-01 15:30:00+00|2024-01-01 10:00:00+00|2024-01-01 08:00:00+00")
	s.run(`CREATE TABLE t (id INT, a timestamptz DEFAULT '2024-01-01 10:00+00'::timestamptz, b timestamptz DEFAULT '2024-01-01 10:00Z' CHECK (b < '2025-01-01 10:00+0100'))`)
	s.want("INSERT INTO t(id) VALUES (1) RETURNING a::TEXT, b::TEXT", "2024-01-01 10:00:00+00|2024-01-01 10:00:00+00")
	s.want("INSERT INTO t VALUES (2, '2024-01-01 10:00+01', '2024-06-01 10:00Z') RETURNING a::TEXT", "2024-01-01 09:00:00+00")
	s.want("SELECT id FROM t WHERE a = '2024-01-01 9:00Z'", "2")
	s.run("CREATE TABLE x (v TEXT DEFAULT '2024-01-01 10:00+00')")
	s.want("INSERT INTO x VALUES (DEFAULT) RETURNING v", "2024-01-01 10:00+00")
}

// E'..' has characters by their numbers, as in Postgres; DuckDB's parser reads those of ASCII alone.
func TestNumberedCharacters(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (x VARCHAR DEFAULT E'\\u00e9')")
	s.run("INSERT INTO t VALUES (DEFAULT)")
	for _, tc := range []struct{ sql, want string }{
		{`SELECT E'\u00e9\xC3\xA9\n\U0001F600\303\251'`, "éé\n😀é"},
		{`SELECT E'a\'\\\u0041''\x42', e'\101'` + "\n'b'", `a'\A'B|Ab`},
		{`SELECT E'\\x41', E'\\u0041', length(E'\t')`, `\x41|\u0041|1`},
		{`SELECT x FROM t WHERE x = E'\xc3\xa9'`, "é"},
		{`SELECT hex(E'\\x00'::bytea)`, "00"},
	} {
		s.want(tc.sql, tc.want)
	}
	for _, sql := range []string{`SELECT E'a\x00b'`, `SELECT E'a\000b'`, `SELECT E'a\u0000b'`, `SELECT E'\xFF'`, "SELECT E'\\xC3'\n'x'"} {
		if e := s.wantError(sql, "22021"); e.Offset != len("SELECT ") || !strings.Contains(e.Message, "UTF8") {
			t.Errorf("%s: %d, %s", sql, e.Offset, e.Message)
		}
	}
	s.wantError(`SELECT E'\u12'`, "42601")
	s.wantError(`SELECT E'\uD800'`, "42601")
}

// TestLiteralsBesideQuestions: each ? is the parameter of its place, whatever of the literals beside it
// is asked for its type.
func TestLiteralsBesideQuestions(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE q (k INTEGER, b BLOB)")
	s.run("INSERT INTO q VALUES (1, 'a'::BLOB), (2, 'b'::BLOB)")
	for _, tc := range []struct {
		sql, want string
		args      []string
	}{
		{`SELECT '\x00', ?`, `\x00|5`, []string{"5"}},
		{`SELECT ?, '\x00', ?`, `4|\x00|5`, []string{"4", "5"}},
		{`SELECT '\x00' FROM q WHERE k = ?`, `\x00`, []string{"2"}},
		{`SELECT k FROM q WHERE b = '\x62' AND k = ? AND b <> '\x61'`, "2", []string{"2"}},
		{`SELECT k FROM q WHERE b = '\x62' AND k = $1 AND b <> '\x61'`, "2", []string{"2"}},
	} {
		if got := s.run(tc.sql, tc.args...); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.sql, got, tc.want)
		}
	}
}
