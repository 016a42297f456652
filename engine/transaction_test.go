package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/load"
)

func TestTransactionStates(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.wantTag("CREATE TABLE t (x INTEGER PRIMARY KEY)", "CREATE TABLE")
	s.wantStatus(TxIdle)
	s.wantTag("START TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ WRITE", "START TRANSACTION")
	s.wantStatus(TxActive)
	s.wantTag("INSERT INTO t VALUES (1)", "INSERT 0 1")
	s.wantError("INSERT INTO t VALUES (1)", "23505")
	s.wantStatus(TxFailed)
	s.wantError("SELECT 1", "25P02")
	s.wantError("BEGIN", "25P02")
	s.wantError("SET statement_timeout = 1", "25P02")
	s.wantTag("COMMIT", "ROLLBACK")
	s.wantStatus(TxIdle)
	s.want("SELECT count(*) FROM t", "0")

	s.wantTag("BEGIN", "BEGIN")
	s.wantError("SELECT nothing FROM t", "42703") // fails in Prepare
	s.wantStatus(TxFailed)
	s.wantTag("ABORT", "ROLLBACK")

	s.wantTag("BEGIN", "BEGIN")
	s.run("INSERT INTO t VALUES (2)")
	s.wantTag("END", "COMMIT")
	s.want("SELECT x FROM t", "2")

	s.wantTag("BEGIN READ ONLY", "BEGIN")
	s.wantError("INSERT INTO t VALUES (3)", "25006")
	s.run("ROLLBACK")
}

func TestTransactionWarnings(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("COMMIT")
	s.run("ROLLBACK")
	s.run("BEGIN")
	s.run("BEGIN")
	want := []Notice{
		{"WARNING", "25P01", "there is no transaction in progress"},
		{"WARNING", "25P01", "there is no transaction in progress"},
		{"WARNING", "25001", "there is already a transaction in progress"},
	}
	if got := s.Notices(); !slices.Equal(got, want) {
		t.Errorf("notices %q", got)
	}
	if got := s.Notices(); len(got) != 0 {
		t.Errorf("notices are told twice: %q", got)
	}
}

// block runs statements as one text; it stops at the first error.
func (s testSession) block(statements ...string) error {
	ctx := context.Background()
	var failed error
	for _, sql := range statements {
		if err := s.BeginImplicit(ctx); err != nil {
			return err
		}
		if _, _, failed = s.try(sql); failed != nil {
			break
		}
	}
	if err := s.EndImplicit(ctx, failed == nil); err != nil {
		return err
	}
	return failed
}

func TestImplicitTransactionOfSeveralStatements(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	if err := s.block("CREATE TABLE t (x INTEGER)", "INSERT INTO t VALUES (1)", "SELECT * FROM t"); err != nil {
		t.Fatal(err)
	}
	s.want("SELECT * FROM t", "1")
	if err := s.block("INSERT INTO t VALUES (2)", "SELECT * FROM missing"); err == nil {
		t.Error("no error")
	}
	s.wantStatus(TxIdle)
	s.want("SELECT count(*) FROM t", "1")
	// BEGIN makes the transaction the user's, and it outlives the block.
	if err := s.block("INSERT INTO t VALUES (3)", "BEGIN", "INSERT INTO t VALUES (4)"); err != nil {
		t.Fatal(err)
	}
	s.wantStatus(TxActive)
	s.run("ROLLBACK")
	s.want("SELECT count(*) FROM t", "1")
	// COMMIT in the middle keeps what came before; an error loses what came after.
	if err := s.block("INSERT INTO t VALUES (5)", "COMMIT", "INSERT INTO t VALUES (6)", "SELECT nope"); err == nil {
		t.Error("no error")
	}
	s.want("SELECT x FROM t ORDER BY x", "1;5")
	// A failed transaction of the user stays failed after the block.
	if err := s.block("BEGIN", "SELECT nope"); err == nil {
		t.Error("no error")
	}
	s.wantStatus(TxFailed)
	s.run("ROLLBACK")
	if !versionsAtRest(e, "t") {
		t.Error("a writer is left in flight")
	}
}

