package duckbackend

import (
	"errors"
	"slices"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/rows"
)

// DuckDB commits what writes and returns rows before the first of them is read. Where it is
// told to hold that back (hold_linux.c), the statement's transaction stays open until the Cursor
// is closed, and a statement whose rows are not all delivered is undone.

// fate is what has become of a statement's own transaction.
type fate int32

const (
	fateUnknown   fate = iota // it has none, or DuckDB was not asked to hold it back
	fateCommitted             // its rows may be read by whoever comes too late to cancel it
	fateHeld
)

// holdsFrom is from how many rows on a transaction is held back: to commit it later is a
// statement more, which is much for one row, and its row is there.
const holdsFrom = 2

// holdsFrom is from how many rows of its result on a statement's transaction is held back. A
// value that has no text is an error of the row that has it, which the first may be.
func (s *Stmt) holdsFrom() int {
	switch {
	case s.unresolved || slices.ContainsFunc(s.desc.Columns, func(c rows.Column) bool { return c.Type.IsNested() }):
		return 1
	case s.atOnce:
		return batchRows + 1
	}
	return holdsFrom
}

// batchRows is how many rows DuckDB delivers together.
const batchRows = 2048

// CommitAtOnce lets the statement commit before its rows are read, if they are no more than a batch: a conflict is an error
// of Execute then, before the client has a row.
func (s *Stmt) CommitAtOnce() { s.atOnce = true }

// executeWhole executes the statement to its end, but for a commit that is held back. A stream
// that is closed early is rolled back: nothing that changes data may be one.
func (s *Stmt) executeWhole(cur *Cursor) (state bindings.State) {
	execute := func() { state = bindings.ExecutePrepared(s.handle, &cur.res) }
	switch s.desc.Kind {
	case KindInsert, KindUpdate, KindDelete, KindMerge: // which may have RETURNING
		cur.fate = s.conn.holding(s.holdsFrom(), execute)
	default:
		execute()
	}
	return state
}

// Undo lets what the statement of the open Cursor has written be undone when that is closed,
// if DuckDB has been told to hold its transaction back.
func (c *Conn) Undo() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cursor != nil {
		c.cursor.undone = true
	}
}

// settle ends a transaction that was held back; the caller holds use. It is not interrupted:
// after COMMIT has been sent, only its answer tells what happened.
func (c *Conn) settle(commit bool) error {
	rollback := func() error {
		if err := c.query("ROLLBACK"); !IsNoTransaction(err) {
			return err
		}
		return nil
	}
	if !commit {
		return rollback()
	}
	err := writing(func() error { return c.query("COMMIT") })
	if err == nil {
		return nil
	}
	c.db.notice(err)
	return errors.Join(err, rollback())
}
