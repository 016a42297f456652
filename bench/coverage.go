package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/bench/coverage"
	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// CoverageOptions say which queries of the corpus are measured, and how.
type CoverageOptions struct {
	// Backends are measured beside DuckDB, which is always: Auto, and others to see
	// what auto could have chosen.
	Backends []engine.Backend
	// Control: DuckDB is measured once more as if it were one of them, to see how many
	// queries break the bound by chance.
	Control bool
	Threads int
	// Scale is that of the data; coverage.ScaleTiming makes tables of a million rows.
	Scale int
	// ColdRuns and Runs are how often each backend executes a query after the tables
	// have changed, and how often after that.
	ColdRuns, Runs int
	// Timeout bounds one execution. No further round of a query begins once it has
	// taken Patience.
	Timeout, Patience time.Duration
	// Only and Families choose queries; none: all. Split is "tune", "held-out" or
	// "all".
	Only, Families []string
	Split          string
	Progress       io.Writer
	Version        string
}

func (o *CoverageOptions) check() error {
	switch {
	case len(o.Backends) == 0 || slices.Contains(o.Backends, engine.DuckDB):
		return sqlerr.New(sqlerr.InvalidParameter, "the backends beside DuckDB are not auto, native and decomposed or some of them")
	case o.Threads < 1 || o.Threads > 1024:
		return sqlerr.New(sqlerr.InvalidParameter, "%d threads", o.Threads)
	case o.Runs < 1 || o.ColdRuns < 1:
		return sqlerr.New(sqlerr.InvalidParameter, "%d runs, %d cold ones", o.Runs, o.ColdRuns)
	case o.Timeout <= 0 || o.Patience <= 0:
		return sqlerr.New(sqlerr.InvalidParameter, "timeout %s, patience %s", o.Timeout, o.Patience)
	case o.Split != "tune" && o.Split != "held-out" && o.Split != "all":
		return sqlerr.New(sqlerr.InvalidParameter, "split %q", o.Split).WithHint("The splits are tune, held-out and all.")
	}
	return nil
}

// choose returns the queries of the corpus that are asked for.
func (o *CoverageOptions) choose() ([]coverage.Query, error) {
	queries, err := coverage.Queries()
	if err != nil {
		return nil, err
	}
	for _, name := range o.Only {
		if !slices.ContainsFunc(queries, func(q coverage.Query) bool { return q.Name == name }) {
			return nil, sqlerr.New(sqlerr.InvalidParameter, "the corpus has no query %q", name)
		}
	}
	for _, family := range o.Families {
		if !slices.ContainsFunc(queries, func(q coverage.Query) bool { return q.Family == family }) {
			return nil, sqlerr.New(sqlerr.InvalidParameter, "the corpus has no family %q", family)
		}
	}
	return slices.DeleteFunc(queries, func(q coverage.Query) bool {
		return len(o.Only) > 0 && !slices.Contains(o.Only, q.Name) || len(o.Families) > 0 && !slices.Contains(o.Families, q.Family) ||
			o.Split != "all" && o.Split != split(&q)
	}), nil
}

func split(q *coverage.Query) string {
	if q.HeldOut() {
		return "held-out"
	}
	return "tune"
}

// controlName is the column of DuckDB's second measurement.
const controlName = "duckdb again"

// corpus is what is measured of a run of the corpus: queries over their data sets, each in a
// database of its own.
type corpus struct {
	CoverageOptions
	queries []coverage.Query
	// loaded is called with each data set that has been loaded; it may be nil.
	loaded func(ctx context.Context, db *Database, set DataReport) error
	// measure measures a query and returns a line on it.
	measure func(ctx context.Context, db *Database, q *coverage.Query) (string, error)
}

// run measures everything; interrupted: ctx has ended.
func (c *corpus) run(ctx context.Context) (interrupted bool, err error) {
	sets, err := coverage.DataSets()
	if err != nil {
		return false, err
	}
	if c.Progress == nil {
		c.Progress = io.Discard
	}
	for _, data := range sets {
		of := slices.DeleteFunc(slices.Clone(c.queries), func(q coverage.Query) bool { return q.Data != data })
		if len(of) == 0 {
			continue
		}
		err := c.dataset(ctx, data, of)
		if ctx.Err() != nil {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("data set %s: %w", data, err)
		}
	}
	return false, nil
}

// dataset measures the queries over one data set.
func (c *corpus) dataset(ctx context.Context, data string, queries []coverage.Query) (err error) {
	fmt.Fprintf(c.Progress, "loading %s\n", data)
	script, err := coverage.Script(data, c.Scale)
	if err != nil {
		return err
	}
	db, err := openDatabase(ctx, c.Version)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Exec(ctx, script+"SET trireme.plan_cache = 'on'"); err != nil {
		return err
	}
	set, err := db.describe(ctx, data)
	if err == nil && c.loaded != nil {
		err = c.loaded(ctx, db, set)
	}
	if err != nil {
		return err
	}
	for i := range queries {
		line, err := c.measure(ctx, db, &queries[i])
		fmt.Fprintf(c.Progress, "%s %d of %d: %s:%s\n", data, i+1, len(queries), queries[i].Name, line)
		if err != nil {
			return err
		}
	}
	return nil
}

// coverageRun is a run of the corpus under way.
type coverageRun struct {
	opt      CoverageOptions
	backends []engine.Backend // DuckDB first; with a control last too
	report   *CoverageReport
	file     string // what {file} stands for
}

