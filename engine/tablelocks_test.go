package engine

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/engine/advisory"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// alterations are the ways to alter the table t(k, v) in which rows that others wrote could
// be lost. t has an index, a column id that counts, and a table child that refers to it.
var alterations = []string{
	"ALTER TABLE t ADD CONSTRAINT ck CHECK (v < 1000)",
	"ALTER TABLE t ALTER COLUMN v SET NOT NULL",
	"ALTER TABLE t ALTER COLUMN v SET DEFAULT 7",
	"ALTER TABLE t ALTER COLUMN v TYPE BIGINT",
	"ALTER TABLE t RENAME COLUMN v TO w",
	"ALTER TABLE t RENAME TO u",
	"ALTER TABLE t DROP COLUMN id",
	"ALTER TABLE t ADD COLUMN n INTEGER DEFAULT 5",
	"ALTER TABLE t ADD COLUMN n INTEGER DEFAULT 5 CHECK (n > 0)",
	"ALTER TABLE parent RENAME TO ancestor",
	"ALTER INDEX ti RENAME TO tj",
	"CREATE INDEX tk ON t(k)",
	"SELECT setval('t_id_seq', 1)",
	"DROP TABLE parent CASCADE",
}

func openAltered(t *testing.T) (e *Engine, a, b testSession) {
	t.Helper()
	e = openEngine(t)
	a, b = openSession(t, e), openSession(t, e)
	a.makeAltered()
	return e, a, b
}

// makeAltered makes the tables anew.
func (a testSession) makeAltered() {
	a.t.Helper()
	for _, name := range []string{"t", "u", "parent", "ancestor"} {
		a.run("DROP TABLE IF EXISTS " + name)
	}
	a.run("CREATE TABLE parent (p INTEGER PRIMARY KEY)")
	a.run("CREATE TABLE t (id SERIAL, k INTEGER, v INTEGER, p INTEGER REFERENCES parent(p))")
	a.run("CREATE INDEX ti ON t(v)")
	a.run("INSERT INTO t (k, v) VALUES (1, 10), (2, 20)")
}

// inBackground runs a statement that has to wait for a lock.
func (a testSession) inBackground(sql string) <-chan error {
	a.t.Helper()
	done := make(chan error, 1)
	go func() {
		_, _, err := a.try(sql)
		done <- err
	}()
	for !slices.ContainsFunc(a.engine.locks.List(), func(e advisory.Entry) bool { return !e.Granted }) {
		if len(done) > 0 {
			a.t.Errorf("%s has not waited", sql)
			break
		}
		runtime.Gosched()
	}
	return done
}

// rowsAfter are the rows of the altered table, whatever it and its columns are called.
func rowsAfter(s testSession) string {
	name := s.run("SELECT table_name FROM duckdb_tables() WHERE table_name IN ('t', 'u')")
	return s.run("SELECT x.k, x.v FROM (SELECT k, COLUMNS('^[vw]$') AS v FROM " + name + ") x ORDER BY x.k")
}

