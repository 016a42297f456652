package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
)

// batch is random input for every kernel: ks ascend below dim.
type batch struct {
	ks, at []int32
	marks  []uint8
	dim    int
}

func randomBatch(rng *rand.Rand) batch {
	b := batch{dim: 1 + rng.IntN(300)}
	gaps := rng.IntN(4) > 0
	for k := range b.dim {
		if !gaps && k > b.dim/8 || gaps && rng.IntN(3) > 0 {
			b.ks = append(b.ks, int32(k))
		}
		marked := rng.IntN(2)
		b.marks = append(b.marks, uint8(marked))
		b.at = append(b.at, int32(marked)*int32(1+rng.IntN(1000)))
	}
	return b
}

func TestFilters(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		b := randomBatch(rng)
		ks, es := make([]int32, b.dim), make([]int32, b.dim)
		var want Selection
		for e, k := range b.ks {
			if b.marks[k] == 1 {
				want.Ks, want.Es = append(want.Ks, k), append(want.Es, int32(e))
			}
		}
		if n, m := CountMarked(b.ks, b.marks), CountSlots(b.ks, b.at); n != len(want.Ks) || m != n {
			t.Fatalf("counts %d, %d, want %d", n, m, len(want.Ks))
		}
		marked := KeepMarked(Selection{Ks: b.ks}, b.marks, ks, es)
		checkSelection(t, marked, want)
		// A second filter in place, on the first one's buffers.
		checkSelection(t, KeepSlots(marked, b.at, ks, es), want)
		checkSelection(t, KeepSlots(Selection{Ks: b.ks}, b.at, ks, es), want)
		pos := make([]int32, len(want.Ks))
		Positions(want.Ks, b.at, pos)
		for s, k := range want.Ks {
			if pos[s] != b.at[k]-1 {
				t.Fatalf("position %d of %d", pos[s], k)
			}
		}
	}
}

func checkSelection(t *testing.T, got, want Selection) {
	t.Helper()
	if !slices.Equal(got.Ks, want.Ks) || !slices.Equal(got.Es, want.Es) {
		t.Fatalf("selected %v, want %v", got, want)
	}
}

func TestTouch(t *testing.T) {
	flags, list := make([]uint8, 5), make([]int32, 6)
	n := Touch([]int32{1, 4}, flags, list, 0)
	n = Touch([]int32{0, 1, 2, 4}, flags, list, n)
	for _, again := range [][]int32{{0, 1, 2}, {4}, {2, 4}} {
		n = Touch(again, flags, list, n)
	}
	if want := []int32{1, 4, 0, 2}; !slices.Equal(list[:n], want) {
		t.Fatalf("touched %v, want %v", list[:n], want)
	}
	n = Touch([]int32{2, 3}, flags, list, n)
	n = Touch([]int32{0, 3, 4}, flags, list, n)
	if want := []int32{1, 4, 0, 2, 3}; !slices.Equal(list[:n], want) {
		t.Fatalf("touched %v, want %v", list[:n], want)
	}
}

// TestAxpy compares runs of coordinates with scattered ones, to the last bit.
func TestAxpy(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		n, c := rng.IntN(100), rng.NormFloat64()
		ks, vals, acc, want := make([]int32, n), make([]float64, n), make([]float64, n+5), make([]float64, n+5)
		for i := range ks {
			ks[i], vals[i] = int32(i+3), rng.NormFloat64()
		}
		for i := range acc {
			acc[i] = rng.NormFloat64()
			want[i] = acc[i]
		}
		for i, k := range ks {
			want[k] += float64(c * vals[i])
		}
		if ScatterF64(acc, ks, c, vals, nil); !slices.Equal(acc, want) {
			t.Fatalf("%d entries: %v, want %v", n, acc, want)
		}
	}
}

// integer draws values whose sums and products overflow now and then.
func integer(rng *rand.Rand) int64 {
	switch rng.IntN(12) {
	case 0:
		return math.MinInt64 + rng.Int64N(3)
	case 1:
		return math.MaxInt64 - rng.Int64N(3)
	case 2:
		return rng.Int64() >> 20
	}
	return rng.Int64N(200) - 100
}

// factor is one factor's values, with or without an index, and as plain list.
func factor(rng *rand.Rand, n int, wild bool) (vals []int64, ix []int32, plain []int64) {
	draw := func() int64 {
		if wild {
			return integer(rng)
		}
		return rng.Int64N(1<<20) - 1<<19
	}
	if rng.IntN(2) == 0 {
		for range n {
			vals = append(vals, draw())
		}
		return vals, nil, vals
	}
	for range n + 3 {
		vals = append(vals, draw())
	}
	ix = []int32{}
	for range n {
		i := int32(rng.IntN(len(vals)))
		ix, plain = append(ix, i), append(plain, vals[i])
	}
	return vals, ix, plain
}

func TestReduce(t *testing.T) {
	exact := 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := rng.IntN(20)
		a, ia, pa := factor(rng, n, seed%2 == 0)
		b, ib, pb := factor(rng, n, seed%2 == 0)
		sum, dot := new(big.Int), new(big.Int)
		for s := range n {
			x, y := big.NewInt(pa[s]), big.NewInt(pb[s])
			sum.Add(sum, x)
			dot.Add(dot, x.Mul(x, y))
		}
		for name, c := range map[string]struct {
			want *big.Int
			run  func() (int64, bool)
		}{
			"sum": {sum, func() (int64, bool) { return SumI64(a, ia, n) }},
			"dot": {dot, func() (int64, bool) { return DotI64(a, ia, b, ib, n) }},
		} {
			got, ok := c.run()
			if ok && c.want.Cmp(big.NewInt(got)) != 0 {
				t.Fatalf("seed %d: %s is %d, want %v", seed, name, got, c.want)
			}
			if !ok && seed%2 == 1 {
				t.Fatalf("seed %d: %s of small values said not to fit", seed, name)
			}
			if ok {
				exact++
			}
		}
		checkFloats(t, a, ia, b, ib, n, seed)
	}
	if exact < 4000 {
		t.Errorf("only %d of 8000 sums were exact", exact)
	}
}

