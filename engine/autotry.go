package engine

import (
	"context"
	"errors"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// errImpatient cancels the side that takes longer than it was given.
var errImpatient = errors.New("the statement takes longer than was estimated")

// errOutrun cancels native where DuckDB beside it has answered.
var errOutrun = errors.New("DuckDB has answered")

// side is one way to execute a statement.
type side func(context.Context) (outcome, error)

// who says which side an execution was answered by.
type who int

const (
	byNobody who = iota // DuckDB was cancelled, nothing has been delivered, and native has a bound
	byDuckDB
	byTensors
)

// tryDuck answers on DuckDB, or as a race where that has a patience.
func (d *decision) tryDuck(ctx context.Context, duck side, next func() turn) (out outcome, by who, err error) {
	if d.patience == 0 && !d.beside && d.later == nil && d.bind == nil {
		out, err = d.duckAlone(ctx, duck)
		return out, byDuckDB, err
	}
	onDuck, stopDuck := context.WithCancelCause(ctx)
	defer stopDuck(nil)
	r := d.newRace(ctx, stopDuck, next)
	out, err = begun(onDuck, duck)
	took := time.Since(r.started)
	cancelled := impatient(ctx, onDuck, err)
	switch won := r.halt(cancelled); {
	case won:
		d.noteDuck(took, true)
		out, err = r.out, nil
		if r.next.afterwards != nil {
			if out, err = r.next.afterwards(ctx); errors.Is(err, errNoBlock) { // it is tried again
				d.duck, d.patience = false, d.after(took)
				return outcome{}, byNobody, nil
			}
		}
		if err != nil {
			return outcome{}, byTensors, err
		}
		return d.timed(out, r.began, d.answered, d.noteStopped), byTensors, nil
	case cancelled:
		d.noteDuck(took, true)
		d.duck, d.patience = false, d.after(took)
		return outcome{}, byNobody, nil
	case err == nil: // native may have taken long to stop
		return d.timed(out, time.Now().Add(-took), d.ended, d.stopped), byDuckDB, nil
	}
	d.cancelled(took, err, d.stopped)
	return outcome{}, byDuckDB, err
}

// duckAlone answers on DuckDB, for as long as it takes.
func (d *decision) duckAlone(ctx context.Context, execute side) (outcome, error) {
	started := time.Now()
	out, err := execute(ctx)
	if err != nil {
		d.cancelled(time.Since(started), err, d.stopped)
		return out, err
	}
	return d.timed(out, started, d.ended, d.stopped), nil
}

// begun executes to the first row.
func begun(ctx context.Context, execute side) (outcome, error) {
	out, err := execute(ctx)
	if err != nil || out.cursor == nil {
		return out, err
	}
	if out.cursor, err = readAhead(ctx, out.cursor); err != nil {
		return outcome{}, err
	}
	return out, nil
}

// readAhead reads the first batch of a cursor, which is closed where that fails.
func readAhead(ctx context.Context, cur rows.Cursor) (rows.Cursor, error) {
	first, err := cur.Next(ctx)
	if err != nil {
		return nil, errors.Join(err, cur.Close())
	}
	return &begunCursor{Cursor: cur, first: first, held: true}, nil
}

// tryNative answers on tensors; ok is false when its bound was reached before execute
// returned, and nothing has been delivered.
func (d *decision) tryNative(ctx context.Context, execute side) (out outcome, ok bool, err error) {
	started := time.Now()
	if d == nil || d.patience == 0 {
		out, err = execute(ctx)
	} else {
		within, cancel := context.WithTimeoutCause(ctx, d.patience, errImpatient)
		defer cancel()
		out, err = execute(within)
		if impatient(ctx, within, err) {
			d.noteStopped(time.Since(started))
			return outcome{}, false, nil
		}
	}
	if err != nil {
		d.cancelled(time.Since(started), err, d.noteStopped)
		return out, true, err
	}
	return d.timed(out, started, d.answered, d.noteStopped), true, nil
}

// yield makes it DuckDB's turn, after native had its own: for as long as it takes where it
// cannot be cancelled, or is known to end.
func (d *decision) yield() {
	d.duck, d.beside, d.later, d.bind = true, false, nil, nil
	if d.known || !d.mayCancel {
		d.patience = 0
	} else {
		d.patience = max(patienceMin, time.Duration(patienceTimes*float64(d.patience)))
	}
}

// impatient reports whether err is that the patience was over, not the client's
// or the session's.
func impatient(ctx, within context.Context, err error) bool {
	return ctx.Err() == nil && errors.Is(context.Cause(within), errImpatient) && isCanceled(err)
}

func isCanceled(err error) bool {
	var e *sqlerr.Error
	return errors.Is(err, errImpatient) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &e) && e.Code == sqlerr.QueryCanceled
}
