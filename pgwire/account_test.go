package pgwire

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/rows"
)

// A body's bytes are claimed from what the server holds for all clients before they have
// come, and given up when the message has been answered.
func TestLongMessagesShareAnAccount(t *testing.T) {
	ts := startServer(t, Options{BufferBytes: 1 << 20})
	slow, fast := ts.talk(t), ts.talk(t)
	text := "rows 1" + strings.Repeat(" ", 700<<10) + "\x00"
	message := frame('Q', text)
	write(t, slow.nc, message[:1000])
	if !eventually(func() bool { return ts.account.held.Load() == int64(len(text)) }) {
		t.Fatalf("%d bytes are held for a message of %d", ts.account.held.Load(), len(text))
	}
	if got := fast.query("rows 1"); !strings.Contains(got, "CommandComplete") {
		t.Errorf("a short message: %q", got)
	}
	write(t, fast.nc, frame('Q', text))
	if got := answersOn(t, fast.fe); !strings.Contains(got, "ErrorResponse FATAL 53200") {
		t.Errorf("a second long message: %q", got)
	}
	write(t, slow.nc, message[1000:])
	if got := slow.until("ReadyForQuery"); !strings.Contains(got, "CommandComplete") {
		t.Errorf("the first one: %q", got)
	}
	if !eventually(func() bool { return ts.account.held.Load() == 0 }) {
		t.Errorf("%d bytes are held for nothing", ts.account.held.Load())
	}
}

// The arguments of a portal are claimed as long as it is open.
func TestArgumentsShareTheAccount(t *testing.T) {
	ts := startServer(t, Options{BufferBytes: 2 << 20})
	d, other := ts.talk(t), ts.talk(t)
	arg := []byte(strings.Repeat("x", 700<<10))
	bind := &pgproto3.Bind{PreparedStatement: "s", DestinationPortal: "p", Parameters: [][]byte{arg}}
	d.send(&pgproto3.Query{String: "begin"})
	d.until("ReadyForQuery")
	d.send(&pgproto3.Parse{Name: "s", Query: "echo varchar"}, bind, &pgproto3.Sync{})
	if got := d.until("ReadyForQuery"); !strings.Contains(got, "BindComplete") {
		t.Fatalf("the first portal: %q", got)
	}
	if !eventually(func() bool { return ts.account.held.Load() == int64(len(arg)+portalArgumentBytes+portalColumnBytes) }) {
		t.Errorf("%d bytes are held for an argument of %d", ts.account.held.Load(), len(arg))
	}
	bind.DestinationPortal = "q"
	other.send(&pgproto3.Parse{Name: "s", Query: "echo varchar"}, bind, &pgproto3.Sync{})
	if got := other.until("ReadyForQuery"); !strings.Contains(got, "ErrorResponse ERROR 53200") {
		t.Errorf("a portal of which the arguments have no room beside the message: %q", got)
	}
	d.send(&pgproto3.Query{String: "rollback"})
	d.until("ReadyForQuery")
	if !eventually(func() bool { return ts.account.held.Load() == 0 }) {
		t.Errorf("%d bytes are held for nothing", ts.account.held.Load())
	}
}

// The texts of prepared statements are claimed as long as these are there.
func TestStatementsShareTheAccount(t *testing.T) {
	ts := startServer(t, Options{BufferBytes: 2 << 20})
	d, other := ts.talk(t), ts.talk(t)
	parse := &pgproto3.Parse{Name: "s", Query: "rows 1" + strings.Repeat(" ", 700<<10)}
	d.send(parse, &pgproto3.Sync{})
	if got := d.until("ReadyForQuery"); !strings.Contains(got, "ParseComplete") {
		t.Fatalf("the first statement: %q", got)
	}
	const columns = 2*statementColumnBytes + len("i") + len("s")
	if !eventually(func() bool { return ts.account.held.Load() == int64(len(parse.Query)+columns) }) {
		t.Errorf("%d bytes are held for a text of %d", ts.account.held.Load(), len(parse.Query))
	}
	other.send(parse, &pgproto3.Sync{})
	if got := other.until("ReadyForQuery"); !strings.Contains(got, "ErrorResponse ERROR 53200") {
		t.Errorf("a statement of which the text has no room beside the message: %q", got)
	}
	d.send(&pgproto3.Close{ObjectType: 'S', Name: "s"}, &pgproto3.Sync{})
	if got := d.until("ReadyForQuery"); !strings.Contains(got, "CloseComplete") {
		t.Errorf("Close: %q", got)
	}
	if !eventually(func() bool { return ts.account.held.Load() == 0 }) {
		t.Errorf("%d bytes are held for nothing", ts.account.held.Load())
	}
}

