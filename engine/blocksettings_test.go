package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// What a block has set is as it was before when the block fails.
func TestSettingsOfAFailedBlock(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("SET application_name = 'before'")
	shown := func() (all []string) {
		for _, name := range []string{"statement_timeout", "trireme.backend", "application_name", "TimeZone", "search_path", "default_transaction_read_only", "my.own"} {
			text, _, err := s.try("SHOW " + name)
			if err != nil {
				text = sqlerr.From(err).Code
			}
			all = append(all, text)
		}
		return all
	}
	before := shown()
	for _, set := range []string{
		"SET statement_timeout = '5s'", "SET trireme.backend = 'duckdb'", "RESET application_name", "RESET ALL", "SET TimeZone = 'Asia/Tokyo'", "SET search_path = pg_catalog",
		"SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "SELECT set_config('statement_timeout', '5s', false)",
	} {
		for _, failing := range [][]string{{set, "SELECT error('x')"}, {set, "SELECT nope"}, {set, set, "SELECT nope"}, {"SELECT 1", set, "SELECT nope"}} {
			if err := s.block(failing...); err == nil {
				t.Errorf("%q: no error", failing)
			}
			if after := shown(); !slices.Equal(after, before) {
				t.Errorf("%q: %q, want %q", failing, after, before)
			}
			s.wantStatus(TxIdle)
		}
	}
	if err := s.block("SET statement_timeout = '5s'", "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	s.want("SHOW statement_timeout", "5s")
}

// A block is a transaction: SET LOCAL and SET TRANSACTION hold to its end.
func TestModesOfABlock(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (x INTEGER)")
	for _, set := range []string{"SET TRANSACTION READ ONLY", "SET transaction_read_only = on", "SET LOCAL transaction_read_only = on"} {
		err := s.block(set, "INSERT INTO t VALUES (1)")
		if e := new(sqlerr.Error); !errors.As(err, &e) || e.Code != sqlerr.ReadOnlyTransaction {
			t.Errorf("%s: %v", set, err)
		}
	}
	s.want("SELECT count(*) FROM t", "0")
	s.run("INSERT INTO t VALUES (1)")
	if err := s.block("SET LOCAL statement_timeout = '5s'", "INSERT INTO t SELECT 2 WHERE current_setting('statement_timeout') = '5s'"); err != nil {
		t.Fatal(err)
	}
	s.want("SELECT count(*) FROM t", "2")
	s.want("SHOW statement_timeout", "0")
	if n := s.Notices(); len(n) != 0 {
		t.Errorf("notices %v", n)
	}
}

// Changes of roles are not rolled back: a block has none, whatever its order.
func TestRolesInABlock(t *testing.T) {
	root := openSession(t, openEngine(t))
	root.run("CREATE ROLE old")
	for _, sql := range []string{"CREATE ROLE q9 LOGIN", "ALTER ROLE old LOGIN", "GRANT trireme_admin TO old", "REVOKE trireme_admin FROM old", "DROP ROLE old"} {
		for _, texts := range [][]string{{sql, "SELECT error('x')"}, {sql}, {"SELECT 1", sql}} {
			err := root.block(texts...)
			if e := new(sqlerr.Error); !errors.As(err, &e) || e.Code != sqlerr.ActiveTransaction {
				t.Errorf("%q: %v", texts, err)
			}
		}
	}
	root.want("SELECT rolname, rolcanlogin FROM pg_roles WHERE rolname IN ('q9', 'old')", "old|0")
}

// A session's own role stays.
func TestOwnRoleIsNotDropped(t *testing.T) {
	e := openEngine(t)
	root := openSession(t, e)
	root.run("CREATE ROLE ann LOGIN SUPERUSER")
	root.run("CREATE ROLE bob")
	s, err := e.NewSession(context.Background(), SessionOptions{User: "ann", Role: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	ann := testSession{s, t}
	for _, sql := range []string{"DROP ROLE ann", "DROP USER IF EXISTS bob, ann", "DROP ROLE current_user"} {
		ann.wantError(sql, "55006")
	}
	ann.want("SELECT count(*) FROM pg_roles WHERE rolname IN ('ann', 'bob')", "2")
	ann.run("DROP ROLE bob")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// The condition of COPY is one expression: its parentheses end in it.
func TestConditionOfCopyIsOne(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (x INTEGER)")
	for _, c := range []struct {
		where string
		at    int
	}{
		{"true) UNION ALL SELECT 55 WHERE (true", 4}, {"true) --", 4}, {"(x > 1", 6}, {"x IN (1)) AND (true", 8}, {"true) ORDER BY (1", 4},
	} {
		const copies = "COPY t FROM STDIN WHERE "
		err := copyRows(s, copies+c.where, [][]string{{"1"}})
		e := new(sqlerr.Error)
		if !errors.As(err, &e) || e.Code != sqlerr.SyntaxError || e.Offset != len(copies)+c.at {
			t.Errorf("%s: %v", c.where, err)
		}
	}
	if err := copyRows(s, "COPY t FROM STDIN WHERE (x IN (1, 2)) AND ')' <> '(' /* ( */ -- )", [][]string{{"1"}}); err != nil {
		t.Error(err)
	}
	s.want("SELECT x FROM t", "1")
}

// An object of another kind is named in plain English.
func TestObjectsOfAnotherKind(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE VIEW vv AS SELECT 1 AS a")
	s.run("CREATE TABLE tt (a INTEGER)")
	for _, sql := range []string{"TRUNCATE vv", "DROP TABLE vv", "DROP VIEW tt"} {
		_, _, err := s.try(sql)
		if err == nil || strings.Contains(err.Error(), " an table") || strings.Contains(err.Error(), " an view") || sqlerr.From(err).Code != "42809" {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
