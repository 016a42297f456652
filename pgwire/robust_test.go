package pgwire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// frame makes a message from a type byte (0: a startup packet) and a body.
func frame(kind byte, body string) []byte {
	var out []byte
	if kind != 0 {
		out = append(out, kind)
	}
	out = binary.BigEndian.AppendUint32(out, uint32(len(body)+4))
	return append(out, body...)
}

func startupBody(version uint32, params ...string) string {
	body := binary.BigEndian.AppendUint32(nil, version)
	for _, p := range params {
		body = append(append(body, p...), 0)
	}
	return string(append(body, 0))
}

// answers reads messages until the server hangs up or is ready, and spells them.
func answers(t testing.TB, nc net.Conn) string {
	t.Helper()
	return answersOn(t, pgproto3.NewFrontend(nc, nc))
}

// answersOn reads from a frontend that may have bytes in its buffer.
func answersOn(t testing.TB, fe *pgproto3.Frontend) string {
	t.Helper()
	var out strings.Builder
	for {
		msg, err := fe.Receive()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("the server did not hang up: %v", err)
			}
			out.WriteString("closed\n")
			return out.String()
		}
		switch msg.(type) {
		case *pgproto3.AuthenticationOk, *pgproto3.ParameterStatus, *pgproto3.BackendKeyData:
			continue
		}
		out.WriteString(spell(msg) + "\n")
		if _, ok := msg.(*pgproto3.ReadyForQuery); ok {
			return out.String()
		}
	}
}

func write(t testing.TB, nc net.Conn, b []byte) {
	t.Helper()
	if _, err := nc.Write(b); err != nil {
		t.Fatal(err)
	}
}

func TestStartup(t *testing.T) {
	ts := startServer(t, Options{MaxConnections: 2})
	for name, c := range map[string]struct {
		packet []byte
		want   string
	}{
		"3.0":           {frame(0, startupBody(3<<16, "user", "u")), "ReadyForQuery I\n"},
		"nobody":        {frame(0, startupBody(3<<16)), "ReadyForQuery I\n"},
		"3.2":           {frame(0, startupBody(3<<16|2, "user", "u")), "ReadyForQuery I\n"},
		"3.9":           {frame(0, startupBody(3<<16|9, "user", "u")), "NegotiateProtocolVersion 3.2 []\nReadyForQuery I\n"},
		"option":        {frame(0, startupBody(3<<16, "_pq_.x", "1")), "NegotiateProtocolVersion 3.0 [\"_pq_.x\"]\nReadyForQuery I\n"},
		"2.0":           {frame(0, startupBody(2<<16)), "FATAL 0A000"},
		"replication":   {frame(0, startupBody(3<<16, "replication", "database")), "FATAL 0A000"},
		"no terminator": {frame(0, startupBody(3<<16, "user", "u")[:10]), "FATAL 08P01"},
		"no value":      {frame(0, startupBody(3<<16, "user")), "FATAL 08P01"},
		"huge":          {[]byte("GET / HTTP/1.1\r\n\r\n"), "FATAL 08P01"},
		"tiny":          {[]byte{0, 0, 0, 3}, "FATAL 08P01"},
		"bad cancel":    {frame(0, string([]byte{4, 210, 22, 46})), "FATAL 08P01"},
		"refused":       {frame(0, startupBody(3<<16, "database", "missing")), "FATAL 3D000"},
		"ssl, gss": {append(append(frame(0, "\x04\xd2\x16\x2f"), frame(0, "\x04\xd2\x16\x30")...),
			frame(0, startupBody(3<<16))...), "NN"},
	} {
		nc := ts.dial(t)
		write(t, nc, c.packet)
		var got string
		if c.want == "NN" {
			var two [2]byte
			if _, err := io.ReadFull(nc, two[:]); err != nil {
				t.Fatal(err)
			}
			got = string(two[:]) + answers(t, nc)
			c.want = "NNReadyForQuery I\n"
		} else {
			got = answers(t, nc)
		}
		if !strings.Contains(got, c.want) || strings.Contains(c.want, "FATAL") && !strings.HasSuffix(got, "closed\n") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		nc.Close()
		if !eventually(func() bool { return ts.fake.sessions.Load() == 0 }) {
			t.Fatalf("%s: the session is left open", name)
		}
	}
}

