package bench

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine"
)

// oneKey is a suite over a table whose rows all have one key, so that joining it
// with itself four times is more than DuckDB does in the time of a test.
func oneKey(cases ...Case) *Suite {
	for i := range cases {
		cases[i].Data = "t"
	}
	return &Suite{Name: "test", Cases: cases, Timeout: time.Minute, Data: []Dataset{{Name: "t", Load: tables("CREATE TABLE t AS SELECT 1 AS k, i FROM range(30000) r(i)")}}}
}

const (
	endless = "SELECT count(*) FROM t a JOIN t b ON a.k = b.k JOIN t c ON b.k = c.k JOIN t d ON c.k = d.k"
	nested  = "SELECT sum(x.n * x.n * x.n * x.n)::BIGINT FROM (SELECT k, count(*) AS n FROM t GROUP BY k) x"
)

// tables loads a data set by SQL.
func tables(sql string) func(context.Context, *Database) error {
	return func(ctx context.Context, db *Database) error { return db.Exec(ctx, sql) }
}

func nativeAndDuckDB() Config {
	return Config{Backends: []engine.Backend{engine.Native, engine.DuckDB}, Threads: 1, Runs: 2, Version: "test"}
}

// A timeout has no median, and the speed-up over it is a bound; with a baseline,
// DuckDB is measured with that.
func TestTimeoutsAndBaselines(t *testing.T) {
	limit := 3 * time.Second
	r := run(t, oneKey(
		Case{Name: "bound", SQL: endless, Timeout: limit},
		Case{Name: "baseline", SQL: endless, Timeout: limit, Baseline: nested, BaselineName: "nested"},
	), nativeAndDuckDB())
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if r.DuckDB != engine.DuckDBVersion() {
		t.Errorf("version of DuckDB: %q", r.DuckDB)
	}
	native, duck := r.Variants[0], r.Variants[1]
	bound := &r.Cases[0]
	if bound.Answer != "810000000000000000" {
		t.Errorf("answer %s", bound.Answer)
	}
	if m := bound.of(duck); m.Timeouts != 1 || len(m.Runs) != 0 || m.TimedOutAfter != limit {
		t.Errorf("%+v", m)
	}
	if x, isBound, ok := bound.of(native).SpeedUp(bound.of(duck)); !ok || !isBound || x <= 0 {
		t.Errorf("speed-up %v, a bound %v, %v", x, isBound, ok)
	}
	with := &r.Cases[1]
	if m := with.of(duck); m.Timeouts != 0 || len(m.Runs) != 2 || m.Baseline != "nested" {
		t.Errorf("%+v", m)
	}
	if _, isBound, ok := with.of(native).SpeedUp(with.of(duck)); !ok || isBound {
		t.Errorf("speed-up is a bound %v, %v", isBound, ok)
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"> 3.00 s", ">= ", "duckdb 1 ran nested"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// What a backend refuses is shown; what fails is an error of the report.
func TestRefusalsAndFailures(t *testing.T) {
	r := run(t, oneKey(
		Case{Name: "listing", SQL: "SELECT i FROM t ORDER BY i LIMIT 2"},
		Case{Name: "failure", SQL: "SELECT CAST('x' || a.i AS INTEGER) FROM t a"},
	), nativeAndDuckDB())
	if m := r.Cases[0].of(r.Variants[0]); m.Refused == "" || m.text() != "refused" || len(m.Runs) != 0 {
		t.Errorf("%+v", m)
	}
	if m := r.Cases[0].of(r.Variants[1]); len(m.Runs) != 2 {
		t.Errorf("%+v", m)
	}
	if err := r.Err(); err == nil || len(r.Wrong) != 1 || !strings.Contains(err.Error(), "failure on duckdb 1: failed") {
		t.Errorf("error %v", err)
	}
}

// stopper is a progress writer that cancels the run when it reads a word.
type stopper struct {
	word   string
	cancel context.CancelFunc
}

func (s stopper) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(s.word)) {
		s.cancel()
	}
	return len(p), nil
}

// An interrupt ends the run, and what was measured until then is reported.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cfg := nativeAndDuckDB()
	cfg.Progress = stopper{"second", cancel}
	r, err := Run(ctx, oneKey(Case{Name: "first", SQL: nested}, Case{Name: "second", SQL: endless}, Case{Name: "third", SQL: nested}), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || r.Err() == nil || len(r.Cases) != 2 || len(r.Cases[0].Measured[0].Runs) != 2 {
		t.Errorf("%+v", r)
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil || !strings.Contains(out.String(), "Interrupted") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		times []time.Duration
		want  time.Duration
	}{{[]time.Duration{5}, 5}, {[]time.Duration{9, 1, 2}, 2}, {[]time.Duration{4, 1, 2, 9}, 3}} {
		m := Measure{Runs: c.times}
		if got, ok := m.Median(); !ok || got != c.want {
			t.Errorf("median of %v: %d, %v", c.times, got, ok)
		}
		m.Timeouts = 1
		if _, ok := m.Median(); ok {
			t.Error("a timeout is averaged in")
		}
	}
	if _, ok := (&Measure{}).Median(); ok {
		t.Error("median of nothing")
	}
}

func TestSummary(t *testing.T) {
	native, duck := Variant{Backend: engine.Native, Threads: 1}, Variant{Backend: engine.DuckDB, Threads: 1}
	r := &Report{Variants: []Variant{native, duck}, DuckDB: "v", Brief: true}
	for i, base := range []time.Duration{10, 20, 40, 0} {
		c := CaseReport{Name: strings.Repeat("x", i+1), Measured: []Measure{
			{Variant: native, Runs: []time.Duration{10 * time.Millisecond}},
			{Variant: duck, Runs: []time.Duration{base * 10 * time.Millisecond}},
		}}
		if base == 0 {
			c.Measured[1] = Measure{Variant: duck, Timeouts: 1, TimedOutAfter: time.Second}
		}
		r.Cases = append(r.Cases, c)
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	var line []string
	for _, l := range strings.Split(out.String(), "\n") {
		if strings.HasPrefix(l, "native 1") {
			line = strings.Fields(l)
		}
	}
	// Speed-ups 10, 20, 40 and at least 100.
	if got, want := strings.Join(line, " "), "native 1 4 30x 20x 10x - 10.0 ms 10.0 ms 0 - -"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1234 * time.Nanosecond: "1.23 us", 45678 * time.Microsecond: "45.7 ms", 300 * time.Second: "300 s", 0: "0.00 us",
	} {
		if got := short(d); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
}
