package engine

import (
	"context"
	"errors"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/sqlfront"
)

// Some statements fail in DuckDB's optimizer, with an error that it calls internal, and
// mean something without it.

// disablesOptimizer reports whether a PRAGMA turns DuckDB's optimizer off.
func disablesOptimizer(sql string) bool { return secondWord(sql) == "disable_optimizer" }

// mayDoWithout reports whether a statement that has failed so may be tried again without the
// optimizer: one that reads, outside of a transaction, which the error has ended, and in a
// session that has not turned the optimizer off itself, for it is on afterwards.
func (s *Session) mayDoWithout(c sqlfront.Class, err error) bool {
	return errors.Is(err, duckbackend.ErrInternal) && c.Kind == sqlfront.ClassSelect && !c.WritesUnknown &&
		s.tx.status == TxIdle && !s.unoptimized
}

// executeWithout executes a statement that has failed in DuckDB's optimizer. If that fails
// too, it is the first error that counts.
func (d *duckStatement) executeWithout(ctx context.Context, bound []duckbackend.Arg, failed error) (*duckbackend.Cursor, error) {
	s := d.session
	if !s.mayDoWithout(d.class, failed) {
		return nil, failed
	}
	stmt, err := s.conn.PrepareUnoptimized(ctx, d.sql, mustAgree(d.class))
	if err != nil {
		return nil, failed
	}
	cursor, err := stmt.Execute(ctx, bound)
	if err != nil {
		return nil, closeAfter(failed, stmt.Close)
	}
	if err := d.stmt.Close(); err != nil {
		return nil, errors.Join(err, cursor.Close(), stmt.Close())
	}
	d.stmt = stmt
	return cursor, nil
}
