package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/bench/pairwise"
	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer/network"
	"github.com/trireme-db/trireme/tensor"
)

// EinsumOptions are the options of the einsum suite.
type EinsumOptions struct {
	Threads  int
	Runs     int           // executions of each way after the first
	Timeout  time.Duration // of one execution
	Only     []string      // names of cases; empty: all
	Version  string
	Progress io.Writer
	// Plan runs statements and prepares the last one, as PlanEinsum does, in a process
	// that ends when ctx does: DuckDB's planning of a join of a hundred tables takes
	// minutes and cannot be interrupted. Nil: in this process, without a limit.
	Plan func(ctx context.Context, statements []string) error
}

// PlanEinsum runs all statements but the last in a new database, and prepares that one.
func PlanEinsum(ctx context.Context, statements []string) (err error) {
	if len(statements) == 0 {
		return sqlerr.New(sqlerr.InvalidParameter, "there is no statement to prepare")
	}
	db, err := duckbackend.Open(ctx, duckbackend.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	last := len(statements) - 1
	for _, s := range statements[:last] {
		if err := c.Exec(ctx, s); err != nil {
			return err
		}
	}
	s, err := c.Prepare(ctx, statements[last])
	if err != nil {
		return err
	}
	return s.Close()
}

// The ways to compute a network, in the order in which they are measured.
const (
	wayNative     = "native"
	wayPairwise   = "pairwise"
	wayDecomposed = "decomposed"
	wayFlat       = "flat"
)

var einsumWays = []string{wayNative, wayPairwise, wayDecomposed, wayFlat}

// Einsum measures networks of sparse tensors side by side: native from the expression;
// pairwise with its path; DuckDB on the SQL decomposed along that path, whose search is
// not counted, and DuckDB on the single flat SQL. Planning is told apart. Tensors are in memory
// and tables are loaded. Answers are compared with one that is computed by other means.
// When ctx ends, the report has what was measured until then.
func Einsum(ctx context.Context, o EinsumOptions) (*EinsumReport, error) {
	cases := einsumCases()
	for _, name := range o.Only {
		if !slices.ContainsFunc(cases, func(c einsumCase) bool { return c.Name == name }) {
			var names []string
			for _, c := range cases {
				names = append(names, c.Name)
			}
			return nil, sqlerr.New(sqlerr.InvalidParameter, "suite einsum has no case %q", name).
				WithHint("Its cases are %s.", strings.Join(names, ", "))
		}
	}
	switch {
	case o.Runs < 1:
		return nil, sqlerr.New(sqlerr.InvalidParameter, "the number of runs must be at least 1, not %d", o.Runs)
	case o.Threads < 1:
		return nil, sqlerr.New(sqlerr.InvalidParameter, "the number of threads must be at least 1, not %d", o.Threads)
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	r := &EinsumReport{
		Suite: "einsum", Started: time.Now().UTC(), Machine: thisMachine(), Version: o.Version,
		Threads: o.Threads, Runs: o.Runs, Timeout: o.Timeout, Target: einsumTarget, Verdict: Verdict{Wrong: []string{}},
	}
	for i := range cases {
		if len(o.Only) > 0 && !slices.Contains(o.Only, cases[i].Name) {
			continue
		}
		fmt.Fprintf(o.Progress, "%s:", cases[i].Name)
		err := r.measure(ctx, &cases[i], o)
		if ctx.Err() != nil {
			r.Interrupted = true
			break
		}
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", cases[i].Name, err)
		}
		fmt.Fprintln(o.Progress, r.Cases[len(r.Cases)-1].progress())
	}
	r.Took = time.Since(r.Started)
	return r, nil
}

// einsumRun is one case under measurement.
type einsumRun struct {
	c        *einsumCase
	opt      EinsumOptions
	conn     *duckbackend.Conn
	operands []*tensor.Tensor
	sql      map[string]string // by way
	create   []string          // statements that make the tables
}

// run computes a network in one way; planned is the part of its time that is not
// execution.
func (r *einsumRun) run(ctx context.Context, way string) (out *pairwise.Tensor, planned time.Duration, err error) {
	switch way {
	case wayNative:
		return r.native(ctx)
	case wayPairwise:
		started := time.Now()
		path := network.Find(pairwise.Network(r.c.tensors, r.c.output), network.Options{Pairwise: true})
		if path == nil {
			return nil, 0, errNoPath
		}
		planned = time.Since(started)
		out, err = pairwise.Run(ctx, r.c.tensors, path, r.c.output)
		return out, planned, err
	}
	return r.query(ctx, r.sql[way])
}

var errNoPath = errors.New("no path has steps of few enough indices")

func (r *einsumRun) native(ctx context.Context) (*pairwise.Tensor, time.Duration, error) {
	started := time.Now()
	plan, err := tensor.PrepareEinsum(ctx, r.c.expression(), r.operands, tensor.Options{Threads: r.opt.Threads})
	if err != nil {
		return nil, 0, err
	}
	planned := time.Since(started)
	t, err := plan.Run(ctx)
	if err != nil {
		return nil, 0, err
	}
	out := &pairwise.Tensor{Indices: r.c.output, Coords: make([][]int32, len(r.c.output)), Values: make([]float64, t.Len())}
	values := t.Values()
	for e := range out.Values {
		out.Values[e] = values.Float64(e)
		for k := range out.Coords {
			out.Coords[k] = append(out.Coords[k], int32(t.Coord(k, e)))
		}
	}
	return out, planned, nil
}

// query runs SQL on DuckDB, from the text to the last row.
func (r *einsumRun) query(ctx context.Context, sql string) (_ *pairwise.Tensor, planned time.Duration, err error) {
	started := time.Now()
	s, err := r.conn.Prepare(ctx, sql)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	planned = time.Since(started)
	cur, err := s.Execute(ctx, nil)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, cur.Close()) }()
	n := len(r.c.output)
	out := &pairwise.Tensor{Indices: r.c.output, Coords: make([][]int32, n)}
	for {
		b, err := cur.Next(ctx)
		if err != nil || b == nil {
			return out, planned, err
		}
		for i := range b.N {
			if b.Cols[n].IsNull(i) {
				continue // a sum of nothing
			}
			out.Values = append(out.Values, b.Cols[n].F64[i])
			for k := range n {
				out.Coords[k] = append(out.Coords[k], int32(b.Cols[k].I64[i]))
			}
		}
	}
}

