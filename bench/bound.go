package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/trireme-db/trireme/bench/coverage"
	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// The bound that auto keeps in every execution, the first one included: this many times DuckDB's
// time and so much more.
const (
	boundTimes = 1.5
	boundBy    = 5 * time.Millisecond
)

// BoundOptions say which statements auto's bound is measured with: those of the corpus that
// CoverageOptions choose, and Joins random ones made of Seed.
type BoundOptions struct {
	CoverageOptions
	Seed  uint64
	Joins int
}

// moment is which execution of a statement it is.
type moment int

const (
	firstTime  moment = iota // nothing is known of it, and all tables have changed
	secondTime               // it is not judged: what it costs to learn is in the others
	thirdTime
	changed // all tables have changed since
	moments
)

var momentNames = [moments]string{"first", "second", "third", "after a change"}

// BoundCase is what was measured of a statement, by moment.
type BoundCase struct {
	Name   string                 `json:"name"`
	Family string                 `json:"family"`
	SQL    string                 `json:"sql"`
	DuckDB [moments]time.Duration `json:"duckdb_ns"` // medians; 0: not measured
	Auto   [moments]time.Duration `json:"auto_ns"`
	By     [moments]string        `json:"by"` // who answered under auto last
}

// exceeds reports whether auto broke the bound at a moment, and by how many times it took longer.
func (c *BoundCase) exceeds(m moment) (times float64, broken bool) {
	own, duck := c.Auto[m], c.DuckDB[m]
	if own == 0 || duck == 0 {
		return 0, false
	}
	return own.Seconds() / duck.Seconds(), own > time.Duration(boundTimes*float64(duck))+boundBy
}

// BoundReport is a run of CoverageBound.
type BoundReport struct {
	Started     time.Time   `json:"started"`
	Machine     Machine     `json:"machine"`
	Version     string      `json:"trireme"`
	Seed        uint64      `json:"seed"`
	Scale       int         `json:"scale"`
	Threads     int         `json:"threads"`
	Cases       []BoundCase `json:"cases"`
	Wrong       []string    `json:"wrong"`
	Interrupted bool        `json:"interrupted"`
}

// CoverageBound measures every statement on DuckDB and under auto: when it is executed for the
// first time, for the third time, and after all tables have changed; Runs times each, every time
// as a text that is new. When ctx ends, the report has what was measured until then.
func CoverageBound(ctx context.Context, o BoundOptions) (*BoundReport, error) {
	o.Backends = []engine.Backend{engine.Auto}
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Joins < 0 {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "%d random joins", o.Joins)
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	queries, err := o.choose()
	if err != nil {
		return nil, err
	}
	queries = append(queries, coverage.RandomJoins(o.Seed, o.Joins)...)
	queries = slices.DeleteFunc(queries, func(q coverage.Query) bool { return q.Check != "" || strings.Contains(q.SQL, "{file}") })
	r := &boundRun{opt: o, report: &BoundReport{
		Started: time.Now().UTC(), Machine: thisMachine(), Version: o.Version, Seed: o.Seed, Scale: o.Scale, Threads: o.Threads,
	}}
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
			break
		}
		if err != nil {
			return nil, fmt.Errorf("data set %s: %w", data, err)
		}
	}
	return r.report, nil
}

// boundRun is a run under way.
type boundRun struct {
	opt    BoundOptions
	report *BoundReport
}

// dataset measures the statements over one data set, in a database of its own.
func (r *boundRun) dataset(ctx context.Context, data string, queries []coverage.Query) (err error) {
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
	if _, err := db.describe(ctx, data); err != nil {
		return err
	}
	for i := range queries {
		b := &bounding{boundRun: r, db: db, q: &queries[i], c: BoundCase{Name: queries[i].Name, Family: queries[i].Family, SQL: queries[i].SQL}}
		if err := b.measure(ctx); err != nil {
			return err
		}
		r.report.Cases = append(r.report.Cases, b.c)
		fmt.Fprintf(r.opt.Progress, "%s %d of %d: %s\n", data, i+1, len(queries), b.c.progress())
	}
	return nil
}

// bounding is a statement being measured.
type bounding struct {
	*boundRun
	db   *Database
	q    *coverage.Query
	c    BoundCase
	want *answer
	took [2][moments][]time.Duration // DuckDB's, auto's
	late [2]bool                     // it ran into the timeout
}

