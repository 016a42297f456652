package duckbackend

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/duckbackend/texts"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Conn is a DuckDB connection. One goroutine uses it at a time, except that
// Interrupt and Close may be called from any. At most one Cursor is open on it:
// DuckDB kills a stream when its connection runs something else, so any other
// use while a Cursor is open is an internal error, never a silent loss of rows.
type Conn struct {
	db     *DB
	handle bindings.Connection
	id     uint64
	own    bool // Guard's permit is not asked, and no wall stands; guarded by db.mu
	// context is DuckDB's.
	context unsafe.Pointer

	use sync.Mutex // held while DuckDB works for this connection
	// statements are those that are open; guarded by use.
	statements map[*Stmt]bool
	plans      plans // of these
	// wall stands before what it does; nil: none. It is changed by who uses the connection alone,
	// and guarded by db.mu.
	wall *Wall
	// brake stops an operation that can fail anywhere, stop the functions that are ours.
	brake brake
	stop  *texts.Stop
	// merged are the rows that the MERGE which is executed has changed.
	merged mergedRows
	// caster casts values of results; nil before it is needed. casting is its connection.
	caster  *caster
	casting atomic.Pointer[bindings.Connection]

	mu     sync.Mutex // guards what follows; never held during DuckDB's work
	op     *operation
	cursor *Cursor
	closed bool
}

// operation is one call into DuckDB that can be interrupted.
type operation struct {
	handle  bindings.Connection
	casting *atomic.Pointer[bindings.Connection] // is interrupted with it
	brake   *brake                               // nil: it must not fail for want of memory, since it may write
	stop    *texts.Stop
	done    chan struct{}
	wg      sync.WaitGroup

	mu          sync.Mutex
	ended       bool
	interrupted bool
}

// interruptEvery is how often an interrupt is repeated until the operation ends:
// DuckDB forgets one that arrives before it has begun.
const interruptEvery = time.Millisecond

// interrupt makes DuckDB stop the operation; it does not wait.
func (op *operation) interrupt() {
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.ended || op.interrupted {
		return
	}
	op.interrupted = true
	op.stop.Set()
	if op.brake != nil {
		op.brake.pull()
	}
	op.interruptOnce()
	op.wg.Add(1)
	go func() {
		defer op.wg.Done()
		again := time.NewTicker(interruptEvery)
		defer again.Stop()
		for {
			select {
			case <-op.done:
				return
			case <-again.C:
				op.interruptOnce()
			}
		}
	}()
}

func (op *operation) interruptOnce() {
	bindings.Interrupt(op.handle)
	if casting := op.casting.Load(); casting != nil {
		bindings.Interrupt(*casting)
	}
}

// end waits until nothing can interrupt the connection on behalf of op, and
// reports whether something did.
func (op *operation) end() bool {
	op.mu.Lock()
	op.ended = true
	interrupted := op.interrupted
	op.mu.Unlock()
	close(op.done)
	op.wg.Wait()
	op.stop.Clear()
	if op.brake != nil && interrupted {
		op.brake.release()
	}
	return interrupted
}

// run calls fn, which works in DuckDB, so that ctx, Interrupt and Close stop it.
// It reports whether fn was interrupted; fn may have succeeded nevertheless.
func (c *Conn) run(ctx context.Context, fn func() error) (interrupted bool, err error) {
	op := &operation{handle: c.handle, casting: &c.casting, stop: c.stop, done: make(chan struct{})}
	return c.operate(ctx, op, func() error { return writing(fn) })
}

// runReading is run for work that changes nothing: where DuckDB does not ask whether it
// was interrupted, it gets no more memory.
func (c *Conn) runReading(ctx context.Context, fn func() error) (interrupted bool, err error) {
	op := &operation{handle: c.handle, casting: &c.casting, brake: &c.brake, stop: c.stop, done: make(chan struct{})}
	return c.operate(ctx, op, func() error { return c.brake.during(fn) })
}

func (c *Conn) operate(ctx context.Context, op *operation, fn func() error) (interrupted bool, err error) {
	if err := canceled(ctx); err != nil {
		return true, err
	}
	c.use.Lock()
	defer c.use.Unlock()
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return false, errConnClosed()
	}
	c.op = op
	c.mu.Unlock()
	stop := context.AfterFunc(ctx, op.interrupt)
	defer func() {
		stop()
		c.mu.Lock()
		c.op = nil
		c.mu.Unlock()
		interrupted = op.end()
		c.db.notice(err)
		if err != nil && interrupted && (isCancel(err) || op.brake != nil && isOutOfMemory(err)) {
			if cause := canceled(ctx); cause != nil {
				err = cause
			} else {
				err = errInterrupted()
			}
		}
	}()
	wall := wallOf(ctx)
	if c.own {
		wall = nil
	}
	c.standBehind(wall)
	defer c.merged.forget()
	return false, fn()
}

// runIdle is run for work that must not happen while a Cursor is open.
func (c *Conn) runIdle(ctx context.Context, fn func() error) (bool, error) {
	if err := c.idle(); err != nil {
		return false, err
	}
	return c.run(ctx, fn)
}

// runReadingIdle is runReading for work that must not happen while a Cursor is open.
func (c *Conn) runReadingIdle(ctx context.Context, fn func() error) (bool, error) {
	if err := c.idle(); err != nil {
		return false, err
	}
	return c.runReading(ctx, fn)
}

