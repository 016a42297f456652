package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/trireme-db/trireme/engine"
)

// The bound that auto keeps: this many times DuckDB's time and so much more.
const (
	slowerTimes = 1.2
	slowerBy    = 2 * time.Millisecond
)

// CoverageReport is a run of the corpus.
type CoverageReport struct {
	Started  time.Time      `json:"started"`
	Machine  Machine        `json:"machine"`
	Version  string         `json:"trireme"`
	DuckDB   string         `json:"duckdb"`
	Scale    int            `json:"scale"`
	Threads  int            `json:"threads"`
	Timeout  time.Duration  `json:"timeout_ns"`
	Backends []string       `json:"backends"` // duckdb first
	Data     []DataReport   `json:"data"`
	Cases    []CoverageCase `json:"cases"`
	Verdict
}

// CoverageCase is what was measured of a query.
type CoverageCase struct {
	Name     string            `json:"name"`
	Family   string            `json:"family"`
	Split    string            `json:"split"` // "tune" or "held-out"
	Rows     int               `json:"rows"`
	Measured []CoverageMeasure `json:"measured"` // by backend, DuckDB first
}

// CoverageMeasure is what was measured of a query on one backend.
type CoverageMeasure struct {
	Backend string `json:"backend"`
	// ColdBy and WarmBy are who answered, under auto perhaps not the same.
	ColdBy string `json:"cold_by"`
	WarmBy string `json:"warm_by"`
	// Cold are the executions that followed a new version of all tables, Warm the
	// others.
	Cold     []time.Duration `json:"cold_ns"`
	Warm     []time.Duration `json:"warm_ns"`
	Timeouts int             `json:"timeouts"`
	Refused  string          `json:"refused,omitempty"`
	Failed   string          `json:"failed,omitempty"`
}

// temperature is cold or warm.
type temperature struct {
	name string
	runs func(*CoverageMeasure) []time.Duration
	by   func(*CoverageMeasure) string
}

var temperatures = [...]temperature{
	{"cold", func(m *CoverageMeasure) []time.Duration { return m.Cold }, func(m *CoverageMeasure) string { return m.ColdBy }},
	{"warm", func(m *CoverageMeasure) []time.Duration { return m.Warm }, func(m *CoverageMeasure) string { return m.WarmBy }},
}

// of returns what was measured on a backend.
func (c *CoverageCase) of(backend string) *CoverageMeasure {
	i := slices.IndexFunc(c.Measured, func(m CoverageMeasure) bool { return m.Backend == backend })
	if i < 0 {
		return nil
	}
	return &c.Measured[i]
}

// progress is a line on who took how long.
func (c *CoverageCase) progress() string {
	var b strings.Builder
	for i := range c.Measured {
		m := &c.Measured[i]
		fmt.Fprintf(&b, " %s", m.Backend)
		for _, t := range temperatures {
			b.WriteString(" " + m.text(t, 0))
			if by := t.by(m); by != "" && by != m.Backend {
				fmt.Fprintf(&b, " (%s)", by)
			}
		}
	}
	return b.String()
}

// text is the median, or why there is none.
func (m *CoverageMeasure) text(t temperature, timeout time.Duration) string {
	switch runs := t.runs(m); {
	case m.Failed != "":
		return "failed"
	case m.Refused != "":
		return "refused"
	case m.Timeouts > 0 && timeout > 0:
		return "> " + short(timeout)
	case m.Timeouts > 0:
		return "timeout"
	case len(runs) > 0:
		return short(median(runs))
	}
	return "-"
}

// slower reports whether m breaks the bound beside DuckDB, and by how many times
// it took longer. A timeout counts as the time that it was given.
func (r *CoverageReport) slower(m, duck *CoverageMeasure, t temperature) (times float64, broken bool) {
	own, ok := r.took(m, t)
	base, baseOK := r.took(duck, t)
	if !ok || !baseOK || duck.Timeouts > 0 {
		return 0, false
	}
	return own.Seconds() / base.Seconds(), own > time.Duration(slowerTimes*float64(base))+slowerBy
}

func (r *CoverageReport) took(m *CoverageMeasure, t temperature) (time.Duration, bool) {
	switch runs := t.runs(m); {
	case m.Failed != "" || m.Refused != "":
		return 0, false
	case m.Timeouts > 0:
		return r.Timeout, true
	case len(runs) > 0:
		return median(runs), true
	}
	return 0, false
}

