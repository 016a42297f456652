package bench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
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
	// Control is DuckDB measured again as if it were auto.
	Control [moments]time.Duration `json:"control_ns"`
	By      [moments]string        `json:"by"` // who answered under auto last
}

// exceeds reports whether a side broke the bound at a moment, and by how many times it took
// longer than DuckDB.
func (c *BoundCase) exceeds(side *[moments]time.Duration, m moment) (times float64, broken bool) {
	own, duck := side[m], c.DuckDB[m]
	if own == 0 || duck == 0 {
		return 0, false
	}
	return own.Seconds() / duck.Seconds(), own > time.Duration(boundTimes*float64(duck))+boundBy
}

// BoundReport is a run of CoverageBound.
type BoundReport struct {
	Started time.Time   `json:"started"`
	Machine Machine     `json:"machine"`
	Version string      `json:"trireme"`
	Seed    uint64      `json:"seed"`
	Scale   int         `json:"scale"`
	Threads int         `json:"threads"`
	Control bool        `json:"control"`
	Cases   []BoundCase `json:"cases"`
	Verdict
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
	queries, err := o.choose()
	if err != nil {
		return nil, err
	}
	queries = append(queries, coverage.RandomJoins(o.Seed, o.Joins)...)
	queries = slices.DeleteFunc(queries, func(q coverage.Query) bool { return q.Check != "" || strings.Contains(q.SQL, "{file}") })
	report := &BoundReport{
		Started: time.Now().UTC(), Machine: thisMachine(), Version: o.Version, Seed: o.Seed, Scale: o.Scale, Threads: o.Threads, Control: o.Control,
	}
	c := &corpus{CoverageOptions: o.CoverageOptions, queries: queries, measure: func(ctx context.Context, db *Database, q *coverage.Query) (string, error) {
		b := newBounding(o, report, db, q)
		if err := b.measure(ctx); err != nil {
			return "", err
		}
		report.Cases = append(report.Cases, b.c)
		return b.c.progress(), nil
	}}
	if report.Interrupted, err = c.run(ctx); err != nil {
		return nil, err
	}
	return report, nil
}

// bounding is a statement being measured.
type bounding struct {
	opt    BoundOptions
	report *BoundReport
	db     *Database
	q      *coverage.Query
	c      BoundCase
	want   *answer
	sides  []*boundSide // DuckDB's first
}

// boundSide is what is measured of a statement on one backend.
type boundSide struct {
	backend engine.Backend
	times   [moments][]time.Duration
	medians *[moments]time.Duration
}

func newBounding(o BoundOptions, r *BoundReport, db *Database, q *coverage.Query) *bounding {
	b := &bounding{opt: o, report: r, db: db, q: q, c: BoundCase{Name: q.Name, Family: q.Family, SQL: q.SQL}}
	b.sides = []*boundSide{{backend: engine.DuckDB, medians: &b.c.DuckDB}, {backend: engine.Auto, medians: &b.c.Auto}}
	if o.Control {
		b.sides = append(b.sides, &boundSide{backend: engine.DuckDB, medians: &b.c.Control})
	}
	return b
}

// measure executes the statement; the sides begin in turn.
func (b *bounding) measure(ctx context.Context) error {
	defer b.finish()
	for run := range b.opt.Runs {
		// A text of its own, so that nothing is known of it.
		sql := strings.Replace(b.q.SQL, " ", fmt.Sprintf(" /* %d */ ", run+1), 1)
		for i := range b.sides {
			side := b.sides[(i+run)%len(b.sides)]
			for m := range moments {
				if late, err := b.execute(ctx, side, m, sql); late || err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// finish keeps the medians.
func (b *bounding) finish() {
	for _, side := range b.sides {
		for m := range moments {
			if times := side.times[m]; len(times) > 0 {
				side.medians[m] = median(times)
			}
		}
	}
}

// execute runs the statement once; late: it ran into the timeout.
func (b *bounding) execute(ctx context.Context, side *boundSide, m moment, sql string) (late bool, err error) {
	if m == firstTime || m == changed {
		if err := b.db.forget(ctx); err != nil {
			return false, err
		}
	}
	runtime.GC()
	out, err := b.db.timed(ctx, Variant{Backend: side.backend, Threads: b.opt.Threads}, sql, b.opt.Timeout)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		b.wrong(side.backend, err.Error())
		return false, nil
	case out.timeout:
		if side.backend != engine.DuckDB { // it counts as the time that it was given
			side.times[m] = append(side.times[m], b.opt.Timeout)
		}
		return true, nil
	}
	side.times[m] = append(side.times[m], out.took)
	if side.backend == engine.Auto {
		b.c.By[m] = out.by
	}
	if b.want == nil {
		b.want = out.answer
	} else if what := b.want.diffWithin(out.answer, toleranceCancelling); what != "" {
		b.wrong(side.backend, what)
	}
	return false, nil
}

func (b *bounding) wrong(backend engine.Backend, what string) {
	b.report.Wrong = append(b.report.Wrong, fmt.Sprintf("%s on %s: %s", b.q.Name, backend, what))
}

// progress is a line on who took how long.
func (c *BoundCase) progress() string {
	out := ""
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
		var lines []slower
		chance := 0
		for i := range r.Cases {
			c := &r.Cases[i]
			if times, broken := c.exceeds(&c.Auto, m); broken {
				lines = append(lines, slower{times, []string{c.Name, c.By[m], short(c.Auto[m]), short(c.DuckDB[m]), times2(times)}})
			}
			if _, broken := c.exceeds(&c.Control, m); broken {
				chance++
			}
		}
		if err := printWorst(out, momentNames[m], len(r.Cases), boundTimes, boundBy, lines); err != nil {
			return err
		}
		if r.Control {
			fmt.Fprintf(out, "by chance, DuckDB beside itself: %d\n", chance)
		}
	}
	r.print(out)
	return nil
}

// WriteJSON writes the report; times are in nanoseconds.
func (r *BoundReport) WriteJSON(w io.Writer) error { return writeJSON(w, r) }
