package pgwire

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// A session that does not stop holds up nobody but its client, who is told.
func TestConnectionIsGivenUp(t *testing.T) {
	ts := startServer(t, Options{})
	ctx := context.Background()
	other, c := ts.connect(t), ts.connect(t)
	give := ts.fake.lastOpen.Load().Abandon
	failed := make(chan error, 1)
	go func() {
		_, err := c.Exec(ctx, "stuck")
		failed <- err
	}()
	<-ts.fake.waiting
	give(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to statement timeout"))
	var pgErr *pgconn.PgError
	if err := <-failed; !errors.As(err, &pgErr) || pgErr.Code != sqlerr.QueryCanceled || pgErr.Severity != "FATAL" {
		t.Errorf("the client of what does not stop: %v", err)
	}
	if _, err := other.Exec(ctx, "rows 10"); err != nil {
		t.Errorf("another client: %v", err)
	}
	close(ts.fake.unstick)
	if !eventually(func() bool { return ts.fake.sessions.Load() == 1 }) {
		t.Error("the session was not closed when its statement had ended")
	}
}

// A shutdown does not wait for what does not stop.
func TestShutdownLeavesWhatIsStuck(t *testing.T) {
	ts := startServer(t, Options{})
	c := ts.connect(t)
	go func() { _, _ = c.Exec(context.Background(), "stuck") }() // its connection ends
	<-ts.fake.waiting
	now, cancel := context.WithCancel(context.Background())
	cancel()
	if err := ts.Shutdown(now); !errors.Is(err, ErrStuck) {
		t.Errorf("Shutdown: %v", err)
	}
	close(ts.fake.unstick)
}

// A client that does not read its rows does not keep its session.
func TestClientThatDoesNotReadIsEnded(t *testing.T) {
	for name, end := range map[string]func(p *StartupParams){
		"terminated": func(p *StartupParams) { p.Terminate() },
		"given up":   func(p *StartupParams) { p.Abandon(sqlerr.New(sqlerr.QueryCanceled, "timeout")) },
	} {
		ts := startServer(t, Options{})
		nc := ts.dial(t)
		write(t, nc, packet(protocolMajor<<16, "user\x00ann\x00\x00"))
		write(t, nc, frame('Q', "rows 100000000\x00"))
		if !eventually(func() bool { return ts.fake.cursors.Load() == 1 }) {
			t.Fatal("the statement does not run")
		}
		end(ts.fake.lastOpen.Load())
		if !eventually(func() bool { return ts.fake.sessions.Load() == 0 }) {
			t.Errorf("%s: the session is still there", name)
		}
	}
}

// Attempts that run at one time are counted like those that follow one another.
func TestFailuresAtOneTimeAreBounded(t *testing.T) {
	f, addr := &failures{}, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}
	var checked atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if !f.allowed(addr, 10) {
				return
			}
			_ = f.attempt(addr, 10, func() error { // refused, or failed
				checked.Add(1)
				return errPassword("ann")
			})
		})
	}
	all.Wait()
	if n := checked.Load(); n != 10 {
		t.Errorf("%d passwords were checked, want 10", n)
	}
}

// What has not been authenticated makes room for what comes later: first that of the
// address that has most of it.
func TestStrangersKeepNobodyOut(t *testing.T) {
	ts := startServer(t, Options{MaxConnections: 2})
	ctx := context.Background()
	old := ts.connect(t)
	var quiet net.Dialer
	quiet.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}
	first, err := quiet.DialContext(ctx, "tcp", ts.addr)
	if err != nil {
		t.Skipf("another address of this machine: %v", err)
	}
	defer first.Close()
	for range strangersMax + 10 {
		ts.dial(t)
	}
	if _, err := old.Exec(ctx, "rows 1"); err != nil {
		t.Errorf("a session: %v", err)
	}
	if _, err := ts.connect(t).Exec(ctx, "rows 1"); err != nil {
		t.Errorf("a new one: %v", err)
	}
	write(t, first, frame('X', "")) // no startup packet
	if got := answers(t, first); !strings.Contains(got, "ErrorResponse") {
		t.Errorf("the only connection of its address was closed: %s", got)
	}
}

// What a client may keep on its connection is bounded in bytes, too: by names, by the
// arguments of portals, by messages that wait behind an Execute.
func TestBytesOfAConnectionAreBounded(t *testing.T) {
	ts := startServer(t, Options{})
	ts.fake.results["ints"] = intsResult(1)
	d := ts.talk(t)
	defer d.nc.Close()
	long := strings.Repeat("n", nameBytesMax+1)
	d.send(&pgproto3.Parse{Name: long, Query: "values ints"}, &pgproto3.Sync{})
	if got := d.until("ReadyForQuery"); !strings.Contains(got, "54000") {
		t.Errorf("the name of a statement: %q", got)
	}
	d.send(&pgproto3.Parse{Name: "s", Query: "values ints"}, &pgproto3.Bind{PreparedStatement: "s", DestinationPortal: long}, &pgproto3.Sync{})
	if got := d.until("ReadyForQuery"); !strings.Contains(got, "54000") {
		t.Errorf("the name of a portal: %q", got)
	}
	messages := []pgproto3.FrontendMessage{&pgproto3.Bind{PreparedStatement: "s"}, &pgproto3.Execute{}}
	for range closesAhead {
		messages = append(messages, &pgproto3.Close{ObjectType: 'P', Name: long})
	}
	d.send(append(messages, &pgproto3.Sync{})...)
	if got := d.until("ReadyForQuery"); strings.Count(got, "CloseComplete") != closesAhead || !strings.Contains(got, "CommandComplete") {
		t.Errorf("many messages after Execute: %.200q", got)
	}
	c := &conn{portals: map[string]*portal{}}
	for _, step := range []struct {
		name  string
		bytes int
		held  bool
	}{{"a", 2 * portalArgBytes, true}, {"b", 1, false}, {"a", 3, true}, {"b", portalArgBytes - 3, true}, {"c", 1, false}, {"b", 5, true}, {"c", 1, true}} {
		p := &portal{name: step.name, argBytes: step.bytes}
		if err := c.admitPortal(p); (err == nil) != step.held {
			t.Errorf("portal %s with %d bytes: %v", step.name, step.bytes, err)
		} else if err == nil {
			c.portals[step.name] = p
		}
	}
}
