package engine

import (
	"strings"
	"testing"
)

// TestCallsInDuckDBsWords: functions that only Postgres has, or only with these arguments.
func TestCallsInDuckDBsWords(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (a VARCHAR, l INTEGER[], b BLOB)")
	s.run("INSERT INTO t VALUES (' xax', [1, 2, NULL, 1], '\\x00\\x01'::BLOB), (NULL, NULL, NULL)")
	for sql, want := range map[string]string{
		"SELECT btrim(a), btrim(a, ' x'), pg_catalog.btrim(a) FROM t":                                                                                        "xax|a|xax;NULL|NULL|NULL",
		"SELECT lpad('a', 3) || '|' || rpad('b', 3) || '|' || lpad(rpad('abc', 2), 3)":                                                                       "  a|b  | ab",
		"SELECT every(l IS NULL), every(a > '') FILTER (WHERE a IS NOT NULL) FROM t":                                                                         "0|1",
		"SELECT length(b), octet_length(b) FROM t":                                                                                                           "2|2;NULL|NULL",
		"SELECT date_bin('15 minutes', TIMESTAMP '2024-01-01 10:07', TIMESTAMP '2024-01-01')::TEXT":                                                          "2024-01-01 10:00:00",
		"SELECT num_nonnulls(1, NULL, a, true OR NULL), num_nulls(a) FROM t":                                                                                 "3|0;2|1",
		"SELECT regexp_count('abcab', 'ab?'), regexp_substr('abc', 'b.'), regexp_substr('abc', 'x')":                                                         "2|bc|NULL",
		"SELECT array_to_string(array_positions(l, 1), ','), array_positions(l, NULL)[1] FROM t":                                                             "1,4|3;NULL|NULL",
		"SELECT array_to_string(array_replace(l, 1, 9), ','), array_to_string(array_replace(l, NULL, 0), ',') FROM t WHERE a IS NOT NULL":                    "9,2,9|1,2,0,1",
		"SELECT array_to_string(trim_array([1, 2, 3], 2), ',')":                                                                                              "1",
		"SELECT string_to_array('a,b,', ',', 'b')[2], array_to_string(['a', NULL, 'c'], '-', '*'), array_to_string(l, ',', NULL) FROM t WHERE a IS NOT NULL": "NULL|a-*-c|1,2,1",
		"SELECT width_bucket(5, ARRAY[1, 4, 8]), width_bucket(0, ARRAY[1, 4, 8])":                                                                            "2|0",
		"SELECT a FROM t WHERE btrim(btrim(a), 'x') = lpad('a', 1)":                                                                                          " xax",
		"SELECT (SELECT btrim(x.a, ',)') FROM t y LIMIT 1) FROM t x WHERE a > ''":                                                                            " xax",
	} {
		s.want(sql, want)
	}
	if got := s.run("SELECT btrim($1, $2)", "abca", "a"); got != "bc" {
		t.Errorf("btrim of parameters is %s", got)
	}
	s.run("CREATE VIEW v AS SELECT btrim(a) AS c FROM t")
	s.want("SELECT c FROM v WHERE c IS NOT NULL", "xax")
	s.run("CREATE MACRO every(x) AS x + 1") // what somebody has made is taken
	s.want("SELECT every(1)", "2")
	for sql, code := range map[string]string{
		"SELECT length(5.5::DOUBLE)": "42883", "SELECT btrim(1, 2, 3)": "42883", "SELECT lpad()": "42883", "SELECT array_replace(1, 2, 3)": "42883", "SELECT num_nulls()": "42883",
		"SELECT btrim(nosuch)": "42703",
	} {
		if e := s.wantError(sql, code); strings.Contains(e.Message, "pg[") || strings.Contains(e.Message, "octet_length") {
			t.Errorf("%s: %s", sql, e.Message)
		}
	}
}

