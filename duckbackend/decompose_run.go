package duckbackend

import (
	"context"
	"errors"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
)

// RunDecomposed runs the steps in one snapshot and returns the last one's rows.
// With conn nil that is a transaction on a connection of its own, which the
// Cursor closes; else the transaction of conn, where the caller sees to the
// snapshot when none is open. No temporary table is left behind, whether the
// steps succeed, fail or are cancelled. On a conn inside a transaction a failing
// step aborts that transaction, as any failing statement does in DuckDB.
func (db *DB) RunDecomposed(ctx context.Context, conn *Conn, steps []Step) (rows.Cursor, error) {
	invariant.Check(len(steps) > 0, "duckbackend: no steps")
	if conn != nil {
		return conn.runSteps(ctx, steps)
	}
	own, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if err := own.Exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	cur, err := own.runSteps(ctx, steps)
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

func (c *Conn) runSteps(ctx context.Context, steps []Step) (*Cursor, error) {
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
	cur, err := c.Query(ctx, steps[len(steps)-1].SQL)
	if err != nil {
		return nil, firstOf(withoutOffset(err), drop())
	}
	closeStmt := cur.onClose
	cur.onClose = func() error { return errors.Join(closeStmt(), drop()) }
	return cur, nil
}
