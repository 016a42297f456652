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
