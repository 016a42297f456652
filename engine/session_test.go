package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

func TestCommandTags(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, c := range []struct{ sql, tag string }{
		{"CREATE TABLE t (x INTEGER)", "CREATE TABLE"},
		{"INSERT INTO t VALUES (1), (2), (3)", "INSERT 0 3"},
		{"INSERT INTO t VALUES (4) RETURNING x", "INSERT 0 1"},
		{"UPDATE t SET x = x + 1 WHERE x > 1", "UPDATE 3"},
		{"DELETE FROM t WHERE x = 5", "DELETE 1"},
		{"SELECT * FROM t", "SELECT 3"},
		{"VALUES (1), (2)", "SELECT 2"},
		{"WITH a AS (SELECT 1) SELECT * FROM a", "SELECT 1"},
		{"FROM t LIMIT 1", "SELECT 1"},
		{"CREATE VIEW v AS SELECT 1", "CREATE VIEW"},
		{"CREATE UNIQUE INDEX i ON t (x)", "CREATE INDEX"},
		{"DROP INDEX i", "DROP INDEX"},
		{"DROP VIEW v", "DROP VIEW"},
		{"CREATE SCHEMA s", "CREATE SCHEMA"},
		{"ALTER TABLE t ADD COLUMN y INTEGER", "ALTER TABLE"},
		{"PREPARE p AS INSERT INTO t (x) VALUES ($1)", "PREPARE"},
		{"EXECUTE p(9)", "INSERT 0 1"},
		{"PREPARE q AS SELECT 1", "PREPARE"},
		{"DEALLOCATE p", "DEALLOCATE"},
		{"DEALLOCATE ALL", "DEALLOCATE ALL"},
		{"TRUNCATE t", "TRUNCATE TABLE"},
		{"SHOW trireme.backend", "SHOW"},
		{"CHECKPOINT", "CHECKPOINT"},
		{"DEALLOCATE ALL", "DEALLOCATE ALL"},
		{"DROP TABLE t", "DROP TABLE"},
		{" -- nothing\n", ""},
	} {
		s.wantTag(c.sql, c.tag)
	}
}