// Texts of less than a share count together.
func TestShortStatementsShareTheAccount(t *testing.T) {
	const max, text = 1 << 20, 59 << 10 // and what its columns take
	ts := startServer(t, Options{BufferBytes: max})
	d := ts.talk(t)
	prepared := 0
	for ; prepared < max/text+1; prepared++ {
		d.send(&pgproto3.Parse{Name: strconv.Itoa(prepared), Query: "rows 1" + strings.Repeat(" ", text-len("rows 1"))}, &pgproto3.Sync{})
		if got := d.until("ReadyForQuery"); strings.Contains(got, "ErrorResponse ERROR 53200") {
			break
		}
	}
	if prepared != max/text {
		t.Errorf("%d statements of %d bytes were prepared, of which %d have %d", prepared, text, max/text, max)
	}
	for i := range prepared {
		d.send(&pgproto3.Close{ObjectType: 'S', Name: strconv.Itoa(i)}, &pgproto3.Sync{})
		d.until("ReadyForQuery")
	}
	if !eventually(func() bool { return ts.account.held.Load() == 0 }) {
		t.Errorf("%d bytes are held for nothing", ts.account.held.Load())
	}
}

// A message that has begun has to end in time; between messages a client may be silent.
func TestMessagesThatDoNotEnd(t *testing.T) {
	ts := startServer(t, Options{MessageTimeout: 50 * time.Millisecond})
	silent := ts.connect(t)
	for name, part := range map[string][]byte{"type": {'Q'}, "head": frame('Q', "rows 1\x00")[:messageHead], "body": frame('Q', "rows 1\x00")[:messageHead+3]} {
		d := ts.talk(t)
		write(t, d.nc, part)
		if got := answersOn(t, d.fe); !strings.Contains(got, "ErrorResponse FATAL 08P01") || !strings.Contains(got, "in time") {
			t.Errorf("%s alone: %q", name, got)
		}
	}
	if _, err := silent.Exec(context.Background(), "rows 1"); err != nil {
		t.Errorf("a client that was silent: %v", err)
	}
}

// The rows that a result has delivered last are claimed until the next ones or the end: a
// client that does not read them holds no more than that.
func TestUnreadRowsShareAnAccount(t *testing.T) {
	texts := make([]string, fakeBatchRows)
	for i := range texts {
		texts[i] = strings.Repeat("x", 1000)
	}
	b := textBatch(texts)
	ts := startServer(t, Options{BufferBytes: int64(b.Bytes()) * 3 / 2})
	ts.fake.results["long"] = fakeResult{[]rows.Column{{Name: "x", Type: rows.Type{ID: rows.Varchar}}}, []*rows.Batch{b, b}}
	d, other := ts.talk(t), ts.talk(t)
	d.send(&pgproto3.Query{String: "begin"})
	d.until("ReadyForQuery")
	d.send(&pgproto3.Parse{Query: "values long"}, &pgproto3.Bind{DestinationPortal: "p"}, &pgproto3.Execute{Portal: "p", MaxRows: 1}, &pgproto3.Sync{})
	if got := d.until("ReadyForQuery"); !strings.Contains(got, "PortalSuspended") {
		t.Fatalf("the first rows: %q", got)
	}
	if got, want := ts.unread.held.Load(), int64(b.Bytes()); got != want {
		t.Errorf("%d bytes are held for rows of %d", got, want)
	}
	if got := other.query("values long"); !strings.Contains(got, "ErrorResponse ERROR 53200") {
		t.Errorf("rows for which there is no memory: %q", got)
	}
	if got := other.query("rows 10"); !strings.Contains(got, "CommandComplete") {
		t.Errorf("short rows: %q", got)
	}
	d.send(&pgproto3.Execute{Portal: "p"}, &pgproto3.Sync{})
	if got := d.until("ReadyForQuery"); !strings.Contains(got, "CommandComplete") {
		t.Errorf("the other rows: %q", got)
	}
	if held := ts.unread.held.Load(); held != 0 {
		t.Errorf("%d bytes are held for nothing", held)
	}
	if got := other.query("values long"); !strings.Contains(got, "CommandComplete") {
		t.Errorf("rows for which there is memory again: %q", got)
	}
}
