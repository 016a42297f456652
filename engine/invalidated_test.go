package engine

import (
	"path/filepath"
	"testing"
)

// A database that DuckDB closes because it could not be written is told of once, and has
// what was acknowledged when it is opened again. What users write in messages does not
// close anything.
func TestInvalidatedDatabaseIsToldOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	told := make(chan error, 10)
	s := openSession(t, openConfig(t, Config{Path: path, Invalidated: func(err error) { told <- err }}))
	s.run("CREATE TABLE t AS SELECT 42 AS x")
	s.wantError(`SELECT error('Database "trireme" has been invalidated because of me')`, "22023")
	s.wantError(`SELECT error('{"exception_type":"FATAL","exception_message":"x"}')`, "XX000")
	s.wantError(`SELECT error('{"exception_type":"IO","exception_message":"Database \"trireme\" has been invalidated because of me"}')`, "58030")
	s.run("SET GLOBAL debug_checkpoint_abort = 'before_header'")
	if len(told) != 0 {
		t.Fatalf("told too early: %v", <-told)
	}
	for range 2 {
		if _, _, err := s.try("CHECKPOINT"); err == nil {
			t.Fatal("the checkpoint did not fail")
		}
	}
	if len(told) != 1 {
		t.Errorf("told %d times", len(told))
	}
}

// An attached database that could not be written is detached, and can be attached again: it
// stops nobody else, and has lost nothing.
func TestAttachedDatabaseThatIsInvalidated(t *testing.T) {
	dir := t.TempDir()
	told := make(chan error, 10)
	e := openConfig(t, Config{Path: filepath.Join(dir, "x.db"), Invalidated: func(err error) { told <- err }})
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE t AS SELECT 42 AS x")
	s.run("CHECKPOINT")
	s.run("ATTACH '" + filepath.Join(dir, "s.db") + "' AS s")
	s.run("CREATE TABLE s.u AS SELECT 1 AS x")
	s.run("SET GLOBAL debug_checkpoint_abort = 'before_header'")
	if _, _, err := s.try("CHECKPOINT s"); err == nil {
		t.Fatal("the checkpoint did not fail")
	}
	s.run("RESET GLOBAL debug_checkpoint_abort")
	other.want("SELECT 1", "1")
	other.want("SELECT x FROM t", "42")
	other.run("INSERT INTO t VALUES (43)")
	other.wantError("FROM s.u", "42P01") // it is detached
	other.run("ATTACH '" + filepath.Join(dir, "s.db") + "' AS s")
	other.want("FROM s.u", "1")
	other.run("DETACH s")
	other.want("SELECT count(*) FROM t a JOIN t b ON a.x = b.x", "2")
	if len(told) > 0 {
		t.Errorf("told that the server's own is gone: %v", <-told)
	}
}

// A checkpoint beside a transaction that has written harms nobody.
func TestCheckpointBesideAWriter(t *testing.T) {
	e := openConfig(t, Config{Path: filepath.Join(t.TempDir(), "x.db")})
	writer, s := openSession(t, e), openSession(t, e)
	writer.run("CREATE TABLE t (x INTEGER)")
	writer.run("BEGIN")
	writer.run("INSERT INTO t VALUES (1)")
	s.run("CHECKPOINT")
	writer.run("INSERT INTO t VALUES (2)")
	writer.run("COMMIT")
	s.run("CHECKPOINT")
	s.want("SELECT sum(x) FROM t", "3")
}
