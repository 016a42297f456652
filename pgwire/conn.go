package pgwire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/spill"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// flushBytes is the amount of output that is sent without waiting for more.
const flushBytes = 64 << 10

// conn is one client's connection. All fields but running belong to its
// goroutine once the connection is registered.
type conn struct {
	srv   *Server
	nc    net.Conn
	inbox *inbox
	in    *messages
	// be decodes messages after the startup packet; it never sends.
	be  *pgproto3.Backend
	out []byte // messages not yet sent
	// lost is why nothing can be sent any more, a *brokenError; nil: it can.
	lost error
	// writing is held while output is written; given says that the connection has been
	// given up, so that nothing is written any more.
	writing sync.Mutex
	given   bool

	// ctx ends with the connection or the server.
	ctx    context.Context
	cancel context.CancelFunc
	// tls is the encrypted connection over nc, nil without; serverCert is the
	// certificate that it showed.
	tls        *tls.Conn
	serverCert *x509.Certificate
	id         uint32 // 0: not authenticated yet
	secret     []byte
	number     uint64 // in the order of accepting
	sess       Session

	stmts     map[string]*prepared
	stmtBytes int // of all of stmts
	portals   map[string]*portal
	spilled   *spill.Share // of the files of rows fetched ahead
	// active is the portal whose Result is open, if any (W2).
	active *portal
	// group says that BeginImplicit has been called and EndImplicit has not.
	group bool
	// skipping: an error has occurred, messages up to Sync are passed over.
	skipping bool
	// idle: ReadyForQuery was the last thing said.
	idle bool
	// ahead holds messages received but not yet handled.
	ahead []pgproto3.FrontendMessage

	// texts are those of prepared statements, textBytes what they have.
	texts     claim
	textBytes int

	running running
	// terminated: somebody has asked for the connection's end.
	terminated atomic.Bool
	// unwatch ends the watch for a client that leaves, of the message at hand.
	unwatch func()
}

// running is what a CancelRequest sees of a connection.
type running struct {
	mu       sync.Mutex
	cancel   context.CancelFunc // nil: nothing runs
	canceled bool               // the present message was interrupted
}

func newConn(s *Server, nc net.Conn) *conn {
	c := &conn{srv: s, nc: nc, inbox: newInbox(nc), stmts: map[string]*prepared{}, portals: map[string]*portal{}, spilled: s.opt.Spill.NewShare()}
	c.ctx, c.cancel = context.WithCancel(s.base)
	c.in = &messages{inbox: c.inbox, claim: claim{on: &s.account}, bodyMax: s.opt.MaxMessageBytes, timeout: s.opt.MessageTimeout}
	c.texts.on = &s.account
	c.be = pgproto3.NewBackend(c.in, nil)
	c.be.SetMaxBodyLen(s.opt.MaxMessageBytes)
	return c
}

// serve runs the connection from its first byte to its last.
func (c *conn) serve() {
	defer c.srv.closeSocket(c.nc)
	defer c.hangUpTLS()
	defer c.cancel()
	defer c.in.claim.free()
	defer c.texts.free()
	err := c.guarded(c.converse)
	told := c.hangUp(err)
	c.closeSession()
	if err != nil && told {
		c.inbox.linger()
	}
}

// guarded turns a panic of f into an error.
func (c *conn) guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			c.srv.opt.Logger.Error("panic in a session", "pid", c.id, "panic", fmt.Sprint(v), "stack", stack())
			err = panicError(v)
		}
	}()
	return f()
}

// converse returns nil when the client said good-bye.
func (c *conn) converse() error {
	c.inbox.limitReading(c.srv.opt.StartupTimeout)
	st, err := c.handshake()
	if err != nil || st == nil {
		return err
	}
	if err := c.begin(st); err != nil {
		return err
	}
	for {
		msg, err := c.receive()
		if err != nil {
			return err
		}
		if _, bye := msg.(*pgproto3.Terminate); bye {
			return nil
		}
		if c.terminated.Load() { // a read that a deadline has woken may find what came since
			return errTerminated()
		}
		err = c.handle(msg)
		if forget(msg); err == nil {
			err = c.lost
		}
		if err != nil {
			return err
		}
	}
}

// terminate ends the connection: what it runs is cancelled. It is called from
// other goroutines.
func (c *conn) terminate() {
	c.terminated.Store(true)
	c.inbox.drain()
	c.interrupt()
	c.abandon(killGrace)
}

