package engine

import (
	"strconv"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// elsewhere are statements that write no rows of the tables x, tmp and old, whatever they change
// otherwise.
var elsewhere = []string{
	"CREATE OR REPLACE VIEW backup AS SELECT 1 AS k",
	"ALTER VIEW backup RENAME TO renamed",
	"DROP VIEW IF EXISTS renamed CASCADE",
	"DROP VIEW IF EXISTS nothing",
	"CREATE SCHEMA IF NOT EXISTS dbt",
	"CREATE SCHEMA IF NOT EXISTS dbt",
	"DROP SCHEMA dbt",
	"CREATE SEQUENCE q",
	"COMMENT ON SEQUENCE q IS 'counts'",
	"DROP SEQUENCE q",
	"COMMENT ON COLUMN other.v IS 'seen'",
	"CREATE INDEX other_v ON other(v)",
	"ALTER INDEX other_v RENAME TO other_w",
	"DROP INDEX other_w",
	"PRAGMA database_size",
	"CALL pragma_version()",
	"MERGE INTO other USING x ON other.k = x.k WHEN MATCHED THEN UPDATE SET v = other.v + 1 WHEN NOT MATCHED THEN INSERT VALUES (x.k, 0)",
	"UPDATE parent SET p = 1, v = v + 1 WHERE p = 1", // executed as a MERGE
	"EXPLAIN ANALYZE UPDATE other SET v = 0",
	"CREATE TABLE another AS FROM x",
	"DROP TABLE another",
}

// functionsElsewhere are statements that change what functions and types there are.
var functionsElsewhere = []string{
	"CREATE MACRO f(a) AS a + 1", "DROP MACRO f", "CREATE TYPE mood AS ENUM ('a')", "DROP TYPE mood", "CREATE SCHEMA gone", "CREATE VIEW gone.v AS SELECT 1 AS k",
	"DROP SCHEMA gone CASCADE",
}

func TestElsewhere(t *testing.T) {
	for name, test := range map[string]func(a, b testSession){
		"alter": elsewhereAlter, "waits": elsewhereWaits, "savepoint": elsewhereSavepoint, "native": elsewhereNative, "anything": unknownTargets,
	} {
		t.Run(name, func(t *testing.T) { test(openElsewhere(t)) })
	}
}

func openElsewhere(t *testing.T) (a, b testSession) {
	t.Helper()
	e := openEngine(t)
	a, b = openSession(t, e), openSession(t, e)
	for _, sql := range []string{
		"CREATE TABLE x (k INTEGER, v INTEGER)", "INSERT INTO x VALUES (1, 10), (2, 20)", "CREATE TABLE other (k INTEGER PRIMARY KEY, v INTEGER)",
		"CREATE TABLE parent (p INTEGER PRIMARY KEY, v INTEGER)", "CREATE TABLE child (p INTEGER REFERENCES parent(p))", "INSERT INTO parent VALUES (1, 1)", "INSERT INTO child VALUES (1)",
	} {
		a.run(sql)
	}
	b.run("SET lock_timeout = '1ms'")
	return a, b
}

// A table is altered in a transaction that has written, whatever others do elsewhere: as dbt does
// with threads.
func elsewhereAlter(a, b testSession) {
	for _, sql := range append(functionsElsewhere, elsewhere...) {
		a.run("BEGIN")
		a.run("CREATE TABLE tmp AS SELECT k, v + 1 AS v FROM x")
		b.run(sql)
		a.run("ALTER TABLE x RENAME TO old")
		a.run("ALTER TABLE tmp RENAME TO x")
		a.run("COMMIT")
		a.run("DROP TABLE old CASCADE")
	}
}

// Nobody waits who writes elsewhere, alone and in a transaction.
func elsewhereWaits(a, b testSession) {
	a.run("BEGIN")
	a.run("ALTER TABLE x ADD COLUMN n INTEGER")
	for _, sql := range append(functionsElsewhere, elsewhere...) {
		b.run(sql)
	}
	a.run("COMMIT")
	a.run("SET lock_timeout = '1ms'")
	for _, sql := range append(functionsElsewhere, elsewhere...) {
		b.run("BEGIN")
		b.run(sql)
		a.run("ALTER TABLE x ADD COLUMN IF NOT EXISTS m INTEGER")
		a.run("ALTER TABLE x DROP COLUMN m")
		b.run("COMMIT")
	}
}

// ROLLBACK TO does again what was done before, whatever others do elsewhere.
func elsewhereSavepoint(a, b testSession) {
	for _, sql := range elsewhere {
		playReturn(a.t, a, b, []string{"UPDATE x SET v = v + 1", "CREATE TABLE tmp AS FROM x", "DROP TABLE tmp"}, []string{sql}, "")
	}
	a.want("SELECT min(v) - 10 FROM x", strconv.Itoa(len(elsewhere)))
	for _, sql := range functionsElsewhere { // a text may mean something else with them
		b.run(sql)
	}
}

// Native answers beside those who write elsewhere.
func elsewhereNative(a, b testSession) {
	a.run("SET trireme.backend = 'native'")
	const sum = "SELECT k, sum(v) FROM x GROUP BY k ORDER BY k"
	want := a.run(sum)
	for _, sql := range append(functionsElsewhere, elsewhere...) {
		b.run("BEGIN")
		b.run(sql)
		a.want(sum, want)
		b.run("COMMIT")
		a.want(sum, want)
	}
}

// anything is a statement of which nothing is known.
const anything = "PRAGMA enable_object_cache"

// What may write anything counts as that.
func unknownTargets(a, b testSession) {
	a.run("BEGIN")
	a.run("INSERT INTO x VALUES (3, 30)")
	b.run(anything)
	a.wantError("ALTER TABLE x ADD COLUMN n INTEGER", sqlerr.SerializationFailure)
	a.run("ROLLBACK")
	a.run("BEGIN")
	a.run("ALTER TABLE x ADD COLUMN n INTEGER")
	b.wantError(anything, sqlerr.LockNotAvailable)
	a.run("ROLLBACK")
	playReturn(a.t, a, b, []string{"UPDATE x SET v = v + 1"}, []string{anything}, sqlerr.SerializationFailure)
}

// TestWritesFollowThePath: a prepared statement writes the table that the search path names when it is
// executed, and that is the table that is locked and read anew.
func TestWritesFollowThePath(t *testing.T) {
	e := openEngine(t)
	w, s := openSession(t, e), openSession(t, e)
	for _, sql := range []string{"CREATE TABLE u (k INTEGER, w INTEGER)", "CREATE TABLE te (k INTEGER)", "INSERT INTO te VALUES (1)"} {
		s.run(sql)
	}
	w.run("SET search_path = tenant, public")
	var writes []*Prepared
	for _, sql := range []string{"INSERT INTO u VALUES (1, 100)", "UPDATE u SET w = w + 1000", "DELETE FROM u WHERE w = 1001"} {
		p, err := w.Prepare(t.Context(), sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		writes = append(writes, p)
	}
	for _, sql := range []string{"CREATE SCHEMA tenant", "CREATE TABLE tenant.u (k INTEGER, w INTEGER)", "INSERT INTO tenant.u VALUES (1, 1)", "SET trireme.backend = 'native'"} {
		s.run(sql)
	}
	const sum = "SELECT sum(u.w) FROM te JOIN tenant.u ON te.k = u.k"
	s.want(sum, "1")
	for i, want := range []string{"101", "2101", "1100"} {
		res, err := writes[i].Execute(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readAll(res); err != nil {
			t.Fatal(err)
		}
		s.want(sum, want)
	}
	// A transaction that has read before does not lose the row by altering the table.
	s.run("BEGIN")
	s.run("SELECT count(*) FROM te")
	res, err := writes[0].Execute(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readAll(res); err != nil {
		t.Fatal(err)
	}
	s.run("ALTER TABLE tenant.u ADD CONSTRAINT ck CHECK (w < 10000)")
	s.run("COMMIT")
	s.want(sum, "1200")
	for _, p := range writes {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWritesPastWhatIsGone: a place of the search path that is not there hides none behind it from what a write
// changes.
func TestWritesPastWhatIsGone(t *testing.T) {
	for _, c := range []struct{ path, meanwhile string }{
		{"nearer, main", "DROP SCHEMA nearer"},
		{"nearer, main", "DROP SCHEMA nearer CASCADE"},
		{"nosuch, nearer, main", "SELECT 1"},
	} {
		t.Run(c.path+" beside "+c.meanwhile, func(t *testing.T) {
			e := openEngine(t)
			w, s := openSession(t, e), openSession(t, e)
			for _, sql := range []string{
				"CREATE TABLE u (k INTEGER, w INTEGER)", "INSERT INTO u VALUES (1, 100)", "CREATE TABLE te (k INTEGER)", "INSERT INTO te VALUES (1)", "CREATE SCHEMA nearer",
			} {
				s.run(sql)
			}
			w.run("SET search_path = " + c.path)
			s.run(c.meanwhile)
			s.run("SET trireme.backend = 'native'")
			const sum = "SELECT sum(u.w) FROM te JOIN main.u ON te.k = u.k"
			s.want(sum, "100")
			w.run("UPDATE u SET w = w + 1")
			s.want(sum, "101")
			w.run("BEGIN")
			w.run("INSERT INTO u VALUES (1, 1000)")
			s.run("SET lock_timeout = '1ms'")
			s.wantError("ALTER TABLE main.u ADD COLUMN n INTEGER", sqlerr.LockNotAvailable)
			w.run("COMMIT")
			s.want(sum, "1101")
		})
	}
}

// TestWritesPastWhatCannotBeBound: only what is known to be there hides what is behind it.
func TestWritesPastWhatCannotBeBound(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE SCHEMA nearer", "CREATE TABLE base (a INTEGER, b INTEGER)", "CREATE VIEW nearer.u AS SELECT b FROM base", "CREATE TABLE u (k INTEGER)", "CREATE VIEW nearer.w AS SELECT a FROM base",
		"ALTER TABLE base DROP COLUMN b", "SET search_path = nearer, main",
	} {
		s.run(sql)
	}
	for name, want := range map[string]int{"u": 2, "w": 1, "nosuch": 2} {
		tables, err := s.written(t.Context(), sqlfront.Classify("DROP VIEW "+name), []string{name})
		if err != nil || len(tables) != want {
			t.Errorf("%s: %v, %v, want %d", name, tables, err, want)
		}
	}
}
