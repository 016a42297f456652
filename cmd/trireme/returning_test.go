package main

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/duckbackend"
)

// returningFrontend has sent a statement that returns more than fits in what lies between
// server and client, of which it has read the first row.
func returningFrontend(t *testing.T, address, sql string) (net.Conn, *pgproto3.Frontend, *pgproto3.BackendKeyData) {
	t.Helper()
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() }) // the test may have closed it
	if err := nc.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	fe := pgproto3.NewFrontend(nc, nc)
	fe.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "trireme"}})
	fe.Send(&pgproto3.Query{String: sql})
	if err := fe.Flush(); err != nil {
		t.Fatal(err)
	}
	key := &pgproto3.BackendKeyData{}
	for {
		msg, err := fe.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := msg.(type) {
		case *pgproto3.BackendKeyData:
			key.ProcessID, key.SecretKey = m.ProcessID, append([]byte(nil), m.SecretKey...)
		case *pgproto3.ErrorResponse:
			t.Fatal(m.Message)
		case *pgproto3.DataRow:
			return nc, fe, key
		}
	}
}

// endOf reads up to ReadyForQuery, and returns the code of the error among it.
func endOf(t *testing.T, fe *pgproto3.Frontend) (code, tag string) {
	t.Helper()
	for {
		msg, err := fe.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := msg.(type) {
		case *pgproto3.ErrorResponse:
			code = m.Code
		case *pgproto3.CommandComplete:
			tag = string(m.CommandTag)
		case *pgproto3.ReadyForQuery:
			return code, tag
		}
	}
}

// TestReturningOverTheWire: what writes and returns rows is undone where its client is told that
// it has failed, or leaves before it has all rows, and stays where the client has done with it.
func TestReturningOverTheWire(t *testing.T) {
	if !duckbackend.HoldsCommits {
		t.Skip("this DuckDB commits before the first row is read")
	}
	ctx := context.Background()
	address := serve(t)
	conn := connect(t, address)
	for _, sql := range []string{"CREATE TABLE u(k BIGINT PRIMARY KEY)", "INSERT INTO u SELECT -i FROM range(1, 101) r(i)"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	count := func(want int) {
		t.Helper()
		var n int
		if err := conn.QueryRow(ctx, "SELECT count(*) FROM u").Scan(&n); err != nil || n != want {
			t.Fatalf("%d rows, want %d, %v", n, want, err)
		}
	}
	const insert = "INSERT INTO u SELECT i FROM range(5000) r(i) RETURNING k, repeat('x', 10000)"

	_, fe, key := returningFrontend(t, address, insert)
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	cancel, err := (&pgproto3.CancelRequest{ProcessID: key.ProcessID, SecretKey: key.SecretKey}).Encode(nil)
	if err == nil {
		_, err = nc.Write(cancel)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nc.Read(make([]byte, 1)); err == nil { // it is closed when it has been done
		t.Error("an answer to a cancellation")
	}
	if code, tag := endOf(t, fe); code != "57014" || tag != "" {
		t.Errorf("cancelled: error %q, tag %q", code, tag)
	}
	count(100)
	fe.Send(&pgproto3.Query{String: "SELECT 1"}) // the session goes on
	if err := fe.Flush(); err != nil {
		t.Fatal(err)
	}
	if code, tag := endOf(t, fe); code != "" || tag != "SELECT 1" {
		t.Errorf("afterwards: error %q, tag %q", code, tag)
	}

	nc, _, key = returningFrontend(t, address, insert)
	if err := nc.Close(); err != nil {
		t.Fatal(err)
	}
	for {
		var n int
		if err := conn.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE pid = $1", key.ProcessID).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	count(100)

	// Who comes first has the key; the other's commit fails after its rows.
	_, fe, _ = returningFrontend(t, address, insert)
	if _, err := conn.Exec(ctx, "INSERT INTO u VALUES (4999)"); err != nil {
		t.Fatal(err)
	}
	if code, tag := endOf(t, fe); code != "23505" || tag != "" {
		t.Errorf("after a conflict: error %q, tag %q", code, tag)
	}
	count(101)

	_, fe, _ = returningFrontend(t, address, "DELETE FROM u WHERE k >= 0 RETURNING repeat('x', 10000)")
	if code, tag := endOf(t, fe); code != "" || tag != "DELETE 1" {
		t.Errorf("error %q, tag %q", code, tag)
	}
	count(100)
}

// TestSuspendedReturning: what writes is committed when its client has done with its rows, read
// or not, and an error of that is told.
func TestSuspendedReturning(t *testing.T) {
	ctx := context.Background()
	address := serve(t)
	conn, other := connect(t, address), connect(t, address)
	if _, err := conn.Exec(ctx, "CREATE TABLE u(k BIGINT)"); err != nil {
		t.Fatal(err)
	}
	fe := conn.PgConn().Frontend()
	for want, end := range []pgproto3.FrontendMessage{&pgproto3.Sync{}, &pgproto3.Close{ObjectType: 'P'}} {
		fe.Send(&pgproto3.Parse{Query: "INSERT INTO u SELECT i FROM range(5000) r(i) RETURNING k"})
		fe.Send(&pgproto3.Bind{})
		fe.Send(&pgproto3.Execute{MaxRows: 10})
		fe.Send(end)
		if want > 0 {
			fe.Send(&pgproto3.Sync{})
		}
		if err := fe.Flush(); err != nil {
			t.Fatal(err)
		}
		if code, tag := endOf(t, fe); code != "" || tag != "" {
			t.Errorf("error %q, tag %q", code, tag)
		}
		var n int
		if err := other.QueryRow(ctx, "SELECT count(*) FROM u", pgx.QueryExecModeSimpleProtocol).Scan(&n); err != nil || n != 5000*(want+1) {
			t.Errorf("%d rows, %v", n, err)
		}
	}
}
