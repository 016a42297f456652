package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// sqlCursor is a cursor of DECLARE. Its position is the number of the present
// row, counted from 1; 0 is before the first row, one more than there are rows is
// after the last.
//
// A cursor that only goes forward keeps no row that it has delivered, and reads
// its query no further than it was asked to, until another statement needs the
// connection. One that scrolls keeps all rows it has read.
type sqlCursor struct {
	session  *Session
	name     string
	text     string
	declared sqlfront.Cursor
	made     time.Time
	columns  []rows.Column
	// begin executes the query, whose rows are the stream's.
	begin func(ctx context.Context) error

	// stream is the query under way, nil when it has ended.
	stream rows.Cursor
	run    *run
	// batch is the stream's present batch, and batchFirst the number of its first row
	// from 0; of cursors that do not scroll.
	batch      *rows.Batch
	batchFirst int64
	// store keeps rows from number storeFirst on.
	store      *spool
	storeFirst int64
	failed     error

	position int64
	// pending is a FETCH whose reader left before its end: its rows are passed over
	// when the cursor is used next.
	pending *fetching
	// held: the transaction that declared it has ended, or there was none.
	held bool
}

// cursorNamed returns the cursor of that name.
func (s *Session) cursorNamed(name string) (*sqlCursor, error) {
	c := s.cursors[name]
	if c == nil {
		return nil, sqlerr.New(sqlerr.UndefinedPortal, "cursor %q does not exist", name)
	}
	return c, nil
}

// declaration is DECLARE. Its parameters are the query's.
type declaration struct {
	session *Session
	class   sqlfront.Class
	text    string
	query   *Prepared
}

func (s *Session) prepareDeclare(ctx context.Context, p *Prepared) (statement, error) {
	c := p.class
	query, err := s.prepareAs(ctx, c.Body, &Prepared{session: s, given: p.given})
	if err != nil {
		return nil, shift(err, c.Offset)
	}
	d := &declaration{session: s, class: c, text: p.sql, query: query}
	switch {
	case query.class.Kind == sqlfront.ClassSelect && !query.class.WritesUnknown:
		return d, nil
	case query.class.Kind == sqlfront.ClassSelect:
		err = sqlerr.At(sqlerr.FeatureNotSupported, c.Offset, "DECLARE CURSOR must not contain data-modifying statements in WITH")
	default:
		err = sqlerr.At(sqlerr.SyntaxError, c.Offset, "a cursor is declared for SELECT, VALUES or WITH .. SELECT")
	}
	return nil, closeAfter(err, query.Close)
}

func (d *declaration) params() []rows.Type  { return d.query.Params() }
func (*declaration) columns() []rows.Column { return nil }
func (d *declaration) close() error         { return d.query.Close() }

// cursorsMax is how many cursors a session may have open: each holds rows in memory and,
// if they are many, in a file.
const cursorsMax = 256

func (d *declaration) execute(ctx context.Context, args []Arg) (outcome, error) {
	s, c := d.session, d.class
	if s.cursors[c.Name] != nil {
		return outcome{}, sqlerr.New(sqlerr.DuplicateCursor, "cursor %q already exists", c.Name)
	}
	if len(s.cursors) >= cursorsMax {
		return outcome{}, sqlerr.New(sqlerr.ProgramLimit, "%d cursors are open, as many as there may be", len(s.cursors)).
			WithHint("Close some, or end the transaction.")
	}
	bytes := len(d.text)
	for _, other := range s.cursors {
		bytes += len(other.text)
	}
	if bytes > namedTextBytes && len(s.cursors) > 0 {
		return outcome{}, sqlerr.New(sqlerr.ProgramLimit, "the texts of the open cursors have %d bytes: there may be %d", bytes, namedTextBytes).
			WithHint("Close some, or end the transaction.")
	}
	if s.tx.status == TxIdle && !c.Cursor.Hold {
		return outcome{}, sqlerr.New(sqlerr.NoActiveTransaction, "DECLARE CURSOR can only be used in transaction blocks").
			WithHint("Begin a transaction first, or declare the cursor WITH HOLD.")
	}
	if err := errors.Join(d.query.rebind(ctx), d.query.fit(ctx, args)); err != nil {
		return outcome{}, err
	}
	cur := &sqlCursor{
		session: s, name: c.Name, text: d.text, declared: *c.Cursor, made: time.Now(),
		store: newSpoolAmong(s.spilled, len(s.cursors)), held: s.tx.status == TxIdle,
	}
	if err := cur.open(ctx, d.query, args); err != nil {
		return outcome{}, err
	}
	cur.begin = func(ctx context.Context) error {
		query, err := s.prepareAs(ctx, c.Body, &Prepared{session: s, given: d.query.given})
		if err != nil {
			return err
		}
		if err = query.fit(ctx, args); err == nil {
			err = cur.open(ctx, query, args)
		}
		return errors.Join(err, query.Close())
	}
	s.cursors[c.Name] = cur
	return outcome{tag: "DECLARE CURSOR", affected: -1}, nil
}

