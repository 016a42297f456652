package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// asCommand makes the test binary be trireme, for tests that need a process.
const asCommand = "TRIREME_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// trireme runs a command in this process and returns its standard output.
func trireme(t testing.TB, stdin string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(strings.NewReader(stdin))
	root.SetOut(&out)
	root.SetErr(io.Discard)
	err := root.ExecuteContext(ctx)
	return out.String(), err
}

// process starts trireme as a process of its own.
func process(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+t.TempDir()) // a process that is killed leaves its files
	return cmd
}

// address reads the server's first line, which names where it listens; the rest
// of its output is discarded.
func address(t testing.TB, output io.Reader) string {
	t.Helper()
	r := bufio.NewReader(output)
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("the server said %q: %v", line, err)
	}
	_, rest, ok := strings.Cut(line, "listening on ")
	if !ok {
		t.Fatalf("the server said %q", line)
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return strings.Fields(rest)[0]
}

// serve runs a server in this process until the test ends.
func serve(t testing.TB, args ...string) string {
	t.Helper()
	address, stop := serveUntil(t, args...)
	t.Cleanup(stop)
	return address
}

// serveUntil runs a server in this process until stop is called.
func serveUntil(t testing.TB, args ...string) (at string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	root := newRoot()
	root.SetArgs(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...))
	root.SetErr(w)
	ended := make(chan error, 1)
	go func() {
		err := root.ExecuteContext(ctx)
		ended <- err
		_ = w.CloseWithError(io.EOF)
	}()
	return address(t, r), func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("serve: %v", err)
			}
		case <-time.After(30 * time.Second):
			t.Error("the server does not stop")
		}
	}
}
