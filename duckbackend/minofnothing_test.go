package duckbackend

import (
	"context"
	"testing"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// TestRangeOfNothingInOwnTransaction: where a filter leaves no row of a table
// that the transaction has made, MIN and MAX must be NULL, not an INTERNAL error
// of DuckDB's optimizer.
func TestRangeOfNothingInOwnTransaction(t *testing.T) {
	ctx := context.Background()
	db := openMemory(t)
	spec := &load.Spec{
		Name: "t", Table: load.Table{Catalog: "temp", Schema: "main", Name: "T"}, Where: "(a > 5)",
		Leaves: []load.Leaf{
			{Name: "n", Moment: load.Rows},
			{Name: "lo", Moment: load.Min, Expr: "a", Type: rows.Type{ID: rows.HugeInt}},
			{Name: "hi", Moment: load.Max, Expr: "a", Type: rows.Type{ID: rows.HugeInt}},
		},
	}
	cur, err := db.RunDecomposed(ctx, nil, Run{
		Steps: []Step{
			{Name: "T", SQL: "CREATE TEMP TABLE \"T\" AS SELECT 1::HUGEINT AS a, 0::HUGEINT AS b"},
			{Name: "R", SQL: "SELECT 1"},
		},
		Before: func(c *Conn) error {
			if _, _, ok, err := c.LeafRange(ctx, "T", "a", "a", "b"); ok || err != nil {
				t.Errorf("leaf: found %v, error %v", ok, err)
			}
			_, _, ok, err := c.LoadRange(ctx, spec, "lo", "hi")
			if ok || err != nil {
				t.Errorf("load: found %v, error %v", ok, err)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := cur.Close(); err != nil {
		t.Error(err)
	}
}
