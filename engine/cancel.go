package engine

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// The causes with which a run is cancelled.
var (
	errCanceledByUser = errors.New("canceling statement due to user request")
	errTimeout        = errors.New("canceling statement due to statement timeout")
)

// run is the time during which a statement can be cancelled: from the start of
// Execute to the end of its result.
type run struct {
	session *Session
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	unwatch func() bool // nil: it is not watched
}

// heedTime is how long what runs may go on after it has been cancelled, where a core is
// free for it; heedTimeMax bounds that where many share the cores.
const heedTime, heedTimeMax = time.Second, 30 * time.Second

// patience is how long what runs may go on after it has been cancelled: a statement among
// n on each core asks for its cancellation n times as seldom.
func (e *Engine) patience() time.Duration {
	perCore := int(e.runs.Load()) / runtime.GOMAXPROCS(0)
	return min(heedTime*time.Duration(max(perCore, 1)), heedTimeMax)
}

// watch ends the client's connection where the run does not heed its cancellation: DuckDB
// binds and optimizes without asking, and a client that does not read holds up everything.
// A statement that writes is watched once it has written, so that nobody is left
// without an answer to COMMIT who could have had one.
func (r *run) watch() {
	s := r.session
	if r.unwatch != nil || s.abandon == nil {
		return
	}
	r.unwatch = context.AfterFunc(r.ctx, func() {
		d := s.engine.patience()
		time.AfterFunc(d, func() { r.abandon(d) })
	})
}

// abandon ends the client's connection if the run goes on after it has been waited for.
func (r *run) abandon(waited time.Duration) {
	s := r.session
	s.cancelMu.Lock()
	_, runs := s.running[r]
	s.cancelMu.Unlock()
	if !runs {
		return
	}
	e := *sqlerr.From(r.explain(r.ctx.Err()))
	e.Detail = "What runs did not stop within " + waited.String() + ", so the connection is closed."
	s.abandon(&e)
}

// startRun begins a run under the session's statement_timeout.
func (s *Session) startRun(parent context.Context) *run {
	limit := s.settings.statementTimeout
	rest, limited := s.transactionRest()
	if !limited || limit > 0 && limit < rest {
		return s.startRunFor(parent, limit)
	}
	r := s.startRunFor(parent, 0)
	r.timer = time.AfterFunc(rest, func() { r.cancel(errTransactionTimeout()) })
	return r
}

// startRunFor begins a run that is cancelled after limit, if that is positive.
func (s *Session) startRunFor(parent context.Context, limit time.Duration) *run {
	r := &run{session: s}
	r.ctx, r.cancel = context.WithCancelCause(duckbackend.WithWall(parent, s.wall()))
	if limit > 0 {
		r.timer = time.AfterFunc(limit, func() { r.cancel(errTimeout) })
	}
	s.cancelMu.Lock()
	s.running[r] = struct{}{}
	s.engine.runs.Add(1)
	s.cancelMu.Unlock()
	return r
}

// end ends the run; it may be called several times.
func (r *run) end() {
	if r.timer != nil {
		r.timer.Stop()
	}
	if r.unwatch != nil {
		r.unwatch()
	}
	s := r.session
	s.cancelMu.Lock()
	if _, runs := s.running[r]; runs {
		delete(s.running, r)
		s.engine.runs.Add(-1)
	}
	s.cancelMu.Unlock()
	r.cancel(nil)
}

// explain gives an error that stems from cancellation its cause.
func (r *run) explain(err error) error {
	if err == nil || r.ctx.Err() == nil {
		return err
	}
	var e *sqlerr.Error
	isCancel := errors.As(err, &e) && e.Code == sqlerr.QueryCanceled
	why := context.Cause(r.ctx)
	if !isCancel && !errors.Is(err, why) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var timeout *sqlerr.Error
	if errors.As(why, &timeout) && timeout.Code == sqlerr.TransactionTimeout {
		return timeout
	}
	cause := errCanceledByUser
	if errors.Is(why, errTimeout) || errors.Is(why, context.DeadlineExceeded) {
		cause = errTimeout
	}
	return sqlerr.Wrap(sqlerr.QueryCanceled, cause)
}
