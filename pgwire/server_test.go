package pgwire

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// patience bounds waits that a broken server would make endless.
const patience = 20 * time.Second

// testServer is a server over a fake handler; its end checks that nothing leaks.
type testServer struct {
	*Server
	fake *fakeHandler
	addr string
}

func startServer(t testing.TB, opt Options) *testServer {
	t.Helper()
	before := runtime.NumGoroutine()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ts := &testServer{fake: newFake(), addr: l.Addr().String()}
	ts.Server = NewServer(ts.fake, opt)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- ts.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		ts.checkReleased(t)
		checkGoroutines(t, before)
	})
	return ts
}

// checkReleased demands that all that was opened has been closed (W3).
func (ts *testServer) checkReleased(t testing.TB) {
	t.Helper()
	if n := ts.fake.sessions.Load(); n != 0 {
		t.Errorf("%d sessions left open", n)
	}
	if n := ts.fake.stmts.Load(); n != 0 {
		t.Errorf("%d statements left open", n)
	}
	if n := ts.fake.cursors.Load(); n != 0 {
		t.Errorf("%d results left open", n)
	}
}

// checkGoroutines waits until no more goroutines run than before.
func checkGoroutines(t testing.TB, before int) {
	t.Helper()
	if !eventually(func() bool { return runtime.NumGoroutine() <= before }) {
		buf := make([]byte, 1<<20)
		t.Errorf("goroutines: %d before, %d after\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
	}
}

// eventually polls a condition that other goroutines bring about.
func eventually(cond func() bool) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if cond() {
			return true
		}
	}
	return cond()
}

func (ts *testServer) url() string {
	return fmt.Sprintf("postgres://u@%s/d?sslmode=disable", ts.addr)
}

func (ts *testServer) connect(t testing.TB) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := pgx.Connect(ctx, ts.url())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Logf("closing: %v", err)
		}
	})
	return c
}

// psqlCommand is psql asking for encryption first, as it does by default.
func (ts *testServer) psqlCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("psql is not installed")
	}
	args = append([]string{"-X", "-At", strings.Replace(ts.url(), "sslmode=disable", "sslmode=prefer", 1)}, args...)
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "PGCLIENTENCODING=UTF8")
	return cmd
}

// psql runs a script and returns its output and error output.
func (ts *testServer) psql(t *testing.T, script string) (stdout, stderr string) {
	t.Helper()
	cmd := ts.psqlCommand(t)
	cmd.Stdin = strings.NewReader(script)
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("psql: %v\n%s", err, errOut.String())
	}
	return out.String(), errOut.String()
}

func TestPsql(t *testing.T) {
	ts := startServer(t, Options{})
	out, errOut := ts.psql(t, "rows 3;\nrun CREATE TABLE;\nsyntax é here;\nbegin;\nerror 22012 0 boom;\ncommit;\n\\conninfo\n")
	want := "0|row\n1|row\n2|row\nCREATE TABLE\nBEGIN\nROLLBACK\nYou are connected to database \"d\" as user \"u\" on host"
	if !strings.HasPrefix(out, want) {
		t.Errorf("output:\n%s\nwant prefix:\n%s", out, want)
	}
	for _, want := range []string{
		"ERROR:  syntax error at \"here\"\nLINE 1: syntax é here;\n                 ^\nHINT:  try harder",
		"ERROR:  boom",
	} {
		if !strings.Contains(errOut, want) {
			t.Errorf("error output:\n%s\nwant:\n%s", errOut, want)
		}
	}
}

// TestPsqlInterrupt presses Ctrl-C.
func TestPsqlInterrupt(t *testing.T) {
	ts := startServer(t, Options{})
	cmd := ts.psqlCommand(t, "-c", "wait", "-c", "rows 1")
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-ts.fake.waiting
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if !strings.Contains(errOut.String(), "canceling statement due to user request") {
		t.Errorf("psql: %v\n%s%s", err, out.String(), errOut.String())
	}
}

func TestPsqlLargeResult(t *testing.T) {
	ts := startServer(t, Options{})
	out, _ := ts.psql(t, "rows 200000;\n")
	if n := strings.Count(out, "\n"); n != 200_000 {
		t.Errorf("%d lines", n)
	}
}
