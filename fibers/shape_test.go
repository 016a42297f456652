package fibers

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// shapedEntries are random entries of two modes whose fibers have a form: at most
// one entry, a block, or runs of equal values; or of one mode.
func shapedEntries(t *testing.T, rng *rand.Rand) *COO {
	t.Helper()
	modes := 1 + rng.IntN(2)
	dims := []int{1 + rng.IntN(6), 1 + rng.IntN(12)}[2-modes:]
	dim := dims[modes-1]
	form, width := rng.IntN(4), 1+rng.IntN(8)
	var cols [2][]Coord
	var values []int64
	rows := 1
	if modes == 2 {
		rows = dims[0]
	}
	for r := range rows {
		lo, n := 0, dim
		switch form {
		case 0:
			lo, n = rng.IntN(dim), rng.IntN(2)
		case 1:
			lo = rng.IntN(dim)
			n = rng.IntN(dim - lo + 1)
		}
		for c := lo; c < lo+n; c++ {
			if form == 2 && rng.IntN(width+1) == 0 {
				continue
			}
			cols[0], cols[1] = append(cols[0], Coord(r)), append(cols[1], Coord(c))
			values = append(values, int64(c/width))
		}
	}
	coo := &COO{Dims: dims, N: len(values), Coords: cols[2-modes:], Leaves: []Leaf{{Name: "n"}, {Name: "v", Elem: semiring.I64, I64: values}}}
	return coo
}

// TestShapesAreThoseOfLevels asks for every kind in both layouts and compares what
// is built with what Shapes said could be.
func TestShapesAreThoseOfLevels(t *testing.T) {
	ctx := context.Background()
	built := map[format.Kind]int{}
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 17))
		coo := shapedEntries(t, rng)
		if coo.N == 0 {
			continue
		}
		order, shapes := identityModes(len(coo.Dims)), coo.Shapes()
		if len(order) == 2 && rng.IntN(2) == 0 {
			order, shapes = []int{1, 0}, coo.ShapesTransposed()
		}
		last := len(order) - 1
		s := shapes[last]
		cells := 1
		for _, d := range coo.Dims {
			cells *= d
		}
		want := map[format.Kind]bool{
			format.Dense: cells == coo.N, format.Pinpoint: s.Single, format.Band: s.Block, format.Interval: s.Equal,
			format.RunLength: cells == coo.N, format.SparseRunLength: true,
		}
		if len(order) == 1 {
			want[format.Pinpoint] = coo.N == 1
		}
		for kind, can := range want {
			kinds := []format.Kind{format.Dense, kind}[2-len(order):]
			tensor, err := coo.Tensor(ctx, order, kinds)
			if err != nil {
				t.Fatal(err)
			}
			got := tensor.Levels[last].Kind()
			if (got == kind) != can {
				t.Fatalf("seed %d: asked for %v of %v, shape %+v, got %v", seed, kind, coo.Coords, s, got)
			}
			if got == kind {
				built[kind]++
			}
			if runs, ok := tensor.Levels[last].(*RunLevel); ok && s.Runs > 0 && len(runs.Entries)-1 != s.Runs {
				t.Fatalf("seed %d: %d runs, said %d", seed, len(runs.Entries)-1, s.Runs)
			}
			checkLevels(t, tensor)
			sameEntries(t, coo, tensor, order)
		}
	}
	for kind := format.Kind(0); kind < format.Kinds; kind++ {
		if s := kind == format.Dense || kind.Shaped(); s && built[kind] < 100 {
			t.Errorf("only %d tensors have a level of kind %v", built[kind], kind)
		}
	}
}

// sameEntries compares a tensor of a layout with the entries that it was made of.
func sameEntries(t *testing.T, want *COO, tensor *Tensor, order []int) {
	t.Helper()
	values := map[[2]Coord]int64{}
	for e := range want.N {
		var at [2]Coord
		for l, m := range order {
			at[l] = want.Coords[m][e]
		}
		values[at] = want.Leaves[1].I64[e]
	}
	n := 0
	tensor.Each(func(coords []Coord, pos int32) bool {
		var at [2]Coord
		copy(at[:], coords)
		if v, ok := values[at]; !ok || v != tensor.Leaves[1].I64[pos] {
			t.Fatalf("entry %v is %d, want %d, %v", coords, tensor.Leaves[1].I64[pos], v, ok)
		}
		n++
		return true
	})
	if n != want.N || tensor.NNZ != want.N {
		t.Fatalf("%d entries of %d, walked %d", tensor.NNZ, want.N, n)
	}
	back, err := tensor.Entries(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if back.N != want.N || len(order) == 1 && !slices.Equal(back.Leaves[1].I64, want.Leaves[1].I64) {
		t.Fatalf("listed %d entries of %d", back.N, want.N)
	}
}
