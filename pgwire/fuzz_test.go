package pgwire

import (
	"context"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// memoryConn is a client that has sent all it has to say and left: what it has not
// said is the end of the stream, and it takes all that it is sent. It needs neither a
// goroutine nor a system call.
type memoryConn struct{ in []byte }

// Read reads what the client has sent.
func (m *memoryConn) Read(p []byte) (int, error) {
	if len(m.in) == 0 {
		return 0, io.EOF
	}
	n := copy(p, m.in)
	m.in = m.in[n:]
	return n, nil
}

func (*memoryConn) Write(p []byte) (int, error)      { return len(p), nil }
func (*memoryConn) Close() error                     { return nil }
func (*memoryConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*memoryConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*memoryConn) SetDeadline(time.Time) error      { return nil }
func (*memoryConn) SetReadDeadline(time.Time) error  { return nil }
func (*memoryConn) SetWriteDeadline(time.Time) error { return nil }

// FuzzReceive sends arbitrary bytes, after a startup packet or as one. Whatever
// they are, the connection ends when the client hangs up, and all that was
// opened for it is closed.
func FuzzReceive(f *testing.F) {
	for _, msgs := range [][]pgproto3.FrontendMessage{
		{&pgproto3.Query{String: "rows 1; count 1 DELETE"}, &pgproto3.Terminate{}},
		{
			&pgproto3.Parse{Name: "s", Query: "echo int8", ParameterOIDs: []uint32{20}},
			&pgproto3.Bind{PreparedStatement: "s", ParameterFormatCodes: []int16{1}, Parameters: [][]byte{{0, 0, 0, 0, 0, 0, 0, 1}}},
			&pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{MaxRows: 1}, &pgproto3.Sync{},
		},
		{
			&pgproto3.Parse{Query: "rows 9"}, &pgproto3.Bind{DestinationPortal: "p"}, &pgproto3.Execute{Portal: "p", MaxRows: 3},
			&pgproto3.Flush{}, &pgproto3.Close{ObjectType: 'P', Name: "p"}, &pgproto3.Sync{},
		},
		{&pgproto3.FunctionCall{}, &pgproto3.CopyData{}, &pgproto3.Query{String: "wait"}},
	} {
		var data []byte
		for _, m := range msgs {
			var err error
			if data, err = m.Encode(data); err != nil {
				f.Fatal(err)
			}
		}
		f.Add(true, data)
	}
	f.Add(false, frame(0, startupBody(3<<16|1, "user", "u", "options", "-c a=b")))
	f.Add(false, frame(0, "\x04\xd2\x16\x2f"))
	f.Add(false, frame(0, "\x04\xd2\x16\x2e\x00\x00\x00\x01\x00\x00\x00\x02"))
	f.Add(true, []byte{'Q', 0, 0, 0, 3})

	n := newNeverMind(f)
	f.Fuzz(n.receive)
}

// neverMind is a server whose clients say anything and hear nothing.
type neverMind struct {
	fake *fakeHandler
	srv  *Server
}

func newNeverMind(tb testing.TB) *neverMind {
	n := &neverMind{fake: newFake()}
	n.fake.brief = true
	n.srv = NewServer(n.fake, Options{MaxMessageBytes: 1 << 16, Logger: slog.New(slog.DiscardHandler)})
	tb.Cleanup(func() {
		if err := n.srv.Shutdown(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return n
}

// receive takes what a client says, after a startup packet or as one.
func (n *neverMind) receive(t *testing.T, started bool, data []byte) {
	if started {
		data = append(frame(0, startupBody(3<<16)), data...)
	}
	c := newConn(n.srv, &memoryConn{in: data})
	c.serve()
	n.srv.remove(c)
	if open := n.fake.sessions.Load() + n.fake.cursors.Load() + n.fake.stmts.Load(); open != 0 {
		t.Errorf("%d things are left open after %q", open, data)
	}
}
