package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// server is trireme serve as a process of its own, with a log in JSON.
type server struct {
	cmd      *exec.Cmd
	address  string // of the wire
	http     string // of the metrics; empty: there are none
	mu       sync.Mutex
	lines    []map[string]any
	seen     chan struct{} // a line has come
	finished chan struct{} // the log has ended
}

// startServer starts a server and waits until it listens.
func startServer(t testing.TB, args ...string) *server {
	t.Helper()
	s := &server{cmd: process(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--log-format", "json"}, args...)...)}
	s.seen, s.finished = make(chan struct{}, 1), make(chan struct{})
	out, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // it may have ended
		<-s.finished
		_ = s.cmd.Wait()
	})
	go s.read(out)
	s.address = s.wait(t, "listening")["address"].(string)
	if line := s.find("metrics"); line != nil {
		s.http = "http://" + line["address"].(string)
	}
	return s
}

func (s *server) read(out io.Reader) {
	defer close(s.finished)
	r := bufio.NewReader(out)
	for {
		text, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		line := map[string]any{}
		if json.Unmarshal(text, &line) != nil {
			line["msg"] = "NOT JSON: " + string(text)
		}
		s.mu.Lock()
		s.lines = append(s.lines, line)
		s.mu.Unlock()
		select {
		case s.seen <- struct{}{}:
		default:
		}
	}
}

// find returns the last line with a message; nil: there is none.
func (s *server) find(message string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.lines) - 1; i >= 0; i-- {
		if s.lines[i]["msg"] == message {
			return s.lines[i]
		}
	}
	return nil
}

// wait waits for a line with a message.
func (s *server) wait(t testing.TB, message string) map[string]any {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		if line := s.find(message); line != nil {
			return line
		}
		select {
		case <-s.seen:
		case <-s.finished:
			if line := s.find(message); line != nil {
				return line
			}
			t.Fatalf("the server ended without saying %q: %v", message, s.lines)
		case <-deadline:
			t.Fatalf("the server does not say %q", message)
		}
	}
}

// get fetches a page of the metrics port.
func (s *server) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	res, err := http.Get(s.http + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// resident reads VmRSS or VmHWM of the server's process, in bytes.
func (s *server) resident(t testing.TB, key string) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(key + `:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no %s in %s", key, status)
	}
	kB, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kB << 10
}

// A server under observation: its metrics, its log, and what it says when it is
// told to end while a statement runs.
func TestServeObserved(t *testing.T) {
	ctx := context.Background()
	s := startServer(t, "--http", "127.0.0.1:0", "--http-pprof", "--log-level", "debug", "--slow-query", "1ns", "--drain", "30s")
	conn, err := pgx.Connect(ctx, "postgres://ann@"+s.address+"/trireme?sslmode=disable&application_name=oars")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, sql := range []string{
		"CREATE TABLE t AS SELECT i AS x FROM range(1000) r(i)", "SET trireme.backend = 'native'",
		"SELECT count(*) FROM t a JOIN t b ON a.x = b.x", "SELECT count(*) FROM t a JOIN t b ON a.x = b.x", "RESET trireme.backend",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	_, err = conn.Exec(ctx, "SELECT nope")
	wantCode(t, err, "42703")
	_, err = conn.Exec(ctx, "DO $$ BEGIN ALTER ROLE ann PASSWORD 'hunter2'; END $$")
	wantCode(t, err, "0A000")
	_, body := s.get(t, "/metrics")
	if strings.Contains(body, "hunter2") {
		t.Errorf("the metrics have a password: %s", body)
	}
	for _, want := range []string{
		`trireme_statements_total{backend="native",sqlstate_class="00"} 2`, `trireme_statements_total{backend="session",sqlstate_class="42"} 1`,
		"trireme_cache_entries 1", "trireme_cache_hits_total 1", "trireme_cache_misses_total 1", "trireme_cache_evictions_total 0",
		`trireme_sessions{state="idle"} 1`, "trireme_sessions_total 1", "trireme_statements_running 0", "trireme_duckdb_memory_bytes", "trireme_memory_limit_bytes",
		`trireme_wire_bytes_total{direction="in"}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the metrics have no line %s", want)
		}
	}
	if status, _ := s.get(t, "/readyz"); status != 200 {
		t.Errorf("readyz: %d", status)
	}
	if status, _ := s.get(t, "/debug/pprof/"); status != 200 {
		t.Errorf("pprof: %d", status)
	}
	line := s.wait(t, "slow statement")
	for _, key := range []string{"query_id", "pid", "user", "database", "application_name", "backend", "queue_ms", "bind_ms", "plan_ms", "load_ms", "execute_ms", "send_ms", "rows", "sqlstate", "plan", "statement"} {
		if _, ok := line[key]; !ok {
			t.Errorf("a statement is logged without its %s: %v", key, line)
		}
	}
	if line["user"] != "ann" || line["application_name"] != "oars" {
		t.Errorf("a statement of ann's application oars is logged as %v", line)
	}
}

