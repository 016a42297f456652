package difftest

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
)

func tableOf(columns []rows.Column, content ...[]Cell) Table {
	return Table{Columns: columns, Rows: content}
}

var (
	keyAndFloat = []rows.Column{{Name: "k", Type: rows.Type{ID: rows.BigInt}}, {Name: "f", Type: rows.Type{ID: rows.Double}}}
	// keyAndFloats has two floats, by either of which rows may be sorted.
	keyAndFloats = append(keyAndFloat[:2:2], rows.Column{Name: "g", Type: rows.Type{ID: rows.Double}})
	hugeColumn   = []rows.Column{{Name: "h", Type: rows.Type{ID: rows.HugeInt}}}
)

func TestCompare(t *testing.T) {
	renamed := []rows.Column{{Name: "K", Type: rows.Type{ID: rows.BigInt}}, keyAndFloat[1]}
	retyped := []rows.Column{{Name: "k", Type: rows.Type{ID: rows.Integer}}, keyAndFloat[1]}
	one, two := int64(1), int64(2)
	tests := []struct {
		name      string
		want, got Table
		opts      CompareOptions
		differs   string // part of the error; empty: equal
	}{
		{"empty", tableOf(keyAndFloat), tableOf(keyAndFloat), CompareOptions{}, ""},
		{"order of rows", tableOf(keyAndFloat, []Cell{one, 1.5}, []Cell{two, 2.5}), tableOf(keyAndFloat, []Cell{two, 2.5}, []Cell{one, 1.5}), CompareOptions{}, ""},
		{"order asked", tableOf(keyAndFloat, []Cell{one, 1.5}, []Cell{two, 2.5}), tableOf(keyAndFloat, []Cell{two, 2.5}, []Cell{one, 1.5}), CompareOptions{Ordered: true}, "row 0 is (2, 2.5), want (1, 1.5)"},
		{"multiplicity", tableOf(keyAndFloat, []Cell{one, 1.5}, []Cell{one, 1.5}, []Cell{two, 0.5}), tableOf(keyAndFloat, []Cell{one, 1.5}, []Cell{two, 0.5}, []Cell{two, 0.5}), CompareOptions{}, "missing (1, 1.5)"},
		{"missing row", tableOf(keyAndFloat, []Cell{one, 1.5}), tableOf(keyAndFloat), CompareOptions{}, "0 rows, want 1"},
		{"NaN", tableOf(keyAndFloat, []Cell{one, math.NaN()}), tableOf(keyAndFloat, []Cell{one, math.NaN()}), CompareOptions{}, ""},
		{"NaN is not a number", tableOf(keyAndFloat, []Cell{one, math.NaN()}), tableOf(keyAndFloat, []Cell{one, 1.0}), CompareOptions{ToleranceAbs: 1}, "extra"},
		{"negative zero", tableOf(keyAndFloat, []Cell{one, 0.0}, []Cell{one, math.Copysign(0, -1)}), tableOf(keyAndFloat, []Cell{one, math.Copysign(0, -1)}, []Cell{one, math.Copysign(0, -1)}), CompareOptions{}, ""},
		{"infinity", tableOf(keyAndFloat, []Cell{one, math.Inf(1)}), tableOf(keyAndFloat, []Cell{one, math.Inf(1)}), CompareOptions{}, ""},
		{"signs of infinity", tableOf(keyAndFloat, []Cell{one, math.Inf(1)}), tableOf(keyAndFloat, []Cell{one, math.Inf(-1)}), CompareOptions{ToleranceAbs: 9}, "rows differ"},
		{"NULL", tableOf(keyAndFloat, []Cell{nil, nil}), tableOf(keyAndFloat, []Cell{nil, nil}), CompareOptions{}, ""},
		{"NULL is not zero", tableOf(keyAndFloat, []Cell{one, nil}), tableOf(keyAndFloat, []Cell{one, 0.0}), CompareOptions{ToleranceAbs: 1}, "missing (1, NULL)"},
		{"within tolerance", tableOf(keyAndFloat, []Cell{one, 1.0}, []Cell{two, 1.0}), tableOf(keyAndFloat, []Cell{two, 1.01}, []Cell{one, 0.99}), CompareOptions{ToleranceAbs: 0.02}, ""},
		{"last bit matters", tableOf(keyAndFloat, []Cell{one, 1.0}), tableOf(keyAndFloat, []Cell{one, math.Nextafter(1, 2)}), CompareOptions{}, "rows differ"},
		{"beyond tolerance", tableOf(keyAndFloat, []Cell{one, 1.0}), tableOf(keyAndFloat, []Cell{one, 1.1}), CompareOptions{ToleranceAbs: 0.02}, "rows differ"},
		{"tolerance is for floats", tableOf(keyAndFloat, []Cell{one, 1.0}), tableOf(keyAndFloat, []Cell{two, 1.0}), CompareOptions{ToleranceAbs: 5}, "rows differ"},
		{"rows that a float within tolerance sorts apart", tableOf(keyAndFloats, []Cell{one, 1.0, 5.0}, []Cell{one, 1.01, 7.0}), tableOf(keyAndFloats, []Cell{one, 1.0, 7.0}, []Cell{one, 1.01, 5.0}), CompareOptions{ToleranceAbs: 0.02}, ""},
		{"pairs that have to be changed", tableOf(keyAndFloats, []Cell{one, 1.00, 5.00}, []Cell{one, 1.01, 5.04}), tableOf(keyAndFloats, []Cell{one, 1.005, 5.02}, []Cell{one, 1.006, 4.98}), CompareOptions{ToleranceAbs: 0.025}, ""},
		{"a float that no row has", tableOf(keyAndFloats, []Cell{one, 1.0, 5.0}, []Cell{one, 1.01, 7.0}), tableOf(keyAndFloats, []Cell{one, 1.0, 7.0}, []Cell{one, 1.01, 5.1}), CompareOptions{ToleranceAbs: 0.02}, "missing (1, 1, 5)"},
		{"a row for two", tableOf(keyAndFloats, []Cell{one, 1.0, 5.0}, []Cell{one, 1.01, 7.0}, []Cell{one, 1.02, 7.0}), tableOf(keyAndFloats, []Cell{one, 1.0, 7.0}, []Cell{one, 1.01, 5.0}, []Cell{one, 1.02, 5.0}), CompareOptions{ToleranceAbs: 0.02}, "rows differ"},
		{"NULL among floats", tableOf(keyAndFloats, []Cell{one, 1.0, nil}, []Cell{one, 1.01, math.NaN()}), tableOf(keyAndFloats, []Cell{one, 1.0, math.NaN()}, []Cell{one, 1.01, nil}), CompareOptions{ToleranceAbs: 0.02}, ""},
		{"128 bits", tableOf(hugeColumn, []Cell{semiring.Int128{Hi: 1}}), tableOf(hugeColumn, []Cell{semiring.Int128{Hi: 2}}), CompareOptions{}, "missing (18446744073709551616)"},
		{"names", tableOf(keyAndFloat), tableOf(renamed), CompareOptions{}, `named "K"`},
		{"types", tableOf(keyAndFloat), tableOf(retyped), CompareOptions{}, "type INTEGER, want BIGINT"},
		{"number of columns", tableOf(keyAndFloat), tableOf(hugeColumn), CompareOptions{}, "1 columns, want 2"},
		{"short row", tableOf(keyAndFloat, []Cell{one, 1.0}), tableOf(keyAndFloat, []Cell{one}), CompareOptions{}, "1 cells for 2 columns"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Compare(tt.want, tt.got, tt.opts)
			if tt.differs == "" && err != nil {
				t.Errorf("differs: %v", err)
			}
			if tt.differs != "" && (err == nil || !strings.Contains(err.Error(), tt.differs)) {
				t.Errorf("error %v, want one with %q", err, tt.differs)
			}
		})
	}
}

