package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
)

// FuzzExp compares columns of exp and of the sigmoid with one value at a time, bit for
// bit but for what a NaN carries: in lanes, after them, and beside numbers that lanes do
// not take.
func FuzzExp(f *testing.F) {
	for n := range uint16(20) {
		f.Add(uint64(n), n, 1.0, n%3 == 0)
		f.Add(uint64(n), 200+n, 300.0, n%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, scale float64, wild bool) {
		rng := rand.New(rand.NewPCG(seed, 41))
		src := make([]float64, n%1000)
		for i := range src {
			src[i] = scale * rng.NormFloat64()
			if wild && rng.IntN(15) == 0 {
				src[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 707, -707, 707.0000001, -745, 1e-310}[rng.IntN(10)]
			}
		}
		for _, op := range []semiring.Op{semiring.Exp, semiring.Sigmoid} {
			apart, within := make([]float64, len(src)), append([]float64(nil), src...)
			Function(op, apart, src)
			Function(op, within, within)
			for i, x := range src {
				for _, got := range []float64{apart[i], within[i]} {
					if want := op.Of(x); math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
						t.Fatalf("%s(%v), number %d of %d, is %v, want %v", op, x, i, len(src), got, want)
					}
				}
			}
		}
	})
}

// BenchmarkExp compares columns with one number at a time, here and of package math.
func BenchmarkExp(b *testing.B) {
	src, dst := make([]float64, 2048), make([]float64, 2048)
	for i := range src {
		src[i] = float64(i%200)/16 - 6
	}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"column", func() { exps(dst, src) }},
		{"scalar", func() {
			for i, x := range src {
				dst[i] = semiring.Exp.Of(x)
			}
		}},
		{"math", func() {
			for i, x := range src {
				dst[i] = math.Exp(x)
			}
		}},
	} {
		b.Run("by="+c.name, func(b *testing.B) {
			for b.Loop() {
				c.do()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(src)), "ns/number")
		})
	}
}
