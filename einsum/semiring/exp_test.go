package semiring

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExp is e^x by its series, after x has been halved until it is small.
func bigExp(x float64) *big.Float {
	const prec, halvings = 200, 12
	small := new(big.Float).SetPrec(prec).SetMantExp(new(big.Float).SetPrec(prec).SetFloat64(x), -halvings)
	sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for k := int64(1); k < 60; k++ {
		term.Mul(term, small)
		term.Quo(term, new(big.Float).SetInt64(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// TestExponential bounds the error in units in the last place.
func TestExponential(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 31))
	worst, at := 0.0, 0.0
	for i := range 30000 {
		x := []float64{rng.Float64() - 0.5, 20 * rng.NormFloat64(), (2*rng.Float64() - 1) * expMax}[i%3]
		x = min(max(x, -expMax), expMax)
		got := exponential(x)
		want := bigExp(x)
		diff, _ := new(big.Float).Sub(want, big.NewFloat(got)).Float64()
		if ulps := math.Abs(diff) / (math.Nextafter(got, math.Inf(1)) - got); ulps > worst {
			worst, at = ulps, x
		}
	}
	t.Logf("worst error %.4f ulp, at %v", worst, at)
	if worst > 0.63 {
		t.Errorf("error of %.4f ulp at %v", worst, at)
	}
}

// TestExponentialAtTheEdges: what has no normal power of two, and what is no number.
func TestExponentialAtTheEdges(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0, 1}, {math.Copysign(0, -1), 1}, {5e-324, 1}, {1e-17, 1}, {-1e-17, 1}, {math.Inf(1), math.Inf(1)}, {math.Inf(-1), 0}, {710, math.Inf(1)}, {-746, 0},
	} {
		if got := Exp.Of(c.x); got != c.want {
			t.Errorf("exp(%v) is %v, want %v", c.x, got, c.want)
		}
	}
	for _, x := range []float64{expMax, -expMax, 708.5, -708.5, 709.5, 709.78, -740} {
		want, _ := bigExp(x).Float64()
		if got := Exp.Of(x); math.Abs(got-want) > 1e-14*want+5e-324 {
			t.Errorf("exp(%v) is %v, want %v", x, got, want)
		}
	}
	if got := Exp.Of(math.NaN()); !math.IsNaN(got) {
		t.Errorf("exp of NaN is %v", got)
	}
}