// batches is a cursor over given batches that may end in an error.
type batches struct {
	list []*rows.Batch
	err  error
}

func (b *batches) Columns() []rows.Column { return keyAndFloat }
func (b *batches) Close() error           { return nil }
func (b *batches) Next(context.Context) (*rows.Batch, error) {
	if len(b.list) == 0 {
		return nil, b.err
	}
	next := b.list[0]
	b.list = b.list[1:]
	return next, nil
}

func TestCollect(t *testing.T) {
	batch := func(key int64, float float64) *rows.Batch {
		columns := []rows.Vector{{Type: keyAndFloat[0].Type, I64: []int64{key, 0}}, {Type: keyAndFloat[1].Type, F64: []float64{float, float}}}
		columns[0].SetNull(1, 2)
		return &rows.Batch{N: 2, Cols: columns}
	}
	got, err := Collect(context.Background(), &batches{list: []*rows.Batch{batch(1, 0.5), batch(2, 1.5)}})
	if err != nil {
		t.Fatal(err)
	}
	want := tableOf(keyAndFloat, []Cell{int64(1), 0.5}, []Cell{nil, 0.5}, []Cell{int64(2), 1.5}, []Cell{nil, 1.5})
	if err := Compare(want, got, CompareOptions{Ordered: true}); err != nil {
		t.Error(err)
	}
	broken := errors.New("stream broke")
	if _, err := Collect(context.Background(), &batches{err: broken}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func TestCompareIntervals(t *testing.T) {
	columns := []rows.Column{{Name: "i", Type: rows.Type{ID: rows.Interval}}}
	month := tableOf(columns, []Cell{rows.IntervalValue{Months: 1}})
	for _, tt := range []struct {
		other rows.IntervalValue
		equal bool
	}{
		{rows.IntervalValue{Days: 30}, true},
		{rows.IntervalValue{Days: 29, Micros: 24 * 60 * 60 * 1_000_000}, true},
		{rows.IntervalValue{Months: 2, Days: -29}, false},
		{rows.IntervalValue{Days: 29}, false},
		{rows.IntervalValue{Months: 2, Days: -30}, true},
	} {
		other := tableOf(columns, []Cell{tt.other})
		if err := Compare(month, other, CompareOptions{EqualIntervals: true}); (err == nil) != tt.equal {
			t.Errorf("%v: %v, want equal %v", tt.other, err, tt.equal)
		}
		if Compare(month, other, CompareOptions{}) == nil {
			t.Errorf("%v is the same cell as a month", tt.other)
		}
	}
}
