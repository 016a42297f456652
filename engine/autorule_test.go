package engine

import (
	"testing"
	"time"
)

// ms is a number of milliseconds in nanoseconds.
const ms = float64(time.Millisecond)

// TestAutoChooses: who answers, by what is known of a statement.
func TestAutoChooses(t *testing.T) {
	lookups := estimate{duck: 20 * ms, load: 300 * ms, work: 8 * ms, most: 10 * ms}   // DuckDB looks up keys
	multiply := estimate{duck: 900 * ms, load: 60 * ms, work: 6 * ms, most: 100 * ms} // rows are multiplied
	explode := estimate{duck: 9e6 * ms, load: 60 * ms, work: 6 * ms, most: 120 * ms}  // by thousands
	close := estimate{duck: 20 * ms, load: 300 * ms, work: 15 * ms, most: 15 * ms}
	for _, c := range []struct {
		name     string
		history  history
		estimate estimate
		duck     bool
		patience float64 // in ms; of native where it answers
	}{
		{"nothing known, loading costs more than the query", history{}, lookups, true, 6 * 310},
		{"nothing known, rows are multiplied", history{}, multiply, true, 320},
		{"nothing known, native may not gain enough", history{}, estimate{duck: 600 * ms, load: 60 * ms, work: 6 * ms, most: 100 * ms}, true, 6 * 160},
		{"DuckDB was slower than loading", history{duck: 5000 * ms}, lookups, false, 2003},
		{"DuckDB was slower than loading, but not clearly", history{duck: 500 * ms}, lookups, true, 6 * 310},
		{"DuckDB was quick where a lot was expected", history{duck: 10 * ms}, multiply, true, 6 * 160},
		{"native was measured, DuckDB never", history{cold: 300 * ms}, multiply, true, 300},
		{"native was measured, DuckDB was cancelled sooner", history{cold: 300 * ms, duck: 40 * ms, duckMore: true}, multiply, true, 300},
		{"native was measured, DuckDB was given as long", history{cold: 300 * ms, duck: 301 * ms, duckMore: true}, multiply, false, 900},
		{"native was measured, DuckDB has no chance", history{cold: 300 * ms, duck: 40 * ms, duckMore: true}, explode, false, 900},
		{"DuckDB was cancelled too soon", history{duck: 30 * ms, duckMore: true}, explode, true, 360},
		{"DuckDB had its time", history{duck: 361 * ms, duckMore: true}, explode, false, 540},
		{"not enough time has been spent", history{duck: 20 * ms, spent: 4 * 300 * ms}, lookups, true, 6 * 310},
		{"loading has been lost to DuckDB several times", history{duck: 20 * ms, spent: 4 * 311 * ms}, lookups, false, 1.6 * 310},
		{"it has, and a try may take nearly as long", history{duck: 500 * ms, spent: 4 * 311 * ms}, estimate{duck: 20 * ms, load: 240 * ms, work: 8 * ms, most: 10 * ms}, false, 203},
		{"but it would not pay", history{duck: 20 * ms, spent: 4 * 316 * ms}, close, true, 6 * 315},
		{"it seems not to pay, after many executions", history{duck: 20 * ms, spent: 16 * 315 * ms}, close, false, 1.6 * 315},
		{"native took long in its try", history{duck: 20 * ms, cold: 504 * ms, spent: 2000 * ms}, close, true, 6 * 504},
		{"and did not", history{duck: 20 * ms, spent: 1900 * ms, cold: 300 * ms, warm: 19 * ms}, lookups, true, 6 * 300},
		{"and did", history{duck: 20 * ms, spent: 4 * 316 * ms, cold: 300 * ms, warm: 15 * ms}, close, false, 1.6 * 300},
		{"loaded, not yet run warm", history{bought: true, cold: 320 * ms, duck: 1 * ms}, close, false, 15},
		{"loaded, and execution took the longer part", history{bought: true, cold: 800 * ms, duck: 200 * ms}, close, true, 6 * 320},
		{"execution would take as long as DuckDB", history{duck: 200 * ms, spent: 900 * ms, cold: 800 * ms}, close, true, 6 * 800},
		{"warm and faster", history{bought: true, cold: 320 * ms, warm: 5 * ms, duck: 20 * ms}, close, false, 11},
		{"warm and slower", history{bought: true, cold: 320 * ms, warm: 25 * ms, duck: 20 * ms}, lookups, true, 6 * 25},
		{"warm and as fast", history{bought: true, cold: 320 * ms, warm: 21 * ms, duck: 20 * ms}, lookups, false, 32},
		{"warm and slower than what cancelled DuckDB took", history{bought: true, cold: 320 * ms, warm: 99 * ms, duck: 80 * ms, duckMore: true}, lookups, true, 99},
		{"warm and faster than what cancelled DuckDB took", history{bought: true, cold: 320 * ms, warm: 79 * ms, duck: 80 * ms, duckMore: true}, lookups, false, 237},
		{"warm, DuckDB never measured", history{bought: true, cold: 320 * ms, warm: 2 * ms}, lookups, true, 5},
		{"measured: loading takes a little longer", history{cold: 21 * ms, duck: 20 * ms}, lookups, false, 32},
		{"measured: loading takes longer", history{cold: 30 * ms, duck: 20 * ms}, lookups, true, 6 * 30},
	} {
		got := choose(&c.history, c.estimate)
		if got.duck != c.duck || got.patience != time.Duration(c.patience*ms) {
			t.Errorf("%s: DuckDB %v for %s, want %v for %v ms", c.name, got.duck, got.patience, c.duck, c.patience)
		}
	}
}

