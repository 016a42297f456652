package pgwire

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/trireme-db/trireme/internal/spill"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Options configure a Server; the zero value of a field means its default.
type Options struct {
	// MaxConnections bounds sessions, 1000 by default. CancelRequests do not count.
	// The last ReservedConnections of them are for those whom Auth.Admit calls admins.
	MaxConnections, ReservedConnections int
	// Auth is how clients prove who they are, TLS how connections are encrypted.
	Auth Auth
	TLS  TLS
	// Directories, absolute, have the files that COPY may read and write.
	Directories []string
	// MaxMessageBytes bounds the body of a client's message, 64 MiB by default.
	MaxMessageBytes int
	// BufferBytes bounds what is held for all clients of what they are sending: long
	// messages, rows of COPY, arguments. As much may be held of rows that have been
	// fetched for them, a batch each, and are not sent. 512 MiB by default.
	BufferBytes int64
	// MessageTimeout bounds the time from the first byte of a message to its last, with a
	// second more for each 256 KiB; 60 s by default.
	MessageTimeout time.Duration
	// StartupTimeout bounds the time from accept to the first ReadyForQuery, 30 s
	// by default.
	StartupTimeout time.Duration
	// DrainTimeout is how long Serve lets statements finish after its context is
	// done, 5 s by default.
	DrainTimeout time.Duration
	// Spill is the room for files of rows that wait to be fetched; nil: one of
	// spill.DefaultBytes.
	Spill  *spill.Space
	Logger *slog.Logger
	// ServerVersion is the parameter server_version; clients read features from it.
	ServerVersion string
}

func (o Options) withDefaults() Options {
	if o.MaxConnections == 0 {
		o.MaxConnections = 1000
	}
	if o.MaxMessageBytes == 0 {
		o.MaxMessageBytes = 64 << 20
	}
	if o.BufferBytes == 0 {
		o.BufferBytes = 512 << 20
	}
	if o.MessageTimeout == 0 {
		o.MessageTimeout = time.Minute
	}
	if o.StartupTimeout == 0 {
		o.StartupTimeout = 30 * time.Second
	}
	if o.DrainTimeout == 0 {
		o.DrainTimeout = 5 * time.Second
	}
	if o.Spill == nil {
		o.Spill = spill.NewSpace(0)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.ServerVersion == "" {
		o.ServerVersion = "15.18"
	}
	return o
}

// strangersMax is how many connections beside MaxConnections may be open that have
// not been authenticated, or only bring a CancelRequest. Where there are more, the
// oldest of the address that has most of them is closed: who opens connections
// and says nothing keeps nobody else out, and an administrator always comes in.
const strangersMax = 256

// killGrace is how long Shutdown waits for connections that it has cancelled.
const killGrace = 3 * time.Second

// ErrStuck is the error of a shutdown after which statements still run that have been
// cancelled: what they use cannot be closed, and the process has to end without.
var ErrStuck = errors.New("pgwire: connections are still running a cancelled statement")

// Server serves the Postgres wire protocol over a Handler.
type Server struct {
	handler Handler
	opt     Options

	// base is the context of all statements; kill cancels it.
	base context.Context
	kill context.CancelFunc

	mu        sync.Mutex
	draining  bool
	listeners map[net.Listener]struct{}
	conns     map[*conn]struct{} // every accepted connection
	sessions  map[uint32]*conn   // those that have started, by process id
	lastID    uint32
	accepted  uint64         // connections so far
	done      sync.WaitGroup // one per entry of conns
	failures  failures
	account   account // what clients are sending
	unread    account // what they are to read
}

// NewServer makes a server; Serve starts it.
func NewServer(h Handler, opt Options) *Server {
	base, kill := context.WithCancel(context.Background())
	opt = opt.withDefaults()
	return &Server{
		handler: h, opt: opt, base: base, kill: kill,
		account:   account{bytesMax: opt.BufferBytes, of: "from the client", hint: "Send less at a time, or send it again later."},
		unread:    account{bytesMax: opt.BufferBytes, of: "of rows that the client is to read", hint: "Other clients do not read theirs: try again later, or select less in a row."},
		listeners: map[net.Listener]struct{}{},
		conns:     map[*conn]struct{}{},
		sessions:  map[uint32]*conn{},
	}
}

// Serve accepts connections from l until ctx is done or Shutdown is called,
// and returns when all connections have ended. It closes l. The error is nil
// after a shutdown that cancelled nothing, that of Shutdown when statements had
// to be cancelled, and the listener's when accepting fails for good.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if !s.addListener(l) {
		return errors.Join(errors.New("pgwire: server is shut down"), l.Close())
	}
	var stopErr error
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		grace, cancel := context.WithTimeout(context.Background(), s.opt.DrainTimeout)
		defer cancel()
		stopErr = s.Shutdown(grace)
	})
	err := s.accept(l)
	if !stop() {
		<-stopped
		return errors.Join(err, stopErr)
	}
	s.done.Wait()
	return err
}

