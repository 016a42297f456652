package tensor

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	_ "modernc.org/sqlite"

	"github.com/trireme-db/trireme/einsum/expr"
)

// databases are those that the SQL of an expression is tried on.
func databases(t *testing.T) map[string]*sql.DB {
	t.Helper()
	out := map[string]*sql.DB{}
	for _, driver := range []string{"duckdb", "sqlite"} {
		source := ""
		if driver == "sqlite" {
			source = ":memory:"
		}
		db, err := sql.Open(driver, source)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		out[driver] = db
	}
	return out
}

// inlined are operands as definitions of common table expressions, and what names
// them; sizes are their figures.
func inlined(operands []*Tensor) (defs []string, named []expr.Operand, sizes []expr.Size) {
	for i, t := range operands {
		name := "op" + strconv.Itoa(i)
		columns := []string{}
		for m := range t.Modes() {
			columns = append(columns, "c"+strconv.Itoa(m))
		}
		columns = append(columns, "v")
		defs = append(defs, expr.ValuesSQL(name, columns, t.Len(), true, func(row, c int) string {
			if c < t.Modes() {
				return strconv.Itoa(t.Coord(c, row))
			}
			return t.Values().Big(row).String()
		}))
		named = append(named, expr.Operand{From: expr.Quote(name), Modes: columns[:t.Modes()], Value: "v"})
		size := expr.Size{Entries: float64(t.Len())}
		for _, column := range t.Entries() {
			slices.Sort(column)
			size.Distinct = append(size.Distinct, float64(len(slices.Compact(column))))
		}
		sizes = append(sizes, size)
	}
	return defs, named, sizes
}

// queried are a query's rows as show writes a tensor, in order.
func queried(t *testing.T, db *sql.DB, text string) string {
	t.Helper()
	rows, err := db.Query(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	cells, places := make([]any, len(columns)), make([]any, len(columns))
	for i := range cells {
		places[i] = &cells[i]
	}
	var lines []string
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, c := range cells[:len(cells)-1] {
			fmt.Fprintf(&b, "%v ", c)
		}
		fmt.Fprintf(&b, "= %v\n", cells[len(cells)-1])
		lines = append(lines, b.String())
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// TestRandomSQL: the SQL of random expressions in every semiring, as one SELECT and
// decomposed along a path, says on DuckDB and on SQLite what the engine says.
func TestRandomSQL(t *testing.T) {
	rng := rand.New(rand.NewPCG(88, 2))
	dbs := databases(t)
	for i := range 250 {
		text, operands := randomExpression(rng)
		operands = merged(t, operands)
		s := semirings[i%len(semirings)]
		got, err := Einsum(context.Background(), text, operands, Options{Semiring: s})
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(show(got), "\n"), "\n")
		slices.Sort(want)
		wanted := strings.Join(want, "\n")
		for what, statement := range statements(t, text, operands, s) {
			for driver, db := range dbs {
				if text := strings.TrimSuffix(queried(t, db, statement), "\n"); text != wanted {
					t.Fatalf("%s, %s, %s on %s\n%s\nis\n%s\nwant\n%s", text, s, what, driver, statement, text, wanted)
				}
			}
		}
	}
}

// merged are operands of which every entry is one row, as it is in the SQL.
func merged(t *testing.T, operands []*Tensor) []*Tensor {
	t.Helper()
	made := map[*Tensor]*Tensor{}
	var out []*Tensor
	for _, o := range operands {
		if made[o] == nil {
			values := make([]int64, o.Len())
			for e := range values {
				values[e], _ = o.Values().Int64(e)
			}
			m, err := Ints(o.Entries(), values)
			if err != nil {
				t.Fatal(err)
			}
			made[o] = m
		}
		out = append(out, made[o])
	}
	return out
}

// statements are the two ways to write an expression in SQL.
func statements(t *testing.T, text string, operands []*Tensor, s expr.Semiring) map[string]string {
	t.Helper()
	modes := make([]int, len(operands))
	for i, o := range operands {
		modes[i] = o.Modes()
	}
	e, err := expr.Parse(text, modes)
	if err != nil {
		t.Fatal(err)
	}
	defs, named, sizes := inlined(operands)
	return map[string]string{
		"flat":       "WITH " + strings.Join(defs, ", ") + " " + e.SQL(s, named),
		"decomposed": e.DecomposedSQL(s, named, e.Path(sizes), expr.SQLOptions{Before: defs}),
	}
}

// TestLongPath: the path of a thousand operands, and what the databases make of one
// of a hundred.
func TestLongPath(t *testing.T) {
	chain := func(n int) (string, []*Tensor) {
		var terms []string
		var operands []*Tensor
		step := ints(t, []int{0, 1, 1}, []int{1, 0, 1}, []int{1, 1, 1})
		for i := range n {
			terms = append(terms, fmt.Sprintf("[x%d][x%d]", i, i+1))
			operands = append(operands, step)
		}
		return strings.Join(terms, ",") + "->[x0]", operands
	}
	text, operands := chain(5000)
	e, err := expr.Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _, sizes := inlined(operands)
	if path := e.Path(sizes); len(path) != 5000 {
		t.Errorf("%d steps for 5000 operands, of which one is reduced first", len(path))
	}
	text, operands = chain(80)
	if e, err = expr.Parse(text, nil); err != nil {
		t.Fatal(err)
	}
	defs, named, sizes := inlined(operands)
	statement := e.DecomposedSQL(expr.SumProduct, named, e.Path(sizes), expr.SQLOptions{Before: defs, Materialized: true})
	for driver, db := range databases(t) {
		// The Fibonacci numbers of 81 and 82.
		if got := queried(t, db, statement); got != "0 = 37889062373143906\n1 = 61305790721611591\n" {
			t.Errorf("%s: %s", driver, got)
		}
	}
}
