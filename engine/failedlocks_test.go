package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// The victim of a deadlock ends it, though its client does nothing more.
func TestDeadlockEndsWithItsVictim(t *testing.T) {
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	a.run("CREATE TABLE ta (k INTEGER)")
	a.run("CREATE TABLE tb (k INTEGER)")
	a.run("INSERT INTO tb VALUES (1)")
	for _, c := range []struct {
		name   string
		before []string
		after  []string // of the victim, once the other has committed
		ta     string
	}{
		{"plain", []string{"INSERT INTO tb VALUES (2)"}, []string{"COMMIT"}, "1"},
		{"update", []string{"UPDATE tb SET k = 3"}, []string{"ROLLBACK"}, "1"},
		{"savepoint", []string{"SAVEPOINT s", "INSERT INTO tb VALUES (2)"}, []string{"ROLLBACK TO s", "INSERT INTO ta (k) VALUES (9)", "COMMIT"}, "2"},
		{"released savepoint", []string{"SAVEPOINT s", "INSERT INTO tb VALUES (2)", "RELEASE s"}, []string{"COMMIT"}, "1"},
	} {
		a.run("BEGIN")
		a.run("INSERT INTO ta VALUES (1)")
		b.run("BEGIN")
		for _, sql := range c.before {
			b.run(sql)
		}
		done := a.inBackground("ALTER TABLE tb ADD COLUMN y INTEGER")
		b.wantError("ALTER TABLE ta ADD COLUMN y INTEGER", sqlerr.DeadlockDetected)
		if err := <-done; err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		b.wantStatus(TxFailed)
		b.wantError("SELECT 1", sqlerr.FailedTransaction)
		a.run("COMMIT")
		for _, sql := range c.after {
			b.run(sql)
		}
		a.want("SELECT count(*) FROM ta", c.ta)
		a.want("SELECT k, y FROM tb", "1|NULL")
		a.want("SELECT count(*) FROM pg_locks", "0")
		a.run("DELETE FROM ta")
		a.run("ALTER TABLE tb DROP COLUMN y")
	}
}

// What a failed transaction has locked and written is free for others at once, whatever the error
// came from; its client hears of nothing but its end.
func TestFailedTransactionHoldsNothing(t *testing.T) {
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	a.run("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER)")
	a.run("CREATE TABLE texts (s VARCHAR)")
	a.run("INSERT INTO t VALUES (1, 0)")
	a.run("INSERT INTO texts VALUES ('x')")
	// The text that is not a number comes after more rows than DuckDB reads ahead.
	const declare = "DECLARE c CURSOR FOR SELECT (CASE WHEN i > 1400000 THEN 'x' ELSE '1' END)::INTEGER FROM range(1500000) r(i)"
	failures := map[string]func(){
		"prepare":   func() { a.wantError("SELECT * FROM nope", sqlerr.UndefinedTable) },
		"execute":   func() { a.wantError("INSERT INTO t (k, v) VALUES (1, 1)", sqlerr.UniqueViolation) },
		"rows":      func() { a.wantError("SELECT s::INTEGER FROM texts", sqlerr.InvalidText) },
		"the wire":  func() { a.FailTransaction() },
		"savepoint": func() { a.wantError("ROLLBACK TO nope", sqlerr.UndefinedSavepoint) },
		"cursor": func() {
			a.run(declare)
			a.wantError("MOVE ALL IN c", sqlerr.InvalidText)
		},
		"unread cursor": func() {
			a.run(declare)
			a.wantError("SELECT 1", sqlerr.InvalidText)
		},
		"append": func() {
			_, err := a.Append(context.Background(), "nope", &oneBatch{cols: []rows.Column{{Name: "k", Type: rows.Type{ID: rows.Integer}}}, batch: &rows.Batch{}})
			if err == nil {
				t.Error("rows are appended to a table that is not there")
			}
		},
	}
	for name, fails := range failures {
		for _, alter := range []string{"ALTER TABLE t ADD COLUMN w INTEGER", "UPDATE t SET v = -1"} {
			a.run("BEGIN")
			a.run("CREATE TEMP TABLE mine (x INTEGER)")
			a.run("SELECT pg_advisory_xact_lock(7)")
			a.run(alter)
			fails()
			a.wantStatus(TxFailed)
			b.want("SELECT count(*) FROM pg_locks", "0")
			b.run("UPDATE t SET v = v + 1")
			b.run("CHECKPOINT")
			a.wantError("SELECT 1", sqlerr.FailedTransaction)
			a.wantError("SAVEPOINT s", sqlerr.FailedTransaction)
			a.wantTag("COMMIT", "ROLLBACK")
			a.wantStatus(TxIdle)
			a.wantError("SELECT * FROM mine", sqlerr.UndefinedTable)
			b.want("SELECT * FROM t", a.run("SELECT * FROM t"))
			if t.Failed() {
				t.Fatalf("%s, %s", name, alter)
			}
		}
	}
	a.want("SELECT v FROM t", "16")
}

