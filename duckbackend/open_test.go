package duckbackend

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func TestOpenDurable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "it's s.db")
	for i, want := range []string{"0\n", "1\n"} {
		db, err := Open(ctx, Config{Path: path, Threads: 1, MemoryLimitBytes: 200 << 20})
		if err != nil {
			t.Fatal(err)
		}
		c := openConn(t, db)
		mustExec(t, c, "CREATE SCHEMA IF NOT EXISTS s; CREATE TABLE IF NOT EXISTS s.t(a INT)")
		if got := query(t, c, "SELECT count(*) FROM trireme.s.t"); got != want {
			t.Errorf("open %d: %q", i, got)
		}
		mustExec(t, c, "INSERT INTO s.t VALUES (1)")
		if got := query(t, c, "SELECT current_setting('threads')"); got != "1\n" {
			t.Errorf("threads %q", got)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	junk := filepath.Join(dir, "junk.db")
	if err := os.WriteFile(junk, []byte(strings.Repeat("not a database\n", 2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ path, code string }{
		{junk, sqlerr.DataCorrupted},
		{filepath.Join(dir, "no", "such", "dir.db"), sqlerr.IOError},
		{dir, sqlerr.IOError},
		{filepath.Join(junk, "x.db"), sqlerr.IOError},
	} {
		db, err := Open(ctx, Config{Path: tc.path})
		if err == nil {
			_ = db.Close()
			t.Errorf("%s: no error", tc.path)
			continue
		}
		if e := wantCode(t, err, tc.code); !strings.Contains(e.Message, filepath.Base(dir)) {
			t.Errorf("%s: message %q does not name the path", tc.path, e.Message)
		}
	}
}

func TestOpenCorrupt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.db")
	db, err := Open(ctx, Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, openConn(t, db), "CREATE TABLE t AS SELECT * FROM range(100000); CHECKPOINT")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(raw) && i < 3*4096; i++ {
		raw[i] ^= 0x5a
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err = Open(ctx, Config{Path: path})
	if err == nil {
		_ = db.Close()
		t.Fatal("no error")
	}
	wantCode(t, err, sqlerr.DataCorrupted)
}

// TestOpenLocked runs this test binary again to hold the file.
func TestOpenLocked(t *testing.T) {
	path := os.Getenv("DUCKBACKEND_HOLD")
	if path != "" {
		db, err := Open(ctx, Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		os.Stdout.WriteString("held\n")
		var b [1]byte
		_, _ = os.Stdin.Read(b[:]) // until the parent closes the pipe
		return
	}
	path = filepath.Join(t.TempDir(), "l.db")
	child := exec.Command(os.Args[0], "-test.run=^TestOpenLocked$")
	child.Env = append(os.Environ(), "DUCKBACKEND_HOLD="+path)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var b [5]byte
	if _, err := out.Read(b[:]); err != nil || string(b[:]) != "held\n" {
		t.Fatalf("child says %q: %v", b, err)
	}
	_, err = Open(ctx, Config{Path: path})
	e := wantCode(t, err, sqlerr.ObjectInUse)
	if !strings.Contains(e.Message, "PID") {
		t.Errorf("holder not named: %q", e.Message)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestSameFileTwiceInOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.db")
	db, err := Open(ctx, Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	second, err := Open(ctx, Config{Path: path})
	if err == nil {
		_ = second.Close()
		t.Fatal("the file was opened twice")
	}
	wantCode(t, err, sqlerr.ObjectInUse)
}
