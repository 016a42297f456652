package semiring

import (
	"math"
	"math/big"

	"github.com/trireme-db/trireme/internal/invariant"
)

// IsPair reports whether o is an operator of two numbers that is not rearranged.
func (o Op) IsPair() bool { return o >= Less && o <= Rem }

// IsTest reports whether o compares two numbers: 1 or 0.
func (o Op) IsTest() bool { return o >= Less && o <= Differ }

// OfFloats is the value of a pair of which one is F64. A test is 1 or 0.
func (o Op) OfFloats(x, y float64) float64 {
	less := func(x, y float64) bool { return x < y || math.IsNaN(y) && !math.IsNaN(x) }
	truth := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	switch o {
	case Less:
		return truth(less(x, y))
	case AtMost:
		return truth(!less(y, x))
	case Equal:
		return truth(x == y || math.IsNaN(x) && math.IsNaN(y))
	case Differ:
		return truth(x != y && !(math.IsNaN(x) && math.IsNaN(y)))
	case Div:
		return x / y
	case Power:
		return power(x, y)
	case Rem:
		return math.Mod(x, y)
	default:
		panic(invariant.Failed("semiring: %s of floats", o))
	}
}

// Test is a comparison of two integers.
func (o Op) Test(x, y Int128) bool {
	switch c := x.Cmp(y); o {
	case Less:
		return c < 0
	case AtMost:
		return c <= 0
	case Equal:
		return c == 0
	case Differ:
		return c != 0
	default:
		panic(invariant.Failed("semiring: %s is no test", o))
	}
}

// OfIntegers is the value of Quot or Rem; false where it does not fit.
func (o Op) OfIntegers(x, y Int128) (Int128, bool) {
	if y.Sign() == 0 {
		return Int128{}, true
	}
	a, okA := x.Int64()
	b, okB := y.Int64()
	if okA && okB && b != -1 {
		if o == Quot {
			return FromInt64(a / b), true
		}
		return FromInt64(a % b), true
	}
	if o == Quot {
		return FromBig(new(big.Int).Quo(x.Big(), y.Big()))
	}
	return FromBig(new(big.Int).Rem(x.Big(), y.Big()))
}

const (
	// exactFloat is the largest magnitude below which every integer is a float64.
	exactFloat = 1 << 53
	// extendedBits is the precision of x86's long double, in which DuckDB divides.
	extendedBits = 64
	// tieSlack is the distance from a tie, relative to half a unit in the last
	// place, within which rounding to extendedBits first may change the result.
	tieSlack = 1.0 / 512
)

// Quotient is x/y, rounded to extendedBits and then to a float64. The two
// roundings differ from one only where the first lands on a tie, so most
// quotients are one division. Of y = 0 it is as of floats.
func Quotient(x, y Int128) float64 {
	a, okA := x.Int64()
	b, okB := y.Int64()
	if okA && okB && a > -exactFloat && a < exactFloat && b > -exactFloat && b < exactFloat {
		den := float64(b)
		q := float64(a) / den
		rest := math.Abs(math.FMA(-q, den, float64(a)))
		half := (math.Nextafter(math.Abs(q), math.Inf(1)) - math.Abs(q)) / 2 * math.Abs(den)
		if b == 0 || math.Abs(rest-half) > half*tieSlack {
			return q
		}
	}
	if y.Sign() == 0 {
		return x.Float64() / 0
	}
	extended := func(v Int128) *big.Float { return new(big.Float).SetPrec(extendedBits).SetInt(v.Big()) }
	f, _ := extended(x).Quo(extended(x), extended(y)).Float64()
	return f
}
