package translate

import (
	"math/big"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// A condition on values of inlined derived tables (WHERE on an aggregate, or a
// HAVING inside) is a guard: a number that is not 0 exactly where the condition
// is TRUE. It is never negative, so that sums over cells keep that; AND is min
// and OR is max.

// opposite is the comparison that is TRUE where another is FALSE.
var opposite = map[string]string{"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// conditional fails where a predicate over inlined derived tables (not: its
// negation) is no condition.
func (s *splitter) conditional(q *sqlfront.Query, e sqlfront.Expr, not bool) error {
	switch e := e.(type) {
	case *sqlfront.In:
		return s.conditional(q, spelledOut(e), not)
	case *sqlfront.Call:
		switch e.Name {
		case "not":
			return s.conditional(q, e.Args[0], !not)
		case "and", "or":
			for _, a := range e.Args {
				if err := s.conditional(q, a, not); err != nil {
					return err
				}
			}
			return nil
		case "between", "not between":
			return s.conditional(q, between(e), not)
		case "is null", "is not null":
			return s.pointwise(e.Args[0])
		}
		if opposite[e.Name] != "" {
			return s.comparable(q, e)
		}
	}
	return errPoint
}

// comparable fails where the sides of a comparison by op are not here what DuckDB compares.
func (s *splitter) comparable(q *sqlfront.Query, e *sqlfront.Call) error {
	l, r := e.Args[0], e.Args[1]
	for _, a := range e.Args {
		if err := s.pointwise(a); err != nil {
			return err
		}
		if lastBitOpen(a) {
			return errPoint
		}
	}
	if l.Type().IsExact() && r.Type().IsExact() {
		_, lit := number(l)
		_, rit := number(r)
		if l.Type().IsInteger() && r.Type().IsInteger() || l.Type().Scale == r.Type().Scale && l.Type().ID == r.Type().ID || lit || rit {
			return s.roomForScale(l, r)
		}
		return errPoint
	}
	for _, a := range e.Args {
		if bits, err := s.magnitude(q, a); err != nil {
			return err
		} else if !becomesDouble(a) || a.Type().ID == rows.HugeInt || bits > maxFloatBits {
			return errPoint
		}
	}
	return nil
}

// roomForScale fails where DuckDB's cast of both sides to one DECIMAL could raise.
func (s *splitter) roomForScale(l, r sqlfront.Expr) error {
	for _, a := range []sqlfront.Expr{l, r} {
		_, isNumber := number(a)
		if !isNumber && l.Type().Scale != r.Type().Scale && (a.Type().ID == rows.HugeInt || a.Type().ID == rows.Decimal && a.Type().Scale < max(l.Type().Scale, r.Type().Scale)) {
			return errPoint
		}
	}
	return nil
}

// spelledOut is x IN (a, b) as x = a OR x = b, NOT IN as the AND of <>.
func spelledOut(e *sqlfront.In) sqlfront.Expr {
	op, join := "=", "or"
	if e.Not {
		op, join = "<>", "and"
	}
	var out sqlfront.Expr
	for _, v := range e.List {
		one := &sqlfront.Call{Name: op, Args: []sqlfront.Expr{e.Arg, v}, T: rows.Type{ID: rows.Boolean}}
		if out == nil {
			out = one
			continue
		}
		out = &sqlfront.Call{Name: join, Args: []sqlfront.Expr{out, one}, T: one.T}
	}
	return out
}

func between(e *sqlfront.Call) sqlfront.Expr {
	boolean := rows.Type{ID: rows.Boolean}
	lo := &sqlfront.Call{Name: ">=", Args: []sqlfront.Expr{e.Args[0], e.Args[1]}, T: boolean}
	hi := &sqlfront.Call{Name: "<=", Args: []sqlfront.Expr{e.Args[0], e.Args[2]}, T: boolean}
	both := &sqlfront.Call{Name: "and", Args: []sqlfront.Expr{lo, hi}, T: boolean}
	if e.Name == "between" {
		return both
	}
	return &sqlfront.Call{Name: "not", Args: []sqlfront.Expr{both}, T: boolean}
}

// condition is a number that is positive where a predicate is TRUE (not: FALSE),
// and 0 elsewhere.
func (e *emitter) condition(x sqlfront.Expr, not bool) einsum.Expr {
	if e.b.cellConds[x] {
		return e.cells(x).truth(x, not)
	}
	if in, ok := x.(*sqlfront.In); ok {
		return e.condition(spelledOut(in), not)
	}
	c := x.(*sqlfront.Call)
	switch c.Name {
	case "not":
		return e.condition(c.Args[0], !not)
	case "between", "not between":
		return e.condition(between(c), not)
	case "and", "or":
		op := semiring.Max
		if (c.Name == "and") != not {
			op = semiring.Min
		}
		return einsum.Apply(op, e.condition(c.Args[0], not), e.condition(c.Args[1], not))
	case "is null", "is not null":
		return e.known(c.Args[0], (c.Name == "is not null") != not)
	}
	op := c.Name
	if not {
		op = opposite[op]
	}
	known := append(e.valids(x), e.keyedValids(x)...)
	return lowest(append(known, e.compared(op, c.Args[0], c.Args[1])))
}

// known is 1 where an expression is not NULL; or, where that is false, 1 where it is.
func (e *emitter) known(x sqlfront.Expr, is bool) einsum.Expr {
	valid := lowest(append(e.valids(x), einsum.Int(1)))
	if is {
		return valid
	}
	return oneMinus(valid)
}

func lowest(xs []einsum.Expr) einsum.Expr { return einsum.Apply(semiring.Min, xs...) }

func oneMinus(x einsum.Expr) einsum.Expr {
	return einsum.Apply(semiring.Plus, einsum.Int(1), einsum.Apply(semiring.Neg, x))
}

// compared is 1 where l op r, NULLs aside, and 0 elsewhere.
func (e *emitter) compared(op string, l, r sqlfront.Expr) einsum.Expr {
	float := l.Type().ID == rows.Double || r.Type().ID == rows.Double
	e.comparing = true
	defer func() { e.comparing = false }()
	return compareCells(op, e.scaledPoint(l, r, float), e.scaledPoint(r, l, float))
}

// scaledPoint is the value of x with as many digits after the point as other has
// if these are more.
func (e *emitter) scaledPoint(x, other sqlfront.Expr, float bool) einsum.Expr {
	d := digits(other) - digits(x)
	if float || d <= 0 {
		return e.point(x, float)
	}
	if v, ok := number(x); ok {
		return integer(new(big.Int).Mul(v.unscaled, pow10(d)))
	}
	return einsum.Mul(integer(pow10(d)), e.point(x, false))
}

// digits is the number of digits after the point that an exact value has here.
func digits(e sqlfront.Expr) int {
	if v, ok := number(e); ok {
		return v.scale
	}
	return int(e.Type().Scale)
}
