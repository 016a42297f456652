package engine

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine/activity"
	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// watched is an engine whose log and statements are kept.
type watched struct {
	*Engine
	mu      sync.Mutex
	log     bytes.Buffer
	records []activity.Record
}

// Write takes a line of the log.
func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(p)
}

func (w *watched) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.String()
}

func openWatched(t *testing.T, cfg Config) *watched {
	t.Helper()
	w := &watched{}
	cfg.Logger = slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
	cfg.Observe = func(r *activity.Record) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.records = append(w.records, *r)
	}
	store, err := roles.Open(filepath.Join(t.TempDir(), "roles"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ann", "bob"} {
		if err := store.Create(roles.Role{Name: name, Login: true}); err != nil {
			t.Fatal(err)
		}
	}
	cfg.Roles, cfg.FirstPatience = store, time.Hour
	e, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.Engine = e
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *watched) session(t *testing.T, opt SessionOptions) testSession {
	t.Helper()
	s, err := w.NewSession(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return testSession{Session: s}
}

func (w *watched) last(t *testing.T, kind string) activity.Record {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := len(w.records) - 1; i >= 0; i-- {
		if w.records[i].Kind == kind {
			return w.records[i]
		}
	}
	t.Fatalf("no statement of kind %q among %d", kind, len(w.records))
	return activity.Record{}
}

func must(t *testing.T, s testSession, statements ...string) (last string) {
	t.Helper()
	for _, sql := range statements {
		got, _, err := s.try(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		last = got
	}
	return last
}

func TestRecords(t *testing.T) {
	w := openWatched(t, Config{})
	s := w.session(t, SessionOptions{User: "ann", Database: "trireme", PID: 7, Options: map[string]string{"application_name": "oars"}})
	must(t, s, "CREATE TABLE t AS SELECT i AS x FROM range(10) r(i)", "SELECT count(*) FROM t a JOIN t b ON a.x = b.x")
	r := w.last(t, "select")
	if r.Backend != "native" || r.Reason != "" || r.Rows != 1 || r.Code != "00000" || r.User != "ann" || r.PID != 7 || r.Application != "oars" {
		t.Errorf("a join is noted as %+v", r)
	}
	for _, p := range []activity.Phase{activity.Bind, activity.Plan, activity.Load, activity.Execute} {
		if r.Phase(p) <= 0 {
			t.Errorf("no time of phase %s in %+v", p, r)
		}
	}
	sum := time.Duration(0)
	for _, p := range activity.Phases() {
		sum += r.Phase(p)
	}
	if sum > r.Took {
		t.Errorf("the phases take %s, all of it %s", sum, r.Took)
	}
	must(t, s, "SELECT x FROM t")
	if r := w.last(t, "select"); r.Backend != "duckdb" || r.Reason == "" || r.Rows != 10 {
		t.Errorf("a scan is noted as %+v", r)
	}
	must(t, s, "INSERT INTO t VALUES (1), (2)")
	if r := w.last(t, "insert"); r.Rows != 2 || r.Backend != "duckdb" || r.Reason != "" {
		t.Errorf("an insertion is noted as %+v", r)
	}
	if _, _, err := s.try("SELECT nope FROM t"); err == nil {
		t.Fatal("no error")
	}
	if r := w.last(t, "other"); r.Code != sqlerr.UndefinedColumn || r.Message == "" {
		t.Errorf("an error is noted as %+v", r)
	}
	must(t, s, "SET trireme.threads = 1")
	if r := w.last(t, "set"); r.Backend != activity.SessionBackend {
		t.Errorf("a setting is noted as %+v", r)
	}
}

func TestLogOfStatements(t *testing.T) {
	w := openWatched(t, Config{SlowQuery: time.Nanosecond})
	s := w.session(t, SessionOptions{User: "ann"})
	must(t, s, "CREATE TABLE t AS SELECT i AS x FROM range(10) r(i)", "SELECT count(*) FROM t a JOIN t b ON a.x = b.x", "SELECT max(x) FROM t")
	for _, want := range []string{
		`level=WARN msg="slow statement"`, "backend=native", "PHYSICAL PLAN", "EXECUTION", "backend=duckdb", "sqlstate=00000", "plan_ms=", "queue_ms=", "SEQ_SCAN",
	} {
		if !strings.Contains(w.text(), want) {
			t.Errorf("the log has no %q:\n%s", want, w.text())
		}
	}
	w.SetSlowQuery(0)
	must(t, s, "SELECT 4711")
	if _, _, err := s.try("SELECT nope"); err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`level=DEBUG msg=statement`, "4711", `level=INFO msg="statement failed"`, "sqlstate=42703"} {
		if !strings.Contains(w.text(), want) {
			t.Errorf("the log has no %q:\n%s", want, w.text())
		}
	}
}

// TestNoSecretIsShown executes statements with a secret, of which most fail, and looks at the places where
// statements are shown: the log of all, of those that fail and of slow ones with their plans, and the tables of
// what sessions do.
func TestNoSecretIsShown(t *testing.T) {
	w := openWatched(t, Config{SlowQuery: time.Nanosecond})
	s, root := w.session(t, SessionOptions{User: "ann"}), w.session(t, SessionOptions{User: "root"})
	must(t, s, "CREATE TABLE u (id INTEGER, password VARCHAR)", "PREPARE p AS SELECT count(*) FROM u a JOIN u b ON a.id = b.id WHERE a.password = $1",
		"PREPARE n AS SELECT id FROM u WHERE password = 'x' AND id = $1")
	long := strings.Repeat("x", 2*activity.TextMaxBytes)
	for _, slow := range []time.Duration{time.Nanosecond, 0} {
		w.SetSlowQuery(slow)
		for _, sql := range []string{
			"CREATE ROLE bob LOGIN PASSWORD 'hunter2'", "ALTER USER bob PASSWORD 'hunter2", "CREATE SECRET s (TYPE s3, KEY_ID 'hunter2', SECRET 'hunter2')",
			"ATTACH 'dbname=x password=hunter2' AS p (TYPE postgres)", "DO $$ BEGIN ALTER ROLE bob PASSWORD 'hunter2'; END $$",
			"SELECT 1 -- password hunter2", "SELECT set_config('my.password', 'hunter2', false)", "CREATE ROL bob PASSWORD hunter2",
			"SELECT count(*) FROM u WHERE password = 'hunter2'", "EXPLAIN SELECT id FROM u WHERE password = 'hunter2'", "EXPLAIN SELECT id FROM nope WHERE password = 'hunter2'",
			"SELECT CAST('hunter2' AS INTEGER) AS password", "EXECUTE p('hunter2')", "EXECUTE n('hunter2')", "EXECUTE p('hunter2', 1)",
			"SELECT 'hunter2', '" + long + "' AS password", "SELECT '" + long + "' AS password, 'hunter2'",
		} {
			_, _, _ = s.try(sql)
			for _, shows := range []string{"SELECT query FROM pg_stat_activity WHERE usename = 'ann'", "SELECT query FROM trireme_queries WHERE usename = 'ann'"} {
				if shown := must(t, root, shows); shown == "" || strings.Contains(shown, "hunter2") {
					t.Errorf("after %.60s: %s", sql, shown)
				}
			}
		}
		for _, sql := range []string{"SELECT count(*) FROM u WHERE password = $1", "SELECT count(*) FROM u a JOIN u b ON a.id = b.id WHERE a.password = $1", "SELECT password FROM u WHERE id = $1"} {
			_, _, _ = s.try(sql, "hunter2") // the last has no number
		}
	}
	if i := strings.Index(w.text(), "hunter2"); i >= 0 {
		t.Errorf("the log has a password: %s", w.text()[max(0, i-500):i+7])
	}
}

func TestActivityTables(t *testing.T) {
	w := openWatched(t, Config{RecentStatements: 3})
	ann := w.session(t, SessionOptions{User: "ann", Role: "ann", Database: "trireme", PID: 7, Remote: "10.0.0.1:99"})
	bob := w.session(t, SessionOptions{User: "bob", Role: "bob", Database: "trireme", PID: 8})
	root := w.session(t, SessionOptions{User: "root", Database: "trireme", PID: 9})
	must(t, ann, "BEGIN", "SELECT 'of ann'")
	equal := func(s testSession, sql string, want ...string) {
		t.Helper()
		if got := must(t, s, sql); got != strings.Join(want, ";") {
			t.Errorf("%s gives\n%s\nwant\n%s", sql, strings.ReplaceAll(got, ";", "\n"), strings.Join(want, "\n"))
		}
	}
	const people = "SELECT pid, usename, datname, client_addr, client_port, state, query, xact_start IS NULL FROM pg_stat_activity WHERE pid < 9 ORDER BY pid"
	equal(root, people, "7|ann|trireme|10.0.0.1|99|idle in transaction|SELECT 'of ann'|0", "8|bob|trireme|NULL|NULL|idle||1")
	equal(bob, people, "7|ann|trireme|10.0.0.1|99|idle in transaction|<insufficient privilege>|0", "8|bob|trireme|NULL|NULL|active|"+people+"|0")
	must(t, ann, "COMMIT")
	equal(root, "SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE state = 'active'", "1")
	must(t, ann, "SELECT 1 + 41 -- of ann", "SELECT 2", "SELECT 3")
	equal(ann, "SELECT query, backend, rows, sqlstate, total_ms > 0 FROM trireme_queries ORDER BY query_id",
		"SELECT ? + ?|duckdb|1|00000|1", "SELECT ?|duckdb|1|00000|1", "SELECT ?|duckdb|1|00000|1")
	equal(bob, "SELECT count(*) FROM trireme_queries", "0")
	must(t, ann, "CREATE TABLE t AS SELECT i AS x FROM range(10) r(i)", "SELECT count(*) FROM t a JOIN t b ON a.x = b.x", "SELECT count(*) FROM t a JOIN t b ON a.x = b.x")
	equal(bob, `SELECT table_name, entries, bytes > 0, hits > 0, build_ms > 0, last_used <= now(), formats <> '' FROM trireme_cache`,
		`"trireme"."main"."t"|10|1|1|1|1|1`)
	must(t, ann, "SELECT count(*) FROM t a JOIN t b ON a.x = b.x WHERE a.x || 'of ann' = '3of ann'")
	equal(bob, "SELECT tensor FROM trireme_cache WHERE tensor LIKE '%where%'", `("x") { n } where (("x" || ?) = ?)`)
	// They join with tables, and a table of the user's own goes before them.
	equal(root, "SELECT count(*) FROM pg_stat_activity a JOIN t ON t.x = a.pid", "3")
	must(t, ann, "CREATE TABLE trireme_cache AS SELECT 5 AS mine")
	equal(ann, "SELECT * FROM trireme_cache", "5")
}

func TestStopSessions(t *testing.T) {
	w := openWatched(t, Config{})
	ended := make(chan struct{}, 1)
	ann := w.session(t, SessionOptions{User: "ann", Role: "ann", PID: 7, Terminate: func() { ended <- struct{}{} }})
	bob := w.session(t, SessionOptions{User: "bob", Role: "bob", PID: 8})
	root := w.session(t, SessionOptions{User: "root", PID: 9})
	var e *sqlerr.Error
	for _, sql := range []string{"SELECT pg_cancel_backend(7)", "SELECT pg_terminate_backend(7)"} {
		if _, _, err := bob.try(sql); !errors.As(err, &e) || e.Code != insufficientPrivilege {
			t.Errorf("bob stops ann, %s: %v", sql, err)
		}
	}
	if got := must(t, bob, "SELECT pg_terminate_backend(8)"); got != "0" { // his own, which nothing can end here
		t.Errorf("bob stops himself: %v", got)
	}
	if got := must(t, root, "SELECT pg_cancel_backend(4711), pg_cancel_backend(NULL)"); got != "0|NULL" {
		t.Errorf("of nobody: %v", got)
	}
	interrupted := 0
	w.session(t, SessionOptions{User: "bob", Role: "bob", PID: 10, Interrupt: func() { interrupted++ }})
	if got := must(t, bob, "SELECT pg_cancel_backend(10)"); got != "1" || interrupted != 1 {
		t.Errorf("bob cancels what his other connection waits for: %v, %d interrupts", got, interrupted)
	}
	must(t, ann, "SET trireme.backend = 'duckdb'")
	failed := make(chan error, 1)
	go func() {
		_, _, err := ann.try("SELECT count(*) FROM range(1000000000000) r(i) WHERE i % 3 = 1")
		failed <- err
	}()
	for {
		got := must(t, root, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'ann' AND state = 'active'")
		if got != "" {
			break
		}
	}
	select {
	case err := <-failed:
		if !errors.As(err, &e) || e.Code != sqlerr.QueryCanceled {
			t.Errorf("the cancelled statement ended with %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the statement goes on")
	}
	if got := must(t, root, "SELECT pg_terminate_backend(7), pg_terminate_backend(8)"); got != "1|0" {
		t.Errorf("terminating gives %v", got)
	}
	<-ended
	// Preparing and explaining do nothing.
	must(t, root, "EXPLAIN SELECT pg_terminate_backend(7)")
	if len(ended) > 0 {
		t.Error("EXPLAIN ended a session")
	}
}
