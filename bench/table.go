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

// table is lines of cells, the header first.
type table [][]string

// print aligns the columns.
func (t table) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, cells := range t {
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

// Print writes the report for people: a line per case, or of a brief suite the
// extreme ones, and a summary per variant.
func (r *Report) Print(out io.Writer) error {
	fmt.Fprintf(out, "%s: Trireme %s beside DuckDB %s on %s, %d cores, %s\n", r.Suite, r.Version, r.DuckDB, r.Machine.CPU, r.Machine.Cores, r.Machine.Go)
	for _, d := range r.Data {
		fmt.Fprintf(out, "data %s: %s\n", d.Name, d)
	}
	for _, line := range r.conditions() {
		fmt.Fprintln(out, line)
	}
	shown := r.shown()
	for _, t := range []table{r.caseTable(shown), r.costTable(shown)} {
		if len(t) < 2 {
			continue
		}
		fmt.Fprintln(out)
		if err := t.print(out); err != nil {
			return err
		}
	}
	if len(shown) < len(r.Cases) {
		fmt.Fprintf(out, "(%d of %d cases: the slowest on native, and those with the least speed-up)\n", len(shown), len(r.Cases))
	}
	for _, line := range r.buildLines() {
		fmt.Fprintln(out, line)
	}
	if t := r.summaryTable(); t != nil {
		fmt.Fprintln(out)
		if err := t.print(out); err != nil {
			return err
		}
	}
	for _, line := range r.verdicts() {
		fmt.Fprintln(out, line)
	}
	return nil
}

// conditions say how everything was measured.
func (r *Report) conditions() []string {
	lines := []string{
		fmt.Sprintf("Times are medians of %d runs in turn, with tables in memory on both sides. The number after a backend is its threads.", r.Runs),
		"DuckDB runs the user's own SQL on its own tables, with the same threads.",
		r.planningCondition(),
		"\">\" is a timeout, counted and never averaged in (geometric means are of the other cases);",
		"\">=\" a bound that follows from one.",
	}
	if r.Patience > 0 {
		lines = append(lines, fmt.Sprintf("A case that has run for %s gets no further run.", short(r.Patience)))
	}
	if r.Budget > 0 {
		lines = append(lines, fmt.Sprintf("A suite that has run for its part of the time gets one run of every case after its warm-up, each execution of at most %s.", short(hurriedTimeout)))
	}
	if r.Wire {
		lines = append(lines, "Every statement went over the Postgres wire protocol, to a listener in the same process; memory includes the client's.")
	}
	return lines
}

func (r *Report) planningCondition() string {
	if r.PlanAnew {
		return "Every execution makes its plan: times are from the text to the last row, on all sides."
	}
	return "Plans are warm on both sides: Trireme's cache of plans is on, as it is by default; DuckDB's statements are prepared before\n" +
		"the clock starts. What planning takes is in columns of its own."
}

// verdicts are what must not be overlooked.
func (r *Report) verdicts() []string {
	var lines []string
	for _, what := range r.Wrong {
		lines = append(lines, "WRONG: "+what)
	}
	if r.Interrupted {
		lines = append(lines, "Interrupted: the rest was not measured.")
	}
	return lines
}

// shown are the cases that tables show.
func (r *Report) shown() []CaseReport {
	if r.Brief {
		return r.extremeCases()
	}
	return r.Cases
}

// caseTable has a line per case but those that build tensors.
func (r *Report) caseTable(cases []CaseReport) table {
	t := table{r.header()}
	for i := range cases {
		if cases[i].Measured != nil {
			t = append(t, r.line(&cases[i]))
		}
	}
	return t
}

// costTable has, per case and variant, the first execution, in which tables are read
// and tensors built, and by how much memory rises in a later one.
func (r *Report) costTable(cases []CaseReport) table {
	head := []string{"case"}
	for _, what := range []string{"cold ", "memory "} {
		for _, v := range r.Variants {
			head = append(head, what+v.String())
		}
	}
	t := table{head}
	for i := range cases {
		c := &cases[i]
		if c.Measured == nil {
			continue
		}
		cold, memory := []string{c.Name}, []string(nil)
		for _, v := range r.Variants {
			m := c.of(v)
			coldText, memoryText := "-", "-"
			if m != nil && m.Cold > 0 {
				coldText = short(m.Cold)
			}
			if m != nil && m.Memory.Peak > 0 {
				memoryText = bytesText(m.Memory.Rise)
			}
			cold, memory = append(cold, coldText), append(memory, memoryText)
		}
		t = append(t, append(cold, memory...))
	}
	return t
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
	if _, ok := r.duckdb(); ok {
		cells = append(cells, "duckdb planning")
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
	if base, ok := r.duckdb(); ok {
		planning := "-"
		if m := c.of(base); m != nil && m.Planning > 0 {
			planning = short(m.Planning)
		}
		cells = append(cells, planning)
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

// bytesText is a size in the unit that people read.
func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
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

// buildLines are a line per variant of the cases that build tensors.
func (r *Report) buildLines() []string {
	var lines []string
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
			lines = append(lines, fmt.Sprintf("%s on %s: %d entries in %s, %.1f ns per entry; with statistics and layouts %.1f ns per entry",
				c.Name, v, entries, short(median(load)), perEntry(median(load)), perEntry(median(rest))))
		}
	}
	return lines
}

// summaryTable says, per variant, how the cases compare with DuckDB; nil without
// DuckDB or cases.
func (r *Report) summaryTable() table {
	base, ok := r.duckdb()
	if !ok || r.summary(base, base).cases == 0 {
		return nil
	}
	t := table{{"", "cases", "median speed-up", "geometric mean", "least", "with planning", "median time", "slowest", "timeouts", "mean planning", "most memory"}}
	for _, v := range r.Variants {
		s := r.summary(v, base)
		cells := []string{v.String(), fmt.Sprint(s.cases), "-", "-", "-", "-", "-", "-", fmt.Sprint(s.timeouts), "-", "-"}
		if v != base && len(s.speedUps) > 0 {
			cells[2], cells[4] = s.median(), times2(s.speedUps[0])
			if len(s.measured) > 0 {
				cells[3] = times2(geometricMean(s.measured))
			}
		}
		if v != base && len(s.withPlanning) > 0 {
			cells[5] = times2(middle(s.withPlanning))
		}
		if len(s.times) > 0 {
			cells[6], cells[7] = short(median(s.times)), short(slices.Max(s.times))
		}
		if len(s.planning) > 0 {
			cells[9] = short(mean(s.planning))
		}
		if s.memory > 0 {
			cells[10] = bytesText(s.memory)
		}
		t = append(t, cells)
	}
	return t
}

func mean(times []time.Duration) time.Duration {
	sum := time.Duration(0)
	for _, d := range times {
		sum += d
	}
	return sum / time.Duration(len(times))
}

// summary gathers a variant's cases. speedUps has lower bounds where DuckDB ran
// into its timeout, measured has not.
type summary struct {
	cases, timeouts    int
	times              []time.Duration
	planning           []time.Duration
	speedUps, measured []float64 // speedUps are sorted
	leastBound         float64   // the smallest of the lower bounds among speedUps
	withPlanning       []float64 // sorted speed-ups with planning added on both sides
	memory             int64     // the largest rise, in bytes
}

// median is that of the speed-ups: a bound itself where it is made of one.
func (s *summary) median() string {
	x := middle(s.speedUps)
	if s.leastBound <= s.speedUps[len(s.speedUps)/2] {
		return ">= " + times2(x)
	}
	return times2(x)
}

func (r *Report) summary(v, base Variant) summary {
	s := summary{leastBound: math.Inf(1)}
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
		if m.Planning > 0 {
			s.planning = append(s.planning, m.Planning)
		}
		s.memory = max(s.memory, m.Memory.Rise)
		times, bound, ok := m.SpeedUp(c.of(base))
		if !ok {
			continue
		}
		s.speedUps = append(s.speedUps, times)
		if bound {
			s.leastBound = min(s.leastBound, times)
		} else {
			s.measured = append(s.measured, times)
		}
		if times, ok := m.speedUpWithPlanning(c.of(base), r.PlanAnew); ok {
			s.withPlanning = append(s.withPlanning, times)
		}
	}
	sort.Float64s(s.speedUps)
	sort.Float64s(s.withPlanning)
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
