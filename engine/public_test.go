package engine

import (
	"strings"
	"testing"

	"github.com/trireme-db/trireme/duckbackend"
)

// The default schema is never that of temporary objects, whose names come first where there
// is no schema.
func TestPublicIsNotTemporary(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE TABLE users(id INTEGER PRIMARY KEY, n INTEGER)", "CREATE VIEW public.v AS SELECT 'kept' AS x", "CREATE SEQUENCE public.q START 100",
		"CREATE MACRO public.f(a) AS a + 1", "CREATE MACRO public.g() AS TABLE SELECT 'kept' AS x", "CREATE TYPE public.e AS ENUM ('kept')",
		"CREATE TABLE range(a INTEGER)", "CREATE TABLE p(id INTEGER PRIMARY KEY)", "INSERT INTO p VALUES (1)",
	} {
		s.run(sql)
	}
	before, err := s.Prepare(t.Context(), "INSERT INTO public.users VALUES (7, 7)", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"CREATE TEMP TABLE users(id INTEGER, n INTEGER)", "CREATE TEMP VIEW v AS SELECT 'temporary' AS x", "CREATE TEMP SEQUENCE q START 1",
		"CREATE TEMP MACRO f(a) AS a + 10", "CREATE TEMP MACRO g() AS TABLE SELECT 'temporary' AS x", "CREATE TEMP TYPE e AS ENUM ('temporary')",
		"CREATE TEMP TABLE range(a INTEGER)",
		"INSERT INTO users VALUES (-1, -1)",
	} {
		s.run(sql)
	}
	res, err := before.Execute(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readAll(res); err != nil {
		t.Fatal(err)
	}
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	for _, schema := range []string{"public", "main", `"public"`} {
		in := schema + "."
		for _, sql := range []string{
			"INSERT INTO " + in + "users VALUES (1, 1), (2, 2)", "INSERT INTO " + in + "users (id, n) SELECT 3, max(n) + 1 FROM " + in + "users",
			"UPDATE " + in + "users SET n = n + 1 WHERE " + in + "users.id = 1", "DELETE FROM " + in + "users WHERE id = 2",
		} {
			s.run(sql)
		}
		if err := copyRows(s, "COPY "+in+"users FROM STDIN", [][]string{{"4", "4"}}); err != nil {
			t.Fatal(err)
		}
		if err := copyRows(s, "COPY "+in+"users(id) FROM STDIN WHERE id > 4", [][]string{{"5"}}); err != nil {
			t.Fatal(err)
		}
		s.want("SELECT count(*), sum(id), count(n) FROM "+in+"users", "5|20|4")
		s.want("SELECT id, n FROM users", "-1|-1")
		s.want("SELECT "+in+"users.n FROM "+in+"users WHERE id = 1", "2")
		s.want("SELECT (SELECT x FROM "+in+"v), nextval('"+in+"q') >= 100, "+in+"f(1), (SELECT x FROM "+in+"g()), 'kept'::"+in+"e", "kept|1|2|kept|kept")
		s.want("SELECT (SELECT x FROM v), nextval('q') < 100, f(1), (SELECT x FROM g()), 'temporary'::e", "temporary|1|11|temporary|temporary")
		s.want("SELECT "+in+"abs(-1), (SELECT count(*) FROM "+in+"generate_series(1, 3))", "1|3")
		s.run("INSERT INTO " + in + "range(a) VALUES (1)")
		s.want("SELECT (SELECT count(*) FROM range), (SELECT count(*) FROM "+in+"range)", "0|1")
		if shown := s.run("SHOW " + in + "p"); !strings.HasPrefix(shown, "id|INTEGER|NO|PRI") {
			t.Errorf("SHOW %sp: %s", in, shown)
		}
		for _, sql := range []string{
			"CREATE INDEX i ON " + in + "users(n)", "DROP INDEX " + in + "i", "ALTER TABLE " + in + "users ADD COLUMN z INTEGER", "ALTER TABLE " + in + "users DROP COLUMN z",
			"COMMENT ON TABLE " + in + "users IS 'c'", "COMMENT ON COLUMN " + in + "users.n IS 'd'",
			"CREATE TABLE " + in + "r(u INTEGER REFERENCES " + in + "p(id))", "INSERT INTO " + in + "r VALUES (1)", "DROP TABLE " + in + "r",
			"TRUNCATE " + in + "users", "INSERT INTO " + in + "users VALUES (7, 7)", "TRUNCATE " + in + "range",
		} {
			s.run(sql)
		}
		s.want("SELECT id, n FROM "+in+"users", "7|7")
		s.want("SELECT id, n FROM users", "-1|-1")
	}
	s.want("SELECT main.x FROM v AS main", "temporary")
	s.run("SET search_path = ''")
	s.want("SELECT id FROM public.users", "7")
	s.run("CREATE SCHEMA a")
	s.run("SET search_path = a")
	s.want("SELECT id FROM public.users", "7")
	s.run("RESET search_path")
	s.run("DROP TABLE public.users")
	s.want("SELECT id, n FROM users", "-1|-1")
	s.wantError("SELECT 1 FROM public.users", "42P01")
	s.run("CREATE TABLE public.users(a INTEGER)")
	s.want("SELECT count(*) FROM public.users", "0")
}

