package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/bench/pairwise"
	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/tensor"
)

// TestEinsum runs small networks of all kinds in every way and checks the answers.
func TestEinsum(t *testing.T) {
	r, err := Einsum(context.Background(), EinsumOptions{
		Threads: 1, Runs: 1, Timeout: time.Minute, Version: "test", Only: []string{"cp", "mttkrp", "batched", "sat_20", "bayes_18"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	if len(r.Cases) != 5 {
		t.Fatalf("%d cases", len(r.Cases))
	}
	for _, c := range r.Cases {
		for _, m := range c.Measured {
			if len(m.Runs) != 1 || m.Timeouts > 0 || m.Failed != "" {
				t.Errorf("%s, %s: %d runs, %d timeouts, %s", c.Name, m.Way, len(m.Runs), m.Timeouts, m.Failed)
			}
		}
	}
	var table, document strings.Builder
	if err := errors.Join(r.Print(&table), r.WriteJSON(&document)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{table.String(), document.String(), r.Page()} {
		if !strings.Contains(text, "mttkrp") || !strings.Contains(text, wayDecomposed) {
			t.Errorf("the report lacks a case or a way:\n%s", text)
		}
	}
}

// TestEinsumAnswers computes the networks that the flat SQL does not, in the other ways.
func TestEinsumAnswers(t *testing.T) {
	for _, c := range []einsumCase{strip(12), ladderFormula(12), hiddenMarkov(8), circuit(4, 3)} {
		db, err := duckbackend.Open(context.Background(), duckbackend.Config{})
		if err != nil {
			t.Fatal(err)
		}
		run := &einsumRun{c: &c, opt: EinsumOptions{Threads: 1}, sql: map[string]string{}}
		if run.conn, err = db.Conn(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := run.load(context.Background()); err != nil {
			t.Fatal(err)
		}
		want := c.want()
		for _, way := range []string{wayNative, wayPairwise, wayDecomposed} {
			got, _, err := run.run(context.Background(), way)
			if err != nil {
				t.Fatalf("%s, %s: %v", c.Name, way, err)
			}
			if diff := differs(got, want); diff != "" {
				t.Errorf("%s, %s: %s", c.Name, way, diff)
			}
		}
		if err := errors.Join(run.conn.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEinsumWrong finds answers that differ.
func TestEinsumWrong(t *testing.T) {
	want := map[string]float64{positions(0): 2, positions(1): 0, positions(2): 1e-30}
	for _, c := range []struct {
		coords []int32
		values []float64
		right  bool
	}{
		{[]int32{0}, []float64{2}, true},
		{[]int32{0, 1}, []float64{2, 1e-12}, true},
		{[]int32{0}, []float64{2.1}, false},
		{[]int32{1}, []float64{0}, false},
		{[]int32{0, 3}, []float64{2, 1}, false},
		{[]int32{0, 0}, []float64{2, 2}, false},
		{[]int32{0}, []float64{math.NaN()}, false},
	} {
		got := &pairwise.Tensor{Coords: [][]int32{c.coords}, Values: c.values}
		if diff := differs(got, want); (diff == "") != c.right {
			t.Errorf("%v at %v: %q", c.values, c.coords, diff)
		}
	}
}

// TestEinsumFailures reports what DuckDB cannot plan, and refuses bad options.
func TestEinsumFailures(t *testing.T) {
	r, err := Einsum(context.Background(), EinsumOptions{
		Threads: 1, Runs: 1, Timeout: time.Minute, Only: []string{"sat_20"},
		Plan: func(context.Context, []string) error { return errors.New("too many tables") },
	})
	if err != nil {
		t.Fatal(err)
	}
	flat := r.Cases[0].of(wayFlat)
	if flat.Failed != "too many tables" || len(flat.Runs) > 0 {
		t.Errorf("flat %+v", flat)
	}
	if len(r.Wrong) != 1 || !strings.Contains(r.Wrong[0], "sat_20, decomposed: too many tables") {
		t.Errorf("wrong: %v; DuckDB may fail on the flat SQL alone", r.Wrong)
	}
	for _, o := range []EinsumOptions{{Threads: 1, Runs: 1, Only: []string{"no"}}, {Threads: 0, Runs: 1}, {Threads: 1, Runs: 0}} {
		if _, err := Einsum(context.Background(), o); err == nil {
			t.Errorf("%+v is not refused", o)
		}
	}
}

// BenchmarkEinsumNative computes the networks of the suite on native.
func BenchmarkEinsumNative(b *testing.B) {
	for _, c := range einsumCases() {
		b.Run(fmt.Sprintf("case=%s", c.Name), func(b *testing.B) {
			run := &einsumRun{c: &c, opt: EinsumOptions{Threads: 1}, sql: map[string]string{}}
			if err := run.operandsOf(); err != nil {
				b.Fatal(err)
			}
			planning := time.Duration(0)
			for b.Loop() {
				started := time.Now()
				plan, err := tensor.PrepareEinsum(context.Background(), c.expression(), run.operands, tensor.Options{Threads: 1})
				if err != nil {
					b.Fatal(err)
				}
				planning += time.Since(started)
				if _, err := plan.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(planning.Nanoseconds())/float64(b.N), "planning-ns/op")
		})
	}
}
