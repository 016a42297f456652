package exec

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
)

// TestPlaced runs random steps whose result has a place per coordinate, whole and in
// morsels, on several workers.
func TestPlaced(t *testing.T) {
	placed := map[string]int{}
	for seed := range uint64(1200) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 29)), floats: []float64{0, 1.5, -2, 0.25}, maxDim: 5, rows: 25, maxIdx: 4, sums: seed%2 == 0}
		if seed%5 == 0 {
			g.maxDim, g.rows = 2*placedRows, 5000
			g.maxIdx = 1
		}
		p := g.problem(t)
		out := &p.step.Output
		if len(out.Order) == 0 {
			continue
		}
		last := len(out.Order) - 1
		out.Formats = append(slices.Repeat([]format.Kind{format.Dense}, last), []format.Kind{format.Dense, format.Bytemap}[seed%2])
		want := p.bruteForce()
		for _, opt := range []Options{{Threads: 1}, {Threads: 1, NoRegistry: true}, {Threads: 1, Morsels: 4}, {Threads: 3, Morsels: 7}} {
			got, stats, err := RunStep(context.Background(), p.step, p.in, opt)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			p.check(t, got, want)
			if places := placesOf(got); len(got.Levels) > 0 && stats.Placed {
				laidOut(t, seed, p, got)
				if last > 0 && got.NNZ > 0 {
					placed["of several modes"]++
				}
				if last > 0 && got.NNZ == places {
					placed["full, of several modes"]++
				}
			}
			switch {
			case stats.Placed && stats.Morsels > 1 && stats.Threads > 1 && len(want) > placedRows:
				placed["chunks of several workers"]++
				fallthrough
			case stats.Placed && stats.Morsels > 1:
				placed["in morsels"]++
			case stats.Placed && len(want) > 0:
				placed["whole"]++
			case stats.Morsels > 1:
				placed["not"]++
			}
		}
	}
	for _, how := range []string{"whole", "in morsels", "chunks of several workers", "not", "of several modes", "full, of several modes"} {
		if placed[how] < 5 {
			t.Errorf("%s: %d steps only", how, placed[how])
		}
	}
	t.Log(placed)
}

func placesOf(t *fibers.Tensor) int {
	places := 1
	for _, dim := range t.Dims {
		places *= dim
	}
	return places
}

// laidOut compares levels and the coordinates that occur with those that the layout
// of chunks makes.
func laidOut(t *testing.T, seed uint64, p *problem, got *fibers.Tensor) {
	t.Helper()
	plain := *p.step
	plain.Output.Formats = slices.Repeat([]format.Kind{format.SparseList}, len(got.Dims))
	list, _, err := RunStep(context.Background(), &plain, p.in, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	coo, order := list.COO(), make([]int, len(got.Dims))
	for l := range order {
		order[l] = l
	}
	want, err := coo.Tensor(context.Background(), order, p.step.Output.Formats)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Distinct, want.Distinct) || !reflect.DeepEqual(got.Levels, want.Levels) {
		t.Fatalf("seed %d: %v %+v, want %v %+v", seed, got.Distinct, got.Levels, want.Distinct, want.Levels)
	}
}
