package fibers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
)

// TestFindClasses compares with slices written out as text, and takes what is by
// class apart again.
func TestFindClasses(t *testing.T) {
	specs := []LeafSpec{
		{Name: "n", Elem: semiring.I64, Merge: semiring.Add},
		{Name: "h", Elem: semiring.I128, Merge: semiring.Add},
		{Name: "f", Elem: semiring.F64, Merge: semiring.Max},
	}
	merged := 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 8))
		dim := 1 + rng.IntN(12)
		var of []Slices
		for range 1 + rng.IntN(3) {
			modes := 1 + rng.IntN(3)
			s := Slices{Mode: rng.IntN(modes)}
			s.COO = randomSlices(t, rng, specs[:1+rng.IntN(len(specs))], modes, s.Mode, dim)
			of = append(of, s)
		}
		want := map[string][]Coord{}
		for i := range dim {
			if text := sliceText(of, Coord(i)); text != "" {
				want[text] = append(want[text], Coord(i))
			}
		}
		c, ok, err := FindClasses(context.Background(), of, dim, dim)
		if err != nil || !ok || len(c.First) != len(want) {
			t.Fatalf("seed %d: %v %v %v, want %v", seed, c, ok, err, want)
		}
		for _, members := range want {
			k := c.Of[members[0]]
			if c.First[k] != members[0] || c.Members[k] != int64(len(members)) {
				t.Fatalf("seed %d: class %d of %v, want %v", seed, k, c, members)
			}
			for _, i := range members {
				if c.Of[i] != k {
					t.Fatalf("seed %d: %v, want one class %v", seed, c, members)
				}
			}
			merged += len(members) - 1
		}
		wantByClass(t, of, c)
		if len(want) > 0 {
			if _, ok, err := FindClasses(context.Background(), of, dim, len(want)-1); ok || err != nil {
				t.Fatalf("seed %d: more than %d classes: %v %v", seed, len(want)-1, ok, err)
			}
		}
	}
	if merged < 1000 {
		t.Errorf("%d coordinates share a class with one before: too few to prove anything", merged)
	}
}

// randomSlices makes a tensor that has few different slices along a mode.
func randomSlices(t *testing.T, rng *rand.Rand, specs []LeafSpec, modes, mode, dim int) *COO {
	t.Helper()
	dims := make([]int, modes)
	for m := range dims {
		dims[m] = 2
	}
	dims[mode] = dim
	values := []float64{0, math.Copysign(0, -1), 1, math.NaN()}
	b := NewBuilder(modes, specs)
	for i := range dim {
		kind := rand.New(rand.NewPCG(rng.Uint64()%3, 1))
		for e := range kind.IntN(3) {
			coords := make([][]Coord, modes)
			for m := range coords {
				coords[m] = []Coord{Coord((e + kind.IntN(2)) % 2)}
			}
			coords[mode] = []Coord{Coord(i)}
			leaves := make([]Leaf, len(specs))
			for l, s := range specs {
				leaves[l] = Leaf{Name: s.Name, Elem: s.Elem}
				switch s.Elem {
				case semiring.I64:
					leaves[l].I64 = []int64{1 + int64(kind.IntN(2))}
				case semiring.I128:
					leaves[l].I128 = []semiring.Int128{{Hi: int64(kind.IntN(2)), Lo: 1}}
				default:
					leaves[l].F64 = []float64{values[kind.IntN(len(values))]}
				}
			}
			if err := b.Append(1, coords, leaves); err != nil {
				t.Fatal(err)
			}
		}
	}
	c, err := b.Finish(context.Background(), dims)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sliceText writes what all tensors have at a coordinate; empty: nothing.
func sliceText(of []Slices, i Coord) string {
	out, any := "", false
	for _, s := range of {
		var entries []string
		for e := range s.COO.N {
			if s.COO.Coords[s.Mode][e] == i {
				entries = append(entries, entryText(s.COO, e, s.Mode))
			}
		}
		slices.Sort(entries)
		any = any || len(entries) > 0
		out += fmt.Sprint(entries)
	}
	if !any {
		return ""
	}
	return out
}

func entryText(c *COO, e, but int) string {
	out := ""
	for m := range c.Coords {
		if m != but {
			out += fmt.Sprintf("%d ", c.Coords[m][e])
		}
	}
	for l := range c.Leaves {
		switch x := &c.Leaves[l]; x.Elem {
		case semiring.Pattern:
			out += "1 "
		case semiring.I64:
			out += fmt.Sprintf("%d ", x.I64[e])
		case semiring.I128:
			out += fmt.Sprintf("%v ", x.I128[e])
		default:
			out += fmt.Sprintf("%x ", math.Float64bits(x.F64[e]))
		}
	}
	return out
}

// wantByClass checks the tensors over classes against the slices of their members.
func wantByClass(t *testing.T, of []Slices, c *Classes) {
	t.Helper()
	for i, k := range c.Of {
		if k < 0 {
			continue
		}
		for _, s := range of {
			by := Slices{COO: s.COO.ByClass(s.Mode, c), Mode: s.Mode}
			if got, want := sliceText([]Slices{by}, k), sliceText([]Slices{s}, Coord(i)); got != want {
				t.Fatalf("coordinate %d of class %d: %q, want %q", i, k, got, want)
			}
			for e := 1; e < by.COO.N; e++ {
				if slices.Compare(by.COO.at(e-1), by.COO.at(e)) >= 0 {
					t.Fatalf("entries %d and %d by class do not ascend", e-1, e)
				}
			}
		}
	}
	members, sizes := c.Membership("n"), c.Sizes("n")
	if sizes.N != len(c.First) || members.N < sizes.N {
		t.Fatalf("%d members of %d classes of %d", members.N, sizes.N, len(c.First))
	}
	for e := range members.N {
		if c.Of[members.Coords[0][e]] != members.Coords[1][e] {
			t.Fatalf("member %d: class %d, want %d", members.Coords[0][e], members.Coords[1][e], c.Of[members.Coords[0][e]])
		}
	}
}

func (c *COO) at(e int) []Coord {
	out := make([]Coord, len(c.Coords))
	for m := range out {
		out[m] = c.Coords[m][e]
	}
	return out
}
