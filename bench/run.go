package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Config says how a suite is run.
type Config struct {
	// Backends are compared; native and decomposed run on one thread and on
	// Threads, DuckDB on Threads.
	Backends []engine.Backend
	Threads  int
	// Runs is how often each variant executes a case after its first execution.
	Runs int
	// Timeout bounds one execution where the case has no shorter one; 0: the
	// suite's.
	Timeout time.Duration
	// Only names the cases to run; none: all.
	Only []string
	// Progress receives a line per case as it is measured; nil: nobody asks.
	Progress io.Writer
	// Version is Trireme's.
	Version string
}

func (c *Config) check() error {
	switch {
	case len(c.Backends) == 0:
		return sqlerr.New(sqlerr.InvalidParameter, "no backend to run on")
	case slices.Contains(c.Backends, engine.Auto):
		return sqlerr.New(sqlerr.InvalidParameter, "backend auto cannot be measured: it is one of the others").
			WithHint("The backends are native, decomposed and duckdb.")
	case c.Threads < 1 || c.Threads > 1024:
		return sqlerr.New(sqlerr.InvalidParameter, "%d threads", c.Threads)
	case c.Runs < 1:
		return sqlerr.New(sqlerr.InvalidParameter, "%d runs", c.Runs)
	case c.Timeout < 0:
		return sqlerr.New(sqlerr.InvalidParameter, "timeout %s", c.Timeout)
	}
	return nil
}

// variants are the columns of the report.
func (c *Config) variants() []Variant {
	var out []Variant
	for _, b := range c.Backends {
		if b != engine.DuckDB && c.Threads > 1 {
			out = append(out, Variant{b, 1})
		}
		out = append(out, Variant{b, c.Threads})
	}
	return out
}

// runner is a run under way.
type runner struct {
	cfg    Config
	suite  *Suite
	report *Report
	done   int // cases
}

// Run measures a suite. When ctx ends, the report has what was measured until
// then and says Interrupted. The error is one of the configuration, the data or
// the machine; wrong answers are in the report (Report.Err).
func Run(ctx context.Context, s *Suite, cfg Config) (*Report, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.Progress == nil {
		cfg.Progress = io.Discard
	}
	suite := *s
	if err := suite.keep(cfg.Only); err != nil {
		return nil, err
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = suite.Timeout
	}
	r := &runner{cfg: cfg, suite: &suite, report: &Report{
		Suite: s.Name, Started: time.Now().UTC(), Machine: thisMachine(), Version: cfg.Version, Runs: cfg.Runs,
		Timeout: cfg.Timeout, Variants: cfg.variants(), brief: s.Brief,
	}}
	for _, d := range suite.Data {
		err := r.dataset(ctx, d)
		if ctx.Err() != nil {
			r.report.Interrupted = true
			return r.report, nil
		}
		if err != nil {
			return nil, fmt.Errorf("data set %s: %w", d.Name, err)
		}
	}
	return r.report, nil
}

// dataset runs the cases over one data set.
func (r *runner) dataset(ctx context.Context, d Dataset) (err error) {
	fmt.Fprintf(r.cfg.Progress, "loading %s\n", d.Name)
	db, err := openDatabase(ctx, r.cfg.Version)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := d.Load(ctx, db); err != nil {
		return err
	}
	if err := r.describe(ctx, d, db); err != nil {
		return err
	}
	for _, c := range r.suite.of(d) {
		r.done++
		fmt.Fprintf(r.cfg.Progress, "%d of %d: %s:", r.done, len(r.suite.Cases), c.Name)
		if c.Cold != "" {
			err = r.coldCase(ctx, d, c)
		} else {
			err = r.oneCase(ctx, db, c)
		}
		fmt.Fprintln(r.cfg.Progress)
		if err != nil {
			return err
		}
	}
	return nil
}

// describe notes the tables of a data set and the version of DuckDB.
func (r *runner) describe(ctx context.Context, d Dataset, db *Database) error {
	version, err := db.scalar(ctx, "SELECT version()")
	if err != nil {
		return err
	}
	r.report.DuckDB = version
	a, _, err := db.query(ctx, "SELECT table_name, estimated_size FROM duckdb_tables() ORDER BY table_name")
	if err != nil {
		return err
	}
	tables := map[string]int64{}
	for i, name := range a.vectors[0].Str {
		tables[name] = a.vectors[1].I64[i]
	}
	r.report.Data = append(r.report.Data, DataReport{Name: d.Name, Tables: tables})
	return nil
}

// limit is how long one execution of a case may take.
func (r *runner) limit(c Case) time.Duration {
	if c.Timeout > 0 {
		return min(c.Timeout, r.cfg.Timeout)
	}
	return r.cfg.Timeout
}

