package pgwire

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// prepared is a statement with what the wire knows of it. It is closed when its
// name and all portals over it are gone.
type prepared struct {
	claimed   int // bytes that the connection has claimed
	stmt      Statement
	text      string
	made      time.Time
	paramOIDs []uint32 // as the client is told
	readOIDs  []uint32 // whose texts the values are: another where a text stands for a value of a type
	cols      []rows.Column
	refs      int
}

// portal is a statement with its parameters, running or about to.
type portal struct {
	name string
	of   *prepared
	args []Value
	// argBytes is about what the client's arguments take, and what the result's columns do.
	argBytes int
	claim    claim   // for them
	formats  []int16 // of the result's columns
	enc      *rowEncoder

	// ctx is the context of the statement, ended when the portal closes.
	ctx    context.Context
	cancel context.CancelFunc
	res    Result // nil before the start and after the end
	// batch is the batch being sent, nil between batches; row its next row.
	batch *rows.Batch
	row   int
	held  claim // for the rows that res has delivered last
	// drained holds DataRow messages of rows fetched ahead of their request.
	drained  backlog
	started  bool
	broken   bool   // its statement has failed
	after    uint64 // how many savepoints the session had made before
	partial  bool   // rows were sent by an earlier Execute
	tag      string
	affected int64
}

// start executes the portal's statement; the Result of another one that is
// still open is drained first.
func (c *conn) start(ctx context.Context, p *portal) error {
	if err := c.drainActive(ctx); err != nil {
		return err
	}
	p.started = true
	res, err := p.of.stmt.Execute(ctx, p.args)
	if err != nil {
		return err
	}
	p.res, c.active = res, p
	p.held.on = &c.srv.unread
	return nil
}

// sameTypes reports whether a result looks to a client as it has been told: a number
// without a width may have any, and so may the elements of a list.
func sameTypes(told, columns []rows.Column) bool {
	return slices.EqualFunc(told, columns, func(t, c rows.Column) bool {
		return t.Type == c.Type || wireTypeOf(t.Type) == wireTypeOf(c.Type) ||
			t.Type == rows.Type{ID: rows.Decimal} && wireTypeOf(c.Type).oid == pgtype.NumericOID
	})
}

// columnsMax is the widest result that a message can announce in a count of 16 bits, and
// paramsMax the most parameters, whose count clients read without a sign.
const (
	columnsMax = 1<<15 - 1
	paramsMax  = 1<<16 - 1
)

func checkWidth(what string, n, most int) error {
	if n > most {
		return sqlerr.New(codeLimitExceeded, "%d %s are more than the protocol's %d", n, what, most)
	}
	return nil
}

// fetch sends up to rowsMax rows of a started portal, all of them when rowsMax is 0. It
// returns the number sent and whether the result has ended.
func (c *conn) fetch(ctx context.Context, p *portal, rowsMax int) (sent int, ended bool, err error) {
	if rowsMax <= 0 || p.enc == nil {
		rowsMax = math.MaxInt
	}
	if sent, err = c.sendDrained(p, rowsMax); err != nil {
		return sent, false, err
	}
	if !p.drained.empty() {
		return sent, false, nil
	}
	for p.res != nil && sent < rowsMax {
		if p.batch == nil {
			if err := p.next(ctx); err != nil {
				return sent, false, err
			}
			if p.batch == nil {
				return sent, true, c.finish(p)
			}
		}
		n, err := c.sendBatch(p, rowsMax-sent)
		sent += n
		if err != nil {
			return sent, false, err
		}
	}
	return sent, p.res == nil, nil
}

// next makes the following batch the portal's, nil at the end.
func (p *portal) next(ctx context.Context) error {
	b, err := p.res.Next(ctx)
	if err != nil {
		p.broken = true
		return err
	}
	if b != nil {
		if err := p.held.set(b.Bytes()); err != nil {
			return err
		}
	}
	p.batch, p.row = b, 0
	return nil
}

// sendBatch sends up to rowsMax rows of the portal's batch.
func (c *conn) sendBatch(p *portal, rowsMax int) (sent int, err error) {
	if p.enc == nil { // a statement that returns no rows
		p.batch = nil
		return 0, nil
	}
	to := p.batch.N
	if rowsMax < to-p.row {
		to = p.row + rowsMax
	}
	from := p.row
	for p.row < to {
		c.out, p.row, err = p.enc.appendRows(c.out, p.batch, p.row, to, flushBytes)
		if err == nil && len(c.out) >= flushBytes {
			err = c.flush()
		}
		if err != nil {
			return p.row - from, err
		}
	}
	if p.row == p.batch.N {
		p.batch = nil
	}
	return to - from, nil
}

// finish takes the tag of a result that has ended and closes it.
func (c *conn) finish(p *portal) error {
	p.tag, p.affected = p.res.Tag()
	return c.closeResult(p, nil)
}

// closeResult closes the portal's result, if it is open; why says that it has failed.
func (c *conn) closeResult(p *portal, why error) error {
	if p.res == nil {
		return nil
	}
	if c.active == p {
		c.active = nil
	}
	res := p.res
	p.res, p.batch = nil, nil
	p.held.free()
	if why != nil {
		return res.Abandon(why)
	}
	return res.Close()
}

