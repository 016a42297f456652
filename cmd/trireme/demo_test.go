package main

import (
	"strings"
	"testing"
)

// TestDemo runs the whole demo with a short timeout: every question is answered
// by every backend in time or shown as a timeout, and answers that differ would
// be an error.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("the demo loads the Debian graph and asks nine questions three times")
	}
	out, err := trireme(t, "", "demo", "--timeout", "400ms")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range demoAnalyses {
		if !strings.Contains(out, a.title) {
			t.Errorf("the table has no line %q", a.title)
		}
	}
	for _, want := range []string{"699209347", "speed-up", "EXPLAIN ANALYZE", "PHYSICAL PLAN", "psql -h 127.0.0.1"} {
		if !strings.Contains(out, want) {
			t.Errorf("the demo prints no %q:\n%s", want, out)
		}
	}
}
