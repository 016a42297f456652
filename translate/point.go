package translate

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// The expressions that are evaluated on one cell of all their sources, where a
// derived table's cell is one of its rows and a base table's too (it has a row
// index): arithmetic, and the functions of which DuckDB's result is matched
// exactly. A value is that of the expression where all columns that strict
// returns are not NULL; elsewhere the expression is NULL.

// floatFunctions are the functions of DOUBLE that are operators of the notation.
// The results of exp and ln differ from DuckDB's in the last bit now and then
// (another library): they may stand under a sum of DOUBLE, whose last bits are
// open anyway, and nowhere else.
var floatFunctions = map[string]bool{"sqrt": true, "exp": true, "ln": true}

func hasFloatFunction(e sqlfront.Expr) bool {
	switch e := e.(type) {
	case *sqlfront.Call:
		return floatFunctions[e.Name] || slices.ContainsFunc(e.Args, hasFloatFunction)
	case *sqlfront.Cast:
		return hasFloatFunction(e.Arg)
	}
	return false
}

func lastBitOpen(e sqlfront.Expr) bool {
	switch e := e.(type) {
	case *sqlfront.Call:
		_, function := functions[e.Name]
		power := e.Name == "pow" || e.Name == "power" || e.Name == "^" || e.Name == "**"
		return function && !exactFunctions[e.Name] || power || slices.ContainsFunc(e.Args, lastBitOpen)
	case *sqlfront.Cast:
		return lastBitOpen(e.Arg)
	case *sqlfront.Case:
		open := e.Else != nil && lastBitOpen(e.Else)
		for _, w := range e.Whens {
			open = open || lastBitOpen(w.Then)
		}
		return open
	}
	return false
}

var errPoint = refuse("expression over several tables")

// numeric reports whether values of a type are numbers of the notation.
func numeric(t rows.Type) bool { return t.IsExact() && t.ID != rows.UHugeInt || t.ID == rows.Double }

// base returns the base table that alone an expression reads.
func (s *splitter) base(e sqlfront.Expr) (src int, ok bool) {
	srcs := sourcesOf(e)
	if len(srcs) != 1 || s.inner(srcs[0]) != nil {
		return 0, false
	}
	return srcs[0], true
}

// pointwise fails where an expression cannot be evaluated on one cell.
func (s *splitter) pointwise(e sqlfront.Expr) error {
	if !numeric(e.Type()) {
		return errPoint
	}
	if _, ok := s.base(e); ok {
		return nil
	}
	switch e := e.(type) {
	case *sqlfront.ColumnRef:
		_, err := s.innerCall(e)
		return err
	case *sqlfront.Literal:
		if _, ok := number(e); ok {
			return nil
		}
	case *sqlfront.Cast:
		return s.pointCast(e)
	case *sqlfront.Call:
		return s.pointCall(e)
	}
	return errPoint
}

// innerCall is the aggregate of an inlined derived table that a column is.
func (s *splitter) innerCall(c *sqlfront.ColumnRef) (*sqlfront.AggCall, error) {
	q := s.inner(c.Source)
	if q == nil {
		return nil, errPoint
	}
	ref, ok := q.Select[c.Column].Expr.(*sqlfront.AggRef)
	if !ok {
		return nil, errPoint
	}
	return q.Aggs[ref.N], nil
}

// pointCast takes integers to other integers, of which a Check says that they
// fit, and to DOUBLE.
func (s *splitter) pointCast(e *sqlfront.Cast) error {
	from := e.Arg.Type()
	if !(e.T.IsInteger() && from.IsInteger() || e.T.ID == rows.Double && becomesDouble(e.Arg) || e.T == from) {
		return errPoint
	}
	return s.pointwise(e.Arg)
}

// becomesDouble reports whether the value of an expression here is its value as
// DOUBLE: a DECIMAL would have to be divided.
func becomesDouble(e sqlfront.Expr) bool {
	_, ok := number(e)
	return ok || e.Type().ID == rows.Double || e.Type().IsInteger()
}

