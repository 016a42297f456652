package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/trireme-db/trireme/engine"
)

// analyzed is what EXPLAIN (ANALYZE, FORMAT JSON) says, as far as it is read
// here. Times are in milliseconds.
type analyzed struct {
	TimeMs   float64 `json:"time_ms"`
	Programs []struct {
		Loads []struct {
			Entries int64   `json:"entries"`
			Cached  bool    `json:"cached"`
			TimeMs  float64 `json:"time_ms"`
		} `json:"loads"`
		planAnalyzed
		PlannedAgain []planAnalyzed `json:"planned_again"`
		Iterations   []struct {
			Rows    int      `json:"rows"`
			NewRows int      `json:"new_rows"`
			Formats []string `json:"formats"`
			Planned bool     `json:"planned"`
			TimeMs  float64  `json:"time_ms"`
		} `json:"iterations"`
	} `json:"programs"`
}

type planAnalyzed struct {
	PlanningMs float64 `json:"planning_ms"`
	Steps      []struct {
		TimeMs float64 `json:"time_ms"`
	} `json:"steps"`
}

func duration(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// analyze executes a statement under a variant, its plan made anew, and returns what
// happened.
func (d *Database) analyze(ctx context.Context, v Variant, sql string) (_ *analyzed, err error) {
	if err := d.use(ctx, v); err != nil {
		return nil, err
	}
	if d.warm {
		if err := d.Exec(ctx, "SET trireme.plan_cache = off"); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, d.Exec(context.WithoutCancel(ctx), "SET trireme.plan_cache = on")) }()
	}
	text, err := d.scalar(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+sql)
	if err != nil {
		return nil, err
	}
	var out [1]analyzed
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, fmt.Errorf("EXPLAIN is not the expected JSON: %w", err)
	}
	return &out[0], nil
}

// parts adds up planning and steps over all programs and plans.
func (a *analyzed) parts() (planning, kernel time.Duration) {
	add := func(p planAnalyzed) {
		planning += duration(p.PlanningMs)
		for _, s := range p.Steps {
			kernel += duration(s.TimeMs)
		}
	}
	for _, p := range a.Programs {
		add(p.planAnalyzed)
		for _, again := range p.PlannedAgain {
			add(again)
		}
	}
	return planning, kernel
}

// iterations are the steps of the recursions of a statement.
func (a *analyzed) iterations() []Iteration {
	var out []Iteration
	for _, p := range a.Programs {
		for _, i := range p.Iterations {
			out = append(out, Iteration{Rows: i.Rows, NewRows: i.NewRows, Formats: i.Formats, Planned: i.Planned, Took: duration(i.TimeMs)})
		}
	}
	return out
}

// explain measures the parts of one more execution; of a clientLoop none.
func (r *runner) explain(ctx context.Context, db *Database, c Case, m *Measure) error {
	if parseClientLoop(c.SQL) != nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, r.limit(c))
	defer cancel()
	a, err := db.analyze(limited, m.Variant, c.SQL)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return nil // the parts stay unknown; timeouts are counted among the runs
	case err != nil:
		r.report.wrong(c.Name, m.Variant, "EXPLAIN ANALYZE failed: "+err.Error())
		return nil
	}
	m.Planning, m.Kernel = a.parts()
	m.Iterations = a.iterations()
	return nil
}

// coldCase builds the tensor of a table in new databases, in turn with one
// thread and with all.
func (r *runner) coldCase(ctx context.Context, d Dataset, c Case) error {
	r.report.Cases = append(r.report.Cases, CaseReport{Name: c.Name, Data: c.Data, SQL: c.SQL})
	rep := &r.report.Cases[len(r.report.Cases)-1]
	for range r.cfg.Runs {
		for _, v := range r.report.Variants {
			if !v.is(engine.Native) {
				continue
			}
			b, err := r.build(ctx, d, c, v)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				r.report.wrong(c.Name, v, err.Error())
				return nil
			}
			rep.Build = append(rep.Build, b)
			rep.Answer = fmt.Sprintf("%d entries", b.Entries)
		}
		fmt.Fprint(r.cfg.Progress, ".")
	}
	return nil
}

// build measures one building.
func (r *runner) build(ctx context.Context, d Dataset, c Case, v Variant) (b Build, err error) {
	db, err := r.open(ctx)
	if err != nil {
		return Build{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := d.Load(ctx, db); err != nil {
		return Build{}, err
	}
	first, err := db.analyze(ctx, v, c.SQL)
	if err != nil {
		return Build{}, err
	}
	second, err := db.analyze(ctx, v, c.SQL)
	if err != nil {
		return Build{}, err
	}
	b = Build{Variant: v, First: duration(first.TimeMs), Second: duration(second.TimeMs)}
	for _, p := range first.Programs {
		for _, l := range p.Loads {
			if !l.Cached {
				b.Load += duration(l.TimeMs)
				b.Entries = max(b.Entries, l.Entries)
			}
		}
	}
	if b.Entries == 0 {
		return Build{}, fmt.Errorf("table %s was not loaded", c.Cold)
	}
	return b, nil
}
