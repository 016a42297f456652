package engine

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/duckbackend"
)

// crashing is a database that is looked at as a crash would leave it.
type crashing struct {
	t    *testing.T
	dir  string
	live *Engine
}

func openCrashing(t *testing.T) *crashing {
	t.Helper()
	c := &crashing{t: t, dir: t.TempDir()}
	c.live = c.open("a.db")
	return c
}

func (c *crashing) open(name string) *Engine {
	c.t.Helper()
	e, err := Open(context.Background(), Config{Version: "test", Path: filepath.Join(c.dir, name)})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		if err := e.Close(); err != nil {
			c.t.Error(err)
		}
	})
	return e
}

// crashed opens a copy of what the database has written until now.
func (c *crashing) crashed() testSession {
	c.t.Helper()
	to, err := os.MkdirTemp(c.dir, "")
	if err != nil {
		c.t.Fatal(err)
	}
	name := filepath.Join(filepath.Base(to), "b.db")
	copyCrashed(c.t, c.dir, "a.db", name)
	return openSession(c.t, c.open(name))
}

// copyCrashed copies a database and its log as a crash would leave them.
func copyCrashed(t *testing.T, dir, from, to string) {
	t.Helper()
	for _, end := range []string{"", ".wal"} {
		text, err := os.ReadFile(filepath.Join(dir, from+end))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to+end), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func needsNotesDrawn(t *testing.T) {
	t.Helper()
	if !duckbackend.NotesDrawn {
		t.Skip("nobody knows who has drawn numbers: " + runtime.GOOS + ", or DuckDB is a library of its own")
	}
}

// Numbers that a client was told are not given again after a crash, however their transaction has
// ended.
func TestToldNumbersAreDurable(t *testing.T) {
	needsNotesDrawn(t)
	for name, draw := range map[string]func(t *testing.T, c *crashing, s testSession){
		"rolled back": func(_ *testing.T, _ *crashing, s testSession) {
			s.run("BEGIN")
			s.want("SELECT nextval('q'), nextval('q')", "1|2")
			s.run("ROLLBACK")
		},
		"failed": func(_ *testing.T, _ *crashing, s testSession) {
			s.run("BEGIN")
			s.want("SELECT nextval('q'), nextval('q')", "1|2")
			s.wantError("SELECT nosuch", "42703")
			s.run("COMMIT")
		},
		"rolled back to": func(_ *testing.T, _ *crashing, s testSession) {
			s.run("BEGIN")
			s.run("INSERT INTO t VALUES (1)")
			s.run("SAVEPOINT a")
			s.want("SELECT nextval('q'), nextval('q')", "1|2")
			s.run("ROLLBACK TO a")
			s.run("COMMIT")
		},
		"rolled back to, and rolled back": func(_ *testing.T, _ *crashing, s testSession) {
			s.run("BEGIN")
			s.run("SAVEPOINT a")
			s.want("SELECT nextval('q'), nextval('q')", "1|2")
			s.run("ROLLBACK TO a")
			s.run("ROLLBACK")
		},
		"begun again": func(_ *testing.T, c *crashing, s testSession) {
			s.run("BEGIN")
			s.want("SELECT nextval('q'), nextval('q')", "1|2")
			openSession(c.t, c.live).run("INSERT INTO t VALUES (1)")
			s.run("ALTER TABLE t ADD COLUMN y INTEGER")
			s.run("COMMIT")
		},
		"a block": func(t *testing.T, _ *crashing, s testSession) {
			if err := s.BeginImplicit(context.Background()); err != nil {
				t.Fatal(err)
			}
			s.want("SELECT nextval('q'), nextval('q')", "1|2")
			if err := s.EndImplicit(context.Background(), false); err != nil {
				t.Fatal(err)
			}
		},
		"read in part": func(t *testing.T, _ *crashing, s testSession) {
			p, err := s.Prepare(context.Background(), "SELECT nextval('q') FROM range(2)", nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := p.Execute(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := r.Next(context.Background()); err != nil || b.N != 2 {
				t.Fatal(b, err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		},
		"of an error": func(_ *testing.T, _ *crashing, s testSession) {
			s.wantError("INSERT INTO t SELECT nextval('q') FROM range(2) UNION ALL SELECT -1", "23514")
			s.want("SELECT currval('q')", "2")
		},
		"of a session that ends": func(t *testing.T, c *crashing, _ testSession) {
			s, err := c.live.NewSession(context.Background(), SessionOptions{User: "u"})
			if err != nil {
				t.Fatal(err)
			}
			other := testSession{s, t}
			other.run("BEGIN")
			other.want("SELECT nextval('q'), nextval('q')", "1|2")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		},
		"gone with their sequence": func(_ *testing.T, _ *crashing, s testSession) {
			s.run("BEGIN")
			s.run("CREATE SEQUENCE u")
			s.want("SELECT nextval('u')", "1")
			s.run("ROLLBACK")
			s.want("SELECT nextval('q'), nextval('q')", "1|2")
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := openCrashing(t)
			s := openSession(t, c.live)
			s.run("CREATE SEQUENCE q")
			s.run("CREATE TABLE t (x INTEGER CHECK (x > 0))")
			draw(t, c, s)
			c.crashed().want("SELECT nextval('q')", "3")
			s.want("SELECT nextval('q')", "3") // none is skipped
		})
	}
}

// The last number of a sequence is logged like any other.
func TestLastNumberIsDurable(t *testing.T) {
	needsNotesDrawn(t)
	c := openCrashing(t)
	s := openSession(t, c.live)
	s.run("CREATE SEQUENCE q MAXVALUE 2")
	s.run("BEGIN")
	s.want("SELECT nextval('q'), nextval('q')", "1|2")
	s.run("ROLLBACK")
	c.crashed().wantError("SELECT nextval('q')", "2200H")
}

// currval is the session's: what it has drawn last of the sequence, by any way.
func TestCurrvalIsOfTheSession(t *testing.T) {
	needsNotesDrawn(t)
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	a.run("CREATE SEQUENCE q")
	a.run("CREATE SEQUENCE r")
	a.run("CREATE TABLE t (id SERIAL, x INTEGER)")
	a.wantError("SELECT currval('q')", "55000")
	a.run("SELECT nextval('q') FROM range(3)")
	a.want("SELECT currval('q')", "3")
	a.wantError("SELECT currval('r')", "55000")
	b.wantError("SELECT currval('q')", "55000")
	b.want("SELECT nextval('q'), currval('q')", "4|4")
	a.want("SELECT currval('q')", "3")
	b.want("SELECT setval('q', 10)", "10")
	b.want("SELECT currval('q')", "10")
	a.want("SELECT currval('q'), nextval('q')", "3|11")
	b.want("SELECT setval('q', 10)", "10") // back
	b.want("SELECT currval('q')", "10")
	b.want("SELECT setval('q', 20, false)", "20")
	b.run("INSERT INTO t (x) VALUES (1), (2)")
	b.want("SELECT currval('t_id_seq')", "2")
	b.run("BEGIN")
	b.want("INSERT INTO t (x) VALUES (1) RETURNING id", "3")
	b.run("ROLLBACK")
	b.want("SELECT currval('t_id_seq')", "3")
	b.want("SELECT nextval('q')", "20")
	b.run("COMMENT ON SEQUENCE q IS 'x'")
	b.want("SELECT currval('q')", "20")
	a.want("SELECT nextval('q')", "21")
	a.run("DISCARD SEQUENCES")
	a.wantError("SELECT currval('q')", "55000")
	b.run("DISCARD ALL")
	b.wantError("SELECT currval('t_id_seq')", "55000")
}

// lastval is what currval says of the sequence from which the session has drawn last.
func TestLastvalIsOfTheSession(t *testing.T) {
	needsNotesDrawn(t)
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	a.run("CREATE SEQUENCE q START 10")
	a.run("CREATE TABLE t (id SERIAL, x INTEGER)")
	if e := a.wantError("SELECT lastval()", "55000"); e.Message != "lastval is not yet defined in this session" {
		t.Error(e)
	}
	a.run("INSERT INTO t (x) VALUES (5), (6)")
	a.want("SELECT lastval()", "2")
	a.want("SELECT nextval('q'), lastval(), pg_catalog.lastval() + 1", "10|10|11")
	b.wantError("SELECT lastval()", "55000")
	b.run("SELECT nextval('q')")
	a.want("SELECT lastval()", "10")
	a.run("SELECT setval('q', 40)")
	a.want("SELECT lastval()", "40")
	a.run("INSERT INTO t VALUES (lastval(), 7)")
	a.want("SELECT x FROM t WHERE id = lastval()", "7")
	a.run("BEGIN")
	a.run("SAVEPOINT a")
	if e := a.wantError("UPDATE t SET x = lastval()", "0A000"); !strings.Contains(e.Message, "it calls lastval()") {
		t.Error(e)
	}
	a.run("ROLLBACK")
	a.run("CREATE VIEW v AS SELECT lastval() AS n")
	a.want("FROM v", "40")
	a.want("SELECT pg_get_viewdef('v'::regclass) LIKE '%lastval()%', pg_get_viewdef('v'::regclass) LIKE '%trireme%'", "1|0")
	a.run("DISCARD SEQUENCES")
	a.wantError("SELECT lastval()", "55000")
}