// measure runs a case in every way, in turn within every round.
func (r *EinsumReport) measure(ctx context.Context, c *einsumCase, o EinsumOptions) (err error) {
	db, err := duckbackend.Open(ctx, duckbackend.Config{Threads: o.Threads})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	run := &einsumRun{c: c, opt: o, sql: map[string]string{}}
	if run.conn, err = db.Conn(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.conn.Close()) }()
	if err := run.load(ctx); err != nil {
		return err
	}
	if r.DuckDB, err = duckVersion(ctx, run.conn); err != nil {
		return err
	}
	report := EinsumCase{Name: c.Name, About: c.About, Tensors: len(c.tensors), Indices: c.indices()}
	for _, t := range c.tensors {
		report.Entries += len(t.Values)
	}
	want := c.want()
	for _, way := range einsumWays {
		report.Measured = append(report.Measured, EinsumMeasure{Way: way})
	}
	for _, way := range []string{wayDecomposed, wayFlat} {
		if err := run.try(ctx, report.of(way)); err != nil {
			return err
		}
	}
	for round := range o.Runs + 1 {
		for i := range report.Measured {
			m := &report.Measured[i]
			if err := run.once(ctx, m, round > 0, want); err != nil {
				return err
			}
		}
	}
	for _, m := range report.Measured {
		if m.Wrong != "" {
			r.Wrong = append(r.Wrong, fmt.Sprintf("%s, %s: %s", c.Name, m.Way, m.Wrong))
		}
		if m.Failed != "" && m.Way != wayFlat {
			r.Wrong = append(r.Wrong, fmt.Sprintf("%s, %s: %s", c.Name, m.Way, m.Failed))
		}
	}
	report.Answer = len(want)
	r.Cases = append(r.Cases, report)
	return nil
}

