package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// changes are a few statements that change the data, so that what a backend has
// kept of the tables no longer holds. The number of rows stays small.
func (db *wideDatabase) changes(rng *rand.Rand) []string {
	var out []string
	for range 1 + rng.IntN(2) {
		out = append(out, db.change(rng, pick(rng, db.tables)))
	}
	return out
}

func (db *wideDatabase) change(rng *rand.Rand, t *wideTable) string {
	c := &t.columns[rng.IntN(len(t.columns))]
	where := fmt.Sprintf("%s = %s", c.sql, pick(rng, c.typ.literals))
	if rng.IntN(4) == 0 {
		where = c.sql + " IS NULL"
	}
	switch n := rng.IntN(10); {
	case n == 0:
		t.rowsMax = 0
		return "DELETE FROM " + t.name
	case n == 1:
		return fmt.Sprintf("CREATE OR REPLACE TABLE %s AS SELECT * FROM %[1]s", t.name)
	case n < 4:
		return fmt.Sprintf("DELETE FROM %s WHERE %s", t.name, where)
	case n < 6 || t.rowsMax >= wideRowsMax:
		to := &t.columns[rng.IntN(len(t.columns))]
		return fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s", t.name, to.sql, db.cell(rng, to, 25), where)
	default:
		lines := make([]string, 1+rng.IntN(2))
		for i := range lines {
			lines[i] = db.row(rng, t, slices.Repeat([]int{20}, len(t.columns)))
		}
		t.rowsMax += len(lines)
		return fmt.Sprintf("INSERT INTO %s VALUES %s", t.name, strings.Join(lines, ", "))
	}
}
