package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Config says how a suite is run.
type Config struct {
	// Backends are compared on Threads threads; native runs on one as well.
	Backends []engine.Backend
	Threads  int
	// Runs is how often each variant executes a case after its first execution.
	Runs int
	// Timeout bounds one execution where the case has no shorter one; 0: the
	// suite's.
	Timeout time.Duration
	// Estimators and Optimizers are values of trireme.estimator and
	// trireme.optimizer: native is measured with each as well, on Threads.
	Estimators, Optimizers []string
	// PlanAnew: every execution makes its plan, within its time; otherwise plans are
	// warm on all sides.
	PlanAnew bool
	// Listen, where it is set, serves the databases: every statement goes over the wire.
	Listen Listen
	// Patience is the time after which a case gets no further run (one in any case);
	// 0: no limit.
	Patience time.Duration
	// Budget is the time for a suite after which it hurries: a case gets one run
	// after its warm-up, of at most hurriedTimeout; 0: no limit.
	Budget time.Duration
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
	case c.Timeout < 0 || c.Patience < 0:
		return sqlerr.New(sqlerr.InvalidParameter, "timeout %s, patience %s", c.Timeout, c.Patience)
	case len(c.Estimators)+len(c.Optimizers) > 0 && !slices.Contains(c.Backends, engine.Native):
		return sqlerr.New(sqlerr.InvalidParameter, "estimators and optimizers are native's, which is not among the backends")
	}
	return noneTwice(c.variants())
}

// hurriedTimeout is for one execution of a suite that has used its time.
const hurriedTimeout = 2 * time.Second

// hurried reports whether the suite has used its time.
func (r *runner) hurried() bool {
	return r.cfg.Budget > 0 && time.Since(r.report.Started) > r.cfg.Budget
}

// try sets an empty database to every variant, so that an estimator that does not
// exist is known before anything is measured.
func (c *Config) try(ctx context.Context) (err error) {
	db, err := openDatabase(ctx, c.Version)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, v := range c.variants() {
		if err := db.use(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// noneTwice reports a variant that is named twice.
func noneTwice(variants []Variant) error {
	seen := map[Variant]bool{}
	for _, v := range variants {
		if seen[v] {
			return sqlerr.New(sqlerr.InvalidParameter, "%s is named twice", v)
		}
		seen[v] = true
	}
	return nil
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
	if err := cfg.try(ctx); err != nil {
		return nil, err
	}
	r := &runner{cfg: cfg, suite: &suite, report: cfg.report(s)}
	defer func() { r.report.Took = time.Since(r.report.Started) }()
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

// report is the report of a suite before anything is measured.
func (c *Config) report(s *Suite) *Report {
	return &Report{
		Suite: s.Name, About: s.About, Brief: s.Brief, Target: s.Target, Started: time.Now().UTC(), Machine: thisMachine(), Version: c.Version,
		Runs: c.Runs, Timeout: c.Timeout, Patience: c.Patience, Budget: c.Budget, Variants: c.variants(), PlanAnew: c.PlanAnew, Wire: c.Listen != nil,
	}
}

func (r *runner) open(ctx context.Context) (*Database, error) {
	return openDatabaseWith(ctx, databaseOptions{
		version: r.cfg.Version, listen: r.cfg.Listen, warmPlans: !r.cfg.PlanAnew,
	})
}

// load opens and fills a database, and describes it.
func (r *runner) load(ctx context.Context, d Dataset) (*Database, DataReport, error) {
	db, err := r.open(ctx)
	if err != nil {
		return nil, DataReport{}, err
	}
	if err := d.Load(ctx, db); err != nil {
		return nil, DataReport{}, errors.Join(err, db.Close())
	}
	tables, err := db.describe(ctx, d.Name)
	if err != nil {
		return nil, DataReport{}, errors.Join(err, db.Close())
	}
	return db, tables, nil
}

// dataset runs the cases over one data set.
func (r *runner) dataset(ctx context.Context, d Dataset) (err error) {
	fmt.Fprintf(r.cfg.Progress, "loading %s\n", d.Name)
	db, tables, err := r.load(ctx, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	r.report.Data = append(r.report.Data, tables)
	if r.report.DuckDB, err = db.scalar(ctx, duckdbVersion); err != nil {
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

// limit is how long one execution of a case may take.
func (r *runner) limit(c Case) time.Duration {
	limit := r.cfg.Timeout
	if c.Timeout > 0 {
		limit = min(limit, c.Timeout)
	}
	if r.hurried() {
		limit = min(limit, hurriedTimeout)
	}
	return limit
}
