package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Database is an engine of its own, in memory, with one session.
type Database struct {
	engine  *engine.Engine
	session *engine.Session
	now     Variant // what the session is set to
}

// openDatabase opens an empty database. Every plan is made anew (B3).
func openDatabase(ctx context.Context, version string) (*Database, error) {
	e, err := engine.Open(ctx, engine.Config{Version: version})
	if err != nil {
		return nil, err
	}
	s, err := e.NewSession(ctx, engine.SessionOptions{User: "bench", Options: map[string]string{"trireme.plan_cache": "off"}})
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return &Database{engine: e, session: s}, nil
}

// Close closes the session and the engine.
func (d *Database) Close() error { return errors.Join(d.session.Close(), d.engine.Close()) }

// Exec runs statements on DuckDB and discards their rows.
func (d *Database) Exec(ctx context.Context, sql string) error {
	statements, err := d.session.Split(sql)
	if err != nil {
		return err
	}
	for _, st := range statements {
		if _, _, err := d.query(ctx, st.Text); err != nil {
			return err
		}
	}
	return nil
}

// use sets the session to a variant: the backend, and the threads of the tensor
// engine and of DuckDB alike.
func (d *Database) use(ctx context.Context, v Variant) error {
	if d.now == v {
		return nil
	}
	err := d.Exec(ctx, fmt.Sprintf("SET trireme.backend = '%s'; SET trireme.threads = %d; SET threads = %d", v.Backend, v.Threads, v.Threads))
	if err == nil {
		d.now = v
	}
	return err
}

// query runs one statement to its end. took is from the text to the last row.
func (d *Database) query(ctx context.Context, sql string) (a *answer, took time.Duration, err error) {
	started := time.Now()
	p, err := d.session.Prepare(ctx, sql, nil)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	res, err := p.Execute(ctx, nil)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, res.Close()) }()
	a = newAnswer(res.Columns())
	for {
		b, err := res.Next(ctx)
		if err != nil {
			return nil, 0, err
		}
		if b == nil {
			return a, time.Since(started), nil
		}
		a.add(b)
	}
}

// outcome is what became of one execution: an answer, a timeout or a refusal.
type outcome struct {
	answer  *answer
	took    time.Duration
	timeout bool
	refused string // why a forced backend does not take the statement
	by      string // who answered
}

// measure executes a statement under a variant, which must be who answers. An
// error is one of the statement or of the machine; ctx.Err() tells an interrupt.
func (d *Database) measure(ctx context.Context, v Variant, sql string, timeout time.Duration) (outcome, error) {
	out, err := d.timed(ctx, v, sql, timeout)
	if err == nil && out.answer != nil && out.by != v.Backend.String() {
		return outcome{}, fmt.Errorf("answered by %s, not by %s", out.by, v.Backend)
	}
	return out, err
}

// timed executes a statement with the settings of a variant, whoever answers.
func (d *Database) timed(ctx context.Context, v Variant, sql string, timeout time.Duration) (outcome, error) {
	if err := d.use(ctx, v); err != nil {
		return outcome{}, err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	a, took, err := d.query(limited, sql)
	var e *sqlerr.Error
	switch {
	case err == nil:
		return outcome{answer: a, took: took, by: d.session.LastBackend()}, nil
	case ctx.Err() != nil:
		return outcome{}, ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return outcome{timeout: true}, nil
	case errors.As(err, &e) && e.Code == sqlerr.FeatureNotSupported:
		return outcome{refused: e.Message}, nil
	}
	return outcome{}, err
}

// scalar returns the text of a statement's only cell.
func (d *Database) scalar(ctx context.Context, sql string) (string, error) {
	a, _, err := d.query(ctx, sql)
	if err != nil {
		return "", err
	}
	text, ok := a.scalar()
	if !ok {
		return "", fmt.Errorf("%d rows, not one cell: %s", a.rows, sql)
	}
	return text, nil
}

var _ rows.Cursor = (*engine.Result)(nil)
