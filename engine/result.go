package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Result is a statement under way; it is a rows.Cursor that also knows its
// command tag.
type Result struct {
	session *Session
	run     *run
	notes   *notes
	out     outcome
	write   *catalog.Write // of a statement outside transactions that writes
	after   func(ctx context.Context) error
	redo    *redoEntry // of a statement that may have to be done again; nil: none
	// alone: the statement has a transaction to itself, which ends with it.
	alone bool
	// copies: a COPY has the transaction, and whoever closes it before its end has given it up.
	copies bool
	// upserts: the statement heeds rows that are in its way.
	upserts bool
	// started: the statement has been executed, but for what a COPY receives.
	started bool

	// current is the batch last delivered. It is ours, so that its columns can be
	// moved to memory of their own when the cursor goes on without its reader.
	current   rows.Batch
	delivered int64
	// buffered are rows read ahead because another statement started, of which taken
	// have been delivered; nil: none were.
	buffered *spool
	taken    int64
	failed   error // error to deliver after buffered
	detached bool
	ended    bool // all rows have been read
	done     bool
}

// begin takes over a started statement. One without rows is finished at once.
func (r *Result) begin(out outcome) {
	r.out, r.started = out, true
	if out.cursor != nil {
		r.session.open = r
	}
}

// Columns are the result's columns; none when the statement returns no rows.
func (r *Result) Columns() []rows.Column {
	if r.out.cursor == nil {
		return nil
	}
	return r.out.cursor.Columns()
}

// Next returns the next rows, or nil when the statement has completed; only then
// are its effects promised. When another statement of the session starts, the
// Batch stays valid, but slices taken out of it before do not.
func (r *Result) Next(ctx context.Context) (b *rows.Batch, err error) {
	defer r.session.guard(&err)
	if r.buffered != nil && r.taken < r.buffered.rows {
		if b, _, err = r.buffered.at(r.taken); err != nil {
			return nil, err
		}
		r.taken += int64(b.N)
		r.delivered += int64(b.N)
		return b, nil
	}
	if r.detached || r.done {
		return nil, r.failed
	}
	b, err = r.read(ctx)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, r.complete(ctx)
	}
	r.delivered += int64(b.N)
	r.current.N, r.current.Cols = b.N, append(r.current.Cols[:0], b.Cols...)
	return &r.current, nil
}

// read reads from the statement's own cursor. An error ends the result.
func (r *Result) read(ctx context.Context) (*rows.Batch, error) {
	if r.out.cursor == nil {
		return nil, nil
	}
	stop := context.AfterFunc(ctx, func() { r.run.cancel(context.Cause(ctx)) })
	defer stop()
	started := time.Now()
	b, err := r.out.cursor.Next(r.run.ctx)
	r.notes.statement.Work(time.Since(started))
	if err != nil {
		err = r.session.fail(r.run.explain(r.session.explainViolation(r.run.ctx, err)))
		r.failed = err
		r.finish(err)
	}
	return b, err
}

// complete ends a statement that has delivered everything.
func (r *Result) complete(ctx context.Context) error {
	after := r.after
	r.ended = true
	r.finish(nil)
	r.endRedo(ctx)
	if r.failed != nil || after == nil {
		return r.failed
	}
	if err := after(context.WithoutCancel(ctx)); err != nil {
		r.failed = r.session.fail(err)
	}
	return r.failed
}

// finish frees the connection, then lets the writers leave (E3). It may be
// called several times.
func (r *Result) finish(cause error) {
	if r.done {
		return
	}
	r.done = true
	if r.session.open == r {
		r.session.open = nil
		if cause != nil {
			r.session.conn.Undo()
		}
	}
	defer r.release(cause) // also where the cursor panics
	if r.out.cursor != nil {
		if err := r.out.cursor.Close(); err != nil && r.failed == nil {
			if r.upserts { // it is the commit's
				err = errUnseen(err)
			}
			r.failed = r.session.fail(err)
		}
	}
	if r.alone {
		if err := r.session.leaveAlone(cause == nil && r.failed == nil); err != nil && r.failed == nil {
			r.failed = err
		}
	}
}

// release gives back what the statement holds beside its cursor.
func (r *Result) release(cause error) {
	if r.write != nil {
		if cause != nil && !r.started && certainlyRolledBack(cause) {
			r.write.Rollback()
		} else {
			r.write.Commit()
		}
	}
	if r.session.tx.status == TxIdle { // the statement has been a transaction
		committed := cause == nil && r.failed == nil && (r.ended || r.out.cursor == nil)
		if err := r.session.settleDrawn(context.Background(), committed); err != nil && r.failed == nil {
			r.failed = r.session.fail(err)
		}
		r.session.locks.ReleaseTo(0)
	}
	r.run.end()
	r.session.giveBack(cmp.Or(cause, r.failed))
	r.endNotes(cause)
}

// giveUp ends a statement with the error for which it does not go on.
func (r *Result) giveUp(why error) {
	defer func() {
		if p := recover(); p != nil {
			_ = r.session.engine.panicked(p) // which logs it
		}
	}()
	if r.failed == nil {
		r.failed = why
	}
	r.finish(why)
}

