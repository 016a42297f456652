package engine

import (
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
)

const (
	scanEdge = `{"name": "SEQ_SCAN ", "children": [], "extra_info": {"Table": "trireme.main.edge", "Projections": ["a", "b"], "Estimated Cardinality": "500000"}}`
	scanNode = `{"name": "SEQ_SCAN ", "children": [], "extra_info": {"Table": "trireme.main.node", "Projections": ["id", "name"], "Filters": "id<1000", "Estimated Cardinality": "1000"}}`
)

func hashJoin(left, right, rows string) string {
	return `{"name": "HASH_JOIN", "children": [` + left + "," + right + `], "extra_info": {"Estimated Cardinality": "` + rows + `"}}`
}

func estimated(t *testing.T, plan string) estimate { return estimatedByParts(t, plan, false) }

func estimatedByParts(t *testing.T, plan string, byParts bool) estimate {
	t.Helper()
	nodes, err := parsePlan("[" + plan + "]")
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]float64{"trireme.main.edge": 500_000, "trireme.main.node": 75_000}
	return estimatePlan(nodes, byParts,
		func(name string) (float64, bool) { n, ok := sizes[name]; return n, ok },
		func(_, column string) rows.Type {
			if column == "name" {
				return rows.Type{ID: rows.Varchar}
			}
			return rows.Type{ID: rows.Integer}
		})
}

// TestAutoEstimates: joins that multiply rows beyond what loading costs are
// expected to be native's, those that look up keys DuckDB's.
func TestAutoEstimates(t *testing.T) {
	wedge := hashJoin(scanEdge, scanEdge, "30000000")
	for _, c := range []struct {
		name, plan string
		explodes   bool
	}{
		{"one lookup", hashJoin(scanEdge, scanNode, "6000"), false},
		{"paths", wedge, false},
		{"triangles", hashJoin(wedge, scanEdge, "900000000"), true},
	} {
		e := estimated(t, `{"name": "UNGROUPED_AGGREGATE", "children": [`+c.plan+`], "extra_info": {}}`)
		if got := e.explodes(); got != c.explodes {
			t.Errorf("%s: explodes %v (%+v)", c.name, got, e)
		}
		got := choose(&history{}, e)
		if !got.duck || got.briefly != c.explodes || got.patience > patience(e.cold()) {
			t.Errorf("%s: %+v, want DuckDB", c.name, got)
		}
	}
}

// TestAutoCountsLoadsOnce: a table that is scanned twice in the same way is one
// tensor, which native reads twice.
func TestAutoCountsLoadsOnce(t *testing.T) {
	one, two := estimated(t, scanEdge), estimated(t, hashJoin(scanEdge, scanEdge, "500000"))
	const start = nativeStart * 500_000 / startRows
	if one.load != two.load || two.work-start != 2*(one.work-start) || two.duck < 2*one.duck-duckStartNs {
		t.Errorf("once %+v, twice %+v", one, two)
	}
	text, number := estimated(t, scanNode), estimated(t, `{"name": "SEQ_SCAN", "extra_info": {"Table": "trireme.main.node", "Projections": ["id", "id"], "Filters": "id<1000", "Estimated Cardinality": "1000"}}`)
	if text.load-number.load != 1000*(loadTextNs-loadNumberNs) {
		t.Errorf("with a text %v, without %v", text.load, number.load)
	}
}

// TestAutoEstimatesConditions: what native visits pair by pair costs what its kernel takes for
// one, and no aggregate before makes it less.
func TestAutoEstimatesConditions(t *testing.T) {
	join := func(name string) estimate {
		return estimated(t, `{"name": "`+name+`", "children": [`+scanEdge+","+scanNode+`], "extra_info": {"Estimated Cardinality": "200000000"}}`)
	}
	equal, ordered, any := join("HASH_JOIN"), join("IE_JOIN"), join("BLOCKWISE_NL_JOIN")
	if visits := equal.most - equal.work; visits != visitMax*visitNs {
		t.Errorf("by an equality: %v", visits)
	}
	if visits := ordered.most - ordered.work; visits != 2e8*visitNs {
		t.Errorf("by orders: %v", visits)
	}
	if visits := any.most - any.work; visits != 500_000*1000*conditionNs {
		t.Errorf("by a condition: %v", visits)
	}
	if got := choose(&history{}, any); !got.duck || got.briefly || got.patience < 10*time.Second {
		t.Errorf("by a condition: %+v", got)
	}
	parts := estimatedByParts(t, `{"name": "BLOCKWISE_NL_JOIN", "children": [`+scanEdge+","+scanNode+`], "extra_info": {"Estimated Cardinality": "9000"}}`, true)
	if visits := parts.most - parts.work; visits != 9000*visitNs {
		t.Errorf("by parts: %v", visits)
	}
}

// TestAutoReadsPlans: operators without an estimate have their children's, and
// what is no plan is an error.
func TestAutoReadsPlans(t *testing.T) {
	nodes, err := parsePlan(`[{"name": "PROJECTION", "children": [` + scanEdge + `], "extra_info": {}}]`)
	if err != nil || len(nodes) != 1 || nodes[0].rows() != 500_000 {
		t.Errorf("%v %v", nodes, err)
	}
	if _, err := parsePlan("no plan"); err == nil {
		t.Error("no plan was read")
	}
}