// What else a rollback returns is as it was before the transaction: settings, numbers of
// sequences, cursors, and the modes that a chain takes over.
func TestFailedTransactionReturnsTheRest(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE SEQUENCE q")
	s.run("CREATE SCHEMA other")
	s.run("SET application_name = 'before'")
	s.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
	s.run("SET application_name = 'within'")
	s.run("SET LOCAL search_path = other")
	s.run("SET threads = 1")
	s.want("SELECT nextval('q')", "1")
	s.run("DECLARE c CURSOR WITH HOLD FOR SELECT * FROM range(10)")
	s.want("FETCH c", "0")
	s.wantError("SELECT nope", sqlerr.UndefinedColumn)
	s.wantError("FETCH c", sqlerr.FailedTransaction)
	s.wantError("SHOW application_name", sqlerr.FailedTransaction)
	s.wantTag("ROLLBACK AND CHAIN", "ROLLBACK")
	s.wantStatus(TxActive)
	s.want("SHOW transaction_isolation", "repeatable read")
	s.want("SHOW application_name", "before")
	s.want("SELECT current_schema()", "public")
	s.want("SELECT nextval('q')", "2")
	s.wantError("FETCH c", sqlerr.UndefinedPortal)
	s.run("COMMIT")
}

// A result that is not read to its end can be read when another statement could not be prepared;
// what the transaction holds is given back with it.
func TestFailedTransactionBesideAnOpenResult(t *testing.T) {
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	a.run("CREATE TABLE t (k INTEGER)")
	a.run("INSERT INTO t SELECT * FROM range(10000)")
	a.run("BEGIN")
	a.run("ALTER TABLE t ADD COLUMN w INTEGER")
	p, err := a.Prepare(context.Background(), "SELECT k FROM t", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Execute(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	a.wantError("SELECT nope", sqlerr.UndefinedColumn)
	a.wantStatus(TxFailed)
	text, err := readAll(res)
	if n := strings.Count(text, ";") + 1; n != 10000 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	b.run("INSERT INTO t VALUES (1)")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	a.run("ROLLBACK")
}

// A transaction that may return to a savepoint keeps what it has written, and the locks of that;
// those under which it has written nothing it gives back.
func TestFailedTransactionWithSavepoints(t *testing.T) {
	e := openEngine(t)
	a, b, c := openSession(t, e), openSession(t, e), openSession(t, e)
	for _, name := range []string{"t", "u", "w"} {
		a.run("CREATE TABLE " + name + " (k INTEGER)")
		a.run("INSERT INTO " + name + " VALUES (1)")
	}
	a.run("BEGIN")
	a.run("UPDATE t SET k = 2")
	a.run("SAVEPOINT s")
	b.run("BEGIN")
	b.run("UPDATE w SET k = 5")
	a.run("SET lock_timeout = '10ms'")
	a.wantError("DROP TABLE u, w", sqlerr.LockNotAvailable)
	c.want("SELECT relation::regclass, mode FROM pg_locks ORDER BY ALL", "t|RowExclusiveLock;w|RowExclusiveLock")
	c.run("ALTER TABLE u ADD COLUMN y INTEGER")
	b.run("COMMIT")
	a.run("ROLLBACK TO s")
	a.run("COMMIT")
	c.want("SELECT t.k, u.k, w.k FROM t, u, w", "2|1|5")
}