// endNotes completes the notes of the statement.
func (r *Result) endNotes(cause error) {
	if cause == nil {
		cause = r.failed
	}
	rowCount := r.delivered
	if !r.out.countRows && r.out.affected > 0 {
		rowCount = r.out.affected
	}
	if in, ok := r.out.cursor.(*copyIn); ok && cause == nil {
		rowCount = in.written
	}
	r.session.endNotes(r.run.ctx, r.notes, rowCount, cause)
}

// certainlyRolledBack reports whether an error of its execution proves that a statement
// outside a transaction has left nothing behind. An interrupt or a failure of the store may have struck after the commit.
func certainlyRolledBack(err error) bool {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case sqlerr.QueryCanceled, sqlerr.IOError, sqlerr.InternalError, sqlerr.DataCorrupted, sqlerr.OutOfMemory, sqlerr.AdminShutdown:
		return false
	}
	return true
}

// Close ends the result. A statement whose rows were not all read is stopped;
// its effects on the session take place nevertheless.
func (r *Result) Close() error {
	if r.buffered != nil {
		if err := r.buffered.close(); err != nil {
			return err
		}
	}
	if r.done {
		return nil
	}
	if r.copies && !r.ended {
		r.finish(sqlerr.New(sqlerr.QueryCanceled, "COPY was given up"))
		return r.failed
	}
	after := r.after
	ctx := context.WithoutCancel(r.run.ctx)
	if err := r.readToEnd(ctx); err != nil {
		return err
	}
	r.finish(nil)
	r.endRedo(ctx)
	if after != nil && r.failed == nil {
		return after(ctx)
	}
	return r.failed
}

// Abandon is Close for a statement that its client is told to have failed, or that has no client
// any more: a transaction that is its own is rolled back. One that has ended stays as it is.
func (r *Result) Abandon(why error) error {
	if !r.done && (r.alone || r.write != nil) {
		r.finish(why)
	}
	return r.Close()
}

// readToEnd reads what is left of the rows of a statement that may have to be done again:
// how many rows it has changed is known at its end. A COPY that is closed has been given up.
func (r *Result) readToEnd(ctx context.Context) error {
	if _, in := r.out.cursor.(*copyIn); in {
		r.redo = nil
	}
	if r.redo == nil {
		return nil
	}
	for {
		b, err := r.read(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		r.delivered += int64(b.N)
	}
	return r.failed
}

// endRedo hands a statement that has ended well to the log. Rows are read at once where
// they are many, so that it is this statement's error if they are too many.
func (r *Result) endRedo(ctx context.Context) {
	e := r.redo
	if e == nil || r.failed != nil {
		return
	}
	r.redo = nil
	s := r.session
	_, affected := r.Tag()
	if r.out.countRows && r.buffered != nil {
		affected += r.buffered.rows - r.taken
	}
	s.endRedo(e, affected)
	if e.kind == redoRows && affected > redoEarlyRows && len(s.tx.savepoints) > 0 {
		if err := s.bringUp(ctx); err != nil {
			r.failed = s.fail(err)
		}
	}
}

// Tag is the command tag, known when Next has returned nil: its words, and the
// count that follows, or -1 when there is none.
func (r *Result) Tag() (tag string, affected int64) {
	if r.out.countRows {
		return r.out.tag, r.delivered
	}
	if in, ok := r.out.cursor.(*copyIn); ok {
		return r.out.tag, in.written
	}
	return r.out.tag, r.out.affected
}

// detachOpen frees the connection: the rest of the open result, and of the cursor
// that streams, is read ahead. An error of the result is its own, delivered by its
// Next.
func (s *Session) detachOpen(ctx context.Context) error {
	if err := s.detachResult(ctx); err != nil {
		return err
	}
	return s.detachStream(ctx)
}

// detachResult reads the rest of the open result ahead.
func (s *Session) detachResult(ctx context.Context) error {
	r := s.open
	if r == nil {
		return nil
	}
	r.current = *copyBatch(&r.current)
	r.buffered = newSpool(s.spilled)
	for {
		b, err := r.read(ctx)
		if err == nil && b == nil {
			err = r.complete(ctx)
		}
		if err != nil || b == nil {
			break // an error is kept in r.failed
		}
		if err := r.buffered.add(b); err != nil {
			r.failed = s.fail(err)
			r.finish(err)
			break
		}
	}
	r.detached = true
	return ctx.Err()
}

// copyBatch copies what a cursor will overwrite.
func copyBatch(b *rows.Batch) *rows.Batch {
	c := &rows.Batch{N: b.N, Cols: make([]rows.Vector, len(b.Cols))}
	for i, v := range b.Cols {
		c.Cols[i] = rows.Vector{
			Type: v.Type, Nulls: slices.Clone(v.Nulls), I64: slices.Clone(v.I64), I128: slices.Clone(v.I128),
			F64: slices.Clone(v.F64), Str: slices.Clone(v.Str), Ivl: slices.Clone(v.Ivl),
		}
	}
	return c
}