func (s *splitter) pointCall(e *sqlfront.Call) error {
	for _, a := range e.Args {
		_, base := s.base(a)
		if err := s.pointwise(a); err != nil {
			return err
		}
		if e.T.ID == rows.Double && !base && !becomesDouble(a) {
			return errPoint
		}
	}
	args := len(e.Args)
	switch {
	case e.Name == "neg" && args == 1, e.Name == "abs" && args == 1 && e.T == e.Args[0].Type():
	case (e.Name == "+" || e.Name == "-") && args == 2:
	case e.Name == "*" && args == 2:
		if e.T.IsExact() && e.T.Scale != e.Args[0].Type().Scale+e.Args[1].Type().Scale {
			return errPoint
		}
	case e.Name == "greatest" || e.Name == "least":
		return s.pointExtreme(e)
	case e.Name == "coalesce":
		return s.pointCoalesce(e)
	case floatFunctions[e.Name] && args == 1:
		if _, ok := semiring.ByName(e.Name); !ok {
			return errPoint
		}
	default:
		return errPoint
	}
	return nil
}

// pointExtreme takes greatest and least, which ignore a NULL, where the number
// that stands for it changes nothing: a SUM that is NULL is the number 0, and
// another argument is at least (at most) 0 anyway.
func (s *splitter) pointExtreme(e *sqlfront.Call) error {
	nullable, covered := 0, false
	for _, a := range e.Args {
		if a.Type().Scale > e.T.Scale {
			return errPoint
		}
		if v, ok := number(a); ok {
			covered = covered || v.unscaled.Sign() == 0 || v.unscaled.Sign() > 0 == (e.Name == "greatest")
			continue
		}
		call, err := s.directCall(a)
		switch {
		case err != nil:
			return err
		case call.Func == "count":
			covered = covered || e.Name == "greatest"
		case call.Func == "sum":
			nullable++
		default:
			return errPoint
		}
	}
	if nullable > 1 || nullable == 1 && !covered {
		return errPoint
	}
	return nil
}

// pointCoalesce takes coalesce(SUM, 0): a SUM that is NULL is the number 0.
func (s *splitter) pointCoalesce(e *sqlfront.Call) error {
	if len(e.Args) != 2 || e.T != e.Args[0].Type() {
		return errPoint
	}
	call, err := s.directCall(e.Args[0])
	if err != nil {
		return err
	}
	v, ok := number(e.Args[1])
	if !ok || v.unscaled.Sign() != 0 || call.Func != "sum" && call.Func != "count" {
		return errPoint
	}
	return nil
}

func (s *splitter) directCall(e sqlfront.Expr) (*sqlfront.AggCall, error) {
	c, ok := e.(*sqlfront.ColumnRef)
	if !ok {
		return nil, errPoint
	}
	return s.innerCall(c)
}

// ignoresNull marks the functions that are not NULL where an argument is.
func ignoresNull(e sqlfront.Expr) bool {
	c, ok := e.(*sqlfront.Call)
	return ok && (c.Name == "greatest" || c.Name == "least" || c.Name == "coalesce")
}

// literal is a number as written: unscaled has scale digits after the point.
type literal struct {
	unscaled *big.Int
	scale    int
	float    float64
}

// number returns the value of a literal, with its sign and under casts between
// numeric types that keep it.
func number(e sqlfront.Expr) (literal, bool) {
	switch e := e.(type) {
	case *sqlfront.Cast:
		if v, ok := number(e.Arg); ok && (e.T.ID == rows.Double || e.T.IsInteger() && v.scale == 0 && fits(v.unscaled, e.T)) {
			return v, true
		}
	case *sqlfront.Call:
		if e.Name != "neg" {
			break
		}
		if v, ok := number(e.Args[0]); ok {
			return literal{unscaled: new(big.Int).Neg(v.unscaled), scale: v.scale, float: -v.float}, true
		}
	case *sqlfront.Literal:
		if !e.T.IsExact() {
			break
		}
		v, ok := new(big.Int).SetString(strings.ReplaceAll(e.SQL, ".", ""), 10)
		f, err := strconv.ParseFloat(e.SQL, 64)
		if ok && err == nil {
			return literal{unscaled: v, scale: int(e.T.Scale), float: f}, true
		}
	}
	return literal{}, false
}

