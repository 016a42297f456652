package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/engine"
)

// Page is the results as a page of Markdown: what was run and where, all suites,
// the targets, the cases in which DuckDB wins with their causes, and the tables of
// every suite. It follows from the results alone. plot is the address of a picture,
// empty: none.
func (r *Results) Page(plot string) string {
	var b strings.Builder
	b.WriteString("# Trireme beside DuckDB\n\nWritten by `trireme bench results` from the runs of `results.json`.\n\n")
	r.writeMachine(&b)
	if plot != "" {
		fmt.Fprintf(&b, "![times per suite, planning, estimators, formats](%s)\n\n", plot)
	}
	b.WriteString("## How it is measured\n\n")
	if len(r.Suites) > 0 {
		for _, line := range r.Suites[0].conditions() {
			b.WriteString(escape(line) + "\n")
		}
	}
	b.WriteString("Memory is by how much the resident set rises in one warm execution; a time is cold in the first execution after the\n" +
		"tables have changed, in which native reads them and builds tensors.\n\n## All suites\n\n")
	b.WriteString(r.suiteTable().markdown())
	b.WriteString("\nFigures of native with the most threads; speed-ups are over DuckDB.\n\n")
	r.writeTargets(&b)
	r.writeLosses(&b)
	for _, s := range r.Suites {
		s.writeSection(&b, r.own(s))
	}
	return b.String()
}

func (r *Results) writeMachine(b *strings.Builder) {
	m := r.Machine
	fmt.Fprintf(b, "| | |\n|---|---|\n| machine | %s, %d cores, %s of memory, %s %s %s |\n", escape(m.CPU), m.Cores, bytesText(m.MemoryBytes), m.OS, m.Kernel, m.Arch)
	fmt.Fprintf(b, "| versions | Trireme %s, DuckDB %s, %s |\n", escape(r.Version), escape(r.DuckDB), m.Go)
	fmt.Fprintf(b, "| run | %s, %s in all |\n", r.Started.Format(time.RFC3339), r.Took.Round(time.Second))
	for _, s := range r.Suites {
		if r.own(s) {
			fmt.Fprintf(b, "| %s on its own | %s, %s in all |\n", s.Suite, s.Started.Format(time.RFC3339), s.Took.Round(time.Second))
		}
	}
	for _, why := range r.Missing {
		fmt.Fprintf(b, "| missing | %s |\n", escape(why))
	}
	b.WriteString("\n")
}

// suiteTable has a line per suite, of native with the most threads.
func (r *Results) suiteTable() table {
	t := table{{"suite", "cases", "median speed-up", "geometric mean", "least", "with planning", "below 1x", "timeouts", "duckdb timeouts", "wrong"}}
	for _, s := range r.Suites {
		cells := []string{s.Suite, fmt.Sprint(len(s.Cases)), "-", "-", "-", "-", "-", "-", "-", fmt.Sprint(len(s.Wrong))}
		native, base, ok := s.compared()
		if ok {
			sum := s.summary(native, base)
			cells[1] = fmt.Sprint(sum.cases)
			if len(sum.speedUps) > 0 {
				cells[2], cells[4] = sum.median(), times2(sum.speedUps[0])
			}
			if len(sum.measured) > 0 {
				cells[3] = times2(geometricMean(sum.measured))
			}
			if len(sum.withPlanning) > 0 {
				cells[5] = times2(middle(sum.withPlanning))
			}
			cells[6], cells[7] = fmt.Sprint(len(s.losses())), fmt.Sprint(sum.timeouts)
			cells[8] = fmt.Sprint(s.summary(base, base).timeouts)
		}
		t = append(t, cells)
	}
	return t
}

// compared are the variants that the page compares: native with the most threads,
// and DuckDB.
func (r *Report) compared() (native, base Variant, ok bool) {
	base, ok = r.duckdb()
	natives := r.natives()
	if !ok || len(natives) == 0 {
		return Variant{}, Variant{}, false
	}
	return natives[len(natives)-1], base, true
}

// writeTargets lists what was aimed at.
func (r *Results) writeTargets(b *strings.Builder) {
	t := table{{"suite", "case", "target", "speed-up", ""}}
	for _, s := range r.Suites {
		native, base, ok := s.compared()
		if !ok {
			continue
		}
		if s.Target > 0 {
			if sum := s.summary(native, base); len(sum.speedUps) > 0 {
				x := middle(sum.speedUps)
				t = append(t, []string{s.Suite, "median", times2(s.Target), sum.median(), verdict(x, s.Target)})
			}
		}
		for i := range s.Cases {
			c := &s.Cases[i]
			if c.Target == 0 {
				continue
			}
			cells := []string{s.Suite, c.Name, times2(c.Target), speedUpText(c.of(native), c.of(base)), "missed"}
			if m := c.of(native); m != nil {
				if x, _, ok := m.SpeedUp(c.of(base)); ok {
					cells[4] = verdict(x, c.Target)
				}
			}
			t = append(t, cells)
		}
	}
	if len(t) > 1 {
		b.WriteString("## Targets\n\n" + t.markdown() + "\n")
	}
}

func verdict(x, target float64) string {
	if x < target {
		return "missed"
	}
	return "met"
}

// loss is a case in which native is not as fast as DuckDB.
type loss struct {
	c     *CaseReport
	cause string
}

