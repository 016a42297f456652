package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// einsumTarget is how many times faster than the decomposed SQL native is meant to be in
// the median.
const einsumTarget = 10

// EinsumReport is a run of the einsum suite.
type EinsumReport struct {
	Suite   string        `json:"suite"`
	Started time.Time     `json:"started"`
	Took    time.Duration `json:"took_ns"`
	Target  float64       `json:"target"` // see einsumTarget
	Machine Machine       `json:"machine"`
	Version string        `json:"trireme"`
	DuckDB  string        `json:"duckdb"`
	Threads int           `json:"threads"`
	Runs    int           `json:"runs"`
	Timeout time.Duration `json:"timeout_ns"`
	Cases   []EinsumCase  `json:"cases"`
	// DuckDB may fail on the flat SQL: that is what is measured.
	Verdict
}

// EinsumCase is what was measured of a network.
type EinsumCase struct {
	Name     string          `json:"name"`
	About    string          `json:"about"`
	Tensors  int             `json:"tensors"`
	Indices  int             `json:"indices"`
	Entries  int             `json:"entries"` // of all tensors
	Answer   int             `json:"answer"`  // entries
	Measured []EinsumMeasure `json:"measured"`
}

// EinsumMeasure is what was measured of a network in one way.
type EinsumMeasure struct {
	Way string `json:"way"`
	// Runs are whole times, Planned the parts of them before execution: of the
	// decomposed SQL it is DuckDB's planning, for the path is given. Planning is its
	// median.
	Runs     []time.Duration `json:"runs_ns"`
	Planned  []time.Duration `json:"planned_ns"`
	Planning time.Duration   `json:"planning_ns"`
	Timeouts int             `json:"timeouts"`
	Failed   string          `json:"failed,omitempty"`
	Wrong    string          `json:"wrong,omitempty"`
}

// executing is the median of the runs without their planning, as it is where plans are
// warm.
func (m *EinsumMeasure) executing() time.Duration {
	out := make([]time.Duration, len(m.Runs))
	for i, run := range m.Runs {
		out[i] = run - m.Planned[i]
	}
	return median(out)
}

// takes is what counts of a measure's time.
func (m *EinsumMeasure) takes(planning bool) time.Duration {
	if planning {
		return median(m.Runs)
	}
	return m.executing()
}

func (c *EinsumCase) of(way string) *EinsumMeasure {
	for i := range c.Measured {
		if c.Measured[i].Way == way {
			return &c.Measured[i]
		}
	}
	return nil
}

// text is the median, or why there is none.
func (m *EinsumMeasure) text(timeout time.Duration) string {
	switch {
	case m.Wrong != "":
		return "wrong"
	case m.Timeouts > 0:
		return "> " + short(timeout)
	case m.Failed != "":
		return "failed"
	case len(m.Runs) == 0:
		return "-"
	}
	return short(m.executing())
}

func (c *EinsumCase) progress() string {
	var b strings.Builder
	for i := range c.Measured {
		fmt.Fprintf(&b, " %s %s", c.Measured[i].Way, c.Measured[i].text(0))
	}
	return b.String()
}

// speedUp is how many times faster native is than a way, with planning on both sides or
// without; bound: the way ran into its timeout, so that it is at least that.
func (r *EinsumReport) speedUp(c *EinsumCase, way string, planning bool) (times float64, bound, ok bool) {
	native, other := c.of(wayNative), c.of(way)
	if len(native.Runs) == 0 || native.Timeouts > 0 {
		return 0, false, false
	}
	own := native.takes(planning).Seconds()
	switch {
	case other.Timeouts > 0:
		return r.Timeout.Seconds() / own, true, true
	case len(other.Runs) > 0:
		return other.takes(planning).Seconds() / own, false, true
	}
	return 0, false, false
}

