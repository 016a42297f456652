package bench

import (
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/engine"
)

// casesMax is the number of cases up to which each has a place of its own in a
// picture; more are summed up by boxes.
const casesMax = 26

// plotWidth is that of a picture, in pixels.
const plotWidth = 1180.0

// Plot is a picture of the results, as SVG: times per suite and backend on a
// logarithmic scale, times of every case of suites with few, planning, estimators
// and searches where they were compared, formats of every iteration of recursions.
func (r *Results) Plot() string {
	p := &plot{y: 34}
	names := ""
	if len(r.Suites) == 1 {
		names = r.Suites[0].Suite + ": "
	}
	p.text(20, p.y, fmt.Sprintf("%sTrireme %s beside DuckDB %s on %s, %d cores", names, r.Version, r.DuckDB, r.Machine.CPU, r.Machine.Cores), titleSize+2, atStart)
	p.y += 18
	groups := r.groups()
	p.boxes("Execution time", "time", groups, (*Report).plainVariants, timeOf)
	for _, s := range r.Suites {
		if n := len(s.measured()); n > 1 && n <= casesMax {
			p.dots(s)
		}
	}
	p.boxes("Planning time", "time", groups, (*Report).planners, planningOf)
	if slices.ContainsFunc(r.Suites, func(s *Report) bool { return len(s.nativePlans()) > 1 }) {
		p.boxes("Estimators and searches: execution time on native", "time", groups, (*Report).nativePlans, timeOf)
	}
	p.iterations(r.Suites)
	return p.svg(plotWidth, p.y+10)
}

// group is what stands together on the horizontal axis: a suite or, of a suite with
// many cases, the cases over one data set.
type group struct {
	name   string
	report *Report
	cases  []*CaseReport
}

// groups divides the results.
func (r *Results) groups() []group {
	var out []group
	for _, s := range r.Suites {
		cases := s.measured()
		if len(cases) <= casesMax && len(r.Suites) > 1 || len(s.Data) == 1 {
			out = append(out, group{s.Suite, s, cases})
			continue
		}
		for _, d := range s.Data {
			of := slices.DeleteFunc(slices.Clone(cases), func(c *CaseReport) bool { return c.Data != d.Name })
			if len(of) > 0 {
				out = append(out, group{s.Suite + " " + d.Name, s, of})
			}
		}
	}
	return out
}

// measured are the cases that were executed, without those that build tensors.
func (r *Report) measured() []*CaseReport {
	var out []*CaseReport
	for i := range r.Cases {
		if r.Cases[i].Measured != nil {
			out = append(out, &r.Cases[i])
		}
	}
	return out
}

// plainVariants are backends as they are by default.
func (r *Report) plainVariants() []Variant {
	return slices.DeleteFunc(slices.Clone(r.Variants), func(v Variant) bool { return !v.plain() })
}

// planners are the variants whose planning was measured, with the most threads.
func (r *Report) planners() []Variant {
	return slices.DeleteFunc(slices.Clone(r.Variants), func(v Variant) bool {
		return v.Backend == engine.Decomposed || v.Threads < r.threads()
	})
}

// nativePlans are the ways of native to plan, with the most threads.
func (r *Report) nativePlans() []Variant {
	return slices.DeleteFunc(slices.Clone(r.Variants), func(v Variant) bool { return v.Backend != engine.Native || v.Threads < r.threads() })
}

func (r *Report) threads() int {
	most := 0
	for _, v := range r.Variants {
		most = max(most, v.Threads)
	}
	return most
}

// plotted is a value of a case in seconds, or a lower bound of it.
type plotted struct {
	seconds float64
	bound   bool
}

// timeOf is the median, or the timeout.
func timeOf(m *Measure) (plotted, bool) {
	if m.Failed != "" {
		return plotted{}, false
	}
	if d, ok := m.Median(); ok {
		return plotted{seconds: d.Seconds()}, true
	}
	if m.Timeouts > 0 {
		return plotted{seconds: m.TimedOutAfter.Seconds(), bound: true}, true
	}
	return plotted{}, false
}

func planningOf(m *Measure) (plotted, bool) {
	return plotted{seconds: m.Planning.Seconds()}, m.Planning > 0
}

// colours of backends are those of Okabe and Ito, which people who are colour-blind
// tell apart.
var (
	nativeColours     = [2]string{"#0072B2", "#56B4E9"} // most threads, one
	decomposedColours = [2]string{"#B8860B", "#E6C35C"}
	duckdbColours     = [2]string{"#D55E00", "#CC79A7"} // as it is compared, with common_subplan
	planColours       = []string{"#009E73", "#7B3FA0", "#8C6D31", "#444444"}
)

// colour is that of a variant of a report.
func (r *Report) colour(v Variant) string {
	second := 0
	if v.Threads < r.threads() {
		second = 1
	}
	switch {
	case !v.plain() && v.Backend == engine.Native:
		others := slices.DeleteFunc(r.nativePlans(), Variant.plain)
		return planColours[max(0, slices.Index(others, v))%len(planColours)]
	case v.Backend == engine.Native:
		return nativeColours[second]
	case v.Backend == engine.Decomposed:
		return decomposedColours[second]
	}
	return duckdbColours[second]
}
