package translate

import (
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// A list or a structure is a key as the bytes by which DuckDB sorts it, which are equal
// where the values are and have their order. What is shown of it is its text, cast back.

var blob = rows.Type{ID: rows.Blob}

// isSortKeyed reports whether values of a nested type are keys as the bytes by which they are sorted: any of
// equal values may stand for the others, as INTERVALs and times with a zone may not.
func isSortKeyed(t rows.Type) bool {
	switch t.ID {
	case rows.List, rows.Array, rows.Struct:
		return !sqlfront.TypeMentions(t, "interval", "zone", "timetz", "enum", "map", "union", "variant", "json", "bit", "geometry")
	}
	return false
}

// sortOrder is the order in which DuckDB compares nested values.
func sortOrder() sqlfront.Expr { return &sqlfront.Literal{SQL: "'ASC NULLS LAST'", T: varchar} }

// sortKey is the bytes of a nested value, NULL of NULL.
func sortKey(x sqlfront.Expr) sqlfront.Expr {
	there := function("is not null", rows.Type{ID: rows.Boolean}, x)
	return &sqlfront.Case{Whens: []sqlfront.When{{Cond: there, Then: function("create_sort_key", blob, x, sortOrder())}}, T: blob}
}

// nestedText is the text of a nested value or an INTERVAL. One that does not come back from its text is an
// error of the load, at which the statement is DuckDB's.
func nestedText(x sqlfront.Expr) sqlfront.Expr {
	text := castTo(castTo(x, x.Type().WithLists()), varchar)
	same := function("is not distinct from", rows.Type{ID: rows.Boolean}, castTo(text, x.Type()), x)
	no := function("error", varchar, &sqlfront.Literal{SQL: "'a nested value is not what its text says'", T: varchar})
	return &sqlfront.Case{Whens: []sqlfront.When{{Cond: same, Then: text}}, Else: castTo(no, varchar), T: varchar}
}

// nested makes group i, a nested value, its sort key. The group is read as any of its
// values.
func (e *encoder) nested(i int, g sqlfront.Expr) {
	e.q.GroupBy[i] = sortKey(g)
	e.groups[i] = castTo(e.add(&sqlfront.AggCall{Func: "min", Args: []sqlfront.Expr{nestedText(g)}, T: varchar}), g.Type())
	if e.q.Distinct {
		e.q.Distinct, e.q.Grouped = false, true
	}
}