// TestAutoLearns follows a statement: DuckDB until loading is paid for, native
// while the tables stay, DuckDB when they have changed.
func TestAutoLearns(t *testing.T) {
	var h history
	e := estimate{duck: 50 * ms, load: 90 * ms, work: 8 * ms, most: 8 * ms}
	var by []bool
	run := func(cold, warm, duck float64) {
		c := choose(&h, e)
		by = append(by, c.duck)
		switch {
		case c.duck:
			h.noteDuck(duck, false)
		case h.bought:
			h.noteNative(warm)
		default:
			h.noteNative(cold)
		}
	}
	for range 12 {
		run(120*ms, 5*ms, 50*ms)
	}
	h.newVersions()
	run(120*ms, 5*ms, 50*ms)
	want := []bool{true, true, true, true, true, true, true, true, false, false, false, false, true}
	for i := range want {
		if by[i] != want[i] {
			t.Fatalf("DuckDB answered %v, want %v", by, want)
		}
	}
	if h.cold != 120*ms || h.warm != 5*ms || h.duck != 50*ms {
		t.Errorf("history %+v", h)
	}
}

// TestAutoNotesCancelled: a cancelled execution says that DuckDB takes longer,
// until one has ended.
func TestAutoNotesCancelled(t *testing.T) {
	var h history
	h.noteDuck(80*ms, true)
	h.noteDuck(60*ms, true)
	if h.duck != 80*ms || !h.duckMore {
		t.Errorf("cancelled twice: %+v", h)
	}
	h.noteDuck(300*ms, false)
	if h.duck != 300*ms || h.duckMore {
		t.Errorf("then ended: %+v", h)
	}
	h.noteDuck(100*ms, false)
	if h.duck != 200*ms {
		t.Errorf("then faster: %+v", h)
	}
	h.noteStopped(900 * ms)
	if h.cold != 900*ms || !choose(&h, estimate{duck: 1, load: 1, work: 1, most: 1}).duck {
		t.Errorf("native stopped: %+v", h)
	}
}

// TestAutoPace: what most statements took beside their estimates counts, once
// there are some.
func TestAutoPace(t *testing.T) {
	var p, other pace
	want := func(what string, duck, native float64) {
		t.Helper()
		if d, n := paces(&p, &other); d != duck || n != native {
			t.Errorf("%s: DuckDB %v, native %v, want %v, %v", what, d, n, duck, native)
		}
	}
	for range paceMin {
		want("with few statements", 1, 1)
		p.add(3*ms, ms)
	}
	p.add(1000*ms, ms)
	want("with one that was far off", 3, 3)
	for range paceSize {
		p.add(2*ms, ms)
		other.add(5*ms, ms)
	}
	want("with both", 2, 5)
	p = pace{}
	want("with native's", 5, 5)
	if got := (estimate{duck: 1, load: 2, work: 3, most: 4}).scaled(2, 3); got != (estimate{duck: 2, load: 6, work: 9, most: 12}) {
		t.Errorf("scaled %+v", got)
	}
}

// A reason does not call slower what is not.
func TestAutoReasons(t *testing.T) {
	for _, c := range []struct {
		choice choice
		want   string
	}{
		{choice{duck: true, native: 2e6, other: 1e6}, "DuckDB is estimated to be faster (native 2.000 ms, DuckDB 1.000 ms)"},
		{choice{native: 1e6, other: 2e6, loading: true}, "the tensor engine is expected to be faster (native 1.000 ms with loading, DuckDB 2.000 ms)"},
		{choice{native: 2e6, other: 1e6}, "the tensor engine is expected to pay later (native 2.000 ms, DuckDB 1.000 ms)"},
		{choice{native: 2e6}, "the tensor engine took 2.000 ms when it was asked last"},
		{choice{because: "of this"}, "of this"},
		{choice{duck: true, native: 1e6, other: 2e6, loading: true}, "the tensor engine is not known to be much faster (native 1.000 ms with loading, DuckDB 2.000 ms)"},
	} {
		if got := c.choice.reason(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.choice, got, c.want)
		}
	}
}
