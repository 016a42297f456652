package difftest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
)

// formMin is how many of the statements have a form at least.
const formMin = 20

// textMax bounds the bytes of a statement for each of its joins and blocks.
const textMax = 500

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
			for _, sql := range slices.Concat(step.Session, step.Changes) {
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
			if most := textMax * (1 + strings.Count(q.SQL, "SELECT") + strings.Count(q.SQL, "JOIN")); len(q.SQL) > most {
				t.Errorf("%d bytes, at most %d for so many joins and blocks: %s", len(q.SQL), most, q.SQL)
			}
			for _, f := range q.Features {
				features[f]++
			}
			if n < 10 {
				err := o.exec(fmt.Sprintf("PREPARE p%d AS %s", total, strings.TrimPrefix(q.SQL, "CREATE TABLE made AS ")))
				if err != nil {
					t.Fatalf("%v\n%s;\n%s", err, strings.Join(schema, ";\n"), q.SQL)
				}
			}
		}
	}
	var counts []string
	for _, f := range difftest.WideForms() {
		counts = append(counts, fmt.Sprintf("%d %s", features[f], f))
		if features[f] < formMin {
			t.Errorf("%s occurs in %d of %d statements, want %d", f, features[f], total, formMin)
		}
		delete(features, f)
	}
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
