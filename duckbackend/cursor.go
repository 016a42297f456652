package duckbackend

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/rows"
)

// Cursor delivers the result of one execution; it implements rows.Cursor.
type Cursor struct {
	conn      *Conn
	kind      StatementKind
	columns   []rows.Column
	res       bindings.Result
	hasResult bool // res must be destroyed
	streaming bool
	changed   int64
	chunk     bindings.DataChunk
	types     []*duckType
	readers   []*columnReader
	batch     rows.Batch
	ended     bool // the result is exhausted or has failed
	failed    error
	closed    bool
	onClose   func() error
	of        *Stmt // what is executed; nil: no prepared statement
	began     time.Time
	explain   func(*Conn) error // executes the statement of a stream again, for its error
	// fate is that of the statement's own transaction. undone: nothing of it is to stay.
	fate   fate
	undone bool
	// ownTransaction: OwnsTransaction.
	ownTransaction bool
	// interrupted is set by Conn.Interrupt between two fetches.
	interrupted atomic.Bool
}

// Columns returns the columns; none when the statement returns no rows.
func (cur *Cursor) Columns() []rows.Column { return cur.columns }

// Kind returns the kind of the statement.
func (cur *Cursor) Kind() StatementKind { return cur.kind }

// Changed returns how many rows an INSERT, UPDATE, DELETE, MERGE, COPY or CREATE
// TABLE AS without RETURNING has written; otherwise 0.
func (cur *Cursor) Changed() int64 { return cur.changed }

// open reads what is known of the result before its first row. It runs inside
// the connection's operation.
func (cur *Cursor) open() error {
	cur.streaming = bindings.ResultIsStreaming(cur.res)
	if bindings.ResultReturnType(cur.res) != bindings.ResultTypeQueryResult {
		return cur.readChanged()
	}
	for i := range bindings.ColumnCount(&cur.res) {
		t := newDuckType(bindings.ColumnLogicalType(&cur.res, i))
		r := newColumnReader(t)
		cur.types = append(cur.types, t)
		cur.readers = append(cur.readers, r)
		cur.columns = append(cur.columns, rows.Column{Name: bindings.ColumnName(&cur.res, i), Type: r.rows})
	}
	if cur.kind == KindCall && len(cur.columns) == 1 && deliversNothing(Description{Kind: KindCall, Columns: cur.columns}, "") {
		cur.columns, cur.ended = nil, true
		return nil
	}
	cur.batch.Cols = make([]rows.Vector, len(cur.readers))
	cur.conn.mu.Lock()
	cur.conn.cursor = cur
	cur.conn.mu.Unlock()
	return nil
}

// readChanged takes the number of changed rows from DuckDB's one-row result.
func (cur *Cursor) readChanged() error {
	cur.ended = true
	if bindings.ColumnCount(&cur.res) != 1 || bindings.ColumnType(&cur.res, 0) != bindings.TypeBigInt {
		return nil
	}
	chunk := bindings.FetchChunk(cur.res)
	if chunk.Ptr == nil {
		return nil
	}
	defer bindings.DestroyDataChunk(&chunk)
	if bindings.DataChunkGetSize(chunk) > 0 {
		cur.changed = at[int64](bindings.VectorGetData(bindings.DataChunkGetVector(chunk, 0)), 0)
	}
	return nil
}

// Next returns the next rows, at most 2048, or nil at the end. When ctx is done
// or the connection is interrupted it fails with 57014, unless DuckDB has committed what the
// statement has written; after an error it keeps failing with that error.
func (cur *Cursor) Next(ctx context.Context) (*rows.Batch, error) {
	if cur.closed {
		return nil, errCursorClosed()
	}
	if cur.ended {
		return nil, cur.failed
	}
	batch, err := cur.next(ctx)
	if err != nil {
		cur.ended, cur.failed = true, err
		return nil, err
	}
	return batch, nil
}

func (cur *Cursor) next(ctx context.Context) (batch *rows.Batch, err error) {
	if cur.fate == fateCommitted {
		cur.conn.use.Lock()
		defer cur.conn.use.Unlock()
		return cur.fetch()
	}
	interrupted, err := cur.conn.runReading(ctx, func() (err error) { // what writes is no stream
		batch, err = cur.fetch()
		return err
	})
	if err == nil && interrupted && batch != nil {
		if err = canceled(ctx); err == nil {
			err = errInterrupted()
		}
	}
	if err != nil {
		return nil, cur.failure(ctx, err, interrupted)
	}
	return batch, nil
}