func (s *Server) addListener(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return false
	}
	s.listeners[l] = struct{}{}
	return true
}

// accept runs until the listener is closed. A passing failure, such as a lack
// of file descriptors, is logged and retried with growing pauses.
func (s *Server) accept(l net.Listener) error {
	const pauseMin, pauseMax = 5 * time.Millisecond, time.Second
	pause := pauseMin
	for {
		nc, err := l.Accept()
		switch {
		case err == nil:
			pause = pauseMin
			s.start(nc)
		case s.isDraining():
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("pgwire: accept: %w", err)
		default:
			if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
				s.mu.Lock()
				s.closeStranger()
				s.mu.Unlock()
			}
			s.opt.Logger.Warn("accept failed", "error", err, "retry_in", pause)
			time.Sleep(pause)
			pause = min(2*pause, pauseMax)
		}
	}
}

// start serves one connection on its own goroutine.
func (s *Server) start(nc net.Conn) {
	c := newConn(s, nc)
	s.mu.Lock()
	full := len(s.conns) >= s.opt.MaxConnections+strangersMax
	if s.draining || full && !s.closeStranger() {
		s.mu.Unlock()
		s.closeSocket(nc)
		return
	}
	s.accepted++
	c.number = s.accepted
	s.conns[c] = struct{}{}
	s.done.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.done.Done()
		defer s.remove(c)
		c.serve()
	}()
}

// closeStranger closes a connection that has not been authenticated, if there is one. It
// is called with mu held.
func (s *Server) closeStranger() bool {
	oldest, count := map[netip.Prefix]*conn{}, map[netip.Prefix]int{}
	var most netip.Prefix
	for c := range s.conns {
		if c.id != 0 { // it has been registered
			continue
		}
		from := origin(c.nc.RemoteAddr())
		if first := oldest[from]; first == nil || c.number < first.number {
			oldest[from] = c
		}
		if count[from]++; count[from] > count[most] {
			most = from
		}
	}
	victim := oldest[most]
	if victim == nil {
		return false
	}
	s.opt.Logger.Warn("too many connections are starting: one was closed", "remote", victim.nc.RemoteAddr())
	delete(s.conns, victim)
	s.closeSocket(victim.nc)
	return true
}

func (s *Server) closeSocket(nc net.Conn) {
	if err := nc.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		s.opt.Logger.Debug("close failed", "remote", nc.RemoteAddr(), "error", err)
	}
}

func (s *Server) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	delete(s.sessions, c.id)
}

func (s *Server) isDraining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

// register gives c a process id and a secret, unless there are too many sessions.
func (s *Server) register(c *conn, secretBytes int, admin bool) error {
	secret := make([]byte, secretBytes)
	rand.Read(secret) // never fails
	s.mu.Lock()
	defer s.mu.Unlock()
	switch free := s.opt.MaxConnections - len(s.sessions); {
	case free <= 0:
		return fatalf(sqlerr.TooManyConnections, "sorry, too many clients already")
	case free <= s.opt.ReservedConnections && !admin:
		return fatalf(sqlerr.TooManyConnections, "remaining connection slots are reserved for members of trireme_admin")
	}
	for taken := true; taken; {
		s.lastID = s.lastID%(1<<31-1) + 1 // clients take it for a positive int32
		_, taken = s.sessions[s.lastID]
	}
	c.id, c.secret = s.lastID, secret
	s.sessions[c.id] = c
	return nil
}

// cancel interrupts the statement of the connection named by id, if the secret
// is its own.
func (s *Server) cancel(id uint32, secret []byte) {
	s.mu.Lock()
	c := s.sessions[id]
	s.mu.Unlock()
	if c == nil || subtle.ConstantTimeCompare(c.secret, secret) != 1 {
		s.opt.Logger.Info("cancel request refused", "pid", id)
		return
	}
	c.interrupt()
}

// Shutdown stops accepting, ends idle connections with 57P01 and waits for the
// running statements of the others. When ctx is done it cancels those, and
// returns an error that wraps ctx's. Calling it again is allowed.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.draining = true
	for l := range s.listeners {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			s.opt.Logger.Warn("closing listener failed", "error", err)
		}
		delete(s.listeners, l)
	}
	for c := range s.conns {
		c.inbox.drain()
	}
	s.mu.Unlock()

	ended := make(chan struct{})
	go func() {
		s.done.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		s.kill()
		return nil
	case <-ctx.Done():
	}
	s.kill()
	s.mu.Lock()
	for c := range s.conns {
		c.interrupt()
		c.abandon(killGrace / 2)
	}
	s.mu.Unlock()
	select {
	case <-ended:
		return fmt.Errorf("pgwire: statements that had not finished in the time for it were canceled: %w", ctx.Err())
	case <-time.After(killGrace):
		return fmt.Errorf("%w: %w", ErrStuck, ctx.Err())
	}
}
