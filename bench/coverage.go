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
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// CoverageOptions say which queries of the corpus are measured, and how.
type CoverageOptions struct {
	// Backends are measured beside DuckDB, which is always: Auto, and others to see
	// what auto could have chosen.
	Backends []engine.Backend
	Threads  int
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

// coverageRun is a run of the corpus under way.
type coverageRun struct {
	opt      CoverageOptions
	backends []engine.Backend // DuckDB first
	report   *CoverageReport
	tables   []string // of the data set
	file     string   // what {file} stands for
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
	if o.Progress == nil {
		o.Progress = io.Discard
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
	sets, err := coverage.DataSets()
	if err != nil {
		return nil, err
	}
	for _, data := range sets {
		of := slices.DeleteFunc(slices.Clone(queries), func(q coverage.Query) bool { return q.Data != data })
		if len(of) == 0 {
			continue
		}
		err := r.dataset(ctx, data, of)
		if ctx.Err() != nil {
			r.report.Interrupted = true
			return r.report, nil
		}
		if err != nil {
			return nil, fmt.Errorf("data set %s: %w", data, err)
		}
	}
	return r.report, nil
}

// dataset measures the queries over one data set, in a database of its own.
func (r *coverageRun) dataset(ctx context.Context, data string, queries []coverage.Query) (err error) {
	fmt.Fprintf(r.opt.Progress, "loading %s\n", data)
	script, err := coverage.Script(data, r.opt.Scale)
	if err != nil {
		return err
	}
	db, err := openDatabase(ctx, r.opt.Version)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Exec(ctx, script+"SET trireme.plan_cache = 'on'"); err != nil {
		return err
	}
	if r.report.DuckDB, err = db.scalar(ctx, "SELECT version()"); err != nil {
		return err
	}
	a, _, err := db.query(ctx, "SELECT table_name, estimated_size FROM duckdb_tables() ORDER BY table_name")
	if err != nil {
		return err
	}
	r.tables = slices.Clone(a.vectors[0].Str)
	set := DataReport{Name: data, Tables: map[string]int64{}}
	for i, name := range r.tables {
		set.Tables[name] = a.vectors[1].I64[i]
	}
	r.report.Data = append(r.report.Data, set)
	for i := range queries {
		fmt.Fprintf(r.opt.Progress, "%s %d of %d: %s:", data, i+1, len(queries), queries[i].Name)
		c := CoverageCase{Name: queries[i].Name, Family: queries[i].Family, Split: split(&queries[i])}
		for _, b := range r.backends {
			c.Measured = append(c.Measured, CoverageMeasure{Backend: b.String()})
		}
		err := r.one(ctx, db, &queries[i], &c)
		r.report.Cases = append(r.report.Cases, c)
		fmt.Fprintln(r.opt.Progress, c.progress())
		if err != nil {
			return err
		}
	}
	return nil
}

// one measures a query: rounds of cold executions, then of warm ones. Every round
// begins with another backend.
func (r *coverageRun) one(ctx context.Context, db *Database, q *coverage.Query, c *CoverageCase) error {
	var want *answer
	started := time.Now()
	for round := range r.opt.ColdRuns + r.opt.Runs {
		cold := round < r.opt.ColdRuns
		tired := time.Since(started) > r.opt.Patience
		if tired && round != 0 && round != r.opt.ColdRuns { // one round of each in any case
			continue
		}
		for i := range c.Measured {
			at := (i + round) % len(c.Measured)
			if round == 0 {
				at = i // DuckDB first: others are compared with it
			}
			m := &c.Measured[at]
			if m.Refused != "" || m.Failed != "" || m.Timeouts > 0 {
				continue
			}
			if cold {
				if err := r.forget(ctx, db); err != nil {
					return err
				}
			}
			out, err := r.execute(ctx, db, Variant{r.backends[at], r.opt.Threads}, q)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.note(q, c, m, out, err, cold, &want)
		}
	}
	return nil
}

// forget gives every table a new version without changing it, so that nothing
// that was made of the old ones is used again.
func (r *coverageRun) forget(ctx context.Context, db *Database) error {
	for _, table := range r.tables {
		if err := db.Exec(ctx, fmt.Sprintf(`DELETE FROM "%s" WHERE false`, table)); err != nil {
			return err
		}
	}
	return nil
}

// execute runs a query once and undoes, outside the measured time, what it made.
func (r *coverageRun) execute(ctx context.Context, db *Database, v Variant, q *coverage.Query) (outcome, error) {
	if q.Check != "" { // a statement that has no choice leaves the name of who answered last
		if _, err := db.timed(ctx, Variant{engine.DuckDB, v.Threads}, "SELECT 1", r.opt.Timeout); err != nil {
			return outcome{}, err
		}
	}
	runtime.GC()
	out, err := db.timed(ctx, v, strings.ReplaceAll(q.SQL, "{file}", r.file), r.opt.Timeout)
	if err == nil && q.Undo != "" && out.answer != nil {
		_, _, err = db.query(ctx, q.Undo)
	}
	if forced := v.Backend != engine.Auto; forced && out.answer != nil && out.by != v.Backend.String() {
		return outcome{refused: "answered by " + out.by}, err
	}
	return out, err
}

// note keeps what became of an execution; rows are compared with DuckDB's.
func (r *coverageRun) note(q *coverage.Query, c *CoverageCase, m *CoverageMeasure, out outcome, err error, cold bool, want **answer) {
	fail := func(what string) {
		m.Failed = what
		r.report.Wrong = append(r.report.Wrong, fmt.Sprintf("%s on %s: %s", q.Name, m.Backend, what))
	}
	switch {
	case err != nil:
		fail(err.Error())
		return
	case out.timeout:
		m.Timeouts++
		return
	case out.refused != "":
		m.Refused = out.refused
		return
	}
	m.By = out.by
	if cold {
		m.Cold = append(m.Cold, out.took)
	} else {
		m.Warm = append(m.Warm, out.took)
	}
	if *want == nil {
		*want, c.Rows = out.answer, out.answer.rows
		return
	}
	tolerance := toleranceRel
	if q.TermsMax > 0 {
		tolerance = toleranceCancelling
	}
	if what := (*want).diffWithin(out.answer, tolerance); what != "" {
		fail(what)
	}
}

// toleranceCancelling is for floats whose terms may cancel: how far depends on the
// data, and the small data of the tests are compared closely.
const toleranceCancelling = 1e-5
