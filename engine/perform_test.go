package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func TestAdvisoryLocks(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.play(`
		SELECT pg_advisory_lock(1) :
		SELECT pg_advisory_lock(-1), pg_advisory_lock(7, -8) : |
		SELECT pg_try_advisory_lock(1) AS got, pg_try_advisory_lock(2) : 1|1
		SELECT pg_advisory_unlock(3) : 0
		SELECT classid, objid, objsubid, mode, granted FROM pg_locks WHERE locktype = 'advisory' ORDER BY ALL : 0|1|1|ExclusiveLock|1;0|2|1|ExclusiveLock|1;7|4294967288|2|ExclusiveLock|1;4294967295|4294967295|1|ExclusiveLock|1
	`)
	if n := s.Notices(); len(n) != 1 || n[0].Message != "you don't own a lock of type ExclusiveLock" {
		t.Errorf("notices %v", n)
	}
	other.play(`
		SELECT pg_try_advisory_lock(1), pg_try_advisory_lock(7, -8), pg_try_advisory_lock(5) : 0|0|1
		SELECT pg_try_advisory_lock(k), k FROM (VALUES (1), (11), (12)) v(k) ORDER BY k : 0|1;1|11;1|12
		SELECT pg_try_advisory_lock_shared(20) : 1
		SELECT CASE WHEN pg_try_advisory_xact_lock(hashtext('x')) THEN 'yes' ELSE 'no' END : yes
		SELECT pg_try_advisory_lock(NULL), pg_advisory_lock(NULL) : NULL|NULL
		SELECT * FROM pg_try_advisory_lock(21) : 1
		WITH l AS (SELECT pg_try_advisory_lock(1) AS l) SELECT l, NOT l FROM l : 0|1
		EXPLAIN SELECT pg_advisory_lock(1) => EXPLAIN
		SELECT k FROM (VALUES (1)) v(k) WHERE pg_try_advisory_lock(k) ! 0A000
		SELECT 1 WHERE pg_try_advisory_lock(1) :
		SELECT pg_advisory_lock(99999999999999999999) ! 22003
		SELECT pg_advisory_lock('x') ! 22P02
		SELECT pg_advisory_lock() ! 42883
	`)
	s.play(`
		SELECT pg_try_advisory_lock_shared(20), pg_try_advisory_lock(20) : 1|0
		SELECT pg_advisory_unlock(1), pg_advisory_unlock(1), pg_advisory_unlock(1) : 1|1|0
		SELECT pg_advisory_unlock(1) : 0
		SELECT pg_advisory_unlock_all() :
	`)
	other.play("SELECT pg_try_advisory_lock(1), pg_try_advisory_lock(7, -8) : 1|1")
	if got := other.run("SELECT pg_try_advisory_lock($1, $2) FROM (VALUES ($3)) v(x)", "7", "9", "10"); got != "1" {
		t.Errorf("with parameters %s", got)
	}
	if got := other.run("SELECT pg_advisory_unlock(?)", "1"); got != "1" {
		t.Errorf("with a parameter %s", got)
	}
}

// Locks for a transaction go with it, or with the savepoint; those of a session with it.
func TestAdvisoryLocksEnd(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	held := func(want string) {
		t.Helper()
		s.want("SELECT coalesce(string_agg(objid, ',' ORDER BY objid), '') FROM pg_locks", want)
	}
	s.run("SELECT pg_advisory_xact_lock(1)") // a transaction of its own
	held("")
	s.run("BEGIN")
	s.run("SELECT pg_advisory_xact_lock(1), pg_advisory_lock(2)")
	s.run("SAVEPOINT a")
	s.run("SELECT pg_advisory_xact_lock(3), pg_advisory_xact_lock_shared(1)")
	held("1,1,2,3")
	s.run("ROLLBACK TO a")
	held("1,2")
	s.run("COMMIT")
	held("2")
	s.run("BEGIN")
	s.run("SELECT pg_try_advisory_xact_lock(4)")
	s.wantError("SELECT nothing", "42703")
	s.run("ROLLBACK")
	held("2")
	other := openSession(t, e)
	other.run("SELECT pg_advisory_lock(5)")
	held("2,5")
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	held("2")
}

// A wait ends with the lock, a cancellation, a timeout or a deadlock.
func TestAdvisoryLockWaits(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("SELECT pg_advisory_lock(1)")
	other.run("SELECT pg_advisory_lock(2)")
	wait := func(sql string) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, _, err := other.try(sql)
			done <- err
		}()
		for s.run("SELECT count(*) FROM pg_locks WHERE NOT granted") != "1" {
		}
		return done
	}
	code := func(err error) string {
		var e *sqlerr.Error
		errors.As(err, &e)
		if e == nil {
			return ""
		}
		return e.Code
	}
	done := wait("SELECT pg_advisory_lock(1)")
	s.wantError("SELECT pg_advisory_lock(2)", sqlerr.DeadlockDetected)
	s.run("SELECT pg_advisory_unlock(1)")
	if err := <-done; err != nil {
		t.Error(err)
	}
	s.run("SET lock_timeout = '10ms'")
	s.wantError("SELECT pg_advisory_lock(1)", sqlerr.LockNotAvailable)
	s.run("SET lock_timeout = 0")
	s.run("SET statement_timeout = '10ms'")
	s.wantError("SELECT pg_advisory_lock(1)", sqlerr.QueryCanceled)
	s.run("SET statement_timeout = 0")
	s.run("SELECT pg_advisory_lock(3)")
	done = wait("SELECT pg_advisory_xact_lock(3)")
	other.Cancel()
	if err := <-done; code(err) != sqlerr.QueryCanceled {
		t.Errorf("error %v", err)
	}
	s.want("SELECT count(*) FROM pg_locks WHERE NOT granted", "0")
	_, err := s.Prepare(context.Background(), "SELECT pg_advisory_lock(1)", nil) // takes nothing
	if err != nil {
		t.Error(err)
	}
}

