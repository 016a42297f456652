package duckbackend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// rowColumn numbers the rows of a load that has a row index.
const rowColumn = `"trireme row"`

// loadLines renders a load as the SELECT of its entries: the keys that no constant
// binds, then the leaves that are used.
func loadLines(r *relation) lines {
	spec := r.spec
	var items, groups, bound []string
	numbered := false
	for m, k := range spec.Keys {
		expr := rowColumn
		if k.RowIndex {
			numbered = true
		} else {
			expr = typed(bindParams(k.Expr, spec.Params), k.Type)
		}
		if value, ok := r.bound[m]; ok {
			bound = append(bound, "("+expr+") = "+value)
			continue
		}
		items = append(items, expr+" AS "+r.keys[len(items)])
		groups = append(groups, strconv.Itoa(len(items)))
	}
	for _, l := range spec.Leaves {
		if r.used[l.Name] {
			items = append(items, momentSQL(l, spec.Params, numbered)+" AS "+r.leaf(l.Name))
		}
	}
	from, conds := lines{"FROM " + spec.Table.SQL()}, conditions(spec)
	if numbered { // before anything is left out for a constant
		whole := append(lines{"SELECT *, row_number() OVER () - 1 AS " + rowColumn}, append(from, whereLine(conds)...)...)
		from, conds = append(append(lines{"FROM ("}, whole.indented()...), ")"), nil
	}
	text := slices.Concat(listed("SELECT ", items), from, whereLine(append(conds, bound...)))
	if len(groups) == 0 {
		return append(text, "HAVING count(*) > 0")
	}
	return append(text, "GROUP BY "+strings.Join(groups, ", "))
}

// momentSQL renders a leaf of a load over the rows of one coordinate; where that is only
// one, its value is not summed: a sum that begins with 0 makes 0 of -0.
func momentSQL(l load.Leaf, params []load.Param, oneRow bool) string {
	if l.Moment == load.Rows {
		return "CAST(count(*) AS HUGEINT)"
	}
	expr := "(" + typed(bindParams(l.Expr, params), l.Type) + ")"
	switch l.Moment {
	case load.Count:
		return "CAST(count(" + expr + ") AS HUGEINT)"
	case load.Sum:
		if oneRow {
			return "coalesce(any_value(" + numberSQL(expr, l.Type) + "), 0)"
		}
		return "coalesce(sum(" + numberSQL(expr, l.Type) + "), 0)"
	case load.Min:
		return "min(" + numberSQL(expr, l.Type) + ")"
	case load.Max:
		return "max(" + numberSQL(expr, l.Type) + ")"
	case load.Product:
		return "coalesce(product(" + expr + "), 1)"
	default:
		panic(invariant.Failed("duckbackend: unknown moment %d", l.Moment))
	}
}

// numberSQL renders a SQL value as the number that a leaf stores for it, exactly:
// DECIMAL unscaled, DATE as days, times in the unit of their type. Strings stay
// strings.
func numberSQL(expr string, t rows.Type) string {
	switch t.ID {
	case rows.Float, rows.Double:
		return "CAST(" + expr + " AS DOUBLE)"
	case rows.Decimal:
		return unscaledSQL(expr, t)
	case rows.Date:
		return finiteOr(expr, "CAST("+expr+" - DATE '1970-01-01' AS HUGEINT)", 1<<31-1)
	case rows.Time:
		return "CAST(epoch_us(" + expr + ") AS HUGEINT)"
	case rows.Timestamp, rows.TimestampTZ:
		return finiteOr(expr, "CAST(epoch_us("+expr+") AS HUGEINT)", 1<<63-1)
	case rows.TimestampS:
		return finiteOr(expr, "CAST(epoch_ms(CAST("+expr+" AS TIMESTAMP)) // 1000 AS HUGEINT)", 1<<63-1)
	case rows.TimestampMS:
		return finiteOr(expr, "CAST(epoch_ms(CAST("+expr+" AS TIMESTAMP)) AS HUGEINT)", 1<<63-1)
	case rows.TimestampNS:
		return finiteOr(expr, "CAST(epoch_ns("+expr+") AS HUGEINT)", 1<<63-1)
	default:
		if t.IsInteger() || t.ID == rows.Boolean {
			return "CAST(" + expr + " AS HUGEINT)"
		}
		return expr
	}
}

// finiteOr gives DuckDB's number for an infinite date or time: limit or -limit.
func finiteOr(expr, finite string, limit int64) string {
	return fmt.Sprintf("CASE WHEN isfinite(%s) THEN %s WHEN isinf(%s) THEN CASE WHEN %s < 'epoch' THEN -%d ELSE %d END END",
		expr, finite, expr, expr, limit, limit)
}

// maxDecimalWidth is DuckDB's limit.
const maxDecimalWidth = 38

// unscaledSQL renders DECIMAL(w,s) times 10^s as a HUGEINT. Where the product
// could pass 38 digits it goes through the text.
func unscaledSQL(expr string, t rows.Type) string {
	scale := int(t.Scale)
	if scale == 0 {
		return "CAST(" + expr + " AS HUGEINT)"
	}
	if int(t.Width)+scale+1 <= maxDecimalWidth {
		// The cast comes first: DuckDB multiplies two DECIMALs of at most 18 digits
		// in 64 bits and raises where that is too narrow.
		wide := fmt.Sprintf("CAST(%s AS DECIMAL(%d,%d))", expr, maxDecimalWidth, scale)
		return fmt.Sprintf("CAST(%s * CAST(1%s AS DECIMAL(%d,0)) AS HUGEINT)", wide, strings.Repeat("0", scale), scale+1)
	}
	return "CAST(replace(CAST(" + expr + " AS VARCHAR), '.', '') AS HUGEINT)"
}
