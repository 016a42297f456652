package bench

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// TestCoverageBound: every statement is executed in all moments, on both sides, with the same rows.
func TestCoverageBound(t *testing.T) {
	o := BoundOptions{CoverageOptions: few("slow_window_between", "slow_closure", "slow_full_chain", "compose_create_table"), Seed: 1, Joins: 12}
	o.Scale, o.Control = 2, true
	r, err := CoverageBound(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if len(r.Cases) != 15 { // a statement without rows is not among them
		t.Errorf("%d statements", len(r.Cases))
	}
	for _, c := range r.Cases {
		for m := range moments {
			if c.DuckDB[m] == 0 || c.Auto[m] == 0 || c.Control[m] == 0 || c.By[m] == "" {
				t.Errorf("%s, %s: %+v", c.Name, momentNames[m], c)
			}
		}
	}
	c := BoundCase{Name: "late", DuckDB: [moments]time.Duration{firstTime: 10 * time.Millisecond, thirdTime: 10 * time.Millisecond}, Auto: [moments]time.Duration{firstTime: 20 * time.Millisecond, thirdTime: 21 * time.Millisecond}}
	r.Cases = []BoundCase{c}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"first: 0 of 1 queries took longer than 1.5 times DuckDB's time and 5ms", "third: 1 of 1 queries", "late    21.0 ms  10.0 ms  2.1x", "by chance, DuckDB beside itself: 0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
