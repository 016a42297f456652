package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Results are the reports of several suites, run one after another on one machine.
type Results struct {
	Started time.Time     `json:"started"`
	Took    time.Duration `json:"took_ns"`
	Machine Machine       `json:"machine"`
	Version string        `json:"trireme"`
	DuckDB  string        `json:"duckdb"`
	Suites  []*Report     `json:"suites"`
	// Interrupted: suites or cases are missing.
	Interrupted bool `json:"interrupted,omitempty"`
	// Missing names the suites that were not run, and why.
	Missing []string `json:"missing,omitempty"`
}

// ResultsOf makes results of one report.
func ResultsOf(r *Report) *Results {
	return &Results{Started: r.Started, Took: r.Took, Machine: r.Machine, Version: r.Version, DuckDB: r.DuckDB, Suites: []*Report{r}}
}

// Replace puts the suites of a later run in the place of those of the same names: a
// suite that was run on its own has larger data and more time than among all. Of a run of
// some cases only, these take the place of those of the same names. All must be runs of
// one version on one machine, and those of one suite's cases alike.
func (r *Results) Replace(by *Results) error {
	if by.Machine != r.Machine || by.Version != r.Version || by.DuckDB != r.DuckDB {
		return sqlerr.New(sqlerr.InvalidParameter, "the runs are of different machines or versions: %s, %s, %s and %s, %s, %s",
			r.Machine.CPU, r.Version, r.DuckDB, by.Machine.CPU, by.Version, by.DuckDB)
	}
	for _, s := range by.Suites {
		at := slices.IndexFunc(r.Suites, func(old *Report) bool { return old.Suite == s.Suite })
		if at < 0 {
			return sqlerr.New(sqlerr.InvalidParameter, "there is no suite %s to be replaced", s.Suite)
		}
		merged, err := r.Suites[at].replaced(s)
		if err != nil {
			return err
		}
		r.Suites[at] = merged
	}
	return nil
}

// replaced is a report with what a later run measured, of the whole suite or of some of
// its cases.
func (r *Report) replaced(by *Report) (*Report, error) {
	if !slices.ContainsFunc(r.Cases, func(c CaseReport) bool { return by.caseOf(c.Name) == nil }) {
		return by, nil
	}
	if !slices.Equal(by.Variants, r.Variants) || !reflect.DeepEqual(by.Data, r.Data) || by.Runs != r.Runs || by.PlanAnew != r.PlanAnew || by.Wire != r.Wire {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "the run of some cases of suite %s has other backends, data or runs", r.Suite).
			WithHint("Run them with the options of the run that they are to be part of, or run the whole suite.")
	}
	out := *r
	out.Cases, out.Wrong = slices.Clone(r.Cases), slices.Clone(r.Wrong)
	for i := range out.Cases {
		again := by.caseOf(out.Cases[i].Name)
		if again == nil {
			continue
		}
		out.Cases[i] = *again
		out.Cases[i].Again = by.Started
		out.Wrong = slices.DeleteFunc(out.Wrong, func(line string) bool { return strings.HasPrefix(line, again.Name+" on ") })
	}
	out.Wrong = append(out.Wrong, by.Wrong...)
	return &out, nil
}

// caseOf is the case of a name; nil: there is none.
func (r *Report) caseOf(name string) *CaseReport {
	at := slices.IndexFunc(r.Cases, func(c CaseReport) bool { return c.Name == name })
	if at < 0 {
		return nil
	}
	return &r.Cases[at]
}

// own reports whether a suite was run on its own and not as one of all.
func (r *Results) own(s *Report) bool {
	return s.Started.Before(r.Started) || s.Started.After(r.Started.Add(r.Took))
}

// RunAll runs suites one after another; cfg.Budget is for all of them. When ctx ends, the results have what was
// measured until then. A suite whose data cannot be made is an error as well, beside
// the results of those before it.
func RunAll(ctx context.Context, suites []*Suite, cfg Config) (*Results, error) {
	if len(cfg.Only) > 0 {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "cases can be named for one suite, not for all of them")
	}
	started := time.Now()
	out := &Results{Started: started.UTC(), Machine: thisMachine(), Version: cfg.Version}
	var failed error
	for i, s := range suites {
		if out.Interrupted = ctx.Err() != nil; out.Interrupted {
			break
		}
		if cfg.Progress != nil {
			fmt.Fprintf(cfg.Progress, "suite %d of %d: %s\n", i+1, len(suites), s.Name)
		}
		of := cfg
		if cfg.Budget > 0 {
			of.Budget = max(time.Second, (cfg.Budget-time.Since(started))/time.Duration(len(suites)-i))
		}
		r, err := Run(ctx, s, of)
		if out.Interrupted = ctx.Err() != nil; out.Interrupted && err != nil {
			break
		}
		if err != nil {
			failed = fmt.Errorf("suite %s: %w", s.Name, err)
			break
		}
		out.Suites, out.DuckDB = append(out.Suites, r), r.DuckDB
	}
	for _, s := range suites[len(out.Suites):] {
		out.Missing = append(out.Missing, s.Name+": not run")
	}
	out.Took = time.Since(started)
	return out, failed
}

// Err is nil when all suites gave right answers only and all were run to their end.
func (r *Results) Err() error {
	var errs []error
	for _, s := range r.Suites {
		if err := s.Err(); err != nil {
			errs = append(errs, fmt.Errorf("suite %s: %w", s.Suite, err))
		}
	}
	if r.Interrupted {
		errs = append(errs, errors.New("interrupted"))
	}
	return errors.Join(errs...)
}

// Print writes the reports, and a table of all suites where there are several.
func (r *Results) Print(out io.Writer) error {
	for _, s := range r.Suites {
		if err := s.Print(out); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	for _, why := range r.Missing {
		fmt.Fprintf(out, "Missing: %s\n", why)
	}
	if len(r.Suites) < 2 {
		return nil
	}
	fmt.Fprintf(out, "All suites on native with the most threads, in %s:\n", short(r.Took))
	return r.suiteTable().print(out)
}

// WriteJSON writes every run of every suite; times are in nanoseconds.
func (r *Results) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// ReadResults reads what WriteJSON has written: of results, or of one report.
func ReadResults(in io.Reader) (*Results, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IOError, err)
	}
	var kind struct {
		Suite  *string
		Suites *json.RawMessage
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return nil, notResults(err)
	}
	switch {
	case kind.Suites != nil:
		out := new(Results)
		if err := json.Unmarshal(text, out); err != nil {
			return nil, notResults(err)
		}
		return out, nil
	case kind.Suite != nil:
		one := new(Report)
		if err := json.Unmarshal(text, one); err != nil {
			return nil, notResults(err)
		}
		return ResultsOf(one), nil
	}
	return nil, notResults(errors.New("it has neither suite nor suites"))
}

func notResults(err error) error {
	return sqlerr.New(sqlerr.InvalidParameter, "this is not a document of benchmark results: %v", err).
		WithHint("Results are written by \"trireme bench SUITE --json FILE\".")
}
