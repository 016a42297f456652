package translate

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// An expression over several sources that is no arithmetic alone is evaluated on
// one cell with its NULLs: a value, and conditions under which it is one. The
// value of what is NULL is some number that nothing reads. A predicate is two
// questions, whether it is TRUE and whether it is FALSE.

// cellValue is a value where all of known are not 0, else NULL.
type cellValue struct {
	v     einsum.Expr
	known []einsum.Expr
}

// cells writes expressions on cells. The first form that it does not know sets
// err, and what it returns means nothing.
type cells struct {
	// base returns the base table that alone an expression reads; a constant is
	// read with some table of the expression around it.
	base func(x sqlfront.Expr) (src int, ok bool)
	// part is an expression over a base table on its row; never NULL where sure.
	part func(src int, x sqlfront.Expr) cellValue
	// column is a column of an inlined derived table.
	column func(c *sqlfront.ColumnRef) (cellValue, error)
	err    error
}

func (w *cells) fail() cellValue {
	if w.err == nil {
		w.err = errPoint
	}
	return cellValue{v: einsum.Int(0)}
}

// always is a value that is never NULL.
func always(v einsum.Expr) cellValue { return cellValue{v: v} }

var null = cellValue{v: einsum.Int(0), known: []einsum.Expr{einsum.Int(0)}}

// all is 1 where every condition holds; one that holds everywhere is nil.
func all(known []einsum.Expr) einsum.Expr {
	if len(known) == 0 {
		return nil
	}
	return either(semiring.Min, truths(known))
}

// truths are conditions as numbers of which 0 is the least.
func truths(known []einsum.Expr) []einsum.Expr {
	out := make([]einsum.Expr, len(known))
	for i, k := range known {
		out[i] = k
		if _, literal := k.(*einsum.Literal); literal {
			continue
		}
		if m, ok := k.(*einsum.Map); !ok || !m.Op.IsTest() && m.Op != semiring.Select && m.Op != semiring.Min && m.Op != semiring.Max {
			out[i] = einsum.Apply(semiring.Differ, k, einsum.Int(0))
		}
	}
	return out
}

func either(op semiring.Op, xs []einsum.Expr) einsum.Expr {
	if len(xs) == 1 {
		return xs[0]
	}
	return einsum.Apply(op, xs...)
}

// choose is x where c is not 0, else y.
func choose(c, x, y einsum.Expr) einsum.Expr {
	if c == nil {
		return x
	}
	return einsum.Apply(semiring.Select, c, x, y)
}

// oneIf is 1 for a condition that always holds.
func oneIf(known []einsum.Expr) einsum.Expr {
	if k := all(known); k != nil {
		return k
	}
	return einsum.Int(1)
}

// chosen is x where c is not 0, else y, NULLs included.
func chosen(c einsum.Expr, x, y cellValue) cellValue {
	out := cellValue{v: choose(c, x.v, y.v)}
	if len(x.known)+len(y.known) > 0 {
		out.known = []einsum.Expr{choose(c, oneIf(x.known), oneIf(y.known))}
	}
	return out
}

// onCell reports whether values of a type are numbers here: as themselves,
// without point, as days or microseconds, as 0 and 1.
func onCell(t rows.Type) bool {
	return numeric(t) || t.Physical() == rows.PhysInt64 && t.ID != rows.SQLNull
}

// value is an expression of its own type.
func (w *cells) value(x sqlfront.Expr) cellValue {
	if isNull(x) {
		return null
	}
	if !onCell(x.Type()) {
		return w.fail()
	}
	if v, ok := number(x); ok {
		if x.Type().ID == rows.Double {
			return always(einsum.Float(v.float))
		}
		return always(integer(v.unscaled))
	}
	if v, ok := doubleLiteral(x); ok {
		return always(einsum.Float(v))
	}
	if src, ok := w.base(x); ok {
		return w.part(src, x)
	}
	switch x := x.(type) {
	case *sqlfront.ColumnRef:
		out, err := w.column(x)
		if err != nil {
			return w.fail()
		}
		return out
	case *sqlfront.Cast:
		return w.as(x.Arg, x.T)
	case *sqlfront.Case:
		return w.cases(x)
	case *sqlfront.In:
		return w.predicate(x)
	case *sqlfront.Call:
		if x.T.ID == rows.Boolean && x.Name != "coalesce" && x.Name != "nullif" {
			return w.predicate(x)
		}
		return w.call(x)
	}
	return w.fail()
}

