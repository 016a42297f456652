package interp

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

type valueKind uint8

const (
	kindNull valueKind = iota
	kindExact
	kindFloat
	kindString
)

// Value is a SQL value used as a coordinate. Values made by the constructors
// are equal under == exactly when they are one coordinate: NULL equals itself,
// NaN equals itself, -0 equals 0, 1.50 equals 1.5. The values of one domain are
// of one kind (exact numbers of different scale mix), or NULL. The zero Value
// is NULL.
type Value struct {
	kind  valueKind
	exact semiring.Int128 // kindExact: value times 10^scale
	scale int             // kindExact: 0 or the least that keeps the value
	float float64         // kindFloat, NaN aside
	nan   bool
	str   string
}

// Null is the coordinate NULL.
func Null() Value { return Value{} }

// Int makes an integer.
func Int(v int64) Value { return Decimal(semiring.FromInt64(v), 0) }

// Decimal makes the exact number unscaled / 10^scale.
func Decimal(unscaled semiring.Int128, scale int) Value {
	u := unscaled.Big()
	ten, rest := big.NewInt(10), new(big.Int)
	for scale > 0 {
		q := new(big.Int)
		if q.QuoRem(u, ten, rest); rest.Sign() != 0 {
			break
		}
		u, scale = q, scale-1
	}
	v, ok := semiring.FromBig(u)
	invariant.Check(ok, "interp: %s lost digits", unscaled)
	return Value{kind: kindExact, exact: v, scale: scale}
}

// Float makes a float.
func Float(f float64) Value {
	if math.IsNaN(f) {
		return Value{kind: kindFloat, nan: true}
	}
	return Value{kind: kindFloat, float: f + 0} // -0 + 0 is 0
}

// String makes a string.
func String(s string) Value { return Value{kind: kindString, str: s} }

// IsNull reports whether v is NULL.
func (v Value) IsNull() bool { return v.kind == kindNull }

// Text returns the value in the form that a constant of the notation has.
func (v Value) Text() string {
	switch v.kind {
	case kindNull:
		return "NULL"
	case kindExact:
		return v.exactText()
	case kindFloat:
		return strconv.FormatFloat(v.number(), 'g', -1, 64)
	default:
		return v.str
	}
}

// String prints the value as the notation would.
func (v Value) String() string {
	if v.kind == kindString {
		return "'" + strings.ReplaceAll(v.str, "'", "''") + "'"
	}
	return v.Text()
}

func (v Value) exactText() string {
	digits, sign := v.exact.String(), ""
	if strings.HasPrefix(digits, "-") {
		digits, sign = digits[1:], "-"
	}
	if v.scale == 0 {
		return sign + digits
	}
	if n := v.scale + 1 - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	return sign + digits[:len(digits)-v.scale] + "." + digits[len(digits)-v.scale:]
}

func (v Value) number() float64 {
	if v.nan {
		return math.NaN()
	}
	return v.float
}

func (v Value) rat() *big.Rat {
	if v.kind == kindFloat {
		return new(big.Rat).SetFloat64(v.float)
	}
	den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(v.scale)), nil)
	return new(big.Rat).SetFrac(v.exact.Big(), den)
}

// Compare orders values as DuckDB does: numbers by value with NaN above +Inf,
// strings by bytes; NULL last. Numbers come before strings.
func (v Value) Compare(o Value) int {
	switch {
	case v == o:
		return 0
	case v.kind == kindNull || o.kind == kindNull:
		return cmp.Compare(o.kind, v.kind) // kindNull is the least kind
	case v.kind == kindString || o.kind == kindString:
		return cmp.Or(cmp.Compare(v.kind, o.kind), strings.Compare(v.str, o.str))
	case v.nan || o.nan:
		if v.nan {
			return 1
		}
		return -1
	case math.IsInf(v.float, 0) || math.IsInf(o.float, 0):
		return cmp.Compare(infinity(v), infinity(o))
	default:
		return v.rat().Cmp(o.rat())
	}
}

// infinity is -1, 0 or 1: what of an infinity v is.
func infinity(v Value) int {
	switch {
	case math.IsInf(v.float, 1):
		return 1
	case math.IsInf(v.float, -1):
		return -1
	default:
		return 0
	}
}

// matches reports whether a constant binds a mode to v: the constant's text is
// read as a value of v's kind. NULL matches nothing.
func (v Value) matches(c *einsum.Const) bool {
	if c.Null || v.kind == kindNull {
		return false
	}
	switch v.kind {
	case kindString:
		return c.Text == v.str
	case kindFloat:
		f, err := strconv.ParseFloat(c.Text, 64)
		return (err == nil || math.IsInf(f, 0)) && Float(f) == v
	default:
		r, ok := new(big.Rat).SetString(c.Text)
		return ok && r.Cmp(v.rat()) == 0
	}
}

// compareMask says whether a comparison of the SQL values is TRUE.
func compareMask(op semiring.Op, l, r Value) bool {
	if l.IsNull() || r.IsNull() {
		return false
	}
	c := l.Compare(r)
	switch op {
	case semiring.Eq:
		return c == 0
	case semiring.Ne:
		return c != 0
	case semiring.Lt:
		return c < 0
	case semiring.Le:
		return c <= 0
	case semiring.Gt:
		return c > 0
	case semiring.Ge:
		return c >= 0
	default:
		panic(invariant.Failed("interp: %s is no comparison", op))
	}
}
