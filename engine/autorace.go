package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// race is an execution of DuckDB's that has a patience. When that is over before the first
// row, native begins beside it, and who has the first row answers; or DuckDB is cancelled,
// where native needs the session's connection, too. Where nothing was estimated before, it
// is when DuckDB has run for estimateAfter, beside it.
type race struct {
	*decision
	started  time.Time
	turn     func() turn
	stopDuck context.CancelCauseFunc
	stop     context.CancelCauseFunc // of native and of what is asked before
	gone     chan struct{}           // closed when nothing runs beside DuckDB any more
	// What became of native; began is when, and zero where it has not begun; took is how long
	// it ran until it answered or was stopped.
	began time.Time
	took  time.Duration
	out   outcome
	err   error
	next  turn
}

// turn is native's turn: a side to begin beside DuckDB, and what that does on the session's
// connection when it has begun and DuckDB is cancelled (nil: nothing), or that DuckDB has to
// be cancelled before; neither: there is none.
type turn struct {
	beside     side
	afterwards side
	release    func() error // in place of afterwards, where DuckDB's answer is taken; nil: nothing
	cancel     bool
}

// inTurn is the turn of what cannot run beside DuckDB.
func inTurn() turn { return turn{cancel: true} }

// besideTimes is how many times longer native takes beside DuckDB, at most: it has half as
// many threads on the same cores.
const besideTimes = 3

// newRace starts what waits beside DuckDB. The choice must not be read before halt has
// returned.
func (d *decision) newRace(ctx context.Context, stopDuck context.CancelCauseFunc, next func() turn) *race {
	r := &race{decision: d, started: time.Now(), turn: next, stopDuck: stopDuck, gone: make(chan struct{})}
	onTensors, stop := context.WithCancelCause(ctx)
	r.stop = stop
	go func() {
		defer close(r.gone)
		defer r.recovered()
		r.wait(onTensors)
	}()
	return r
}

// wait waits until DuckDB's patience is over, and takes native's turn.
func (r *race) wait(ctx context.Context) {
	d := r.decision
	if (d.later != nil || d.bind != nil) && !d.estimateLater(ctx) || d.duck && d.patience == 0 && !d.beside {
		return
	}
	if d.duck && !lasts(ctx, d.patience-time.Since(r.started)) {
		return
	}
	switch r.next = r.turn(); {
	case r.next.beside != nil:
		r.run(ctx, r.next.beside)
	case r.next.cancel:
		r.stopDuck(errImpatient)
	}
}

// run executes native beside DuckDB, to its first row or to its limit.
func (r *race) run(ctx context.Context, native side) {
	if r.limit > 0 {
		within, cancel := context.WithTimeoutCause(ctx, r.limit, errOutrun)
		defer cancel()
		ctx = within
	}
	r.began = time.Now()
	r.err = errOutrun // of a panic, too
	r.out, r.err = begun(ctx, native)
	r.took = time.Since(r.began)
	if r.err == nil {
		r.stopDuck(errImpatient)
	}
}

// recovered keeps a fault of native's, or of the estimate, from ending the server: DuckDB
// answers.
func (r *race) recovered() {
	if p := recover(); p != nil {
		r.rule.log.Error("a statement panicked beside DuckDB", "panic", p, "stack", string(debug.Stack()))
		r.err = sqlerr.New(sqlerr.InternalError, "%v", p)
	}
}

// halt ends what runs beside DuckDB, which has answered, failed or been cancelled; won:
// native has answered.
func (r *race) halt(cancelled bool) (won bool) {
	if !cancelled {
		r.stop(errOutrun)
	}
	<-r.gone
	r.stop(nil)
	refused := &errRefused{}
	switch {
	case r.began.IsZero():
		return false
	case r.err == nil && cancelled:
		return true
	case r.err == nil: // both at once
		r.answered(r.took)
		r.discard()
	case errors.As(r.err, &refused): // but perhaps parts of it are answered
		r.note(func(e *autoEntry) { e.inTurn = true })
	case isCanceled(r.err):
		r.lost(r.took / besideTimes)
	}
	return false
}

// discard closes native's answer, where DuckDB's is taken.
func (r *race) discard() {
	var err error
	if r.out.cursor != nil {
		err = r.out.cursor.Close()
	}
	if r.next.release != nil {
		err = errors.Join(err, r.next.release())
	}
	if err != nil {
		r.rule.log.Warn("the tensor engine's answer beside DuckDB's", "error", err)
	}
}

// lasts reports whether ctx lasts that long.
func lasts(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// bound binds a statement that is new, beside DuckDB; false: it is DuckDB's.
func (d *decision) bound(ctx context.Context) (bool, error) {
	if d.bind == nil {
		return true, nil
	}
	a, err := d.bind(ctx)
	if a == nil || err != nil {
		return false, onlyFatal(ctx, err)
	}
	snap, reason := a.session.engine.catalog.Versions.Snapshot(a.tables, 0)
	if reason != "" || a.natively {
		return false, nil
	}
	d.later = a
	return true, d.find(ctx, a, snap)
}

// estimateLater makes the choice for a statement that is being executed; ok is
// false when that has ended before, or when nothing can be estimated.
func (d *decision) estimateLater(ctx context.Context) (ok bool) {
	if !lasts(ctx, estimateAfter) {
		return false
	}
	known, err := d.bound(ctx)
	if known && err == nil {
		known, err = d.ask(ctx, d.later)
	}
	if err != nil && ctx.Err() == nil {
		d.rule.log.Warn("a statement cannot be estimated", "error", err)
	}
	if err != nil || !known {
		return false
	}
	d.rule.mu.Lock()
	defer d.rule.mu.Unlock()
	d.settle(true, true)
	return true
}

// after is the time that native has when DuckDB, which took so long, was cancelled for it.
func (d *decision) after(took time.Duration) time.Duration {
	return max(nativeMin, took, time.Duration(overrunTimes*d.native))
}

// overrun is why DuckDB answers what native was asked first, and had that long for.
func overrun(patience time.Duration) string {
	return fmt.Sprintf("the tensor engine has not answered within %s", milliseconds(patience))
}
