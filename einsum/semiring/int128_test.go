package semiring

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// edges are where carries, signs and widths turn.
func edges() []Int128 {
	var out []Int128
	for _, hi := range []int64{0, 1, -1, math.MaxInt64, math.MinInt64, 1 << 32, -1 << 32} {
		for _, lo := range []uint64{0, 1, math.MaxUint64, 1 << 63, 1<<63 - 1, 1 << 32, 3} {
			out = append(out, Int128{hi, lo})
		}
	}
	return out
}

func checkPair(t *testing.T, a, b Int128) {
	t.Helper()
	for _, op := range []struct {
		name string
		got  func() (Int128, bool)
		want func(z, x, y *big.Int) *big.Int
	}{
		{"+", func() (Int128, bool) { return a.Add(b) }, (*big.Int).Add},
		{"-", func() (Int128, bool) { return a.Sub(b) }, (*big.Int).Sub},
		{"*", func() (Int128, bool) { return a.Mul(b) }, (*big.Int).Mul},
	} {
		got, ok := op.got()
		exact := op.want(new(big.Int), a.Big(), b.Big())
		want, fits := FromBig(exact)
		if ok != fits || ok && got != want {
			t.Errorf("%s %s %s = %s, %t; exactly %s", a, op.name, b, got, ok, exact)
		}
	}
	if got, want := a.Cmp(b), a.Big().Cmp(b.Big()); got != want {
		t.Errorf("%s against %s: %d", a, b, got)
	}
}

func checkOne(t *testing.T, a Int128) {
	t.Helper()
	b := a.Big()
	if back, ok := FromBig(b); !ok || back != a {
		t.Errorf("%s comes back as %s", a, back)
	}
	if a.String() != b.String() || a.Sign() != b.Sign() {
		t.Errorf("%s prints %s with sign %d", b, a, a.Sign())
	}
	neg, fits := FromBig(new(big.Int).Neg(b))
	if fits && a.Neg() != neg || !fits && a.Neg() != a {
		t.Errorf("-(%s) is %s", a, a.Neg())
	}
	v, ok := a.Int64()
	if ok != b.IsInt64() || ok && (v != b.Int64() || FromInt64(v) != a) {
		t.Errorf("%s as int64 is %d, %t", a, v, ok)
	}
	// big.Rat rounds to nearest even, and independently of big.Float.
	if want, _ := new(big.Rat).SetInt(b).Float64(); a.Float64() != want {
		t.Errorf("%s as a float is %v, want %v", a, a.Float64(), want)
	}
}

func TestInt128(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	values := edges()
	for range 300 {
		// Every width occurs, so that products stay below and above 128 bits.
		b := new(big.Int).Rsh(Int128{int64(r.Uint64() >> 1), r.Uint64()}.Big(), uint(r.IntN(127)))
		if r.IntN(2) == 0 {
			b.Neg(b)
		}
		v, _ := FromBig(b)
		values = append(values, v)
	}
	for _, a := range values {
		checkOne(t, a)
		for _, b := range values {
			checkPair(t, a, b)
		}
	}
}

func TestFromBigOutOfRange(t *testing.T) {
	limit := new(big.Int).Lsh(big.NewInt(1), 127)
	for _, c := range []struct {
		v    *big.Int
		fits bool
	}{
		{new(big.Int).Sub(limit, big.NewInt(1)), true},
		{limit, false},
		{new(big.Int).Neg(limit), true},
		{new(big.Int).Sub(new(big.Int).Neg(limit), big.NewInt(1)), false},
		{new(big.Int).Lsh(limit, 100), false},
	} {
		if _, ok := FromBig(c.v); ok != c.fits {
			t.Errorf("%s: %t", c.v, ok)
		}
	}
}

// Halfway cases go to the even neighbour.
func TestFloat64HalfEven(t *testing.T) {
	for _, c := range []struct {
		v    Int128
		want float64
	}{
		{Int128{1 << 53, 1 << 63}, 0x1p117},              // below a half of 2^65
		{Int128{1<<53 | 1, 0}, 0x1p117},                  // a half, even below
		{Int128{1<<53 | 1, 1}, 0x1p117 + 0x1p65},         // above a half
		{Int128{1<<53 | 3, 0}, 0x1p117 + 2*0x1p65},       // a half, even above
		{Int128{math.MaxInt64, math.MaxUint64}, 0x1p127}, // rounds up to a power
		{Int128{math.MinInt64, 0}, -0x1p127},
		{FromInt64(1<<53 + 1), 0x1p53},
	} {
		if got := c.v.Float64(); got != c.want {
			t.Errorf("%s: %v, want %v", c.v, got, c.want)
		}
	}
}

func FuzzInt128(f *testing.F) {
	f.Add(int64(math.MinInt64), uint64(0), int64(-1), uint64(math.MaxUint64))
	f.Add(int64(0), uint64(math.MaxUint64), int64(0), uint64(1<<63))
	f.Fuzz(func(t *testing.T, ah int64, al uint64, bh int64, bl uint64) {
		a, b := Int128{ah, al}, Int128{bh, bl}
		checkOne(t, a)
		checkPair(t, a, b)
		checkPair(t, a, FromInt64(bh)) // products that often fit
	})
}