// The texts of definitions are read as what their author has seen, who had no temporary objects.
func TestPublicInDefinitionsIsNotTemporary(t *testing.T) {
	if !duckbackend.FindsMain {
		t.Skip("DuckDB finds temporary objects first")
	}
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE SCHEMA a", "CREATE TABLE t AS SELECT 1 AS k, 'kept' AS x FROM range(3)", "CREATE SEQUENCE q START 100", "CREATE TYPE e AS ENUM ('kept')",
		"CREATE FUNCTION one() AS 1", "CREATE VIEW w AS SELECT x FROM public.t",
		"CREATE VIEW v AS SELECT max(public.t.x) AS x, count(*) AS n, sum(public.one()) AS one FROM public.t JOIN main.t AS u USING (k)",
		"CREATE VIEW a.v AS SELECT max(x) AS x FROM PUBLIC.w",
		"CREATE FUNCTION f() AS (SELECT max(x) FROM public.t)", "CREATE FUNCTION g() AS TABLE SELECT max(x) AS x FROM public.t", "CREATE FUNCTION h(i) AS i + public.one()",
		"CREATE TABLE d (k BIGINT DEFAULT nextval('public.q'), one INTEGER DEFAULT public.one(), i INTEGER, h INTEGER GENERATED ALWAYS AS (i + public.one()), e public.e DEFAULT 'kept')",
		"CREATE TABLE p (id SERIAL, x INTEGER)",
	} {
		s.run(sql)
	}
	hide := []string{
		"CREATE TEMP TABLE t AS SELECT 1 AS k, 'temporary' AS x", "CREATE TEMP SEQUENCE q", "CREATE TEMP TYPE e AS ENUM ('temporary')", "CREATE TEMP FUNCTION one() AS 10",
		"CREATE TEMP VIEW w AS SELECT 'temporary' AS x", "CREATE TEMP VIEW tv AS SELECT max(x) AS x FROM public.t",
	}
	for round := range 2 {
		for _, backend := range []string{"auto", "duckdb"} {
			s.run("SET trireme.backend = '" + backend + "'")
			for _, tc := range []struct{ sql, want string }{
				{"SELECT x, n, one FROM v", "kept|9|9"},
				{"SELECT x FROM a.v", "kept"},
				{"SELECT f(), h(1), (SELECT x FROM g())", "kept|2|kept"},
				{"SELECT v.n FROM v JOIN w ON w.x >= v.x LIMIT 1", "9"},
			} {
				s.want(tc.sql, tc.want)
			}
			s.run("INSERT INTO d (i) VALUES (1)")
			s.want("SELECT k >= 100, one, h, e FROM d", "1|1|2|kept")
			s.run("TRUNCATE d")
		}
		if round == 0 {
			for _, sql := range hide {
				s.run(sql)
			}
			s.want("SELECT max(x), nextval('q'), one() FROM t", "temporary|1|10")
			s.want("SELECT x FROM tv", "kept")
		}
	}
	s.run("DROP VIEW a.v")
	s.run("DROP VIEW v")
	s.run("DROP VIEW public.w")
	s.run("CREATE VIEW late AS SELECT max(x) AS x FROM public.t")
	s.want("SELECT x FROM late", "kept")
	s.run("CREATE OR REPLACE FUNCTION public.f() AS (SELECT min(x) FROM public.t)")
	s.want("SELECT f()", "kept")
	s.want("SELECT count(*) FROM (SELECT sql FROM duckdb_views() UNION ALL SELECT macro_definition FROM duckdb_functions()) WHERE contains(sql, 'trireme.')", "0")
	s.run("DROP TABLE public.t")
	s.wantError("SELECT f()", "42P01")
	s.wantError("SELECT x FROM late", "42P01")
}

// In another database than the default one, main is the schema of that.
func TestMainOfAnotherDatabase(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{"CREATE TABLE t AS SELECT 'default' AS x", "ATTACH ':memory:' AS other", "CREATE TABLE other.main.t AS SELECT 'other' AS x", "CREATE TEMP TABLE u(a INTEGER)", "USE other"} {
		s.run(sql)
	}
	s.want("SELECT x FROM main.t", "other")
	s.run("USE trireme")
	s.want("SELECT x FROM main.t", "default")
}
