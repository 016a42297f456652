package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// errImpatient cancels the side that takes longer than it was given.
var errImpatient = errors.New("the statement takes longer than was estimated")

// errOutrun cancels native where DuckDB beside it has answered.
var errOutrun = errors.New("DuckDB has answered")

// side is one way to execute a statement.
type side func(context.Context) (outcome, error)

// tryDuck answers on DuckDB; ok is false when its patience was over before the
// first row. Nothing has then been delivered, and native has a bound.
func (d *decision) tryDuck(ctx context.Context, execute side) (out outcome, ok bool, err error) {
	if d.patience == 0 && d.later == nil && d.bind == nil {
		out, err = d.duckAlone(ctx, execute)
		return out, true, err
	}
	started := time.Now()
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := d.watch(within, cancel, started)
	out, err = begun(within, execute)
	stop()
	switch {
	case err == nil:
		return d.timed(out, started, d.ended, d.stopped), true, nil
	case impatient(ctx, within, err):
		took := time.Since(started)
		d.noteDuck(took, true)
		d.duck, d.patience = false, max(nativeMin, took, time.Duration(overrunTimes*d.native))
		return outcome{}, false, nil
	}
	d.cancelled(time.Since(started), err, d.stopped)
	return outcome{}, true, err
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
	first, err := out.cursor.Next(ctx)
	if err != nil {
		return outcome{}, errors.Join(err, out.cursor.Close())
	}
	out.cursor = &begunCursor{Cursor: out.cursor, first: first, held: true}
	return out, nil
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
	d.duck, d.later, d.bind = true, nil, nil
	if d.known || !d.mayCancel {
		d.patience = 0
	} else {
		d.patience = max(patienceMin, time.Duration(patienceTimes*float64(d.patience)))
	}
}

// overrun is why DuckDB answers what native was asked first.
func (d *decision) overrun() string {
	return fmt.Sprintf("the tensor engine has not answered within %s", milliseconds(d.patience))
}

// besideMin is how long DuckDB has at least, after native has overrun, before native begins
// beside it: both are slower then.
const besideMin = 200 * time.Millisecond

// beside runs DuckDB to its end and, when it has had its time, native beside it: who has
// the first row answers, and the other one is cancelled.
func (d *decision) beside(ctx context.Context, wait time.Duration, duck, native side) (out outcome, natively bool, err error) {
	started := time.Now()
	onDuck, stopDuck := context.WithCancelCause(ctx)
	onTensors, stopNative := context.WithCancelCause(ctx)
	defer stopDuck(nil)
	defer stopNative(nil)
	type answer struct {
		out outcome
		err error
	}
	got := make(chan answer, 1)
	go func() {
		a := answer{err: errOutrun}
		defer func() { got <- a }()
		defer d.recoveredInto(&a.err)
		if lasts(onTensors, wait) {
			if a.out, a.err = begun(onTensors, native); a.err == nil {
				stopDuck(errImpatient)
			}
		}
	}()
	out, err = begun(onDuck, duck)
	cancelled := impatient(ctx, onDuck, err)
	if !cancelled {
		stopNative(errOutrun)
	}
	a := <-got
	took := time.Since(started)
	if cancelled {
		d.noteDuck(took, true)
		return d.timed(a.out, started.Add(wait), d.answered, d.noteStopped), true, a.err
	}
	if a.err == nil && a.out.cursor != nil { // both at once
		err = errors.Join(err, a.out.cursor.Close())
	} else if took > wait {
		d.noteStopped(took - wait)
	}
	if err != nil {
		d.cancelled(took, err, d.stopped)
		return outcome{}, false, err
	}
	return d.timed(out, started, d.ended, d.stopped), false, nil
}

// recoveredInto keeps a fault of native's from ending the server: DuckDB answers.
func (d *decision) recoveredInto(err *error) {
	if p := recover(); p != nil {
		d.rule.log.Error("a statement panicked beside DuckDB", "panic", p, "stack", string(debug.Stack()))
		*err = sqlerr.New(sqlerr.InternalError, "%v", p)
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
