package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// FuzzDot compares the lanes as built for this machine with those in Go, bit for
// bit but for what a NaN carries.
func FuzzDot(f *testing.F) {
	for n := range uint16(70) {
		f.Add(uint64(n), n, n%3 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, wild bool) {
		rng := rand.New(rand.NewPCG(seed, 19))
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = rng.NormFloat64(), rng.NormFloat64()
			if wild && rng.IntN(20) == 0 {
				a[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.MaxFloat64}[rng.IntN(6)]
			}
		}
		var got, want [dotLanesMany]float64
		if blocks := len(a) / dotLanesMany; blocks > 0 {
			dotLanes(a, b, blocks, &got)
			dotLanesGo(a, b, blocks, &want)
		}
		for l := range got {
			if math.Float64bits(got[l]) != math.Float64bits(want[l]) && !(math.IsNaN(got[l]) && math.IsNaN(want[l])) {
				t.Errorf("%d entries: lane %d is %v, in Go %v", n, l, got[l], want[l])
			}
		}
	})
}

// BenchmarkDot compares the lanes in Go and as built.
func BenchmarkDot(b *testing.B) {
	x, y := make([]float64, 32), make([]float64, 32)
	var sums [dotLanesMany]float64
	for range 2 {
		b.Run("loop=go/n=32", func(b *testing.B) {
			for b.Loop() {
				dotLanesGo(x, y, 2, &sums)
			}
		})
		b.Run("loop=built/n=32", func(b *testing.B) {
			for b.Loop() {
				dotLanes(x, y, 2, &sums)
			}
		})
	}
}