// checkFloats compares the float kernels with the integer ones on small values,
// where both are exact.
func checkFloats(t *testing.T, a []int64, ia []int32, b []int64, ib []int32, n int, seed uint64) {
	t.Helper()
	if seed%2 == 0 {
		return
	}
	fa, fb := make([]float64, len(a)), make([]float64, len(b))
	Floats(fa, a, nil, len(a))
	Floats(fb, b, nil, len(b))
	sum, _ := SumI64(a, ia, n)
	dot, _ := DotI64(a, ia, b, ib, n)
	if SumF64(fa, ia, n) != float64(sum) || DotF64(fa, ia, fb, ib, n) != float64(dot) {
		t.Fatalf("seed %d: float sums differ from %d, %d", seed, sum, dot)
	}
	di, df := make([]int64, n), make([]float64, n)
	MulIntoI64(di, a, ia, b, ib, n)
	MulIntoF64(df, fa, ia, fb, ib, n)
	for s := range di {
		if float64(di[s]) != df[s] || di[s] != at(a, ia, s)*at(b, ib, s) {
			t.Fatalf("product %d: %d, %v", s, di[s], df[s])
		}
	}
}

func TestScatter(t *testing.T) {
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		b := randomBatch(rng)
		wild := seed%2 == 0
		vals, ix, plain := factor(rng, len(b.ks), wild)
		c := rng.Int64N(50) - 25
		if wild && rng.IntN(4) == 0 {
			c = integer(rng)
		}
		if seed%5 == 0 {
			vals, ix = nil, nil
		}
		acc, want, floats := make([]int64, b.dim), make([]*big.Int, b.dim), make([]float64, b.dim)
		fits := true
		for k := range acc {
			acc[k] = rng.Int64N(100)
			want[k], floats[k] = big.NewInt(acc[k]), float64(acc[k])
		}
		for s, k := range b.ks {
			p := big.NewInt(c)
			if vals != nil {
				p.Mul(p, big.NewInt(plain[s]))
			}
			fits = fits && p.IsInt64()
			want[k].Add(want[k], p)
			fits = fits && want[k].IsInt64()
		}
		if ok := ScatterI64(acc, b.ks, c, vals, ix); ok != fits {
			t.Fatalf("seed %d: fits %v, want %v", seed, ok, fits)
		}
		for k := range acc {
			if fits && want[k].Cmp(big.NewInt(acc[k])) != 0 {
				t.Fatalf("seed %d: slot %d is %d, want %v", seed, k, acc[k], want[k])
			}
		}
		if wild {
			continue
		}
		var fv []float64
		if vals != nil {
			fv = make([]float64, len(vals))
			Floats(fv, vals, nil, len(vals))
		}
		ScatterF64(floats, b.ks, float64(c), fv, ix)
		for k := range floats {
			if floats[k] != float64(acc[k]) {
				t.Fatalf("seed %d: slot %d is %v, want %d", seed, k, floats[k], acc[k])
			}
		}
	}
}

func TestNames(t *testing.T) {
	for name, key := range map[string]Key{
		"count": {}, "probe-count": {Filters: 1}, "select+probe-count": {Filters: 2}, "gather-reduce": {Factors: 1},
		"select+gather-reduce": {Filters: 1, Factors: 2}, "scatter-accumulate": {Shape: Scatter}, "select+scatter-accumulate": {Shape: Scatter, Filters: 1},
	} {
		if key.Name() != name {
			t.Errorf("%+v is named %s, want %s", key, key.Name(), name)
		}
	}
}

// TestCompare compares the loops of comparisons with the operators.
func TestCompare(t *testing.T) {
	floats := []float64{math.Inf(-1), -1, math.Copysign(0, -1), 0, 2, math.Inf(1), math.NaN()}
	integers := []int64{math.MinInt64, -1, 0, 1, math.MaxInt64}
	for _, op := range []semiring.Op{semiring.Less, semiring.AtMost, semiring.Equal, semiring.Differ} {
		dst := make([]bool, 1)
		for _, x := range floats {
			for _, y := range floats {
				if CompareF64(op)(dst, []float64{x}, []float64{y}); dst[0] != (op.OfFloats(x, y) != 0) {
					t.Errorf("%s(%g, %g) is %t", op, x, y, dst[0])
				}
			}
		}
		for _, x := range integers {
			for _, y := range integers {
				if CompareI64(op)(dst, []int64{x}, []int64{y}); dst[0] != op.Test(semiring.FromInt64(x), semiring.FromInt64(y)) {
					t.Errorf("%s(%d, %d) is %t", op, x, y, dst[0])
				}
			}
		}
	}
}

// TestDivisions compares the loops of integer divisions with the operators.
func TestDivisions(t *testing.T) {
	values := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 32, -7, -1, 0, 1, 3, 1 << 32, math.MaxInt64}
	for _, op := range []semiring.Op{semiring.Quot, semiring.Rem} {
		for _, x := range values {
			for _, y := range values {
				dst := make([]int64, 1)
				ok := ColumnI64(op)(dst, []int64{x}, []int64{y})
				want, _ := op.OfIntegers(semiring.FromInt64(x), semiring.FromInt64(y))
				if v, fits := want.Int64(); fits != ok || fits && v != dst[0] {
					t.Errorf("%s(%d, %d) is %d, %t; want %s", op, x, y, dst[0], ok, want)
				}
			}
		}
	}
}
