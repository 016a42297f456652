//go:build !duckdb_use_lib

package duckbackend

import (
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// watched is a database that notes the changes that Guard is asked about, and refuses those
// with the name "no".
func watched(t *testing.T) (db *DB, asked func() []Change) {
	t.Helper()
	db = openMemory(t)
	var mu sync.Mutex
	var list []Change
	if err := db.Guard(func(c Change) error {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, c)
		if c.Name == "no" || c.Database == "no" {
			return sqlerr.New("42501", "no %s", c.Object).WithHint("Say yes.")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return db, func() []Change {
		mu.Lock()
		defer mu.Unlock()
		now := list
		list = nil
		return now
	}
}

func TestGuardIsAskedOfEachChange(t *testing.T) {
	db, asked := watched(t)
	c := openConn(t, db)
	writes := func(name string) Change { return Change{Act: Writes, Database: name} }
	creates := func(object, name string) Change {
		return Change{Act: Creates, Database: "trireme", Object: object, Name: name}
	}
	for _, step := range []struct {
		sql  string
		want []Change
	}{
		{"SELECT 1", nil},
		{"CREATE TABLE t (x INTEGER PRIMARY KEY)", []Change{writes("trireme"), creates("table", "t")}},
		{"INSERT INTO t VALUES (1)", []Change{writes("trireme")}},
		{"EXPLAIN ANALYZE INSERT INTO t VALUES (2)", []Change{writes("trireme")}},
		{"EXPLAIN INSERT INTO t VALUES (3)", []Change{writes("trireme")}},
		{"CREATE VIEW v AS SELECT * FROM t", []Change{writes("trireme"), creates("view", "v")}},
		{"CREATE OR REPLACE MACRO m(a) AS a", []Change{writes("trireme"), creates("macro", "m")}},
		{"CREATE MACRO n(a) AS TABLE SELECT a", []Change{writes("trireme"), creates("macro", "n")}},
		{"CREATE TYPE e AS ENUM ('a')", []Change{writes("trireme"), creates("type", "e")}},
		{"CREATE SCHEMA s", []Change{writes("trireme"), creates("schema", "s")}},
		{"CREATE TEMP TABLE tt (x INTEGER)", []Change{{Act: Creates, Database: "temp", Object: "table", Name: "tt"}}},
		{"CREATE INDEX i ON t (x)", []Change{writes("trireme")}},
		{"ALTER TABLE s.nosuch RENAME TO x", nil},
		{"DROP INDEX i; DROP VIEW v", []Change{writes("trireme"), writes("trireme")}},
		{"ALTER TABLE t RENAME TO u", []Change{writes("trireme"), creates("table", "u")}},
		{"CREATE VIEW v AS SELECT 1 AS x; ALTER VIEW v RENAME TO w", []Change{writes("trireme"), creates("view", "v"), writes("trireme"), creates("view", "w")}},
		{"CREATE SEQUENCE q; SELECT nextval('q')", []Change{writes("trireme"), writes("trireme")}},
		{"ATTACH ':memory:' AS a", []Change{{Act: Attaches, Database: "a"}}},
		{"ATTACH OR REPLACE ':memory:' AS a", []Change{{Act: Detaches, Database: "a"}, {Act: Attaches, Database: "a"}}},
		{"ALTER DATABASE a SET ALIAS TO b", []Change{writes("system"), {Act: Detaches, Database: "a"}, {Act: Attaches, Database: "b"}}},
		{"CREATE SCHEMA b.z; CREATE TABLE b.z.y (x INTEGER)", []Change{writes("b"), {Act: Creates, Database: "b", Object: "schema", Name: "z"}, writes("b"), {Act: Creates, Database: "b", Object: "table", Name: "y"}}},
		{"COPY FROM DATABASE b TO trireme", []Change{writes("trireme"), creates("schema", "z"), creates("table", "y"), writes("trireme")}},
		{"CREATE SCHEMA b", []Change{writes("trireme"), {Creates, "trireme", "schema", "b", true}}},
		{"DETACH b", []Change{{Act: Detaches, Database: "b"}}},
		{"ATTACH ':memory:' AS S", []Change{{Act: Attaches, Database: "S", Taken: true}}},
		{"BEGIN; CREATE SCHEMA own; ATTACH ':memory:' AS own; ROLLBACK", []Change{writes("trireme"), creates("schema", "own"), {Act: Attaches, Database: "own", Taken: true}}},
	} {
		err := runs(ctx, c, step.sql)
		if got := asked(); !slices.Equal(got, step.want) {
			t.Errorf("%s (%v): asked of %v, want %v", step.sql, err, got, step.want)
		}
	}
}

// A number that is drawn while a statement is bound is a change as any other.
func TestGuardIsAskedOfNumbersOfArguments(t *testing.T) {
	db, asked := watched(t)
	c := openConn(t, db)
	mustExec(t, c, "CREATE SEQUENCE q; CREATE SEQUENCE r START 3")
	_ = asked()
	for _, sql := range []string{"SELECT count(*) FROM range(nextval('r'))", "SELECT count(*) FROM generate_series(1, nextval('r'))", "SELECT count(*) FROM unnest([nextval('q')])", "CALL range(nextval('q'))", "SELECT nextval('q')"} {
		if err := runs(ctx, c, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
		if got := asked(); !slices.Contains(got, Change{Act: Writes, Database: "trireme"}) {
			t.Errorf("%s: asked of %v", sql, got)
		}
		mustExec(t, c, "BEGIN READ ONLY")
		wantCode(t, runs(ctx, c, sql), "25006")
		mustExec(t, c, "ROLLBACK")
	}
	mustExec(t, c, "BEGIN; CALL range(nextval('q')); COMMIT")
}

func TestGuardRefuses(t *testing.T) {
	db, _ := watched(t)
	c := openConn(t, db)
	mustExec(t, c, "CREATE TABLE t (x INTEGER); CREATE VIEW v AS SELECT 1 AS x")
	for _, sql := range []string{
		"CREATE TABLE no (x INTEGER)", "CREATE TABLE no AS SELECT * FROM range(100000) r(x)", "CREATE TEMP VIEW no AS SELECT 1", "CREATE MACRO no() AS 1", "CREATE SCHEMA no", "CREATE TYPE no AS ENUM ('a')",
		"ALTER TABLE t RENAME TO no", "ALTER VIEW v RENAME TO no", "ATTACH ':memory:' AS no", "ATTACH OR REPLACE ':memory:' AS no", "DETACH no", "EXPLAIN ANALYZE CREATE TABLE no AS SELECT 1", "BEGIN; ALTER TABLE t RENAME TO no",
	} {
		e := sqlerr.From(runs(ctx, c, sql))
		if e == nil || e.Code != "42501" || e.Hint != "Say yes." {
			t.Errorf("%s: %v, %+v", sql, e, e)
		}
		_ = c.Exec(ctx, "ROLLBACK") // of the one that begins
	}
	mustExec(t, c, "INSERT INTO t SELECT x FROM v; ALTER TABLE t RENAME TO u; ALTER VIEW v RENAME TO w")

	own, err := db.OwnConn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, own, "CREATE SCHEMA no; CREATE TABLE no (x INTEGER); ATTACH ':memory:' AS no; DETACH no")
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
}

// What the log of a file has in it is there already.
func TestGuardLetsLogsBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	written, err := Open(ctx, Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	conn := openConn(t, written)
	mustExec(t, conn, "PRAGMA disable_checkpoint_on_shutdown; CREATE TABLE no (x INTEGER); INSERT INTO no VALUES (7)")
	if err := written.Close(); err != nil {
		t.Fatal(err)
	}
	db, _ := watched(t)
	c := openConn(t, db)
	mustExec(t, c, "ATTACH '"+path+"' AS f; INSERT INTO f.no VALUES (8)")
}

// A path is asked about where a connection uses it, however it comes to it; DuckDB's use of the
// files of a database is not.
func TestGuardIsAskedOfPaths(t *testing.T) {
	db, asked := watched(t)
	c := openConn(t, db)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustExec(t, c, "COPY (SELECT 1 AS x) TO '"+in("a.csv")+"'; CREATE VIEW v AS FROM read_csv('"+dir+"' || '/*.csv'); ATTACH '"+in("f.db")+"' AS f; CREATE TABLE f.t (x INTEGER)")
	if opens := pathsOf(asked()); !slices.Contains(opens, in("a.csv")) || !slices.Contains(opens, in("f.db")) {
		t.Errorf("asked of %q", opens)
	}
	if got := query(t, c, "FROM query_table('v')"); got != "1\n" {
		t.Error(got)
	}
	if opens := pathsOf(asked()); !slices.Contains(opens, in("a.csv")) {
		t.Errorf("a view: asked of %q", opens)
	}
	mustExec(t, c, "INSERT INTO f.t VALUES (1); CHECKPOINT f; INSERT INTO f.t SELECT * FROM range(100000); FORCE CHECKPOINT f")
	if opens := pathsOf(asked()); len(opens) > 0 {
		t.Errorf("DuckDB's own use: asked of %q", opens)
	}
}

func pathsOf(changes []Change) (paths []string) {
	for _, c := range changes {
		if c.Act == Opens || c.Act == OpensDatabase {
			paths = append(paths, c.Name)
		}
	}
	return paths
}