// idle is an error where a Cursor is open.
func (c *Conn) idle() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cursor != nil {
		return sqlerr.New(sqlerr.InternalError, "duckbackend: the connection is used while a cursor is open on it")
	}
	return nil
}

// Interrupt stops what the connection is doing, or the result that is being
// fetched, with error 57014. On an idle connection it does nothing.
func (c *Conn) Interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if c.op != nil {
		c.op.interrupt()
		return
	}
	if c.cursor != nil {
		c.cursor.interrupted.Store(true)
		c.stop.Set()
		bindings.Interrupt(c.handle)
	}
}

// Close interrupts what runs and closes the connection. Statements of the
// connection can only be closed afterwards. An open Cursor fails from its next
// Next on; since its owner may be reading its batch, DuckDB's connection goes
// when that Cursor is closed.
func (c *Conn) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	if c.op != nil {
		c.op.interrupt()
	}
	c.mu.Unlock()
	c.use.Lock() // the running operation has ended
	defer c.use.Unlock()
	c.mu.Lock()
	open := c.cursor != nil
	c.mu.Unlock()
	if !open {
		c.disconnect()
	}
	return nil
}

// disconnect gives DuckDB's connection back, and what was prepared on it: a statement that
// somebody has not closed would keep the connection's transaction open, with its locks, and its
// temporary tables. The caller holds use.
func (c *Conn) disconnect() {
	for s := range c.statements {
		s.closed = true
		s.destroy()
	}
	c.statements = nil
	c.forgetDrawn()
	c.closeCaster()
	bindings.Disconnect(&c.handle)
	c.db.forget(c.id)
}

// Exec runs one or several statements and discards their rows. An error's
// offset counts from the start of sql.
func (c *Conn) Exec(ctx context.Context, sql string) error {
	if err := checkText(sql); err != nil {
		return err
	}
	_, err := c.runIdle(ctx, func() error { return c.query(sql) })
	return err
}

// query runs statements and discards their rows; the caller is inside run.
func (c *Conn) query(sql string) error {
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	return c.queryInto(&res, sql)
}

// longText is from how many bytes on a text is not given to duckdb_query: that copies it,
// and the exception for memory that is refused would end the process.
const longText = 1 << 20

// queryInto runs statements; res is the result of the last.
func (c *Conn) queryInto(res *bindings.Result, sql string) error {
	if len(sql) < longText {
		if bindings.Query(c.handle, sql, res) == bindings.StateError {
			return duckError(bindings.ResultError(res))
		}
		return nil
	}
	var extracted bindings.ExtractedStatements
	defer bindings.DestroyExtracted(&extracted)
	n, err := (&Stmt{conn: c}).extract(sql, &extracted)
	if err != nil {
		return err
	}
	for i := range n {
		var handle bindings.PreparedStatement
		err := c.prepareOne(extracted, i, &handle, nil)
		if err == nil {
			bindings.DestroyResult(res)
			if bindings.ExecutePrepared(handle, res) == bindings.StateError {
				err = duckError(bindings.ResultError(res))
			}
		}
		bindings.DestroyPrepare(&handle)
		if err != nil {
			return err
		}
	}
	return nil
}

// Query prepares and executes one statement; the statement is closed with the
// Cursor. Values of numbers that it does not have are not bound: it may be part of
// a statement that has more parameters.
func (c *Conn) Query(ctx context.Context, sql string, args ...Arg) (*Cursor, error) {
	sql, args = withoutGaps(sql, args)
	stmt, err := c.Prepare(ctx, sql)
	if err != nil {
		return nil, err
	}
	cur, err := stmt.Execute(ctx, args[:min(len(args), len(stmt.desc.Params))])
	if err != nil {
		_ = stmt.Close() // only frees memory
		return nil, err
	}
	cur.onClose = stmt.Close
	return cur, nil
}

// oneText runs a query that returns one text.
func (c *Conn) oneText(ctx context.Context, sql string) (text string, err error) {
	cur, err := c.Query(ctx, sql)
	if err != nil {
		return "", err
	}
	defer func() {
		if cerr := cur.Close(); err == nil {
			err = cerr
		}
	}()
	batch, err := cur.Next(ctx)
	if err != nil {
		return "", err
	}
	return batch.Cols[0].Str[0], nil
}

// checkText refuses what a C string cannot carry.
func checkText(sql string) error {
	if i := strings.IndexByte(sql, 0); i >= 0 {
		return sqlerr.At(sqlerr.SyntaxError, i, "zero byte in statement")
	}
	return nil
}

func errConnClosed() error {
	return sqlerr.New(sqlerr.AdminShutdown, "the database connection is closed")
}

// ID is DuckDB's number of the connection.
func (c *Conn) ID() uint64 { return c.id }

// readContext asks DuckDB for the number and the context.
func (c *Conn) readContext() {
	var client bindings.ClientContext
	bindings.ConnectionGetClientContext(c.handle, &client)
	defer bindings.DestroyClientContext(&client)
	c.id, c.context = uint64(bindings.ClientContextGetConnectionId(client)), contextOf(client)
}

// connectionID asks DuckDB for a connection's number.
func connectionID(handle bindings.Connection) uint64 {
	var client bindings.ClientContext
	bindings.ConnectionGetClientContext(handle, &client)
	defer bindings.DestroyClientContext(&client)
	return uint64(bindings.ClientContextGetConnectionId(client))
}