// oneCase measures a case. What was measured before an interrupt is kept.
func (r *runner) oneCase(ctx context.Context, db *Database, c Case) error {
	r.report.Cases = append(r.report.Cases, CaseReport{Name: c.Name, Data: c.Data, SQL: c.SQL})
	rep := &r.report.Cases[len(r.report.Cases)-1]
	if err := r.first(ctx, db, c, rep); err != nil {
		return err
	}
	want := r.reference(c, rep)
	fmt.Fprint(r.cfg.Progress, " |")
	for round := range r.cfg.Runs {
		for i := range rep.Measured {
			m := &rep.Measured[(i+round)%len(rep.Measured)]
			if m.first == nil || m.Timeouts > 0 {
				continue
			}
			if err := r.again(ctx, db, c, m, want); err != nil {
				return err
			}
		}
		fmt.Fprint(r.cfg.Progress, ".")
	}
	for i := range rep.Measured {
		if m := &rep.Measured[i]; m.Variant.Backend == engine.Native && m.first != nil {
			if err := r.explain(ctx, db, c, m); err != nil {
				return err
			}
		}
		rep.Measured[i].first = nil
	}
	return nil
}

// first executes a case once under every variant: tensors are built, answers
// kept, what a backend cannot do found out.
func (r *runner) first(ctx context.Context, db *Database, c Case, rep *CaseReport) error {
	for _, v := range r.report.Variants {
		m := Measure{Variant: v}
		out, err := db.measure(ctx, v, c.SQL, r.limit(c))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if out.timeout {
			m.Timeouts, m.TimedOutAfter = 1, r.limit(c)
			if v.Backend == engine.DuckDB && c.Baseline != "" {
				m = Measure{Variant: v, Baseline: c.BaselineName}
				out, err = db.measure(ctx, v, c.Baseline, r.limit(c))
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if out.timeout {
					m.Timeouts, m.TimedOutAfter = 1, r.limit(c)
				}
			}
		}
		if err != nil {
			m.Failed = err.Error()
			r.wrong(c, v, "failed: "+m.Failed)
		}
		m.Refused, m.Cold, m.first = out.refused, out.took, out.answer
		rep.Measured = append(rep.Measured, m)
		fmt.Fprintf(r.cfg.Progress, " %s %s", v, m.state())
	}
	return nil
}

// state is what became of the first execution.
func (m *Measure) state() string {
	switch {
	case m.Failed != "":
		return "failed"
	case m.Refused != "":
		return "refused"
	case m.Timeouts > 0:
		return "timeout"
	}
	return short(m.Cold)
}

func (r *runner) wrong(c Case, v Variant, what string) {
	r.report.Wrong = append(r.report.Wrong, fmt.Sprintf("%s on %s: %s", c.Name, v, what))
}

// reference is the answer that all are compared with: DuckDB's, else that of the
// first variant that has one; it is compared with the one expected, and the
// others' first answers with it.
func (r *runner) reference(c Case, rep *CaseReport) *answer {
	var from *Measure
	for i := range rep.Measured {
		if m := &rep.Measured[i]; m.first != nil && (from == nil || m.Variant.Backend == engine.DuckDB) {
			from = m
		}
	}
	if from == nil {
		return nil
	}
	rep.Answer = from.first.String()
	for i := range rep.Measured {
		m := &rep.Measured[i]
		if m.first == nil {
			continue
		}
		if what := r.differs(c, from.first, m.first); what != "" {
			r.wrong(c, m.Variant, what)
		}
	}
	return from.first
}

// differs says how an answer is not the one expected; "" when it is.
func (r *runner) differs(c Case, want, got *answer) string {
	if text, _ := got.scalar(); c.Want != "" && text != c.Want {
		return fmt.Sprintf("%s, expected %s", got, c.Want)
	}
	return want.diff(got)
}

// again executes a case once more under a variant. Garbage of others is
// collected before the clock starts.
func (r *runner) again(ctx context.Context, db *Database, c Case, m *Measure, want *answer) error {
	runtime.GC()
	sql := c.SQL
	if m.Baseline != "" {
		sql = c.Baseline
	}
	out, err := db.measure(ctx, m.Variant, sql, r.limit(c))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		m.Failed, m.first = err.Error(), nil
		r.wrong(c, m.Variant, "failed: "+m.Failed)
		return nil
	case out.timeout:
		m.Timeouts++
		m.TimedOutAfter = r.limit(c)
		return nil
	case out.refused != "":
		m.Refused, m.first = out.refused, nil
		return nil
	}
	if what := r.differs(c, want, out.answer); what != "" {
		r.wrong(c, m.Variant, what)
	}
	m.Runs = append(m.Runs, out.took)
	return nil
}