// giveUp ends the connection while its goroutine is busy with what does not stop: the
// client is told why, unless it has not read what came before. It is called from other
// goroutines.
func (c *conn) giveUp(why error) {
	c.srv.opt.Logger.Warn("connection given up", "pid", c.id, "remote", c.nc.RemoteAddr(), "error", why)
	c.inbox.drain()
	if !c.writing.TryLock() {
		c.abandon(0) // the write fails, and the goroutine goes on
		return
	}
	defer c.writing.Unlock()
	c.given = true
	c.abandon(killGrace)
	out, err := errorResponse(why, severityFatal, true).Encode(nil)
	if err == nil {
		_, err = c.write(out)
	}
	if half, ok := c.inbox.half.(interface{ CloseWrite() error }); ok && err == nil {
		err = half.CloseWrite()
	}
	if err != nil {
		c.srv.opt.Logger.Debug("the client could not be told", "pid", c.id, "error", err)
	}
}

func errTerminated() error {
	return fatalf(sqlerr.AdminShutdown, "terminating connection due to administrator command")
}

// hangUp tells the client why the connection ends, and reports whether it
// could be told.
func (c *conn) hangUp(err error) (told bool) {
	var broken *brokenError
	if errors.As(c.lost, &broken) || errors.As(err, &broken) {
		c.srv.opt.Logger.Info("connection lost", "pid", c.id, "remote", c.nc.RemoteAddr(), "error", broken.err)
		return false
	}
	c.abandon(killGrace)
	if err != nil {
		c.srv.opt.Logger.Info("connection ended", "pid", c.id, "remote", c.nc.RemoteAddr(), "error", err)
		c.send(errorResponse(err, severityFatal, false))
	}
	errors.As(c.flush(), &broken)
	if broken != nil {
		c.srv.opt.Logger.Info("connection lost", "pid", c.id, "remote", c.nc.RemoteAddr(), "error", broken.err)
	}
	return broken == nil
}

// closeSession gives everything back that was taken from the session.
func (c *conn) closeSession() {
	if c.sess == nil {
		return
	}
	c.closePortals(errTerminated())
	c.mustNotFail("rolling back", func() error { return c.endGroup(c.ctx, false) })
	for name := range c.stmts {
		c.dropStatement(name)
	}
	c.mustNotFail("closing the session", c.sess.Close)
}

// mustNotFail runs a step of cleaning up; its failure is logged, as there is
// nobody left to tell.
func (c *conn) mustNotFail(what string, f func() error) {
	if err := c.guarded(f); err != nil {
		c.srv.opt.Logger.Warn(what+" failed", "pid", c.id, "error", err)
	}
}

// receive returns the next message, valid until the next call of receive or
// lookAhead.
func (c *conn) receive() (pgproto3.FrontendMessage, error) {
	if len(c.ahead) > 0 {
		msg := c.ahead[0]
		c.ahead = c.ahead[1:]
		return msg, nil
	}
	limited, why := c.limitIdle()
	msg, err := c.be.Receive()
	c.idle = false
	if err != nil {
		if limited && errors.Is(c.inbox.failed, os.ErrDeadlineExceeded) && !c.inbox.isDraining() && !c.inbox.isLate(c.inbox.failed) {
			return nil, &fatalError{sqlerr.From(why)}
		}
		return nil, c.readError(err)
	}
	if limited {
		c.inbox.limitReading(0)
	}
	return msg, nil
}

// limitIdle bounds the time until the next message where the session says so, and
// returns its reason.
func (c *conn) limitIdle() (bool, error) {
	s, ok := c.sess.(IdleLimiter)
	if !ok {
		return false, nil
	}
	d, why := s.IdleLimit(c.idle)
	if d > 0 {
		c.inbox.limitReading(d)
	}
	return d > 0, why
}

// readError says what a failure to read means for the connection.
func (c *conn) readError(err error) error {
	var fatal *fatalError
	switch failed := c.inbox.failed; {
	case failed == nil: // the bytes are there, and wrong
		return fatalf(sqlerr.ProtocolViolation, "%s", err.Error())
	case errors.As(failed, &fatal):
		return fatal
	case c.inbox.isLate(failed):
		return fatalf(sqlerr.ProtocolViolation, "a message that had begun was not complete in time")
	case errors.Is(failed, os.ErrDeadlineExceeded) && c.inbox.isDraining():
		return errTerminated()
	case errors.Is(failed, os.ErrDeadlineExceeded):
		return fatalf(sqlerr.ProtocolViolation, "startup timed out")
	default:
		return &brokenError{failed}
	}
}

