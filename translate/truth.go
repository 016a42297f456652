package translate

import (
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// predicate is a predicate as a value: NULL where it is neither TRUE nor FALSE.
func (w *cells) predicate(x sqlfront.Expr) cellValue {
	yes := w.truth(x, false)
	if c, ok := x.(*sqlfront.Call); ok {
		switch c.Name {
		case "is null", "is not null", "is distinct from", "is not distinct from":
			return always(yes)
		}
	}
	return cellValue{v: yes, known: []einsum.Expr{either(semiring.Max, []einsum.Expr{yes, w.truth(x, true)})}}
}

// truth is 1 where a predicate is TRUE (not: FALSE), else 0.
func (w *cells) truth(x sqlfront.Expr, not bool) einsum.Expr {
	if x.Type().ID != rows.Boolean && !isNull(x) {
		return w.fail().v
	}
	if lit, ok := x.(*sqlfront.Literal); ok {
		if isNull(x) || strings.EqualFold(lit.SQL, "true") == not {
			return einsum.Int(0)
		}
		return einsum.Int(1)
	}
	if src, ok := w.base(x); ok {
		if not {
			x = &sqlfront.Call{Name: "not", Args: []sqlfront.Expr{x}, T: x.Type()}
		}
		return w.part(src, oneWhere(x)).v
	}
	switch x := x.(type) {
	case *sqlfront.In:
		if len(x.List) == 0 {
			return w.fail().v
		}
		return w.truth(spelledOut(x), not)
	case *sqlfront.Call:
		if x.Name != "coalesce" && x.Name != "nullif" {
			return w.truthOfCall(x, not)
		}
	}
	v := w.value(x)
	if not {
		v.v = einsum.Apply(semiring.Equal, v.v, einsum.Int(0))
	}
	return choose(all(v.known), v.v, einsum.Int(0))
}

func (w *cells) truthOfCall(x *sqlfront.Call, not bool) einsum.Expr {
	switch x.Name {
	case "not":
		return w.truth(x.Args[0], !not)
	case "and", "or":
		op := semiring.Max
		if (x.Name == "and") != not {
			op = semiring.Min
		}
		parts := make([]einsum.Expr, len(x.Args))
		for i, a := range x.Args {
			parts[i] = w.truth(a, not)
		}
		return either(op, parts)
	case "between", "not between":
		return w.truth(between(x), not)
	case "is null", "is not null":
		known := oneIf(w.value(x.Args[0]).known)
		if (x.Name == "is not null") != not {
			return known
		}
		return choose(known, einsum.Int(0), einsum.Int(1))
	case "is distinct from", "is not distinct from":
		return w.distinct(x, (x.Name == "is distinct from") != not)
	}
	op := x.Name
	if opposite[op] == "" || len(x.Args) != 2 {
		return w.fail().v
	}
	if not {
		op = opposite[op]
	}
	l, r := w.alike(x.Args[0], x.Args[1])
	known := append(l.known[:len(l.known):len(l.known)], r.known...)
	return choose(all(known), compareCells(op, l.v, r.v), einsum.Int(0))
}

func compareCells(op string, l, r einsum.Expr) einsum.Expr {
	switch op {
	case ">", ">=":
		l, r = r, l
	}
	return einsum.Apply(map[string]semiring.Op{
		"=": semiring.Equal, "<>": semiring.Differ, "<": semiring.Less, ">": semiring.Less, "<=": semiring.AtMost, ">=": semiring.AtMost,
	}[op], l, r)
}

// distinct is IS DISTINCT FROM, or not.
func (w *cells) distinct(x *sqlfront.Call, distinct bool) einsum.Expr {
	yes, no := einsum.Expr(einsum.Int(1)), einsum.Expr(einsum.Int(0))
	op := "<>"
	if !distinct {
		yes, no, op = no, yes, "="
	}
	for i, a := range x.Args {
		if isNull(a) { // any value is distinct from it, of whatever type
			return choose(oneIf(w.value(x.Args[1-i]).known), yes, no)
		}
	}
	l, r := w.alike(x.Args[0], x.Args[1])
	both := choose(all(r.known), compareCells(op, l.v, r.v), yes)
	if len(l.known) == 0 {
		return both
	}
	return choose(all(l.known), both, choose(oneIf(r.known), yes, no))
}

// alike are the two sides of a comparison as the numbers that DuckDB compares.
func (w *cells) alike(l, r sqlfront.Expr) (cellValue, cellValue) {
	lt, rt := l.Type(), r.Type()
	double := rows.Type{ID: rows.Double}
	switch {
	case lastBitOpen(l) || lastBitOpen(r):
		return w.fail(), null
	case isNull(l) || isNull(r):
		return null, null
	case lt == rt:
		return w.value(l), w.value(r)
	case (lt.ID == rows.Double || rt.ID == rows.Double) && (lt.IsExact() || rt.IsExact()):
		return w.as(l, double), w.as(r, double)
	case lt.IsExact() && rt.IsExact() && lt.ID != rows.UHugeInt && rt.ID != rows.UHugeInt:
		if (&splitter{}).roomForScale(l, r) != nil {
			return w.fail(), null
		}
		return w.scaledTo(l, digits(r)), w.scaledTo(r, digits(l))
	}
	return w.fail(), null
}

// scaledTo is an exact value with at least so many digits after the point.
func (w *cells) scaledTo(x sqlfront.Expr, scale int) cellValue {
	d := scale - digits(x)
	if v, ok := number(x); ok {
		return always(integer(v.unscaled.Mul(v.unscaled, pow10(max(d, 0)))))
	}
	out := w.value(x)
	if d > 0 {
		out.v = einsum.Mul(integer(pow10(d)), out.v)
	}
	return out
}
