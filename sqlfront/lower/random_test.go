package lower_test

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"
)

var (
	randomQueries = flag.Int("lower.queries", 250, "random statements that are lowered and compared")
	randomSeed    = flag.Uint64("lower.seed", 1, "seed of the random statements")
)

// duckdbRefuses are forms that DuckDB itself does not execute.
var duckdbRefuses = []string{"non-inner join on subquery", "INTERNAL Error", "Not implemented"}

// TestRandom lowers random statements over random tables: what comes out has
// DuckDB's answer for the statement.
func TestRandom(t *testing.T) {
	o := newOracle(t)
	g := newGenerator(*randomSeed)
	refused, unbound := map[string]int{}, map[string]int{}
	compared, rewritten, nonEmpty, wrong, failed := 0, 0, 0, 0, 0
	for i := range *randomQueries {
		if i%15 == 0 {
			o.exec(t, g.schema())
		}
		sql := g.statement()
		out, err := o.check(sql)
		switch {
		case err != nil && slices.ContainsFunc(duckdbRefuses, func(s string) bool { return strings.Contains(err.Error(), s) }):
			failed++
		case err != nil:
			t.Errorf("statement %d: %v", i, err)
			if wrong++; wrong == 5 {
				t.FailNow()
			}
		case out.unbound != "":
			unbound[out.unbound]++
		case out.refused != "":
			refused[out.refused]++
		default:
			compared++
			if out.rows > 0 {
				nonEmpty++
			}
			if out.printed != "" {
				rewritten++
			}
		}
	}
	t.Logf("%d of %d compared, %d with rows, %d that DuckDB does not execute", compared, *randomQueries, nonEmpty, failed)
	t.Logf("not bound: %v\nrefused: %v", unbound, refused)
	for _, f := range slices.Sorted(maps.Keys(g.features)) {
		t.Logf("%5d %s", g.features[f], f)
	}
	if compared < *randomQueries*8/10 {
		t.Errorf("only %d of %d statements were compared", compared, *randomQueries)
	}
}
