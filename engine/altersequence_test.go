package engine

import (
	"path/filepath"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TestAlterSequence: what follows each change is what Postgres 15 gives.
func TestAlterSequence(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE SEQUENCE q")
	for _, c := range [][2]string{
		{"ALTER SEQUENCE q RESTART WITH 10", "10"},
		{"ALTER SEQUENCE q RESTART", "1"},
		{"ALTER SEQUENCE q INCREMENT BY 5", "6"},
		{"ALTER SEQUENCE q INCREMENT 2 RESTART 100", "100"},
		{"ALTER SEQUENCE IF EXISTS public.q MINVALUE 1 MAXVALUE 103 CYCLE CACHE 10 AS BIGINT", "102"},
		{"SELECT 1", "1"}, // around
		{"ALTER SEQUENCE q NO CYCLE NO MAXVALUE START WITH 7", "3"},
		{"ALTER SEQUENCE q RESTART", "7"},
		{"SELECT setval('q', 50)", "52"},
		{"SELECT setval('q', 3, false)", "3"},
		{"ALTER SEQUENCE q RESTART", "7"},
		{"ALTER SEQUENCE q INCREMENT -1 MINVALUE -5 RESTART -4", "-4"},
		{"ALTER SEQUENCE q MAXVALUE 7 NO MINVALUE", "-5"},
	} {
		s.run(c[0])
		if got := s.run("SELECT nextval('q')"); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
	s.want("SELECT last_value, is_called FROM q", "-5|1")
	s.want("SELECT start_value, min_value, max_value, increment_by, cycle FROM pg_sequences WHERE sequencename = 'q'", "7|-9223372036854775808|7|-1|0")
	for sql, want := range map[string]string{
		"ALTER SEQUENCE q INCREMENT 0":              "INCREMENT must not be zero",
		"ALTER SEQUENCE q MINVALUE 7":               "MINVALUE (7) must be less than MAXVALUE (7)",
		"ALTER SEQUENCE q MAXVALUE 6":               "START value (7) cannot be greater than MAXVALUE (6)",
		"ALTER SEQUENCE q MINVALUE 0":               "RESTART value (-5) cannot be less than MINVALUE (0)",
		"ALTER SEQUENCE q MINVALUE 0 RESTART 9":     "RESTART value (9) cannot be greater than MAXVALUE (7)",
		"ALTER SEQUENCE q MINVALUE 0 START WITH -1": "START value (-1) cannot be less than MINVALUE (0)",
	} {
		if e := s.wantError(sql, sqlerr.InvalidParameter); e.Message != want {
			t.Errorf("%s: %q, want %q", sql, e.Message, want)
		}
	}
	s.wantError("ALTER SEQUENCE nosuch RESTART", sqlerr.UndefinedTable)
	s.wantTag("ALTER SEQUENCE IF EXISTS nosuch RESTART", "ALTER SEQUENCE")
	s.wantError("ALTER SEQUENCE q BLUE", sqlerr.SyntaxError)
	s.want("SELECT nextval('q')", "-6")
}

// TestAlterSequenceOfAColumn: defaults go on counting by a sequence that is changed, in transactions, with savepoints, and
// once the database has been opened again.
func TestAlterSequenceOfAColumn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	e := openConfig(t, Config{Path: path})
	s := openSession(t, e)
	s.run("CREATE TABLE t (id SERIAL PRIMARY KEY, v INT)")
	s.run("INSERT INTO t (v) VALUES (1), (2)")
	s.run("ALTER SEQUENCE t_id_seq INCREMENT 10 OWNED BY t.id")
	s.run("INSERT INTO t (v) VALUES (3)")
	s.run("ALTER SEQUENCE t_id_seq RESTART WITH 100 INCREMENT 1")
	s.run("INSERT INTO t (v) VALUES (4)")
	s.run("BEGIN")
	s.run("ALTER SEQUENCE t_id_seq RESTART 200")
	s.run("INSERT INTO t (v) VALUES (5)")
	s.run("SAVEPOINT a")
	s.run("ALTER SEQUENCE t_id_seq RESTART 300")
	s.run("INSERT INTO t (v) VALUES (6)")
	s.run("ROLLBACK TO a")
	s.run("INSERT INTO t (v) VALUES (7)")
	s.run("COMMIT")
	s.want("SELECT string_agg(id || ':' || v, ' ' ORDER BY id) FROM t", "1:1 2:2 12:3 100:4 200:5 201:7")
	s.run("BEGIN")
	s.run("ALTER SEQUENCE t_id_seq RESTART 1")
	s.run("ROLLBACK")
	s.want("INSERT INTO t (v) VALUES (8) RETURNING id", "202")
	s.run("CREATE SEQUENCE free START 5")
	s.run("SELECT nextval('free')")
	s.run("ALTER SEQUENCE free INCREMENT 3")
	s.want("SELECT nextval('free')", "8")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	s = openSession(t, openConfig(t, Config{Path: path}))
	s.want("INSERT INTO t (v) VALUES (9) RETURNING id", "203")
	s.want("SELECT nextval('free')", "11")
	s.run("ALTER SEQUENCE free RESTART")
	s.run("ALTER SEQUENCE t_id_seq RESTART")
	s.want("SELECT nextval('free'), nextval('t_id_seq')", "5|1")
	s.want("SELECT count(*) FROM pg_depend WHERE refobjid = 't'::regclass AND objid = 't_id_seq'::regclass", "1")
	s.run("DROP TABLE t")
	s.wantError("SELECT nextval('t_id_seq')", sqlerr.UndefinedTable)
	s.want("SELECT nextval('free')", "8")
}