func isNull(x sqlfront.Expr) bool {
	switch x := x.(type) {
	case *sqlfront.Literal:
		return strings.EqualFold(x.SQL, "NULL")
	case *sqlfront.Cast:
		return isNull(x.Arg)
	}
	return false
}

// as is an expression cast to a type, as DuckDB does on its own too.
func (w *cells) as(x sqlfront.Expr, t rows.Type) cellValue {
	from := x.Type()
	if from == t {
		return w.value(x)
	}
	if isNull(x) {
		return null
	}
	if v, ok := number(x); ok && t.ID == rows.Double {
		return always(einsum.Float(v.float))
	}
	if src, ok := w.base(x); ok && onCell(t) {
		return w.part(src, &sqlfront.Cast{Arg: x, T: t})
	}
	out := w.value(x)
	fromNumber := from.IsExact() || from.ID == rows.Boolean
	d := int(t.Scale) - int(from.Scale)
	switch {
	case fromNumber && t.IsExact() && d == 0:
	case fromNumber && t.IsExact() && d > 0:
		out.v = einsum.Mul(integer(pow10(d)), out.v)
	case fromNumber && t.ID == rows.Double && from.Scale == 0:
		out.v = einsum.Mul(out.v, einsum.Float(1))
	case fromNumber && t.ID == rows.Double:
		out.v = einsum.Apply(semiring.Div, out.v, einsum.Float(math.Pow10(int(from.Scale))))
	default:
		return w.fail()
	}
	return out
}

// cases is CASE: the first arm whose condition is TRUE.
func (w *cells) cases(x *sqlfront.Case) cellValue {
	out := null
	if x.Else != nil {
		out = w.as(x.Else, x.T)
	}
	for i := len(x.Whens) - 1; i >= 0; i-- {
		cond := x.Whens[i].Cond
		if x.Operand != nil {
			cond = &sqlfront.Call{Name: "=", Args: []sqlfront.Expr{x.Operand, cond}, T: rows.Type{ID: rows.Boolean}}
		}
		out = chosen(w.truth(cond, false), w.as(x.Whens[i].Then, x.T), out)
	}
	return out
}

// call is a function or operator that is no predicate.
func (w *cells) call(x *sqlfront.Call) cellValue {
	switch x.Name {
	case "coalesce":
		out := w.as(x.Args[len(x.Args)-1], x.T)
		for i := len(x.Args) - 2; i >= 0; i-- {
			first := w.as(x.Args[i], x.T)
			out = chosen(all(first.known), always(first.v), out)
			if len(first.known) == 0 {
				out = first
			}
		}
		return out
	case "nullif":
		out := w.as(x.Args[0], x.T)
		same := w.truth(&sqlfront.Call{Name: "=", Args: x.Args, T: rows.Type{ID: rows.Boolean}}, false)
		out.known = append(out.known[:len(out.known):len(out.known)], choose(same, einsum.Int(0), einsum.Int(1)))
		return out
	case "greatest", "least":
		return w.extreme(x)
	case "+", "-", "*", "neg", "abs", "/", "//", "%", "mod", "divide":
		return w.arithmetic(x)
	}
	return w.function(x)
}

// extreme is GREATEST or LEAST, which leave out NULLs.
func (w *cells) extreme(x *sqlfront.Call) cellValue {
	op := semiring.Max
	if x.Name == "least" {
		op = semiring.Min
	}
	out := w.as(x.Args[0], x.T)
	for _, arg := range x.Args[1:] {
		y := w.as(arg, x.T)
		both := einsum.Apply(op, out.v, y.v)
		v := choose(all(out.known), choose(all(y.known), both, out.v), y.v)
		var known []einsum.Expr
		if len(out.known) > 0 && len(y.known) > 0 {
			known = []einsum.Expr{einsum.Apply(semiring.Max, oneIf(out.known), oneIf(y.known))}
		}
		out = cellValue{v: v, known: known}
	}
	return out
}