func TestParametersAreTypedAndChecked(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (x INTEGER, s VARCHAR)")
	s.run("INSERT INTO t VALUES ($1, $2)", "7", "o'x")
	if got := s.run("SELECT s FROM t WHERE x = $1", "7"); got != "o'x" {
		t.Errorf("got %q", got)
	}
	if _, _, err := s.try("SELECT s FROM t WHERE x = $1", "seven"); sqlerr.From(err).Code != "22P02" {
		t.Errorf("a text that is no number: %v", err)
	}
	if _, _, err := s.try("SELECT s FROM t WHERE x = $1"); sqlerr.From(err).Code != "08P01" {
		t.Errorf("a missing value: %v", err)
	}
	p, err := s.Prepare(context.Background(), "SELECT $1 AS a, x FROM t WHERE x > $2", []rows.Type{{ID: rows.BigInt}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got := p.Params(); len(got) != 2 || got[0].ID != rows.BigInt || got[1].ID != rows.Integer {
		t.Errorf("parameters %v", got)
	}
	if got := p.Columns(); len(got) != 2 || got[0].Name != "a" || got[0].Type.ID != rows.BigInt {
		t.Errorf("columns %v", got)
	}
}

func TestErrorPositionCountsFromTheGivenText(t *testing.T) {
	s := openSession(t, openEngine(t))
	sql := "  /* c */ SELECT nope FROM (SELECT 1 AS a) t"
	if e := s.wantError(sql, "42703"); e.Offset != strings.Index(sql, "nope") {
		t.Errorf("offset %d in %q", e.Offset, sql)
	}
	if e := s.wantError("SELECT 1; SELECT 2", "42601"); e.Offset != 10 {
		t.Errorf("offset %d", e.Offset)
	}
}

func TestPreparedStatementAfterDDL(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE t (x INTEGER)")
	p, err := s.Prepare(context.Background(), "SELECT * FROM t", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	execute := func() (string, error) {
		res, err := p.Execute(context.Background(), nil)
		if err != nil {
			return "", err
		}
		return readAll(res)
	}
	other.run("INSERT INTO t VALUES (1)")
	if got, err := execute(); err != nil || got != "1" {
		t.Errorf("got %q, %v", got, err)
	}
	other.run("CREATE INDEX i ON t (x)")
	if got, err := execute(); err != nil || got != "1" {
		t.Errorf("after harmless DDL: %q, %v", got, err)
	}
	other.run("DROP INDEX i")
	other.run("ALTER TABLE t ADD COLUMN y INTEGER")
	if _, err := execute(); sqlerr.From(err).Code != "0A000" {
		t.Errorf("after a column was added: %v", err)
	}
	other.run("DROP TABLE t")
	if _, err := execute(); sqlerr.From(err).Code != "42P01" {
		t.Errorf("after DROP TABLE: %v", err)
	}
}

func TestOpenResultSurvivesOtherStatements(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t AS SELECT i AS x FROM range(20000) r(i)")
	ctx := context.Background()
	p, err := s.Prepare(ctx, "SELECT x FROM t ORDER BY x", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Execute(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := res.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.run("INSERT INTO t VALUES (-1)")
	next := int64(0)
	for b != nil {
		for i := range b.N {
			if got := b.Cols[0].I64[i]; got != next {
				t.Fatalf("row %d is %d", next, got)
			}
			next++
		}
		if b, err = res.Next(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if tag, n := res.Tag(); next != 20000 || tag != "SELECT" || n != 20000 {
		t.Errorf("%d rows, tag %s %d", next, tag, n)
	}
	if err := res.Close(); err != nil {
		t.Error(err)
	}
}

// scripted is a tensor route for tests; each field stands in for one answer.
type scripted struct {
	prepare func() (tensorStatement, string, error)
	execute func() (rows.Cursor, Backend, string, error)
}

func (r *scripted) Prepare(context.Context, *Session, string, []rows.Type) (tensorStatement, string, error) {
	if r.prepare != nil {
		return r.prepare()
	}
	return r, "", nil
}

func (r *scripted) Explain(context.Context, *Session, string, ExplainOptions) (string, string, error) {
	return "", "a scripted reason", nil
}

func (r *scripted) Params() []rows.Type    { return nil }
func (r *scripted) Columns() []rows.Column { return textColumn("a") }
func (r *scripted) Close() error           { return nil }

func (r *scripted) Execute(context.Context, *Session, []Arg) (rows.Cursor, Backend, string, error) {
	return r.execute()
}

// panicking is a cursor that fails an assumption after its first batch.
type panicking struct{ textCursor }

func (c *panicking) Next(ctx context.Context) (*rows.Batch, error) {
	b, err := c.textCursor.Next(ctx)
	invariant.Check(b != nil, "scripted failure")
	return b, err
}

func TestChoiceOfBackend(t *testing.T) {
	e := openEngine(t)
	route := &scripted{}
	e.tensor = route
	s := openSession(t, e)
	const sql = "SELECT 'duck' AS a"

	route.execute = func() (rows.Cursor, Backend, string, error) {
		return newTextCursor("a", []string{"tensor"}), Native, "", nil
	}
	s.want("SHOW trireme.last_backend", "none")
	s.want(sql, "tensor")
	s.want("SHOW trireme.last_backend", "native")
	s.run("SET trireme.backend = 'duckdb'")
	s.want(sql, "duck")
	s.want("SHOW trireme.last_backend", "duckdb")

	// Declined when it executes.
	route.execute = func() (rows.Cursor, Backend, string, error) { return nil, Native, "a writer", nil }
	s.run("SET trireme.backend = 'auto'")
	s.want(sql, "duck")
	for _, forced := range []string{"native", "decomposed"} {
		s.run("SET trireme.backend = '" + forced + "'")
		if e := s.wantError(sql, "0A000"); !strings.Contains(e.Message, forced) || !strings.Contains(e.Message, "a writer") {
			t.Errorf("message %q", e.Message)
		}
		s.run("CREATE OR REPLACE TABLE t (x INTEGER)") // not a SELECT: nobody is forced
	}
	// Declined when it is prepared.
	route.prepare = func() (tensorStatement, string, error) { return nil, "window function", nil }
	s.wantError(sql, "0A000")
	s.run("RESET trireme.backend")
	s.want(sql, "duck")
	if plan := withoutFigures(s.run("EXPLAIN " + sql)); !strings.HasPrefix(plan, "backend: duckdb;reason: a scripted reason;") {
		t.Errorf("plan %q", plan)
	}
	if doc := s.run("EXPLAIN (FORMAT JSON) " + sql); !strings.Contains(doc, `"reason": "a scripted reason"`) {
		t.Errorf("document %q", doc)
	}
	s.run("SET trireme.backend = 'native'")
	s.wantError("EXPLAIN "+sql, "0A000")
}

func TestPanicsEndInTheirStatement(t *testing.T) {
	e := openEngine(t)
	route := &scripted{}
	e.tensor = route
	s := openSession(t, e)
	cases := map[string]func(){
		"in Prepare": func() {
			route.prepare = func() (tensorStatement, string, error) { panic(invariant.Failed("scripted failure")) }
		},
		"in Execute": func() {
			route.prepare = nil
			route.execute = func() (rows.Cursor, Backend, string, error) { panic("scripted failure") }
		},
		"between rows": func() {
			route.prepare = nil
			route.execute = func() (rows.Cursor, Backend, string, error) {
				return &panicking{*newTextCursor("a", []string{"x"})}, Native, "", nil
			}
		},
	}
	for name, arm := range cases {
		t.Run(name, func(t *testing.T) {
			arm()
			if e := s.wantError("SELECT 'x' AS a", "XX000"); !strings.Contains(e.Message, "scripted failure") {
				t.Errorf("message %q", e.Message)
			}
			s.wantStatus(TxIdle)
			s.run("BEGIN")
			s.wantError("SELECT 'x' AS a", "XX000")
			s.wantStatus(TxFailed)
			s.run("ROLLBACK")
			s.run("SET trireme.backend = 'duckdb'")
			s.want("SELECT 1", "1")
			s.run("RESET trireme.backend")
		})
	}
}

// Writers move value between two tables; no reader, on whichever backend, sees
// a sum other than 100.
func TestConcurrentWritersKeepTheSum(t *testing.T) {
	e := openEngine(t)
	setup := openSession(t, e)
	setup.run("CREATE TABLE a (k INTEGER, v INTEGER)")
	setup.run("CREATE TABLE b (k INTEGER, v INTEGER)")
	setup.run("INSERT INTO a VALUES (1, 100)")
	setup.run("INSERT INTO b VALUES (1, 0)")
	const transfers = 60
	done := make(chan struct{})
	var writers sync.WaitGroup
	writers.Add(1)
	writer := openSession(t, e)
	go func() {
		defer writers.Done()
		for i := range transfers {
			end := "COMMIT"
			if i%5 == 4 {
				end = "ROLLBACK"
			}
			for _, sql := range []string{"BEGIN", "UPDATE a SET v = v - 1", "UPDATE b SET v = v + 1", end} {
				if _, _, err := writer.try(sql); err != nil {
					t.Errorf("%s: %v", sql, err)
				}
			}
		}
	}()
	go func() { writers.Wait(); close(done) }()
	var readers sync.WaitGroup
	answered := map[string]*int{}
	for _, backend := range []string{"native", "decomposed", "duckdb", "auto"} {
		n := new(int)
		answered[backend] = n
		reader := openSession(t, e)
		reader.run("SET trireme.backend = '" + backend + "'")
		readers.Add(1)
		go func() {
			defer readers.Done()
			reader.readSums(backend, n, done)
		}()
	}
	readers.Wait()
	for backend, n := range answered {
		t.Logf("%s: %d answers", backend, *n)
		if *n == 0 {
			t.Errorf("%s never answered", backend)
		}
	}
	setup.want("SELECT a.v, b.v FROM a, b", fmt.Sprintf("%d|%d", 100-transfers*4/5, transfers*4/5))
}

// readSums reads until done is closed, and once after that.
func (s testSession) readSums(backend string, answered *int, done <-chan struct{}) {
	for last := false; !last; {
		select {
		case <-done:
			last = true
		default:
		}
		text, _, err := s.try("SELECT sum(a.v + b.v) AS s FROM a, b WHERE a.k = b.k")
		if err != nil {
			// A forced backend refuses while a writer is in flight.
			if last || sqlerr.From(err).Code != sqlerr.FeatureNotSupported {
				s.t.Errorf("%s: %v", backend, err)
			}
			continue
		}
		*answered++
		if text != "100" {
			s.t.Errorf("%s: sum %s", backend, text)
		}
		if got := s.LastBackend(); backend != "auto" && got != backend {
			s.t.Errorf("%s: %s answered", backend, got)
		}
	}
}

// broken is a statement that panics once it has run.
type broken struct{ statement }

func (b broken) execute(ctx context.Context, args []Arg) (outcome, error) {
	out, err := b.statement.execute(ctx, args)
	if err == nil && out.cursor != nil {
		err = out.cursor.Close()
	}
	if err != nil {
		return out, err
	}
	panic("scripted failure")
}

// What a statement that panics holds is given back: others may alter what it wrote and read it on tensors, and
// what follows it is stored.
func TestPanicReleasesWhatItHolds(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE t (k INTEGER)")
	other.run("SET lock_timeout = '5s'")
	fails := func(sql string, wrap func(statement) statement) {
		t.Helper()
		p, err := s.Prepare(t.Context(), sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.stmt = wrap(p.stmt)
		_, err = p.Execute(t.Context(), nil)
		if sqlerr.From(err).Code != sqlerr.InternalError {
			t.Errorf("%s: %v", sql, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	late := func(st statement) statement { return broken{st} }
	within := func(st statement) statement {
		run := st.(*program).run
		return &program{session: s.Session, tag: "X", run: func(ctx context.Context) error {
			if err := run(ctx); err != nil {
				return err
			}
			panic("scripted failure")
		}}
	}
	for i, step := range []func(){
		func() { fails("INSERT INTO t VALUES (1)", late) },
		func() { fails("CREATE TABLE u (k SERIAL)", within) },
		func() { fails("ALTER TABLE t ADD COLUMN x INTEGER", within) },
		func() { s.run("BEGIN"); fails("INSERT INTO t VALUES (1)", late); s.run("ROLLBACK") },
	} {
		step()
		s.wantStatus(TxIdle)
		if len(s.running) > 0 {
			t.Errorf("step %d: %d statements run", i, len(s.running))
		}
		s.run("DELETE FROM t")
		s.run("INSERT INTO t VALUES (2)")
		other.want("SELECT count(*), max(k) FROM t", "1|2")
		other.run("ALTER TABLE t ADD COLUMN y INTEGER")
		other.run("ALTER TABLE t DROP COLUMN y")
		other.run("SET trireme.backend = 'native'")
		other.want("SELECT count(*) FROM t a JOIN t b USING (k)", "1")
		other.run("RESET trireme.backend")
	}
	other.wantError("SELECT 1 FROM u", "42P01")
}

// A panic while another statement's rows are not all read ends that one with an error, or it is complete.
func TestPanicEndsTheOpenResult(t *testing.T) {
	e := openEngine(t)
	e.tensor = &scripted{prepare: func() (tensorStatement, string, error) { panic("scripted failure") }}
	s := openSession(t, e)
	const sql, n = "SELECT * FROM range(300000)", 300_000
	s.settings.backend = DuckDB
	p, err := s.Prepare(t.Context(), sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Execute(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.settings.backend = Auto
	s.wantError("SELECT 1 AS a", "XX000")
	lines, err := readRows(res)
	if err == nil && len(lines) != n || err != nil && sqlerr.From(err).Code != sqlerr.InternalError {
		t.Errorf("%d rows, %v", len(lines), err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestClosedSessionHoldsNothing: what a client has prepared keeps neither its transaction nor
// its temporary tables alive when it is gone.
func TestClosedSessionHoldsNothing(t *testing.T) {
	e := openConfig(t, Config{Path: filepath.Join(t.TempDir(), "a.db")})
	other := openSession(t, e)
	other.run("CREATE TABLE a AS SELECT i AS k, i AS v FROM range(10) r(i)")
	for _, prepare := range []string{"PREPARE q AS SELECT 1", "PREPARE q AS UPDATE a SET v = $1", "PREPARE q AS SELECT count(*) FROM a JOIN a b ON a.k = b.k"} {
		for _, begin := range []string{"BEGIN", "START TRANSACTION READ ONLY"} {
			s := openSession(t, e)
			s.run("CREATE TEMP TABLE mine AS SELECT i FROM range(100000) r(i)")
			s.run(prepare)
			s.run(begin)
			if begin == "BEGIN" {
				s.run("UPDATE a SET v = 5 WHERE k = 1")
			}
			s.wantError("SELECT * FROM nosuch", "42P01")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			other.run("UPDATE a SET v = v + 1 WHERE k = 1")
			other.run("CHECKPOINT")
			other.want("SELECT sum(memory_usage_bytes) FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE'", "0")
		}
	}
	other.want("SELECT v FROM a WHERE k = 1", "7")
}
