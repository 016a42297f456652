package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/trireme-db/trireme/engine"
)

// oneCase measures a case. What was measured before an interrupt is kept.
func (r *runner) oneCase(ctx context.Context, db *Database, c Case) error {
	r.report.Cases = append(r.report.Cases, CaseReport{Name: c.Name, Data: c.Data, About: c.About, SQL: c.SQL, Target: c.Target, Cause: c.Cause})
	rep := &r.report.Cases[len(r.report.Cases)-1]
	defer func() {
		for i := range rep.Measured {
			rep.Measured[i].finish()
		}
	}()
	if err := r.first(ctx, db, c, rep); err != nil {
		return err
	}
	want := r.reference(c, rep)
	if err := r.settle(ctx, db, c, rep, want); err != nil {
		return err
	}
	if err := r.rounds(ctx, db, c, rep, want); err != nil {
		return err
	}
	for i := range rep.Measured {
		if m := &rep.Measured[i]; m.Variant.Backend == engine.Native && m.going() {
			if err := r.explain(ctx, db, c, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// going reports whether a variant can be executed further.
func (m *Measure) going() bool { return m.first != nil && m.Timeouts == 0 }

// finish drops what is not part of the report.
func (m *Measure) finish() {
	if len(m.planned) > 0 {
		m.Planning = median(m.planned)
	}
	m.first, m.planned = nil, nil
}

// first executes a case once under every variant, on tables that look changed to
// it: tensors are built, statistics gathered, answers kept, what a backend cannot
// do found out.
func (r *runner) first(ctx context.Context, db *Database, c Case, rep *CaseReport) error {
	for _, v := range r.report.Variants {
		rep.Measured = append(rep.Measured, Measure{Variant: v})
		m := &rep.Measured[len(rep.Measured)-1]
		if err := r.firstOf(ctx, db, c, m); err != nil {
			rep.Measured = rep.Measured[:len(rep.Measured)-1]
			return err
		}
		fmt.Fprintf(r.cfg.Progress, " %s %s", v, m.state())
	}
	fmt.Fprint(r.cfg.Progress, " |")
	return nil
}

func (r *runner) firstOf(ctx context.Context, db *Database, c Case, m *Measure) error {
	if m.Variant.Backend != engine.DuckDB {
		if err := db.forget(ctx); err != nil {
			return err
		}
	}
	var meter memoryMeter
	if err := meter.reset(); err != nil {
		return err
	}
	out, err := db.measure(ctx, m.Variant, c.SQL, r.limit(c))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if out.timeout && m.Variant.Backend == engine.DuckDB && c.Baseline != "" {
		m.Baseline = c.BaselineName
		if err := meter.reset(); err != nil {
			return err
		}
		out, err = db.measure(ctx, m.Variant, c.Baseline, r.limit(c))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if out.timeout {
		m.Timeouts, m.TimedOutAfter = 1, r.limit(c)
	}
	if err != nil {
		m.Failed = err.Error()
		r.report.wrong(c.Name, m.Variant, "failed: "+m.Failed)
	}
	m.Refused, m.Cold, m.first = out.refused, out.took, out.answer
	m.ColdMemory, err = meter.read()
	return err
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

// wrong notes an answer that differs or a failure.
func (r *Report) wrong(name string, v Variant, what string) {
	if line := fmt.Sprintf("%s on %s: %s", name, v, what); !slices.Contains(r.Wrong, line) {
		r.Wrong = append(r.Wrong, line)
	}
}

// reference is the answer that all are compared with: DuckDB's, else that of the
// first variant that has one; it is compared with the one expected, and the
// others' first answers with it.
func (r *runner) reference(c Case, rep *CaseReport) *answer {
	var from *Measure
	for i := range rep.Measured {
		m := &rep.Measured[i]
		if m.first != nil && (from == nil || m.Variant.Backend == engine.DuckDB) {
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
			r.report.wrong(c.Name, m.Variant, what)
		}
	}
	return from.first
}

// differs says how an answer is not the one expected; "" when it is.
func (r *runner) differs(c Case, want, got *answer) string {
	if text, _ := got.scalar(); c.Want != "" && text != c.Want {
		return fmt.Sprintf("%s, expected %s", got, c.Want)
	}
	if want == nil {
		return ""
	}
	return want.diff(got)
}

// settle executes a case under every variant once more: what the first executions
// of others have made cold is made again, and memory is measured.
func (r *runner) settle(ctx context.Context, db *Database, c Case, rep *CaseReport, want *answer) error {
	for i := range rep.Measured {
		m := &rep.Measured[i]
		if !m.going() {
			continue
		}
		var meter memoryMeter
		if err := meter.reset(); err != nil {
			return err
		}
		out, err := r.again(ctx, db, c, m, want)
		if err != nil {
			return err
		}
		if out.answer == nil {
			continue
		}
		if m.Memory, err = meter.read(); err != nil {
			return err
		}
	}
	return nil
}

// rounds are the executions that count. Every round begins with another variant;
// garbage of others is collected before the clock starts.
func (r *runner) rounds(ctx context.Context, db *Database, c Case, rep *CaseReport, want *answer) error {
	started := time.Now()
	for round := range r.cfg.Runs {
		if round > 0 && (r.hurried() || r.cfg.Patience > 0 && time.Since(started) > r.cfg.Patience) {
			break
		}
		for i := range rep.Measured {
			m := &rep.Measured[(i+round)%len(rep.Measured)]
			if !m.going() {
				continue
			}
			runtime.GC()
			out, err := r.again(ctx, db, c, m, want)
			if err != nil {
				return err
			}
			if out.answer == nil {
				continue
			}
			m.Runs = append(m.Runs, out.took)
			if out.planned > 0 {
				m.planned = append(m.planned, out.planned)
			}
		}
		fmt.Fprint(r.cfg.Progress, ".")
	}
	return nil
}

// again executes a case once more under a variant. The error is an interrupt; what
// else goes wrong is noted.
func (r *runner) again(ctx context.Context, db *Database, c Case, m *Measure, want *answer) (outcome, error) {
	sql := c.SQL
	if m.Baseline != "" {
		sql = c.Baseline
	}
	out, err := db.measure(ctx, m.Variant, sql, r.limit(c))
	switch {
	case ctx.Err() != nil:
		return outcome{}, ctx.Err()
	case err != nil:
		m.Failed, m.first = err.Error(), nil
		r.report.wrong(c.Name, m.Variant, "failed: "+m.Failed)
		return outcome{}, nil
	case out.timeout:
		m.Timeouts++
		m.TimedOutAfter = r.limit(c)
		return out, nil
	case out.refused != "":
		m.Refused, m.first = out.refused, nil
		return out, nil
	}
	if what := r.differs(c, want, out.answer); what != "" {
		r.report.wrong(c.Name, m.Variant, what)
	}
	return out, nil
}