// drainActive fetches the rest of the open Result into its portal, so that
// another statement may start. Rows are kept as the messages they will be sent as, in
// memory and then in a file.
func (c *conn) drainActive(ctx context.Context) error {
	p := c.active
	if p == nil {
		return nil
	}
	for {
		if p.batch == nil {
			if err := p.next(ctx); err != nil {
				return err
			}
			if p.batch == nil {
				return c.finish(p)
			}
		}
		if err := p.keepBatch(); err != nil {
			return err
		}
		p.batch = nil
	}
}

// keepBatch puts the rest of the portal's batch into its backlog.
func (p *portal) keepBatch() (err error) {
	if p.enc == nil {
		return nil
	}
	var buf []byte
	for p.row < p.batch.N {
		if buf, p.row, err = p.enc.appendRows(buf[:0], p.batch, p.row, p.batch.N, flushBytes); err != nil {
			return err
		}
		if err := p.drained.add(buf); err != nil {
			return err
		}
	}
	return nil
}

// sendDrained sends up to rowsMax rows that were fetched ahead.
func (c *conn) sendDrained(p *portal, rowsMax int) (sent int, err error) {
	for !p.drained.empty() && sent < rowsMax {
		message, err := p.drained.next()
		if err != nil {
			return sent, err
		}
		c.out = append(c.out, message...)
		sent++
		if len(c.out) >= flushBytes {
			if err := c.flush(); err != nil {
				return sent, err
			}
		}
	}
	return sent, nil
}

// addPortal makes a portal under its name; the unnamed one replaces its
// predecessor.
func (c *conn) addPortal(p *portal) {
	c.closePortal(p.name, nil)
	p.of.refs++
	p.drained.share = c.spilled
	p.drained.memory = backlogBytes / (len(c.portals) + 1)
	p.ctx, p.cancel = context.WithCancel(c.ctx)
	if s, ok := c.sess.(SavepointKeeper); ok {
		p.after, _ = s.Savepoints()
	}
	c.portals[p.name] = p
}

// closePortal forgets a portal; an unknown name is no error. Why is that of closeResult.
func (c *conn) closePortal(name string, why error) {
	p := c.portals[name]
	if p == nil {
		return
	}
	delete(c.portals, name)
	c.release(p, why)
}

// release gives back what a portal holds. Why is that of closeResult.
func (c *conn) release(p *portal, why error) {
	c.mustNotFail("dropping rows fetched ahead", p.drained.close)
	c.mustNotFail("closing a result", func() error { return c.closeResult(p, why) })
	p.cancel()
	p.claim.free()
	c.unref(p.of)
}

func (c *conn) closePortals(why error) {
	for name := range c.portals {
		c.closePortal(name, why)
	}
}

// closeFailed closes the portals that an error ends: those from after the last savepoint, and
// the one that has failed.
func (c *conn) closeFailed(why error) {
	last := uint64(0)
	if s, ok := c.sess.(SavepointKeeper); ok {
		_, last = s.Savepoints()
	}
	for name, p := range c.portals {
		if p.broken || p.after >= last {
			c.closePortal(name, why)
		}
	}
}

// closeReturned closes the portals from after the savepoint to which the statement of p, which
// stays, has returned, if it has.
func (c *conn) closeReturned(p *portal) {
	s, ok := c.sess.(SavepointKeeper)
	if !ok {
		return
	}
	number := s.ReturnedTo()
	if number == 0 {
		return
	}
	for name, other := range c.portals {
		if other != p && other.after >= number {
			c.closePortal(name, nil)
		}
	}
}

// closeOtherPortals keeps p, whose statement has just ended the transaction.
func (c *conn) closeOtherPortals(p *portal) {
	for name, other := range c.portals {
		if other != p {
			c.closePortal(name, nil)
		}
	}
}

func (c *conn) dropStatement(name string) {
	if s := c.stmts[name]; s != nil {
		delete(c.stmts, name)
		c.stmtBytes -= s.bytes()
		c.unref(s)
	}
}

// claimTexts adds to the texts of prepared statements that the connection has claimed.
func (c *conn) claimTexts(bytes int) error {
	err := c.texts.set(c.textBytes + bytes)
	if err == nil {
		c.textBytes += bytes
	}
	return err
}

func (c *conn) unref(s *prepared) {
	if s.refs--; s.refs == 0 {
		_ = c.claimTexts(-s.claimed) // never fails
		c.mustNotFail("closing a statement", s.stmt.Close)
	}
}

// sendEnd ends the answer to an Execute: with PortalSuspended, or with the tag.
// A result that returned rows in several parts counts those of this part.
func (c *conn) sendEnd(p *portal, sent int, ended bool) {
	if !ended {
		p.partial = true
		c.send(&pgproto3.PortalSuspended{})
		return
	}
	affected := p.affected
	if p.partial && p.enc != nil && affected >= 0 {
		affected = int64(sent)
	}
	p.partial = true
	c.sendComplete(p.tag, affected)
}