// versionsAtRest reports whether no writer of the table is in flight.
func versionsAtRest(e *Engine, name string) bool {
	_, reason := e.catalog.Versions.Snapshot([]load.Table{mainTable(name)}, 0)
	_, stable := e.catalog.Versions.Schema()
	return reason == "" && stable
}

func mainTable(name string) load.Table {
	return load.Table{Catalog: "trireme", Schema: "main", Name: name}
}

func (e *Engine) versionOf(t *testing.T, name string) uint64 {
	t.Helper()
	snap, reason := e.catalog.Versions.Snapshot([]load.Table{mainTable(name)}, 0)
	if reason != "" {
		t.Fatal(reason)
	}
	return snap.Version(0)
}

func TestStatementsMoveVersions(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE TABLE t (x INTEGER PRIMARY KEY)")
	s.run("CREATE TABLE u (x INTEGER)")
	last := e.versionOf(t, "t")
	for _, c := range []struct {
		sql   string
		moves bool
	}{
		{"INSERT INTO t VALUES (1)", true},
		{"insert into MAIN.T values (2)", true},
		{"INSERT INTO trireme.t VALUES (3)", true},
		{"INSERT INTO trireme.main.\"T\" VALUES (4) RETURNING x", true},
		{"WITH a AS (SELECT 5 AS x) INSERT INTO t SELECT x FROM a", true},
		{"UPDATE t SET x = x", true},
		{"DELETE FROM t WHERE x = 5", true},
		{"INSERT OR REPLACE INTO t VALUES (1)", true},
		{"ALTER TABLE t ADD COLUMN y INTEGER", true},
		{"PREPARE ins AS INSERT INTO t (x) VALUES ($1)", false},
		{"EXECUTE ins(10)", true},
		{"EXPLAIN ANALYZE INSERT INTO t (x) VALUES (11)", true},
		{"MERGE INTO t USING u ON t.x = u.x WHEN MATCHED THEN DELETE", true},
		{"MERGE INTO u USING t ON t.x = u.x WHEN MATCHED THEN DELETE", false},
		{"PRAGMA table_info('t')", false},
		{anything, true},
		{"SELECT * FROM t", false},
		{"INSERT INTO u VALUES (1)", false},
		{"CREATE TEMP TABLE w (x INTEGER)", false},
		{"INSERT INTO w VALUES (1)", false},
		{"EXPLAIN INSERT INTO t (x) VALUES (12)", false},
		{"SET statement_timeout = 0", false},
		{"TRUNCATE t", true},
		{"DROP TABLE t", true},
	} {
		s.run(c.sql)
		now := e.versionOf(t, "t")
		if moved := now != last; moved != c.moves {
			t.Errorf("%s: moved %v, want %v", c.sql, moved, c.moves)
		}
		last = now
	}
}

func TestVersionsFollowTransactions(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE TABLE t (x INTEGER PRIMARY KEY)")
	start := e.versionOf(t, "t")
	s.wantError("INSERT INTO t VALUES ('no number')", "22P02")
	s.run("BEGIN")
	s.run("INSERT INTO t VALUES (1)")
	if versionsAtRest(e, "t") {
		t.Error("no writer in flight in an open transaction")
	}
	s.run("ROLLBACK")
	if now := e.versionOf(t, "t"); now != start {
		t.Errorf("a rollback moved the version from %d to %d", start, now)
	}
	s.run("BEGIN")
	s.run("INSERT INTO t VALUES (1)")
	s.wantError("INSERT INTO t VALUES (1)", "23505")
	s.run("COMMIT")
	if now := e.versionOf(t, "t"); now != start {
		t.Errorf("a failed transaction moved the version from %d to %d", start, now)
	}
	s.run("BEGIN")
	s.run("INSERT INTO t VALUES (1)")
	s.run("COMMIT")
	if now := e.versionOf(t, "t"); now == start {
		t.Error("a commit did not move the version")
	}
	s.run("BEGIN")
	s.run("INSERT INTO t VALUES (2)")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !versionsAtRest(e, "t") {
		t.Error("a closed session left a writer in flight")
	}
}

