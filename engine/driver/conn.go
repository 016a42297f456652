package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math/big"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Conn is a connection: one session of the engine. sql.Conn.Raw gives access to
// it.
type Conn struct {
	session *engine.Session
	onClose func() error // nil, or what the connection holds beside the session
}

// LastBackend names who answered the last SELECT: native, decomposed or duckdb.
func (c *Conn) LastBackend() string { return c.session.LastBackend() }

// Close ends the session; an open transaction is rolled back.
func (c *Conn) Close() error {
	err := c.session.Close()
	if c.onClose != nil {
		err = errors.Join(err, c.onClose())
	}
	return err
}

// Ping runs a statement.
func (c *Conn) Ping(ctx context.Context) error {
	_, err := c.ExecContext(ctx, "SELECT 1", nil)
	return err
}

// ResetSession ends what the last user of the connection has left open; a connection that
// cannot do so is not used again.
func (c *Conn) ResetSession(ctx context.Context) error {
	if c.session.TxStatus() == engine.TxIdle {
		return nil
	}
	if _, err := c.ExecContext(ctx, "ROLLBACK", nil); err != nil {
		return driver.ErrBadConn
	}
	return nil
}

// CheckNamedValue admits integers beyond int64; database/sql converts the rest.
func (c *Conn) CheckNamedValue(nv *driver.NamedValue) error {
	if nv.Name != "" {
		return sqlerr.New(sqlerr.FeatureNotSupported, "named parameters are not supported").WithHint("Use $1, $2, ... or ?.")
	}
	switch v := nv.Value.(type) {
	case *big.Int:
		if v == nil {
			nv.Value = nil
		}
		return nil
	case uint64:
		nv.Value = new(big.Int).SetUint64(v)
		return nil
	}
	return driver.ErrSkip
}

// Begin starts a transaction.
func (c *Conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx starts a transaction. Every level up to snapshot gets DuckDB's, which
// is snapshot isolation.
func (c *Conn) BeginTx(ctx context.Context, opt driver.TxOptions) (driver.Tx, error) {
	switch level := sql.IsolationLevel(opt.Isolation); level {
	case sql.LevelDefault, sql.LevelReadUncommitted, sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSnapshot:
	default:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "isolation level %s is not supported", level).
			WithHint("The strongest level is snapshot isolation.")
	}
	statement := "BEGIN"
	if opt.ReadOnly {
		statement = "BEGIN READ ONLY"
	}
	if _, err := c.ExecContext(ctx, statement, nil); err != nil {
		return nil, err
	}
	return tx{c}, nil
}

type tx struct{ conn *Conn }

// Commit commits. A transaction in which a statement failed is rolled back, and
// that is an error here: its changes are lost.
func (t tx) Commit() error {
	failed := t.conn.session.TxStatus() == engine.TxFailed
	if _, err := t.conn.ExecContext(context.Background(), "COMMIT", nil); err != nil {
		return err
	}
	if failed {
		return sqlerr.New(sqlerr.FailedTransaction, "the transaction was rolled back because a statement in it failed")
	}
	return nil
}

// Rollback rolls back.
func (t tx) Rollback() error {
	_, err := t.conn.ExecContext(context.Background(), "ROLLBACK", nil)
	return err
}

