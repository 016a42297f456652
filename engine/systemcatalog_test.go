package engine

import (
	"strings"
	"testing"
)

const catalogSetup = `CREATE SCHEMA "other one";
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE SEQUENCE numbers;
CREATE TABLE parent(id INTEGER PRIMARY KEY DEFAULT nextval('numbers'), name VARCHAR NOT NULL UNIQUE, price DECIMAL(10,2) CHECK (price > 0), m mood, tags VARCHAR[]);
CREATE TABLE child(a INTEGER, b INTEGER, parent_id INTEGER REFERENCES parent(id), twice INTEGER GENERATED ALWAYS AS (a * 2), PRIMARY KEY (a, b));
CREATE TABLE "other one".t("X y" INTEGER);
CREATE INDEX child_b ON child(b);
CREATE INDEX child_sum ON child((a + b));
CREATE VIEW v AS SELECT id, name FROM parent;
CREATE MACRO plus(a, b) AS a + b;
COMMENT ON TABLE parent IS 'those above';
COMMENT ON COLUMN parent.name IS 'what it is called'`

// What the tables of the copy show is what the views show.
func TestKeptCatalogIsLive(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(catalogSetup, ";\n") {
		s.run(sql)
	}
	s.run("SELECT count(*) FROM pg_class")
	names := s.run("SELECT table_name FROM duckdb_tables() WHERE database_name = 'trireme_pg_kept' AND schema_name = 'pg'" +
		" AND table_name IN (SELECT view_name FROM duckdb_views() WHERE database_name = 'trireme_pg')")
	if n := len(strings.Split(names, ";")); n < 20 {
		t.Fatalf("%d tables: %s", n, names)
	}
	for _, name := range strings.Split(names, ";") {
		contents := "SELECT count(*) || ' rows, ' || coalesce(sum(hash(x)::HUGEINT), 0) FROM "
		if live, kept := s.run(contents+"trireme_pg.pg."+name+" AS x"), s.run(contents+"trireme_pg_kept.pg."+name+" AS x"); live != kept {
			t.Errorf("%s: %s; kept %s", name, live, kept)
		}
	}
}

// A statement on the catalog sees what its session sees, from the copy or not.
func TestCatalogSeesDDL(t *testing.T) {
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	const tables = "SELECT string_agg(relname, ',' ORDER BY relname) FROM pg_class WHERE relkind = 'r' AND oid >= 16384 AND relname LIKE 't_'"
	want := func(s testSession, text, when string) {
		t.Helper()
		if got := s.run(tables); got != text {
			t.Errorf("%s: %s, not %s", when, got, text)
		}
	}
	a.run("CREATE TABLE t1(a INTEGER)")
	want(a, "t1", "own table")
	want(b, "t1", "table of another session")
	a.run("BEGIN")
	want(a, "t1", "in a transaction")
	a.run("CREATE TABLE t2(a INTEGER)")
	want(a, "t1,t2", "own table that is not committed")
	want(b, "t1", "table of another session that is not committed")
	a.run("ROLLBACK")
	want(a, "t1", "after a rollback")

	a.run("BEGIN")
	want(a, "t1", "in a transaction")
	b.run("CREATE TABLE t3(a INTEGER)")
	want(b, "t1,t3", "after DDL")
	want(a, "t1", "in a transaction that began before")
	a.run("COMMIT")
	want(a, "t1,t3", "after the transaction")
	a.run("CREATE TEMP TABLE t4(a INTEGER)")
	want(a, "t1,t3,t4", "own temporary table")
	want(b, "t1,t3", "temporary table of another session")
	b.run("ALTER TABLE t1 RENAME TO t5")
	want(a, "t3,t4,t5", "with a temporary table")
	want(b, "t3,t5", "after ALTER")
}

// A transaction that has seen the copy as it was filled for an older version reads
// DuckDB's catalog instead.
func TestCatalogOfOlderFilling(t *testing.T) {
	e := openEngine(t)
	a, b, c := openSession(t, e), openSession(t, e), openSession(t, e)
	const tables = "SELECT count(*) FROM pg_class WHERE relname LIKE 't_'"
	if got := a.run(tables); got != "0" {
		t.Fatal(got)
	}
	b.run("CREATE TABLE t1(a INTEGER)")
	c.run("BEGIN")
	c.run("CREATE TABLE t2(a INTEGER)")
	a.run("BEGIN")
	a.run("SELECT count(*) FROM trireme_pg_kept.pg._class") // pins the filling without t1
	c.run("ROLLBACK")
	if got := b.run(tables); got != "1" {
		t.Errorf("outside of the transaction: %s", got)
	}
	if got := a.run(tables); got != "1" {
		t.Errorf("in the transaction: %s", got)
	}
	a.run("COMMIT")
}

// A prepared statement follows DDL of its own transaction, also under settings that
// make the session bind for itself.
func TestPreparedCatalogStatement(t *testing.T) {
	for _, setting := range []string{"SET application_name = 'x'", "SET search_path = 'main'"} {
		s := openSession(t, openEngine(t))
		s.run(setting)
		s.run("PREPARE q AS SELECT count(*) FROM pg_class WHERE relname LIKE 't_'")
		s.run("BEGIN")
		if got := s.run("EXECUTE q"); got != "0" {
			t.Errorf("%s: before: %s", setting, got)
		}
		s.run("CREATE TABLE t1(a INTEGER)")
		if got := s.run("EXECUTE q"); got != "1" {
			t.Errorf("%s: after CREATE TABLE: %s", setting, got)
		}
		s.run("ROLLBACK")
		if got := s.run("EXECUTE q"); got != "0" {
			t.Errorf("%s: after ROLLBACK: %s", setting, got)
		}
	}
}

// DuckDB types no parameter of these, though each has a cast: they are described all the
// same.
func TestColumnsOfCastParameters(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"SELECT len([$1::VARCHAR]) AS x", "SELECT json_object($1::VARCHAR, 1) AS x",
		"SELECT 1 AS x FROM pg_description WHERE classoid = CAST($1 AS REGCLASS)",
	} {
		p, err := s.Prepare(t.Context(), sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		if columns := p.Columns(); len(columns) != 1 || columns[0].Name != "x" {
			t.Errorf("%s: columns %v", sql, columns)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Numbers of rows and values of sequences change without DDL.
func TestCatalogSeesData(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t(a INTEGER)")
	s.run("CREATE SEQUENCE q")
	const figures = "SELECT reltuples, relpages, pg_total_relation_size(oid), (SELECT last_value FROM pg_sequences) FROM pg_class WHERE relname = 't'"
	if got := s.run(figures); got != "0|0|0|NULL" {
		t.Errorf("empty: %s", got)
	}
	s.run("INSERT INTO t FROM range(2000)")
	s.run("SELECT nextval('q')")
	if got := s.run(figures); got != "2000|2|8000|1" {
		t.Errorf("after INSERT: %s", got)
	}
}