func TestExplicitTransactionPinsItsSnapshot(t *testing.T) {
	e := openEngine(t)
	reader, writer := openSession(t, e), openSession(t, e)
	writer.run("CREATE TABLE t (x INTEGER)")
	writer.run("CREATE TABLE other (x INTEGER)")
	writer.run("INSERT INTO t VALUES (1)")
	reader.run("BEGIN")
	writer.run("INSERT INTO t VALUES (2)") // before the first statement: visible
	reader.want("SELECT count(*) FROM t", "2")
	writer.run("INSERT INTO t VALUES (3)")
	writer.run("CREATE TABLE later (x INTEGER)")
	reader.want("SELECT count(*) FROM t", "2")
	_, reason := e.catalog.Versions.Snapshot([]load.Table{mainTable("t")}, reader.tx.pin)
	if reason != "table t has changed since the transaction began" {
		t.Errorf("reason %q", reason)
	}
	if _, reason := e.catalog.Versions.Snapshot([]load.Table{mainTable("other")}, reader.tx.pin); reason != "" {
		t.Errorf("an unchanged table is refused: %s", reason)
	}
	reader.wantError("SELECT * FROM later", "42P01") // the catalog is pinned too
	reader.run("ROLLBACK")
	reader.want("SELECT count(*) FROM later", "0")
}

