package pgwire

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// inbox is the reading side of a connection: its deadlines, and the watch for a
// client that leaves while its statement runs.
type inbox struct {
	nc net.Conn
	br *bufio.Reader
	// half ends the sending side; nc, or the TLS connection over it.
	half any
	// failed is the error that ended reading.
	failed error

	mu          sync.Mutex
	draining    bool // reads that would block fail at once
	interrupted bool // so do they until interruptWatch(false)
	// limit and message are when reads fail otherwise; zero: never.
	limit, message time.Time
}

// watchDelay is how long a statement runs before its client is watched; shorter
// ones are not worth a goroutine.
const watchDelay = 20 * time.Millisecond

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// inboxBytes is how much is read from a client ahead of what is asked for.
const inboxBytes = 8 << 10

func newInbox(nc net.Conn) *inbox {
	return &inbox{nc: nc, br: bufio.NewReaderSize(nc, inboxBytes), half: nc}
}

// secure makes what is read from now on that of a TLS connection over nc.
func (in *inbox) secure(nc net.Conn) {
	in.br, in.half = bufio.NewReaderSize(nc, inboxBytes), nc
}

// peek returns the next byte and leaves it.
func (in *inbox) peek() (byte, error) {
	b, err := in.br.Peek(1)
	if err != nil {
		return 0, in.fails(err)
	}
	return b[0], nil
}

// Read implements io.Reader and remembers a failure.
func (in *inbox) Read(p []byte) (int, error) {
	n, err := in.br.Read(p)
	if err != nil {
		in.failed = err
	}
	return n, err
}

// drain makes the next read that finds nothing fail with os.ErrDeadlineExceeded,
// also one that waits at present.
func (in *inbox) drain() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.draining = true
	in.arm()
}

func (in *inbox) isDraining() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.draining
}

// arm sets the deadline that holds now; it is called with mu held.
func (in *inbox) arm() {
	switch {
	case in.draining || in.interrupted:
		in.setDeadline(longAgo)
	case in.limit.IsZero() || !in.message.IsZero() && in.message.Before(in.limit):
		in.setDeadline(in.message)
	default:
		in.setDeadline(in.limit)
	}
}

// setDeadline is called with mu held. It can only fail on a closed socket, which
// the next read reports.
func (in *inbox) setDeadline(t time.Time) { _ = in.nc.SetReadDeadline(t) }

// limitReading bounds the time of the handshake, or until the next message; zero lifts
// the bound.
func (in *inbox) limitReading(d time.Duration) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.limit = time.Time{}
	if d != 0 {
		in.limit = time.Now().Add(d)
	}
	in.arm()
}

// watch calls gone when the client closes its side before stop is called. Until
// then nobody else may read. Once the client sends something the watch is over:
// bytes not yet read hide the end of the stream.
func (in *inbox) watch(gone func()) (stop func()) {
	ended := make(chan struct{})
	timer := time.AfterFunc(watchDelay, func() {
		defer close(ended)
		if _, err := in.br.Peek(1); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			gone()
		}
	})
	return func() {
		if timer.Stop() {
			return
		}
		in.interruptWatch(true)
		<-ended
		in.interruptWatch(false)
	}
}

// lingerTime and lingerBytes bound what a client may still send after its
// connection has failed.
const (
	lingerTime  = time.Second
	lingerBytes = 256 << 20
)

// linger ends the sending side and reads what the client is still sending. To
// close a socket with bytes unread would reset it, and the client would see that
// in place of the error it was sent.
func (in *inbox) linger() {
	half, ok := in.half.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return // the client is gone
	}
	in.mu.Lock()
	in.setDeadline(time.Now().Add(lingerTime))
	in.mu.Unlock()
	// The end, by whatever error, is that there is nothing left to wait for.
	_, _ = io.CopyN(io.Discard, in.br, lingerBytes)
}

// interruptWatch makes reads fail at once until it is called with false.
func (in *inbox) interruptWatch(on bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.interrupted = on
	in.arm()
}
