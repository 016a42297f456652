package semiring

import (
	"math"

	"github.com/trireme-db/trireme/internal/invariant"
)

// IsFunction reports whether o is a function of one number with an F64 value.
func (o Op) IsFunction() bool { return o >= Sqrt && o <= Atan }

// Contains reports whether a function with this domain has a value at x.
func (d Domain) Contains(x float64) bool {
	switch d {
	case NotNegative:
		return !(x < 0)
	case Positive:
		return !(x <= 0)
	case Finite:
		return !math.IsInf(x, 0)
	case Unit:
		return !(x < -1 || x > 1)
	default:
		return true
	}
}

// Of is the value of a function at x, which its Domain contains.
func (o Op) Of(x float64) float64 {
	switch o {
	case Sqrt:
		return math.Sqrt(x)
	case Exp:
		return exponential(x)
	case Ln:
		return logarithm(x)
	case Abs:
		return math.Abs(x)
	case Sigmoid:
		return 1 / (1 + exponential(-x))
	case Relu:
		if x < 0 { // NaN stays
			return 0
		}
		return x
	default:
		return o.rounded(x)
	}
}

// rounded is Of for the functions that round, and those of trigonometry.
func (o Op) rounded(x float64) float64 {
	switch o {
	case Floor:
		return math.Floor(x)
	case Ceil:
		return math.Ceil(x)
	case Trunc:
		return math.Trunc(x)
	case Round:
		return math.Round(x)
	case Cbrt:
		return math.Cbrt(x)
	case Log10:
		if scaled, is := normal(x); is {
			return math.Log10(scaled) - normalBits*math.Ln2/math.Ln10
		}
		return math.Log10(x)
	case Log2:
		return math.Log2(x)
	case Sin:
		return math.Sin(x)
	case Cos:
		return math.Cos(x)
	case Tan:
		return math.Tan(x)
	case Asin:
		return math.Asin(x)
	case Acos:
		return math.Acos(x)
	case Atan:
		return math.Atan(x)
	default:
		panic(invariant.Failed("semiring: %s is no function", o))
	}
}

const (
	// leastNormal is the least float64 of full precision. What is below loses its
	// exponent in math.Log on some machines, and in what is made of it.
	leastNormal = 0x1p-1022
	// normalBits is the power of two that makes every number a normal one.
	normalBits = 54
)

// normal scales a positive number below leastNormal by 2^normalBits.
func normal(x float64) (scaled float64, is bool) {
	return x * (1 << normalBits), x > 0 && x < leastNormal
}

func logarithm(x float64) float64 {
	if scaled, is := normal(x); is {
		return math.Log(scaled) - normalBits*math.Ln2
	}
	return math.Log(x)
}

// power is x to the power of y.
func power(x, y float64) float64 {
	scaled, is := normal(math.Abs(x))
	if !is || math.IsNaN(y) || math.IsInf(y, 0) {
		return math.Pow(x, y)
	}
	return math.Pow(math.Copysign(scaled, x), y) * math.Exp2(-normalBits*y)
}
