package duckbackend

import (
	"context"
	"errors"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// failure says why a result failed. DuckDB tells its workers of an error by
// interrupting the query, and a thread that is just fetching from a stream takes
// that for a cancellation: an interrupt that nobody asked for stands for an error
// that is lost with the result. Executing the statement again finds it.
func (cur *Cursor) failure(ctx context.Context, err error, interrupted bool) error {
	if !isCancel(err) || interrupted || cur.interrupted.Load() || cur.explain == nil {
		return err
	}
	again := cur.conn.explain(ctx, cur, cur.ownTransaction)
	if isOfTransaction(again) {
		again = cur.explainApart(ctx)
	}
	var e *sqlerr.Error
	switch {
	case again == nil:
		return untold("Executed again, the statement does not fail: what it reads has changed, or it computes other values each time.")
	case errors.As(again, &e) && strings.Contains(e.Message, readOnlyMessage):
		return untold("It is not executed again to find out, because it changes something, as nextval does.")
	}
	return again
}

// explain executes a cursor's statement again on c, for its error.
func (c *Conn) explain(ctx context.Context, cur *Cursor, rollback bool) error {
	_, err := c.run(ctx, func() error {
		if rollback {
			if err := c.simple("ROLLBACK"); err != nil {
				return err
			}
		}
		return cur.explain(c)
	})
	return err
}

// explainApart executes the statement of a cursor in its user's transaction again on
// a connection of its own, which sees what is committed: what the statement does not
// mean there, reading a table that the transaction has made, is not its error.
func (cur *Cursor) explainApart(ctx context.Context) (err error) {
	c, err := cur.conn.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	again := c.explain(ctx, cur, false)
	var e *sqlerr.Error
	if again == nil || errors.As(again, &e) && strings.HasPrefix(e.Code, sqlerr.ClassSyntax) {
		return untold("Execute the statement outside of a transaction to see its error.")
	}
	return again
}

// isOfTransaction reports whether err says that the user's transaction leaves nothing
// to be executed.
func isOfTransaction(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && (e.Code == sqlerr.FailedTransaction || e.Code == sqlerr.ActiveTransaction)
}

// OwnsTransaction says that the connection's transaction is there for this result
// alone: when it is not told why the result has failed, the transaction is rolled
// back to find out.
func (cur *Cursor) OwnsTransaction() { cur.ownTransaction = true }

// untold is the error of a statement whose own error is lost.
func untold(hint string) error {
	return sqlerr.New(sqlerr.InternalError, "DuckDB stopped the statement and did not say why").WithHint("%s", hint)
}

// readOnlyMessage is in DuckDB's error for a statement that writes where it must not.
const readOnlyMessage = "launched in read-only mode"

// explainPrefix makes a statement execute without delivering its rows.
const explainPrefix = "EXPLAIN ANALYZE "

// executeAgain executes the statement on c as EXPLAIN ANALYZE for the sake of its
// error; it runs inside c's operation. The result is complete when
// it is made, so that its error is the one that was raised. An error's offset
// counts in the statement's text. It changes nothing: what would is an error.
func (s *Stmt) executeAgain(c *Conn, args []Arg) (err error) {
	if err := c.simple("BEGIN TRANSACTION READ ONLY"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.simple("ROLLBACK")) }()
	again := &Stmt{conn: c}
	defer again.destroy()
	if err := again.prepare(explainPrefix + s.sql); err != nil {
		return err
	}
	if err := again.bind(args); err != nil {
		return err
	}
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.ExecutePrepared(again.handle, &res) != bindings.StateError {
		return nil
	}
	e := *sqlerr.From(duckError(bindings.ResultError(&res)))
	if e.Offset >= 0 {
		e.Offset = max(e.Offset-len(explainPrefix), -1)
	}
	return &e
}

// simple executes a statement without rows inside the connection's operation.
func (c *Conn) simple(sql string) error {
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.Query(c.handle, sql, &res) == bindings.StateError {
		return duckError(bindings.ResultError(&res))
	}
	return nil
}

// IsNoTransaction reports whether an error of COMMIT or ROLLBACK says that there is no
// transaction: DuckDB has ended the one that an error was in.
func IsNoTransaction(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && e.Code == sqlerr.NoActiveTransaction
}
