package engine

import (
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
