package pgwire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/spill"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// numberedRow is a DataRow message of n bytes that begins with a number.
func numberedRow(number, n int) []byte {
	row := append([]byte{'D', 0, 0, 0, 0}, fmt.Sprintf("%08d", number)...)
	row = append(row, bytes.Repeat([]byte{'x'}, max(0, n-len(row)))...)
	binary.BigEndian.PutUint32(row[1:], uint32(len(row)-1))
	return row
}

// TestBacklog adds messages of several sizes, in memory only and far beyond it, and
// takes them out between and after.
func TestBacklog(t *testing.T) {
	for _, c := range []struct {
		name        string
		rows, bytes int
		file        bool
	}{
		{"nothing", 0, 0, false},
		{"small", 1000, 20, false},
		{"short rows", 700_000, 20, true},
		{"rows longer than what is read at a time", 30, 2*backlogReadBytes + 7, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := backlog{share: spill.NewSpace(0).NewShare(), memory: backlogBytes}
			taken := 0
			take := func() {
				got, err := b.next()
				if err != nil {
					t.Fatal(err)
				}
				if want := numberedRow(taken, c.bytes); !bytes.Equal(got, want) {
					t.Fatalf("message %d is %.20q", taken, got)
				}
				taken++
			}
			for i := range c.rows {
				if err := b.add(numberedRow(i, c.bytes)); err != nil {
					t.Fatal(err)
				}
				if i%10 == 9 {
					take()
				}
			}
			if (b.file != nil) != c.file || len(b.held) > backlogBytes {
				t.Errorf("a file: %v, %d bytes in memory", b.file != nil, len(b.held))
			}
			for !b.empty() {
				take()
			}
			if taken != c.rows {
				t.Errorf("%d messages of %d came out", taken, c.rows)
			}
			for range 2 {
				if err := b.close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// longRows is more than a backlog has in memory.
const longRows = 500_000

// suspendLong starts a portal of longRows rows and suspends it after one.
func suspendLong(d *dialogue) {
	d.query("begin")
	d.send(&pgproto3.Parse{Query: fmt.Sprint("rows ", longRows)}, &pgproto3.Bind{DestinationPortal: "long"},
		&pgproto3.Execute{Portal: "long", MaxRows: 1}, &pgproto3.Sync{})
	d.until("ReadyForQuery")
}

// TestLongSuspendedPortal reads a long portal that another statement has drained, in
// parts, to its end.
func TestLongSuspendedPortal(t *testing.T) {
	ts := startServer(t, Options{})
	d := ts.talk(t)
	suspendLong(d)
	if got := d.query("rows 1"); !strings.Contains(got, `DataRow "0" "row"`) {
		t.Fatal(got)
	}
	for next := 1; ; {
		d.send(&pgproto3.Execute{Portal: "long", MaxRows: 200_000}, &pgproto3.Flush{})
		for {
			msg, err := d.fe.Receive()
			if err != nil {
				t.Fatal(err)
			}
			if row, ok := msg.(*pgproto3.DataRow); ok {
				if got := string(row.Values[0]); got != fmt.Sprint(next) {
					t.Fatalf("row %s in place of %d", got, next)
				}
				next++
				continue
			}
			if _, ok := msg.(*pgproto3.PortalSuspended); ok {
				break
			}
			if got := spell(msg); next != longRows || got != fmt.Sprintf("CommandComplete %q", "SELECT 99999") {
				t.Errorf("after %d rows: %s", next, got)
			}
			return
		}
	}
}

// TestNoRoomForPortal fails the statement that would drain a portal, not the server.
func TestNoRoomForPortal(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	ts := startServer(t, Options{})
	d := ts.talk(t)
	suspendLong(d)
	if got := d.query("rows 1"); !strings.Contains(got, "ErrorResponse ERROR 58030") || !strings.Contains(got, "TMPDIR") {
		t.Error(got)
	}
	d.query("rollback")
	if got := d.query("rows 1"); !strings.Contains(got, `DataRow "0" "row"`) {
		t.Error(got)
	}
}

// A backlog that has no room left says so, and gives its room back.
func TestBacklogIsBounded(t *testing.T) {
	space := spill.NewSpace(400)
	b := backlog{share: space.NewShare()}
	message := numberedRow(1, 40)
	var err error
	n := 0
	for ; err == nil && n < 100; n++ {
		err = b.add(message)
	}
	if sqlerr.From(err).Code != sqlerr.ProgramLimit || n != 100/len(message)+1 {
		t.Errorf("message %d of %d bytes: %v", n, len(message), err)
	}
	if err := b.close(); err != nil || space.Used() != 0 {
		t.Errorf("%d bytes are taken, %v", space.Used(), err)
	}
}
