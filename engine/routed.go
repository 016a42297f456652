package engine

import (
	"context"
	"errors"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// routed is a SELECT that the tensor route has planned, with DuckDB behind it
// for the states in which it cannot answer.
type routed struct {
	session  *Session
	prepared *Prepared
	backend  Backend // the setting at the time of planning
	tensor   tensorStatement
	duck     statement // nil until needed
	host     *hosted   // of a statement that is refused as a whole; nil until needed, or without blocks
	cut      bool      // host has been looked for
}

// prepareRouted offers a SELECT to the tensor route, and gives it to DuckDB if
// the route declines and the backend is not forced (E5).
func (s *Session) prepareRouted(ctx context.Context, p *Prepared) (statement, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	if h := s.knownHosted(p); h != nil {
		return h, nil
	}
	backend := s.settings.backend
	stmt, reason, err := s.planTensor(ctx, p.sql, p.hints)
	switch {
	case err != nil:
		return nil, err
	case stmt != nil:
		return &routed{session: s, prepared: p, backend: backend, tensor: stmt}, nil
	}
	if h, err := s.prepareHosted(ctx, p, reason); h != nil || err != nil {
		return h, err
	}
	if backend == Auto {
		stmt, err := s.prepareDuckBecause(ctx, p, reason)
		if err != nil {
			return nil, err
		}
		s.mayKeep(stmt, p.sql)
		return s.mayLookUp(ctx, p, stmt.(*duckStatement))
	}
	// A statement that is wrong for DuckDB too gets DuckDB's error.
	if _, err := s.Describe(ctx, p.sql, p.hints); err != nil {
		return nil, err
	}
	if sqlfront.HasProgram(p.sql) {
		return nil, refuseProgram(reason)
	}
	return nil, refuse(backend, reason)
}

// prepareDuckBecause is prepareDuck for what the tensor engine cannot answer.
func (s *Session) prepareDuckBecause(ctx context.Context, p *Prepared, reason string) (statement, error) {
	stmt, err := s.prepareDuck(ctx, p)
	if d, ok := stmt.(*duckStatement); ok {
		d.reason = reason
	}
	return stmt, err
}

func (s *Session) planTensor(ctx context.Context, sql string, hints []rows.Type) (tensorStatement, string, error) {
	if s.engine.tensor == nil {
		return nil, "this engine was opened without tensor execution", nil
	}
	return s.engine.tensor.Prepare(ctx, s, sql, hints)
}

func (r *routed) params() []rows.Type    { return r.tensor.Params() }
func (r *routed) columns() []rows.Column { return r.tensor.Columns() }

func (r *routed) close() error {
	err := r.tensor.Close()
	if r.duck != nil {
		err = errors.Join(err, r.duck.close())
	}
	if r.host != nil {
		err = errors.Join(err, r.host.close())
	}
	return err
}

// execute asks the tensor engine first, or DuckDB where auto expects that to be
// sooner (choose).
func (r *routed) execute(ctx context.Context, args []Arg) (outcome, error) {
	d, err := r.decide(ctx, args)
	if err != nil {
		return outcome{}, err
	}
	if d != nil && d.duck {
		out, ok, err := d.tryDuck(ctx, func(ctx context.Context) (outcome, error) { return r.executeDuck(ctx, args) })
		if ok || err != nil {
			r.session.noted.because(d.why)
			return out, err
		}
	}
	started := time.Now()
	within, stop := d.tryNative(ctx)
	defer stop()
	cursor, by, reason, err := r.tensor.Execute(within, r.session, args)
	if err != nil {
		r.session.noted.answered(by, "")
		d.noteStopped(time.Since(started), err)
		if impatient(ctx, within, err) {
			started = time.Now()
			out, err := r.executeDuck(ctx, args)
			r.session.noted.because(errImpatient.Error())
			return d.timed(out, started, d.ended), err
		}
		return outcome{}, err
	}
	if cursor != nil {
		r.session.lastBackend = by.String()
		r.session.noted.answered(by, "")
		return d.timed(outcome{cursor: cursor, tag: "SELECT", affected: -1, countRows: true}, started, d.answered), nil
	}
	if out, ok, err := r.hosted(ctx, args, reason); ok || err != nil {
		return d.timed(out, started, d.answered), err
	}
	if sqlfront.HasProgram(r.prepared.sql) {
		return outcome{}, refuseProgram(reason)
	}
	if r.backend != Auto {
		return outcome{}, refuse(r.backend, reason)
	}
	d.refuse(reason)
	started = time.Now()
	out, err := r.executeDuck(ctx, args)
	r.session.noted.because(reason)
	return d.timed(out, started, d.ended), err
}

// decide says who is asked first; nil: the tensor engine.
func (r *routed) decide(ctx context.Context, args []Arg) (*decision, error) {
	t, ok := r.tensor.(*tensorSelect)
	if !ok {
		return nil, nil
	}
	return t.autoQuery(r.session, args).decide(ctx)
}

// executeDuck gives DuckDB the user's text.
func (r *routed) executeDuck(ctx context.Context, args []Arg) (outcome, error) {
	if r.duck == nil {
		duck, err := r.session.prepareDuck(ctx, r.prepared)
		if err != nil {
			return outcome{}, err
		}
		r.duck = duck
	}
	return r.duck.execute(ctx, args)
}

// hosted answers with blocks of the statement on tensors, if there are any.
func (r *routed) hosted(ctx context.Context, args []Arg, reason string) (out outcome, ok bool, err error) {
	if !r.cut {
		r.host, err = r.session.prepareHosted(ctx, r.prepared, reason)
		r.cut = err == nil
	}
	if err != nil || r.host == nil {
		return out, false, err
	}
	out, reason, err = r.host.hosted(ctx, args, r.session.noted.tracing())
	return out, reason == "", err
}
