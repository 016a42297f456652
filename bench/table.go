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

// extremes is how many cases a brief table shows at each end.
const extremes = 5

// Print writes the report for people: a line per case, or of a brief suite the
// extreme ones, and a summary per variant.
func (r *Report) Print(out io.Writer) error {
	fmt.Fprintf(out, "%s: Trireme %s beside DuckDB %s on %s, %d cores, %s\n", r.Suite, r.Version, r.DuckDB, r.Machine.CPU, r.Machine.Cores, r.Machine.Go)
	for _, d := range r.Data {
		fmt.Fprintf(out, "data %s: %s\n", d.Name, d)
	}
	fmt.Fprintf(out, "Median of %d runs in turn, from text to last row, planning included, tables in memory on both sides.\n"+
		"The number after a backend is its threads. \">\" is a timeout, \">=\" a bound that follows from one.\n"+
		"DuckDB runs without its optimizer common_subplan, which gives wrong answers in this version.\n\n", r.Runs)
	shown := r.Cases
	if r.Brief {
		shown = r.extremeCases()
	}
	if err := r.printCases(out, shown); err != nil {
		return err
	}
	if len(shown) < len(r.Cases) {
		fmt.Fprintf(out, "(%d of %d cases: the slowest on native, and those with the least speed-up)\n", len(shown), len(r.Cases))
	}
	r.printBuilds(out)
	if err := r.printSummary(out); err != nil {
		return err
	}
	for _, what := range r.Wrong {
		fmt.Fprintf(out, "WRONG: %s\n", what)
	}
	if r.Interrupted {
		fmt.Fprintf(out, "Interrupted: the rest was not measured.\n")
	}
	return nil
}

// printCases writes a line per case but those that build tensors.
func (r *Report) printCases(out io.Writer, cases []CaseReport) error {
	lines := []string{strings.Join(r.header(), "\t")}
	for i := range cases {
		if cases[i].Measured != nil {
			lines = append(lines, strings.Join(r.line(&cases[i]), "\t"))
		}
	}
	if len(lines) == 1 {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(lines, "\n"))
	return w.Flush()
}

// String lists the tables with their rows.
func (d DataReport) String() string {
	var parts []string
	for name, rows := range d.Tables {
		parts = append(parts, fmt.Sprintf("%s %d", name, rows))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ") + " rows"
}

// natives are the variants that are compared with DuckDB.
func (r *Report) natives() []Variant {
	return slices.DeleteFunc(slices.Clone(r.Variants), func(v Variant) bool { return !v.is(engine.Native) })
}

// The columns are the variants' medians, the speed-ups of native over DuckDB, the
// speed-up by threads, and planning and kernel of native with the most threads.
func (r *Report) header() []string {
	cells := []string{"case", "answer"}
	for _, v := range r.Variants {
		cells = append(cells, v.String())
	}
	if _, ok := r.duckdb(); ok {
		for _, v := range r.natives() {
			cells = append(cells, fmt.Sprintf("speed-up %d", v.Threads))
		}
	}
	natives := r.natives()
	if len(natives) > 1 {
		cells = append(cells, "by threads")
	}
	if len(natives) > 0 {
		cells = append(cells, "planning", "kernel")
	}
	return append(cells, "note")
}

func (r *Report) line(c *CaseReport) []string {
	cells := []string{c.Name, c.Answer}
	var notes []string
	for _, v := range r.Variants {
		m := c.of(v)
		cells = append(cells, m.text())
		if m != nil && m.Baseline != "" {
			notes = append(notes, fmt.Sprintf("%s ran %s", v, m.Baseline))
		}
		if m != nil && m.Refused != "" {
			notes = append(notes, m.Refused)
		}
	}
	natives := r.natives()
	if base, ok := r.duckdb(); ok {
		for _, v := range natives {
			cells = append(cells, speedUpText(c.of(v), c.of(base)))
		}
	}
	if len(natives) > 1 {
		cells = append(cells, speedUpText(c.of(natives[1]), c.of(natives[0])))
	}
	if len(natives) > 0 {
		planning, kernel := "-", "-"
		if m := c.of(natives[len(natives)-1]); m != nil && m.Kernel > 0 {
			planning, kernel = short(m.Planning), short(m.Kernel)
		}
		cells = append(cells, planning, kernel)
	}
	return append(cells, strings.Join(slices.Compact(notes), "; "))
}

// text is the median, or why there is none.
func (m *Measure) text() string {
	if m == nil {
		return "-"
	}
	if d, ok := m.Median(); ok && m.Failed == "" {
		return short(d)
	}
	switch {
	case m.Failed != "":
		return "failed"
	case m.Refused != "":
		return "refused"
	case m.Timeouts > 0:
		return "> " + short(m.TimedOutAfter)
	}
	return "-"
}

func speedUpText(m, base *Measure) string {
	if m == nil {
		return "-"
	}
	times, bound, ok := m.SpeedUp(base)
	if !ok {
		return "-"
	}
	text := times2(times)
	if bound {
		text = ">= " + text
	}
	return text
}

// times2 is a factor with two digits, or all before the point.
func times2(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.2gx", x)
	}
	return fmt.Sprintf("%.0fx", x)
}

