package duckbackend

import (
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TestFailureInTransaction: the error of a result that was lost is found again, in a
// transaction of the user's by another connection, as far as that sees what the
// statement reads; the user's transaction has failed, the statement's own is over.
func TestFailureInTransaction(t *testing.T) {
	if !isRelease1() {
		t.Skip("DuckDB 2 refuses a statement beside an open stream: a lost error cannot be staged so")
	}
	c, err := openMemory(t).Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const fails = "SELECT CAST(CASE WHEN i = 5000000 THEN 'x' ELSE '1' END AS INTEGER) FROM "
	for _, q := range []struct {
		sql, want string
		own       bool
	}{
		{fails + "range(6000000) r(i)", sqlerr.InvalidText, false},
		{fails + "range(6000000) r(i)", sqlerr.InvalidText, true},
		{fails + "made", sqlerr.InternalError, false},
		{"SELECT i FROM range(6000000) r(i)", sqlerr.InternalError, false},
	} {
		if err := c.Exec(ctx, "BEGIN TRANSACTION; CREATE TABLE made AS SELECT i FROM range(6000000) r(i)"); err != nil {
			t.Fatal(err)
		}
		cur, err := c.Query(ctx, q.sql)
		if err != nil {
			t.Fatal(err)
		}
		if q.own {
			cur.OwnsTransaction()
		}
		if got := sqlerr.From(cur.failure(ctx, errInterrupted(), false)); got.Code != q.want {
			t.Errorf("%s, own %v: %v, want SQLSTATE %s", q.sql, q.own, got, q.want)
		}
		if err := cur.Close(); err != nil {
			t.Fatal(err)
		}
		if err := c.Exec(ctx, "ROLLBACK"); (err == nil) == q.own {
			t.Errorf("%s, own %v: rolling back gives %v", q.sql, q.own, err)
		}
	}
}
