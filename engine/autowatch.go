package engine

import (
	"context"
	"runtime/debug"
	"time"
)

// watch ends DuckDB's execution with errImpatient when its patience is over. Where
// nothing was estimated before, it is when DuckDB has run for estimateAfter,
// beside it. The choice must not be read before stop has returned.
func (d *decision) watch(ctx context.Context, cancel context.CancelCauseFunc, started time.Time) (stop func()) {
	ctx, end := context.WithCancel(ctx)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer d.recovered()
		if (d.later != nil || d.bind != nil) && !d.estimateLater(ctx) || d.duck && d.patience == 0 {
			return
		}
		if !d.duck || lasts(ctx, d.patience-time.Since(started)) {
			cancel(errImpatient)
		}
	}()
	return func() {
		end()
		<-gone
	}
}

// recovered keeps a fault of the estimate from ending the server: DuckDB goes on.
func (d *decision) recovered() {
	if p := recover(); p != nil {
		d.rule.log.Error("estimating a statement", "panic", p, "stack", string(debug.Stack()))
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

// bound binds a statement that is new, beside DuckDB; false: it is DuckDB's, or small.
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
	d.settle(true)
	return true
}