// doubleLiteral returns the value of a literal that is written as a DOUBLE, such as
// 1e-15, with its sign.
func doubleLiteral(e sqlfront.Expr) (float64, bool) {
	switch e := e.(type) {
	case *sqlfront.Call:
		if e.Name != "neg" {
			break
		}
		v, ok := doubleLiteral(e.Args[0])
		return -v, ok
	case *sqlfront.Literal:
		if e.T.ID != rows.Double {
			break
		}
		v, err := strconv.ParseFloat(e.SQL, 64)
		return v, err == nil
	}
	return 0, false
}

// strict returns the columns of inlined derived tables of which any being NULL
// makes the expression NULL.
func strict(e sqlfront.Expr, inner func(int) bool) []*sqlfront.ColumnRef {
	switch e := e.(type) {
	case *sqlfront.ColumnRef:
		if inner(e.Source) {
			return []*sqlfront.ColumnRef{e}
		}
	case *sqlfront.Cast:
		return strict(e.Arg, inner)
	case *sqlfront.Call:
		if ignoresNull(e) {
			return nil
		}
		var out []*sqlfront.ColumnRef
		for _, a := range e.Args {
			out = append(out, strict(a, inner)...)
		}
		return out
	}
	return nil
}

// valids returns the validity leaves of an expression's inner columns.
func (e *emitter) valids(x sqlfront.Expr) []einsum.Expr {
	var out []einsum.Expr
	seen := map[string]bool{}
	for _, c := range strict(x, func(src int) bool { return e.b.sources[src].inner != nil }) {
		s := e.b.sources[c.Source]
		v := e.innerAgg(s, c).Valid
		if v == "" || v == einsum.CountLeaf {
			continue // every row has a value
		}
		a := e.access(s, v)
		if key := einsum.ExprString(a); !seen[key] {
			seen[key] = true
			out = append(out, a)
		}
	}
	return out
}

// point is the value of an expression on one cell: DOUBLE, or an integer with
// the expression's scale. float: a DOUBLE is wanted of an exact one.
func (e *emitter) point(x sqlfront.Expr, float bool) einsum.Expr {
	float = float || x.Type().ID == rows.Double
	srcs := sourcesOf(x)
	if len(srcs) == 0 && e.constants != nil {
		srcs = []int{e.constants.n}
	}
	if v, ok := number(x); ok {
		if float {
			return einsum.Float(v.float)
		}
		return integer(v.unscaled)
	}
	if len(srcs) == 1 && e.b.sources[srcs[0]].inner == nil {
		s := e.b.sources[srcs[0]]
		if e.keyed {
			return e.keyedValue(s, x, float)
		}
		return e.access(s, s.input.momentOf(load.Sum, productOf([]factor{{src: s.n, expr: x, sql: columnSQL(x)}}, float)))
	}
	switch x := x.(type) {
	case *sqlfront.ColumnRef:
		return e.innerColumn(e.b.sources[x.Source], e.innerAgg(e.b.sources[x.Source], x))
	case *sqlfront.Cast:
		if x.T.ID == rows.Double && x.Arg.Type().IsExact() {
			return einsum.Mul(e.point(x.Arg, true), einsum.Float(1))
		}
		return e.point(x.Arg, float)
	}
	return e.pointCall(x.(*sqlfront.Call), x.Type().ID == rows.Double)
}

