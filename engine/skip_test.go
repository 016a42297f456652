package engine

import (
	"slices"
	"testing"
)

// TestSkippedStatementsTell: what IF [NOT] EXISTS leaves undone is a notice, as in
// Postgres, and nothing else is.
func TestSkippedStatementsTell(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{"CREATE TABLE t (a INTEGER)", "CREATE SCHEMA o", "CREATE TABLE o.t2 (a INTEGER)", "CREATE TEMP TABLE tt (a INTEGER)"} {
		s.run(sql)
	}
	for _, c := range []struct{ sql, want string }{
		{"CREATE TABLE IF NOT EXISTS T (b INTEGER)", `NOTICE 42P07 relation "T" already exists, skipping`},
		{"CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS x", `NOTICE 42P07 relation "t" already exists, skipping`},
		{"CREATE TABLE IF NOT EXISTS t2 (b INTEGER)", ""},
		{"CREATE TABLE IF NOT EXISTS o.t2 (b INTEGER)", `NOTICE 42P07 relation "t2" already exists, skipping`},
		{"CREATE TABLE IF NOT EXISTS tt (b INTEGER)", ""},
		{"CREATE TEMP TABLE IF NOT EXISTS tt (b INTEGER)", `NOTICE 42P07 relation "tt" already exists, skipping`},
		{"CREATE VIEW IF NOT EXISTS v AS SELECT 1 AS x", ""},
		{"CREATE VIEW IF NOT EXISTS v AS SELECT 2 AS x", `NOTICE 42P07 relation "v" already exists, skipping`},
		{"CREATE INDEX IF NOT EXISTS i ON t (a)", ""},
		{"CREATE INDEX IF NOT EXISTS i ON t (a)", `NOTICE 42P07 relation "i" already exists, skipping`},
		{"CREATE SEQUENCE IF NOT EXISTS q", ""},
		{"CREATE SEQUENCE IF NOT EXISTS q", `NOTICE 42P07 relation "q" already exists, skipping`},
		{"CREATE SCHEMA IF NOT EXISTS o", `NOTICE 42P06 schema "o" already exists, skipping`},
		{"CREATE TYPE IF NOT EXISTS e AS ENUM ('a')", ""},
		{"CREATE TYPE IF NOT EXISTS e AS ENUM ('b')", `NOTICE 42710 type "e" already exists, skipping`},
		{"DROP TABLE IF EXISTS nosuch", `NOTICE 00000 table "nosuch" does not exist, skipping`},
		{"DROP TABLE IF EXISTS o.nosuch", `NOTICE 00000 table "nosuch" does not exist, skipping`},
		{"DROP TABLE IF EXISTS o.t2", ""},
		{"DROP VIEW IF EXISTS nosuch", `NOTICE 00000 view "nosuch" does not exist, skipping`},
		{"DROP INDEX IF EXISTS i", ""},
		{"DROP INDEX IF EXISTS i", `NOTICE 00000 index "i" does not exist, skipping`},
		{"DROP SCHEMA IF EXISTS p", `NOTICE 00000 schema "p" does not exist, skipping`},
		{"DROP SEQUENCE IF EXISTS q", ""},
		{"DROP TYPE IF EXISTS f", `NOTICE 00000 type "f" does not exist, skipping`},
		{"DROP TABLE IF EXISTS tt", ""},
		{"DROP MACRO IF EXISTS m", `NOTICE 00000 macro "m" does not exist, skipping`},
	} {
		s.run(c.sql)
		var got []string
		for _, n := range s.Notices() {
			got = append(got, n.Severity+" "+n.Code+" "+n.Message)
		}
		want := []string{c.want}
		if c.want == "" {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.sql, got, want)
		}
	}
	s.run("SET client_min_messages = 'warning'")
	s.run("DROP TABLE IF EXISTS nosuch")
	if n := s.Notices(); len(n) != 0 {
		t.Errorf("notices %q", n)
	}
}