// measure executes the statement; the sides begin in turn.
func (b *bounding) measure(ctx context.Context) error {
	for run := range b.opt.Runs {
		// A text of its own, so that nothing is known of it.
		sql := strings.Replace(b.q.SQL, " ", fmt.Sprintf(" /* %d */ ", run+1), 1)
		for i := range 2 {
			side := (i + run) % 2
			for m := range moments {
				if b.late[0] || b.late[1] {
					continue
				}
				if err := b.execute(ctx, side, m, sql); err != nil {
					return err
				}
			}
		}
	}
	for m := range moments {
		for side, to := range []*time.Duration{&b.c.DuckDB[m], &b.c.Auto[m]} {
			if times := b.took[side][m]; len(times) > 0 {
				*to = median(times)
			}
		}
	}
	return nil
}

// execute runs the statement once.
func (b *bounding) execute(ctx context.Context, side int, m moment, sql string) error {
	if m == firstTime || m == changed {
		if err := b.db.forget(ctx); err != nil {
			return err
		}
	}
	backend := []engine.Backend{engine.DuckDB, engine.Auto}[side]
	runtime.GC()
	out, err := b.db.timed(ctx, Variant{Backend: backend, Threads: b.opt.Threads}, sql, b.opt.Timeout)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		b.wrong(backend, err.Error())
		return nil
	case out.timeout:
		b.late[side] = true
		if side == 1 { // it counts as the time that it was given
			b.took[side][m] = append(b.took[side][m], b.opt.Timeout)
		}
		return nil
	}
	b.took[side][m] = append(b.took[side][m], out.took)
	if side == 1 {
		b.c.By[m] = out.by
	}
	if b.want == nil {
		b.want = out.answer
	} else if what := b.want.diffWithin(out.answer, toleranceCancelling); what != "" {
		b.wrong(backend, what)
	}
	return nil
}

func (b *bounding) wrong(backend engine.Backend, what string) {
	b.report.Wrong = append(b.report.Wrong, fmt.Sprintf("%s on %s: %s", b.q.Name, backend, what))
}

// progress is a line on who took how long.
func (c *BoundCase) progress() string {
	out := c.Name + ":"
	for m := range moments {
		out += fmt.Sprintf(" %s %s (DuckDB %s, by %s)", momentNames[m], short(c.Auto[m]), short(c.DuckDB[m]), c.By[m])
	}
	return out
}

// Print lists the statements that broke the bound, per moment, the worst first.
func (r *BoundReport) Print(out io.Writer) error {
	fmt.Fprintf(out, "auto beside DuckDB: Trireme %s on %s, %d cores; %d threads, scale %d, seed %d\n",
		r.Version, r.Machine.CPU, r.Machine.Cores, r.Threads, r.Scale, r.Seed)
	for _, m := range []moment{firstTime, thirdTime, changed} {
		type line struct {
			times float64
			text  string
		}
		var lines []line
		for i := range r.Cases {
			c := &r.Cases[i]
			if times, broken := c.exceeds(m); broken {
				lines = append(lines, line{times, strings.Join([]string{c.Name, c.By[m], short(c.Auto[m]), short(c.DuckDB[m]), times2(times)}, "\t")})
			}
		}
		fmt.Fprintf(out, "\n%s: %d of %d statements took longer than %.1f times DuckDB's time and %s\n", momentNames[m], len(lines), len(r.Cases), boundTimes, boundBy)
		sort.SliceStable(lines, func(i, j int) bool { return lines[i].times > lines[j].times })
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, l := range lines {
			fmt.Fprintln(w, l.text)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	for _, w := range r.Wrong {
		fmt.Fprintln(out, "WRONG:", w)
	}
	if r.Interrupted {
		fmt.Fprintln(out, "Interrupted: the rest was not measured.")
	}
	return nil
}

// Err is nil for a report of right answers only, from beginning to end.
func (r *BoundReport) Err() error {
	whole := Report{Wrong: r.Wrong, Interrupted: r.Interrupted}
	return whole.Err()
}

// WriteJSON writes the report; times are in nanoseconds.
func (r *BoundReport) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
