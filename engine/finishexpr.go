package engine

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers/kernel"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// finishNumber is the DOUBLEs of a relation's rows; errUncertain where DuckDB has to
// say what one of them is. Values are finite: what DuckDB does with others is its own.
// What it returns is valid until it is asked again.
type finishNumber func(b *rows.Batch) (numbers, error)

// numbers are values of which some are NULL; null is nil where none is.
type numbers struct {
	v    []float64
	null []bool
}

// finishTest is a condition on one row, which does not hold where it is NULL.
type finishTest func(b *rows.Batch) (holds func(i int) bool, err error)

// digitsMax is the number of digits up to which a number as it is written, and its
// unscaled value, are exact as a float64; scaleMax the power of ten that is.
const digitsMax, scaleMax = 15, 22

// compile makes a number of an expression of type DOUBLE, or of one that is cast to
// it; nil where it knows no such expression.
func (f *finisher) compile(e sqlfront.Expr) finishNumber {
	if e.Type().ID != rows.Double {
		return nil
	}
	switch e := e.(type) {
	case *sqlfront.GroupRef, *sqlfront.AggRef, *sqlfront.Literal:
		return f.asDouble(e)
	case *sqlfront.Cast:
		return f.asDouble(e.Arg)
	case *sqlfront.Call:
		return f.call(e)
	}
	return nil
}

// asDouble is an expression cast to DOUBLE.
func (f *finisher) asDouble(e sqlfront.Expr) finishNumber {
	if lit, ok := e.(*sqlfront.Literal); ok {
		return literalNumber(lit)
	}
	t := e.Type()
	c, ok := f.column(e)
	switch {
	case !ok:
		return f.compile(e)
	case t.ID == rows.Double:
		return func(b *rows.Batch) (numbers, error) { return certain(b.Cols[c].F64[:b.N], nullsOf(&b.Cols[c], b.N)) }
	case t.IsExact() && t.Physical() != rows.PhysString && t.Scale <= scaleMax:
		return unscaled(c, math.Pow10(int(t.Scale)))
	}
	return nil
}

// unscaled is a column of exact numbers.
func unscaled(c int, power float64) finishNumber {
	var out []float64
	return func(b *rows.Batch) (numbers, error) {
		null := nullsOf(&b.Cols[c], b.N)
		out = sized(out, b.N)
		for i := range out {
			n, small := wide(&b.Cols[c], i).Int64()
			switch {
			case null != nil && null[i]:
				out[i] = 0
			case small && -exactFloat < n && n < exactFloat:
				out[i] = float64(n) / power
			default:
				return numbers{}, errUncertain
			}
		}
		return certain(out, null)
	}
}

// nullsOf tells which rows of a column are NULL.
func nullsOf(v *rows.Vector, n int) []bool {
	if v.Nulls == nil {
		return nil
	}
	null := make([]bool, n)
	for i := range null {
		null[i] = v.IsNull(i)
	}
	return null
}

// sized is room for n values, with arbitrary ones in it.
func sized(room []float64, n int) []float64 {
	if cap(room) < n {
		return make([]float64, n)
	}
	return room[:n]
}

// certain are values if they are finite; a NULL has any.
func certain(v []float64, null []bool) (numbers, error) {
	if allFinite(v) {
		return numbers{v, null}, nil
	}
	for i, x := range v {
		if x-x != 0 && (null == nil || !null[i]) {
			return numbers{}, errUncertain
		}
	}
	return numbers{v, null}, nil
}

// allFinite takes four numbers at a time: a finite one less itself is 0, another NaN.
func allFinite(v []float64) bool {
	for ; len(v) >= 4; v = v[4:] {
		if (v[0]-v[0])+(v[1]-v[1])+((v[2]-v[2])+(v[3]-v[3])) != 0 {
			return false
		}
	}
	for _, x := range v {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// literalNumber is a number as it is written in SQL.
func literalNumber(lit *sqlfront.Literal) finishNumber {
	if !lit.T.IsExact() && lit.T.ID != rows.Double || len(lit.SQL) > digitsMax || strings.Trim(lit.SQL, "0123456789.") != "" {
		return nil
	}
	v, err := strconv.ParseFloat(lit.SQL, 64)
	if err != nil {
		return nil
	}
	var out []float64
	return func(b *rows.Batch) (numbers, error) {
		if len(out) < b.N {
			out = make([]float64, b.N)
			for i := range out {
				out[i] = v
			}
		}
		return numbers{v: out[:b.N]}, nil
	}
}

// call compiles arithmetic, coalesce, and exp of sums.
func (f *finisher) call(e *sqlfront.Call) finishNumber {
	args := make([]finishNumber, len(e.Args))
	for i, arg := range e.Args {
		if args[i] = f.asDouble(arg); args[i] == nil {
			return nil
		}
	}
	switch {
	case e.Name == "coalesce":
		return firstOf(args)
	case e.Name == "neg" && len(args) == 1:
		return unaryNumber(args[0], negate)
	case e.Name == "exp" && len(args) == 1 && f.isRounded(e.Args[0]):
		return unaryNumber(args[0], func(dst, x []float64) { kernel.Function(semiring.Exp, dst, x) })
	case len(args) != 2:
		return nil
	}
	switch e.Name {
	case "+":
		return binaryNumber(args, kernel.ColumnF64(semiring.Add))
	case "-":
		return binaryNumber(args, kernel.ColumnF64(semiring.Sub))
	case "*":
		return binaryNumber(args, kernel.ColumnF64(semiring.Mul))
	case "/":
		return binaryNumber(args, quotients)
	}
	return nil
}

func negate(dst, x []float64) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = -x[i]
	}
}

// quotients are not finite where the divisor is 0.
func quotients(dst, a, b []float64) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
	return true
}

