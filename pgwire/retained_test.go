package pgwire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/rows"
)

// written is a connection that notes how long each write is, and fails after some.
type written struct {
	net.Conn
	writes []int
	most   int
}

func (w *written) Write(p []byte) (int, error) {
	if len(w.writes) == w.most {
		return 0, errors.New("the client has gone")
	}
	w.writes = append(w.writes, len(p))
	return len(p), nil
}

// However many messages wait for a flush, they are sent when they have as many bytes as a batch
// of rows; and nothing is kept for a client that cannot be sent anything.
func TestOutputIsBounded(t *testing.T) {
	ts := startServer(t, Options{})
	nc := &written{Conn: ts.dial(t), most: 10}
	c := newConn(ts.Server, nc)
	message := &pgproto3.NoticeResponse{Message: strings.Repeat("n", 1000)}
	for range 1000 {
		c.send(message)
		if len(c.out) > flushBytes+2000 {
			t.Fatalf("%d bytes wait to be sent", len(c.out))
		}
	}
	for _, n := range nc.writes {
		if n < flushBytes || n > flushBytes+2000 {
			t.Errorf("%d bytes were written at once", n)
		}
	}
	if broken := (*brokenError)(nil); !errors.As(c.lost, &broken) {
		t.Errorf("after a write that failed: %v", c.lost)
	}
	if err := c.flush(); err == nil || len(c.out) > 0 {
		t.Errorf("what cannot be sent: %v, %d bytes", err, len(c.out))
	}
}

// A client may send many messages before it reads an answer, as long as it reads.
func TestManyDescribesAreAnswered(t *testing.T) {
	ts := startServer(t, Options{})
	nc := ts.dial(t)
	write(t, nc, packet(protocolMajor<<16, "user\x00ann\x00\x00"))
	const n = 20_000
	sent := make(chan error, 1)
	go func() {
		_, err := nc.Write([]byte(string(frame('P', "q\x00rows 1\x00\x00\x00")) + strings.Repeat(string(frame('D', "Sq\x00")), n) + string(frame('S', ""))))
		sent <- err
	}()
	fe := pgproto3.NewFrontend(nc, nc)
	described := 0
	for ready := 0; ready < 2; {
		msg, err := fe.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch msg.(type) {
		case *pgproto3.RowDescription:
			described++
		case *pgproto3.ReadyForQuery:
			ready++
		}
	}
	if err := <-sent; err != nil || described != n {
		t.Errorf("%d of %d were answered: %v", described, n, err)
	}
}

// What has been answered is not kept until a message of the same kind comes.
func TestAnsweredMessagesAreForgotten(t *testing.T) {
	for _, msg := range []pgproto3.FrontendMessage{
		&pgproto3.Query{String: "x"}, &pgproto3.Parse{Query: "x", ParameterOIDs: []uint32{1}}, &pgproto3.Bind{Parameters: [][]byte{{1}}},
		&pgproto3.CopyData{Data: []byte("x")}, &pgproto3.CopyFail{Message: "x"},
	} {
		if forget(msg); !reflect.ValueOf(msg).Elem().IsZero() {
			t.Errorf("%T holds %v", msg, msg)
		}
	}
}

// Statements and portals are counted with their columns and parameters: a short text may have many.
func TestWideStatementsAreBounded(t *testing.T) {
	ts := startServer(t, Options{})
	cols := make([]rows.Column, 30_000)
	for i := range cols {
		cols[i] = rows.Column{Name: fmt.Sprint("c", i), Type: rows.Type{ID: rows.Integer}}
	}
	ts.fake.results["wide"] = fakeResult{cols: cols}
	ctx := context.Background()
	c := ts.connect(t).PgConn()
	var failed *pgconn.PgError
	prepared := 0
	for ; prepared < 100 && failed == nil; prepared++ {
		if _, err := c.Prepare(ctx, fmt.Sprint("p", prepared), "values wide", nil); err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
	}
	if failed == nil || failed.Code != codeLimitExceeded || prepared > 20 {
		t.Errorf("after %d wide statements: %v", prepared, failed)
	}
	for i := range prepared {
		if err := c.Deallocate(ctx, fmt.Sprint("p", i)); err != nil {
			t.Fatal(err)
		}
	}
	if held := ts.account.held.Load(); held != 0 {
		t.Errorf("%d bytes are held of statements that are closed", held)
	}
}
