package engine

import (
	"context"
	"errors"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
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
	h, reason, err := s.prepareHosted(ctx, p, reason)
	if h != nil || err != nil {
		return h, err
	}
	if backend == Auto {
		stmt, err := s.prepareDuckBecause(ctx, p, reason)
		if err != nil {
			return nil, err
		}
		s.markKept(stmt, p.sql)
		return s.mayLookUp(ctx, p, stmt.(*duckStatement))
	}
	// A statement that is wrong for DuckDB too gets DuckDB's error.
	if _, err := s.Describe(ctx, p.sql, p.hints); err != nil {
		return nil, err
	}
	if sqlfront.HasProgram(p.sql) {
		return nil, refuseProgram(reason)
	}
	return nil, sqlerr.Harmless(refuse(backend, reason))
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
	duck := func(ctx context.Context) (outcome, error) { return r.executeDuck(ctx, args) }
	native := &onTensors{routed: r, args: args}
	if d != nil && d.duck {
		if out, by, err := d.tryDuck(ctx, duck, native.turn(d)); by != byNobody {
			return native.raced(d.why, out, by, err)
		}
	}
	refused := &errRefused{}
	out, ok, err := d.tryNative(ctx, func(ctx context.Context) (outcome, error) { return begun(ctx, native.execute) })
	switch {
	case !ok:
		return r.afterOverrun(ctx, d, duck, native)
	case !errors.As(err, &refused):
		return native.answered(out, err)
	}
	return r.afterRefusal(ctx, d, args, duck, refused.reason)
}

// afterOverrun answers when native has reached its bound: on DuckDB, and where that cannot be
// known to end sooner, on both.
func (r *routed) afterOverrun(ctx context.Context, d *decision, duck side, native *onTensors) (outcome, error) {
	why := overrun(d.patience)
	d.yield()
	out, by, err := d.tryDuck(ctx, duck, native.turn(d))
	if by == byNobody {
		out, err = d.duckAlone(ctx, duck)
	}
	return native.raced(why, out, by, err)
}

// afterRefusal answers what the tensor engine does not, as a whole.
func (r *routed) afterRefusal(ctx context.Context, d *decision, args []Arg, duck side, reason string) (outcome, error) {
	out, ok, err := d.tryNative(ctx, func(within context.Context) (outcome, error) {
		out, ok, err := r.hosted(ctx, within, args, reason)
		if !ok && err == nil {
			err = &errRefused{reason}
		}
		return out, err
	})
	switch refused := (*errRefused)(nil); {
	case !ok:
		reason = overrun(d.patience)
	case !errors.As(err, &refused):
		return out, err
	case sqlfront.HasProgram(r.prepared.sql):
		return outcome{}, refuseProgram(reason)
	case r.backend != Auto:
		t, ok := r.tensor.(*tensorSelect)
		return outcome{}, refuseLate(r.backend, reason, ok && t.readsSession())
	default:
		d.refuse(reason)
	}
	out, err = d.duckAlone(ctx, duck)
	r.session.noted.because(reason)
	return out, err
}

// errRefused is why the tensor engine does not answer.
type errRefused struct{ reason string }

func (e *errRefused) Error() string { return e.reason }

// onTensors is one answer of the tensor engine.
type onTensors struct {
	*routed
	args []Arg
	by   Backend
}

// turn is what native does when DuckDB has had its time.
func (n *onTensors) turn(d *decision) func() turn {
	return func() turn {
		if d.inTurn {
			return inTurn()
		}
		beside := n.beside()
		return turn{beside: func(ctx context.Context) (outcome, error) {
			out, err := beside.execute(ctx)
			n.by = beside.by
			return out, err
		}}
	}
}

// beside is the answer while DuckDB is at work on the statement.
func (n *onTensors) beside() *onTensors {
	t, ok := n.tensor.(*tensorSelect)
	if !ok {
		return n
	}
	own := *t
	own.beside = true
	r := *n.routed
	r.tensor = &own
	return &onTensors{routed: &r, args: n.args}
}

// raced notes who has answered, or failed, and why that was DuckDB.
func (n *onTensors) raced(why string, out outcome, by who, err error) (outcome, error) {
	if by == byTensors {
		return n.answered(out, err)
	}
	n.session.noted.because(why)
	return out, err
}

// execute returns a *errRefused where the tensor engine does not answer. It leaves the
// session as it is: DuckDB may be at work there.
func (n *onTensors) execute(ctx context.Context) (outcome, error) {
	cursor, by, reason, err := n.tensor.Execute(ctx, n.session, n.args)
	n.by = by
	switch {
	case err != nil:
		return outcome{}, err
	case cursor == nil:
		return outcome{}, &errRefused{reason}
	}
	return outcome{cursor: cursor, tag: "SELECT", affected: -1, countRows: true}, nil
}

// answered notes who has answered, or failed.
func (n *onTensors) answered(out outcome, err error) (outcome, error) {
	n.session.noted.answered(n.by, "")
	if err == nil {
		n.session.lastBackend = n.by.String()
	}
	return out, err
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

// hosted answers with blocks of the statement on tensors, if there are any, which have
// the time within.
func (r *routed) hosted(ctx, within context.Context, args []Arg, reason string) (out outcome, ok bool, err error) {
	if !r.cut {
		r.host, _, err = r.session.prepareHosted(ctx, r.prepared, reason)
		r.cut = err == nil
	}
	if err != nil || r.host == nil {
		return out, false, err
	}
	out, reason, err = r.host.hosted(ctx, within, args, r.session.noted.tracing())
	return out, reason == "", err
}
