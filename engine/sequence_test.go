package engine

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestSequenceAfterRestart: setval and the catalog know where a sequence is when the
// database has been opened again.
func TestSequenceAfterRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	open := func() (testSession, func()) {
		e, err := Open(context.Background(), Config{Version: "test", Path: path})
		if err != nil {
			t.Fatal(err)
		}
		s, err := e.NewSession(context.Background(), SessionOptions{User: "u"})
		if err != nil {
			t.Fatal(err)
		}
		return testSession{s, t}, func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	s, end := open()
	s.run("CREATE SEQUENCE up")
	s.run("CREATE SEQUENCE down INCREMENT -2 MINVALUE -100 MAXVALUE 9 START 9")
	s.run(`CREATE SEQUENCE "a START 3 b" START 40`)
	s.run("CREATE SEQUENCE new START 7")
	s.run("SELECT nextval('up'), nextval('down'), nextval('\"a START 3 b\"') FROM range(5)")
	const listed = "SELECT sequencename, last_value FROM pg_sequences ORDER BY 1"
	const want = "a START 3 b|44;down|1;new|NULL;up|5"
	s.want(listed, want)
	end()
	s, end = open()
	s.want(listed, want)
	s.want("SELECT last_value, is_called FROM up", "5|1")
	s.want("SELECT last_value, is_called FROM new", "7|0")
	s.run("SELECT setval('up', 10), setval('down', -9), setval('\"a START 3 b\"', 44), setval('new', 8)")
	s.want("SELECT nextval('up'), nextval('down'), nextval('\"a START 3 b\"'), nextval('new')", "11|-11|45|9")
	s.run("SELECT setval('up', 3), setval('\"a START 3 b\"', 12)") // back
	end()
	s, end = open()
	defer end()
	s.want("SELECT nextval('up'), nextval('\"a START 3 b\"')", "4|13")
}

// What setval has done is in the log when it has been answered: a file that is copied under a
// server is what a crash leaves.
func TestSetvalIsDurable(t *testing.T) {
	dir := t.TempDir()
	open := func(name string) testSession {
		e, err := Open(context.Background(), Config{Version: "test", Path: filepath.Join(dir, name)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
		return openSession(t, e)
	}
	s := open("a.db")
	s.run("CREATE SEQUENCE q")
	s.want("SELECT setval('q', 500)", "500")
	for _, end := range []string{"", ".wal"} {
		text, err := os.ReadFile(filepath.Join(dir, "a.db"+end))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "b.db"+end), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	crashed := open("b.db")
	crashed.want("SELECT nextval('q')", "501")
}

// setval may name the last number of a sequence, after which there is none.
func TestSetvalToTheLast(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE SEQUENCE up")
	s.run("CREATE SEQUENCE down INCREMENT -1")
	s.run("CREATE SEQUENCE ten START 10 MAXVALUE 10")
	s.want("SELECT setval('up', 9223372036854775807), setval('down', -9223372036854775808), setval('ten', 10)", "9223372036854775807|-9223372036854775808|10")
	s.want("SELECT last_value FROM up", "9223372036854775807")
	for _, name := range []string{"up", "down", "ten"} {
		s.wantError("SELECT nextval('"+name+"')", "2200H")
	}
	s.want("SELECT setval('ten', 4), nextval('ten')", "4|5")
	s.want("SELECT setval('ten', 10), setval('ten', 10, false), nextval('ten')", "10|10|10")
	s.wantError("SELECT nextval('ten')", "2200H")
	s.want("SELECT setval('up', 3), nextval('up')", "3|4")
}
