package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// TestWithoutOptimizer: a SELECT that has failed in DuckDB's optimizer is executed without
// it; no release at hand is known to fail so, and the error is made here.
func TestWithoutOptimizer(t *testing.T) {
	ctx := context.Background()
	failed := &sqlerr.Error{Code: sqlerr.InternalError, Message: "Failed to bind column reference", Offset: -1, Err: duckbackend.ErrInternal}
	other := &sqlerr.Error{Code: sqlerr.InternalError, Message: "not DuckDB's", Offset: -1}
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t AS SELECT i FROM range(5) v(i)")
	s.run("SET trireme.backend = 'duckdb'")
	prepared := func(sql string, types ...rows.Type) (*Prepared, *duckStatement) {
		t.Helper()
		p, err := s.Prepare(ctx, sql, types)
		if err != nil {
			t.Fatal(err)
		}
		return p, p.stmt.(*duckStatement)
	}
	p, d := prepared("SELECT count(*) FROM t a, t b WHERE a.i = b.i AND a.i < $1", rows.Type{ID: rows.Integer})
	for range 2 {
		cur, err := d.executeWithout(ctx, []duckbackend.Arg{{Type: d.desc.Params[0], Text: "3"}}, failed)
		if err != nil {
			t.Fatal(err)
		}
		b, err := cur.Next(ctx)
		if err != nil || b == nil || b.Cols[0].I64[0] != 3 {
			t.Errorf("%v, %v", b, err)
		}
		if err := cur.Close(); err != nil {
			t.Error(err)
		}
	}
	res, err := p.Execute(ctx, []Arg{{Text: "4"}}) // with the plan that has replaced the other
	if err != nil {
		t.Fatal(err)
	}
	if text, err := readAll(res); text != "4" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	p, d = prepared("SELECT 1 / 0, error('no') FROM t")
	if _, err := d.executeWithout(ctx, nil, failed); !errors.Is(err, failed) {
		t.Errorf("the second error instead of the first: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	reads := sqlfront.Class{Kind: sqlfront.ClassSelect}
	for _, c := range []struct {
		class sqlfront.Class
		err   error
		want  bool
	}{
		{reads, failed, true},
		{reads, other, false},
		{reads, nil, false},
		{sqlfront.Class{Kind: sqlfront.ClassUpdate}, failed, false},
		{sqlfront.Class{Kind: sqlfront.ClassSelect, WritesUnknown: true}, failed, false},
	} {
		if got := s.mayDoWithout(c.class, c.err); got != c.want {
			t.Errorf("%v after %v: %v", c.class.Kind, c.err, got)
		}
	}
	s.run("BEGIN")
	if s.mayDoWithout(reads, failed) {
		t.Error("in a transaction, which the error has ended")
	}
	s.run("ROLLBACK")
	s.run("PRAGMA disable_optimizer")
	if s.mayDoWithout(reads, failed) {
		t.Error("the optimizer was off")
	}
}