// short is a duration with three digits.
func short(d time.Duration) string {
	unit := time.Microsecond
	switch {
	case d >= time.Second:
		unit = time.Second
	case d >= time.Millisecond:
		unit = time.Millisecond
	}
	x := float64(d) / float64(unit)
	digits := max(0, 2-int(math.Floor(math.Log10(max(x, 1)))))
	return fmt.Sprintf("%.*f %s", digits, x, map[time.Duration]string{time.Second: "s", time.Millisecond: "ms", time.Microsecond: "us"}[unit])
}

// printBuilds writes a line per variant of the cases that build tensors.
func (r *Report) printBuilds(out io.Writer) {
	for _, c := range r.Cases {
		for _, v := range r.natives() {
			var load, rest []time.Duration
			var entries int64
			for _, b := range c.Build {
				if b.Variant == v {
					load, rest, entries = append(load, b.Load), append(rest, b.First-b.Second), b.Entries
				}
			}
			if entries == 0 {
				continue
			}
			perEntry := func(d time.Duration) float64 { return float64(d) / float64(entries) }
			fmt.Fprintf(out, "%s on %s: %d entries in %s, %.1f ns per entry; with statistics and layouts %.1f ns per entry\n",
				c.Name, v, entries, short(median(load)), perEntry(median(load)), perEntry(median(rest)))
		}
	}
}

// printSummary writes, per variant of native, how the cases compare with DuckDB.
func (r *Report) printSummary(out io.Writer) error {
	base, ok := r.duckdb()
	if !ok || r.summary(base, base).cases == 0 {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n\tcases\tmedian speed-up\tgeometric mean\tleast\tmedian time\tslowest\ttimeouts\n")
	for _, v := range r.Variants {
		s := r.summary(v, base)
		cells := []string{v.String(), fmt.Sprint(s.cases), "-", "-", "-", "-", "-", fmt.Sprint(s.timeouts)}
		if v != base && len(s.speedUps) > 0 {
			sort.Float64s(s.speedUps)
			cells[2], cells[4] = s.atLeast+times2(middle(s.speedUps)), times2(s.speedUps[0])
			if len(s.measured) > 0 {
				cells[3] = times2(geometricMean(s.measured))
			}
		}
		if len(s.times) > 0 {
			cells[5], cells[6] = short(median(s.times)), short(slices.Max(s.times))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

// summary gathers a variant's cases. speedUps has lower bounds where DuckDB ran
// into its timeout, measured has not.
type summary struct {
	cases, timeouts    int
	times              []time.Duration
	speedUps, measured []float64
	atLeast            string // ">= " when a bound is among speedUps
}

func (r *Report) summary(v, base Variant) summary {
	var s summary
	for i := range r.Cases {
		c := &r.Cases[i]
		m := c.of(v)
		if m == nil {
			continue
		}
		s.cases++
		if m.Timeouts > 0 {
			s.timeouts++
		}
		if d, ok := m.Median(); ok {
			s.times = append(s.times, d)
		}
		times, bound, ok := m.SpeedUp(c.of(base))
		if !ok {
			continue
		}
		s.speedUps = append(s.speedUps, times)
		if bound {
			s.atLeast = ">= "
		} else {
			s.measured = append(s.measured, times)
		}
	}
	return s
}

// middle is the median of sorted numbers.
func middle(sorted []float64) float64 {
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}

func geometricMean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(xs)))
}

// extremeCases are the slowest on native and those with the least speed-up, in
// the suite's order.
func (r *Report) extremeCases() []CaseReport {
	natives := r.natives()
	if len(natives) == 0 || len(r.Cases) <= 2*extremes {
		return r.Cases
	}
	v, base := natives[len(natives)-1], Variant{}
	if b, ok := r.duckdb(); ok {
		base = b
	}
	byTime, bySpeedUp := make([]int, len(r.Cases)), make([]int, len(r.Cases))
	time, speedUp := make([]float64, len(r.Cases)), make([]float64, len(r.Cases))
	for i := range r.Cases {
		byTime[i], bySpeedUp[i] = i, i
		time[i], speedUp[i] = math.Inf(1), 0 // no median: among the worst
		if m := r.Cases[i].of(v); m != nil {
			if d, ok := m.Median(); ok {
				time[i] = d.Seconds()
			}
			if x, _, ok := m.SpeedUp(r.Cases[i].of(base)); ok {
				speedUp[i] = x
			}
		}
	}
	sort.SliceStable(byTime, func(a, b int) bool { return time[byTime[a]] > time[byTime[b]] })
	sort.SliceStable(bySpeedUp, func(a, b int) bool { return speedUp[bySpeedUp[a]] < speedUp[bySpeedUp[b]] })
	kept := append(byTime[:extremes:extremes], bySpeedUp[:extremes]...)
	slices.Sort(kept)
	var out []CaseReport
	for _, i := range slices.Compact(kept) {
		out = append(out, r.Cases[i])
	}
	return out
}
