package cache

import (
	"context"
	"testing"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// oneBatch delivers one batch.
type oneBatch struct{ batch *rows.Batch }

func (o *oneBatch) Columns() (columns []rows.Column) {
	for i := range o.batch.Cols {
		columns = append(columns, rows.Column{Type: o.batch.Cols[i].Type})
	}
	return columns
}

func (o *oneBatch) Close() error { return nil }

func (o *oneBatch) Next(context.Context) (*rows.Batch, error) {
	b := o.batch
	o.batch = nil
	return b, nil
}

// buildKeys loads one BIGINT key column; NULLs by position.
func buildKeys(t *testing.T, domain *Domain, vals []int64, nulls ...int) *Base {
	t.Helper()
	typ := rows.Type{ID: rows.BigInt}
	v := rows.Vector{Type: typ, I64: vals}
	for _, i := range nulls {
		v.SetNull(i, len(vals))
	}
	spec := &load.Spec{
		Keys:   []load.Key{{Expr: `"k"`, Type: typ, Null: load.KeepNull}},
		Leaves: []load.Leaf{{Name: "n", Moment: load.Rows}},
	}
	b, err := Build(context.Background(), &oneBatch{&rows.Batch{N: len(vals), Cols: []rows.Vector{v}}}, spec, []*Domain{domain}, 2)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestIntegerDomains: dense integers are their own coordinates, integers with
// gaps are ranks, scattered ones come as they come; each decodes to its value.
func TestIntegerDomains(t *testing.T) {
	gaps := make([]int64, 5000)
	for i := range gaps {
		gaps[i] = 7 + 20*int64(len(gaps)-1-i) // too wide for a window, dense enough for a bitmap
	}
	tests := []struct {
		name  string
		vals  []int64
		first int64 // value of coordinate 0
		dim   int
	}{
		{"window", []int64{12, 10, 13, 10}, 10, 4},
		{"bitmap", gaps, 7, len(gaps)},
		{"hash", []int64{1 << 50, -5, 3}, 1 << 50, 3},
	}
	for _, tt := range tests {
		d := NewDomains().Resolve(fibers.Int64Values, nil)
		b := buildKeys(t, d, tt.vals)
		if got := d.Values().Int64(0); got != tt.first || d.Values().Len() != tt.dim {
			t.Errorf("%s: coordinate 0 is %d of %d, want %d of %d", tt.name, got, d.Values().Len(), tt.first, tt.dim)
		}
		for _, v := range tt.vals {
			c, ok := d.Values().LookupInt64(v)
			if !ok || d.Values().Int64(c) != v {
				t.Errorf("%s: %d has coordinate %d, %v", tt.name, v, c, ok)
			}
		}
		if b.Distinct[0] != b.COO.N {
			t.Errorf("%s: %d distinct of %d", tt.name, b.Distinct[0], b.COO.N)
		}
	}
}

// NULL is one coordinate that is no value, whatever stands in its place.
func TestNullKey(t *testing.T) {
	d := NewDomains().Resolve(fibers.Int64Values, nil)
	b := buildKeys(t, d, []int64{1, 1 << 60, 2, 1 << 60}, 1, 3)
	null, ok := d.Values().Null()
	if !ok || b.COO.N != 3 {
		t.Fatalf("NULL has a coordinate: %v; %d entries", ok, b.COO.N)
	}
	if counts := b.Counts(0); counts[null] != 1 {
		t.Errorf("%d entries at NULL", counts[null])
	}
	if _, known := d.Values().LookupInt64(1 << 60); known {
		t.Error("the value behind a NULL has a coordinate")
	}
}
