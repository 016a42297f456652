package cache

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// batches delivers one batch after the other, each in the memory of the one
// before it (rows.R1).
type batches struct {
	left []*rows.Batch
	now  rows.Batch
}

func (b *batches) Columns() (columns []rows.Column) {
	for i := range b.left[0].Cols {
		columns = append(columns, rows.Column{Type: b.left[0].Cols[i].Type})
	}
	return columns
}

func (b *batches) Close() error { return nil }

func (b *batches) Next(context.Context) (*rows.Batch, error) {
	for i := range b.now.Cols { // what was delivered before is gone
		for r := range b.now.Cols[i].I64 {
			b.now.Cols[i].I64[r] = math.MinInt64
		}
	}
	if len(b.left) == 0 {
		return nil, nil
	}
	b.now, b.left = *b.left[0], b.left[1:]
	return &b.now, nil
}

// keyValues are columns whose domains are a window, a bitmap and a hash, and
// ones whose batches need other bases, and more than 32 bits.
var keyValues = map[string]func(rng *rand.Rand, row int) int64{
	"window":     func(rng *rand.Rand, _ int) int64 { return 1<<40 + rng.Int64N(3000) },
	"bitmap":     func(rng *rand.Rand, _ int) int64 { return -500_000 + 100*rng.Int64N(10_000) },
	"hash":       func(rng *rand.Rand, _ int) int64 { return rng.Int64N(1<<31) * 1000 },
	"descending": func(_ *rand.Rand, row int) int64 { return -int64(row) },
	"drifting":   func(_ *rand.Rand, row int) int64 { return int64(row) * 50_000_000 },
	"extremes":   func(rng *rand.Rand, _ int) int64 { return []int64{math.MinInt64, math.MaxInt64, 0}[rng.IntN(3)] },
}

// TestKeysAgainstMap: every row is counted at its key, NULL at its own, whatever
// represents the domain; also where two keys share it and where it existed.
func TestKeysAgainstMap(t *testing.T) {
	for name, value := range keyValues {
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 77))
			given, want := keyBatches(rng, value)
			d := NewDomains().Resolve(fibers.Int64Values, nil)
			domains := []*Domain{d, d}
			if seed%2 == 0 {
				domains[1] = NewDomains().Resolve(fibers.Int64Values, nil)
			}
			if seed%4 == 3 {
				d.make(fibers.DomainHint{Rows: 10, HasRange: true, Min: 0, Max: 2000}, slices.Values([][]int64{}))
			}
			key := load.Key{Expr: "k", Type: rows.Type{ID: rows.BigInt}, Null: load.KeepNull}
			spec := &load.Spec{Keys: []load.Key{key, key}, Leaves: []load.Leaf{{Name: "n", Moment: load.Rows}}}
			b := newBuilder(spec, domains)
			if err := b.read(context.Background(), &batches{left: given}); err != nil {
				t.Fatal(err)
			}
			base, err := b.out.Finish(context.Background(), b.dims())
			if err != nil {
				t.Fatal(err)
			}
			got := map[[2]nullable]int64{}
			for e := range base.N {
				var at [2]nullable
				for m := range at {
					at[m] = decode(domains[m].Values(), base.Coords[m][e])
				}
				got[at] += base.Leaves[0].Int128(int32(e)).Big().Int64()
			}
			if len(got) != len(want) {
				t.Fatalf("%s, seed %d: %d entries, want %d", name, seed, len(got), len(want))
			}
			for at, n := range want {
				if got[at] != n {
					t.Fatalf("%s, seed %d: %d rows at %v, want %d", name, seed, got[at], at, n)
				}
			}
		}
	}
}

type nullable struct {
	value int64
	null  bool
}

func decode(d *fibers.Domain, c fibers.Coord) nullable {
	if d.IsNull(c) {
		return nullable{null: true}
	}
	return nullable{value: d.Int64(c)}
}

// keyBatches makes batches of two keys, some with NULLs and some of nothing
// else, and counts their rows.
func keyBatches(rng *rand.Rand, value func(rng *rand.Rand, row int) int64) ([]*rows.Batch, map[[2]nullable]int64) {
	var out []*rows.Batch
	want := map[[2]nullable]int64{}
	row := 0
	for range 1 + rng.IntN(6) {
		n := 1 + rng.IntN(1500)
		b := &rows.Batch{N: n, Cols: make([]rows.Vector, 2)}
		var chance [2]int
		for m := range b.Cols {
			b.Cols[m] = rows.Vector{Type: rows.Type{ID: rows.BigInt}, I64: make([]int64, n)}
			chance[m] = []int{0, 0, 10, 100}[rng.IntN(4)]
		}
		for r := range n {
			var at [2]nullable
			for m := range b.Cols {
				if rng.IntN(100) < chance[m] {
					b.Cols[m].SetNull(r, n)
					b.Cols[m].I64[r] = rng.Int64()
					at[m] = nullable{null: true}
					continue
				}
				at[m].value = value(rng, row)
				b.Cols[m].I64[r] = at[m].value
			}
			want[at]++
			row++
		}
		out = append(out, b)
	}
	return out, want
}

// TestStageBases: a column is kept in 32 bits where one base serves, or one per
// batch does, and as it is where none does.
func TestStageBases(t *testing.T) {
	for _, c := range []struct {
		name    string
		batches [][]int64
		bases   []int64
		wide    []bool
	}{
		{"one base", [][]int64{{5, 9}, {7, 1 << 31}}, []int64{5, 5}, []bool{false, false}},
		{"a lower one", [][]int64{{5, 9}, {-3, 1}, {0, 2}}, []int64{5, -3, -3}, []bool{false, false, false}},
		{"far apart", [][]int64{{0}, {1 << 40}, {1<<40 + 1}}, []int64{0, 1 << 40, 1 << 40}, []bool{false, false, false}},
		{"too wide", [][]int64{{0, 1 << 32}, {1, 2}}, []int64{0, 0}, []bool{true, false}},
	} {
		k := newKeyColumn(&load.Key{Expr: "k"}, NewDomains().Resolve(fibers.Int64Values, nil), 0)
		for _, vals := range c.batches {
			if err := k.append(&rows.Vector{I64: vals}, len(vals), 0, make([]fibers.Coord, len(vals))); err != nil {
				t.Fatal(err)
			}
		}
		for i, p := range k.parts {
			if p.base != c.bases[i] || (p.wide != nil) != c.wide[i] || !slices.Equal(p.values(nil), c.batches[i]) {
				t.Errorf("%s: part %d has base %d, wide %v, values %v", c.name, i, p.base, p.wide != nil, p.values(nil))
			}
		}
	}
}
