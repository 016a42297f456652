package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/pgwire"
)

var (
	stressTime     = flag.Duration("stress", 3*time.Second, "how long the stress test runs")
	stressSessions = flag.Int("stress.sessions", 16, "sessions of the stress test, half of them over the wire")
)

// client is a session, over the wire or in process. query returns all cells as
// text, NULL as "NULL".
type client interface {
	query(sql string, args ...string) ([][]string, error)
}

// wireClient is a session over the wire.
type wireClient struct{ conn *pgx.Conn }

func (c wireClient) query(sql string, args ...string) ([][]string, error) {
	all := []any{pgx.QueryExecModeSimpleProtocol}
	if len(args) > 0 {
		all = []any{pgx.QueryExecModeExec, pgx.QueryResultFormats{pgx.TextFormatCode}}
	}
	for _, a := range args {
		all = append(all, a)
	}
	rs, err := c.conn.Query(context.Background(), sql, all...)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var out [][]string
	for rs.Next() {
		var row []string
		for _, v := range rs.RawValues() {
			if v == nil {
				row = append(row, nullText)
			} else {
				row = append(row, string(v))
			}
		}
		out = append(out, row)
	}
	return out, rs.Err()
}

// directClient is a session in process.
type directClient struct{ session *engine.Session }

func (c directClient) query(sql string, args ...string) (out [][]string, err error) {
	ctx := context.Background()
	p, err := c.session.Prepare(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	values := make([]engine.Arg, len(args))
	for i, a := range args {
		values[i] = engine.Arg{Text: a}
	}
	res, err := p.Execute(ctx, values)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, res.Close()) }()
	err = eachRow(ctx, res, func(b *rows.Batch, i int) error {
		row, err := textRow(b, i, nullText)
		out = append(out, row)
		return err
	})
	return out, err
}

// codeOf is the SQLSTATE of an error of either client.
func codeOf(err error) string {
	var remote *pgconn.PgError
	var local *sqlerr.Error
	switch {
	case errors.As(err, &remote):
		return remote.Code
	case errors.As(err, &local):
		return local.Code
	}
	return ""
}

// stress is the database under stress and what must hold of it.
//
//	account  amounts move between rows; their sum stays
//	counter  each writer adds to its own row; nobody sees it shrink
//	edge     batches of 12 rows, a complete graph of 4 vertices, come and go whole:
//	         24 triangles per batch
type stress struct {
	t       *testing.T
	engine  *engine.Engine
	address string
	end     time.Time

	counted []atomic.Int64 // committed additions, by session
	batches atomic.Int64   // present at the end
	done    sync.Map       // string: *atomic.Int64, how often each operation ended
}

const (
	stressAccounts = 40
	stressBalance  = 1000
	trianglesSQL   = "SELECT count(*) FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.dst AND a.src = c.src"
	balanceSQL     = "SELECT sum(a.balance), count(*) FROM account a JOIN branch b ON a.branch = b.id"
	countersSQL    = "SELECT c.id, sum(c.n) FROM counter c JOIN branch b ON c.branch = b.id GROUP BY c.id"
)

