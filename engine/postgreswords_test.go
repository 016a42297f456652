package engine

import (
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TestPostgresWords: words that mean something to Postgres 15 mean the same here; the values are its own.
func TestPostgresWords(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE w (x INT, lo INT, hi INT, s TEXT, d DATE)")
	s.run("INSERT INTO w VALUES (5, 9, 1, 'm', '2020-01-02'), (0, 9, 1, 'a', NULL), (NULL, 1, 9, NULL, NULL), (5, NULL, 9, 'z', NULL)")
	for _, c := range [][2]string{
		// BETWEEN SYMMETRIC
		{"SELECT x BETWEEN SYMMETRIC lo AND hi, x NOT BETWEEN SYMMETRIC lo AND hi FROM w", "1|0;0|1;NULL|NULL;NULL|NULL"},
		{"SELECT 'm' BETWEEN SYMMETRIC 'z' AND 'a', -x + 1 BETWEEN SYMMETRIC -3 AND -5 FROM w WHERE x = 5 AND lo = 9", "1|1"},
		{"SELECT count(*) FROM w WHERE NOT s BETWEEN SYMMETRIC 'z' AND 'b'", "1"},
		// Literals of bits, and of characters by their numbers
		{"SELECT B'101', X'4f', length(B'101'), B'101' = '101', B'101' & B'011', x'1F'::INT, b'1'\n'0'::INT", "101|01001111|3|1|001|31|2"},
		{`SELECT U&'d\0061t\+000061', U&'d!0061t\' UESCAPE '!', U&'\D83D\DE00'`, `data|dat\|😀`},
		{`SELECT U&"\0078" FROM w WHERE lo = 9 AND x = 5`, "5"},
		{"SELECT 0x1F + 0b101, 0o17", "36|15"},
		{"SELECT decode('616263', 'hex')::TEXT, decode('YWJj', 'base64')::TEXT, decode('abc', 'escape') = 'abc'::BLOB", "abc|abc|1"},
		{"SELECT to_regclass('w'), to_regclass('w')::TEXT, to_regclass('nosuch'), to_regtype('int'), to_regclass('w') IS NULL, to_regtype('nosuch')", "w|w|NULL|integer|0|NULL"},
		{"SELECT count(*) FROM pg_class WHERE oid = to_regclass('w') AND oid = to_regclass('w')::OID", "1"},
		// Types in quotes
		{`SELECT 1.23456789::"numeric"::TEXT, CAST(1.23456 AS "numeric"(5,2))::TEXT, '{"a":1}'::"jsonb" ? 'a'`, "1.2345678900|1.23|1"},
		// Series with texts
		{"SELECT count(*) FROM generate_series('2020-01-01'::timestamp, '2020-01-05', '1 day')", "5"},
		{"SELECT count(*), max(g)::DATE::TEXT FROM generate_series(DATE '2020-01-01', '2020-01-05', '2 days') g", "3|2020-01-05"},
		{"SELECT count(*) FROM generate_series(now(), now() + INTERVAL '1 day', '1 hour')", "25"},
		{"SELECT count(*) FROM generate_series('2020-01-01', TIMESTAMP '2020-01-02', '12 hours')", "3"},
		{"SELECT sum(g) FROM generate_series(1, '5') g", "15"},
		{"SELECT sum(g) FROM generate_series(1, 9, '4') g", "15"},
		{"SELECT width_bucket(5.35, 0.024, 10.06, 5), width_bucket(-1, 0, 10, NULL), width_bucket(1, 10, 0, 5)", "3|NULL|5"},
	} {
		if got, _, err := s.try(c[0]); err != nil || got != c[1] {
			t.Errorf("%s\nis  %s %v\nnot %s", c[0], got, err, c[1])
		}
	}
	for sql, want := range map[string]string{
		"SELECT b'102'":                                    `22P02: '2' is not a valid binary digit`,
		"SELECT X'4G'":                                     `22P02: 'G' is not a valid hexadecimal digit`,
		`SELECT U&'\00zz'`:                                 "42601: invalid Unicode escape",
		`SELECT U&'\D800'`:                                 "42601: invalid Unicode escape value",
		"SELECT s LIKE 5 + x FROM w":                       "42883: operator does not exist: VARCHAR LIKE INTEGER",
		"SELECT x NOT LIKE 'a' FROM w":                     "42883: operator does not exist: INTEGER NOT LIKE VARCHAR",
		"SELECT s ILIKE d FROM w":                          "42883: operator does not exist: VARCHAR ILIKE DATE",
		"SELECT s !~~* x FROM w":                           "42883: operator does not exist: VARCHAR !~~* INTEGER",
		"SELECT x ~ 'a' FROM w":                            "42883: operator does not exist: INTEGER ~ VARCHAR",
		"SELECT x OPERATOR(pg_catalog.!~) 'a' FROM w":      "42883: operator does not exist: INTEGER ~ VARCHAR",
		"SELECT x SIMILAR TO 'a' FROM w":                   "42883: operator does not exist: INTEGER SIMILAR TO VARCHAR",
		"SELECT x LIKE ANY (ARRAY['a']) FROM w":            "42883: operator does not exist: INTEGER LIKE VARCHAR",
		"SELECT x GLOB 'a' FROM w":                         "42883: operator does not exist: INTEGER GLOB VARCHAR",
		"SELECT like_escape(s, 5, 'x') FROM w":             "42883: No function matches the given name and argument types 'like_escape(VARCHAR, INTEGER_LITERAL, STRING_LITERAL)'. You might need to add explicit type casts.",
		"SELECT extract(year FROM s) FROM w":               "42883: extract does not take these arguments",
		"SELECT to_char(s, 'YYYY') FROM w":                 "42883: to_char does not take these arguments",
		"CREATE VIEW v AS SELECT s LIKE 5 + x AS y FROM w": "42883: operator does not exist: VARCHAR LIKE INTEGER",
		"UPDATE w SET x = 1 WHERE s LIKE d":                "42883: operator does not exist: VARCHAR LIKE DATE",
	} {
		_, _, err := s.try(sql)
		e := sqlerr.From(err)
		if err == nil || e.Code+": "+e.Message != want {
			t.Errorf("%s\nis  %+v\nnot %s", sql, e, want)
			continue
		}
		if at := strings.Index(sql, "LIKE 5"); at >= 0 && e.Offset != at {
			t.Errorf("%s: the error is at %d, want %d", sql, e.Offset, at)
		}
	}
}

// TestWordsInDefinitions: what is kept means the same.
func TestWordsInDefinitions(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE VIEW pid AS SELECT pg_backend_pid() AS p")
	s.want("SELECT p = pg_backend_pid(), p > 0, typeof(p) FROM pid", "1|1|INTEGER")
	s.want("SELECT rtrim(pg_get_viewdef('pid'::regclass), ';') LIKE '%pg_backend_pid()%'", "1")
	s.run(`CREATE TABLE c (a INT CHECK (width_bucket(a, 0, 10, 5) > 0), n "numeric", b BIT DEFAULT B'101', CHECK (a BETWEEN SYMMETRIC 100 AND 1), g INT GENERATED ALWAYS AS (width_bucket(a, 0, 10, 5)))`)
	s.run("INSERT INTO c (a, n) VALUES (5, 1.23456789)")
	s.want("SELECT a, n::TEXT, b, g FROM c", "5|1.2345678900|101|3")
	s.wantError("INSERT INTO c (a) VALUES (-5)", sqlerr.CheckViolation)
	s.wantError("INSERT INTO c (a) VALUES (101)", sqlerr.CheckViolation)
	s.run("CREATE VIEW bits AS SELECT a FROM c WHERE b = B'101' AND a BETWEEN SYMMETRIC 9 AND 2")
	s.want("FROM bits", "5")
}