func TestStartupParameters(t *testing.T) {
	ts := startServer(t, Options{ServerVersion: "15.99"})
	ctx := context.Background()
	cfg := must(pgx.ParseConfig(ts.url() + "&application_name=me&options=-c%20Statement_timeout%3D5s%20--search-path%3Da%5C%20b"))
	c, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	p := ts.fake.lastOpen.Load()
	if p.User != "u" || p.Database != "d" || p.Options["application_name"] != "me" ||
		p.Options["statement_timeout"] != "5s" || p.Options["search_path"] != "a b" || p.Remote == "" {
		t.Errorf("startup %+v", p)
	}
	for name, want := range map[string]string{
		"server_version": "15.99", "client_encoding": "UTF8", "integer_datetimes": "on", "TimeZone": "UTC",
		"standard_conforming_strings": "on", "DateStyle": "ISO, MDY", "application_name": "me",
	} {
		if got := c.PgConn().ParameterStatus(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestTooManyConnections(t *testing.T) {
	ts := startServer(t, Options{MaxConnections: 1})
	ctx := context.Background()
	first := ts.connect(t)
	_, err := pgx.Connect(ctx, ts.url())
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != sqlerr.TooManyConnections {
		t.Errorf("second connection: %v", err)
	}
	if err := first.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool {
		c, err := pgx.Connect(ctx, ts.url())
		if err == nil {
			err = c.Close(ctx)
		}
		return err == nil
	}) {
		t.Error("the place of a closed connection is not free again")
	}
}

func TestStartupTimeout(t *testing.T) {
	ts := startServer(t, Options{StartupTimeout: 10 * time.Millisecond})
	nc := ts.dial(t)
	write(t, nc, []byte{0, 0})
	if got := answers(t, nc); !strings.Contains(got, "startup timed out") {
		t.Errorf("got %q", got)
	}
}

// TestBadMessages: each ends its own connection with a clear error, and no other.
func TestBadMessages(t *testing.T) {
	ts := startServer(t, Options{MaxMessageBytes: 1000})
	other := ts.talk(t)
	for name, packet := range map[string][]byte{
		"unknown type":         frame('z', ""),
		"negative length":      {'Q', 0xff, 0xff, 0xff, 0xff},
		"length below four":    {'Q', 0, 0, 0, 3},
		"oversized":            {'Q', 0x7f, 0xff, 0xff, 0xff},
		"query without end":    frame('Q', "rows 1"),
		"parse without end":    frame('P', "name"),
		"bind cut short":       frame('B', "\x00\x00\x00\x01"),
		"bind short parameter": frame('B', "\x00\x00\x00\x00\x00\x01\x00\x00\x00\x09x"),
		"describe nothing":     frame('D', "X\x00"),
		"close nothing":        frame('C', "X\x00"),
		"password":             frame('p', "secret\x00"),
	} {
		d := ts.talk(t)
		write(t, d.nc, packet)
		got := answers(t, d.nc)
		if !strings.HasPrefix(got, "ErrorResponse FATAL 08P01") || !strings.HasSuffix(got, "closed\n") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := other.query("rows 1"); !strings.HasSuffix(got, "ReadyForQuery I\n") {
		t.Errorf("another session: %q", got)
	}
	if got := other.query("rows \xff"); !strings.Contains(got, "22021") {
		t.Errorf("invalid UTF-8: %q", got)
	}
	other.nc.Close()
}

// TestOversizedIsHeard: a client that is still sending hears why it is cut off.
func TestOversizedIsHeard(t *testing.T) {
	ts := startServer(t, Options{MaxMessageBytes: 1000})
	d := ts.talk(t)
	write(t, d.nc, frame('Q', strings.Repeat("x", 20<<20)))
	if got := answers(t, d.nc); !strings.HasPrefix(got, "ErrorResponse FATAL 08P01") {
		t.Errorf("got %q", got)
	}
	d.nc.Close()
}

// TestWideResult: more columns than a message can announce are an error.
func TestWideResult(t *testing.T) {
	ts := startServer(t, Options{})
	ts.fake.results["wide"] = fakeResult{cols: make([]rows.Column, columnsMax+1)}
	d := ts.talk(t)
	defer d.nc.Close()
	if got := d.query("values wide"); !strings.Contains(got, "54000") {
		t.Errorf("simple: %q", got)
	}
	d.send(&pgproto3.Parse{Query: "values wide"}, &pgproto3.Sync{})
	if got := d.until("ReadyForQuery"); !strings.Contains(got, "54000") {
		t.Errorf("extended: %q", got)
	}
}

// TestChangedResult: a result that is not what Describe said is an error.
func TestChangedResult(t *testing.T) {
	ts := startServer(t, Options{})
	ts.fake.results["ints"] = intsResult(1)
	d := ts.talk(t)
	defer d.nc.Close()
	d.send(&pgproto3.Parse{Query: "values ints"}, &pgproto3.Sync{})
	d.until("ReadyForQuery")
	ts.fake.results["ints"] = oneOfEach()
	d.send(&pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Sync{})
	if got := d.until("ReadyForQuery"); !strings.Contains(got, "0A000") || strings.Contains(got, "DataRow") {
		t.Errorf("got %q", got)
	}
}

func TestPanic(t *testing.T) {
	var log bytes.Buffer
	ts := startServer(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	other := ts.talk(t)
	d := ts.talk(t)
	d.send(&pgproto3.Query{String: "panic"})
	if got := answers(t, d.nc); got != "ErrorResponse FATAL XX000 \"fake: asked to panic\"\nclosed\n" {
		t.Errorf("got %q", got)
	}
	if got := other.query("rows 1"); !strings.HasSuffix(got, "ReadyForQuery I\n") {
		t.Errorf("another session: %q", got)
	}
	other.nc.Close()
	if !eventually(func() bool { return ts.fake.sessions.Load() == 0 }) || !strings.Contains(log.String(), "panic in a session") {
		t.Errorf("log: %s", log.String())
	}
}

// TestCancel interrupts a statement that blocks, at once and after rows, from
// pgx and with psql's protocol.
func TestCancel(t *testing.T) {
	ts := startServer(t, Options{})
	ctx := context.Background()
	c := ts.connect(t)
	for _, sql := range []string{"wait", "waitafter 5000"} {
		for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeCacheStatement} {
			go func() {
				<-ts.fake.waiting
				if err := c.PgConn().CancelRequest(ctx); err != nil {
					t.Error(err)
				}
			}()
			_, err := c.Exec(ctx, sql, mode)
			var pgErr *pgconn.PgError
			if !errors.As(err, &pgErr) || pgErr.Code != "57014" || pgErr.Message != "canceling statement due to user request" {
				t.Errorf("%s: %v", sql, err)
			}
			if tag, err := c.Exec(ctx, "count 1 UPDATE"); err != nil || tag.RowsAffected() != 1 {
				t.Errorf("after the cancel: %v %v", tag, err)
			}
		}
	}
	// An idle session is not harmed: its next statement runs.
	if err := c.PgConn().CancelRequest(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(ctx, "rows 10"); err != nil {
		t.Errorf("after cancelling nothing: %v", err)
	}
}

// TestCancelNeedsSecret sends wrong requests, then the right one.
func TestCancelNeedsSecret(t *testing.T) {
	ts := startServer(t, Options{})
	nc := ts.dial(t)
	write(t, nc, frame(0, startupBody(3<<16|2)))
	d := &dialogue{t: t, nc: nc, fe: pgproto3.NewFrontend(nc, nc)}
	var key pgproto3.BackendKeyData
	for ready := false; !ready; {
		msg, err := d.fe.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := msg.(type) {
		case *pgproto3.BackendKeyData:
			key = pgproto3.BackendKeyData{ProcessID: m.ProcessID, SecretKey: bytes.Clone(m.SecretKey)}
		case *pgproto3.ReadyForQuery:
			ready = true
		}
	}
	if len(key.SecretKey) != secretBytes32 {
		t.Errorf("protocol 3.2 has a secret of %d bytes", len(key.SecretKey))
	}
	d.send(&pgproto3.Query{String: "wait"})
	<-ts.fake.waiting
	request := func(pid uint32, secret []byte) {
		packet, err := (&pgproto3.CancelRequest{ProcessID: pid, SecretKey: secret}).Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		nc := ts.dial(t)
		write(t, nc, packet)
		if rest, err := io.ReadAll(nc); err != nil || len(rest) > 0 { // answered by closing
			t.Errorf("cancel request: %q %v", rest, err)
		}
	}
	wrong := bytes.Clone(key.SecretKey)
	wrong[0] ^= 1
	request(key.ProcessID, wrong)
	request(key.ProcessID, key.SecretKey[:4])
	request(key.ProcessID+1, key.SecretKey)
	ts.mu.Lock()
	running := ts.sessions[key.ProcessID]
	ts.mu.Unlock()
	if running.wasCanceled() {
		t.Error("a request with a wrong secret has cancelled the statement")
	}
	request(key.ProcessID, key.SecretKey)
	if got := d.until("ReadyForQuery"); !strings.Contains(got, "57014") {
		t.Errorf("got %q", got)
	}
	d.nc.Close()
}

// TestVanishingClient: a client that goes away frees its session, whether its
// statement blocks, produces rows, or waits for the client.
func TestVanishingClient(t *testing.T) {
	ts := startServer(t, Options{})
	for _, sql := range []string{"wait", "waitafter 10", "rows 100000000", "begin"} {
		d := ts.talk(t)
		d.send(&pgproto3.Query{String: sql})
		if strings.HasPrefix(sql, "wait") {
			<-ts.fake.waiting
		}
		d.nc.Close()
		if !eventually(func() bool { return ts.fake.sessions.Load() == 0 }) {
			t.Fatalf("%s: the session lives on", sql)
		}
	}
	d := ts.talk(t) // in the middle of a message
	write(t, d.nc, []byte{'Q', 0, 0, 1, 0, 'x'})
	d.nc.Close()
	if !eventually(func() bool { return ts.fake.sessions.Load() == 0 }) {
		t.Fatal("half a message: the session lives on")
	}
}

// TestWatch: bytes that arrive while a statement runs are kept; the end of the
// stream is noticed; a watch that is stopped leaves reading as it was.
func TestWatch(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	in := newInbox(server)
	gone := make(chan struct{})
	stop := in.watch(func() { close(gone) })
	write(t, client, []byte{'a'}) // returns when the watch has read it
	stop()
	buf := make([]byte, 1)
	if _, err := in.Read(buf); err != nil || buf[0] != 'a' {
		t.Errorf("after a watch: %q %v", buf, err)
	}
	in.watch(func() { close(gone) })() // stopped before it begins
	stop = in.watch(func() { close(gone) })
	client.Close()
	<-gone
	stop()
	if _, err := in.Read(buf); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}

// TestWatchDuringDrain: a watch that ends leaves the drain in force.
func TestWatchDuringDrain(t *testing.T) {
	client, server := net.Pipe()
	defer server.Close()
	tooLate := time.AfterFunc(patience, func() { client.Close() })
	defer tooLate.Stop()
	in := newInbox(server)
	stop := in.watch(func() { t.Error("the client is still there") })
	write(t, client, []byte{'a'})
	in.drain()
	stop()
	buf := make([]byte, 1)
	if _, err := in.Read(buf); err != nil {
		t.Errorf("what has arrived is lost: %v", err)
	}
	if _, err := in.Read(buf); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("reading goes on: %v", err)
	}
}

// TestShutdown: idle sessions end at once with 57P01, a running statement ends
// first and gets its answer.
func TestShutdown(t *testing.T) {
	ts := startServer(t, Options{})
	idle, busy := ts.talk(t), ts.talk(t)
	busy.send(&pgproto3.Query{String: "wait"})
	<-ts.fake.waiting
	var running *conn
	ts.mu.Lock()
	for c := range ts.conns {
		c.running.mu.Lock()
		if c.running.cancel != nil {
			running = c
		}
		c.running.mu.Unlock()
	}
	ts.mu.Unlock()
	done := make(chan error, 1)
	go func() { done <- ts.Shutdown(context.Background()) }()
	const bye = "ErrorResponse FATAL 57P01 \"terminating connection due to administrator command\"\nclosed\n"
	if got := answers(t, idle.nc); got != bye {
		t.Errorf("idle: %q", got)
	}
	if _, err := net.Dial("tcp", ts.addr); err == nil {
		t.Error("a connection is accepted during the shutdown")
	}
	select {
	case err := <-done:
		t.Fatalf("Shutdown returned while a statement ran: %v", err)
	default:
	}
	running.interrupt()
	if got := busy.until("ReadyForQuery"); !strings.Contains(got, "57014") {
		t.Errorf("busy: %q", got)
	}
	if got := answersOn(t, busy.fe); got != bye {
		t.Errorf("busy, then idle: %q", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestShutdownCancels: when its context ends, statements are cancelled.
func TestShutdownCancels(t *testing.T) {
	ts := startServer(t, Options{})
	d := ts.talk(t)
	d.send(&pgproto3.Query{String: "wait"})
	<-ts.fake.waiting
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := ts.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown: %v", err)
	}
	if got := answers(t, d.nc); !strings.Contains(got, "57P01") && !strings.Contains(got, "57014") {
		t.Errorf("got %q", got)
	}
}

func TestTextOfErrors(t *testing.T) {
	e := errorResponse(&statementError{sqlerr.At("42601", 3, "a\x00b"), "é select", 0}, severityError, false)
	if e.Position != 3 || e.Message != `a\0b` || e.Code != "42601" {
		t.Errorf("%+v", e)
	}
	for _, c := range []struct {
		err      error
		canceled bool
		code     string
	}{
		{context.Canceled, true, "57014"},
		{context.Canceled, false, "57P01"},
		{context.DeadlineExceeded, false, "57014"},
		{errors.New("x"), false, "XX000"},
		{sqlerr.New("22012", "x"), true, "22012"},
	} {
		if got := errorResponse(c.err, severityError, c.canceled).Code; got != c.code {
			t.Errorf("%v: %s, want %s", c.err, got, c.code)
		}
	}
}
