package duckbackend

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
)

// TestExecutedAgain: a prepared statement is whole when it is executed again, also after an
// execution that was interrupted, however far that had come, or whose rows were not all read;
// with parameters, and as part of a statement that writes.
func TestExecutedAgain(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, closing := range []func() error{c.Close, db.Close} {
			if err := closing(); err != nil {
				t.Error(err)
			}
		}
	})
	for _, sql := range []string{
		"CREATE TABLE span AS SELECT i AS id, hash(i) % 1000000 AS lo, hash(i) % 1000000 + 50 AS hi FROM range(5000) t(i)",
		"CREATE TABLE found(n BIGINT)",
		"CREATE TABLE event AS SELECT hash(i + 13) % 1000000 AS t FROM range(100000) t(i)",
	} {
		if err := c.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	stmt, err := c.Prepare(ctx, "SELECT span.id FROM span JOIN event ON event.t BETWEEN span.lo AND span.hi")
	if err != nil {
		t.Fatal(err)
	}
	rowCount := func(ctx context.Context, most int) (n int, err error) {
		cur, err := stmt.Execute(ctx, nil)
		if err != nil {
			return 0, err
		}
		defer func() {
			if cerr := cur.Close(); err == nil {
				err = cerr
			}
		}()
		for n < most {
			b, err := cur.Next(ctx)
			if b == nil || err != nil {
				return n, err
			}
			n += b.N
		}
		return n, nil
	}
	const all = 1 << 30
	want, err := rowCount(ctx, all)
	if err != nil || want == 0 {
		t.Fatal(want, err)
	}
	for wait := time.Millisecond; wait < 100*time.Millisecond; wait = wait * 3 / 2 {
		within, cancel := context.WithTimeout(ctx, wait)
		if _, err := rowCount(within, all); err != nil && !isCancel(err) {
			t.Fatal(err)
		}
		cancel()
		if got, err := rowCount(ctx, all); got != want || err != nil {
			t.Fatalf("after %s: %d rows, want %d, error %v", wait, got, want, err)
		}
	}
	if _, err := rowCount(ctx, 1); err != nil {
		t.Fatal(err)
	}
	if got, err := rowCount(ctx, all); got != want || err != nil {
		t.Errorf("after some rows: %d, want %d, error %v", got, want, err)
	}
	for _, sql := range []string{
		"SELECT count(*) FROM span JOIN event ON event.t BETWEEN span.lo AND span.hi + $1::INTEGER",
		"INSERT INTO found SELECT count(*) FROM span JOIN event ON event.t BETWEEN span.lo AND span.hi + $1::INTEGER",
		"CREATE OR REPLACE TABLE made AS SELECT span.id FROM span JOIN event ON event.t BETWEEN span.lo AND span.hi",
		"EXPLAIN ANALYZE SELECT count(*) FROM span JOIN event ON event.t BETWEEN span.lo AND span.hi",
		"SELECT count(*) FROM range(5000) a(x) JOIN range(5000) b(x) ON b.x BETWEEN a.x - 5 AND a.x + 5",
		"SELECT count(*) FROM span JOIN event ON event.t = span.lo",
	} {
		other, err := c.Prepare(ctx, sql)
		if err != nil {
			t.Fatal(err)
		}
		args := make([]Arg, len(other.Describe().Params))
		for i := range args {
			args[i] = Arg{Type: rows.Type{ID: rows.Integer}, Text: "1"}
		}
		for range 3 {
			cur, err := other.Execute(ctx, args)
			if err != nil {
				t.Fatal(sql, err)
			}
			if err := cur.Close(); err != nil {
				t.Fatal(sql, err)
			}
		}
		if wantOnce := !strings.Contains(sql, "=") && len(args) == 0; replans && wantOnce != other.once {
			t.Errorf("%s: once %t", sql, other.once)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := stmt.Close(); err != nil {
		t.Error(err)
	}
}

// TestExecutedAfterFailedPlan: a statement that needs a plan for each execution is whole after
// one that could not be made, whatever the reason.
func TestExecutedAfterFailedPlan(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	exec := func(sql string) {
		t.Helper()
		if err := c.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE span AS SELECT i AS lo, i + 1 AS hi FROM range(5000) t(i)")
	const event = "CREATE TABLE event AS SELECT i AS t FROM range(5000) t(i)"
	exec(event)
	exec("SET VARIABLE long = 1")
	refuse := false
	admit := func(StatementKind) error {
		if refuse {
			return errInterrupted()
		}
		return nil
	}
	// What is calculated of constants is calculated while the plan is made.
	stmt, err := c.PrepareAs(ctx, "SELECT count(*) FROM span JOIN event ON event.t BETWEEN span.lo AND span.hi"+
		" WHERE levenshtein(repeat('a', getvariable('long')), repeat('b', getvariable('long'))) > 0", admit)
	if err != nil {
		t.Fatal(err)
	}
	if replans && !stmt.once {
		t.Fatal("the plan is good for several executions")
	}
	execute := func(ctx context.Context) (n int64, err error) {
		cur, err := stmt.Execute(ctx, nil)
		if err != nil {
			return 0, err
		}
		b, err := cur.Next(ctx)
		if err == nil {
			n = b.Cols[0].I64[0]
		}
		return n, errors.Join(err, cur.Close())
	}
	whole := func(after string) {
		t.Helper()
		for range 2 {
			if n, err := execute(ctx); n != 9999 || err != nil {
				t.Fatalf("after %s: %d, %v", after, n, err)
			}
		}
	}
	whole("its preparation")

	exec("DROP TABLE event")
	if _, err := execute(ctx); err == nil || !strings.Contains(err.Error(), "event does not exist") {
		t.Errorf("without its table: %v", err)
	}
	exec(event)
	whole("its table was away")

	exec("SET VARIABLE long = 300000")
	within, cancel := context.WithCancel(ctx)
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := execute(within); !isCancel(err) {
		t.Errorf("cancelled: %v", err)
	}
	exec("SET VARIABLE long = 1")
	whole("a cancelled plan")

	refuse = true
	if _, err := execute(ctx); !isCancel(err) {
		t.Errorf("refused: %v", err)
	}
	refuse = false
	whole("a refusal")
	if err := stmt.Close(); err != nil {
		t.Error(err)
	}
}
