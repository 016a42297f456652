package duckbackend

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A database in memory spills to a directory of its own among the system's temporary
// files, which nobody else can read and which goes with it; the working directory
// stays as it is.
func TestMemorySpillsToTemporaryDirectory(t *testing.T) {
	temporary, working := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Chdir(working)
	db, err := Open(ctx, Config{MemoryLimitBytes: 64 << 20, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	c := openConn(t, db)
	mustExec(t, c, "CREATE TEMP TABLE big AS SELECT hash(i) AS h, i::VARCHAR || 'a text that takes its place' AS s FROM range(3000000) r(i)")
	found, err := filepath.Glob(filepath.Join(temporary, "trireme-*", "*"))
	if err != nil || len(found) == 0 {
		t.Errorf("nothing was spilled to %s: %v", temporary, err)
	}
	for _, file := range found[:min(1, len(found))] {
		if info, err := os.Stat(filepath.Dir(file)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the directory has mode %v: %v", info.Mode(), err)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{temporary, working} {
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s has %v: %v", dir, left, err)
		}
	}
}

// What a killed process left goes when the next database in memory is opened; what one
// holds that lives, or may be about to lock, stays.
func TestAbandonedSpillsAreRemoved(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	open := func() *DB {
		db, err := Open(ctx, Config{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return db
	}
	living := open()
	old := time.Now().Add(-time.Hour)
	for name, at := range map[string]time.Time{"trireme-spill-1": old, "trireme-spill-2": time.Now(), "trireme-other": old} {
		if err := os.MkdirAll(filepath.Join(temporary, name, "within"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(temporary, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(living.spill.path, old, old); err != nil {
		t.Fatal(err)
	}
	open()
	for name, want := range map[string]bool{"trireme-spill-1": false, "trireme-spill-2": true, "trireme-other": true, filepath.Base(living.spill.path): true} {
		if _, err := os.Stat(filepath.Join(temporary, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", name, err, want)
		}
	}
}

// Without a directory for temporary files the error says which one is missing.
func TestMemoryWithoutTemporaryDirectory(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	db, err := Open(ctx, Config{})
	if err == nil {
		t.Fatal("opened", db.Close())
	}
	if e := wantCode(t, err, "58030"); e.Hint == "" {
		t.Errorf("no hint: %v", e)
	}
}
