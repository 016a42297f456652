package duckbackend

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// ScanSQL returns the SELECT that reads a load: one column for each key that is
// not the row index, then one for each leaf that has an expression. Rows that
// Where rejects and rows with NULL in a DropNull key are left out.
func ScanSQL(spec *load.Spec) string { return scanLines(spec).String() }

// ScanLine is ScanSQL without breaks but those of literals and names.
func ScanLine(spec *load.Spec) string { return strings.Join(scanLines(spec), " ") }

func scanLines(spec *load.Spec) lines {
	var items []string
	for _, k := range spec.Keys {
		if !k.RowIndex {
			items = append(items, typed(bindParams(k.Expr, spec.Params), k.Type))
		}
	}
	for _, l := range spec.Leaves {
		if l.Expr != "" {
			items = append(items, typed(bindParams(l.Expr, spec.Params), l.Type))
		}
	}
	if len(items) == 0 {
		items = []string{"TRUE"} // the rows themselves still count
	}
	return append(lines{"SELECT " + strings.Join(items, ", "), "FROM " + spec.Table.SQL()}, whereLine(conditions(spec))...)
}

// typed is an expression that has its type also where a part of it is a constant:
// DuckDB folds a function of a constant that is NULL, whatever the constant's
// type is, to a NULL of no type, from which the type of what is around follows, and
// nullif(CAST(7 AS INTEGER), CAST(7 AS INTEGER)) is such a one to it.
func typed(expr string, t rows.Type) string {
	number := t.IsExact() || t.ID == rows.Double || t.ID == rows.Float
	if t.ID == rows.Invalid || !strings.Contains(expr, "CAST(NULL AS ") && !(number && strings.Contains(expr, "CAST(")) {
		return expr
	}
	return "CAST(" + expr + " AS " + t.String() + ")"
}

// whereClause returns the load's filter on a line of its own, or "".
func whereClause(spec *load.Spec) string {
	if line := whereLine(conditions(spec)); line != nil {
		return "\n" + line.String()
	}
	return ""
}

// whereLine is a filter by conditions; nil without any.
func whereLine(conds []string) lines {
	if len(conds) == 0 {
		return nil
	}
	return lines{"WHERE " + strings.Join(conds, " AND ")}
}

// conditions are the load's filter. DuckDB's zone maps lose NULLs under OR, hence a
// predicate with OR is hidden from pushdown in a CASE.
func conditions(spec *load.Spec) (conds []string) {
	if spec.Where != "" {
		where := bindParams(spec.Where, spec.Params)
		if mayContainOr(spec.Where) {
			where = "CASE WHEN " + where + " THEN TRUE ELSE FALSE END"
		} else {
			where = "(" + where + ")"
		}
		conds = append(conds, where)
	}
	for _, k := range spec.Keys {
		if !k.RowIndex && k.Null == load.DropNull {
			conds = append(conds, "("+bindParams(k.Expr, spec.Params)+") IS NOT NULL")
		}
	}
	return conds
}

// tempCatalog is DuckDB's catalog of temporary tables.
const tempCatalog = "temp"

// mayContainOr reports whether the predicate has an OR, or an IN, IS DISTINCT
// FROM or NOT that DuckDB may rewrite into one. Words inside strings count too:
// hiding a predicate needlessly costs only speed.
func mayContainOr(where string) bool {
	for _, word := range strings.FieldsFunc(strings.ToUpper(where), func(r rune) bool {
		return !('A' <= r && r <= 'Z' || r == '_')
	}) {
		switch word {
		case "OR", "IN", "DISTINCT", "NOT", "CASE", "COALESCE":
			return true
		}
	}
	return false
}

// bindParams replaces $n by the parameter's value as a typed literal.
func bindParams(expr string, params []load.Param) string {
	if len(params) == 0 {
		return expr
	}
	var b strings.Builder
	last := 0
	for _, p := range findParams(expr) {
		if p.n > len(params) {
			continue // DuckDB reports the parameter that nobody bound
		}
		b.WriteString(expr[last:p.start])
		b.WriteString(paramLiteral(params[p.n-1]))
		last = p.end
	}
	b.WriteString(expr[last:])
	return b.String()
}

// paramLiteral renders a parameter's value as a constant of its type.
func paramLiteral(p load.Param) string {
	text := "NULL"
	if !p.Null {
		text = quoteText(p.Text)
	}
	if p.Type.ID == rows.Invalid {
		return text
	}
	return "CAST(" + text + " AS " + p.Type.String() + ")"
}

// Scan streams a load: the columns of ScanSQL, in the order of the table's rows.
func (c *Conn) Scan(ctx context.Context, spec *load.Spec) (rows.Cursor, error) {
	cur, err := c.Query(ctx, ScanSQL(spec))
	if err != nil {
		return nil, withoutOffset(err) // the position is in our text, not in the user's
	}
	return cur, nil
}

// Count returns the number of rows of a table.
func (c *Conn) Count(ctx context.Context, t load.Table) (int64, error) {
	n, _, err := c.ColumnStats(ctx, t, nil, nil)
	return n, err
}
