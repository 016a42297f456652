package duckbackend

import (
	"context"
	"testing"
)

// TestMinOfNothingInOwnTransaction: with all its optimizers DuckDB ends these
// steps in an INTERNAL error.
func TestMinOfNothingInOwnTransaction(t *testing.T) {
	ctx := context.Background()
	db := openMemory(t)
	for _, where := range []string{"b <> 0", "b = 1", "a > 5"} {
		cur, err := db.RunDecomposed(ctx, nil, Run{Steps: []Step{
			{"T", "CREATE TEMP TABLE \"T\" AS SELECT 1::HUGEINT AS a, 0::HUGEINT AS b"},
			{"R", "SELECT min(a), max(a) FROM \"T\" WHERE " + where},
		}})
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		b, err := cur.Next(ctx)
		if err != nil || !b.Cols[0].IsNull(0) || !b.Cols[1].IsNull(0) {
			t.Errorf("%s: %v, error %v", where, b, err)
		}
		if err := cur.Close(); err != nil {
			t.Error(err)
		}
	}
}
