package engine

import (
	"context"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
)

// A macro that takes the place of a function counts from the moment it is there,
// for those who see it: after a commit everybody but older transactions, before
// it and when it is temporary its own session.
func TestMacroInPlaceOfAFunction(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	other.run("CREATE TABLE t AS SELECT i + 1 AS x FROM range(2) r(i)")
	const sql = "SELECT sum(abs(a.x)) FROM t a JOIN t b ON a.x = b.x"
	s.want(sql, "3")
	if by := s.LastBackend(); by != "native" {
		t.Fatalf("answered by %s, want native", by)
	}
	s.run("BEGIN")
	s.want(sql, "3")
	other.run("BEGIN")
	other.run("CREATE MACRO abs(x) AS 10")
	other.want(sql, "20")
	s.want(sql, "3")
	other.run("COMMIT")
	s.want(sql, "3")
	other.want(sql, "20")
	s.run("COMMIT")
	s.want(sql, "20")
	other.run("CREATE TABLE u AS SELECT 1 AS x")
	s.want(sql, "20")
	s.run("DROP MACRO abs")
	s.want(sql, "3")
	other.want(sql, "3")
	s.run("CREATE TEMP MACRO abs(x) AS 7")
	s.want(sql, "14")
	other.want(sql, "3")
}

// A substring FROM a pattern is the first match, or that of its first group, on any table.
func TestSubstringByAPattern(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t AS SELECT * FROM (VALUES (1, 'Argo'), (2, 'salaminia'), (3, NULL)) v(id, s)")
	s.want("SELECT substring(s FROM '^[A-Z]') FROM t ORDER BY id", "A;NULL;NULL")
	s.want("SELECT substring(s FROM 'x*') FROM t ORDER BY id", ";;NULL")
	s.wantError("SELECT substring(s, 'x*') FROM t", "22P02")
	s.want("SELECT substring(s || '(' FROM 'r(g)|min(.)') FROM t WHERE id < 2", "g")
	s.want(`SELECT substring(s || '(' FROM 'o\(') FROM t WHERE id = 1`, "o(")
	s.want("SELECT substring(s FROM '(?i)R.') FROM t WHERE id = 1", "rg")
	s.want("SELECT substring(a.s FROM 'a.') AS p, count(*) FROM t a JOIN t b ON a.id >= b.id GROUP BY p ORDER BY p", "al|2;NULL|4")
	s.want("SELECT substring(s, '2'), substring(s FROM 2 FOR 2) FROM t WHERE id = 1", "rgo|rg")
	for _, tc := range []struct {
		sql, arg, want string
		param          rows.TypeID
	}{
		{"SELECT substring(s FROM $1) FROM t WHERE id = 2", "(?i)[L-N].", "la", rows.Varchar},
		{"SELECT substring(s FROM $1) FROM t WHERE id = 2", "a(l.)", "la", rows.Varchar},
		{"SELECT substring(s FROM $1) FROM t WHERE id = 2", "m.n", "min", rows.Invalid},
		{"SELECT concat($1, substring(s FROM $1)) FROM t WHERE id = 2", "m.n", "m.nmin", rows.Invalid},
		{"SELECT substring(s FROM $1) FROM t WHERE id = 2", "6", "inia", rows.Integer},
		{"SELECT substring(s, $1) FROM t WHERE id = 2", "6", "inia", rows.Invalid},
	} {
		p, err := s.Prepare(t.Context(), tc.sql, []rows.Type{{ID: tc.param}})
		if err != nil {
			t.Errorf("%s: %v", tc.sql, err)
			continue
		}
		res, err := p.Execute(t.Context(), []Arg{{Text: tc.arg}})
		if err != nil {
			t.Fatalf("%s: %v", tc.sql, err)
		}
		if got, err := readAll(res); err != nil || got != tc.want {
			t.Errorf("%s: %q, want %q, error %v", tc.sql, got, tc.want, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkFunctionsAfterDDL binds a statement with a function after a table was
// created: what functions there are is not read again.
func BenchmarkFunctionsAfterDDL(b *testing.B) {
	ctx := context.Background()
	e, err := Open(ctx, Config{FirstPatience: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	}()
	raw, err := e.NewSession(ctx, SessionOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := raw.Close(); err != nil {
			b.Error(err)
		}
	}()
	s := testSession{Session: raw}
	for b.Loop() {
		for _, sql := range []string{"CREATE OR REPLACE TABLE t AS SELECT 1 AS x", "SELECT sum(abs(a.x)) FROM t a JOIN t b ON a.x = b.x"} {
			if _, _, err := s.try(sql); err != nil {
				b.Fatal(err)
			}
		}
	}
}
