package interp

import (
	"math"
	"math/big"
	"strconv"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// Num is the value of a leaf: an exact integer, a float, or the identity of
// min or max over integers, which is above or below every integer (storage
// uses the element type's extremes). Nums are immutable.
type Num struct {
	i     *big.Int // an integer unless nil
	f     float64
	bound int // +1, -1: identity of min, max over integers
}

// NumInt makes an integer.
func NumInt(v int64) Num { return Num{i: big.NewInt(v)} }

// NumBig makes an integer; it keeps v.
func NumBig(v *big.Int) Num { return Num{i: v} }

// NumFloat makes a float.
func NumFloat(f float64) Num { return Num{f: f} }

// Big returns an integer's value.
func (n Num) Big() (*big.Int, bool) { return n.i, n.i != nil }

// Identity returns +1 for the identity of min over integers, -1 for that of
// max, else 0.
func (n Num) Identity() int { return n.bound }

// Float64 returns the nearest float.
func (n Num) Float64() float64 {
	switch {
	case n.bound != 0:
		return math.Inf(n.bound)
	case n.i != nil:
		f, _ := new(big.Float).SetInt(n.i).Float64()
		return f
	default:
		return n.f
	}
}

// String prints the number.
func (n Num) String() string {
	switch {
	case n.bound > 0:
		return "identity of min"
	case n.bound < 0:
		return "identity of max"
	case n.i != nil:
		return n.i.String()
	default:
		return strconv.FormatFloat(n.f, 'g', -1, 64)
	}
}

func (n Num) isFloat() bool { return n.i == nil && n.bound == 0 }

func (n Num) isZero() bool {
	if n.i != nil {
		return n.i.Sign() == 0
	}
	return n.bound == 0 && n.f == 0
}

func (n Num) sign() int {
	if n.i != nil {
		return n.i.Sign()
	}
	return n.bound
}

func truth(b bool) Num {
	if b {
		return NumInt(1)
	}
	return NumInt(0)
}

// less orders numbers by value, NaN above +Inf.
func (n Num) less(o Num) bool {
	if n.isFloat() || o.isFloat() {
		a, b := n.Float64(), o.Float64()
		return a < b || math.IsNaN(b) && !math.IsNaN(a)
	}
	if n.bound != 0 || o.bound != 0 {
		return n.bound < o.bound
	}
	return n.i.Cmp(o.i) < 0
}

func (n Num) neg() Num {
	switch {
	case n.bound != 0:
		return Num{bound: -n.bound}
	case n.i != nil:
		return NumBig(new(big.Int).Neg(n.i))
	default:
		return NumFloat(-n.f)
	}
}

// combine applies an operator of two arguments that are both present.
func combine(op semiring.Op, a, b Num) Num {
	switch op {
	case semiring.Add, semiring.Plus:
		return add(a, b)
	case semiring.Sub:
		return add(a, b.neg())
	case semiring.Mul:
		return mul(a, b)
	case semiring.Min:
		if b.less(a) {
			return b
		}
		return a
	case semiring.Max:
		if a.less(b) {
			return b
		}
		return a
	case semiring.Less:
		return truth(a.less(b))
	case semiring.AtMost:
		return truth(!b.less(a))
	case semiring.Equal:
		return truth(!a.less(b) && !b.less(a))
	case semiring.Differ:
		return truth(a.less(b) || b.less(a))
	case semiring.Div, semiring.Power, semiring.Quot, semiring.Rem:
		return divide(op, a, b)
	case semiring.Or:
		return truth(!a.isZero() || !b.isZero())
	case semiring.And:
		return truth(!a.isZero() && !b.isZero())
	default:
		panic(invariant.Failed("interp: %s does not combine", op))
	}
}

// divide applies Div, Power, Quot or Rem.
func divide(op semiring.Op, a, b Num) Num {
	floats := a.i == nil || b.i == nil
	switch {
	case op == semiring.Power:
		return NumFloat(math.Pow(a.Float64(), b.Float64()))
	case op == semiring.Div && (floats || b.isZero()):
		return NumFloat(a.Float64() / b.Float64())
	case op == semiring.Div:
		long := func(i *big.Int) *big.Float { return new(big.Float).SetPrec(64).SetInt(i) }
		f, _ := new(big.Float).SetPrec(64).Quo(long(a.i), long(b.i)).Float64()
		return NumFloat(f)
	case floats:
		return NumFloat(math.Mod(a.Float64(), b.Float64()))
	case b.isZero():
		return NumInt(0)
	case op == semiring.Quot:
		return NumBig(new(big.Int).Quo(a.i, b.i))
	default:
		return NumBig(new(big.Int).Rem(a.i, b.i))
	}
}

func add(a, b Num) Num {
	switch {
	case a.isFloat() || b.isFloat():
		return NumFloat(a.Float64() + b.Float64())
	case a.bound != 0:
		return a
	case b.bound != 0:
		return b
	default:
		return NumBig(new(big.Int).Add(a.i, b.i))
	}
}

func mul(a, b Num) Num {
	switch {
	case a.isFloat() || b.isFloat():
		return NumFloat(a.Float64() * b.Float64())
	case a.bound != 0 || b.bound != 0:
		if s := a.sign() * b.sign(); s != 0 {
			return Num{bound: s}
		}
		return NumInt(0)
	default:
		return NumBig(new(big.Int).Mul(a.i, b.i))
	}
}

// function applies a function of one number; false outside its domain.
func function(op semiring.Op, x float64) (float64, bool) {
	switch op {
	case semiring.Sqrt:
		return math.Sqrt(x), !(x < 0)
	case semiring.Exp, semiring.Sigmoid: // no machine's own: the last bits of those differ
		return op.Of(x), true
	case semiring.Ln:
		return math.Log(x), !(x <= 0)
	case semiring.Abs:
		return math.Abs(x), true
	case semiring.Relu:
		if x < 0 {
			x = 0
		}
		return x, true
	case semiring.Floor:
		return math.Floor(x), true
	case semiring.Ceil:
		return math.Ceil(x), true
	case semiring.Trunc:
		return math.Trunc(x), true
	case semiring.Round:
		return math.Round(x), true
	case semiring.Cbrt:
		return math.Cbrt(x), true
	case semiring.Log10:
		return math.Log10(x), !(x <= 0)
	case semiring.Log2:
		return math.Log2(x), !(x <= 0)
	default:
		return trigonometric(op, x)
	}
}

func trigonometric(op semiring.Op, x float64) (float64, bool) {
	switch op {
	case semiring.Sin:
		return math.Sin(x), !math.IsInf(x, 0)
	case semiring.Cos:
		return math.Cos(x), !math.IsInf(x, 0)
	case semiring.Tan:
		return math.Tan(x), !math.IsInf(x, 0)
	case semiring.Asin:
		return math.Asin(x), !(math.Abs(x) > 1)
	case semiring.Acos:
		return math.Acos(x), !(math.Abs(x) > 1)
	case semiring.Atan:
		return math.Atan(x), true
	default:
		panic(invariant.Failed("interp: %s is no function", op))
	}
}

// identity returns what an aggregate of op over floats or integers is where
// every cell is masked.
func identity(op semiring.Op, float bool) Num {
	switch op {
	case semiring.Add, semiring.Or:
		if float && op == semiring.Add {
			return NumFloat(0)
		}
		return NumInt(0)
	case semiring.And:
		return NumInt(1)
	case semiring.Min:
		if float {
			return NumFloat(math.NaN())
		}
		return Num{bound: 1}
	case semiring.Max:
		if float {
			return NumFloat(math.Inf(-1))
		}
		return Num{bound: -1}
	default:
		panic(invariant.Failed("interp: %s has no identity", op))
	}
}

// equal compares by value; relative is the tolerance between floats, 0 for
// exactly equal. NaN equals NaN. An identity equals itself and the extremes of
// the integer types.
func (n Num) equal(o Num, relative float64) bool {
	if n.bound != 0 || o.bound != 0 {
		return n.extreme() != 0 && n.extreme() == o.extreme()
	}
	if n.i != nil && o.i != nil {
		return n.i.Cmp(o.i) == 0
	}
	a, b := n.Float64(), o.Float64()
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && math.IsNaN(b)
	}
	return a == b || math.Abs(a-b) <= relative*max(1, math.Abs(a), math.Abs(b))
}

// extreme is +1 or -1 for what stands for the identity of min or max.
func (n Num) extreme() int {
	if n.bound != 0 || n.i == nil {
		return n.bound
	}
	if v, ok := semiring.FromBig(n.i); ok {
		wide, _ := v.Int64()
		switch {
		case n.i.IsInt64() && wide == math.MaxInt64, v == semiring.Int128{Hi: math.MaxInt64, Lo: math.MaxUint64}:
			return 1
		case n.i.IsInt64() && wide == math.MinInt64, v == semiring.Int128{Hi: math.MinInt64}:
			return -1
		}
	}
	return 0
}
