package difftest_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
)

// Shares of generated statements, in percent, and how many are run here.
const (
	generatedRuns   = 2000
	nonEmptyMin     = 35
	featureMin      = 1
	nullFeatureMin  = 30
	eligibleMin     = 95
	internalErrsMax = 1
)

func TestGeneratedOnDuckDB(t *testing.T) {
	for name, generate := range map[string]func(*rand.Rand) ([]string, []difftest.Query){
		"exact": difftest.Generate, "floats": difftest.GenerateFloats,
	} {
		t.Run(name, func(t *testing.T) {
			runs := generatedRuns
			if name == "floats" {
				runs = generatedRuns / 5
			}
			runGenerated(t, generate, runs)
		})
	}
}

func runGenerated(t *testing.T, generate func(*rand.Rand) ([]string, []difftest.Query), runs int) {
	rng := rand.New(rand.NewPCG(1, 2))
	features := map[string]int{}
	total, rowsSeen, values, eligible, internal := 0, 0, 0, 0, 0
	o := newOracle(t)
	for total < runs {
		schema, queries := generate(rng)
		o.load(t, schema)
		for _, q := range queries {
			total++
			if q.Eligible {
				eligible++
			}
			for _, feature := range q.Features {
				features[feature]++
			}
			_, table, err := o.query(q.SQL)
			switch {
			case err != nil && strings.HasPrefix(err.Error(), "INTERNAL"):
				internal++
			case err != nil:
				t.Fatalf("%v\n%s;\n%s", err, strings.Join(schema, ";\n"), q.SQL)
			}
			if len(table) > 0 {
				rowsSeen++
			}
			if slices.ContainsFunc(table, hasValue) {
				values++
			}
		}
	}
	t.Logf("%d statements: %d%% with rows, %d%% with a value other than 0 and NULL, %d%% eligible, %d internal errors of DuckDB",
		total, 100*rowsSeen/total, 100*values/total, 100*eligible/total, internal)
	if 100*values/total < nonEmptyMin || 100*eligible/total < eligibleMin || 100*internal/total > internalErrsMax {
		t.Error("these shares are not what the differential test needs")
	}
	checkFeatures(t, features, total)
}

// hasValue reports whether a row has a cell that is neither NULL nor zero.
func hasValue(row []any) bool {
	return slices.ContainsFunc(row, func(cell any) bool {
		return cell != nil && !reflect.ValueOf(cell).IsZero()
	})
}

func checkFeatures(t *testing.T, features map[string]int, total int) {
	t.Helper()
	for _, feature := range difftest.AllFeatures {
		least := featureMin
		if strings.HasPrefix(feature, "null_") {
			least = nullFeatureMin
		}
		if 100*features[feature] < least*total {
			t.Errorf("%s occurs in %d of %d statements, want %d%%", feature, features[feature], total, least)
		}
	}
	for feature, n := range features {
		if !slices.Contains(difftest.AllFeatures, feature) {
			t.Errorf("feature %s (%d statements) is not in AllFeatures", feature, n)
		}
	}
	if !slices.IsSorted(difftest.AllFeatures) {
		t.Error("AllFeatures is not sorted")
	}
}

func TestGenerateIsDeterministic(t *testing.T) {
	schema, queries := difftest.Generate(rand.New(rand.NewPCG(7, 7)))
	schemaAgain, queriesAgain := difftest.Generate(rand.New(rand.NewPCG(7, 7)))
	if !reflect.DeepEqual(schema, schemaAgain) || !reflect.DeepEqual(queries, queriesAgain) {
		t.Error("the same seed gives different statements")
	}
	_, others := difftest.Generate(rand.New(rand.NewPCG(7, 8)))
	if reflect.DeepEqual(queries, others) {
		t.Error("another seed gives the same statements")
	}
}
