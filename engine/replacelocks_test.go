package engine

import (
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// replacements are the ways to take a table with its rows away: what is there then by the name t,
// where b has added the row 3 before ("" for nothing) and where it adds the row after.
var replacements = []struct{ sql, before, after string }{
	{"CREATE OR REPLACE TABLE s.t AS SELECT k * 10 AS k FROM s.t", "10;20;30", "3;10;20"},
	{"EXPLAIN ANALYZE CREATE OR REPLACE TABLE s.t AS SELECT k * 10 AS k FROM s.t", "10;20;30", "3;10;20"},
	{"DROP TABLE s.t", "", ""},
	{"DROP TABLE IF EXISTS s.t CASCADE", "", ""},
	{"DROP TABLE other, s.t", "", ""},
	{"DROP SCHEMA s CASCADE", "", ""},
	{"TRUNCATE s.t", "NULL", "3"},
}

func TestReplaceLocks(t *testing.T) {
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	a.run("CREATE TABLE noise (k INTEGER)")
	for name, test := range map[string]func(a, b testSession){
		"waits for writers": replaceWaitsForWriters, "writers wait": writersWaitForReplace, "old snapshot": replaceInAnOldSnapshot,
		"swap": swapKeepsRows, "waits end": replaceWaitEnds,
	} {
		t.Run(name, func(t *testing.T) {
			a.t, b.t = t, t
			test(a, b)
		})
	}
}

func (a testSession) makeReplaced() {
	a.t.Helper()
	for _, sql := range []string{
		"DROP TABLE IF EXISTS other", "DROP SCHEMA IF EXISTS s CASCADE", "CREATE SCHEMA s", "CREATE TABLE s.t (k INTEGER)", "CREATE TABLE other (k INTEGER)",
		"INSERT INTO s.t VALUES (1), (2)",
	} {
		a.run(sql)
	}
}

// wantReplaced checks the rows of s.t, which is not there where want is empty.
func (a testSession) wantReplaced(sql, want string) {
	a.t.Helper()
	got, _, err := a.try("SELECT * FROM s.t ORDER BY ALL")
	switch {
	case err != nil && (want != "" || sqlerr.From(err).Code != sqlerr.UndefinedTable):
		a.t.Errorf("%s: %v", sql, err)
	case err == nil && got != want && (got != "" || want != "NULL"):
		a.t.Errorf("%s: %q, want %q", sql, got, want)
	}
}

// Who takes a table away waits for those who write it, and takes their rows into account.
func replaceWaitsForWriters(a, b testSession) {
	for _, begin := range []string{"", "BEGIN", "BEGIN ISOLATION LEVEL SERIALIZABLE"} {
		for _, c := range replacements {
			a.makeReplaced()
			if begin != "" {
				a.run(begin)
			}
			b.run("BEGIN")
			b.run("INSERT INTO s.t VALUES (3)")
			done := a.inBackground(c.sql)
			b.run("COMMIT")
			if err := <-done; err != nil {
				a.t.Errorf("%s; %s: %v", begin, c.sql, err)
			}
			a.run("COMMIT")
			a.wantReplaced(c.sql, c.before)
		}
	}
}

// Who writes a table waits for those who take it away: no row is lost that was acknowledged.
func writersWaitForReplace(a, b testSession) {
	for _, begin := range []string{"", "BEGIN"} {
		for _, c := range replacements {
			a.makeReplaced()
			a.run("BEGIN")
			a.run(c.sql)
			if begin != "" {
				b.run(begin)
			}
			done := b.inBackground("INSERT INTO s.t VALUES (3)")
			a.run("COMMIT")
			if err := <-done; (err == nil) != (c.after != "") || err != nil && sqlerr.From(err).Code != sqlerr.UndefinedTable {
				a.t.Errorf("%s; %s: %v", begin, c.sql, err)
			}
			b.run("COMMIT")
			a.wantReplaced(c.sql, c.after)
		}
	}
}

// What others have added since the snapshot is taken into account, or the transaction fails.
func replaceInAnOldSnapshot(a, b testSession) {
	for _, c := range replacements {
		a.makeReplaced()
		a.run("BEGIN")
		a.run("SELECT count(*) FROM noise")
		b.run("INSERT INTO s.t VALUES (3)")
		a.run(c.sql)
		a.run("COMMIT")
		a.wantReplaced(c.sql, c.before)

		a.makeReplaced()
		a.run("BEGIN")
		a.run("INSERT INTO noise VALUES (1)")
		b.run("INSERT INTO s.t VALUES (3)")
		a.wantError(c.sql, sqlerr.SerializationFailure)
		a.run("ROLLBACK")
		a.wantReplaced(c.sql, "1;2;3")
	}
}

// A table is swapped for another in one transaction, and the rows that others add come into the
// other.
func swapKeepsRows(a, b testSession) {
	a.makeReplaced()
	a.run("BEGIN")
	a.run("CREATE TABLE s.u AS SELECT k * 10 AS k FROM s.t")
	a.run("DROP TABLE s.t")
	a.run("ALTER TABLE s.u RENAME TO t")
	done := b.inBackground("INSERT INTO s.t VALUES (3)")
	a.run("COMMIT")
	if err := <-done; err != nil {
		a.t.Fatal(err)
	}
	a.want("SELECT k FROM s.t ORDER BY k", "3;10;20")
}

// The waits end by timeouts, by cancellation and where they would be circular.
func replaceWaitEnds(a, b testSession) {
	a.makeReplaced()
	b.run("BEGIN")
	b.run("INSERT INTO s.t VALUES (3)")
	a.run("SET statement_timeout = '10ms'")
	a.wantError("DROP TABLE s.t", sqlerr.QueryCanceled)
	a.run("SET statement_timeout = 0")
	done := a.inBackground("CREATE OR REPLACE TABLE s.t AS SELECT 1 AS k")
	a.Cancel()
	if err := <-done; sqlerr.From(err).Code != sqlerr.QueryCanceled {
		a.t.Error(err)
	}
	a.run("BEGIN")
	a.run("INSERT INTO s.t VALUES (4)")
	done = a.inBackground("DROP TABLE s.t")
	b.wantError("DROP TABLE s.t", sqlerr.DeadlockDetected)
	b.run("ROLLBACK")
	if err := <-done; err != nil {
		a.t.Error(err)
	}
	a.run("ROLLBACK")
	a.want("SELECT k FROM s.t ORDER BY k", "1;2")
}
