package sqlfront

import (
	"math"
	"strconv"

	"github.com/trireme-db/trireme/internal/rows"
)

// Types are inferred by the few rules here that are DuckDB's beyond doubt; a
// node that they do not cover keeps the type Invalid until DuckDB is asked
// (probe.go).

var predicates = map[string]bool{
	"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true, "and": true, "or": true, "not": true,
	"is null": true, "is not null": true, "like": true, "not like": true, "ilike": true, "not ilike": true,
	"between": true, "not between": true, "~~~": true, "is distinct from": true, "is not distinct from": true,
}

// inferCall returns the type of a call, Invalid if not known here.
func inferCall(c *Call) rows.Type {
	if predicates[c.Name] {
		return boolean
	}
	switch {
	case c.Name == "neg":
		if t := c.Args[0].Type(); isSigned(t) && !adaptive(c.Args[0]) || t.ID == rows.Double {
			return t
		}
	case len(c.Args) == 2 && (c.Name == "+" || c.Name == "-" || c.Name == "*"):
		return inferArithmetic(c.Args[0], c.Args[1])
	case c.Name == "coalesce":
		return commonType(c.Args)
	case len(c.Args) == 2 && c.Name == "/":
		if isSigned(c.Args[0].Type()) && isSigned(c.Args[1].Type()) {
			return rows.Type{ID: rows.Double}
		}
	}
	return rows.Type{}
}

// inferArithmetic is the type of + - * over signed integers, and with a DOUBLE.
// An integer literal takes the type of the other side if its value fits.
func inferArithmetic(l, r Expr) rows.Type {
	lt, rt := l.Type(), r.Type()
	switch {
	case lt.ID == rows.Double && isNumber(rt), rt.ID == rows.Double && isNumber(lt):
		return rows.Type{ID: rows.Double}
	case !isSigned(lt) || !isSigned(rt):
		return rows.Type{}
	case !adaptive(l) && !adaptive(r):
		return rows.Type{ID: max(lt.ID, rt.ID)}
	case !adaptive(l) && literalFits(r, lt):
		return lt
	case !adaptive(r) && literalFits(l, rt):
		return rt
	}
	return rows.Type{}
}

func isSigned(t rows.Type) bool { return t.ID >= rows.TinyInt && t.ID <= rows.HugeInt }

func isNumber(t rows.Type) bool { return isSigned(t) || t.ID == rows.Double || t.ID == rows.Decimal }

// adaptive reports whether DuckDB may let a value's context choose its type: a
// literal, or what only passes literals on.
func adaptive(e Expr) bool {
	switch e := e.(type) {
	case *Literal, *Param:
		return true
	case *Case:
		for _, w := range e.Whens {
			if adaptive(w.Then) {
				return true
			}
		}
		return e.Else != nil && adaptive(e.Else)
	case *Call:
		for _, a := range e.Args {
			if adaptive(a) && !predicates[e.Name] {
				return !hasColumn(e) || e.Name == "coalesce" || e.Name == "nullif"
			}
		}
	}
	return false
}

func literalFits(e Expr, t rows.Type) bool {
	l, ok := e.(*Literal)
	if !ok {
		return false
	}
	v, err := strconv.ParseInt(l.SQL, 10, 64)
	if err != nil {
		return false
	}
	bits := map[rows.TypeID]uint{rows.TinyInt: 7, rows.SmallInt: 15, rows.Integer: 31}[t.ID]
	if bits == 0 {
		return l.T.ID == rows.Integer || l.T.ID == rows.BigInt
	}
	limit := int64(math.MaxInt64)
	limit = 1 << bits
	return v < limit && v >= -limit
}

// commonType is the type of values that all have one and keep it.
func commonType(list []Expr) rows.Type {
	t := list[0].Type()
	for _, e := range list {
		if e.Type() != t || adaptive(e) {
			return rows.Type{}
		}
	}
	return t
}

// inferCase returns the type of a CASE whose arms all have one type.
func inferCase(c *Case) rows.Type {
	arms := make([]Expr, 0, len(c.Whens)+1)
	for _, w := range c.Whens {
		arms = append(arms, w.Then)
	}
	if c.Else != nil {
		arms = append(arms, c.Else)
	}
	return commonType(arms)
}
