package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

// TestStateExpressions compares expressions over rows in memory with DuckDB: the
// same value, or an error where DuckDB has one.
func TestStateExpressions(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("SET trireme.backend = 'duckdb'")
	columns := []rows.Column{{Name: "i", Type: stateInteger}, {Name: `q"j`, Type: stateInteger}, {Name: "b", Type: stateBigInt}, {Name: "d", Type: rows.Type{ID: rows.Date}}}
	values := [][]string{
		{"0", "1", "-1", "7", "2147483647", "-2147483648", "NULL"},
		{"0", "2", "-3", "2147483647", "-2147483648", "NULL"},
		{"0", "5", "-5", "9223372036854775807", "-9223372036854775808", "3037000500", "NULL"},
		{"0", "1", "NULL"},
	}
	rnd := rand.New(rand.NewPCG(7, 11))
	read, refused := 0, 0
	for range 4000 {
		sql := randomStateExpr(rnd, 3)
		e := parseState(sql, columns)
		if e == nil {
			continue
		}
		read++
		row := make([]string, len(columns))
		cells := make([]stateColumn, len(columns))
		for c := range columns {
			row[c] = values[c][rnd.IntN(len(values[c]))]
			cells[c].values = []int64{0}
			if row[c] == "NULL" {
				cells[c].nulls = []bool{true}
			} else if _, err := fmt.Sscan(row[c], &cells[c].values[0]); err != nil {
				t.Fatal(err)
			}
		}
		date := "NULL::DATE"
		if row[3] != "NULL" {
			date = "DATE '1970-01-01' + " + row[3]
		}
		text := fmt.Sprintf("SELECT (%s)::BIGINT, typeof(%s) FROM (SELECT (%s)::INTEGER AS i, (%s)::INTEGER AS \"q\"\"j\", (%s)::BIGINT AS b, %s AS d)",
			sql, sql, row[0], row[1], row[2], date)
		want, _, wantErr := s.try(text)
		got, err := e.eval(1, func(c int) stateColumn { return cells[c] })
		switch {
		case err != nil: // DuckDB decides
			refused++
		case wantErr != nil:
			t.Errorf("%s: %d, DuckDB says %v", text, got.values[0], wantErr)
		default:
			value := fmt.Sprint(got.values[0])
			if got.null(0) {
				value = "NULL"
			}
			if have := value + "|" + e.t.String(); have != want {
				t.Errorf("%s: %s, want %s", text, have, want)
			}
		}
	}
	if read < 300 || refused > read/4 {
		t.Errorf("%d expressions were read, %d refused", read, refused)
	}
}

// randomStateExpr is an expression as the SQL printer writes it.
func randomStateExpr(rnd *rand.Rand, depth int) string {
	sub := func() string { return randomStateExpr(rnd, depth-1) }
	if depth == 0 {
		return []string{`"i"`, `"q""j"`, `"b"`, `"d"`, "1", "3", "CAST(NULL AS INTEGER)", "CAST(1 AS BIGINT)"}[rnd.IntN(8)]
	}
	switch rnd.IntN(8) {
	case 0, 1, 2:
		return "(" + sub() + []string{" + ", " - ", " * "}[rnd.IntN(3)] + sub() + ")"
	case 3, 4:
		return "(" + sub() + []string{" = ", " <> ", " < ", " <= ", " > ", " >= "}[rnd.IntN(6)] + sub() + ")"
	case 5:
		return "((" + sub() + " < " + sub() + ")" + []string{" AND ", " OR "}[rnd.IntN(2)] + "(" + sub() + " IS NULL))"
	case 6:
		return fmt.Sprintf([]string{"(- %s)", "(NOT (%s = 1))", "(%s IS NOT NULL)", "coalesce(%s, 0)", "CAST(%s AS BIGINT)"}[rnd.IntN(5)], sub())
	}
	return sub()
}
