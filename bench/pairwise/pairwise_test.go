package pairwise_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/bench/pairwise"
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/network"
)

// draw is a tensor over the indices with entries of small integers, zeros among them.
func draw(rng *rand.Rand, indices []int32, dims []int) *pairwise.Tensor {
	t := &pairwise.Tensor{Indices: indices, Coords: make([][]int32, len(indices))}
	for _, x := range indices {
		t.Dims = append(t.Dims, dims[x])
	}
	seen := map[string]bool{}
	for range rng.IntN(6) {
		c, key := make([]int32, len(indices)), ""
		for k := range c {
			c[k] = int32(rng.IntN(t.Dims[k]))
			key += fmt.Sprint(c[k], ",")
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		for k := range c {
			t.Coords[k] = append(t.Coords[k], c[k])
		}
		t.Values = append(t.Values, float64(rng.IntN(5)-2))
	}
	return t
}

// program is the product of tensors for package interp.
func program(tensors []*pairwise.Tensor, output []int32) (*einsum.Program, map[string]*interp.Tensor) {
	p, data := &einsum.Program{}, map[string]*interp.Tensor{}
	index := func(x int32) einsum.Index { return einsum.Index{Name: fmt.Sprintf("x%d", x), Domain: int(x)} }
	q := &einsum.Query{Name: "R"}
	for _, x := range output {
		q.Idxs = append(q.Idxs, index(x))
	}
	var summed []einsum.Index
	var counts, values []einsum.Expr
	for i, t := range tensors {
		in := &einsum.Input{Name: fmt.Sprintf("T%d", i), Leaves: []einsum.LeafDecl{{Name: "n", Elem: semiring.Pattern}, {Name: "v", Elem: semiring.F64}}}
		entries := &interp.Tensor{Leaves: []string{"n", "v"}}
		var args []einsum.Arg
		for _, x := range t.Indices {
			in.Domains = append(in.Domains, int(x))
			args = append(args, einsum.Ix(index(x)))
			if !slices.Contains(output, x) && !slices.Contains(summed, index(x)) {
				summed = append(summed, index(x))
			}
		}
		for e, v := range t.Values {
			x := interp.Entry{Leaves: []interp.Num{interp.NumInt(1), interp.NumFloat(v)}}
			for k := range t.Indices {
				x.Coord = append(x.Coord, interp.Int(int64(t.Coords[k][e])))
			}
			entries.Entries = append(entries.Entries, x)
		}
		p.Inputs, data[in.Name] = append(p.Inputs, in), entries
		counts = append(counts, einsum.A(in.Name, "n", args...))
		values = append(values, einsum.A(in.Name, "v", args...))
	}
	q.Leaves = []einsum.Leaf{
		{Name: "n", Expr: einsum.Reduce(semiring.Or, summed, einsum.Apply(semiring.And, counts...))},
		{Name: "v", Expr: einsum.Sum(summed, einsum.Mul(values...))},
	}
	p.Queries = []*einsum.Query{q}
	return p, data
}

// entries are a result as package interp has it.
func entries(t *pairwise.Tensor) *interp.Tensor {
	out := &interp.Tensor{Leaves: []string{"n", "v"}}
	for e, v := range t.Values {
		x := interp.Entry{Leaves: []interp.Num{interp.NumInt(1), interp.NumFloat(v)}}
		for k := range t.Indices {
			x.Coord = append(x.Coord, interp.Int(int64(t.Coords[k][e])))
		}
		out.Entries = append(out.Entries, x)
	}
	return out
}

// TestRun contracts random networks, all classes of indices among them, and compares
// with the sum over all assignments.
func TestRun(t *testing.T) {
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		dims := make([]int, 2+rng.IntN(5))
		for i := range dims {
			dims[i] = 1 + rng.IntN(4)
		}
		var tensors []*pairwise.Tensor
		var output []int32
		for range 2 + rng.IntN(4) {
			var indices []int32
			for _, x := range rng.Perm(len(dims))[:rng.IntN(min(4, len(dims)+1))] {
				indices = append(indices, int32(x))
				if rng.IntN(4) == 0 && !slices.Contains(output, int32(x)) {
					output = append(output, int32(x))
				}
			}
			tensors = append(tensors, draw(rng, indices, dims))
		}
		path := network.Find(pairwise.Network(tensors, output), network.Options{Pairwise: true})
		got, err := pairwise.Run(context.Background(), tensors, path, output)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		p, data := program(tensors, output)
		want, err := interp.Run(p, data, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		if diff := interp.Diff(mask(entries(got)), mask(want["R"]), 1e-12); diff != "" {
			t.Fatalf("seed %d: %s\n%s", seed, diff, p)
		}
	}
}

// mask makes the count of rows the question whether there are any.
func mask(t *interp.Tensor) *interp.Tensor {
	for i := range t.Entries {
		t.Entries[i].Leaves[0] = interp.NumInt(1)
	}
	return t
}

// TestLargePositions takes rows and accumulators of more positions than an array has.
func TestLargePositions(t *testing.T) {
	const size = 1 << 22
	a := &pairwise.Tensor{Indices: []int32{0, 1}, Dims: []int{3, size}, Coords: [][]int32{{0, 0, 2}, {5, size - 1, 5}}, Values: []float64{2, 3, 5}}
	b := &pairwise.Tensor{Indices: []int32{1, 2}, Dims: []int{size, size}, Coords: [][]int32{{5, 5, size - 1}, {7, 9, 7}}, Values: []float64{10, 20, 30}}
	got, err := pairwise.Contract(a, b, []int32{0, 2})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Values, []float64{110, 40, 50, 100}) || !slices.Equal(got.Coords[0], []int32{0, 0, 2, 2}) || !slices.Equal(got.Coords[1], []int32{7, 9, 7, 9}) {
		t.Errorf("got %v at %v", got.Values, got.Coords)
	}
}

// TestTooLarge refuses positions that do not fit.
func TestTooLarge(t *testing.T) {
	a := &pairwise.Tensor{}
	for x := range int32(3) {
		a.Indices, a.Dims, a.Coords = append(a.Indices, x), append(a.Dims, 1<<30), append(a.Coords, []int32{0})
	}
	a.Values = []float64{1}
	if _, err := pairwise.Sum(a, a.Indices); !errors.Is(err, pairwise.ErrSize) {
		t.Errorf("error %v", err)
	}
	b := &pairwise.Tensor{Indices: []int32{0}, Dims: []int{7}, Coords: [][]int32{{0}}, Values: []float64{1}}
	if _, err := pairwise.Contract(a, b, nil); err == nil {
		t.Error("sizes that differ are not refused")
	}
}
