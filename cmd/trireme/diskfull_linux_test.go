package main

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestServeGoesOnWhenTheDiskIsFull: what cannot be written is an error, of a COMMIT and a CHECKPOINT;
// what was committed stays, and the server goes on, and writes again as soon as it can.
func TestServeGoesOnWhenTheDiskIsFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "full.db")
	cmd := process(t, "serve", "--listen", "127.0.0.1:0", "--db", path, "--log-level", "error")
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := func() {
		if err := errors.Join(cmd.Process.Kill(), cmd.Wait()); err == nil {
			t.Error("the server had ended")
		}
	}
	listening := address(t, out)
	c := connect(t, listening)
	files := func(bytes uint64) { // how large the server's files may be
		t.Helper()
		if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}, nil); err != nil {
			t.Fatal(err)
		}
	}
	const rows = "SELECT i, md5(i::VARCHAR) || md5((i + 1)::VARCHAR) AS s FROM range(20000) r(i)"
	mustRun(t, c, "CREATE TABLE a AS "+rows, "CHECKPOINT", "CREATE TABLE b (x INTEGER)", "INSERT INTO b VALUES (1)")
	files(256 << 10) // less than there is: a file does not grow
	codes(t, c, "53100", "INSERT INTO a "+rows, "CREATE TABLE c AS "+rows, "BEGIN; UPDATE a SET s = s || 'x'; COMMIT")
	for sql, want := range map[string]string{"SELECT count(*) FROM a": "20000", "SELECT sum(x.i * y.i) FROM a x JOIN a y USING (i) WHERE x.i < 10": "285", "SELECT x FROM b": "1"} {
		if res, err := run(connect(t, listening), sql); err != nil || string(res[0].Rows[0][0]) != want {
			t.Errorf("%s on a full disk: %v, %v", sql, res, err)
		}
	}
	files(unix.RLIM_INFINITY)
	mustRun(t, c, "INSERT INTO b VALUES (2)", "CHECKPOINT", "INSERT INTO b VALUES (3)")
	end()
	if got, err := trireme(t, "", "query", "--db", path, "--format", "csv", "SELECT (SELECT count(*) FROM a) AS a, (SELECT sum(x) FROM b) AS b"); err != nil || got != "a,b\n20000,6\n" {
		t.Errorf("%q, %v", got, err)
	}
}