// What was committed before a table is altered stays, though the transaction had its
// snapshot before.
func TestAlterKeepsWhatWasCommittedBefore(t *testing.T) {
	_, a, b := openAltered(t)
	for _, sql := range alterations {
		a.makeAltered()
		a.run("BEGIN")
		a.run("SELECT count(*) FROM t")
		now := a.run("SELECT now()::VARCHAR")
		b.run("INSERT INTO t (k, v) VALUES (3, 30)")
		b.run("UPDATE t SET v = 100 WHERE k = 1")
		b.run("DELETE FROM t WHERE k = 2")
		a.run(sql)
		a.want("SELECT now()::VARCHAR", now)
		a.run("COMMIT")
		if got := rowsAfter(b); got != "1|100;3|30" {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// A transaction that has written, or must not take another snapshot, cannot alter what
// others have changed.
func TestAlterFailsInAnOldSnapshot(t *testing.T) {
	_, a, b := openAltered(t)
	a.run("CREATE TABLE other (x INTEGER)")
	for _, sql := range alterations {
		a.makeAltered()
		for _, begin := range [][]string{{"BEGIN", "INSERT INTO other VALUES (1)"}, {"BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM other"}} {
			for _, first := range begin {
				a.run(first)
			}
			b.run("UPDATE t SET v = v + 1 WHERE k = 1")
			a.wantError(sql, "40001")
			a.run("ROLLBACK")
		}
		if got := rowsAfter(b); got != "1|12;2|20" {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// Who alters a table waits for those who are writing it, alone and in a transaction.
func TestAlterWaitsForWriters(t *testing.T) {
	e, a, b := openAltered(t)
	for _, begin := range []string{"", "BEGIN ISOLATION LEVEL SERIALIZABLE"} {
		for _, sql := range alterations {
			a.makeAltered()
			if begin != "" {
				a.run(begin)
			}
			b.run("BEGIN")
			b.run("UPDATE t SET v = 100 WHERE k = 1")
			done := a.inBackground(sql)
			b.run("INSERT INTO t (k, v) VALUES (3, 30)")
			b.run("COMMIT")
			if err := <-done; err != nil {
				t.Errorf("%s; %s: %v", begin, sql, err)
			}
			a.run("COMMIT")
			if got := rowsAfter(b); got != "1|100;2|20;3|30" {
				t.Errorf("%s; %s: %s", begin, sql, got)
			}
			if left := e.locks.List(); len(left) > 0 {
				t.Errorf("%s; %s: locks are left: %v", begin, sql, left)
			}
		}
	}
}

// Who writes a table waits for those who are altering it, and sees it as it is then.
func TestWritersWaitForAlter(t *testing.T) {
	_, a, b := openAltered(t)
	codes := map[string]string{
		"ALTER TABLE t RENAME TO u":                 sqlerr.UndefinedTable,
		"ALTER TABLE t ALTER COLUMN v SET NOT NULL": sqlerr.NotNullViolation,
	}
	for _, begin := range []string{"", "BEGIN"} {
		for _, sql := range alterations {
			a.makeAltered()
			a.run("BEGIN")
			a.run(sql)
			if begin != "" {
				b.run(begin)
			}
			done := b.inBackground("INSERT INTO t (k) VALUES (3)")
			a.run("COMMIT")
			got, want := "", codes[sql]
			if err := <-done; err != nil {
				got = sqlerr.From(err).Code
			}
			b.run("COMMIT")
			if got != want {
				t.Errorf("%s; %s: SQLSTATE %s, want %s", begin, sql, got, want)
			}
			if want == "" {
				b.want("SELECT count(*), max(k) FROM t", "3|3")
			}
		}
	}
}

// A statement of which it is not known what it writes excludes those who alter, not those
// who write.
func TestAlterWaitsForUnknownWriters(t *testing.T) {
	e, a, b := openAltered(t)
	c := openSession(t, e)
	b.run("BEGIN")
	b.run(anything)
	c.run("UPDATE t SET v = 200 WHERE k = 2")
	done := a.inBackground("ALTER TABLE t ALTER COLUMN v SET NOT NULL")
	c.want("SELECT mode, granted FROM pg_locks WHERE locktype = 'object' ORDER BY ALL", "RowExclusiveLock|1;ShareRowExclusiveLock|0")
	b.run("COMMIT")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	c.want("SELECT k, v FROM t ORDER BY k", "1|10;2|200")
}

// The wait ends by timeouts, by cancellation and where it would be circular.
func TestAlterWaitEnds(t *testing.T) {
	e, a, b := openAltered(t)
	c := openSession(t, e)
	const alter = "ALTER TABLE t ALTER COLUMN v SET NOT NULL"
	b.run("BEGIN")
	b.run("UPDATE t SET v = 100 WHERE k = 1")
	c.want("SELECT relation::regclass, mode, granted FROM pg_locks", "t|RowExclusiveLock|1")
	a.run("SET lock_timeout = '10ms'")
	a.wantError(alter, sqlerr.LockNotAvailable)
	a.run("SET lock_timeout = 0")
	a.run("SET statement_timeout = '10ms'")
	a.wantError(alter, sqlerr.QueryCanceled)
	a.run("SET statement_timeout = 0")
	done := a.inBackground(alter)
	a.Cancel()
	var err *sqlerr.Error
	if got := <-done; !errors.As(got, &err) || err.Code != sqlerr.QueryCanceled {
		t.Errorf("error %v", got)
	}
	a.run("BEGIN")
	a.run("SELECT pg_advisory_xact_lock(1)")
	done = a.inBackground(alter)
	b.wantError("SELECT pg_advisory_xact_lock(1)", sqlerr.DeadlockDetected)
	b.run("ROLLBACK")
	if err := <-done; err != nil {
		t.Error(err)
	}
	a.run("COMMIT")
	c.want("SELECT k, v FROM t ORDER BY k", "1|10;2|20")

	a.run("BEGIN")
	a.run("INSERT INTO t (k, v) VALUES (3, 30)")
	b.run("BEGIN")
	b.run("INSERT INTO t (k, v) VALUES (4, 40)")
	done = a.inBackground(alter)
	b.wantError(alter, sqlerr.DeadlockDetected)
	b.run("ROLLBACK")
	if err := <-done; err != nil {
		t.Error(err)
	}
	a.run("COMMIT")
	c.want("SELECT k, v FROM t ORDER BY k", "1|10;2|20;3|30")
	c.want("SELECT count(*) FROM pg_locks", "0")
}

// ROLLBACK TO gives the locks of what it undoes back.
func TestAlterUndone(t *testing.T) {
	_, a, b := openAltered(t)
	a.run("BEGIN")
	a.run("SAVEPOINT s")
	a.run("ALTER TABLE t ALTER COLUMN v SET NOT NULL")
	a.run("ROLLBACK TO s")
	b.run("INSERT INTO t (k) VALUES (3)")
	a.run("COMMIT")
	b.want("SELECT k FROM t ORDER BY k", "1;2;3")
}
