package duckbackend

import (
	"fmt"
	"strings"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// rowColumn numbers the rows of a load that has a row index.
const rowColumn = `"trireme row"`

// loadSQL renders a load as the SELECT of its entries: its keys, then the leaves
// in used.
func loadSQL(r *relation, used map[string]bool) string {
	spec := r.spec
	var items, groups []string
	numbered := false
	for i, k := range spec.Keys {
		expr := rowColumn
		if k.RowIndex {
			numbered = true
		} else {
			expr = bindParams(k.Expr, spec.Params)
		}
		items = append(items, expr+" AS "+r.keys[i])
		groups = append(groups, fmt.Sprint(i+1))
	}
	for _, l := range spec.Leaves {
		if used[l.Name] {
			items = append(items, momentSQL(l, spec.Params)+" AS "+r.leaf(l.Name))
		}
	}
	source := spec.Table.SQL() + whereClause(spec)
	if numbered {
		source = "(\n" + indent("SELECT *, row_number() OVER () - 1 AS "+rowColumn+"\nFROM "+source) + "\n)"
	}
	text := "SELECT " + strings.Join(items, ",\n  ") + "\nFROM " + source
	if len(groups) == 0 {
		return text + "\nHAVING count(*) > 0"
	}
	return text + "\nGROUP BY " + strings.Join(groups, ", ")
}

// momentSQL renders a leaf of a load over the rows of one coordinate.
func momentSQL(l load.Leaf, params []load.Param) string {
	if l.Moment == load.Rows {
		return "CAST(count(*) AS HUGEINT)"
	}
	expr := "(" + bindParams(l.Expr, params) + ")"
	switch l.Moment {
	case load.Count:
		return "CAST(count(" + expr + ") AS HUGEINT)"
	case load.Sum:
		return "coalesce(sum(" + numberSQL(expr, l.Type) + "), 0)"
	case load.Min:
		return "min(" + numberSQL(expr, l.Type) + ")"
	case load.Max:
		return "max(" + numberSQL(expr, l.Type) + ")"
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