// open executes the cursor's query.
func (c *sqlCursor) open(ctx context.Context, query *Prepared, args []Arg) error {
	// The query lives longer than DECLARE, and has no time limit of its own: each
	// FETCH has.
	c.run = c.session.startRunFor(context.WithoutCancel(ctx), 0)
	stop := context.AfterFunc(ctx, func() { c.run.cancel(context.Cause(ctx)) })
	out, err := query.stmt.execute(c.run.ctx, args)
	if !stop() && err == nil {
		err = errors.Join(context.Cause(ctx), out.cursor.Close())
	}
	if err != nil {
		c.run.end()
		return err
	}
	c.stream, c.columns = out.cursor, slices.Clone(query.described(out.cursor).Columns())
	c.session.streaming = c
	return nil
}

// rewind goes before the first row: a cursor that keeps no rows executes its query again,
// which has the same rows as long as the transaction has written nothing. It returns how
// many rows were passed.
func (c *sqlCursor) rewind(ctx context.Context) (passed int64, err error) {
	s := c.session
	if c.position == 0 {
		return 0, nil
	}
	passed = c.position - 1
	if c.declared.NoScroll || c.held || s.tx.write != nil && s.tx.write.Wrote() {
		return 0, c.mustScroll()
	}
	if err := errors.Join(c.endStream(), c.store.close(), s.detachStream(ctx)); err != nil {
		return 0, err
	}
	c.batch, c.batchFirst, c.storeFirst, c.position, c.failed = nil, 0, 0, 0, nil
	c.store = newSpoolAmong(s.spilled, len(s.cursors))
	return passed, c.begin(ctx)
}

// read reads the stream's next batch, nil at its end.
func (c *sqlCursor) read(ctx context.Context) (*rows.Batch, error) {
	if c.stream == nil {
		return nil, c.failed
	}
	stop := context.AfterFunc(ctx, func() { c.run.cancel(context.Cause(ctx)) })
	defer stop()
	b, err := c.stream.Next(c.run.ctx)
	if err != nil {
		c.failed = c.run.explain(err)
		return nil, errors.Join(c.failed, c.endStream())
	}
	if b == nil {
		c.failed = c.endStream()
		return nil, c.failed
	}
	return b, nil
}

func (c *sqlCursor) endStream() error {
	if c.stream == nil {
		return nil
	}
	err := c.stream.Close()
	c.stream = nil
	c.run.end()
	if c.session.streaming == c {
		c.session.streaming = nil
	}
	return err
}

// close gives everything back and forgets the cursor.
func (c *sqlCursor) close() error {
	delete(c.session.cursors, c.name)
	return errors.Join(c.endStream(), c.store.close())
}

// detach reads the rest of the stream into the store, so that the connection is
// free.
func (c *sqlCursor) detach(ctx context.Context) error {
	if c.stream == nil {
		return nil
	}
	if !c.declared.Scroll {
		c.storeFirst = c.next()
		if c.batch != nil {
			rest := pickRows(c.batch, sequence(int(c.storeFirst-c.batchFirst), c.batch.N))
			c.batch = nil
			if err := c.keep(rest); err != nil {
				return err
			}
		}
	}
	for {
		b, err := c.read(ctx)
		if b == nil || err != nil {
			return err
		}
		if err := c.keep(b); err != nil {
			return err
		}
	}
}

// keep adds rows to the store.
func (c *sqlCursor) keep(b *rows.Batch) error {
	if b.N == 0 {
		return nil
	}
	if err := c.store.add(b); err != nil {
		c.failed = err
		return errors.Join(err, c.endStream())
	}
	return nil
}

// next is the number, from 0, of the row after the present one.
func (c *sqlCursor) next() int64 { return c.position }

// locate returns the batch with row k, counted from 0, and its place there; nil
// where there are not so many rows.
func (c *sqlCursor) locate(ctx context.Context, k int64) (*rows.Batch, int, error) {
	if c.declared.Scroll {
		for c.store.rows <= k {
			b, err := c.read(ctx)
			if b == nil || err != nil {
				return nil, 0, err
			}
			if err := c.keep(b); err != nil {
				return nil, 0, err
			}
		}
		return c.store.at(k)
	}
	for c.stream != nil {
		if c.batch != nil && k < c.batchFirst+int64(c.batch.N) {
			return c.batch, int(k - c.batchFirst), nil
		}
		first := c.batchFirst
		if c.batch != nil {
			first += int64(c.batch.N)
		}
		b, err := c.read(ctx)
		if err != nil {
			return nil, 0, err
		}
		c.batch, c.batchFirst = b, first
		if b == nil {
			c.storeFirst = first
			return nil, 0, nil
		}
	}
	if k-c.storeFirst >= c.store.rows {
		return nil, 0, c.failed
	}
	return c.store.at(k - c.storeFirst)
}