// losses are the cases below 1x and those that native does not end or refuses,
// without those that DuckDB does not end either.
func (r *Report) losses() []loss {
	native, base, ok := r.compared()
	if !ok {
		return nil
	}
	var out []loss
	for i := range r.Cases {
		c := &r.Cases[i]
		m, d := c.of(native), c.of(base)
		if m == nil || d == nil {
			continue
		}
		if _, ok := d.Median(); !ok {
			continue
		}
		if x, _, ok := m.SpeedUp(d); !ok || x < 1 {
			out = append(out, loss{c, r.cause(c, m)})
		}
	}
	return out
}

// cause is why native is slower: what the case's file says, else the reason that it
// was refused with, else where the time goes.
func (r *Report) cause(c *CaseReport, m *Measure) string {
	own, ok := m.Median()
	switch {
	case c.Cause != "":
		return c.Cause
	case m.Refused != "":
		return "refused: " + m.Refused
	case m.Failed != "":
		return "failed: " + m.Failed
	case !ok:
		return "no run ended within the timeout"
	}
	if parseClientLoop(c.SQL) != nil {
		return "iterated by the client: every statement writes a table, so that the next one builds tensors and plans anew"
	}
	kernels := min(own, m.Kernel)
	switch {
	case m.Kernel == 0:
		return "where the time goes is not known"
	case kernels > own/2:
		return fmt.Sprintf("its kernels take %s of %s", short(kernels), short(own))
	case r.PlanAnew && m.Planning > (own-kernels)/2:
		return fmt.Sprintf("planning takes %s of %s", short(m.Planning), short(own))
	}
	return fmt.Sprintf("not its kernels, which take %s of %s: binding, and the rows of the result", short(kernels), short(own))
}

// writeLosses names the cases in which DuckDB wins.
func (r *Results) writeLosses(b *strings.Builder) {
	t := table{{"suite", "case", "native", "duckdb", "speed-up", "cause"}}
	for _, s := range r.Suites {
		native, base, _ := s.compared()
		for _, l := range s.losses() {
			m, d := l.c.of(native), l.c.of(base)
			t = append(t, []string{s.Suite, l.c.Name, m.text(), d.text(), speedUpText(m, d), l.cause})
		}
	}
	b.WriteString("## Where DuckDB wins\n\n")
	if len(t) == 1 {
		b.WriteString("In no case of this run.\n\n")
		return
	}
	b.WriteString(t.markdown() + "\n")
}

// writeSection is the part of one suite; own: it was run on its own.
func (r *Report) writeSection(b *strings.Builder, own bool) {
	fmt.Fprintf(b, "## %s\n\n", r.Suite)
	if r.About != "" {
		b.WriteString(escape(r.About) + "\n\n")
	}
	for _, d := range r.Data {
		fmt.Fprintf(b, "- data %s: %s\n", escape(d.Name), escape(d.String()))
	}
	fmt.Fprintf(b, "- %d runs, timeout %s\n", r.Runs, short(r.Timeout))
	if own {
		b.WriteString("- run on its own, without the bounds of size and time that a run of all suites has\n")
	}
	for _, c := range r.Cases {
		if !c.Again.IsZero() {
			fmt.Fprintf(b, "- %s measured once more, in a run of %s\n", escape(c.Name), c.Again.Format(time.RFC3339))
		}
	}
	b.WriteString("\n")
	shown := r.shown()
	for _, t := range []table{r.caseTable(shown), r.costTable(shown), r.summaryTable()} {
		if len(t) > 1 {
			b.WriteString(t.markdown() + "\n")
		}
	}
	if len(shown) < len(r.Cases) {
		fmt.Fprintf(b, "%d of %d cases: the slowest on native, and those with the least speed-up.\n\n", len(shown), len(r.Cases))
	}
	lines := slices.Concat(r.buildLines(), r.iterationLines(), r.verdicts())
	for _, line := range lines {
		b.WriteString("- " + escape(line) + "\n")
	}
	if len(lines) > 0 {
		b.WriteString("\n")
	}
}

// iterationLines say in which formats the state of recursions was stored, in turn.
func (r *Report) iterationLines() []string {
	var lines []string
	for i := range r.Cases {
		for _, m := range r.Cases[i].Measured {
			if len(m.Iterations) > 0 && m.Variant.is(engine.Native) {
				lines = append(lines, fmt.Sprintf("%s on %s: %d iterations; formats: %s", r.Cases[i].Name, m.Variant, len(m.Iterations), formatRuns(m.Iterations)))
			}
		}
	}
	return lines
}

// formatRuns is "sparselist x2, bytemap x3": equal neighbours are counted.
func formatRuns(its []Iteration) string {
	var parts []string
	for i := 0; i < len(its); {
		end := i
		for end < len(its) && slices.Equal(its[end].Formats, its[i].Formats) {
			end++
		}
		parts = append(parts, fmt.Sprintf("%s x%d", its[i].format(), end-i))
		i = end
	}
	return strings.Join(parts, ", ")
}

// format names the formats of a step's inputs.
func (i Iteration) format() string {
	if len(i.Formats) == 0 {
		return "none"
	}
	return strings.Join(slices.Compact(slices.Clone(i.Formats)), " and ")
}

// escape keeps text from being read as Markdown's marks.
func escape(text string) string {
	return strings.NewReplacer("|", "\\|", "*", "\\*", "<", "&lt;", ">", "&gt;", "_", "\\_", "\n", " ").Replace(text)
}

// markdown is the table in GitHub's form.
func (t table) markdown() string {
	var b strings.Builder
	for i, cells := range t {
		b.WriteString("|")
		for _, cell := range cells {
			b.WriteString(" " + escape(cell) + " |")
		}
		b.WriteString("\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(cells)) + "\n")
		}
	}
	return b.String()
}
