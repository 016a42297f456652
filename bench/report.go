package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/engine"
)

// Report is a run of a suite: all that was measured, and on what.
type Report struct {
	Suite   string        `json:"suite"`
	About   string        `json:"about,omitempty"`
	Started time.Time     `json:"started"`
	Took    time.Duration `json:"took_ns"`
	// Target is how many times faster than DuckDB the median case is meant to be; 0: none.
	Target  float64       `json:"target,omitempty"`
	Machine Machine       `json:"machine"`
	Version string        `json:"trireme"`
	DuckDB  string        `json:"duckdb"`
	Runs    int           `json:"runs"`
	Timeout time.Duration `json:"timeout_ns"`
	// Patience is the time after which a case got no further run; 0: no limit.
	Patience time.Duration `json:"patience_ns,omitempty"`
	// Budget is the time after which the suite hurried (Config.Budget); 0: no limit.
	Budget time.Duration `json:"budget_ns,omitempty"`
	// PlanAnew: planning is within every time.
	PlanAnew bool `json:"plan_anew,omitempty"`
	// Wire: every statement went over the wire protocol.
	Wire     bool         `json:"wire,omitempty"`
	Variants []Variant    `json:"variants"`
	Data     []DataReport `json:"data"`
	Cases    []CaseReport `json:"cases"`
	Verdict
	// Brief: tables show the summary and the extreme cases only.
	Brief bool `json:"brief,omitempty"`
}

// DataReport is a data set as it was loaded.
type DataReport struct {
	Name   string           `json:"name"`
	Tables map[string]int64 `json:"tables"` // rows
}

// CaseReport is what was measured of a case.
type CaseReport struct {
	Name     string    `json:"name"`
	Data     string    `json:"data"`
	About    string    `json:"about,omitempty"`
	SQL      string    `json:"sql"`
	Target   float64   `json:"target,omitempty"` // see Case
	Cause    string    `json:"cause,omitempty"`  // see Case
	Answer   string    `json:"answer"`           // the only cell, or the number of rows
	Measured []Measure `json:"measured"`
	Build    []Build   `json:"build,omitempty"`
	// Again is when the run began in which the case was measured, where it is a later
	// one than the suite's.
	Again time.Time `json:"again,omitzero"`
}

// Measure is what was measured of a case under a variant.
type Measure struct {
	Variant  Variant         `json:"variant"`
	Cold     time.Duration   `json:"cold_ns"` // the first execution, with no tensor at hand
	Runs     []time.Duration `json:"runs_ns"` // those after it that ended
	Timeouts int             `json:"timeouts"`
	// ColdMemory is of the first execution, Memory of one between it and the runs.
	ColdMemory Memory `json:"cold_memory"`
	Memory     Memory `json:"memory"`
	// TimedOutAfter is the time that an execution was given.
	TimedOutAfter time.Duration `json:"timed_out_after_ns,omitempty"`
	Refused       string        `json:"refused,omitempty"`
	Failed        string        `json:"failed,omitempty"`
	// Baseline is the case whose SQL was executed instead, because the case's own
	// ran into the timeout.
	Baseline string `json:"baseline,omitempty"`
	// Planning and Kernel of native are parts of one more execution: making plans,
	// and running their steps. Planning of DuckDB is before each of Runs; the median.
	Planning time.Duration `json:"planning_ns,omitempty"`
	Kernel   time.Duration `json:"kernel_ns,omitempty"`
	// Iterations are the steps of a recursion on native, in that execution.
	Iterations []Iteration `json:"iterations,omitempty"`

	first   *answer
	planned []time.Duration
}

// Iteration is one step of a recursion.
type Iteration struct {
	Rows    int `json:"rows"`     // that it read
	NewRows int `json:"new_rows"` // that it found
	// Formats are those of the inputs made of the rows read, as EXPLAIN names them.
	Formats []string      `json:"formats"`
	Planned bool          `json:"planned"` // not on the plan of the step before
	Took    time.Duration `json:"took_ns"`
}

// Build is one building of the tensor of a table in a new database.
type Build struct {
	Variant Variant `json:"variant"`
	Entries int64   `json:"entries"`
	// Load is the time in which the table was read and made into a tensor.
	Load time.Duration `json:"load_ns"`
	// First and Second are the first two executions of the statement: what the
	// first takes longer is loading, gathering statistics, and laying out levels.
	First  time.Duration `json:"first_ns"`
	Second time.Duration `json:"second_ns"`
}

// Median is the middle of the runs, of an even number the mean of the middle
// two; false when a run timed out or none ended (B5).
func (m *Measure) Median() (time.Duration, bool) {
	if m.Timeouts > 0 || len(m.Runs) == 0 {
		return 0, false
	}
	return median(m.Runs), true
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}

// SpeedUp is how many times faster m is than base. bound: base ran into its
// timeout, so that it is at least that. ok is false where m has no median, or
// base neither.
func (m *Measure) SpeedUp(base *Measure) (times float64, bound, ok bool) {
	own, ok := m.Median()
	if !ok || base == nil {
		return 0, false, false
	}
	if other, ok := base.Median(); ok {
		return other.Seconds() / own.Seconds(), false, true
	}
	if base.Timeouts > 0 {
		return base.TimedOutAfter.Seconds() / own.Seconds(), true, true
	}
	return 0, false, false
}

// speedUpWithPlanning is SpeedUp with the time of planning added to both medians
// that do not have it within. ok is false also where a planning time is not known,
// and where base ran into its timeout.
func (m *Measure) speedUpWithPlanning(base *Measure, within bool) (times float64, ok bool) {
	times, bound, ok := m.SpeedUp(base)
	if !ok || bound || m.Planning == 0 || base.Planning == 0 {
		return 0, false
	}
	if within {
		return times, true
	}
	return (median(base.Runs) + base.Planning).Seconds() / (median(m.Runs) + m.Planning).Seconds(), true
}

// of returns what was measured under a variant; nil: nothing.
func (c *CaseReport) of(v Variant) *Measure {
	for i := range c.Measured {
		if c.Measured[i].Variant == v {
			return &c.Measured[i]
		}
	}
	return nil
}

// duckdb is the variant that others are compared with.
func (r *Report) duckdb() (Variant, bool) {
	i := slices.IndexFunc(r.Variants, func(v Variant) bool { return v.is(engine.DuckDB) })
	if i < 0 {
		return Variant{}, false
	}
	return r.Variants[i], true
}

// Verdict is what is wrong with what was measured.
type Verdict struct {
	// Wrong lists the answers that differ and the statements that failed.
	Wrong []string `json:"wrong"`
	// Interrupted: cases are missing, and the last may have fewer runs.
	Interrupted bool `json:"interrupted"`
}

// Err is nil for a report of right answers only, from beginning to end.
func (r *Verdict) Err() error {
	var errs []error
	if len(r.Wrong) > 0 {
		errs = append(errs, fmt.Errorf("%d wrong answers or failures:\n%s", len(r.Wrong), strings.Join(r.Wrong, "\n")))
	}
	if r.Interrupted {
		errs = append(errs, errors.New("interrupted"))
	}
	return errors.Join(errs...)
}

// WriteJSON writes the report with every run; times are in nanoseconds.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(document)
}
