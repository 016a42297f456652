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
		schema, queries := difftest.GenerateWide(rand.New(rand.NewPCG(1, uint64(n))))
		if n < 10 {
			o.load(t, schema)
		}
		for _, q := range queries {
			total++
			for _, f := range q.Features {
				features[f]++
			}
			if n < 10 {
				if err := o.exec("EXPLAIN " + q.SQL); err != nil {
					t.Fatalf("%v\n%s;\n%s", err, strings.Join(schema, ";\n"), q.SQL)
				}
			}
		}
	}
	var counts []string
	for _, f := range difftest.WideFeatures {
		counts = append(counts, fmt.Sprintf("%d %s", features[f], f))
		least := featureMin
		if strings.HasPrefix(f, "null_") && f != "null_safe_join" {
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
