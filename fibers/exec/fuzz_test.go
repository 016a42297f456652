package exec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// FuzzSteps compares a random step over random tensors (levels, protocols, masks,
// workspaces, leaves) on the general path, on the specialised loops, and cut into
// morsels, with brute force.
func FuzzSteps(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint8(5+seed%9), uint8(25+5*seed), uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, maxDim, rows, flags uint8) {
		g := &generator{
			Rand: rand.New(rand.NewPCG(seed, 77)), floats: []float64{0, 1.5, -2, 0.25},
			maxDim: 1 + int(maxDim)%16, rows: 1 + int(rows), maxIdx: 4, sums: flags&1 != 0,
		}
		if flags&2 != 0 {
			g.floats = append(g.floats, math.NaN())
		}
		if flags&16 != 0 {
			g.floats = append(g.floats, math.Inf(1), math.Inf(-1))
		}
		p := g.problem(t)
		if flags&4 != 0 {
			g.saturating(p)
		}
		if flags&8 != 0 {
			p.withAbsences(t, g)
		}
		want := p.bruteForce()
		for _, opt := range []Options{{NoRegistry: true}, {}, {Threads: 2, Morsels: 1 + int(flags>>4)}} {
			got, _, err := RunStep(t.Context(), p.step, p.in, opt)
			if err != nil {
				t.Fatalf("%+v: %v", opt, err)
			}
			p.check(t, got, want)
		}
	})
}