// handle answers one message. Its error ends the connection.
func (c *conn) handle(msg pgproto3.FrontendMessage) error {
	if _, ok := msg.(*pgproto3.Sync); c.skipping && !ok {
		return nil
	}
	switch m := msg.(type) {
	case *pgproto3.Query:
		return c.simpleQuery(m.String)
	case *pgproto3.Sync:
		c.skipping = false
		return c.sync()
	case *pgproto3.Flush:
		return c.flush()
	case *pgproto3.FunctionCall:
		if err := c.report(sqlerr.New(sqlerr.FeatureNotSupported, "function calls by message are not supported")); err != nil {
			return err
		}
		return c.ready()
	case *pgproto3.CopyData, *pgproto3.CopyDone, *pgproto3.CopyFail:
		return nil // what remains of a COPY that has failed
	default:
		return c.fail(c.extended(msg))
	}
}

// fail reports an error of a statement and passes over what follows up to Sync.
// An error that ends the connection is returned.
func (c *conn) fail(err error) error {
	if err == nil {
		return nil
	}
	c.skipping = true
	if err := c.report(err); err != nil {
		return err
	}
	return c.flush()
}

// report sends the ErrorResponse for err and ends what the error ends: the
// group's transaction and the portals of it (closeFailed); an explicit transaction fails, unless
// the error is harmless. It returns err where that is not about
// a statement but about the connection.
func (c *conn) report(err error) error {
	var broken *brokenError
	var fatal *fatalError
	if errors.As(err, &broken) || errors.As(err, &fatal) {
		return err
	}
	if c.terminated.Load() || c.srv.base.Err() != nil {
		return errTerminated()
	}
	if e := sqlerr.From(err); e.Code == sqlerr.TransactionTimeout {
		return &fatalError{e}
	}
	c.sendNotices()
	c.send(errorResponse(err, severityError, c.wasCanceled()))
	goesOn := c.sess.TxStatus() == TxActive && sqlerr.IsHarmless(err)
	if !goesOn {
		c.closeFailed(err)
	}
	if err := c.endGroup(c.ctx, false); err != nil {
		c.srv.opt.Logger.Warn("rolling back failed", "pid", c.id, "error", err)
	}
	if f, ok := c.sess.(TransactionFailer); ok && c.sess.TxStatus() == TxActive && !goesOn {
		f.FailTransaction() // the error was the wire's own
	}
	return nil
}

// style is how the session's texts show values.
func (c *conn) style() textStyle {
	if s, ok := c.sess.(Styled); ok {
		return textStyle{zone: s.Zone(), isoIntervals: s.IntervalStyle() == "iso_8601"}
	}
	return textStyle{}
}

// beginGroup opens an implicit transaction around the coming statement.
func (c *conn) beginGroup(ctx context.Context) error {
	c.group = true
	return c.sess.BeginImplicit(ctx)
}

// endGroup closes the implicit transaction, if there is one.
func (c *conn) endGroup(ctx context.Context, ok bool) error {
	if !c.group {
		return nil
	}
	c.group = false
	return c.sess.EndImplicit(ctx, ok)
}

// run calls f as the part of a message that CancelRequest interrupts: its
// context is cancelled, and the session is told. Nothing is read meanwhile.
func (c *conn) run(ctx context.Context, cancel context.CancelFunc, f func(ctx context.Context) error) error {
	r := &c.running
	r.mu.Lock()
	r.cancel, r.canceled = cancel, false
	r.mu.Unlock()
	c.unwatch = sync.OnceFunc(c.inbox.watch(c.interrupt))
	defer func() {
		c.unwatch()
		r.mu.Lock()
		r.cancel = nil
		r.mu.Unlock()
	}()
	return f(ctx)
}

// interrupt cancels what the connection runs, if anything. It is called from
// other goroutines.
func (c *conn) interrupt() {
	r := &c.running
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil {
		return
	}
	r.canceled = true
	r.cancel()
	c.sess.Cancel()
}

func (c *conn) wasCanceled() bool {
	c.running.mu.Lock()
	defer c.running.mu.Unlock()
	return c.running.canceled
}

// abandon bounds the time that writes to a slow client may take from now on.
func (c *conn) abandon(d time.Duration) {
	if err := c.nc.SetWriteDeadline(time.Now().Add(d)); err != nil {
		c.srv.opt.Logger.Debug("setting a deadline failed", "pid", c.id, "error", err)
	}
}
