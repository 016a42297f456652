package main

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/pgwire"
)

// A line of COPY without an end takes no more than what the server holds for its clients,
// and its end is the end of the statement alone.
func TestLinesOfCopyAreBounded(t *testing.T) {
	ctx := context.Background()
	e, err := engine.Open(ctx, engine.Config{Version: release})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() {
		served <- pgwire.NewServer(handler{engine: e}, pgwire.Options{BufferBytes: 1 << 20}).Serve(serving, l)
	}()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	conn := connect(t, l.Addr().String())
	if _, err := conn.Exec(ctx, "CREATE TABLE lines (v VARCHAR)"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // what the first one held is free again
		_, err := conn.PgConn().CopyFrom(ctx, strings.NewReader(strings.Repeat("x", 4<<20)+"\n"), "COPY lines FROM STDIN")
		wantCode(t, err, sqlerr.OutOfMemory)
		if tag, err := conn.PgConn().CopyFrom(ctx, strings.NewReader(strings.Repeat("x", 400<<10)+"\n"), "COPY lines FROM STDIN"); err != nil || tag.RowsAffected() != 1 {
			t.Errorf("a line that fits: %v, %v", tag, err)
		}
	}
}
