package exec

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/fibers"
)

// TestRegistryEqualsGeneral compares both paths on fibers of several batches.
func TestRegistryEqualsGeneral(t *testing.T) {
	kernels := map[string]int{}
	for seed := range uint64(150) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 13)), floats: []float64{0, 1.5, -2, 0.25}, maxDim: 3000, rows: 3_000, maxIdx: 2, sums: true}
		if seed%10 == 7 {
			g.floats = append(g.floats, math.Inf(1), math.Inf(-1))
		}
		p := g.problem(t)
		if crossProduct := !slices.ContainsFunc(p.tables, func(t *table) bool { return len(t.args) >= 2 }); crossProduct && len(p.indices) > 1 {
			continue // millions of cells would take long on the general path
		}
		if seed%2 == 0 {
			p.withAbsences(t, g)
		}
		general, _, err := RunStep(context.Background(), p.step, p.in, Options{NoRegistry: true})
		if err != nil {
			t.Fatal(err)
		}
		fast, stats, err := RunStep(context.Background(), p.step, p.in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		kernels[stats.Kernel]++
		if p.probes() {
			kernels["absent "+stats.Kernel]++
		}
		sameTensor(t, p, fast, general)
	}
	for _, name := range []string{"probe-count", "gather-reduce", "select+scatter-accumulate", "select+gather-reduce", "absent gather-reduce", "absent select+gather-reduce"} {
		if kernels[name] == 0 {
			t.Errorf("no step took kernel %s: %v", name, kernels)
		}
	}
}

// sameTensor compares two results of one step entry by entry.
func sameTensor(t *testing.T, p *problem, got, want *fibers.Tensor) {
	t.Helper()
	a, b := got.COO(), want.COO()
	if a.N != b.N {
		t.Fatalf("%d entries, want %d\n%s", a.N, b.N, p.describe())
	}
	for m := range a.Coords {
		if !slices.Equal(a.Coords[m], b.Coords[m]) {
			t.Fatalf("other coordinates in mode %d\n%s", m, p.describe())
		}
	}
	for l := range a.Leaves {
		for e := range int32(a.N) {
			if x, y := a.Leaves[l].Float64(e), b.Leaves[l].Float64(e); x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
				t.Fatalf("leaf %s: %v, want %v\n%s", a.Leaves[l].Name, x, y, p.describe())
			}
		}
	}
}
