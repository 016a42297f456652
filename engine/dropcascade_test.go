package engine

import (
	"strings"
	"testing"
)

// TestDropCascadeKeepsTables: DROP .. CASCADE takes the defaults of the columns that a
// sequence counts, and no table that it does not name.
func TestDropCascadeKeepsTables(t *testing.T) {
	s := openSession(t, openEngine(t))
	defaults := func(table string) string {
		return "SELECT string_agg(coalesce(column_default, '-'), ',' ORDER BY column_index) FROM duckdb_columns() WHERE table_name = '" + table + "'"
	}
	s.run("CREATE TABLE cs (id SERIAL PRIMARY KEY, v INTEGER)")
	s.run("CREATE TABLE kid (c INTEGER REFERENCES cs (id))")
	s.run("INSERT INTO cs (v) VALUES (1)")
	s.run("INSERT INTO kid VALUES (1)")
	if e := s.wantError("DROP SEQUENCE cs_id_seq", "2BP01"); strings.Contains(e.Message, "CASCADE") || e.Hint == "" {
		t.Errorf("message %q, hint %q", e.Message, e.Hint)
	}
	s.run("DROP SEQUENCE cs_id_seq CASCADE")
	s.want("FROM cs", "1|1")
	s.want(defaults("cs"), "-,-")
	s.wantError("INSERT INTO cs (v) VALUES (2)", "23502")
	s.wantError("INSERT INTO kid VALUES (2)", "23503")
	// Of two sequences of one name only that which goes; expressions count as well.
	s.run("CREATE SCHEMA z")
	s.run("CREATE SEQUENCE q")
	s.run("CREATE SEQUENCE z.q START 7")
	s.run("CREATE TABLE z.near (a INTEGER DEFAULT nextval('q'), b INTEGER)")
	s.run("CREATE TABLE far (a VARCHAR DEFAULT ('x' || nextval('q')), b INTEGER DEFAULT nextval('z.q'), c INTEGER)")
	s.run("CREATE INDEX far_c ON far (c)")
	s.run("INSERT INTO z.near (b) VALUES (1)")
	s.run("INSERT INTO far (c) VALUES (1)")
	s.run("DROP SEQUENCE IF EXISTS q CASCADE")
	s.want(defaults("near"), "nextval('q'),-")
	s.want(defaults("far"), "-,nextval('z.q'),-")
	s.want("FROM z.near", "7|1")
	// A schema takes its own tables, and the defaults of others.
	s.run("DROP SCHEMA z CASCADE")
	s.want("FROM far", "x1|8|1")
	s.want(defaults("far"), "-,-,-")
	s.want("SELECT count(*) FROM duckdb_indexes()", "1")
	s.wantError("FROM z.near", "42P01")
	// The sequence of a column of a table that counts another's.
	s.run("CREATE TABLE o1 (id SERIAL)")
	s.run("CREATE TABLE o2 (id INTEGER DEFAULT nextval('o1_id_seq'))")
	s.run("INSERT INTO o2 DEFAULT VALUES")
	s.wantError("DROP TABLE o1", "2BP01")
	s.run("DROP TABLE o1 CASCADE")
	s.want("FROM o2", "1")
	s.want("SELECT count(*) FROM duckdb_sequences()", "0")
}

// TestDropCascadeRefusesTables: where a table would go that is not named, nothing goes.
func TestDropCascadeRefusesTables(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE MACRO f1(x) AS x + 1")
	s.run("CREATE SCHEMA fs")
	s.run("CREATE MACRO fs.f2(x) AS x + 2")
	s.run("CREATE TABLE g (k INTEGER, g INTEGER GENERATED ALWAYS AS (f1(k)))")
	s.run("CREATE TABLE h (k INTEGER, c INTEGER CHECK (fs.f2(c) > 0))")
	s.run("CREATE TABLE d (k INTEGER DEFAULT f1(3))")
	s.run("CREATE TABLE owner (k INTEGER)")
	s.run("CREATE SEQUENCE q")
	s.run("ALTER SEQUENCE q OWNED BY owner")
	s.run("CREATE TABLE user1 (k INTEGER DEFAULT nextval('q'))")
	for _, table := range []string{"g", "h", "d", "owner", "user1"} {
		s.run("INSERT INTO " + table + " (k) VALUES (1)")
	}
	for _, drop := range []string{
		"DROP FUNCTION f1 CASCADE", "DROP MACRO IF EXISTS f1 CASCADE", "DROP SCHEMA fs CASCADE", "DROP SCHEMA IF EXISTS nothing, fs CASCADE", "DROP TABLE owner CASCADE",
	} {
		s.wantError(drop, "2BP01")
		s.run("BEGIN")
		s.wantError(drop, "2BP01")
		s.run("ROLLBACK")
	}
	s.want("SELECT count(*) FROM g, h, d, owner, user1", "1")
	s.want("SELECT f1(1) + fs.f2(1)", "5")
	s.run("DROP TABLE owner, user1 CASCADE")
	s.run("DROP TABLE g, d")
	s.run("DROP FUNCTION f1 CASCADE")
	s.run("CREATE MACRO tf(x) AS TABLE SELECT x")
	s.run("DROP MACRO TABLE tf CASCADE")
	s.wantError("FROM tf(1)", "42883")
	s.run("CREATE TYPE mood AS ENUM ('a')")
	s.run("CREATE TABLE m (k mood)")
	s.run("INSERT INTO m VALUES ('a')")
	s.run("DROP TYPE mood CASCADE")
	s.want("FROM m", "a")
}
