package bench

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine"
)

// TestResultsPage: the page of results that is kept is what the kept runs say.
func TestResultsPage(t *testing.T) {
	f, err := os.Open("results.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ReadResults(f)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != r.Page("results.svg") {
		t.Error(`bench/RESULTS.md does not agree with bench/results.json: write it by "trireme bench results --json bench/results.json --out bench/RESULTS.md --plot bench/results.svg"`)
	}
	picture, err := os.ReadFile("results.svg")
	if err != nil {
		t.Fatal(err)
	}
	if string(picture) != r.Plot() {
		t.Error("bench/results.svg does not agree with bench/results.json")
	}
	if err := r.Err(); err != nil {
		t.Errorf("the kept results have errors: %v", err)
	}
}

// made is a report of a suite whose figures are known: native is measured against
// 10 ms of DuckDB's, or its timeout.
func made(t *testing.T) *Report {
	t.Helper()
	native, uniform, duck := Variant{Backend: engine.Native, Threads: 2}, Variant{Backend: engine.Native, Threads: 2, Estimator: "uniform"}, Variant{Backend: engine.DuckDB, Threads: 2}
	r := &Report{
		Suite: "made", About: "Figures <that> are known.", Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Took: time.Minute, Runs: 1, Target: 3,
		Machine: Machine{CPU: "a CPU", Cores: 2, MemoryBytes: 8 << 30}, Version: "1", DuckDB: "v1", Variants: []Variant{native, uniform, duck},
		Data: []DataReport{{Name: "d", Tables: map[string]int64{"t": 7}}},
	}
	add := func(c CaseReport, times, base time.Duration) {
		m := []Measure{
			{Variant: native, Runs: []time.Duration{times}, Planning: time.Millisecond, Kernel: times / 2, Memory: Memory{Peak: 2 << 20, Rise: 1 << 20}},
			{Variant: uniform, Runs: []time.Duration{2 * times}, Planning: time.Millisecond},
			{Variant: duck, Runs: []time.Duration{base}, Planning: 3 * time.Millisecond, Cold: time.Second},
		}
		if base == 0 {
			m[2] = Measure{Variant: duck, Timeouts: 1, TimedOutAfter: time.Second}
		}
		c.Data, c.Measured = "d", m
		r.Cases = append(r.Cases, c)
	}
	add(CaseReport{Name: "fast", Target: 5}, time.Millisecond, 10*time.Millisecond)
	add(CaseReport{Name: "bound", Target: 500}, 10*time.Millisecond, 0)
	add(CaseReport{Name: "slow", Cause: "a | in a cause"}, 20*time.Millisecond, 10*time.Millisecond)
	add(CaseReport{Name: "slow_too"}, 30*time.Millisecond, 10*time.Millisecond)
	add(CaseReport{Name: "refused"}, time.Millisecond, 10*time.Millisecond)
	r.Cases[4].Measured[0] = Measure{Variant: native, Refused: "no such thing"}
	r.Cases[0].Measured[0].Iterations = []Iteration{
		{Rows: 1, NewRows: 5, Formats: []string{"sparse"}, Planned: true}, {Rows: 5, NewRows: 50, Formats: []string{"sparse"}}, {Rows: 50, Formats: []string{"bytemap", "bytemap"}},
	}
	return r
}

// The page names targets, losses with their causes, and the formats of recursions.
func TestPage(t *testing.T) {
	page := ResultsOf(made(t)).Page("p.svg")
	for _, want := range []string{
		"| machine | a CPU, 2 cores, 8.0 GB of memory", "(p.svg)", "Figures &lt;that&gt; are known.",
		"| made | 5 | 5.2x | 1.2x | 0.33x | 0.62x | 3 | 0 | 1 | 0 |", // speed-ups 1/3, 1/2, 10 and at least 100
		"| made | median | 3x | 5.2x | met |", "| made | fast | 5x | 10x | met |", "| made | bound | 500x | &gt;= 100x | missed |",
		`| made | slow | 20.0 ms | 10.0 ms | 0.5x | a \| in a cause |`,
		`| made | slow\_too | 30.0 ms | 10.0 ms | 0.33x | not its kernels, which take 15.0 ms of 30.0 ms: binding, and the rows of the result |`,
		"| made | refused | refused | 10.0 ms | - | refused: no such thing |",
		"fast on native 2: 3 iterations; formats: sparse x2, bytemap x1",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "| made | fast | 1.00 ms | 10.0 ms | 10x | ") {
		t.Error("a case that native wins is a loss")
	}
}