// TestNamesOfColumnsWithoutAs: a name that is a keyword of DuckDB's needs no AS where it needs none in Postgres.
func TestNamesOfColumnsWithoutAs(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (a INTEGER, b INTEGER)")
	s.run("INSERT INTO t VALUES (1, 2)")
	for sql, want := range map[string]string{
		"SELECT 1 value": "1", "SELECT a first, b last, (a + b) level, 'x' name FROM t": "1|2|3|x",
		"SELECT type FROM (SELECT count(*) type FROM t) q": "1", "WITH w AS (SELECT max(a) value FROM t GROUP BY b ORDER BY b) SELECT value FROM w": "1",
		"SELECT CASE WHEN true THEN 1 END value UNION SELECT 1": "1",
	} {
		s.want(sql, want)
	}
	if got := s.run("INSERT INTO t SELECT 3 first, $1 last RETURNING a first", "4"); got != "3" {
		t.Errorf("of a parameter: %s", got)
	}
	s.run("CREATE VIEW v AS SELECT a value FROM t WHERE a = 1")
	s.want("SELECT value FROM v", "1")
	for _, sql := range []string{"SELECT a b c FROM t", "SELECT a value b FROM t", "SELECT a first FORM t", "SELECT , value FROM t", "SELECT a first, b frist last FROM t", "SELECT a value value FROM t", "SELECT cast(a INTEGER) FROM t", "SELECT [a value] FROM t", "CREATE SEQUENCE q first", "SELECT abs((SELECT a) value) FROM t"} {
		s.wantError(sql, "42601")
	}
	if e := s.wantError("SELECT a first, b FROM t WHER a", "42601"); e.Offset < strings.Index("SELECT a first, b FROM t WHER a", "WHER") {
		t.Errorf("the error is at %d", e.Offset)
	}
	if e := s.wantError("SELECT a first, nosuch FROM t", "42703"); e.Offset != 16 {
		t.Errorf("the error is at %d", e.Offset)
	}
}

// TestColumnsOfValues: VALUES without names for its columns has Postgres' names beside DuckDB's.
func TestColumnsOfValues(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (column1 INTEGER)")
	for sql, want := range map[string]string{
		"SELECT column2, v.column1 FROM (VALUES (1, (2)), (3, 4)) AS v ORDER BY 1":                 "2|1;4|3",
		"SELECT v.column1 FROM (VALUES (1, 'a,b')) v WHERE column2 = 'a,b'":                        "1",
		"WITH v AS (VALUES (1, 2)), w AS (VALUES (3)) SELECT v.column2, w.column1 FROM v, w":       "2|3",
		"SELECT sum(column1) FROM (VALUES (1), (2)) \"V v\" JOIN (VALUES (2)) x(k) ON k = column1": "2",
		"SELECT col0, col1 FROM (VALUES (1, 2)) v":                                                 "1|2",
		"INSERT INTO t SELECT column1 FROM (VALUES (5), (6)) v RETURNING column1":                  "5;6",
	} {
		s.want(sql, want)
	}
	s.wantError("SELECT column3 FROM (VALUES (1, 2)) v", "42703")
	s.wantError("SELECT column1 FROM (VALUES (1, 2)) v(a, b)", "42703")
}

// TestSchemaOfTheOwner: everything belongs to one role, which CREATE SCHEMA may name.
func TestSchemaOfTheOwner(t *testing.T) {
	s := openSession(t, openConfig(t, Config{Version: "test", Confined: true}))
	s.run("CREATE SCHEMA app AUTHORIZATION trireme")
	s.run("CREATE SCHEMA IF NOT EXISTS app AUTHORIZATION CURRENT_USER")
	s.wantError("CREATE SCHEMA AUTHORIZATION trireme", "42501") // its name would be that of the database
	s.run("CREATE TABLE app.t (a INTEGER)")
	s.wantError("CREATE SCHEMA other AUTHORIZATION somebody", "42601")
	s.want("SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname IN ('app', 'trireme', 'other')", "app")
}

// TestTemporarySequenceReadOnly: numbers of temporary sequences may be drawn where nothing may be written.
func TestTemporarySequenceReadOnly(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE SEQUENCE q")
	s.run("CREATE TEMP SEQUENCE own")
	s.run("PREPARE p AS SELECT nextval('own')")
	for _, c := range []struct{ sql, want string }{
		{"SELECT nextval('own')", "1"},
		{"SELECT nextval('pg_temp.own'::regclass), nextval('temp.own')", "2|3"},
		{"EXECUTE p", "4"},
		{"SELECT nextval('q')", ""},
		{"SELECT nextval('own'), nextval('q')", ""},
		{"SELECT nextval('main.q')", ""},
	} {
		s.run("BEGIN READ ONLY")
		if c.want == "" {
			s.wantError(c.sql, "25006")
		} else {
			s.want(c.sql, c.want)
		}
		s.run("ROLLBACK")
	}
	s.want("SELECT nextval('q')", "1")
}
