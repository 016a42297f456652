package difftest_test

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
)

// TestWideFeatures requires that every feature of the wide generator occurs in
// enough of its statements, and that all are SQL to DuckDB.
func TestWideFeatures(t *testing.T) {
	features := map[string]int{}
	total, o := 0, newOracle(t)
	for n := range 150 {
		schema, steps := difftest.GenerateSteps(rand.New(rand.NewPCG(1, uint64(n))), 20)
		if n < 10 {
			o.load(t, schema)
		}
		for _, step := range steps {
			for _, sql := range step.Changes {
				if n < 10 {
					if err := o.exec(sql); err != nil {
						t.Fatalf("%v\n%s", err, sql)
					}
				}
			}
			q := step.Query
			if q.SQL == "" {
				continue
			}
			total++
			for _, f := range q.Features {
				features[f]++
			}
			if n < 10 {
				err := o.exec(fmt.Sprintf("PREPARE p%d AS %s", total, strings.TrimPrefix(q.SQL, "CREATE TABLE made AS ")))
				// Some correlated subqueries are right, and DuckDB does not have them yet.
				if err != nil && !strings.HasPrefix(err.Error(), "Not implemented Error: Unsupported join type for flattening correlated subquery") {
					t.Fatalf("%v\n%s;\n%s", err, strings.Join(schema, ";\n"), q.SQL)
				}
			}
		}
	}
	var counts []string
	for _, f := range difftest.WideFeatures {
		counts = append(counts, fmt.Sprintf("%d %s", features[f], f))
		least := featureMin
		if f == "null_key" || f == "null_measure" {
			least = nullFeatureMin
		}
		if 100*features[f] < least*total {
			t.Errorf("%s occurs in %d of %d statements, want %d%%", f, features[f], total, least)
		}
		delete(features, f)
	}
	sort.Strings(counts)
	t.Logf("%d statements: %s", total, strings.Join(counts, ", "))
	for f := range features {
		t.Errorf("%s is not in WideFeatures", f)
	}
}
