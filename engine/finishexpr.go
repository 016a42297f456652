package engine

import (
	"math"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// finishNumber is a DOUBLE of one row of a relation; errUncertain where DuckDB has to
// say what it is. Values are finite: what DuckDB does with others is its own.
type finishNumber func(b *rows.Batch, i int) (v float64, null bool, err error)

// finishTest is a condition on one row, which does not hold where it is NULL.
type finishTest func(b *rows.Batch, i int) (holds bool, err error)

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
		return func(b *rows.Batch, i int) (float64, bool, error) {
			return certain(b.Cols[c].F64[i], b.Cols[c].IsNull(i))
		}
	case t.IsExact() && t.Physical() != rows.PhysString && t.Scale <= scaleMax:
		power := math.Pow10(int(t.Scale))
		return func(b *rows.Batch, i int) (float64, bool, error) {
			v := wide(&b.Cols[c], i)
			n, small := v.Int64()
			if null := b.Cols[c].IsNull(i); null || small && -exactFloat < n && n < exactFloat {
				return certain(float64(n)/power, null)
			}
			return 0, false, errUncertain
		}
	}
	return nil
}

// certain is a value if it is finite; a NULL has any.
func certain(v float64, null bool) (float64, bool, error) {
	switch {
	case null:
		return 0, true, nil
	case math.IsInf(v, 0) || math.IsNaN(v):
		return 0, false, errUncertain
	}
	return v, false, nil
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
	return func(*rows.Batch, int) (float64, bool, error) { return v, false, nil }
}

// call compiles arithmetic and coalesce.
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
		return func(b *rows.Batch, i int) (float64, bool, error) {
			v, null, err := args[0](b, i)
			return -v, null, err
		}
	case len(args) != 2:
		return nil
	}
	switch e.Name {
	case "+":
		return binaryNumber(args, func(x, y float64) float64 { return x + y })
	case "-":
		return binaryNumber(args, func(x, y float64) float64 { return x - y })
	case "*":
		return binaryNumber(args, func(x, y float64) float64 { return x * y })
	case "/": // by 0: not finite
		return binaryNumber(args, func(x, y float64) float64 { return x / y })
	}
	return nil
}

// binaryNumber is an operator on two numbers, NULL where one is.
func binaryNumber(args []finishNumber, op func(x, y float64) float64) finishNumber {
	return func(b *rows.Batch, i int) (float64, bool, error) {
		x, none, err := args[0](b, i)
		if err != nil {
			return 0, false, err
		}
		y, noneToo, err := args[1](b, i)
		if err != nil {
			return 0, false, err
		}
		return certain(op(x, y), none || noneToo)
	}
}

// firstOf is the first number that is not NULL.
func firstOf(args []finishNumber) finishNumber {
	return func(b *rows.Batch, i int) (float64, bool, error) {
		for _, arg := range args {
			if v, null, err := arg(b, i); err != nil || !null {
				return v, null, err
			}
		}
		return 0, true, nil
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
		return func(b *rows.Batch, i int) (bool, error) {
			v, none := x(b, i)
			w, noneToo := y(b, i)
			return !none && !noneToo && admits(v.Cmp(w)), nil
		}
	}
	if l.Type().ID != rows.Double && r.Type().ID != rows.Double {
		return nil
	}
	x, y := f.asDouble(l), f.asDouble(r)
	if x == nil || y == nil {
		return nil
	}
	difference := binaryNumber([]finishNumber{x, y}, func(v, w float64) float64 {
		switch {
		case v < w:
			return -1
		case v > w:
			return 1
		}
		return 0
	})
	return func(b *rows.Batch, i int) (bool, error) {
		c, null, err := difference(b, i)
		return !null && admits(int(c)), err
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
