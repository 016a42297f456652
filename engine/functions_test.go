package engine

import (
	"context"
	"testing"
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

// BenchmarkFunctionsAfterDDL binds a statement with a function after a table was
// created: what functions there are is not read again.
func BenchmarkFunctionsAfterDDL(b *testing.B) {
	ctx := context.Background()
	e, err := Open(ctx, Config{})
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
