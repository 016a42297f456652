package lower_test

import (
	"fmt"
	"testing"

	"github.com/trireme-db/trireme/sqlfront"
)

// blocksOf counts the blocks of a query, those of the texts in it not.
func blocksOf(q *sqlfront.Query) (n int) {
	q.Walk(func(*sqlfront.Query) { n++ })
	return n
}

// TestChainsOfOuterJoins: the blocks that outer joins become grow with their number, not with
// its powers.
func TestChainsOfOuterJoins(t *testing.T) {
	o := newOracle(t)
	for _, s := range statements(t, "testdata/schema.sql") {
		o.exec(t, s)
	}
	chain := func(n int) string {
		sql := "SELECT count(*), sum(t0.x) FROM a AS t0"
		for i := 1; i <= n; i++ {
			sql += fmt.Sprintf(" FULL JOIN a AS t%d ON t%d.k = t%d.x", i, i-1, i)
		}
		return sql
	}
	nested := func(n int) string {
		from := "a AS t1 FULL JOIN a AS t0 ON t0.k = t1.x"
		for i := 2; i <= n; i++ {
			from = fmt.Sprintf("a AS t%d FULL JOIN (%s) ON t%d.k = t%d.x", i, from, i-1, i)
		}
		return "SELECT count(*), sum(t0.x) FROM " + from
	}
	ctes := func(n int) string {
		sql := "WITH t0 AS (SELECT k, x FROM a)"
		for i := 1; i <= n; i++ {
			sql += fmt.Sprintf(", t%d AS (SELECT p.k, q.x FROM t%d p FULL JOIN t%d q ON p.k = q.x)", i, i-1, i-1)
		}
		return sql + fmt.Sprintf(" SELECT count(*), sum(x) FROM t%d", n)
	}
	for name, sql := range map[string]func(int) string{"chain": chain, "nested": nested, "common table expressions": ctes} {
		most := 0
		for n := 1; n <= 5; n++ {
			out, err := o.check(sql(n))
			if err != nil || out.lowered == nil {
				t.Fatal(name, n, err, out.unbound, out.refused)
			}
			switch blocks := blocksOf(out.lowered); {
			case n <= 3:
				most = max(most, blocks)
			case blocks > most:
				t.Errorf("%s of %d joins: %d blocks, %d of 3", name, n, blocks, most)
			}
		}
	}
}