// A log in JSON has nothing else in it, what the server warns of included.
func TestServeLogsJSONOnly(t *testing.T) {
	s := startServer(t, "--auth", "scram", "--db", filepath.Join(t.TempDir(), "a.db"))
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.finished
	s.mu.Lock()
	defer s.mu.Unlock()
	warned := false
	for _, line := range s.lines {
		message := line["msg"].(string)
		warned = warned || strings.Contains(message, "nobody can log in yet")
		if strings.HasPrefix(message, "NOT JSON") {
			t.Error(message)
		}
	}
	if !warned {
		t.Errorf("no warning among %v", s.lines)
	}
}

// While a statement runs after SIGTERM the server is alive, not ready, and takes
// no connections; idle clients are told, the statement ends as it would.
func TestServeDrains(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	s := startServer(t, "--http", "127.0.0.1:0", "--drain", "1m", "--backend", "duckdb")
	busy, idle, watcher := connect(t, s.address), connect(t, s.address), connect(t, s.address)
	answered := make(chan error, 1)
	go func() {
		var n int64
		err := busy.QueryRow(ctx, "SELECT count(*) FROM range(300000000) r(i) WHERE i % 3 = 1").Scan(&n)
		if err == nil && n != 100000000 {
			t.Errorf("the statement answers %d", n)
		}
		answered <- err
	}()
	for running := 0; running == 0; {
		if err := watcher.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%range(3%' AND query NOT LIKE '%pg_stat%'").Scan(&running); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.wait(t, "draining")
	if status, _ := s.get(t, "/readyz"); status != 503 {
		t.Errorf("readyz while draining: %d", status)
	}
	if status, _ := s.get(t, "/healthz"); status != 200 {
		t.Errorf("healthz while draining: %d", status)
	}
	if _, err := pgx.Connect(ctx, "postgres://u@"+s.address+"/trireme?sslmode=disable"); err == nil {
		t.Error("a draining server takes connections")
	}
	_, err := idle.Exec(ctx, "SELECT 1")
	wantCode(t, err, "57P01")
	if err := <-answered; err != nil {
		t.Errorf("the running statement ended with %v", err)
	}
	<-s.finished
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}

// A second signal does not wait.
func TestServeEndsAtSecondSignal(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	s := startServer(t, "--drain", "10m", "--backend", "duckdb")
	busy := connect(t, s.address)
	ended := make(chan error, 1)
	go func() {
		_, err := busy.Exec(ctx, "SELECT count(*) FROM range(1000000000000) r(i) WHERE i % 3 = 1")
		ended <- err
	}()
	watcher := connect(t, s.address)
	for running := 0; running == 0; {
		if err := watcher.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%range(1%' AND query NOT LIKE '%pg_stat%'").Scan(&running); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.wait(t, "draining")
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.finished:
	case <-time.After(30 * time.Second):
		t.Error("the server goes on after a second signal")
	}
	if err := <-ended; err == nil {
		t.Error("the statement has an answer")
	}
}

// A statement that has not ended when the time for it is over ends by the shutdown, and
// not as if its client had cancelled it.
func TestStatementsEndByShutdown(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	for _, sql := range []string{
		"SELECT count(*) FROM range(1000000000000) r(i) WHERE i % 3 = 1",
		"CREATE TABLE t AS SELECT i FROM range(1000000000000) r(i) WHERE i % 1000000000 = 1",
	} {
		s := startServer(t, "--drain", "1ms")
		busy := connect(t, s.address)
		ended := make(chan error, 1)
		go func() {
			_, err := busy.Exec(ctx, sql)
			ended <- err
		}()
		watcher := connect(t, s.address)
		for running := 0; running == 0; {
			if err := watcher.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%range(1%' AND query NOT LIKE '%pg_stat%'").Scan(&running); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		wantCode(t, <-ended, "57P01")
		<-s.finished
	}
}

// Sessions stop one another over the wire.
func TestServeTerminates(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	address := serve(t, "--backend", "duckdb")
	victim, root := connect(t, address), connect(t, address)
	pid := victim.PgConn().PID()
	failed := make(chan error, 1)
	go func() {
		_, err := victim.Exec(ctx, "SELECT count(*) FROM range(1000000000000) r(i) WHERE i % 3 = 1")
		failed <- err
	}()
	for ok := false; !ok; {
		if err := root.QueryRow(ctx, "SELECT coalesce(bool_or(pg_cancel_backend(pid)), false) FROM pg_stat_activity WHERE pid = $1 AND state = 'active'", pid).Scan(&ok); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, <-failed, "57014")
	if err := victim.Ping(ctx); err != nil {
		t.Errorf("after a cancel: %v", err)
	}
	var ok bool
	if err := root.QueryRow(ctx, "SELECT pg_terminate_backend($1)", pid).Scan(&ok); err != nil || !ok {
		t.Errorf("%v, %v", ok, err)
	}
	_, err := victim.Exec(ctx, "SELECT 1")
	wantCode(t, err, "57P01")
}

// Whoever asks for health is not told where files are.
func TestHealthNamesNoFile(t *testing.T) {
	var r readiness
	broken := errors.New(`Checkpoint failed: could not write to "/srv/secret/x.db"`)
	r.broken.Store(&broken)
	for _, err := range []error{r.healthy(), r.check()} {
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	}
	if !errors.Is(r.failure(), broken) {
		t.Error(r.failure())
	}
}
