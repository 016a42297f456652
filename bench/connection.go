package bench

import (
	"context"
	"errors"
	"time"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/rows"
)

// connection is how statements reach a database: within the process, or over the
// wire (wire.go).
type connection interface {
	// exec runs statements and discards their rows.
	exec(ctx context.Context, sql string) error
	// query runs one statement to its end. total is from the text to the last row;
	// planned, 0 where it is not known, the part of it that prepares the statement:
	// where planFirst is set it is a step of its own.
	query(ctx context.Context, sql string, planFirst bool) (a *answer, planned, total time.Duration, err error)
	// answeredBy is the backend that answered the last query.
	answeredBy(ctx context.Context) (string, error)
	close(ctx context.Context) error
}

// direct is a session of the same process.
type direct struct{ session *engine.Session }

func (d direct) close(context.Context) error { return d.session.Close() }

func (d direct) answeredBy(context.Context) (string, error) { return d.session.LastBackend(), nil }

func (d direct) exec(ctx context.Context, sql string) error {
	statements, err := d.session.Split(sql)
	if err != nil {
		return err
	}
	for _, st := range statements {
		if _, _, _, err := d.query(ctx, st.Text, false); err != nil {
			return err
		}
	}
	return nil
}

func (d direct) query(ctx context.Context, sql string, _ bool) (a *answer, planned, total time.Duration, err error) {
	started := time.Now()
	p, err := d.session.Prepare(ctx, sql, nil)
	if err != nil {
		return nil, 0, 0, err
	}
	planned = time.Since(started)
	defer func() { err = errors.Join(err, p.Close()) }()
	res, err := p.Execute(ctx, nil)
	if err != nil {
		return nil, 0, 0, err
	}
	defer func() { err = errors.Join(err, res.Close()) }()
	a = newAnswer(res.Columns())
	for {
		b, err := res.Next(ctx)
		if err != nil {
			return nil, 0, 0, err
		}
		if b == nil {
			total = time.Since(started)
			a.join()
			return a, planned, total, nil
		}
		a.add(b)
	}
}

var _ rows.Cursor = (*engine.Result)(nil)
