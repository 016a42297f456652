package main

import (
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgproto3"
)

// TestDialogues plays the files of testdata/pgtest against a server with its engine.
// "send" sends its lines, a message each, in one packet; "until" prints what arrives up
// to the messages that it lists.
func TestDialogues(t *testing.T) {
	datadriven.Walk(t, "testdata/pgtest", func(t *testing.T, path string) {
		nc, err := net.Dial("tcp", serve(t))
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		if err := nc.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		fe := pgproto3.NewFrontend(nc, nc)
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			switch td.Cmd {
			case "send":
				for _, line := range strings.Split(td.Input, "\n") {
					fe.Send(messageOf(t, line))
				}
				if err := fe.Flush(); err != nil {
					t.Fatal(err)
				}
				return ""
			case "until":
				return hear(t, fe, strings.Fields(td.Input))
			default:
				td.Fatalf(t, "unknown command")
				return ""
			}
		})
	})
}

// messageOf reads a line such as: Query {"String": "SELECT 1"}.
func messageOf(t *testing.T, line string) pgproto3.FrontendMessage {
	t.Helper()
	name, body, _ := strings.Cut(line, " ")
	if name == "CopyData" { // its JSON is hexadecimal: here it is a string of Go
		text, err := strconv.Unquote(body)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return &pgproto3.CopyData{Data: []byte(text)}
	}
	msg := map[string]pgproto3.FrontendMessage{
		"Startup": &pgproto3.StartupMessage{}, "Query": &pgproto3.Query{}, "Parse": &pgproto3.Parse{}, "Bind": &pgproto3.Bind{},
		"CopyDone": &pgproto3.CopyDone{}, "CopyFail": &pgproto3.CopyFail{}, "Describe": &pgproto3.Describe{}, "Execute": &pgproto3.Execute{}, "Close": &pgproto3.Close{}, "Sync": &pgproto3.Sync{}, "Flush": &pgproto3.Flush{},
	}[name]
	if msg == nil {
		t.Fatalf("unknown message %q", line)
	}
	if body != "" {
		if err := json.Unmarshal([]byte(body), msg); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return msg
}

// hear receives messages up to the last of the named ones, in their order.
func hear(t *testing.T, fe *pgproto3.Frontend, names []string) string {
	t.Helper()
	var out strings.Builder
	for len(names) > 0 {
		msg, err := fe.Receive()
		if err != nil {
			t.Fatalf("waiting for %s: %v; so far:\n%s", names[0], err, out.String())
		}
		line := spelled(msg)
		fmt.Fprintln(&out, line)
		if name, _, _ := strings.Cut(line, " "); name == names[0] {
			names = names[1:]
		}
	}
	return out.String()
}

// spelled is a message on one line; keys and versions, which differ from run to run,
// are left out.
func spelled(msg pgproto3.BackendMessage) string {
	name := strings.TrimPrefix(fmt.Sprintf("%T", msg), "*pgproto3.")
	switch m := msg.(type) {
	case *pgproto3.RowDescription:
		for _, f := range m.Fields {
			name += fmt.Sprintf(" %s:%d", f.Name, f.DataTypeOID)
			if f.Format != 0 {
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
	case *pgproto3.CopyData:
		name += fmt.Sprintf(" %q", m.Data)
	case *pgproto3.CopyInResponse:
		name += fmt.Sprintf(" %d %d", m.OverallFormat, m.ColumnFormatCodes)
	case *pgproto3.CopyOutResponse:
		name += fmt.Sprintf(" %d %d", m.OverallFormat, m.ColumnFormatCodes)
	case *pgproto3.ReadyForQuery:
		name += " " + string(m.TxStatus)
	case *pgproto3.ParameterDescription:
		name += fmt.Sprint(" ", m.ParameterOIDs)
	case *pgproto3.ParameterStatus:
		name += " " + m.Name
		if m.Name != "server_version" && m.Name != "TimeZone" {
			name += "=" + m.Value
		}
	case *pgproto3.NoticeResponse:
		name += fmt.Sprintf(" %s %s %q", m.Severity, m.Code, m.Message)
	case *pgproto3.NegotiateProtocolVersion:
		name += fmt.Sprintf(" 3.%d %q", m.NewestMinorProtocol&0xffff, m.UnrecognizedOptions)
	case *pgproto3.ErrorResponse:
		name += fmt.Sprintf(" %s %s %q", m.Severity, m.Code, m.Message)
	}
	return name
}
