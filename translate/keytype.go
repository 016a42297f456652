package translate

import (
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// sameTyped casts two expressions that are compared to the type in which DuckDB
// compares them, so that equal values are equal coordinates.
func sameTyped(l, r sqlfront.Expr) (sqlfront.Expr, sqlfront.Expr, error) {
	if sameKeyType(l.Type(), r.Type()) {
		return l, r, nil
	}
	t, ok := comparisonType(l.Type(), r.Type())
	if !ok {
		return nil, nil, refuse("comparison of %s and %s", l.Type(), r.Type())
	}
	return castTo(l, t), castTo(r, t), nil
}

func castTo(e sqlfront.Expr, t rows.Type) sqlfront.Expr {
	if e.Type() == t {
		return e
	}
	return &sqlfront.Cast{Arg: e, T: t}
}

// comparisonType is the type in which DuckDB compares values of two types, where
// it has one that both cast to without an error.
func comparisonType(a, b rows.Type) (rows.Type, bool) {
	switch {
	case a == b:
		return a, true
	case a.IsInteger() && b.IsInteger() && a.ID != rows.UHugeInt && b.ID != rows.UHugeInt:
		return rows.Type{ID: rows.HugeInt}, true
	case a.ID == rows.Double && comparesAsDouble(b), b.ID == rows.Double && comparesAsDouble(a):
		return rows.Type{ID: rows.Double}, true
	case a.ID == rows.Decimal || b.ID == rows.Decimal:
		return commonDecimal(a, b)
	case a.ID == rows.Date && b.ID == rows.Timestamp, a.ID == rows.Timestamp && b.ID == rows.Date:
		return rows.Type{ID: rows.Timestamp}, true
	}
	return rows.Type{}, false
}

func comparesAsDouble(t rows.Type) bool {
	return t.IsInteger() || t.ID == rows.Decimal || t.ID == rows.Float
}

// integerDigits are the decimal digits of the integer types that are compared as
// DECIMAL.
var integerDigits = map[rows.TypeID]uint8{
	rows.TinyInt: 3, rows.SmallInt: 5, rows.Integer: 10, rows.BigInt: 19,
	rows.UTinyInt: 3, rows.USmallInt: 5, rows.UInteger: 10, rows.UBigInt: 20,
}

// commonDecimal is the DECIMAL that holds the values of both types.
func commonDecimal(a, b rows.Type) (rows.Type, bool) {
	digits := func(t rows.Type) (whole, scale uint8, ok bool) {
		if t.ID == rows.Decimal {
			return t.Width - t.Scale, t.Scale, true
		}
		whole, ok = integerDigits[t.ID]
		return whole, 0, ok
	}
	aw, as, aok := digits(a)
	bw, bs, bok := digits(b)
	t := rows.Type{ID: rows.Decimal, Width: max(aw, bw) + max(as, bs), Scale: max(as, bs)}
	return t, aok && bok && t.Width <= 38
}