// innerColumn is an aggregate of an inlined derived table: an average is a
// quotient, rounded as DuckDB rounds it.
func (e *emitter) innerColumn(s *source, g Agg) einsum.Expr {
	x := e.access(s, g.Value)
	if e.comparing {
		x = e.extremeOrZero(s, g, x)
	}
	if g.Func != AvgValue {
		return x
	}
	n := e.access(s, g.Valid)
	if g.Scale > 0 {
		n = einsum.Mul(integer(pow10(g.Scale)), n)
	}
	return einsum.Apply(semiring.Div, x, n)
}

// extremeOrZero is the value x of an aggregate, and 0 where it is a least or greatest one
// of no value: what that is then, the greatest or least number of 128 bits, cannot be
// calculated with. Its reader has guards that the rows and their values are there.
func (e *emitter) extremeOrZero(s *source, g Agg, x einsum.Expr) einsum.Expr {
	if g.Func != MinMaxValue || g.Type.Physical() != rows.PhysInt128 {
		return x
	}
	valid := g.Valid
	if valid == "" {
		valid = einsum.CountLeaf
	}
	if valid == einsum.CountLeaf && !s.inner.hollow {
		return x
	}
	return einsum.Apply(semiring.Select, e.access(s, valid), x, einsum.Int(0))
}

func integer(v *big.Int) einsum.Expr {
	wide, ok := semiring.FromBig(v)
	invariant.Check(ok, "translate: a number past 128 bits")
	if small, ok := wide.Int64(); ok {
		return einsum.Int(small)
	}
	return einsum.Wide(wide)
}

func (e *emitter) pointCall(x *sqlfront.Call, float bool) einsum.Expr {
	args := make([]einsum.Expr, len(x.Args))
	for i, a := range x.Args {
		args[i] = e.point(a, float)
		if d := int(x.T.Scale) - int(a.Type().Scale); d > 0 && !float && x.Name != "*" {
			args[i] = einsum.Mul(integer(pow10(d)), args[i])
		}
	}
	negative := func(a einsum.Expr) einsum.Expr { return einsum.Apply(semiring.Neg, a) }
	switch x.Name {
	case "neg":
		return negative(args[0])
	case "+", "-":
		return difference(args[0], args[1], x.Name == "+", float)
	case "*":
		return einsum.Mul(args...)
	case "abs":
		return magnitudeOf(args[0], float)
	case "greatest":
		return einsum.Apply(semiring.Max, args...)
	case "least":
		return einsum.Apply(semiring.Min, args...)
	case "coalesce":
		return args[0]
	}
	op, ok := semiring.ByName(x.Name)
	invariant.Check(ok, "translate: %s is no operator", x.Name)
	return einsum.Apply(op, args[0])
}

// difference is a - b, or a + b. A sum of DOUBLE is a difference, because an
// aggregate may be moved inside plus: MAX(x) + MAX(y) misses the NaN of Inf + -Inf.
func difference(a, b einsum.Expr, plus, float bool) einsum.Expr {
	negative := func(a einsum.Expr) einsum.Expr {
		if l, ok := a.(*einsum.Literal); ok && l.Elem != semiring.F64 {
			return integer(new(big.Int).Neg(l.I.Big()))
		}
		return einsum.Apply(semiring.Neg, a)
	}
	switch {
	case float && plus:
		return einsum.Apply(semiring.Sub, a, negative(b))
	case float:
		return einsum.Apply(semiring.Sub, a, b)
	case isZero(b):
		return a
	case plus:
		return einsum.Apply(semiring.Plus, a, b)
	}
	return einsum.Apply(semiring.Plus, a, negative(b))
}

func isZero(e einsum.Expr) bool {
	l, ok := e.(*einsum.Literal)
	return ok && l.Elem != semiring.F64 && l.I.Sign() == 0
}

// magnitudeOf is |a|; that of an integer stays one.
func magnitudeOf(a einsum.Expr, float bool) einsum.Expr {
	if op, ok := semiring.ByName("abs"); ok && float {
		return einsum.Apply(op, a)
	}
	return einsum.Apply(semiring.Max, a, einsum.Apply(semiring.Neg, a))
}
