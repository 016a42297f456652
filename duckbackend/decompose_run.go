package duckbackend

import (
	"context"
	"errors"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// RunDecomposed runs the steps in one snapshot and returns the last one's rows.
// With conn nil that is a transaction on a connection of its own, which the
// Cursor closes; else the transaction of conn, where the caller sees to the
// snapshot when none is open. No temporary table is left behind, whether the
// steps succeed, fail or are cancelled. On a conn inside a transaction a failing
// step aborts that transaction, as any failing statement does in DuckDB.
//
// before, if not nil, is called when all temporary tables are there and the last
// step has not run; its error ends the run.
func (db *DB) RunDecomposed(ctx context.Context, conn *Conn, steps []Step, before func(*Conn) error) (rows.Cursor, error) {
	invariant.Check(len(steps) > 0, "duckbackend: no steps")
	if conn != nil {
		return conn.runSteps(ctx, steps, before)
	}
	own, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if err := own.Exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	cur, err := own.runSteps(ctx, steps, before)
	if err != nil {
		// Closing the connection rolls back and drops its temporary tables.
		return nil, firstOf(err, own.Close())
	}
	dropTables := cur.onClose
	cur.onClose = func() error { return errors.Join(dropTables(), own.Close()) }
	return cur, nil
}

// firstOf returns err, joined with what went wrong while clearing up.
func firstOf(err, cleanup error) error {
	if cleanup == nil {
		return err
	}
	return errors.Join(err, cleanup)
}

func (c *Conn) runSteps(ctx context.Context, steps []Step, before func(*Conn) error) (*Cursor, error) {
	var made []string
	drop := func() error {
		var errs []error
		for i := len(made) - 1; i >= 0; i-- {
			errs = append(errs, c.dropTemp(ctx, made[i]))
		}
		return errors.Join(errs...)
	}
	for _, s := range steps[:len(steps)-1] {
		if err := c.Exec(ctx, s.SQL); err != nil {
			return nil, firstOf(withoutOffset(err), drop())
		}
		made = append(made, s.Name)
	}
	if before != nil {
		if err := before(c); err != nil {
			return nil, firstOf(err, drop())
		}
	}
	cur, err := c.Query(ctx, steps[len(steps)-1].SQL)
	if err != nil {
		return nil, firstOf(withoutOffset(err), drop())
	}
	closeStmt := cur.onClose
	cur.onClose = func() error { return errors.Join(closeStmt(), drop()) }
	return cur, nil
}

// LeafRange is the interval from the least value of leaf lo to the greatest of
// leaf hi in a step's table, over the rows where leaf valid is not 0 (empty: over
// all). ok is false when there is no such row.
func (c *Conn) LeafRange(ctx context.Context, step, lo, hi, valid string) (least, most semiring.Int128, ok bool, err error) {
	sql := "SELECT min(" + load.Quote(lo) + "), max(" + load.Quote(hi) + ")\nFROM " + load.Quote(step)
	if valid != "" {
		sql += "\nWHERE " + load.Quote(valid) + " <> 0"
	}
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
