package pgwire

import (
	"encoding/binary"
	"errors"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// messageHead is a message's type and its length, which does not count the type.
const messageHead = 5

// messageRate, in bytes a second, is how fast a long message has to come beside
// Options.MessageTimeout.
const messageRate = 256 << 10

// messages reads an inbox message by message: no read goes beyond the end of one. The body
// of a message is claimed before there is a buffer for it, until the next message is asked
// for, and a message that has begun has to end in time.
type messages struct {
	inbox   *inbox
	claim   claim
	bodyMax int
	timeout time.Duration
	// rest is how many bytes of the message at hand have not been read.
	rest int
}

// Read implements io.Reader.
func (m *messages) Read(p []byte) (int, error) {
	if m.rest == 0 {
		if err := m.begin(); err != nil {
			return 0, m.inbox.fails(err)
		}
	}
	n, err := m.inbox.Read(p[:min(len(p), m.rest)])
	m.rest -= n
	if m.rest == 0 {
		m.inbox.limitMessage(0)
	}
	return n, err
}

// forget drops what a message holds, when it has been answered: what decodes messages keeps each
// until the next one of its kind, which a client that rests does not send.
func forget(msg pgproto3.FrontendMessage) {
	switch m := msg.(type) {
	case *pgproto3.Query:
		*m = pgproto3.Query{}
	case *pgproto3.Parse:
		*m = pgproto3.Parse{}
	case *pgproto3.Bind:
		*m = pgproto3.Bind{}
	case *pgproto3.CopyData:
		*m = pgproto3.CopyData{}
	case *pgproto3.CopyFail:
		*m = pgproto3.CopyFail{}
	}
}

// begin waits for a message and claims its body.
func (m *messages) begin() error {
	m.claim.free()
	br := m.inbox.br
	if _, err := br.Peek(1); err != nil {
		return err
	}
	if br.Buffered() < messageHead {
		m.inbox.limitMessage(m.timeout)
	}
	head, err := br.Peek(messageHead)
	if err != nil {
		return err
	}
	// What has no length, or too much of it, is refused by who reads it.
	body := max(int(int32(binary.BigEndian.Uint32(head[1:])))-(messageHead-1), 0)
	if body > m.bodyMax {
		body = 0
	}
	if err := m.claim.set(body); err != nil {
		return &fatalError{sqlerr.From(err)}
	}
	m.rest = messageHead + body
	if br.Buffered() < m.rest {
		m.inbox.limitMessage(m.timeout + time.Duration(body/messageRate)*time.Second)
	}
	return nil
}

// fails remembers an error that ends reading.
func (in *inbox) fails(err error) error {
	in.failed = err
	return err
}

// limitMessage bounds the time until the message that has begun is complete; zero: it is.
func (in *inbox) limitMessage(d time.Duration) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if d == 0 && in.message.IsZero() {
		return
	}
	in.message = time.Time{}
	if d > 0 {
		in.message = time.Now().Add(d)
	}
	in.arm()
}

// isLate reports whether err is that a message took too long.
func (in *inbox) isLate(err error) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return errors.Is(err, os.ErrDeadlineExceeded) && !in.draining && !in.interrupted && !in.message.IsZero() && !time.Now().Before(in.message)
}
