package fibers

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
)

// TestSymmetry compares with a map, on entries that are symmetric and on such that
// one entry, value or loop keeps from it.
func TestSymmetry(t *testing.T) {
	specs := []LeafSpec{
		{Name: "n", Elem: semiring.Pattern, Merge: semiring.Add},
		{Name: "i", Elem: semiring.I64, Merge: semiring.Add},
		{Name: "h", Elem: semiring.I128, Merge: semiring.Add},
		{Name: "f", Elem: semiring.F64, Merge: semiring.Add},
	}
	seen := map[Symmetry]int{}
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		dim, leaves := 1+rng.IntN(8), specs[:1+rng.IntN(len(specs))]
		value := func() [3]float64 {
			f := float64(rng.IntN(3))
			if rng.IntN(8) == 0 {
				f = math.NaN()
			}
			return [3]float64{float64(rng.IntN(3)), float64(rng.IntN(3)), f}
		}
		entries := map[[2]Coord][3]float64{}
		for range rng.IntN(20) {
			i, j, v := Coord(rng.IntN(dim)), Coord(rng.IntN(dim)), value()
			if i != j {
				entries[[2]Coord{i, j}], entries[[2]Coord{j, i}] = v, v
			}
		}
		for range rng.IntN(3) {
			at := [2]Coord{Coord(rng.IntN(dim)), Coord(rng.IntN(dim))}
			switch rng.IntN(3) {
			case 0:
				delete(entries, at)
			case 1:
				entries[at] = value()
			case 2:
				entries[[2]Coord{at[0], at[0]}] = value()
			}
		}
		want := symmetryOf(entries, leaves)
		got, err := cooOf(t, entries, leaves, dim).Symmetry(context.Background())
		if err != nil || got != want {
			t.Fatalf("seed %d: %v %v, want %v: %v", seed, got, err, want, entries)
		}
		seen[got]++
	}
	if len(seen) != 4 {
		t.Errorf("not all cases occur: %v", seen)
	}
}

// symmetryOf is Symmetry by looking every mirror image up.
func symmetryOf(entries map[[2]Coord][3]float64, leaves []LeafSpec) Symmetry {
	out := Symmetry{Symmetric: true, Hollow: true}
	for at, v := range entries {
		out.Hollow = out.Hollow && at[0] != at[1]
		w, ok := entries[[2]Coord{at[1], at[0]}]
		out.Symmetric = out.Symmetric && ok
		for l := range leaves[1:] {
			out.Symmetric = out.Symmetric && (v[l] == w[l] || math.IsNaN(v[l]) && math.IsNaN(w[l]))
		}
	}
	return out
}

func cooOf(t *testing.T, entries map[[2]Coord][3]float64, specs []LeafSpec, dim int) *COO {
	t.Helper()
	b := NewBuilder(2, specs)
	for at, v := range entries {
		all := []Leaf{
			{Name: "n", Elem: semiring.Pattern},
			{Name: "i", Elem: semiring.I64, I64: []int64{int64(v[0])}},
			{Name: "h", Elem: semiring.I128, I128: []semiring.Int128{semiring.FromInt64(int64(v[1]))}},
			{Name: "f", Elem: semiring.F64, F64: []float64{v[2]}},
		}
		if err := b.Append(1, [][]Coord{{at[0]}, {at[1]}}, all[:len(specs)]); err != nil {
			t.Fatal(err)
		}
	}
	c, err := b.Finish(context.Background(), []int{dim, dim})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSymmetryCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := cooOf(t, map[[2]Coord][3]float64{{0, 1}: {}, {1, 0}: {}}, []LeafSpec{{Name: "n", Elem: semiring.Pattern, Merge: semiring.Add}}, 2)
	if _, err := c.Symmetry(ctx); err == nil {
		t.Error("a cancelled comparison has an answer")
	}
}
