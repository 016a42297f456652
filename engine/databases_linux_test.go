//go:build !duckdb_use_lib

package engine

import (
	"context"
	"path/filepath"
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
