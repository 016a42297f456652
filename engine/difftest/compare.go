package difftest

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
)

// Cell is one SQL value: nil for NULL, else what rows.Type.Physical says: an
// int64, semiring.Int128, float64, string or rows.IntervalValue.
type Cell any

// Table is a whole result.
type Table struct {
	Columns []rows.Column
	Rows    [][]Cell // one Cell per column
}

// Collect reads a cursor to its end into a Table. It does not close the cursor.
func Collect(ctx context.Context, cursor rows.Cursor) (Table, error) {
	table := Table{Columns: cursor.Columns()}
	for {
		batch, err := cursor.Next(ctx)
		if err != nil || batch == nil {
			return table, err
		}
		for i := range batch.N {
			row := make([]Cell, len(batch.Cols))
			for c := range batch.Cols {
				row[c] = cellAt(&batch.Cols[c], i)
			}
			table.Rows = append(table.Rows, row)
		}
	}
}

func cellAt(v *rows.Vector, i int) Cell {
	if v.IsNull(i) {
		return nil
	}
	switch v.Type.Physical() {
	case rows.PhysInt64:
		return v.I64[i]
	case rows.PhysInt128:
		return v.I128[i]
	case rows.PhysFloat64:
		return v.F64[i]
	case rows.PhysString:
		return v.Str[i]
	case rows.PhysInterval:
		return v.Ivl[i]
	default:
		panic(invariant.Failed("difftest: physical type %d", v.Type.Physical()))
	}
}

// CompareOptions says how two tables are compared.
type CompareOptions struct {
	// Ordered compares row by row; otherwise rows are a multiset.
	Ordered bool
	// ToleranceAbs is how far two float values may be apart; 0: not at all.
	ToleranceAbs float64
	// EqualIntervals compares intervals by their values, as = does: of a group of
	// equal ones that are written differently DuckDB shows whichever came first.
	EqualIntervals bool
}

// Compare returns nil when got is want: the same column names and types, and
// the same rows as a multiset or, if asked, in order. NaN equals NaN and -0
// equals 0. Otherwise the error shows the first differences.
func Compare(want, got Table, opts CompareOptions) error {
	if err := compareColumns(want.Columns, got.Columns); err != nil {
		return err
	}
	if err := checkShape(got); err != nil {
		return err
	}
	if opts.EqualIntervals {
		want, got = withNormalIntervals(want), withNormalIntervals(got)
	}
	if len(want.Rows) != len(got.Rows) {
		return fmt.Errorf("%d rows, want %d\n%s", len(got.Rows), len(want.Rows), difference(want, got))
	}
	if !opts.Ordered {
		if !sameRows(want, got, opts.ToleranceAbs) {
			return fmt.Errorf("rows differ\n%s", difference(want, got))
		}
		return nil
	}
	for i := range want.Rows {
		if !sameRow(want.Rows[i], got.Rows[i], opts.ToleranceAbs) {
			return fmt.Errorf("row %d is %s, want %s", i, rowText(got.Rows[i]), rowText(want.Rows[i]))
		}
	}
	return nil
}

// withNormalIntervals is a table with its intervals in normal form.
func withNormalIntervals(t Table) Table {
	out := Table{Columns: t.Columns, Rows: make([][]Cell, len(t.Rows))}
	for i, row := range t.Rows {
		out.Rows[i] = append([]Cell(nil), row...)
		for c, cell := range row {
			if v, ok := cell.(rows.IntervalValue); ok {
				out.Rows[i][c] = normalInterval(v)
			}
		}
	}
	return out
}

// normalInterval is the form in which DuckDB compares an interval: whole days of
// 24 hours are carried, then whole months of 30 days, towards zero.
func normalInterval(v rows.IntervalValue) rows.IntervalValue {
	const dayMicros, monthDays = 24 * 60 * 60 * 1_000_000, 30
	days := v.Days + int32(v.Micros/dayMicros)
	return rows.IntervalValue{Months: v.Months + days/monthDays, Days: days % monthDays, Micros: v.Micros % dayMicros}
}

func compareColumns(want, got []rows.Column) error {
	if len(want) != len(got) {
		return fmt.Errorf("%d columns, want %d", len(got), len(want))
	}
	for i := range want {
		if want[i].Name != got[i].Name {
			return fmt.Errorf("column %d is named %q, want %q", i, got[i].Name, want[i].Name)
		}
		if want[i].Type != got[i].Type {
			return fmt.Errorf("column %q has type %s, want %s", got[i].Name, got[i].Type, want[i].Type)
		}
	}
	return nil
}

// checkShape guards against a row that is short, which zipping would hide.
func checkShape(t Table) error {
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("row %d has %d cells for %d columns", i, len(row), len(t.Columns))
		}
	}
	return nil
}

// compareFloat orders NULL before NaN before numbers.
func compareFloat(a, b Cell) int {
	rank := func(c Cell) (int, float64) {
		f, ok := c.(float64)
		switch {
		case !ok:
			return 0, 0
		case math.IsNaN(f):
			return 1, 0
		default:
			return 2, f
		}
	}
	rankA, valueA := rank(a)
	rankB, valueB := rank(b)
	switch {
	case rankA != rankB:
		return rankA - rankB
	case valueA < valueB:
		return -1
	case valueA > valueB:
		return 1
	default:
		return 0
	}
}

func sameRow(want, got []Cell, toleranceAbs float64) bool {
	for i := range want {
		if !sameCell(want[i], got[i], toleranceAbs) {
			return false
		}
	}
	return true
}

func sameCell(want, got Cell, toleranceAbs float64) bool {
	w, wantFloat := want.(float64)
	g, gotFloat := got.(float64)
	if !wantFloat || !gotFloat {
		return want == got
	}
	return w == g || math.IsNaN(w) && math.IsNaN(g) || math.Abs(w-g) <= toleranceAbs
}

// cellText is a text that is equal exactly for equal cells of one type.
func cellText(c Cell) string {
	switch v := c.(type) {
	case nil:
		return "NULL"
	case int64:
		return strconv.FormatInt(v, 10)
	case semiring.Int128:
		return v.String()
	case float64:
		if v == 0 {
			v = 0 // -0 becomes 0
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return strconv.Quote(v)
	case rows.IntervalValue:
		return fmt.Sprintf("%dmon %dd %dus", v.Months, v.Days, v.Micros)
	default:
		panic(invariant.Failed("difftest: cell of type %T", c))
	}
}

func rowText(row []Cell) string {
	texts := make([]string, len(row))
	for i, cell := range row {
		texts[i] = cellText(cell)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// difference lists the first rows that only one side has.
func difference(want, got Table) string {
	const shownMax = 5
	count := map[string]int{}
	for _, row := range want.Rows {
		count[rowText(row)]++
	}
	for _, row := range got.Rows {
		count[rowText(row)]--
	}
	var missing, extra []string
	for text, n := range count {
		for ; n > 0; n-- {
			missing = append(missing, "missing "+text)
		}
		for ; n < 0; n++ {
			extra = append(extra, "extra "+text)
		}
	}
	var lines []string
	for _, list := range [][]string{missing, extra} {
		sort.Strings(list)
		if len(list) > shownMax {
			list = append(list[:shownMax], fmt.Sprintf("... %d in all", len(list)))
		}
		lines = append(lines, list...)
	}
	return strings.Join(lines, "\n")
}