// Coverage measures the corpus: every query on DuckDB and on each backend asked
// for, in turn, cold and warm. Cold is the first execution after every table has
// got a new version, so that tensors, statistics and plans are made anew; warm is
// what follows, with plans kept as sessions keep them. When ctx ends, the report
// has what was measured until then.
func Coverage(ctx context.Context, o CoverageOptions) (_ *CoverageReport, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	queries, err := o.choose()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "trireme-coverage-*")
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IOError, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r := &coverageRun{
		opt: o, backends: append([]engine.Backend{engine.DuckDB}, o.Backends...), file: filepath.Join(dir, "out"),
		report: &CoverageReport{
			Started: time.Now().UTC(), Machine: thisMachine(), Version: o.Version, Scale: o.Scale, Threads: o.Threads, Timeout: o.Timeout,
		},
	}
	for _, b := range r.backends {
		r.report.Backends = append(r.report.Backends, b.String())
	}
	if o.Control {
		r.backends = append(r.backends, engine.DuckDB)
		r.report.Backends = append(r.report.Backends, controlName)
	}
	c := &corpus{CoverageOptions: o, queries: queries, measure: r.query, loaded: func(ctx context.Context, db *Database, set DataReport) (err error) {
		r.report.Data = append(r.report.Data, set)
		r.report.DuckDB, err = db.scalar(ctx, duckdbVersion)
		return err
	}}
	if r.report.Interrupted, err = c.run(ctx); err != nil {
		return nil, err
	}
	return r.report, nil
}

// query measures a query.
func (r *coverageRun) query(ctx context.Context, db *Database, q *coverage.Query) (string, error) {
	c := CoverageCase{Name: q.Name, Family: q.Family, Split: split(q)}
	for _, name := range r.report.Backends {
		c.Measured = append(c.Measured, CoverageMeasure{Backend: name})
	}
	err := r.one(ctx, db, q, &c)
	r.report.Cases = append(r.report.Cases, c)
	return c.progress(), err
}

// phase is what a round of executions is for.
type phase int

const (
	cold   phase = iota // each execution follows a change of all tables
	settle              // what the last change has made cold is made again, unmeasured
	warm
)

// one measures a query: rounds of cold executions, one that settles, rounds of
// warm ones. Every round begins with another backend.
func (r *coverageRun) one(ctx context.Context, db *Database, q *coverage.Query, c *CoverageCase) error {
	m := &measuring{coverageRun: r, db: db, q: q, c: c}
	phases := append(slices.Repeat([]phase{cold}, r.opt.ColdRuns), settle)
	phases = append(phases, slices.Repeat([]phase{warm}, r.opt.Runs)...)
	started := time.Now()
	for round, p := range phases {
		first := round == 0 || phases[round-1] != p
		if !first && time.Since(started) > r.opt.Patience {
			continue // one round of each phase in any case
		}
		if err := m.round(ctx, round, p); err != nil {
			return err
		}
	}
	return nil
}

// measuring is a query being measured.
type measuring struct {
	*coverageRun
	db   *Database
	q    *coverage.Query
	c    *CoverageCase
	want *answer // DuckDB's; nil: not yet
}

// round executes the query once on every backend. The first round begins with
// DuckDB, because others are compared with it.
func (m *measuring) round(ctx context.Context, round int, p phase) error {
	for i := range m.c.Measured {
		at := (i + round) % len(m.c.Measured)
		of := &m.c.Measured[at]
		if of.Refused != "" || of.Failed != "" || of.Timeouts > 0 {
			continue
		}
		if p == cold {
			if err := m.db.forget(ctx); err != nil {
				return err
			}
		}
		out, err := m.execute(ctx, Variant{Backend: m.backends[at], Threads: m.opt.Threads})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m.note(of, p, out, err)
	}
	return nil
}

// execute runs a query once and undoes, outside the measured time, what it made.
func (m *measuring) execute(ctx context.Context, v Variant) (outcome, error) {
	if m.q.Check != "" { // a statement that has no choice leaves the name of who answered last
		if _, err := m.db.timed(ctx, Variant{Backend: engine.DuckDB, Threads: v.Threads}, "SELECT 1", m.opt.Timeout); err != nil {
			return outcome{}, err
		}
	}
	runtime.GC()
	out, err := m.db.timed(ctx, v, strings.ReplaceAll(m.q.SQL, "{file}", m.file), m.opt.Timeout)
	if err == nil && m.q.Undo != "" && out.answer != nil {
		_, _, err = m.db.query(ctx, m.q.Undo)
	}
	if forced := v.Backend != engine.Auto; forced && out.answer != nil && out.by != v.Backend.String() {
		return outcome{refused: "answered by " + out.by}, err
	}
	return out, err
}

// note keeps what became of an execution; rows are compared with DuckDB's.
func (m *measuring) note(of *CoverageMeasure, p phase, out outcome, err error) {
	fail := func(what string) {
		of.Failed = what
		m.report.Wrong = append(m.report.Wrong, fmt.Sprintf("%s on %s: %s", m.q.Name, of.Backend, what))
	}
	switch {
	case err != nil:
		fail(err.Error())
		return
	case out.timeout:
		of.Timeouts++
		return
	case out.refused != "":
		of.Refused = out.refused
		return
	}
	switch p {
	case cold:
		of.Cold, of.ColdBy = append(of.Cold, out.took), out.by
	case warm:
		of.Warm, of.WarmBy = append(of.Warm, out.took), out.by
	case settle:
	default:
		panic(invariant.Failed("bench: phase %d", p))
	}
	if m.want == nil {
		m.want, m.c.Rows = out.answer, out.answer.rows
		return
	}
	tolerance := toleranceRel
	if m.q.TermsMax > 0 {
		tolerance = toleranceCancelling
	}
	if what := m.want.diffWithin(out.answer, tolerance); what != "" {
		fail(what)
	}
}

// toleranceCancelling is for floats whose terms may cancel: how far depends on the
// data, and the small data of the tests are compared closely.
const toleranceCancelling = 1e-5
