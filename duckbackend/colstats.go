package duckbackend

import (
	"context"
	"fmt"
	"strings"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// ColumnStats are facts about one expression over the rows of a table.
type ColumnStats struct {
	Rows     int64 // of the table
	Distinct int64 // approximate number of distinct non-null values
	Nulls    int64
	// Min and Max are exact, for types of PhysInt64 and PhysInt128 (unscaled,
	// days, microseconds); valid when HasRange, which needs a non-null value.
	Min, Max semiring.Int128
	HasRange bool
	// NonFinite: a FLOAT or DOUBLE expression has a NaN or an infinity.
	NonFinite bool
	// AbsMax is the largest |x| of a FLOAT or DOUBLE expression's finite values.
	AbsMax float64
}

// ColumnStats measures expressions over the columns of t in one scan; types are
// those of the expressions. It returns the number of rows as well.
func (c *Conn) ColumnStats(ctx context.Context, t load.Table, exprs []string, types []rows.Type) (rowCount int64, stats []ColumnStats, err error) {
	return c.measure(ctx, t.SQL(), exprs, types)
}

// measure is ColumnStats over what follows FROM.
func (c *Conn) measure(ctx context.Context, from string, exprs []string, types []rows.Type) (rowCount int64, stats []ColumnStats, err error) {
	invariant.Check(len(exprs) == len(types), "duckbackend: %d expressions with %d types", len(exprs), len(types))
	items := []string{"count(*)"}
	for i, e := range exprs {
		items = append(items, statItems(typed(e, types[i]), types[i])...)
	}
	cur, err := c.Query(ctx, "SELECT "+strings.Join(items, ",\n  ")+"\nFROM "+from)
	if err != nil {
		return 0, nil, withoutOffset(err)
	}
	defer func() {
		if cerr := cur.Close(); err == nil {
			err = cerr
		}
	}()
	for i, t := range types {
		if p := t.Physical(); p != rows.PhysInt64 && p != rows.PhysInt128 {
			continue // nothing is read as it is
		}
		if err := load.CheckType(exprs[i], cur.Columns()[1+statWidth*i+2].Type, t); err != nil {
			return 0, nil, err
		}
	}
	batch, err := cur.Next(ctx)
	if err != nil {
		return 0, nil, err
	}
	cols := batch.Cols
	rowCount = cols[0].I64[0]
	for i := range exprs {
		stats = append(stats, readStats(rowCount, cols[1+statWidth*i:], types[i]))
	}
	return rowCount, stats, nil
}

// statWidth is the number of columns statItems returns: non-null values,
// distinct values, minimum, maximum, whether a value is not finite.
const statWidth = 5

func statItems(expr string, t rows.Type) []string {
	e := "(" + expr + ")"
	items := []string{"count(" + e + ")", "approx_count_distinct(" + e + ")"}
	switch t.Physical() {
	case rows.PhysInt64, rows.PhysInt128:
		return append(items, "min("+e+")", "max("+e+")", "FALSE")
	case rows.PhysFloat64:
		finite := fmt.Sprintf("max(abs(%s::DOUBLE)) FILTER (isfinite(%s))", e, e)
		return append(items, "NULL::DOUBLE", finite, "coalesce(bool_or(NOT isfinite("+e+")), FALSE)")
	default:
		return append(items, "NULL::BIGINT", "NULL::BIGINT", "FALSE")
	}
}

func readStats(rowCount int64, cols []rows.Vector, t rows.Type) ColumnStats {
	s := ColumnStats{
		Rows: rowCount, Nulls: rowCount - cols[0].I64[0], Distinct: cols[1].I64[0], NonFinite: cols[4].I64[0] != 0,
	}
	lo, hi := &cols[2], &cols[3]
	switch t.Physical() {
	case rows.PhysInt64:
		if s.HasRange = !lo.IsNull(0); s.HasRange {
			s.Min, s.Max = semiring.FromInt64(lo.I64[0]), semiring.FromInt64(hi.I64[0])
		}
	case rows.PhysInt128:
		if s.HasRange = !lo.IsNull(0); s.HasRange {
			s.Min, s.Max = lo.I128[0], hi.I128[0]
		}
	case rows.PhysFloat64:
		if !hi.IsNull(0) {
			s.AbsMax = hi.F64[0]
		}
	}
	return s
}