// Print writes the report for people: which queries took longer than the bound,
// cold and warm apart, and per family how many and how auto compares.
func (r *CoverageReport) Print(out io.Writer) error {
	fmt.Fprintf(out, "coverage: Trireme %s beside DuckDB %s on %s, %d cores, %s; %d threads, scale %d\n",
		r.Version, r.DuckDB, r.Machine.CPU, r.Machine.Cores, r.Machine.Go, r.Threads, r.Scale)
	for _, d := range r.Data {
		fmt.Fprintf(out, "data %s: %s\n", d.Name, d)
	}
	for _, backend := range r.Backends[1:] {
		for _, t := range temperatures {
			if err := r.printSlower(out, backend, t); err != nil {
				return err
			}
		}
		if err := r.printFamilies(out, backend); err != nil {
			return err
		}
	}
	r.print(out)
	return nil
}

// printSlower lists the queries that break the bound, the worst first.
func (r *CoverageReport) printSlower(out io.Writer, backend string, t temperature) error {
	var lines []slower
	for i := range r.Cases {
		c := &r.Cases[i]
		m, duck := c.of(backend), c.of(engine.DuckDB.String())
		if times, broken := r.slower(m, duck, t); broken {
			lines = append(lines, slower{times, []string{c.Name, c.Family, c.Split, t.by(m), m.text(t, r.Timeout), duck.text(t, r.Timeout), times2(times)}})
		}
	}
	return printWorst(out, backend+", "+t.name, len(r.Cases), slowerTimes, slowerBy, lines)
}

// printFamilies writes a line per family and one per split.
func (r *CoverageReport) printFamilies(out io.Writer, backend string) error {
	var groups []string
	for _, c := range r.Cases {
		if !slices.Contains(groups, c.Family) {
			groups = append(groups, c.Family)
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n%s\tqueries\ton tensors\tcold: slower\tspeed-up\twarm: slower\tspeed-up\n", backend)
	for _, group := range append(groups, "tune", "held-out", "all") {
		cells := r.family(backend, func(c *CoverageCase) bool { return group == "all" || c.Family == group || c.Split == group })
		if cells != nil {
			fmt.Fprintln(w, strings.Join(append([]string{group}, cells...), "\t"))
		}
	}
	return w.Flush()
}

// family counts the queries of a group: all, those on tensors, and per
// temperature those that break the bound and the geometric mean of speed-ups.
func (r *CoverageReport) family(backend string, in func(*CoverageCase) bool) []string {
	queries, tensors := 0, 0
	var broken [len(temperatures)]int
	var logs [len(temperatures)][]float64
	for i := range r.Cases {
		c := &r.Cases[i]
		if !in(c) {
			continue
		}
		queries++
		m, duck := c.of(backend), c.of(engine.DuckDB.String())
		if m.WarmBy != "" && m.WarmBy != engine.DuckDB.String() {
			tensors++
		}
		for k, t := range temperatures {
			times, bad := r.slower(m, duck, t)
			if bad {
				broken[k]++
			}
			if times > 0 {
				logs[k] = append(logs[k], -math.Log(times))
			}
		}
	}
	if queries == 0 {
		return nil
	}
	cells := []string{fmt.Sprint(queries), fmt.Sprint(tensors)}
	for k := range temperatures {
		mean := "-"
		if len(logs[k]) > 0 {
			sum := 0.0
			for _, x := range logs[k] {
				sum += x
			}
			mean = times2(math.Exp(sum / float64(len(logs[k]))))
		}
		cells = append(cells, fmt.Sprint(broken[k]), mean)
	}
	return cells
}

// WriteJSON writes the report with every run; times are in nanoseconds.
func (r *CoverageReport) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// slower is a query that broke a bound: by how many times it took longer, and what is printed
// of it.
type slower struct {
	times float64
	cells []string
}

// printWorst writes the queries of a kind that broke the bound, the worst first.
func printWorst(out io.Writer, kind string, queries int, times float64, by time.Duration, lines []slower) error {
	fmt.Fprintf(out, "\n%s: %d of %d queries took longer than %.1f times DuckDB's time and %s\n", kind, len(lines), queries, times, by)
	sort.SliceStable(lines, func(i, j int) bool { return lines[i].times > lines[j].times })
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		fmt.Fprintln(w, strings.Join(l.cells, "\t"))
	}
	return w.Flush()
}

// print writes what is wrong with a report.
func (r *Verdict) print(out io.Writer) {
	for _, what := range r.Wrong {
		fmt.Fprintf(out, "WRONG: %s\n", what)
	}
	if r.Interrupted {
		fmt.Fprintln(out, "Interrupted: the rest was not measured.")
	}
}
