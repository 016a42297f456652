package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Database is an engine of its own, in memory, with one connection.
type Database struct {
	engine *engine.Engine
	conn   connection
	now    Variant // what the session is set to
	tables []string
	warm   bool // plans are warm (B3)
}

// databaseOptions say what a Database is opened with.
type databaseOptions struct {
	version   string
	listen    Listen // nil: no wire
	warmPlans bool   // sessions keep plans; DuckDB's are made before the clock starts
}

// openDatabase opens an empty database without options.
func openDatabase(ctx context.Context, version string) (*Database, error) {
	return openDatabaseWith(ctx, databaseOptions{version: version})
}

// openDatabaseWith opens an empty database.
func openDatabaseWith(ctx context.Context, o databaseOptions) (*Database, error) {
	e, err := engine.Open(ctx, engine.Config{Version: o.version})
	if err != nil {
		return nil, err
	}
	conn, err := connect(ctx, e, o)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return &Database{engine: e, conn: conn, warm: o.warmPlans}, nil
}

func connect(ctx context.Context, e *engine.Engine, o databaseOptions) (connection, error) {
	options := map[string]string{"trireme.plan_cache": "off"}
	if o.warmPlans {
		options["trireme.plan_cache"] = "on"
	}
	if o.listen != nil {
		return connectWire(ctx, o.listen, e, options)
	}
	s, err := e.NewSession(ctx, engine.SessionOptions{User: "bench", Options: options})
	if err != nil {
		return nil, err
	}
	return direct{s}, nil
}

// Close closes the connection and the engine.
func (d *Database) Close() error {
	return errors.Join(d.conn.close(context.Background()), d.engine.Close())
}

// Exec runs statements and discards their rows.
func (d *Database) Exec(ctx context.Context, sql string) error { return d.conn.exec(ctx, sql) }

// use sets the session to a variant.
func (d *Database) use(ctx context.Context, v Variant) error {
	if d.now == v {
		return nil
	}
	err := d.Exec(ctx, v.settings())
	if err == nil {
		d.now = v
	}
	return err
}

// query runs one statement to its end. took is from the text to the last row.
func (d *Database) query(ctx context.Context, sql string) (a *answer, took time.Duration, err error) {
	a, _, took, err = d.conn.query(ctx, sql, false)
	return a, took, err
}

// describe finds the tables, and returns them with their rows.
func (d *Database) describe(ctx context.Context, name string) (DataReport, error) {
	a, _, err := d.query(ctx, "SELECT table_name, estimated_size FROM duckdb_tables() ORDER BY table_name")
	if err != nil {
		return DataReport{}, err
	}
	out := DataReport{Name: name, Tables: map[string]int64{}}
	d.tables = nil
	for i := range a.rows {
		table := a.cell(0, i)
		if out.Tables[table], err = strconv.ParseInt(a.cell(1, i), 10, 64); err != nil {
			return DataReport{}, err
		}
		d.tables = append(d.tables, table)
	}
	return out, nil
}

// forget gives every table a new version without changing it, so that no tensor
// and no statistic that was made of the old ones is used again.
func (d *Database) forget(ctx context.Context) error {
	for _, table := range d.tables {
		if err := d.Exec(ctx, "DELETE FROM "+quoteName(table)+" WHERE false"); err != nil {
			return err
		}
	}
	return nil
}

// outcome is what became of one execution: an answer, a timeout or a refusal.
type outcome struct {
	answer  *answer
	took    time.Duration
	planned time.Duration // of DuckDB: the part in which it made its plan
	timeout bool
	refused string // why a forced backend does not take the statement
	by      string // who answered
}

// measure executes a statement under a variant, which must be who answers. An
// error is one of the statement or of the machine; ctx.Err() tells an interrupt.
// With warm plans DuckDB's clock starts when its plan has been made (B3).
func (d *Database) measure(ctx context.Context, v Variant, sql string, timeout time.Duration) (outcome, error) {
	out, err := d.timed(ctx, v, sql, timeout)
	if err == nil && out.answer != nil && out.by != v.Backend.String() {
		return outcome{}, fmt.Errorf("answered by %s, not by %s", out.by, v.Backend)
	}
	if d.warm {
		out.took -= out.planned
	}
	return out, err
}

// timed executes a statement with the settings of a variant, whoever answers, from
// the text to the last row.
func (d *Database) timed(ctx context.Context, v Variant, sql string, timeout time.Duration) (outcome, error) {
	if err := d.use(ctx, v); err != nil {
		return outcome{}, err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	duck := v.Backend == engine.DuckDB
	a, planned, took, err := d.run(limited, sql, duck)
	var e *sqlerr.Error
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return outcome{}, ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return outcome{timeout: true}, nil
	case errors.As(err, &e) && e.Code == sqlerr.FeatureNotSupported:
		return outcome{refused: e.Message}, nil
	default:
		return outcome{}, err
	}
	by, err := d.conn.answeredBy(ctx)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{answer: a, took: took, by: by}
	if duck {
		out.planned = planned
	}
	return out, nil
}

// duckdbVersion asks for DuckDB's own version: version() is the server's, which says
// what clients of Postgres expect.
const duckdbVersion = "SELECT library_version FROM pragma_version()"

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
