package sqlfront

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
)

// DuckDB casts all operands of BETWEEN, or of IN, to one type. The tensor engine cuts them
// into comparisons of two operands, which are the same only if each is made in that type.

// compareInOneType refuses BETWEEN and IN that cannot be cut so, but for those over a single
// table, which DuckDB evaluates as they are.
func (b *block) compareInOneType(roots []Expr) {
	for _, r := range roots {
		WalkExpr(r, func(e Expr) {
			switch c := e.(type) {
			case *In:
			case *Call:
				if c.Name != "between" && c.Name != "not between" {
					return
				}
			default:
				return
			}
			if !inOneType(Children(e)) && !b.query.ofOneTable(e) {
				refuse("BETWEEN or IN of operands of several types")
			}
		})
	}
}

// ofOneTable reports whether an expression is made of columns of one table.
func (q *Query) ofOneTable(e Expr) bool {
	source := -1
	return !anyExpr(e, func(e Expr) bool {
		switch e := e.(type) {
		case *ColumnRef:
			other := source >= 0 && source != e.Source
			source = e.Source
			return other || q.From[source].Query != nil
		case *AggRef, *GroupRef, *OuterRef, *Subquery:
			return true
		}
		return false
	})
}

// inOneType reports whether the first operand compares with each of the others as it does
// where all are cast to the type that they have in common. Texts take the type of what they
// are compared with.
func inOneType(operands []Expr) bool {
	var types []rows.Type // different ones, of all that have one of their own
	texts := false
	for _, e := range operands {
		l, isLiteral := e.(*Literal)
		switch {
		case isLiteral && l.T.ID == rows.Varchar:
			texts = true
		case !(isLiteral && l.T.ID == rows.SQLNull) && !slices.Contains(types, e.Type()):
			types = append(types, e.Type())
		}
	}
	each := func(list []Expr, ok func(rows.Type) bool) bool {
		return !slices.ContainsFunc(list, func(e Expr) bool { return !ok(e.Type()) && e.Type().ID != rows.SQLNull })
	}
	first, others := operands[0].Type(), operands[1:]
	switch {
	case len(types) < 2:
		return true
	case texts:
		return false
	case each(others, func(t rows.Type) bool { return t == others[0].Type() }):
		return true
	case first.ID == rows.Double && each(others, isNumeric):
		return true
	}
	return each(operands, rows.Type.IsExact) || each(operands, rows.Type.IsFloat) || each(operands, isTime) ||
		slices.Contains(types, rows.Type{ID: rows.Double}) && each(operands, exactAsDouble)
}

// isTime are the types of which values are compared as TIMESTAMP.
func isTime(t rows.Type) bool { return t.ID == rows.Date || t.ID == rows.Timestamp }

func isNumeric(t rows.Type) bool { return t.IsExact() || t.IsFloat() }

// exactAsDouble are the numbers of which none becomes another's DOUBLE.
func exactAsDouble(t rows.Type) bool {
	switch t.ID {
	case rows.TinyInt, rows.SmallInt, rows.Integer, rows.UTinyInt, rows.USmallInt, rows.UInteger, rows.Double:
		return true
	}
	return t.ID == rows.Decimal && t.Width <= 15
}
