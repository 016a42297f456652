package exec

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
)

// TestPlaced runs random steps with a result of one mode that has a place per
// coordinate, whole and in morsels, on several workers.
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
		if len(out.Order) != 1 {
			continue
		}
		out.Formats = []format.Kind{[]format.Kind{format.Dense, format.Bytemap}[seed%2]}
		want := p.bruteForce()
		for _, opt := range []Options{{Threads: 1}, {Threads: 1, NoRegistry: true}, {Threads: 1, Morsels: 4}, {Threads: 3, Morsels: 7}} {
			got, stats, err := RunStep(context.Background(), p.step, p.in, opt)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			p.check(t, got, want)
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
	for _, how := range []string{"whole", "in morsels", "chunks of several workers", "not"} {
		if placed[how] < 5 {
			t.Errorf("%s: %d steps only", how, placed[how])
		}
	}
	t.Log(placed)
}