// TestQualifiedNames: a name with a schema is looked for in the database of the search path,
// and one with a database in that, whatever there is of the name in others.
func TestQualifiedNames(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("ATTACH ':memory:' AS m")
	for _, database := range []string{"memory", "m", "trireme"} {
		s.run("CREATE TABLE " + database + ".main.t (id INTEGER, v INTEGER)")
		s.run("CREATE INDEX i ON " + database + ".main.t(v)")
		s.run("INSERT INTO " + database + ".main.t VALUES (1, 10)")
		s.run("CREATE TABLE IF NOT EXISTS " + database + ".main.s (id SERIAL, v INTEGER)")
		s.run("INSERT INTO " + database + ".main.s (v) VALUES (1), (2)")
	}
	columns := func(want string) {
		t.Helper()
		s.want("SELECT database_name, table_name, string_agg(column_name || CASE WHEN is_nullable THEN '' ELSE '!' END, ',' ORDER BY column_index) FROM duckdb_columns() WHERE column_name <> 'id' AND database_name IN ('m', 'memory', 'trireme') AND table_name LIKE 't%' GROUP BY ALL ORDER BY ALL", want)
	}
	s.run("ALTER TABLE public.t ALTER v SET NOT NULL")
	columns("m|t|v;memory|t|v;trireme|t|v!")
	s.run("ALTER TABLE main.t RENAME v TO w")
	columns("m|t|v;memory|t|v;trireme|t|w!")
	s.run("ALTER TABLE trireme.main.t RENAME TO t2")
	columns("m|t|v;memory|t|v;trireme|t2|w!")
	s.run("ALTER TABLE m.t ADD COLUMN x INTEGER CHECK (x > 0)")
	columns("m|t|v,x;memory|t|v;trireme|t2|w!")
	s.wantError("ALTER TABLE public.t ALTER v SET NOT NULL", "42P01")
	s.run("COMMENT ON TABLE m.main.t IS 'of m'")
	s.want("SELECT database_name FROM duckdb_tables() WHERE comment = 'of m'", "m")
	s.run("ALTER INDEX public.i RENAME TO j")
	s.run("ALTER INDEX memory.main.i RENAME TO k")
	s.want("SELECT database_name, index_name FROM duckdb_indexes() WHERE index_name IN ('i', 'j', 'k') ORDER BY ALL", "m|i;memory|k;trireme|j")

	s.run("TRUNCATE public.s RESTART IDENTITY")
	s.want("INSERT INTO public.s (v) VALUES (5) RETURNING id", "1")
	s.want("INSERT INTO m.s (v) VALUES (5) RETURNING id", "3")
	s.run("DROP TABLE m.main.s")
	s.want("INSERT INTO s (v) VALUES (5) RETURNING id", "2")
	s.want("INSERT INTO memory.main.s (v) VALUES (5) RETURNING id", "3")
	s.run("CREATE TABLE IF NOT EXISTS public.made (id SERIAL, v INTEGER)")
	s.run("CREATE TABLE memory.main.ine (id INTEGER)")
	s.run("CREATE TABLE IF NOT EXISTS public.ine (id SERIAL, v INTEGER)")
	s.want("SELECT database_name FROM duckdb_tables() WHERE table_name = 'ine' ORDER BY ALL", "memory;trireme")

	s.run("CREATE SCHEMA app")
	s.run("CREATE TABLE app.u (a INTEGER)")
	s.run("CREATE TABLE u (a INTEGER)")
	s.run("SET search_path = app, public")
	s.run("ALTER TABLE u RENAME a TO b")
	s.run("USE m")
	s.run("ALTER TABLE t RENAME v TO z")
	s.want("SELECT database_name, schema_name, column_name FROM duckdb_columns() WHERE table_name IN ('t', 'u') AND column_index < 3 AND column_name IN ('a', 'b', 'v', 'z') ORDER BY ALL",
		"m|main|z;memory|main|v;trireme|app|b;trireme|main|a")
}
