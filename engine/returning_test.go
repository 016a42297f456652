package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/spill"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// returningStatements write more rows than one batch has, and return them.
var returningStatements = []struct{ sql, tag string }{
	{"INSERT INTO u SELECT i, 7 FROM range(5000) r(i) RETURNING k", "INSERT 0"},
	{"UPDATE u SET w = 2 RETURNING k, w", "UPDATE"},
	{"DELETE FROM u WHERE k >= 0 RETURNING k", "DELETE"},
	{"MERGE INTO u USING (SELECT i AS k FROM range(9000) r(i)) s ON u.k = s.k WHEN MATCHED THEN UPDATE SET w = 3 WHEN NOT MATCHED THEN INSERT VALUES (s.k, 4) RETURNING u.k", "MERGE"},
}

// returningSession has a table of 6000 rows, whose sums are 6000 and those of a query on tensors.
func returningSession(t *testing.T, cfg Config) (s, other testSession) {
	t.Helper()
	if !duckbackend.HoldsCommits {
		t.Skip("this DuckDB commits before the first row is read")
	}
	e := openConfig(t, cfg)
	s, other = openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE u (k BIGINT, w INTEGER)")
	s.run("INSERT INTO u SELECT i, 1 FROM range(6000) r(i)")
	s.run("CREATE TABLE one (k BIGINT)")
	s.run("INSERT INTO one VALUES (5), (6)")
	other.run("SET trireme.backend = native")
	return s, other
}

// startReturning executes a statement and reads its first rows.
func (s testSession) startReturning(ctx context.Context, sql string) *Result {
	s.t.Helper()
	p, err := s.Prepare(ctx, sql, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			s.t.Error(err)
		}
	})
	res, err := p.Execute(ctx, nil)
	if err != nil {
		s.t.Fatal(sql, err)
	}
	if b, err := res.Next(ctx); b == nil || err != nil {
		s.t.Fatal(sql, b, err)
	}
	return res
}

const (
	returningSum    = "SELECT count(*), sum(w) FROM u"
	returningJoined = "SELECT sum(w) FROM u JOIN one ON u.k = one.k"
)

// TestReturningIsUndone: what writes and returns rows has written nothing where its client is
// told that it has failed, however many of its rows were read.
func TestReturningIsUndone(t *testing.T) {
	ctx := context.Background()
	space := spill.NewSpace(1 << 10)
	s, other := returningSession(t, Config{Version: "test", Spill: space})
	third := openSession(t, s.engine) // answers also where tensors are no help
	unchanged := func(sql, how string) {
		t.Helper()
		s.wantStatus(TxIdle)
		for _, by := range []testSession{s, other} {
			by.want(returningSum, "6000|6000")
			by.want(returningJoined, "2")
		}
		if t.Failed() {
			t.Fatal(sql, how)
		}
	}
	wantCode := func(err error, code string) {
		t.Helper()
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("error %v, want %s", err, code)
		}
	}
	for _, c := range returningStatements {
		res := s.startReturning(ctx, c.sql)
		third.want(returningSum, "6000|6000")
		s.Cancel()
		_, err := res.Next(ctx)
		wantCode(err, sqlerr.QueryCanceled)
		if err := res.Close(); err != nil {
			t.Error(err)
		}
		unchanged(c.sql, "cancelled")

		within, cancel := context.WithCancel(ctx)
		res = s.startReturning(within, c.sql)
		cancel()
		_, err = res.Next(within)
		wantCode(err, sqlerr.QueryCanceled)
		unchanged(c.sql, "its context is done")

		res = s.startReturning(ctx, c.sql)
		if err := res.Abandon(errors.New("the client is gone")); err != nil {
			t.Error(err)
		}
		unchanged(c.sql, "abandoned")

		// Rows that another statement finds in its way, and that cannot be kept.
		wide := c.sql + ", repeat('x', 5000)"
		res = s.startReturning(ctx, wide)
		s.want("SELECT 1", "1")
		for err = nil; err == nil; {
			b, failed := res.Next(ctx)
			if err = failed; b == nil {
				break
			}
		}
		wantCode(err, sqlerr.ProgramLimit)
		if err := res.Close(); err != nil {
			t.Error(err)
		}
		unchanged(c.sql, "its rows do not fit")
	}
	s.run("SET statement_timeout = '50ms'")
	res := s.startReturning(ctx, returningStatements[0].sql)
	<-res.run.ctx.Done()
	_, err := res.Next(ctx)
	wantCode(err, sqlerr.QueryCanceled)
	unchanged(returningStatements[0].sql, "its time is up")
}