// A document that was written is read as what it was, of one report and of several.
func TestReadResults(t *testing.T) {
	r := made(t)
	several := &Results{Suites: []*Report{r, r}, Machine: r.Machine, Version: "1", Missing: []string{"x"}}
	var one, all bytes.Buffer
	if err := errors.Join(r.WriteJSON(&one), several.WriteJSON(&all)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text *bytes.Buffer
		want *Results
	}{{&one, ResultsOf(r)}, {&all, several}} {
		got, err := ReadResults(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, c.want) || got.Page("") != c.want.Page("") {
			t.Errorf("read\n%+v, want\n%+v", got, c.want)
		}
	}
	for _, text := range []string{"", "{}", "[1]", `{"suites": [{"variants": ["fast 1"]}]}`} {
		if _, err := ReadResults(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "not a document of benchmark results") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// A suite that was run on its own takes the place of its version among all, and the page
// says so; runs that cannot be compared do not.
func TestReplace(t *testing.T) {
	all, own := ResultsOf(made(t)), made(t)
	own.Started, own.Runs = own.Started.Add(time.Hour), 7
	if err := all.Replace(ResultsOf(own)); err != nil {
		t.Fatal(err)
	}
	page := all.Page("")
	for _, want := range []string{"| made on its own | 2026-01-02T04:04:05Z, 1m0s in all |", "- 7 runs, timeout", "- run on its own, without"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if page := ResultsOf(made(t)).Page(""); strings.Contains(page, "run on its own") {
		t.Errorf("one run is on its own:\n%s", page)
	}
	other, elsewhere := made(t), made(t)
	other.Suite, elsewhere.Machine.Cores = "other", 64
	for want, by := range map[string]*Report{"no suite other": other, "different machines": elsewhere} {
		if err := all.Replace(ResultsOf(by)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Cases that were measured once more take the place of those of their names, with what
// was wrong of them, and the page says when; runs that are not alike do not.
func TestReplaceCases(t *testing.T) {
	old, again := made(t), made(t)
	old.Wrong = []string{"slow on duckdb 2: another", "fast on duckdb 2: another"}
	again.Started, again.Cases, again.Wrong = old.Started.Add(time.Hour), again.Cases[2:3], nil
	again.Cases[0].Measured[0].Runs[0] = time.Millisecond
	all := ResultsOf(old)
	if err := all.Replace(ResultsOf(again)); err != nil {
		t.Fatal(err)
	}
	page := all.Page("")
	for _, want := range []string{"| made | 5 | 10x |", `- slow measured once more, in a run of 2026-01-02T04:04:05Z`, "fast on duckdb 2: another"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "slow on duckdb 2: another") || strings.Contains(page, "run on its own") {
		t.Errorf("what is of the run before:\n%s", page)
	}
	for name, change := range map[string]func(*Report){
		"runs":     func(r *Report) { r.Runs = 7 },
		"data":     func(r *Report) { r.Data[0].Tables["t"] = 8 },
		"backends": func(r *Report) { r.Variants = r.Variants[:2] },
		"planning": func(r *Report) { r.PlanAnew = true },
	} {
		other := made(t)
		other.Cases = other.Cases[2:3]
		change(other)
		if err := all.Replace(ResultsOf(other)); err == nil || !strings.Contains(err.Error(), "other backends, data or runs") {
			t.Errorf("other %s: error %v", name, err)
		}
	}
}

// The picture is XML, has a mark for every value, and names what it shows.
func TestPlot(t *testing.T) {
	picture := ResultsOf(made(t)).Plot()
	in := xml.NewDecoder(strings.NewReader(picture))
	marks := map[string]int{}
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, picture)
		}
		if e, ok := token.(xml.StartElement); ok {
			marks[e.Name.Local]++
		}
	}
	// Triangles: a timeout in the panel of boxes and in that of cases, and in both
	// legends. Circles: 4 values of native and 4 of DuckDB in both of these, 5 and 4
	// (native's and uniform's) where planning and where estimators are compared, 3
	// iterations; legends have 2, 2, 3, 2 and 2.
	if marks["polygon"] != 4 || marks["circle"] != 2*(4+4)+(4+5+4)+(4+5)+3+(2+2+3+2+2) {
		t.Errorf("%v", marks)
	}
	for _, want := range []string{"Execution time", "made: time of every case", "Planning time", "Estimators and searches", "estimator=uniform", "Recursions", "bytemap", "slow_too", "10 ms"} {
		if !strings.Contains(picture, want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if empty := new(Results).Plot(); !strings.Contains(empty, "</svg>") {
		t.Errorf("a picture of nothing: %s", empty)
	}
}

func TestLogAxis(t *testing.T) {
	a, ok := newLogAxis([]float64{0.002, 0.5, 0}, 100, 400)
	if !ok || a.from != -3 || a.to != 0 {
		t.Fatalf("%+v, %v", a, ok)
	}
	for v, want := range map[float64]float64{1: 100, 0.1: 200, 0.001: 400, 0: 400} {
		if got := a.y(v); got != want {
			t.Errorf("%v is at %v, want %v", v, got, want)
		}
	}
	if _, ok := newLogAxis([]float64{0}, 0, 1); ok {
		t.Error("an axis of nothing")
	}
	if secondsLabel(1e-5) != "10 µs" || secondsLabel(1e-2) != "10 ms" || secondsLabel(10) != "10 s" || countLabel(1e6) != "1,000,000" {
		t.Error("labels")
	}
}

// An interrupt ends a run of all suites with what was measured, and says what is
// missing; a suite without data ends it as well.
func TestRunAll(t *testing.T) {
	first, second, third := oneKey(Case{Name: "first", SQL: nested}), oneKey(Case{Name: "second", SQL: endless}), oneKey(Case{Name: "third", SQL: nested})
	first.Name, second.Name, third.Name = "one", "two", "three"
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cfg := nativeAndDuckDB()
	cfg.Progress = stopper{"second", cancel}
	r, err := RunAll(ctx, []*Suite{first, second, third}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Suites) != 2 || !r.Interrupted || r.Err() == nil || len(r.Missing) != 1 || len(r.Suites[0].Cases[0].Measured[0].Runs) != 2 {
		t.Errorf("%+v", r)
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil || !strings.Contains(out.String(), "Missing: three") || !strings.Contains(out.String(), "All suites") {
		t.Errorf("%v\n%s", err, out.String())
	}

	broken := oneKey(Case{Name: "second", SQL: nested})
	broken.Data[0].Load = tables("SELECT * FROM nowhere")
	r, err = RunAll(context.Background(), []*Suite{first, broken, third}, nativeAndDuckDB())
	if err == nil || !strings.Contains(err.Error(), "nowhere") || len(r.Suites) != 1 || len(r.Missing) != 2 {
		t.Errorf("error %v, %+v", err, r)
	}

	cfg = nativeAndDuckDB()
	cfg.Only = []string{"first"}
	if _, err := RunAll(context.Background(), []*Suite{first}, cfg); err == nil {
		t.Error("cases of one suite are run of all")
	}
}

// A suite that has used its time runs every case once after its warm-up, and waits no
// longer than it must.
func TestBudget(t *testing.T) {
	cfg := nativeAndDuckDB()
	cfg.Runs, cfg.Budget = 4, time.Nanosecond
	r := run(t, oneKey(Case{Name: "nested", SQL: nested}, Case{Name: "endless", SQL: endless}), cfg)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Cases[0].Measured {
		if len(m.Runs) != 1 || m.Memory.Peak == 0 {
			t.Errorf("%+v", m)
		}
	}
	if m := r.Cases[1].Measured[1]; m.TimedOutAfter != hurriedTimeout {
		t.Errorf("%+v", m)
	}
	cfg.Budget, cfg.Patience = 0, time.Nanosecond
	r = run(t, oneKey(Case{Name: "nested", SQL: nested}), cfg)
	if m := r.Cases[0].Measured[0]; len(m.Runs) != 1 {
		t.Errorf("%+v", m)
	}
}

// Memory rises with what an execution holds, less what the process gives back in
// the meantime; the system counts the pages of every thread in batches.
func TestMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
		t.Skip("the system has no high-water mark that can be reset")
	}
	var meter memoryMeter
	if err := meter.reset(); err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20
	held := make([]byte, size)
	for i := range held {
		held[i] = byte(i)
	}
	m, err := meter.read()
	if err != nil {
		t.Fatal(err)
	}
	if m.Rise < size-size/8 || m.Peak < m.Rise {
		t.Errorf("%+v after holding %d bytes", m, len(held))
	}
	if err := meter.reset(); err != nil {
		t.Fatal(err)
	}
	if m, err = meter.read(); err != nil || m.Rise > size/2 {
		t.Errorf("%+v after a new start, %v", m, err)
	}
}

// The small versions of suites can be made without data of others.
func TestSmallSuites(t *testing.T) {
	suites, missing, err := SmallSuites(SmallOptions{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if len(suites) != len(smallSuites) || len(missing) != 1 {
		t.Errorf("%d suites, missing %v", len(suites), missing)
	}
	for i, s := range suites {
		if s.Name != smallSuites[i].name || len(s.Cases) == 0 {
			t.Errorf("suite %d is %s, with %d cases", i, s.Name, len(s.Cases))
		}
	}
	if _, _, err := SmallSuites(SmallOptions{Names: []string{"speed"}}); err == nil || !strings.Contains(err.Error(), `unknown suite "speed"`) {
		t.Errorf("error %v", err)
	}
	if suites, _, err = SmallSuites(SmallOptions{Names: []string{"bfs"}}); err != nil || len(suites) != 1 {
		t.Errorf("%d suites, %v", len(suites), err)
	}
}