// load makes the tables, their SQL, and the tensors of native.
func (r *einsumRun) load(ctx context.Context) error {
	s := newEinsumSQL(r.c)
	r.create = s.create
	for _, statement := range s.create {
		if err := r.conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	path := network.Find(pairwise.Network(r.c.tensors, r.c.output), network.Options{Pairwise: true})
	if path == nil {
		return errNoPath
	}
	r.sql[wayFlat], r.sql[wayDecomposed] = s.flat(), s.decomposed(path)
	return r.operandsOf()
}

// operandsOf makes the tensors of native.
func (r *einsumRun) operandsOf() error {
	made := map[*pairwise.Tensor]*tensor.Tensor{}
	for _, t := range r.c.tensors {
		if made[t] == nil {
			coords := make([][]int, len(t.Coords))
			for k := range coords {
				coords[k] = make([]int, len(t.Values))
				for e, x := range t.Coords[k] {
					coords[k][e] = int(x)
				}
			}
			var err error
			if made[t], err = tensor.Floats(coords, t.Values, t.Dims...); err != nil {
				return err
			}
		}
		r.operands = append(r.operands, made[t])
	}
	return nil
}

// plannedTables is the number of tables up to which DuckDB plans SQL in no time.
const plannedTables = 20

// try finds out whether DuckDB plans SQL of many tables in time.
func (r *einsumRun) try(ctx context.Context, m *EinsumMeasure) error {
	if r.opt.Plan == nil || len(r.c.tensors) <= plannedTables {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, r.opt.Timeout)
	defer cancel()
	err := r.opt.Plan(limited, append(slices.Clone(r.create), r.sql[m.Way]))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		m.Timeouts++
	case err != nil:
		m.Failed = err.Error()
	}
	return nil
}

// once executes in one way; timed says whether the time counts. A way that ran into its
// timeout, failed or was wrong is not run again.
func (r *einsumRun) once(ctx context.Context, m *EinsumMeasure, timed bool, want map[string]float64) error {
	if m.Timeouts > 0 || m.Failed != "" || m.Wrong != "" {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, r.opt.Timeout)
	defer cancel()
	started := time.Now()
	out, planned, err := r.run(limited, m.Way)
	took := time.Since(started)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		m.Timeouts++
		return nil
	case err != nil:
		m.Failed = err.Error()
		return nil
	}
	if m.Wrong = differs(out, want); timed {
		m.Runs, m.Planned = append(m.Runs, took), append(m.Planned, planned)
		m.Planning = median(m.Planned)
	}
	return nil
}

// differs says how an answer differs from what it should be, "" when it does not. Values
// are as near as the largest one allows: small ones are often differences of large ones.
func differs(got *pairwise.Tensor, want map[string]float64) string {
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	seen := map[string]bool{}
	at := make([]int32, len(got.Coords))
	for e, v := range got.Values {
		for k := range at {
			at[k] = got.Coords[k][e]
		}
		key := positions(at...)
		if seen[key] {
			return "two entries at " + key
		}
		seen[key] = true
		if !(math.Abs(v-want[key]) <= toleranceRel*largest) {
			return fmt.Sprintf("%v at %s, want %v", v, key, want[key])
		}
	}
	for key, v := range want {
		if !seen[key] && math.Abs(v) > toleranceRel*largest {
			return fmt.Sprintf("no entry at %s, want %v", key, v)
		}
	}
	return ""
}

func duckVersion(ctx context.Context, c *duckbackend.Conn) (version string, err error) {
	cur, err := c.Query(ctx, "SELECT version()")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, cur.Close()) }()
	b, err := cur.Next(ctx)
	if err != nil || b == nil {
		return "", err
	}
	return b.Cols[0].Str[0], nil
}