// TestReturningStays: what writes and returns rows has written when its Result is closed, and
// others see it only then.
func TestReturningStays(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ sql, sums, joined string }{
		{returningStatements[0].sql, "11000|41000", "16"},
		{returningStatements[1].sql, "6000|12000", "4"},
		{returningStatements[2].sql, "0|NULL", "NULL"},
		{returningStatements[3].sql, "9000|30000", "6"},
	} {
		for _, how := range []string{"read", "closed", "passed"} {
			s, other := returningSession(t, Config{Version: "test"})
			third := openSession(t, s.engine) // answers also where tensors are no help
			res := s.startReturning(ctx, c.sql)
			third.want(returningSum, "6000|6000")
			third.want(returningJoined, "2")
			switch how {
			case "read":
				for {
					b, err := res.Next(ctx)
					if err != nil {
						t.Fatal(err)
					}
					if b == nil {
						break
					}
				}
			case "passed": // by another statement, before which it is complete
				s.want(returningSum, c.sums)
				other.want(returningSum, c.sums)
			}
			if err := res.Close(); err != nil {
				t.Error(err)
			}
			s.wantStatus(TxIdle)
			for _, by := range []testSession{s, other} {
				by.want(returningSum, c.sums)
				by.want(returningJoined, c.joined)
			}
		}
	}
}

// TestReturningOneRow: a row that has been committed is delivered, though a cancellation comes
// before it is read.
func TestReturningOneRow(t *testing.T) {
	s, _ := returningSession(t, Config{Version: "test"})
	ctx, cancel := context.WithCancel(context.Background())
	p, err := s.Prepare(ctx, "INSERT INTO u VALUES (-1, 0) RETURNING k", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Execute(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	s.Cancel()
	if b, err := res.Next(ctx); b == nil || err != nil || b.Cols[0].I64[0] != -1 {
		t.Fatal(b, err)
	}
	if b, err := res.Next(ctx); b != nil || err != nil {
		t.Fatal(b, err)
	}
	if err := errors.Join(res.Close(), p.Close()); err != nil {
		t.Error(err)
	}
	s.want("SELECT count(*) FROM u WHERE k = -1", "1")
}

// TestReturningOfLostSession: what a session has not committed is not there when it is closed.
func TestReturningOfLostSession(t *testing.T) {
	ctx := context.Background()
	s, other := returningSession(t, Config{Version: "test"})
	lost := openSession(t, s.engine)
	p, err := lost.Prepare(ctx, "DELETE FROM u RETURNING k", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Execute(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := res.Next(ctx); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(res.Abandon(errors.New("gone")), lost.Close()); err != nil {
		t.Error(err)
	}
	other.want(returningSum, "6000|6000")
	s.want("UPDATE u SET w = 5 WHERE k = 3 RETURNING k", "3")
}

// TestReturningInTransaction: a cancellation between its rows fails the transaction it is in, and
// closing it early does not end that.
func TestReturningInTransaction(t *testing.T) {
	ctx := context.Background()
	s, other := returningSession(t, Config{Version: "test"})
	for _, c := range returningStatements {
		s.run("BEGIN")
		if err := s.startReturning(ctx, c.sql).Close(); err != nil {
			t.Error(err)
		}
		s.wantStatus(TxActive)
		s.run("ROLLBACK")
		s.run("BEGIN")
		res := s.startReturning(ctx, c.sql)
		s.Cancel()
		if _, err := res.Next(ctx); err == nil {
			t.Error(c.sql, "no error")
		}
		s.wantStatus(TxFailed)
		s.run("ROLLBACK")
		other.want(returningSum, "6000|6000")
		s.want(returningSum, "6000|6000")
	}
}