func newStress(t *testing.T, sessions int, howLong time.Duration) *stress {
	t.Helper()
	e, err := engine.Open(context.Background(), engine.Config{Version: release})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	server := pgwire.NewServer(handler{engine: e}, pgwire.Options{Logger: slog.New(slog.DiscardHandler), DrainTimeout: time.Second})
	go func() { served <- server.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-served, e.Close()); err != nil {
			t.Error(err)
		}
	})
	s := &stress{t: t, engine: e, address: l.Addr().String(), counted: make([]atomic.Int64, sessions), end: time.Now().Add(howLong)}
	c := s.connect(0)
	for _, sql := range []string{
		"CREATE TABLE branch AS SELECT i AS id FROM range(4) r(i)",
		fmt.Sprintf("CREATE TABLE account AS SELECT i AS id, i %% 4 AS branch, %d AS balance FROM range(%d) r(i)", stressBalance, stressAccounts),
		fmt.Sprintf("CREATE TABLE counter AS SELECT i AS id, i %% 4 AS branch, 0 AS n FROM range(%d) r(i)", sessions),
		"CREATE TABLE edge (src BIGINT, dst BIGINT, batch BIGINT)",
	} {
		if _, err := c.query(sql); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// connect opens a session: over the wire for odd numbers.
func (s *stress) connect(number int) client {
	s.t.Helper()
	if number%2 == 1 {
		return wireClient{connect(s.t, s.address)}
	}
	session, err := s.engine.NewSession(context.Background(), engine.SessionOptions{User: "stress"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := session.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return directClient{session}
}

func (s *stress) note(what string) {
	n, _ := s.done.LoadOrStore(what, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

func (s *stress) times(what string) int64 {
	n, ok := s.done.Load(what)
	if !ok {
		return 0
	}
	return n.(*atomic.Int64).Load()
}

// worker is one session and what it knows.
type worker struct {
	*stress
	client
	number  int
	rng     *rand.Rand
	seen    map[string]int64 // by id, the counters it has seen
	own     []int64          // its batches
	batch   int64            // last made
	backend string
}

// run does one thing after another until the time is over or something is wrong.
func (w *worker) run() {
	for time.Now().Before(w.end) && !w.t.Failed() {
		operations := []func() (string, error){
			w.transfer, w.count, w.putBatch, w.dropBatch, w.sums, w.counters, w.triangles, w.sameSnapshot, w.parameter, w.ownTable, w.impatient,
		}
		what, err := operations[w.rng.IntN(len(operations))]()
		if err != nil {
			w.t.Errorf("session %d, %s on %s: %v", w.number, what, w.backend, err)
			return
		}
		w.note(what)
	}
}

// use chooses a backend at random.
func (w *worker) use() error {
	w.backend = []string{"auto", "native", "decomposed", "duckdb"}[w.rng.IntN(4)]
	_, err := w.query("SET trireme.backend = '" + w.backend + "'")
	return err
}

// ask runs a SELECT. refused: a forced backend declines while a writer is in flight.
func (w *worker) ask(sql string, args ...string) (out [][]string, refused bool, err error) {
	out, err = w.query(sql, args...)
	if err != nil && codeOf(err) == sqlerr.FeatureNotSupported && (w.backend == "native" || w.backend == "decomposed") {
		w.note("refused by " + w.backend)
		return nil, true, nil
	}
	if err == nil {
		w.note("answered under " + w.backend)
	}
	return out, false, err
}

// atomically runs statements in one transaction. conflict: another writer was
// first, and everything is rolled back.
func (w *worker) atomically(statements ...string) (conflict bool, err error) {
	for _, sql := range append(append([]string{"BEGIN"}, statements...), "COMMIT") {
		_, err := w.query(sql)
		if err == nil {
			continue
		}
		if codeOf(err) != "40001" {
			return false, fmt.Errorf("%s: %w", sql, err)
		}
		w.note("conflict")
		if sql != "COMMIT" {
			_, err = w.query("ROLLBACK")
			return true, err
		}
		return true, nil
	}
	return false, nil
}

// transfer moves an amount between two accounts, and sometimes thinks better of it.
func (w *worker) transfer() (string, error) {
	amount, from, to := w.rng.IntN(50), w.rng.IntN(stressAccounts), w.rng.IntN(stressAccounts)
	statements := []string{
		fmt.Sprintf("UPDATE account SET balance = balance - %d WHERE id = %d", amount, from),
		fmt.Sprintf("UPDATE account SET balance = balance + %d WHERE id = %d", amount, to),
	}
	if w.rng.IntN(4) == 0 {
		for _, sql := range []string{"BEGIN", statements[0], "ROLLBACK"} {
			if _, err := w.query(sql); err != nil && codeOf(err) != "40001" {
				return "rollback", err
			}
		}
		return "rollback", nil
	}
	_, err := w.atomically(statements...)
	return "transfer", err
}

// count adds to the session's own counter and reads it back.
func (w *worker) count() (string, error) {
	const what = "count"
	conflict, err := w.atomically(fmt.Sprintf("UPDATE counter SET n = n + 1 WHERE id = %d", w.number))
	if err != nil || conflict {
		return what, err
	}
	n := w.counted[w.number].Add(1)
	if err := w.use(); err != nil {
		return what, err
	}
	out, refused, err := w.ask(fmt.Sprintf("SELECT sum(c.n) FROM counter c JOIN branch b ON c.branch = b.id WHERE c.id = %d", w.number))
	if err != nil || refused {
		return what, err
	}
	if out[0][0] != strconv.FormatInt(n, 10) {
		return what, fmt.Errorf("own counter is %s after %d additions", out[0][0], n)
	}
	return what, nil
}

// putBatch inserts a complete graph of four vertices of its own in two statements.
func (w *worker) putBatch() (string, error) {
	const what = "put a batch"
	w.batch++
	id := int64(w.number)*1_000_000 + w.batch
	insert := func(where string) string {
		return fmt.Sprintf("INSERT INTO edge SELECT %d + x.i, %d + y.i, %d FROM range(4) x(i), range(4) y(i) WHERE %s", id*4, id*4, id, where)
	}
	conflict, err := w.atomically(insert("x.i < y.i"), insert("x.i > y.i"))
	if err == nil && !conflict {
		w.own = append(w.own, id)
		w.batches.Add(1)
	}
	return what, err
}

// dropBatch deletes the oldest of its batches.
func (w *worker) dropBatch() (string, error) {
	const what = "drop a batch"
	if len(w.own) == 0 {
		return what, nil
	}
	_, err := w.query(fmt.Sprintf("DELETE FROM edge WHERE batch = %d", w.own[0]))
	if err == nil {
		w.own = w.own[1:]
		w.batches.Add(-1)
		return what, nil
	}
	if codeOf(err) == "40001" {
		return what, nil
	}
	return what, err
}

// sums: amounts have moved, none is lost.
func (w *worker) sums() (string, error) {
	const what = "sums"
	if err := w.use(); err != nil {
		return what, err
	}
	out, refused, err := w.ask(balanceSQL)
	if err != nil || refused {
		return what, err
	}
	if got, want := strings.Join(out[0], "|"), fmt.Sprintf("%d|%d", stressAccounts*stressBalance, stressAccounts); got != want {
		return what, fmt.Errorf("%s, want %s", got, want)
	}
	return what, nil
}

// counters: none is below what the session has seen before.
func (w *worker) counters() (string, error) {
	const what = "counters"
	if err := w.use(); err != nil {
		return what, err
	}
	out, refused, err := w.ask(countersSQL)
	if err != nil || refused {
		return what, err
	}
	if len(out) != len(w.counted) {
		return what, fmt.Errorf("%d counters, want %d", len(out), len(w.counted))
	}
	for _, row := range out {
		n, err := strconv.ParseInt(row[1], 10, 64)
		if err != nil {
			return what, err
		}
		if n < w.seen[row[0]] {
			return what, fmt.Errorf("counter %s is %d, was %d before", row[0], n, w.seen[row[0]])
		}
		w.seen[row[0]] = n
	}
	return what, nil
}

// triangles: batches are there as a whole or not at all.
func (w *worker) triangles() (string, error) {
	const what = "triangles"
	if err := w.use(); err != nil {
		return what, err
	}
	out, refused, err := w.ask(trianglesSQL)
	if err != nil || refused {
		return what, err
	}
	n, err := strconv.ParseInt(out[0][0], 10, 64)
	if err != nil || n%24 != 0 {
		return what, fmt.Errorf("%s triangles, no multiple of 24: %w", out[0][0], err)
	}
	return what, nil
}

// sameSnapshot asks the same of auto and of DuckDB in one transaction.
func (w *worker) sameSnapshot() (string, error) {
	const what = "the same snapshot"
	w.backend = "auto"
	sql := []string{trianglesSQL, balanceSQL, countersSQL + " ORDER BY c.id"}[w.rng.IntN(3)]
	var answers [3]string
	script := []string{"BEGIN", "SET trireme.backend = 'auto'", sql, "SET trireme.backend = 'duckdb'", sql, "SET trireme.backend = 'auto'", sql, "COMMIT"}
	n := 0
	for _, statement := range script {
		out, err := w.query(statement)
		if err != nil {
			return what, fmt.Errorf("%s: %w", statement, err)
		}
		if statement == sql {
			answers[n] = fmt.Sprint(out)
			n++
		}
	}
	if answers[0] != answers[1] || answers[2] != answers[1] {
		return what, fmt.Errorf("%s: %s, DuckDB %s, then %s", sql, answers[0], answers[1], answers[2])
	}
	return what, nil
}

// parameter binds a value: the degree of a vertex of the session's newest batch.
func (w *worker) parameter() (string, error) {
	const what = "parameter"
	if len(w.own) == 0 {
		return what, nil
	}
	if err := w.use(); err != nil {
		return what, err
	}
	vertex := w.own[len(w.own)-1]*4 + int64(w.rng.IntN(4))
	out, refused, err := w.ask("SELECT count(*) FROM edge a JOIN edge b ON a.dst = b.src WHERE a.src = $1", strconv.FormatInt(vertex, 10))
	if err != nil || refused {
		return what, err
	}
	if out[0][0] != "9" {
		return what, fmt.Errorf("%s paths from a vertex of a batch, want 9", out[0][0])
	}
	return what, nil
}

// ownTable makes a table, asks of it and takes it away, so that the catalog
// changes under everybody.
func (w *worker) ownTable() (string, error) {
	const what = "own table"
	name, n := fmt.Sprintf("own%d", w.number), w.rng.IntN(30)+1
	if _, err := w.query(fmt.Sprintf("CREATE TABLE %s AS SELECT i %% 3 AS k FROM range(%d) r(i)", name, n)); err != nil {
		return what, err
	}
	if err := w.use(); err != nil {
		return what, err
	}
	out, refused, err := w.ask(fmt.Sprintf("SELECT count(*) FROM %s a JOIN %s b ON a.k = b.k", name, name))
	if err != nil {
		return what, err
	}
	want := 0
	for k := range 3 {
		rows := (n + 2 - k) / 3
		want += rows * rows
	}
	if !refused && out[0][0] != strconv.Itoa(want) {
		return what, fmt.Errorf("%s pairs, want %d", out[0][0], want)
	}
	_, err = w.query("DROP TABLE " + name)
	return what, err
}

// impatient asks under a timeout that may strike.
func (w *worker) impatient() (string, error) {
	const what = "impatient"
	if err := w.use(); err != nil {
		return what, err
	}
	if _, err := w.query("SET statement_timeout = '2ms'"); err != nil {
		return what, err
	}
	_, _, err := w.ask(trianglesSQL)
	if err != nil && codeOf(err) != sqlerr.QueryCanceled {
		return what, err
	}
	if err != nil {
		w.note("timeout")
	}
	// Under the timeout still: it may strike this statement as well.
	for range 100 {
		if _, err = w.query("RESET statement_timeout"); codeOf(err) != sqlerr.QueryCanceled {
			break
		}
	}
	return what, err
}

// TestStress mixes reads and writes of many sessions and checks every answer
// while they run, and everything at rest in the end. For a minute of 50:
// go test ./cmd/trireme -run TestStress -stress 1m -stress.sessions 50.
func TestStress(t *testing.T) {
	s := newStress(t, *stressSessions, *stressTime)
	var all sync.WaitGroup
	for i := range *stressSessions {
		w := &worker{stress: s, client: s.connect(i), number: i, rng: rand.New(rand.NewPCG(7, uint64(i))), seen: map[string]int64{}}
		all.Go(w.run)
	}
	all.Wait()
	if t.Failed() {
		return
	}
	s.atRest()
	s.done.Range(func(what, n any) bool {
		t.Logf("%d x %s", n.(*atomic.Int64).Load(), what)
		return true
	})
	for _, backend := range []string{"auto", "native", "decomposed", "duckdb"} {
		if s.times("answered under "+backend) == 0 {
			t.Errorf("%s has never answered", backend)
		}
	}
}

// atRest checks everything exactly, on every backend; no forced one may refuse.
func (s *stress) atRest() {
	var counters strings.Builder
	for i := range s.counted {
		fmt.Fprintf(&counters, "[%d %d] ", i, s.counted[i].Load())
	}
	for number := range 2 {
		c := s.connect(number)
		for _, backend := range []string{"native", "decomposed", "duckdb", "auto"} {
			if _, err := c.query("SET trireme.backend = '" + backend + "'"); err != nil {
				s.t.Fatal(err)
			}
			for sql, want := range map[string]string{
				balanceSQL:                     fmt.Sprintf("[[%d %d]]", stressAccounts*stressBalance, stressAccounts),
				countersSQL + " ORDER BY c.id": "[" + strings.TrimSpace(counters.String()) + "]",
				trianglesSQL:                   fmt.Sprintf("[[%d]]", 24*s.batches.Load()),
			} {
				out, err := c.query(sql)
				if err != nil || fmt.Sprint(out) != want {
					s.t.Errorf("at rest, %s: %s: %v, want %s, error %v", backend, sql, out, want, err)
				}
			}
		}
	}
}
