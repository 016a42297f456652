package duckbackend

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// Run is a decomposed plan with what it needs beside the database.
type Run struct {
	// Relations become temporary tables before the first step. They are read to
	// their ends but not closed.
	Relations []Relation
	Steps     []Step
	// Before, if not nil, is called when all temporary tables are there and the
	// last step has not run; its error ends the run.
	Before func(*Conn) error
	// settings: the steps may set the connection, which nobody uses after them.
	settings bool
}

// Relation is rows under a table name.
type Relation struct {
	Name string
	Rows rows.Cursor
}

// RunDecomposed runs the steps in one snapshot and returns the last one's rows.
// With conn nil that is a transaction on a connection of its own, which the
// Cursor closes; else the transaction of conn, where the caller sees to the
// snapshot when none is open. No temporary table is left behind, whether the
// steps succeed, fail or are cancelled. On a conn inside a transaction a failing
// step aborts that transaction, as any failing statement does in DuckDB. conn
// keeps its settings: steps that set some are left out there, and DuckDB chooses
// the order of all joins.
func (db *DB) RunDecomposed(ctx context.Context, conn *Conn, run Run) (rows.Cursor, error) {
	invariant.Check(len(run.Steps) > 0, "duckbackend: no steps")
	if conn != nil {
		return conn.runSteps(ctx, run)
	}
	own, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if err := own.Exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	run.settings = true
	cur, err := own.runSteps(ctx, run)
	if err != nil {
		// Closing the connection rolls back and drops its temporary tables.
		return nil, firstOf(err, own.Close())
	}
	dropTables := cur.onClose
	cur.onClose = func() error { return errors.Join(dropTables(), own.Close()) }
	return cur, nil
}

// Tables are the results of steps in one snapshot, on a connection of their own.
type Tables struct {
	conn *Conn
	drop func() error
}

// RunTables runs steps that all make tables, in a transaction on a connection of
// its own.
func (db *DB) RunTables(ctx context.Context, run Run) (*Tables, error) {
	own, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if err := own.Exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	run.settings = true
	drop, err := own.makeTables(ctx, run, run.Steps)
	if err != nil {
		return nil, firstOf(err, own.Close())
	}
	return &Tables{conn: own, drop: drop}, nil
}

// Read returns the rows of a step's table. One cursor is open at a time.
func (t *Tables) Read(ctx context.Context, step string) (rows.Cursor, error) {
	cur, err := t.conn.Query(ctx, "SELECT * FROM "+load.Quote(step))
	if err != nil {
		return nil, withoutOffset(err)
	}
	return cur, nil
}

// Close drops the tables and closes the connection.
func (t *Tables) Close() error { return errors.Join(t.drop(), t.conn.Close()) }

// firstOf returns err, joined with what went wrong while clearing up.
func firstOf(err, cleanup error) error {
	if cleanup == nil {
		return err
	}
	return errors.Join(err, cleanup)
}

func (c *Conn) runSteps(ctx context.Context, run Run) (*Cursor, error) {
	last := len(run.Steps) - 1
	drop, err := c.makeTables(ctx, run, run.Steps[:last])
	if err != nil {
		return nil, err
	}
	cur, err := c.Query(ctx, run.Steps[last].SQL)
	if err != nil {
		return nil, firstOf(withoutOffset(err), drop())
	}
	closeStmt := cur.onClose
	cur.onClose = func() error { return errors.Join(closeStmt(), drop()) }
	return cur, nil
}

// makeTables runs the steps that make tables and what the run has before the last
// step. drop drops all tables; where there is an error, they are dropped.
func (c *Conn) makeTables(ctx context.Context, run Run, steps []Step) (drop func() error, err error) {
	var made []string
	drop = func() error {
		var errs []error
		for i := len(made) - 1; i >= 0; i-- {
			errs = append(errs, c.dropTemp(ctx, made[i]))
		}
		return errors.Join(errs...)
	}
	for _, r := range run.Relations {
		if err := c.makeRelation(ctx, r.Name, r.Rows); err != nil {
			return nil, firstOf(err, drop())
		}
		made = append(made, r.Name)
	}
	for _, s := range steps {
		if s.Setting && !run.settings {
			continue
		}
		cur, err := c.Query(ctx, s.SQL)
		if err == nil {
			err = cur.Close()
		}
		if err != nil {
			return nil, firstOf(withoutOffset(err), drop())
		}
		if !s.Setting {
			made = append(made, s.Name)
		}
	}
	if run.Before != nil {
		if err := run.Before(c); err != nil {
			return nil, firstOf(err, drop())
		}
	}
	return drop, nil
}

// LeafRange is the interval from the least value of leaf lo to the greatest of
// leaf hi in a step's table, over the rows where leaf valid is not 0 (empty: over
// all). ok is false when there is no such row.
func (c *Conn) LeafRange(ctx context.Context, step, lo, hi, valid string) (least, most semiring.Int128, ok bool, err error) {
	sql := "SELECT min(" + load.Quote(lo) + "), max(" + load.Quote(hi) + ")\nFROM " + load.Quote(step)
	if valid != "" {
		sql += "\nWHERE " + load.Quote(valid) + " <> 0"
	}
	return c.interval(ctx, sql)
}

// LoadRange is the interval from the least value of leaf lo to the greatest of
// leaf hi of a load, which are its minimum and maximum of one expression. ok is
// false when there is no value.
func (c *Conn) LoadRange(ctx context.Context, spec *load.Spec, lo, hi string) (least, most semiring.Int128, ok bool, err error) {
	var items []string
	for _, name := range []string{lo, hi} {
		i := slices.IndexFunc(spec.Leaves, func(l load.Leaf) bool { return l.Name == name })
		invariant.Check(i >= 0, "duckbackend: no leaf %s of %s", name, spec.Name)
		items = append(items, momentSQL(spec.Leaves[i], spec.Params, false))
	}
	return c.interval(ctx, "SELECT "+strings.Join(items, ", ")+"\nFROM "+spec.Table.SQL()+whereClause(spec))
}

// interval reads the two HUGEINT columns of a one-row query.
func (c *Conn) interval(ctx context.Context, sql string) (least, most semiring.Int128, ok bool, err error) {
	cur, err := c.Query(ctx, sql)
	if err != nil {
		return least, most, false, withoutOffset(err)
	}
	defer func() {
		if cerr := cur.Close(); err == nil {
			err = cerr
		}
	}()
	b, err := cur.Next(ctx)
	if err != nil || b.Cols[0].IsNull(0) {
		return least, most, false, err
	}
	return b.Cols[0].I128[0], b.Cols[1].I128[0], true, nil
}
