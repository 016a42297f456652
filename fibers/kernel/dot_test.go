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

// TestDotRows compares dot products of many rows with those of one pair at a time,
// bit for bit, for all lengths around blocks.
func TestDotRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 23))
	for width := range 70 {
		for _, n := range []int{1, 2, 7, 8, 9, 40} {
			const rows = 20
			a := &Slices[float64]{Vals: make([]float64, rows*width), Stride: width}
			b := &Slices[float64]{Vals: make([]float64, rows*(width+3)), Stride: width + 3}
			for _, vals := range [][]float64{a.Vals, b.Vals} {
				for i := range vals {
					vals[i] = rng.NormFloat64()
					if rng.IntN(50) == 0 {
						vals[i] = []float64{math.Inf(1), 0, math.Copysign(0, -1), math.MaxFloat64}[rng.IntN(4)]
					}
				}
			}
			for range n {
				a.At, b.At = append(a.At, int32(rng.IntN(rows))), append(b.At, int32(rng.IntN(rows)))
			}
			out := make([]float64, n)
			DotRowsF64(a, b, width, out)
			for i, got := range out {
				want := DotF64(a.Row(i, width), nil, b.Row(i, width), nil, width)
				if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Fatalf("row %d of %d, %d entries: %v, want %v", i, n, width, got, want)
				}
			}
		}
	}
}

// BenchmarkDotRows is the dot products of the rows of two matrices that do not fit
// the caches, the one in order and the other in none, all at once and one by one.
func BenchmarkDotRows(b *testing.B) {
	const rows, width, n = 76_000, 32, 1024
	rng := rand.New(rand.NewPCG(4, 5))
	x := &Slices[float64]{Vals: make([]float64, rows*width), Stride: width}
	y := &Slices[float64]{Vals: make([]float64, rows*width), Stride: width}
	xs, ys := make([]int32, 1<<17), make([]int32, 1<<17)
	for i := range xs {
		xs[i], ys[i] = int32(i/11), int32(rng.IntN(rows))
	}
	out := make([]float64, n)
	for range 2 {
		for _, loop := range []struct {
			name string
			run  func(a, b *Slices[float64], width int, out []float64)
		}{{"rows", DotRowsF64}, {"each", dotRowsGo}} {
			b.Run("loop="+loop.name, func(b *testing.B) {
				at := 0
				for b.Loop() {
					x.At, y.At = xs[at:], ys[at:]
					loop.run(x, y, width, out)
					if at += n; at == len(xs) {
						at = 0
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
}

// TestAddRows compares multiples of many rows, added at once, with those of one row at
// a time, bit for bit, for all lengths around blocks.
func TestAddRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 29))
	number := func() float64 {
		if rng.IntN(50) == 0 {
			return []float64{math.Inf(1), 0, math.Copysign(0, -1), math.MaxFloat64}[rng.IntN(4)]
		}
		return rng.NormFloat64()
	}
	for width := range 70 {
		for _, n := range []int{0, 1, 2, 7, 40} {
			const many = 20
			rows := &Slices[float64]{Vals: make([]float64, many*(width+1)), Stride: width + 1}
			for i := range rows.Vals {
				rows.Vals[i] = number()
			}
			acc, coef := make([]float64, width), make([]float64, n)
			for i := range acc {
				acc[i] = number()
			}
			for i := range coef {
				coef[i] = number()
				rows.At = append(rows.At, int32(rng.IntN(many)))
			}
			want := append([]float64(nil), acc...)
			addRowsGo(want, rows, coef)
			AddRowsF64(acc, rows, coef)
			for k, got := range acc {
				if math.Float64bits(got) != math.Float64bits(want[k]) && !(math.IsNaN(got) && math.IsNaN(want[k])) {
					t.Fatalf("entry %d of %d, %d rows: %v, want %v", k, width, n, got, want[k])
				}
			}
		}
	}
}

// BenchmarkAddRows is a row of 14 entries times a matrix of 25 columns.
func BenchmarkAddRows(b *testing.B) {
	const width, many, n = 25, 139, 14
	rng := rand.New(rand.NewPCG(6, 7))
	rows := &Slices[float64]{Vals: make([]float64, many*width), Stride: width, At: make([]int32, n)}
	acc, coef := make([]float64, width), make([]float64, n)
	for i := range coef {
		rows.At[i], coef[i] = int32(rng.IntN(many)), rng.NormFloat64()
	}
	for range 2 {
		for _, loop := range []struct {
			name string
			run  func(acc []float64, rows *Slices[float64], coef []float64)
		}{{"rows", AddRowsF64}, {"each", addRowsGo}} {
			b.Run("loop="+loop.name, func(b *testing.B) {
				for b.Loop() {
					loop.run(acc, rows, coef)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
}