// comparisons are -1, 0 or 1 where a is less than, equal to or greater than b.
func comparisons(dst, a, b []float64) bool {
	for i := range dst {
		dst[i] = float64(cmp.Compare(a[i], b[i]))
	}
	return true
}

// isRounded reports an expression with a sum of DOUBLE in it, whose last bits the order
// of its terms decides: a function of it need not be DuckDB's to the last bit either.
func (f *finisher) isRounded(e sqlfront.Expr) bool {
	switch e := e.(type) {
	case *sqlfront.AggRef:
		call := f.aggs[e.N]
		return (call.Func == "sum" || call.Func == "avg") && len(call.Args) == 1 && call.Args[0].Type().ID == rows.Double
	case *sqlfront.Cast:
		return f.isRounded(e.Arg)
	case *sqlfront.Call:
		return slices.ContainsFunc(e.Args, f.isRounded)
	}
	return false
}

// unaryNumber is a function of a number, evaluated column by column.
func unaryNumber(arg finishNumber, of func(dst, x []float64)) finishNumber {
	var out []float64
	return func(b *rows.Batch) (numbers, error) {
		x, err := arg(b)
		if err != nil {
			return numbers{}, err
		}
		out = sized(out, b.N)
		of(out, x.v)
		return certain(out, x.null)
	}
}

// binaryNumber is an operator on two numbers, NULL where one is.
func binaryNumber(args []finishNumber, op kernel.Column[float64]) finishNumber {
	var out []float64
	return func(b *rows.Batch) (numbers, error) {
		x, err := args[0](b)
		if err != nil {
			return numbers{}, err
		}
		y, err := args[1](b)
		if err != nil {
			return numbers{}, err
		}
		out = sized(out, b.N)
		op(out, x.v, y.v)
		return certain(out, eitherNull(x.null, y.null))
	}
}

// eitherNull tells where one of two is NULL.
func eitherNull(x, y []bool) []bool {
	if x == nil || y == nil {
		return append(x, y...)
	}
	out := slices.Clone(x)
	for i := range out {
		out[i] = out[i] || y[i]
	}
	return out
}

// firstOf is the first number that is not NULL.
func firstOf(args []finishNumber) finishNumber {
	return func(b *rows.Batch) (numbers, error) {
		first, err := args[0](b)
		if err != nil || first.null == nil {
			return first, err
		}
		out := numbers{slices.Clone(first.v), slices.Clone(first.null)}
		for _, arg := range args[1:] {
			next, err := arg(b)
			if err != nil {
				return numbers{}, err
			}
			for i, null := range out.null {
				if null && (next.null == nil || !next.null[i]) {
					out.v[i], out.null[i] = next.v[i], false
				}
			}
		}
		return out, nil
	}
}

// tests compiles HAVING: comparisons, and AND of them.
func (f *finisher) tests(e sqlfront.Expr) bool {
	if e == nil {
		return true
	}
	c, ok := e.(*sqlfront.Call)
	if !ok || len(c.Args) != 2 {
		return false
	}
	if c.Name == "and" {
		return f.tests(c.Args[0]) && f.tests(c.Args[1])
	}
	admits := comparisonOf(c.Name)
	if admits == nil {
		return false
	}
	test := f.compare(c.Args[0], c.Args[1], admits)
	f.having = append(f.having, test)
	return test != nil
}

// comparisonOf tells which results of a comparison an operator admits; nil: it is none.
func comparisonOf(op string) func(c int) bool {
	switch op {
	case "=":
		return func(c int) bool { return c == 0 }
	case "<>":
		return func(c int) bool { return c != 0 }
	case "<":
		return func(c int) bool { return c < 0 }
	case "<=":
		return func(c int) bool { return c <= 0 }
	case ">":
		return func(c int) bool { return c > 0 }
	case ">=":
		return func(c int) bool { return c >= 0 }
	}
	return nil
}

// compare compiles a comparison of integers, which is exact whatever their types,
// or of numbers of which one is a DOUBLE, so that DuckDB compares both as such.
func (f *finisher) compare(l, r sqlfront.Expr, admits func(c int) bool) finishTest {
	if l.Type().IsInteger() && r.Type().IsInteger() {
		x, y := f.integer(l), f.integer(r)
		if x == nil || y == nil {
			return nil
		}
		return func(b *rows.Batch) (func(i int) bool, error) {
			return func(i int) bool {
				v, none := x(b, i)
				w, noneToo := y(b, i)
				return !none && !noneToo && admits(v.Cmp(w))
			}, nil
		}
	}
	if l.Type().ID != rows.Double && r.Type().ID != rows.Double {
		return nil
	}
	x, y := f.asDouble(l), f.asDouble(r)
	if x == nil || y == nil {
		return nil
	}
	difference := binaryNumber([]finishNumber{x, y}, comparisons)
	return func(b *rows.Batch) (func(i int) bool, error) {
		c, err := difference(b)
		if err != nil {
			return nil, err
		}
		return func(i int) bool { return (c.null == nil || !c.null[i]) && admits(int(c.v[i])) }, nil
	}
}

// integer compiles a column or a literal; nil: it is neither.
func (f *finisher) integer(e sqlfront.Expr) func(b *rows.Batch, i int) (v semiring.Int128, null bool) {
	if n, ok := writtenNumber(e); ok {
		v := semiring.FromInt64(int64(n))
		return func(*rows.Batch, int) (semiring.Int128, bool) { return v, false }
	}
	c, ok := f.column(e)
	if !ok || e.Type().Physical() == rows.PhysString {
		return nil
	}
	return func(b *rows.Batch, i int) (semiring.Int128, bool) { return wide(&b.Cols[c], i), b.Cols[c].IsNull(i) }
}