// summary is the lines below the table.
func (r *EinsumReport) summary() []string {
	var lines []string
	for _, way := range einsumWays[1:] {
		var all, planned []float64
		timeouts, failed := 0, 0
		for i := range r.Cases {
			c := &r.Cases[i]
			m := c.of(way)
			timeouts += m.Timeouts
			if m.Failed != "" {
				failed++
			}
			if times, _, ok := r.speedUp(c, way, false); ok {
				all = append(all, times)
			}
			if times, _, ok := r.speedUp(c, way, true); ok {
				planned = append(planned, times)
			}
		}
		line := fmt.Sprintf("%s: ", way)
		if len(all) > 0 {
			line += fmt.Sprintf("native is %.1f times as fast in the median of %d cases, with planning %.1f times",
				middle(slices.Sorted(slices.Values(all))), len(all), middle(slices.Sorted(slices.Values(planned))))
		}
		if way == wayDecomposed {
			line += fmt.Sprintf(" (target: %.0f)", r.Target)
		}
		lines = append(lines, fmt.Sprintf("%s; %d timeouts, %d failures", line, timeouts, failed))
	}
	late := 0
	for i := range r.Cases {
		if c := &r.Cases[i]; c.of(wayNative).Timeouts > 0 && len(c.of(wayDecomposed).Runs) > 0 {
			late++
		}
	}
	return append(lines, fmt.Sprintf("native: %d timeouts where the decomposed SQL ends", late))
}

// head and rows are the table.
func (r *EinsumReport) table() (head []string, rows [][]string) {
	head = []string{"case", "tensors", "indices", "entries"}
	head = append(head, einsumWays...)
	head = append(head, "native planning", "decomposed planning", "vs decomposed", "with planning", "vs flat", "vs pairwise")
	for i := range r.Cases {
		c := &r.Cases[i]
		row := []string{c.Name, fmt.Sprint(c.Tensors), fmt.Sprint(c.Indices), fmt.Sprint(c.Entries)}
		for _, way := range einsumWays {
			row = append(row, c.of(way).text(r.Timeout))
		}
		row = append(row, short(c.of(wayNative).Planning), short(c.of(wayDecomposed).Planning))
		rows = append(rows, append(row, r.speedUpText(c, wayDecomposed, false), r.speedUpText(c, wayDecomposed, true),
			r.speedUpText(c, wayFlat, false), r.speedUpText(c, wayPairwise, false)))
	}
	return head, rows
}

func (r *EinsumReport) speedUpText(c *EinsumCase, way string, planning bool) string {
	switch times, bound, ok := r.speedUp(c, way, planning); {
	case !ok:
		return "-"
	case bound:
		return fmt.Sprintf("> %.1fx", times)
	default:
		return fmt.Sprintf("%.1fx", times)
	}
}

func (r *EinsumReport) title() string {
	return fmt.Sprintf("einsum: Trireme %s beside DuckDB %s on %s, %d cores, %s; %d threads, %d runs, timeout %s",
		r.Version, r.DuckDB, r.Machine.CPU, r.Machine.Cores, r.Machine.Go, r.Threads, r.Runs, short(r.Timeout))
}

// Print writes the report for people.
func (r *EinsumReport) Print(out io.Writer) error {
	fmt.Fprintln(out, r.title())
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	head, rows := r.table()
	for _, row := range append([][]string{head}, rows...) {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, strings.Join(r.summary(), "\n"))
	return err
}

// Page is the report as Markdown.
func (r *EinsumReport) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Einstein summation\n\n%s. Times are medians, to the last row, of executions whose plan is there on all sides, as in the other suites; planning is in columns of its own, and with it the speed-up that counts it on both sides. The path of the decomposed SQL is given to it.\n\n", r.title())
	head, rows := r.table()
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString("\n")
	for _, line := range r.summary() {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	b.WriteString("\n")
	for i := range r.Cases {
		fmt.Fprintf(&b, "- `%s`: %s.\n", r.Cases[i].Name, r.Cases[i].About)
	}
	for _, line := range r.Wrong {
		fmt.Fprintf(&b, "- wrong: %s\n", line)
	}
	return b.String()
}

// WriteJSON writes the report with every run; times are in nanoseconds.
func (r *EinsumReport) WriteJSON(w io.Writer) error { return writeJSON(w, r) }
