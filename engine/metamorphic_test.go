package engine

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

var (
	metaSchemas = flag.Int("meta.schemas", 2, "random schemas of each metamorphic test")
	metaSeed    = flag.Uint64("meta.seed", 1, "seed of the metamorphic tests")
)

// metamorphic runs a check over random schemas, with who answered forced to be
// the tensor engine.
func metamorphic(t *testing.T, check func(r *rig, rng *rand.Rand) (checked int)) {
	t.Helper()
	r := newRig(t)
	checked := 0
	for n := range *metaSchemas {
		rng := rand.New(rand.NewPCG(*metaSeed, uint64(n)))
		r.dropTables()
		r.set(setting{backend: Native, registry: "on"})
		checked += check(r, rng)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d statements checked", checked)
	if checked < 5**metaSchemas {
		t.Errorf("%d statements checked over %d schemas: too few to mean anything", checked, *metaSchemas)
	}
}

// native is the tensor engine's answer; ok is false where it refuses, or where
// the statement's answer is an error.
func (r *rig) native(sql string) (table difftest.Table, ok bool) {
	r.t.Helper()
	table, err := r.run(sql, nil)
	if err == nil {
		return table, true
	}
	if class := sqlerr.From(err).Code[:2]; class != "22" && class != "0A" {
		r.t.Errorf("%v\n%s", err, sql)
	}
	return table, false
}

// TestPredicatesPartitionRows: the rows where a predicate is TRUE, FALSE and
// NULL are all rows.
func TestPredicatesPartitionRows(t *testing.T) {
	metamorphic(t, func(r *rig, rng *rand.Rand) int {
		schema, partitions := difftest.GeneratePartitions(rng)
		r.script(strings.Join(schema, ";\n"))
		checked := 0
		for _, p := range partitions {
			whole, ok := r.native(p.Whole)
			sums := make([]int64, len(whole.Columns))
			for _, part := range p.Parts {
				table, answered := r.native(part)
				if ok = ok && answered; !ok {
					break
				}
				for i := range sums {
					sums[i] += table.Rows[0][i].(int64)
				}
			}
			if !ok {
				continue
			}
			checked++
			for i, sum := range sums {
				if want := whole.Rows[0][i].(int64); sum != want {
					t.Errorf("column %d: the parts add up to %d, the whole is %d\n%s;\n%s;\n%s", i, sum, want, strings.Join(schema, ";\n"), p.Whole, strings.Join(p.Parts[:], ";\n"))
				}
			}
		}
		return checked
	})
}

// reorder stores the rows of all tables in another order, by one INSERT for
// each, so that dictionaries and loads meet them in that order.
func (r *rig) reorder(rng *rand.Rand) {
	r.t.Helper()
	tables, err := r.want("SELECT table_name FROM duckdb_tables() WHERE NOT temporary", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	salt := rng.IntN(1 << 20)
	for _, row := range tables.Rows {
		name := load.Quote(row[0].(string))
		r.script(fmt.Sprintf(`CREATE TEMP TABLE shuffled AS SELECT *, hash(rowid + %d) AS place FROM %s;
			DELETE FROM %[2]s;
			INSERT INTO %[2]s SELECT * EXCLUDE (place) FROM shuffled WHERE place %% 2 = 0 ORDER BY place;
			INSERT INTO %[2]s SELECT * EXCLUDE (place) FROM shuffled WHERE place %% 2 = 1 ORDER BY place;
			DROP TABLE shuffled`, salt, name))
	}
}

// TestAnswersDoNotDependOnTheOrderOfRows answers statements again after the rows
// of all tables have been inserted in another order.
func TestAnswersDoNotDependOnTheOrderOfRows(t *testing.T) {
	metamorphic(t, func(r *rig, rng *rand.Rand) int {
		schema, queries := difftest.GenerateWide(rng)
		r.script(strings.Join(schema, ";\n"))
		first := map[int]difftest.Table{}
		for i, q := range queries {
			if table, ok := r.native(q.SQL); ok {
				first[i] = table
			}
		}
		r.set(setting{backend: Auto, registry: "on"})
		r.reorder(rng)
		r.set(setting{backend: Native, registry: "on"})
		for i, want := range first {
			r.sameAgain(schema, queries[i], want, "after another order of insertion")
		}
		return len(first)
	})
}

// sameAgain wants the answer that the statement had before.
func (r *rig) sameAgain(schema []string, q difftest.Query, want difftest.Table, when string) {
	r.t.Helper()
	got, err := r.run(q.SQL, nil)
	if err == nil {
		err = difftest.Compare(want, got, difftest.CompareOptions{ToleranceAbs: q.ToleranceAbs})
	}
	if err != nil {
		r.t.Errorf("%s: %v\n%s;\n%s;", when, err, strings.Join(schema, ";\n"), q.SQL)
	}
}

// perturbations are settings under which plans differ: the order of joins, the
// estimates that loop orders and formats are chosen by, threads and kernels.
var perturbations = []map[string]string{
	{"optimizer": "greedy", "plan_cache": "off"},
	{"optimizer": "exact", "plan_cache": "off", "registry": "off"},
	{"estimator": "uniform", "plan_cache": "off", "threads": "3"},
	{"estimator": "chain", "optimizer": "greedy", "plan_cache": "off", "registry": "off"},
}

// TestAnswersDoNotDependOnThePlan answers statements under one perturbation of
// planning and execution after the other.
func TestAnswersDoNotDependOnThePlan(t *testing.T) {
	initial := map[string]string{"optimizer": searchNames[0], "estimator": estimatorNames[0], "plan_cache": "on", "registry": "on", "threads": "1"}
	metamorphic(t, func(r *rig, rng *rand.Rand) int {
		schema, queries := difftest.GenerateWide(rng)
		r.script(strings.Join(schema, ";\n"))
		checked := 0
		for _, q := range queries {
			want, ok := r.native(q.SQL)
			if !ok {
				continue
			}
			checked++
			p := perturbations[rng.IntN(len(perturbations))]
			r.setAll(p)
			r.sameAgain(schema, q, want, fmt.Sprint("under ", p))
			r.setAll(initial)
		}
		return checked
	})
}

// setAll sets variables of Trireme's.
func (r *rig) setAll(values map[string]string) {
	r.t.Helper()
	for name, value := range values {
		if _, err := r.run(fmt.Sprintf("SET trireme.%s = '%s'", name, value), nil); err != nil {
			r.t.Fatal(err)
		}
	}
}