// forward delivers at most most rows after the present one, nil at the end.
func (c *sqlCursor) forward(ctx context.Context, most int64) (*rows.Batch, error) {
	b, i, err := c.locate(ctx, c.next())
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, c.goAfterLast(ctx)
	}
	n := int(min(int64(b.N-i), most))
	c.position += int64(n)
	if i == 0 && n == b.N {
		return b, nil
	}
	return pickRows(b, sequence(i, i+n)), nil
}

// goAfterLast moves behind the last row; only then it is known how many there are.
func (c *sqlCursor) goAfterLast(ctx context.Context) error {
	n, err := c.count(ctx)
	if err == nil {
		c.position = n + 1
	}
	return err
}

// count reads to the end and returns the number of rows. A cursor that does not
// scroll is at its end when it is asked.
func (c *sqlCursor) count(ctx context.Context) (int64, error) {
	for c.stream != nil {
		b, err := c.read(ctx)
		if err != nil {
			return 0, err
		}
		if b == nil {
			break
		}
		if err := c.keep(b); err != nil {
			return 0, err
		}
	}
	return c.storeFirst + c.store.rows, c.failed
}

// backward delivers at most most rows before the present one, the nearest first.
func (c *sqlCursor) backward(ctx context.Context, most int64) (*rows.Batch, error) {
	if c.position <= 1 {
		c.position = 0
		return nil, nil
	}
	b, i, err := c.locate(ctx, c.position-2)
	if err != nil || b == nil {
		return nil, err
	}
	n := int(min(int64(i+1), most))
	picked := sequence(i-n+1, i+1)
	slices.Reverse(picked)
	c.position -= int64(n)
	return pickRows(b, picked), nil
}

// sequence returns the numbers from from to to-1.
func sequence(from, to int) []int {
	out := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// detachStream frees the connection of the cursor that reads from it. Where its
// rows end in an error, so does the transaction.
func (s *Session) detachStream(ctx context.Context) error {
	c := s.streaming
	if c == nil {
		return nil
	}
	err := c.detach(ctx)
	if err != nil && s.tx.status == TxActive {
		e := *sqlerr.From(err)
		e.Offset = -1
		e.Detail = "It was raised by rows of cursor \"" + c.name + "\" that had not been fetched."
		return s.fail(&e)
	}
	return ctx.Err()
}

// settleCursors ends the cursors of a transaction before it ends: those WITH HOLD
// read their rows, if it is to be committed; the others close.
func (s *Session) settleCursors(ctx context.Context, commit bool) error {
	var failed error
	for _, name := range slices.Sorted(maps.Keys(s.cursors)) {
		c := s.cursors[name]
		switch {
		case c.held:
		case commit && c.declared.Hold && failed == nil:
			if failed = c.detach(ctx); failed == nil {
				c.held = true
			}
		default:
			failed = errors.Join(failed, c.close())
		}
	}
	return failed
}

// closeCursors closes all cursors.
func (s *Session) closeCursors() error {
	var failed error
	for _, name := range slices.Sorted(maps.Keys(s.cursors)) {
		failed = errors.Join(failed, s.cursors[name].close())
	}
	return failed
}

// Cursor returns the columns of a cursor, and whether it was declared BINARY.
func (s *Session) Cursor(name string) (cols []rows.Column, binary, ok bool) {
	c := s.cursors[name]
	if c == nil {
		return nil, false, false
	}
	return c.columns, c.declared.Binary, true
}

// CloseCursor closes a cursor.
func (s *Session) CloseCursor(name string) (err error) {
	defer s.guard(&err)
	c, err := s.cursorNamed(name)
	if err != nil {
		return err
	}
	return c.close()
}

func (s *Session) prepareClose(c sqlfront.Class) statement {
	if c.Cursor.All {
		return &utility{keeps: true, run: func(context.Context) (string, error) { return "CLOSE CURSOR ALL", s.closeCursors() }}
	}
	return &utility{keeps: true, run: func(context.Context) (string, error) {
		cur, err := s.cursorNamed(c.Name)
		if err != nil {
			return "", err
		}
		return "CLOSE CURSOR", cur.close()
	}}
}
