package engine

import (
	"context"
	"testing"
)

func TestSavepointWithNothingToUndo(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (x INTEGER)")
	s.play(`
		SAVEPOINT a ! 25P01
		RELEASE a ! 25P01
		ROLLBACK TO a ! 25P01
		BEGIN => BEGIN
		INSERT INTO t VALUES (1) => INSERT 0 1
		SAVEPOINT a => SAVEPOINT
		SELECT count(*) FROM t : 1
		SHOW statement_timeout : 0
		EXPLAIN INSERT INTO t VALUES (2) => EXPLAIN
		SAVEPOINT b => SAVEPOINT
		ROLLBACK TO SAVEPOINT a => ROLLBACK
		ROLLBACK TO a => ROLLBACK
		RELEASE SAVEPOINT a => RELEASE
		COMMIT => COMMIT
		SELECT count(*) FROM t : 1
		BEGIN => BEGIN
		SAVEPOINT a => SAVEPOINT
		INSERT INTO t VALUES (2) => INSERT 0 1
		SAVEPOINT "A" => SAVEPOINT
		SAVEPOINT a => SAVEPOINT
		SELECT count(*) FROM t : 2
		ROLLBACK TO a => ROLLBACK
		ROLLBACK TO "A" => ROLLBACK
		RELEASE a => RELEASE
		COMMIT => COMMIT
		SELECT count(*) FROM t : 2
	`)
}

func TestSavepointUnknown(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.play(`
		BEGIN => BEGIN
		SAVEPOINT a => SAVEPOINT
		SAVEPOINT b => SAVEPOINT
		RELEASE a => RELEASE
		RELEASE b ! 3B001
		ROLLBACK TO a ! 3B001
		SAVEPOINT a ! 25P02
		RELEASE a ! 25P02
		COMMIT => ROLLBACK
		BEGIN => BEGIN
		ROLLBACK TO a ! 3B001
		ROLLBACK => ROLLBACK
	`)
}

// TestSavepointThatWouldUndo: what cannot be undone fails the transaction, so that it
// is not committed either.
func TestSavepointThatWouldUndo(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (x INTEGER)")
	s.run("PREPARE p AS INSERT INTO t VALUES (7)")
	for _, change := range []string{
		"INSERT INTO t VALUES (1)", "UPDATE t SET x = 1", "DELETE FROM t", "CREATE TABLE u (x INTEGER)", "CREATE TEMP TABLE u (x INTEGER)",
		"DROP TABLE t", "ALTER TABLE t ADD COLUMN y INTEGER", "TRUNCATE t", "EXECUTE p", "EXPLAIN ANALYZE INSERT INTO t VALUES (1)",
		"SET VARIABLE v = 1", "CREATE MACRO m() AS 1", "DISCARD TEMP",
	} {
		s.run("BEGIN")
		s.run("SAVEPOINT a")
		s.run(change)
		if e := s.wantError("ROLLBACK TO a", "0A000"); e.Hint == "" {
			t.Errorf("%s: no hint", change)
		}
		s.wantStatus(TxFailed)
		s.wantTag("COMMIT", "ROLLBACK")
		s.want("SELECT count(*) FROM t", "0")
	}
	s.play(`
		BEGIN => BEGIN
		INSERT INTO t VALUES (1) => INSERT 0 1
		SAVEPOINT a => SAVEPOINT
		SELECT nothing FROM t ! 42703
		ROLLBACK TO a ! 0A000
		SELECT 1 ! 25P02
		COMMIT => ROLLBACK
		SELECT count(*) FROM t : 0
	`)
}

func TestSavepointSettingsAndCursors(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.play(`
		SET statement_timeout = 7000 => SET
		BEGIN => BEGIN
		SET LOCAL statement_timeout = 8000 => SET
		DECLARE c CURSOR FOR SELECT i FROM range(100000) r(i) ORDER BY i => DECLARE CURSOR
		FETCH c : 0
		SAVEPOINT a => SAVEPOINT
		FETCH c : 1
		DECLARE d CURSOR FOR SELECT 1 => DECLARE CURSOR
		SET statement_timeout = 9000 => SET
		SET application_name = 'within' => SET
		SET TRANSACTION READ ONLY => SET
		ROLLBACK TO a => ROLLBACK
		SHOW statement_timeout : 8s
		SHOW application_name :
		SHOW transaction_read_only : off
		FETCH d ! 34000
		ROLLBACK => ROLLBACK
		BEGIN => BEGIN
		SET LOCAL statement_timeout = 8000 => SET
		SAVEPOINT a => SAVEPOINT
		SET statement_timeout = 9000 => SET
		ROLLBACK TO a => ROLLBACK
		DECLARE c CURSOR FOR SELECT i FROM range(100000) r(i) ORDER BY i => DECLARE CURSOR
		FETCH c : 0
		SAVEPOINT b => SAVEPOINT
		ROLLBACK TO b => ROLLBACK
		FETCH c : 1
		COMMIT => COMMIT
		SHOW statement_timeout : 7s
	`)
}

// TestSavepointInBlock: statements of one text are a transaction, but not the user's.
func TestSavepointInBlock(t *testing.T) {
	s := openSession(t, openEngine(t))
	if err := s.BeginImplicit(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.run("SELECT 1")
	s.wantError("SAVEPOINT a", "25P01")
	if err := s.EndImplicit(context.Background(), false); err != nil {
		t.Fatal(err)
	}
}