// strictly applies an operator to arguments of which one that is NULL makes it NULL.
func strictly(args []cellValue, op func(vs []einsum.Expr) einsum.Expr) cellValue {
	var out cellValue
	vs := make([]einsum.Expr, len(args))
	for i, a := range args {
		vs[i] = a.v
		for _, k := range a.known {
			same := func(o einsum.Expr) bool { return einsum.ExprString(o) == einsum.ExprString(k) }
			if !slices.ContainsFunc(out.known, same) {
				out.known = append(out.known, k)
			}
		}
	}
	out.v = op(vs)
	return out
}

// arithmetic is an operator of numbers.
func (w *cells) arithmetic(x *sqlfront.Call) cellValue {
	float := x.T.ID == rows.Double
	if !float && !x.T.IsExact() {
		return w.fail()
	}
	args := make([]cellValue, len(x.Args))
	scale := 0
	for i, a := range x.Args {
		t := x.T
		if x.Name == "*" && !float {
			t = a.Type() // digits after the point add up
			scale += int(t.Scale)
		}
		if t.IsInteger() && a.Type().IsInteger() {
			t = a.Type()
		}
		args[i] = w.as(a, t)
	}
	if x.Name == "*" && !float && scale != int(x.T.Scale) {
		return w.fail()
	}
	quotient := x.Name == "//" || x.Name == "divide" // by zero it is NULL
	switch {
	case x.Name == "neg" && len(args) == 1:
		return strictly(args, func(v []einsum.Expr) einsum.Expr { return einsum.Apply(semiring.Neg, v[0]) })
	case x.Name == "abs" && len(args) == 1:
		return strictly(args, func(v []einsum.Expr) einsum.Expr { return magnitudeOf(v[0], float) })
	case len(args) != 2:
		return w.fail()
	case x.Name == "*":
		return strictly(args, func(v []einsum.Expr) einsum.Expr { return einsum.Mul(v...) })
	case x.Name == "+" || x.Name == "-":
		return strictly(args, func(v []einsum.Expr) einsum.Expr { return difference(v[0], v[1], x.Name == "+", float) })
	case x.Name == "/" && float:
		return strictly(args, func(v []einsum.Expr) einsum.Expr { return einsum.Apply(semiring.Div, v...) })
	case quotient && float:
		out := strictly(args, func(v []einsum.Expr) einsum.Expr { return einsum.Apply(semiring.Div, v...) })
		byZero := einsum.Apply(semiring.Equal, args[1].v, einsum.Float(0))
		out.known = append(out.known, choose(byZero, einsum.Int(0), einsum.Int(1)))
		return out
	case (x.Name == "%" || x.Name == "mod") && float:
		return strictly(args, func(v []einsum.Expr) einsum.Expr { return einsum.Apply(semiring.Rem, v...) })
	case !x.T.IsInteger():
		return w.fail()
	}
	op := semiring.Rem
	if quotient {
		op = semiring.Quot
	}
	out := strictly(args, func(v []einsum.Expr) einsum.Expr { return einsum.Apply(op, v...) })
	out.known = append(out.known, args[1].v)
	return out
}

// functions are those of one DOUBLE that are operators of the notation, by
// DuckDB's names.
var functions = map[string]semiring.Op{
	"sqrt": semiring.Sqrt, "exp": semiring.Exp, "ln": semiring.Ln, "floor": semiring.Floor, "ceil": semiring.Ceil,
	"ceiling": semiring.Ceil, "trunc": semiring.Trunc, "round": semiring.Round, "cbrt": semiring.Cbrt, "log": semiring.Log10,
	"log10": semiring.Log10, "log2": semiring.Log2, "sin": semiring.Sin, "cos": semiring.Cos, "tan": semiring.Tan,
	"asin": semiring.Asin, "acos": semiring.Acos, "atan": semiring.Atan,
}

