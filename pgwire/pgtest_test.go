package pgwire

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgproto3"
)

// dialogue is one client's side of a raw conversation.
type dialogue struct {
	t  testing.TB
	nc net.Conn
	fe *pgproto3.Frontend
}

func (ts *testServer) dial(t testing.TB) net.Conn {
	t.Helper()
	nc, err := net.Dial("tcp", ts.addr)
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	return nc
}

// talk opens a session with the raw protocol.
func (ts *testServer) talk(t testing.TB) *dialogue {
	t.Helper()
	nc := ts.dial(t)
	d := &dialogue{t: t, nc: nc, fe: pgproto3.NewFrontend(nc, nc)}
	d.send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "u"}})
	d.until("ReadyForQuery")
	return d
}

func (d *dialogue) send(msgs ...pgproto3.FrontendMessage) {
	d.t.Helper()
	for _, m := range msgs {
		d.fe.Send(m)
	}
	if err := d.fe.Flush(); err != nil {
		d.t.Fatal(err)
	}
}

// until receives messages up to the last of the named types, in their order,
// and returns them spelled, one a line.
func (d *dialogue) until(types ...string) string {
	d.t.Helper()
	var out strings.Builder
	for len(types) > 0 {
		msg, err := d.fe.Receive()
		if err != nil {
			d.t.Fatalf("waiting for %s: %v; so far:\n%s", types[0], err, out.String())
		}
		line := spell(msg)
		fmt.Fprintln(&out, line)
		if name, _, _ := strings.Cut(line, " "); name == types[0] {
			types = types[1:]
		}
	}
	return out.String()
}

// spell writes a message on one line: its name, then what it says.
func spell(msg pgproto3.BackendMessage) string {
	name := strings.TrimPrefix(fmt.Sprintf("%T", msg), "*pgproto3.")
	switch m := msg.(type) {
	case *pgproto3.RowDescription:
		for _, f := range m.Fields {
			name += fmt.Sprintf(" %s:%d,%d,%d", f.Name, f.DataTypeOID, f.DataTypeSize, f.TypeModifier)
			if f.Format == formatBinary {
				name += ",binary"
			}
		}
	case *pgproto3.DataRow:
		for _, v := range m.Values {
			if v == nil {
				name += " NULL"
			} else {
				name += fmt.Sprintf(" %q", v)
			}
		}
	case *pgproto3.CommandComplete:
		name += fmt.Sprintf(" %q", m.CommandTag)
	case *pgproto3.ReadyForQuery:
		name += " " + string(m.TxStatus)
	case *pgproto3.ParameterDescription:
		name += fmt.Sprint(" ", m.ParameterOIDs)
	case *pgproto3.ParameterStatus:
		name += fmt.Sprintf(" %s=%s", m.Name, m.Value)
	case *pgproto3.NoticeResponse:
		name += fmt.Sprintf(" %s %s %q", m.Severity, m.Code, m.Message)
	case *pgproto3.NegotiateProtocolVersion:
		name += fmt.Sprintf(" %d.%d %q", m.NewestMinorProtocol>>16, m.NewestMinorProtocol&0xffff, m.UnrecognizedOptions)
	case *pgproto3.ErrorResponse:
		name += fmt.Sprintf(" %s %s %q", m.Severity, m.Code, m.Message)
		if m.Hint != "" {
			name += fmt.Sprintf(" hint=%q", m.Hint)
		}
		if m.Position != 0 {
			name += fmt.Sprintf(" position=%d", m.Position)
		}
	}
	return name
}

// frontendMessage reads a line such as: Parse {"Name": "s", "Query": "rows 1"}.
func frontendMessage(line string) (pgproto3.FrontendMessage, error) {
	name, body, _ := strings.Cut(strings.TrimSpace(line), " ")
	var msg pgproto3.FrontendMessage
	switch name {
	case "Query":
		msg = &pgproto3.Query{}
	case "Parse":
		msg = &pgproto3.Parse{}
	case "Bind":
		msg = &pgproto3.Bind{}
	case "Describe":
		msg = &pgproto3.Describe{}
	case "Execute":
		msg = &pgproto3.Execute{}
	case "Close":
		msg = &pgproto3.Close{}
	case "Sync":
		msg = &pgproto3.Sync{}
	case "Flush":
		msg = &pgproto3.Flush{}
	case "CopyData":
		msg = &pgproto3.CopyData{}
	case "FunctionCall":
		msg = &pgproto3.FunctionCall{}
	default:
		return nil, fmt.Errorf("unknown message %q", name)
	}
	if body == "" {
		return msg, nil
	}
	return msg, json.Unmarshal([]byte(body), msg)
}

// TestDialogues plays the files of testdata/pgtest. "send" sends its lines as
// messages in one packet; "until" prints what arrives up to the types it lists.
func TestDialogues(t *testing.T) {
	datadriven.Walk(t, "testdata/pgtest", func(t *testing.T, path string) {
		ts := startServer(t, Options{})
		d := ts.talk(t)
		defer d.nc.Close()
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			d.t = t
			switch td.Cmd {
			case "send":
				for _, line := range strings.Split(td.Input, "\n") {
					msg, err := frontendMessage(line)
					if err != nil {
						td.Fatalf(t, "%v", err)
					}
					d.fe.Send(msg)
				}
				d.send()
				return ""
			case "until":
				return d.until(strings.Fields(td.Input)...)
			default:
				td.Fatalf(t, "unknown command")
				return ""
			}
		})
	})
}

// query plays one simple query and returns the answer.
func (d *dialogue) query(sql string) string {
	d.t.Helper()
	d.send(&pgproto3.Query{String: sql})
	return d.until("ReadyForQuery")
}
