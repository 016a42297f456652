package difftest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
)

// reverseRows stores every table's rows in the opposite order.
func (o *oracle) reverseRows(t *testing.T) {
	t.Helper()
	_, tables, err := o.query("SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'fresh'")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range tables {
		name := fmt.Sprintf(`%q.%q`, row[0], row[1])
		if err := o.exec(fmt.Sprintf("CREATE OR REPLACE TABLE %s AS SELECT * FROM %s ORDER BY rowid DESC", name, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// answer is a result as text; rows are sorted unless their order is determined.
func (o *oracle) answer(t *testing.T, c difftest.Case) string {
	t.Helper()
	_, table, err := o.run(c)
	if err != nil {
		t.Fatalf("%s: %v", c.SQL, err)
	}
	lines := make([]string, len(table))
	for i, row := range table {
		cells := make([]string, len(row))
		for j, cell := range row {
			if f, ok := cell.(float64); ok && f == 0 {
				cell = 0.0 // whichever zero came first
			}
			cells[j] = fmt.Sprintf("%v", cell)
		}
		lines[i] = strings.Join(cells, "|")
	}
	if !c.Ordered {
		slices.Sort(lines)
	}
	return strings.Join(lines, "\n")
}

func checkDetermined(t *testing.T, first, second *oracle, c difftest.Case) {
	t.Helper()
	if a, b := first.answer(t, c), second.answer(t, c); a != b {
		t.Errorf("%s depends on the order of rows:\n%s\nand\n%s\n%s", c.Name, a, b, c.SQL)
	}
}

// Answers must not depend on the order in which rows are stored, or comparing
// backends would report differences that are none (D2).
func TestCorpusAnswersAreDetermined(t *testing.T) {
	schema, cases := loadCorpus(t)
	plain, reversed := newOracle(t), newOracle(t)
	for _, o := range []*oracle{plain, reversed} {
		o.load(t, []string{schema})
	}
	reversed.reverseRows(t)
	undetermined := difftest.Case{SQL: "SELECT first(x) FROM a"}
	if plain.answer(t, undetermined) == reversed.answer(t, undetermined) {
		t.Fatal("the two databases store rows in the same order: this test cannot fail")
	}
	for _, c := range cases {
		if c.Expect != difftest.Error && c.ToleranceAbs == 0 {
			checkDetermined(t, plain, reversed, c)
		}
	}
}

func TestGeneratedAnswersAreDetermined(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	plain, reversed := newOracle(t), newOracle(t)
	for range 30 {
		schema, queries := difftest.Generate(rng)
		plain.load(t, schema)
		reversed.load(t, schema)
		reversed.reverseRows(t)
		for i, q := range queries {
			if q.ToleranceAbs > 0 {
				continue
			}
			checkDetermined(t, plain, reversed, difftest.Case{Name: fmt.Sprint("query ", i), SQL: q.SQL, Ordered: q.Ordered})
		}
	}
}
