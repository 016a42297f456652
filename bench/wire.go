package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Listen serves an engine over the Postgres wire protocol, at an address of its
// choice, until close is called.
type Listen func(ctx context.Context, e *engine.Engine) (address string, close func() error, err error)

// cancelGrace is how long the server may take to answer a cancel request before
// the connection is given up.
const cancelGrace = 30 * time.Second

// preparedName names the only statement that is prepared at a time.
const preparedName = "bench"

// wire is a client of the Postgres wire protocol. Rows are asked for as text, as
// psql does.
type wire struct {
	conn   *pgconn.PgConn
	server func() error // ends the server
}

// connectWire opens a connection to a server of its own.
func connectWire(ctx context.Context, listen Listen, e *engine.Engine, options map[string]string) (_ *wire, err error) {
	address, stop, err := listen(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, stop())
		}
	}()
	cfg, err := pgconn.ParseConfig("postgres://bench@" + address + "/trireme?sslmode=disable")
	if err != nil {
		return nil, err
	}
	for name, value := range options {
		cfg.RuntimeParams[name] = value
	}
	// A timeout cancels the statement and keeps the connection, as Ctrl-C does in psql.
	cfg.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: cancelGrace}
	}
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, server: stop}, nil
}

func (w *wire) close(ctx context.Context) error { return errors.Join(w.conn.Close(ctx), w.server()) }

func (w *wire) exec(ctx context.Context, sql string) error {
	return wireError(w.conn.Exec(ctx, sql).Close())
}

func (w *wire) answeredBy(ctx context.Context) (string, error) {
	a, _, _, err := w.query(ctx, "SHOW trireme.last_backend", false)
	if err != nil {
		return "", err
	}
	text, _ := a.scalar()
	return text, nil
}

func (w *wire) query(ctx context.Context, sql string, planFirst bool) (a *answer, planned, total time.Duration, err error) {
	started := time.Now()
	if !planFirst {
		a, err = readWire(w.conn.ExecParams(ctx, sql, nil, nil, nil, nil))
		return a, 0, time.Since(started), err
	}
	if _, err := w.conn.Prepare(ctx, preparedName, sql, nil); err != nil {
		return nil, 0, 0, wireError(err)
	}
	planned = time.Since(started)
	a, err = readWire(w.conn.ExecPrepared(ctx, preparedName, nil, nil, nil))
	total = time.Since(started)
	return a, planned, total, errors.Join(err, wireError(w.conn.Deallocate(context.WithoutCancel(ctx), preparedName)))
}

// readWire reads a result to its end. Floats become numbers, all else stays text.
func readWire(r *pgconn.ResultReader) (*answer, error) {
	var a *answer
	for r.NextRow() {
		if a == nil {
			a = newWireAnswer(r.FieldDescriptions())
		}
		if err := a.addText(r.Values()); err != nil {
			_, closeErr := r.Close()
			return nil, errors.Join(err, wireError(closeErr))
		}
	}
	if a == nil {
		a = newWireAnswer(r.FieldDescriptions())
	}
	if _, err := r.Close(); err != nil {
		return nil, wireError(err)
	}
	return a, nil
}

func newWireAnswer(fields []pgconn.FieldDescription) *answer {
	columns := make([]rows.Column, len(fields))
	a := newAnswer(columns)
	for i, f := range fields {
		columns[i] = rows.Column{Name: f.Name, Type: rows.Type{ID: rows.Varchar}}
		if f.DataTypeOID == pgtype.Float8OID || f.DataTypeOID == pgtype.Float4OID {
			columns[i].Type.ID = rows.Double
		}
		a.vectors[i].Type = columns[i].Type
		a.types = append(a.types, fmt.Sprintf("oid %d", f.DataTypeOID))
	}
	return a
}

// addText copies a row of text; nil: NULL.
func (a *answer) addText(values [][]byte) error {
	for c, value := range values {
		v := &a.vectors[c]
		if v.Type.IsFloat() {
			x := 0.0
			if value != nil {
				var err error
				if x, err = strconv.ParseFloat(string(value), 64); err != nil {
					return fmt.Errorf("the server's float: %w", err)
				}
			}
			v.F64 = append(v.F64, x)
		} else {
			v.Str = append(v.Str, string(value))
		}
		if value == nil {
			a.nulls[c] = append(a.nulls[c], make([]bool, a.rows-len(a.nulls[c]))...)
			a.nulls[c] = append(a.nulls[c], true)
		}
	}
	a.rows++
	return nil
}

// wireError gives an error of the server the type that one of the process has.
func wireError(err error) error {
	var p *pgconn.PgError
	if !errors.As(err, &p) {
		return err
	}
	return &sqlerr.Error{Code: p.Code, Message: p.Message, Detail: p.Detail, Hint: p.Hint, Offset: int(p.Position) - 1, Err: err}
}
