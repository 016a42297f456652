package engine

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestFixedFibers: the estimator "best" walks the fibers that constants fix, so
// it knows that the one vertex of a label is the hub, and that two constants
// exclude each other; the others take labels for independent of degrees.
func TestFixedFibers(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e AS SELECT 0 AS src, i AS dst FROM range(1, 301) r(i) UNION ALL SELECT i, 0 FROM range(1, 301) r(i)")
	s.run("CREATE TABLE v AS SELECT i AS id, CASE WHEN i = 0 THEN 1 ELSE 2 END AS label, i % 7 AS color FROM range(0, 301) r(i)")
	s.run("SET trireme.backend = 'native'")
	plan := func(estimator, sql string) string {
		s.run("SET trireme.estimator = '" + estimator + "'")
		text, _, err := s.try("EXPLAIN ANALYZE " + sql)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	hub := "SELECT e.dst, count(*) FROM e, v WHERE e.src = v.id AND v.label = 1 GROUP BY e.dst"
	if text := plan("best", hub); !strings.Contains(text, "~300 cells") {
		t.Errorf("the hub's edges are not known:\n%s", text)
	}
	if text := plan("uniform", hub); strings.Contains(text, "~300 cells") {
		t.Errorf("uniform knows the hub's edges:\n%s", text)
	}
	both := "SELECT count(*) FROM e, v WHERE e.src = v.id AND v.label = 2 AND v.color = 3"
	if text := plan("best", both); !strings.Contains(text, "~43 cells") {
		t.Errorf("vertices with both constants are not counted:\n%s", text)
	}
}

// TestNeighboursOfLargeGraphs: of a graph too large to be walked at planning, the
// neighbours of a vertex are met as often as their degrees say. Here every vertex
// is a neighbour of ten hubs with thousands of neighbours each, most vertices'
// degrees being small.
func TestNeighboursOfLargeGraphs(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE half AS SELECT i % 10 AS src, i AS dst FROM range(10, 60010) r(i)")
	s.run("CREATE TABLE e AS SELECT src, dst FROM half UNION ALL SELECT dst, src FROM half")
	s.run("SET trireme.backend = 'native'")
	text, _, err := s.try("EXPLAIN (ANALYZE, FORMAT JSON) SELECT b.dst, count(*) FROM e a, e b WHERE a.dst = b.src AND a.src = 17 GROUP BY b.dst")
	if err != nil {
		t.Fatal(err)
	}
	var plans [1]struct {
		Programs []struct {
			Steps []struct {
				Estimated float64 `json:"estimated_cells"`
				Cells     float64
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		t.Fatal(err)
	}
	step := plans[0].Programs[0].Steps[0]
	if step.Cells != 6000 || step.Estimated < step.Cells/2 || step.Estimated > step.Cells*2 {
		t.Errorf("estimated %v cells of %v:\n%s", step.Estimated, step.Cells, text)
	}
}