// TestLockTable: of two transactions that lock a table as migrations do, one waits, and sees
// what the other has committed. Writers do not wait.
func TestLockTable(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE versions (v INTEGER)")
	const lock = `LOCK TABLE "versions" IN SHARE UPDATE EXCLUSIVE MODE`
	s.wantError(lock, sqlerr.NoActiveTransaction)
	s.run("BEGIN")
	s.wantTag(lock, "LOCK TABLE")
	s.want("SELECT locktype, relation::regclass, mode, granted FROM pg_locks", "relation|versions|ShareUpdateExclusiveLock|1")
	other.run("BEGIN")
	other.wantError("LOCK public.versions IN SHARE UPDATE EXCLUSIVE MODE NOWAIT", sqlerr.LockNotAvailable)
	other.run("ROLLBACK")
	other.run("INSERT INTO versions VALUES (1)")
	other.run("BEGIN")
	done := make(chan error, 1)
	go func() {
		_, _, err := other.try(lock)
		done <- err
	}()
	for s.run("SELECT count(*) FROM pg_locks WHERE NOT granted") != "1" {
	}
	s.run("INSERT INTO versions VALUES (2)")
	s.run("COMMIT")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	other.want("SELECT count(*) FROM versions", "2")
	other.run("COMMIT")
	s.run("BEGIN")
	s.wantError("LOCK TABLE nope IN SHARE UPDATE EXCLUSIVE MODE", "42P01")
	s.run("ROLLBACK")
	s.want("SELECT count(*) FROM pg_locks", "0")
}

func TestSetval(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.play(`
		CREATE SEQUENCE s1 => CREATE SEQUENCE
		SELECT setval('s1', 10) : 10
		SELECT nextval('s1') : 11
		SELECT setval('s1', 20, false) : 20
		SELECT nextval('s1'), currval('s1') : 20|20
		SELECT setval('s1', 5), setval('s1', 5, true) : 5|5
		SELECT nextval('s1') : 6
		SELECT setval('public.s1', 1, false) : 1
		SELECT pg_catalog.setval('public.s1'::regclass, 3, true) : 3
		SELECT nextval('s1') : 4
		SELECT setval('s1', 5000000000) : 5000000000
		SELECT nextval('s1') : 5000000001
		SELECT setval('s1', NULL) : NULL
		SELECT setval('s1', 0) ! 22003
		SELECT setval('nosuch', 1) ! 42P01
		SELECT setval('s1', 'x') ! 22P02
		CREATE TABLE t (id SERIAL PRIMARY KEY, v INTEGER UNIQUE, w BIGINT DEFAULT nextval('s1')) => CREATE TABLE
		CREATE INDEX ON t (w) => CREATE INDEX
		CREATE TABLE r (t INTEGER REFERENCES t (id)) => CREATE TABLE
		INSERT INTO t VALUES (100, 1, 1), (200, 2, 2) => INSERT 0 2
		SELECT setval(pg_get_serial_sequence('t', 'id'), max(id)) FROM t : 200
		INSERT INTO t (v) VALUES (3) RETURNING id : 201
		SELECT setval('t_id_seq', coalesce(max(id), 1), max(id) IS NOT NULL) FROM t WHERE id < 50 : 1
		INSERT INTO t (v) VALUES (4) RETURNING id : 1
		SELECT setval('s1', 7) : 7
		INSERT INTO t (v) VALUES (5) RETURNING id, w : 2|8
		INSERT INTO t (id, v) VALUES (2, 9) ! 23505
		TRUNCATE r => TRUNCATE TABLE
		CREATE SEQUENCE down INCREMENT BY -2 MINVALUE -100 MAXVALUE 10 START 10 => CREATE SEQUENCE
		SELECT setval('down', 4) : 4
		SELECT nextval('down') : 2
		SELECT setval('down', 9) : 9
		SELECT nextval('down') : 7
		SELECT setval('down', 11) ! 22003
		BEGIN => BEGIN
		SELECT setval('s1', 50) : 50
		SAVEPOINT a => SAVEPOINT
		SELECT setval('s1', 60) : 60
		ROLLBACK TO a => ROLLBACK
		ROLLBACK => ROLLBACK
		SELECT nextval('s1') : 61
		BEGIN => BEGIN
		SELECT setval('s1', 3) : 3
		SELECT nextval('s1') : 4
		SAVEPOINT a ! 0A000
		COMMIT => COMMIT
		SELECT nextval('s1') : 5
		BEGIN READ ONLY => BEGIN
		SELECT setval('s1', 3) ! 25006
		ROLLBACK => ROLLBACK
	`)
	if got := s.run("SELECT setval($1, $2)", "s1", "77"); got != "77" {
		t.Errorf("with parameters %s", got)
	}
	s.want("SELECT nextval('s1')", "78")
}
