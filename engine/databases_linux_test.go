//go:build !duckdb_use_lib

package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What public means is not changed by a schema of that name, which would be found at the
// next start.
func TestPublicStaysTheDefaultSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	for _, confined := range []bool{true, false} {
		e, err := Open(context.Background(), Config{Version: "test", Path: path, Confined: confined})
		if err != nil {
			t.Fatal(err)
		}
		s := openSession(t, e)
		s.run("CREATE OR REPLACE TABLE t AS SELECT 1 AS x")
		s.run("ATTACH ':memory:' AS o")
		s.run("CREATE SCHEMA o.public")
		for _, sql := range []string{"CREATE SCHEMA public", "EXPLAIN ANALYZE CREATE SCHEMA public", "EXPLAIN ANALYZE CREATE SCHEMA IF NOT EXISTS trireme.\"PUBLIC\"", "COPY FROM DATABASE o TO trireme", "COPY FROM DATABASE o TO trireme (SCHEMA)"} {
			s.wantError(sql, "42P06")
		}
		s.run("CREATE SCHEMA IF NOT EXISTS public")
		s.run("ATTACH ':memory:' AS p")
		s.run("COPY FROM DATABASE o TO p")
		s.run("CREATE SCHEMA z")
		s.run("DROP SCHEMA z")
		s.want("SELECT x FROM public.t", "1")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A catalog that is not the server's own to change is nobody's in the process either, where
// there are no roles.
func TestCatalogIsKeptInTheProcess(t *testing.T) {
	s := openSession(t, openConfig(t, Config{Version: "test"}))
	s.run("SELECT count(*) FROM pg_class")
	for _, sql := range []string{
		"EXPLAIN ANALYZE CREATE SCHEMA trireme_pg_kept.x", "DROP MACRO IF EXISTS nosuch, trireme_pg_kept.pg._type_oid", "COPY FROM DATABASE memory TO trireme_pg_kept", "INSERT INTO trireme_pg_kept.main.filling VALUES (99)",
		"PREPARE n AS DELETE FROM trireme_pg_kept.main.filling WHERE number >= $1",
	} {
		s.wantError(sql, insufficientPrivilege)
	}
	s.wantError("EXPLAIN ANALYZE DELETE FROM trireme_pg_kept.main.filling", insufficientPrivilege)
	for _, path := range []string{"USE trireme_pg_kept.pg", "SET search_path = 'trireme_pg_kept.pg'", "SET schema = 'trireme_pg_kept.pg'"} {
		s.run(path)
		for _, sql := range []string{"DELETE FROM _proc", "DELETE FROM pg._proc", "DROP SCHEMA pg CASCADE", "CREATE TABLE x (i INTEGER)", "DROP VIEW pg_roles", "EXPLAIN ANALYZE DELETE FROM _proc"} {
			s.wantError(sql, insufficientPrivilege)
		}
		s.run("USE trireme")
	}
	s.run("CREATE MACRO hashtext(a) AS 42") // nobody else's statements find it
	s.run("SELECT count(*) FROM pg_class")
}

// A name that is both a database's and a schema's is ambiguous for every session.
func TestSchemasAndDatabasesHaveDifferentNames(t *testing.T) {
	s := openSession(t, openConfig(t, Config{Version: "test"}))
	s.run("CREATE SCHEMA app")
	s.run("CREATE TABLE app.t AS SELECT 1 AS x")
	file := filepath.Join(t.TempDir(), "app.db")
	for _, sql := range []string{
		"ATTACH ':memory:' AS app", "ATTACH ':memory:' AS \"APP\"", "ATTACH OR REPLACE ':memory:' AS app", "ATTACH IF NOT EXISTS ':memory:' AS app", "ATTACH '" + file + "'", "ATTACH ':memory:' AS main",
		"ATTACH ':memory:' AS public", "ATTACH ':memory:' AS pg_catalog", "ATTACH ':memory:' AS Information_Schema",
	} {
		s.wantError(sql, "42710")
	}
	s.run("BEGIN")
	s.run("CREATE SCHEMA own")
	s.wantError("ATTACH ':memory:' AS own", "42710")
	s.run("ROLLBACK")
	s.run("ATTACH ':memory:' AS other")
	s.wantError("ALTER DATABASE other SET ALIAS TO app", "42710")
	s.run("CREATE SCHEMA other.app")
	s.run("CREATE SCHEMA other.other")
	for _, sql := range []string{"CREATE SCHEMA other", "CREATE SCHEMA IF NOT EXISTS \"Other\"", "EXPLAIN ANALYZE CREATE SCHEMA trireme.other", "COPY FROM DATABASE other TO trireme"} {
		s.wantError(sql, "42P06")
	}
	s.want("SELECT x FROM app.t", "1")
	s.run("DETACH other")
	s.run("CREATE SCHEMA other")
	s.run("DROP SCHEMA app CASCADE")
	s.run("ATTACH ':memory:' AS app")
}

// A database whose name differs from the server's in the case of letters alone would be taken
// for it in the statements of all sessions.
func TestServedDatabasesHaveTheirNames(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.run("ATTACH ':memory:' AS other")
	for _, name := range []string{"Temp", "temp", "SYSTEM", "Trireme", "Memory"} {
		s.wantError("ATTACH ':memory:' AS \""+name+"\"", "42P04")
		s.wantError("ATTACH IF NOT EXISTS ':memory:' AS "+name, "42P04")
		s.wantError("ALTER DATABASE other SET ALIAS TO \""+name+"\"", "42P04")
	}
	file := filepath.Join(t.TempDir(), "Temp.db")
	s.wantError("ATTACH '"+file+"'", "42P04")
	openSession(t, e).want("SELECT 1", "1")
}

// What DuckDB keeps an attached database in is written by nobody else.
func TestFilesOfAttachedDatabasesAreNoData(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	s := openSession(t, openConfig(t, Config{Version: "test", Path: in("x.db")}))
	s.run("ATTACH '" + in("w.db") + "' AS w")
	s.run("CREATE TABLE w.t AS SELECT i, repeat('x' || i, 20) AS s FROM range(20000) r(i)")
	s.run("CHECKPOINT w")
	if err := os.Link(in("w.db"), in("hard.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(in("w.db.wal"), in("soft.csv")); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"COPY (SELECT 1) TO '%s' (FORMAT csv)", "COPY (SELECT 1) TO '%s' (FORMAT csv, USE_TMP_FILE false)", "EXPLAIN ANALYZE COPY (SELECT 1) TO '%s' (FORMAT csv)", "COPY (SELECT 'z'::BLOB) TO '%s' (FORMAT blob)",
		"COPY (SELECT 1) TO '%s' (FORMAT parquet)", "FROM read_blob('%s')",
	} {
		for _, name := range []string{"w.db", "w.db.wal", "hard.csv", "soft.csv", "x.db", "x.db.wal"} {
			s.wantError(strings.ReplaceAll(sql, "%s", in(name)), "55006")
		}
	}
	s.run("UPDATE w.t SET s = 'y' WHERE i = 5")
	s.run("CHECKPOINT w")
	s.want("SELECT count(*), count(*) FILTER (s = 'y') FROM w.t", "20000|1")
	s.run("ATTACH IF NOT EXISTS '" + in("w.db") + "' AS w")
	s.run("DETACH w")
	s.run("COPY (SELECT 1) TO '" + in("w.db") + "'")
}