// exactFunctions are the functions whose every bit is DuckDB's.
var exactFunctions = map[string]bool{"sqrt": true, "floor": true, "ceil": true, "ceiling": true, "trunc": true, "round": true}

// function is a function of DOUBLE, or SIGN.
func (w *cells) function(x *sqlfront.Call) cellValue {
	double := rows.Type{ID: rows.Double}
	for _, a := range x.Args {
		if !exactFunctions[x.Name] || x.Name == "sqrt" {
			break
		}
		if lastBitOpen(a) {
			return w.fail() // rounding makes a last bit a step
		}
	}
	op, known := functions[x.Name]
	power := x.Name == "pow" || x.Name == "power" || x.Name == "^" || x.Name == "**"
	switch {
	case x.Name == "sign" && len(x.Args) == 1 && !lastBitOpen(x.Args[0]):
		return w.sign(x.Args[0])
	case x.T != double:
		return w.fail()
	case known && len(x.Args) == 1:
		return strictly([]cellValue{w.as(x.Args[0], double)}, func(v []einsum.Expr) einsum.Expr { return einsum.Apply(op, v[0]) })
	case power && len(x.Args) == 2 && x.Args[0].Type() == double && isTwo(x.Args[1]) && !lastBitOpen(x.Args[0]): // written twice
		return strictly([]cellValue{w.as(x.Args[0], double)}, func(v []einsum.Expr) einsum.Expr { return einsum.Mul(v[0], v[0]) })
	case power && len(x.Args) == 2:
		args := []cellValue{w.as(x.Args[0], double), w.as(x.Args[1], double)}
		return strictly(args, func(v []einsum.Expr) einsum.Expr { return einsum.Apply(semiring.Power, v...) })
	case x.Name == "round" && len(x.Args) == 2:
		return w.roundTo(x)
	}
	return w.fail()
}

// isTwo reports whether an exponent is 2. A square is a product, which sums distribute over.
func isTwo(e sqlfront.Expr) bool {
	if c, ok := e.(*sqlfront.Cast); ok {
		e = c.Arg
	}
	l, ok := e.(*sqlfront.Literal)
	if !ok {
		return false
	}
	v, err := strconv.ParseFloat(l.SQL, 64)
	return err == nil && v == 2
}

// sign is -1, 0 or 1; that of NaN is 0.
func (w *cells) sign(x sqlfront.Expr) cellValue {
	t := x.Type()
	if t.ID != rows.Double && !t.IsExact() {
		return w.fail()
	}
	return strictly([]cellValue{w.value(x)}, func(v []einsum.Expr) einsum.Expr {
		zero := einsum.Expr(einsum.Int(0))
		positive := einsum.Apply(semiring.Less, zero, v[0])
		if t.ID == rows.Double {
			positive = choose(einsum.Apply(semiring.Equal, v[0], einsum.Float(math.NaN())), zero, positive)
		}
		return choose(einsum.Apply(semiring.Less, v[0], zero), einsum.Int(-1), positive)
	})
}

// maxDigits bounds the digits of ROUND, whose power of ten is a DOUBLE exactly.
const maxDigits = 15

// roundTo is ROUND(x, digits) of a DOUBLE: what is not finite on the way is x.
func (w *cells) roundTo(x *sqlfront.Call) cellValue {
	n, ok := number(x.Args[1])
	if !ok || n.scale != 0 || n.unscaled.Sign() < 0 || n.unscaled.Cmp(pow10(2)) > 0 || n.unscaled.Int64() > maxDigits {
		return w.fail()
	}
	ten := einsum.Float(math.Pow10(int(n.unscaled.Int64())))
	return strictly([]cellValue{w.as(x.Args[0], x.T)}, func(v []einsum.Expr) einsum.Expr {
		r := einsum.Apply(semiring.Div, einsum.Apply(semiring.Round, einsum.Mul(v[0], ten)), ten)
		infinite := einsum.Apply(semiring.Equal, einsum.Apply(semiring.Abs, r), einsum.Float(math.Inf(1)))
		return choose(infinite, v[0], r)
	})
}