// ExecContext runs one statement, or several when there are no arguments.
func (c *Conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	r, err := c.run(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return drain(ctx, r)
}

// QueryContext runs a statement and returns its rows; of several statements
// without arguments, those of the last.
func (c *Conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	r, err := c.run(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// run executes all statements but the last to their end, and starts the last.
func (c *Conn) run(ctx context.Context, query string, args []driver.NamedValue) (*Rows, error) {
	statements, err := c.session.Split(query)
	if err != nil {
		return nil, err
	}
	if len(statements) > 1 && len(args) > 0 {
		return nil, sqlerr.New(sqlerr.SyntaxError, "several statements cannot have parameters")
	}
	for i := 0; i < len(statements)-1; i++ {
		r, err := c.start(ctx, statements[i].Text, nil)
		if err != nil {
			return nil, err
		}
		if _, err := drain(ctx, r); err != nil {
			return nil, err
		}
	}
	if len(statements) > 1 {
		query = statements[len(statements)-1].Text
	}
	return c.start(ctx, query, args)
}

// start prepares and executes one statement, which is closed with its rows.
func (c *Conn) start(ctx context.Context, query string, args []driver.NamedValue) (*Rows, error) {
	p, err := c.prepareFor(ctx, query, args)
	if err != nil {
		return nil, err
	}
	r, err := execute(ctx, p, args)
	if err != nil {
		return nil, closeAfter(err, p.Close)
	}
	r.prepared = p
	return r, nil
}

// prepareFor prepares a statement for the types of values: those of their places, where
// these hold the values.
func (c *Conn) prepareFor(ctx context.Context, query string, args []driver.NamedValue) (*engine.Prepared, error) {
	suggested := hints(args)
	p, err := c.session.PrepareFor(ctx, query, nil, suggested)
	if err != nil {
		return nil, err
	}
	declared := beyond(args, p.Params(), suggested)
	if declared == nil {
		return p, nil
	}
	if err := p.Close(); err != nil {
		return nil, err
	}
	return c.session.PrepareFor(ctx, query, declared, suggested)
}

func execute(ctx context.Context, p *engine.Prepared, args []driver.NamedValue) (*Rows, error) {
	values, err := texts(args, p.Params())
	if err != nil {
		return nil, err
	}
	res, err := p.Execute(ctx, values)
	if err != nil {
		return nil, err
	}
	return &Rows{ctx: ctx, result: res, columns: res.Columns()}, nil
}

// drain runs a statement to its end and returns its count.
func drain(ctx context.Context, r *Rows) (driver.Result, error) {
	for {
		b, err := r.result.Next(ctx)
		if err != nil {
			return nil, closeAfter(err, r.Close)
		}
		if b == nil {
			break
		}
	}
	_, affected := r.result.Tag()
	return execResult(affected), r.Close()
}

// execResult is the count of a command tag; below zero: none.
type execResult int64

// LastInsertId is not known: use RETURNING.
func (execResult) LastInsertId() (int64, error) {
	return 0, sqlerr.New(sqlerr.FeatureNotSupported, "LastInsertId is not supported").WithHint("Use INSERT .. RETURNING.")
}

// RowsAffected is the number of rows changed, or delivered; 0 when the
// statement has no count.
func (r execResult) RowsAffected() (int64, error) { return max(int64(r), 0), nil }

// Prepare prepares a statement.
func (c *Conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext prepares a statement. Parameters that DuckDB cannot type take
// the type of the first values they are given.
func (c *Conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	p, err := c.session.Prepare(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	return &stmt{conn: c, query: query, prepared: p}, nil
}

// stmt is a prepared statement, prepared again when the types of its arguments
// change.
type stmt struct {
	conn     *Conn
	query    string
	prepared *engine.Prepared
	hints    []rows.Type
}

// Close frees the statement.
func (s *stmt) Close() error { return s.prepared.Close() }

// NumInput is the number of parameters.
func (s *stmt) NumInput() int { return len(s.prepared.Params()) }

// ExecContext runs the statement.
func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	r, err := s.start(ctx, args)
	if err != nil {
		return nil, err
	}
	return drain(ctx, r)
}

// QueryContext runs the statement and returns its rows.
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	r, err := s.start(ctx, args)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (s *stmt) start(ctx context.Context, args []driver.NamedValue) (*Rows, error) {
	want := hints(args)
	if !sameTypes(want, s.hints) || beyond(args, s.prepared.Params(), want) != nil {
		p, err := s.conn.prepareFor(ctx, s.query, args)
		if err != nil {
			return nil, err
		}
		old := s.prepared
		s.prepared, s.hints = p, want
		if err := old.Close(); err != nil {
			return nil, err
		}
	}
	return execute(ctx, s.prepared, args)
}

// Exec is the form without context that driver.Stmt requires.
func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), named(args))
}

// Query is the form without context that driver.Stmt requires.
func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), named(args))
}

func named(args []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, v := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return out
}
