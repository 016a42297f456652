package duckbackend

import (
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TestFailureOfOwnTransaction: the error of a result that was lost is found in a
// transaction that is the statement's own, and not in one that is its user's.
func TestFailureOfOwnTransaction(t *testing.T) {
	c, err := openMemory(t).Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, own := range []bool{false, true} {
		if err := c.Exec(ctx, "BEGIN TRANSACTION"); err != nil {
			t.Fatal(err)
		}
		cur, err := c.Query(ctx, "SELECT CAST(CASE WHEN i = 5000000 THEN 'x' ELSE '1' END AS INTEGER) FROM range(6000000) r(i)")
		if err != nil {
			t.Fatal(err)
		}
		want := sqlerr.InternalError
		if own {
			cur.OwnsTransaction()
			want = sqlerr.InvalidText
		}
		if got := sqlerr.From(cur.failure(ctx, errInterrupted(), false)); got.Code != want {
			t.Errorf("own %v: %v, want SQLSTATE %s", own, got, want)
		}
		if err := cur.Close(); err != nil {
			t.Fatal(err)
		}
		if err := c.Exec(ctx, "ROLLBACK"); (err == nil) == own {
			t.Errorf("own %v: rolling back gives %v", own, err)
		}
	}
}