func (cur *Cursor) fetch() (*rows.Batch, error) {
	if cur.interrupted.Load() && cur.fate != fateCommitted {
		return nil, errInterrupted()
	}
	for {
		if cur.chunk.Ptr != nil {
			bindings.DestroyDataChunk(&cur.chunk)
		}
		cur.chunk = bindings.FetchChunk(cur.res)
		if cur.chunk.Ptr == nil {
			cur.ended = true
			if text := bindings.ResultError(&cur.res); text != "" {
				return nil, duckError(text)
			}
			return nil, nil
		}
		if n := int(bindings.DataChunkGetSize(cur.chunk)); n > 0 {
			return cur.read(n)
		}
	}
}

func (cur *Cursor) read(n int) (*rows.Batch, error) {
	texts, err := cur.castTexts(n)
	defer func() {
		if texts.Ptr != nil {
			bindings.DestroyDataChunk(&texts)
		}
	}()
	if err != nil {
		return nil, err
	}
	cur.batch.N = n
	return &cur.batch, unfailing(func() error {
		cast := bindings.IdxT(0)
		for i, r := range cur.readers {
			if r.castsToText() {
				cur.batch.Cols[i] = r.readCast(bindings.DataChunkGetVector(texts, cast), n)
				cast++
				continue
			}
			cur.batch.Cols[i] = r.read(bindings.DataChunkGetVector(cur.chunk, bindings.IdxT(i)), n)
		}
		return nil
	})
}

// Close ends the result and frees the connection for other use. What the statement has
// written is committed now if DuckDB has not done so, unless Next has failed or Undo was
// called.
func (cur *Cursor) Close() error {
	cur.conn.use.Lock()
	err := cur.release()
	cur.conn.use.Unlock()
	if cur.onClose != nil {
		fn := cur.onClose
		cur.onClose = nil
		return errors.Join(err, fn())
	}
	return err
}

// discard is Close for a Cursor that was never handed out.
func (cur *Cursor) discard() {
	cur.conn.use.Lock()
	defer cur.conn.use.Unlock()
	cur.undone = true
	_ = cur.release() // there is an error already
}

// release frees everything in DuckDB; the caller holds conn.use.
func (cur *Cursor) release() error {
	if cur.closed {
		return nil
	}
	cur.closed = true
	err := cur.end()
	if cur.of != nil {
		cur.of.ended(time.Since(cur.began))
	}
	return err
}

// end frees the result, and ends a transaction that was held back.
func (cur *Cursor) end() error {
	abandoned := cur.streaming && (!cur.ended || cur.failed != nil)
	if abandoned { // DuckDB waits for what its threads work on for the stream
		cur.conn.stop.Set()
		defer cur.conn.stop.Clear()
		bindings.Interrupt(cur.conn.handle)
	}
	if cur.chunk.Ptr != nil {
		bindings.DestroyDataChunk(&cur.chunk)
	}
	if cur.hasResult {
		bindings.DestroyResult(&cur.res)
	}
	for _, t := range cur.types {
		t.close()
	}
	cur.types = nil
	c := cur.conn
	c.mu.Lock()
	wasOpen := c.cursor == cur
	if wasOpen {
		c.cursor = nil
	}
	connClosed := c.closed
	c.mu.Unlock()
	commits := !cur.undone && cur.failed == nil
	switch {
	case wasOpen && connClosed:
		c.disconnect()
		if cur.fate == fateHeld && commits { // it was rolled back
			return errConnClosed()
		}
	case abandoned && !connClosed:
		c.endStream()
	case cur.fate == fateHeld && !connClosed:
		return c.settle(commits)
	}
	return nil
}

// endStream makes DuckDB stop the query and end the transaction of a stream
// that was not read to its end, which it otherwise does only when the connection
// is used next.
func (c *Conn) endStream() {
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	// The statement has no effect; an error means that the transaction is aborted,
	// which is not this result's business.
	bindings.Query(c.handle, "SELECT 1", &res)
}
