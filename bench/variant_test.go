package bench

import (
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine"
)

// Runs go round by round, and every variant goes first in turn.
func TestVariants(t *testing.T) {
	c := Config{
		Backends: []engine.Backend{engine.Native, engine.Decomposed, engine.DuckDB}, Threads: 4,
		Estimators: []string{"chain", "uniform"}, Optimizers: []string{"greedy"},
	}
	var names []string
	for _, v := range c.variants() {
		names = append(names, v.String())
		text, err := v.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Variant
		if err := back.UnmarshalText(text); err != nil || back != v {
			t.Errorf("%s: read as %v, %v", text, back, err)
		}
	}
	want := "native 1, native 4, decomposed 4, duckdb 4, " +
		"native 4 estimator=chain, native 4 estimator=uniform, native 4 optimizer=greedy"
	if got := strings.Join(names, ", "); got != want {
		t.Error(got)
	}
	for _, text := range []string{"", "native", "postgres 1", "native one", "native 1 quickly"} {
		if err := new(Variant).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as a variant", text)
		}
	}
}

// Other estimators and optimizers give the same answers; the session is theirs only
// while they are measured.
func TestPlanningVariants(t *testing.T) {
	cfg := nativeAndDuckDB()
	cfg.Estimators, cfg.Optimizers = []string{"uniform"}, []string{"greedy"}
	r := run(t, oneKey(Case{Name: "nested", SQL: nested}), cfg)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if len(r.Cases[0].Measured) != 4 {
		t.Fatalf("%+v", r.Cases[0].Measured)
	}
	for _, m := range r.Cases[0].Measured {
		if len(m.Runs) != 2 || m.Planning <= 0 {
			t.Errorf("%+v", m)
		}
	}
	if got := (Variant{Backend: engine.Native, Threads: 1}).settings(); !strings.Contains(got, "RESET trireme.estimator") {
		t.Error(got)
	}
}