// DuckDB's snapshot must not be older than the pin: binding the first statement
// comes after the pin as well.
func TestPinPrecedesBinding(t *testing.T) {
	e := openEngine(t)
	reader, writer := openSession(t, e), openSession(t, e)
	writer.run("CREATE TABLE t (x INTEGER)")
	reader.run("SET trireme.backend = 'duckdb'")
	reader.run("BEGIN")
	p, err := reader.Prepare(context.Background(), "SELECT count(*) FROM t", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	pin := reader.tx.pin
	writer.run("INSERT INTO t VALUES (1)")
	res, err := p.Execute(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := readAll(res)
	if err != nil || text != "0" || pin == 0 || reader.tx.pin != pin {
		t.Errorf("count %s (%v), pin %d then %d", text, err, pin, reader.tx.pin)
	}
}

func TestWriteConflict(t *testing.T) {
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	a.run("CREATE TABLE t (x INTEGER, v INTEGER)")
	a.run("INSERT INTO t VALUES (1, 0)")
	a.run("BEGIN")
	b.run("BEGIN")
	a.run("UPDATE t SET v = v + 1")
	b.wantError("UPDATE t SET v = v + 10", "40001")
	b.wantStatus(TxFailed)
	b.run("ROLLBACK")
	a.run("COMMIT")
	b.run("UPDATE t SET v = v + 10")
	b.want("SELECT v FROM t", "11")
	if !versionsAtRest(e, "t") {
		t.Error("a writer is left in flight")
	}
}

// A tensor that was cached before a change must not answer after it, whoever
// made the change and however it ended.
func TestNoStaleTensor(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE t (x INTEGER)")
	s.run("INSERT INTO t VALUES (1), (2)")
	s.run("SET trireme.backend = 'native'")
	const pairs = "SELECT count(*) FROM t a, t b WHERE a.x = b.x"
	s.want(pairs, "2")
	s.want(pairs, "2") // from the cache
	other.run("INSERT INTO t VALUES (2)")
	s.want(pairs, "5")
	other.run("BEGIN")
	other.run("DELETE FROM t")
	other.want(pairs, "0") // its own changes: not from the cache
	other.want("SHOW trireme.last_backend", "duckdb")
	s.wantError(pairs, "0A000") // a writer is in flight
	other.run("ROLLBACK")
	s.want(pairs, "5")
	other.run("DROP TABLE t")
	s.wantError(pairs, "42P01")
	other.run("CREATE TABLE t AS SELECT 1 AS x")
	s.want(pairs, "1")
	other.run("ALTER TABLE t RENAME TO u")
	other.run("CREATE TABLE t AS SELECT 3 AS x FROM range(3)")
	s.want(pairs, "9")
	s.run("BEGIN")
	s.want(pairs, "9")
	other.run("TRUNCATE t")
	s.wantError(pairs, "0A000") // changed since the transaction began
	s.run("ROLLBACK")
	s.run("BEGIN")
	s.want(pairs, "0")
	s.run("COMMIT")
	s.want("SHOW trireme.last_backend", "native")
}

// A block whose context is cancelled, with rows unread, leaves no transaction
// behind.
func TestCancelledBlockIsRolledBack(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE TABLE t AS SELECT i AS x FROM range(100000) r(i)")
	for _, ok := range []bool{true, false} {
		ctx, cancel := context.WithCancel(context.Background())
		if err := s.BeginImplicit(ctx); err != nil {
			t.Fatal(err)
		}
		s.run("DELETE FROM t WHERE x < 10")
		p, err := s.Prepare(ctx, "SELECT x FROM t", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Execute(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := res.Next(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := s.EndImplicit(ctx, ok); ok && err == nil {
			t.Error("a cancelled block was committed")
		}
		for _, close := range []func() error{res.Close, p.Close} {
			if err := close(); err != nil && !ok {
				t.Error(err)
			}
		}
		s.wantStatus(TxIdle)
		s.want("SELECT count(*) FROM t", "100000")
		if !versionsAtRest(e, "t") {
			t.Error("a writer is left in flight")
		}
	}
}

// TestImmediateTransactions: where BEGIN takes the snapshot, tensors are of that one too.
func TestImmediateTransactions(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.choosesNative()
	const joined = "SELECT count(*) FROM i JOIN j ON i.x = j.x"
	other.run("CREATE TABLE i (x INTEGER)")
	other.run("CREATE TABLE j (x INTEGER)")
	rows := 0
	for _, immediate := range []bool{true, false} {
		other.run(fmt.Sprint("SET immediate_transaction_mode = ", immediate))
		for _, backend := range []string{"auto", "native", "duckdb"} {
			s.run("SET trireme.backend = " + backend)
			s.run("BEGIN")
			for _, setting := range []string{"TRANSACTION ISOLATION LEVEL SERIALIZABLE", "statement_timeout = 0"} {
				s.run("SET " + setting) // takes no snapshot
			}
			other.run("INSERT INTO i VALUES (1)")
			other.run("INSERT INTO j VALUES (1)")
			seen := rows
			if rows++; !immediate {
				seen = rows
			}
			if immediate && backend == "native" {
				s.wantError(joined, "0A000") // the tables have changed since
				s.run("ROLLBACK")
				continue
			}
			s.want(joined, fmt.Sprint(seen*seen))
			if backend != "native" {
				s.want("SELECT count(*) FROM i", fmt.Sprint(seen))
			}
			s.run("COMMIT")
		}
	}
}

// TestFailedTransactionEnds: a transaction that DuckDB has given up ends whatever others have
// set meanwhile, and whatever the search path names.
func TestFailedTransactionEnds(t *testing.T) {
	e := openEngine(t)
	other := openSession(t, e)
	other.run("CREATE TABLE rb (id INTEGER PRIMARY KEY)")
	for _, end := range []string{"ROLLBACK", "COMMIT", "ROLLBACK TO a"} {
		for _, path := range []string{"public", "tenant_1,public"} {
			for _, set := range []string{"SET timezone = 'Asia/Tokyo'", "SET search_path = public", "RESET ALL"} {
				s := openSession(t, e)
				s.run("SET search_path = " + path)
				s.run("BEGIN")
				if strings.HasPrefix(end, "ROLLBACK TO") {
					s.run("SAVEPOINT a")
				}
				s.wantError("INSERT INTO public.rb VALUES (1), (1)", "23505")
				other.run(set)
				s.run(end)
				s.run("ROLLBACK")
				s.want("SELECT count(*) FROM rb", "0")
			}
		}
	}
}
