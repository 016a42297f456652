package bench

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/bench/coverage"
	"github.com/trireme-db/trireme/engine"
)

// few are options that measure little, on the smallest data.
func few(only ...string) CoverageOptions {
	return CoverageOptions{
		Backends: []engine.Backend{engine.Auto, engine.Native}, Threads: 1, Scale: 1, ColdRuns: 1, Runs: 2, Timeout: time.Minute, Patience: time.Minute,
		Only: only, Split: "all", Version: "test",
	}
}

// A statement that makes a table is undone between executions, what a forced
// backend does not take is refused, and all answers are compared.
func TestCoverageRun(t *testing.T) {
	o := few("ssb_q2_1", "compose_create_table", "sales_products_not_sold_lately")
	o.Control = true
	r, err := Coverage(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if len(r.Cases) != 3 || len(r.Data) != 2 {
		t.Fatalf("%d cases over %d data sets", len(r.Cases), len(r.Data))
	}
	for _, c := range r.Cases {
		for _, m := range c.Measured {
			if m.Refused == "" && (len(m.Cold) != 1 || len(m.Warm) != 2 || m.ColdBy == "" || m.WarmBy == "") {
				t.Errorf("%s: %+v", c.Name, m)
			}
		}
		if m := c.of(controlName); m == nil || m.Refused != "" || len(m.Warm) != 2 {
			t.Errorf("%s: control %+v", c.Name, m)
		}
		if m := c.of("native"); (m.Refused != "") != (c.Name == "sales_products_not_sold_lately") {
			t.Errorf("%s on native: %+v", c.Name, m)
		}
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"auto, cold: ", "native, warm: ", "duckdb again, cold: ", "of 3 queries took longer than 1.2 times DuckDB's time and 2ms", "speed-up", "lineorder 6000"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// Cold executions load tables again.
func TestForgetMakesLoadsCold(t *testing.T) {
	ctx := context.Background()
	db, err := openDatabase(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	script, err := coverage.Script("graph", 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Exec(ctx, script); err != nil {
		t.Fatal(err)
	}
	if _, err := db.describe(ctx, "graph"); err != nil {
		t.Fatal(err)
	}
	cached := func() bool {
		e, err := db.analyze(ctx, Variant{Backend: engine.Native, Threads: 1}, "SELECT count(*) FROM edge a JOIN edge b ON a.dst = b.src")
		if err != nil {
			t.Fatal(err)
		}
		return e.Programs[0].Loads[0].Cached
	}
	for round, want := range []bool{false, true, false, true} {
		if round == 2 {
			if err := db.forget(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if got := cached(); got != want {
			t.Errorf("execution %d: a kept tensor %v, want %v", round, got, want)
		}
	}
}

func TestCoverageOptionErrors(t *testing.T) {
	for want, change := range map[string]func(*CoverageOptions){
		"backends beside DuckDB": func(o *CoverageOptions) { o.Backends = nil },
		"beside DuckDB":          func(o *CoverageOptions) { o.Backends = []engine.Backend{engine.DuckDB} },
		"0 threads":              func(o *CoverageOptions) { o.Threads = 0 },
		"0 cold ones":            func(o *CoverageOptions) { o.ColdRuns = 0 },
		"patience":               func(o *CoverageOptions) { o.Patience = 0 },
		`split "some"`:           func(o *CoverageOptions) { o.Split = "some" },
		`no query "nothing"`:     func(o *CoverageOptions) { o.Only = []string{"nothing"} },
		`no family "people"`:     func(o *CoverageOptions) { o.Families = []string{"people"} },
		"the scale must be":      func(o *CoverageOptions) { o.Scale = 0 },
	} {
		o := few("ssb_q2_1")
		change(&o)
		if _, err := Coverage(context.Background(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The bound is on medians; a timeout of auto breaks it, one of DuckDB does not.
func TestSlower(t *testing.T) {
	const ms = time.Millisecond
	r := &CoverageReport{Timeout: time.Second}
	warm := func(runs ...time.Duration) *CoverageMeasure { return &CoverageMeasure{Warm: runs} }
	for _, c := range []struct {
		own, duck *CoverageMeasure
		broken    bool
	}{
		{warm(14*ms, 1*ms, 99*ms), warm(10 * ms), false},
		{warm(15*ms, 1*ms, 99*ms), warm(10 * ms), true},
		{&CoverageMeasure{Timeouts: 1}, warm(10 * ms), true},
		{warm(999 * ms), &CoverageMeasure{Timeouts: 1}, false},
		{&CoverageMeasure{Refused: "no"}, warm(10 * ms), false},
		{&CoverageMeasure{Cold: []time.Duration{99 * ms}}, warm(10 * ms), false},
	} {
		if _, broken := r.slower(c.own, c.duck, temperatures[1]); broken != c.broken {
			t.Errorf("%+v beside %+v: broken %v", c.own, c.duck, broken)
		}
	}
}
