package semiring

import "math"

// The exponential function as all kernels compute it, in lanes or one number at a
// time, so that a value does not depend on where in a column it stands: x is n ln 2 + r
// with |r| <= ln 2 / 2, and e^r the Taylor polynomial of degree 13, whose truncation is
// below 2^-57. Fused multiply-adds are written out, so that every machine rounds alike.
// What is lost in r and in 1 + r is added again: the error is below 0.63 units in the
// last place (TestExponential).
const (
	// expMax is the magnitude up to which a power of two with a normal exponent
	// remains to be multiplied by; what is beyond is math.Exp's.
	expMax = 707
	// roundBits added to a number leaves its nearest integer in the lowest bits.
	roundBits = 0x1.8p52
	// ln2High has 32 bits of ln 2, so that its products with n are exact, ln2Low what
	// follows.
	ln2High = 0x1.62e42feep-1
	ln2Low  = 0x1.a39ef35793c76p-33
)

// expTerms are 1/13! to 1/2!.
var expTerms = [...]float64{
	1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320, 1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2,
}

// farExponent is from where math.Exp is infinite on some machines, too early.
const farExponent = 709

func exponential(x float64) float64 {
	switch {
	case x > farExponent:
		half := math.Exp(x / 2)
		return half * half
	case !(math.Abs(x) <= expMax):
		return math.Exp(x)
	}
	t := math.FMA(x, math.Log2E, roundBits)
	n := t - roundBits
	high, low := math.FMA(n, -ln2High, x), n*-ln2Low
	r := high + low
	lost := high - r + low
	p := expTerms[0]
	for _, term := range expTerms[1:] {
		p = math.FMA(p, r, term)
	}
	rest := math.FMA(p, r*r, lost)
	one := 1 + r
	s := one + (1 - one + r + rest)
	return math.Float64frombits(math.Float64bits(s) + math.Float64bits(t)<<52)
}
