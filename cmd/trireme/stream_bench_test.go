package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// streamRows is the number of rows of the results that are measured.
const streamRows = 2_000_000

// streamTables has two tables of the same keys, to join.
const streamTables = `CREATE TABLE t AS SELECT i AS k, i * 7919 %% 1000003 AS v, 'name ' || i %% 1000 AS s, i / 7 AS d FROM range(%[1]d) r(i);
CREATE TABLE u AS SELECT i AS k, i %% 1000 AS w FROM range(%[1]d) r(i);
CREATE TABLE sink (k BIGINT, v BIGINT);
CREATE TABLE wide AS SELECT k, v / 7 AS f, s, DATE '2020-01-01' + (k %% 1000)::INTEGER AS d, TIMESTAMP '2020-01-01' + INTERVAL (k) SECOND AS at,
	(v / 100)::DECIMAL(12,2) AS n, 'customer ' || v AS name, k %% 2 = 0 AS b FROM t;
CREATE TABLE widesink AS FROM wide LIMIT 0`

// rawStream is a connection that is read without looking at values.
type rawStream struct {
	tb testing.TB
	nc net.Conn
	in *bufio.Reader
}

func dialStream(tb testing.TB, address string) *rawStream {
	tb.Helper()
	nc, err := net.Dial("tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = nc.Close() }) // the test may have closed it
	s := &rawStream{tb: tb, nc: nc, in: bufio.NewReaderSize(nc, 1<<18)}
	s.send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "trireme"}})
	s.until('Z')
	return s
}

func (s *rawStream) send(messages ...pgproto3.FrontendMessage) {
	s.tb.Helper()
	var out []byte
	for _, m := range messages {
		var err error
		if out, err = m.Encode(out); err != nil {
			s.tb.Fatal(err)
		}
	}
	if _, err := s.nc.Write(out); err != nil {
		s.tb.Fatal(err)
	}
}

// until reads up to a message of a type, and counts the messages of rows, those of
// COPY included, and all bytes.
func (s *rawStream) until(kind byte) (rows, size int) {
	s.tb.Helper()
	for {
		head, err := s.in.Peek(5)
		if err != nil {
			s.tb.Fatal(err)
		}
		at, n := head[0], 1+int(binary.BigEndian.Uint32(head[1:]))
		if at == 'E' {
			text, _ := s.in.Peek(n) // as much as there is
			s.tb.Fatalf("the server says %q", text)
		}
		if _, err := s.in.Discard(n); err != nil {
			s.tb.Fatal(err)
		}
		if size += n; at == 'D' || at == 'd' {
			rows++
		}
		if at == kind {
			return rows, size
		}
	}
}

// BenchmarkStream is how fast results and COPY are over loopback, out of a server of
// its own to a client that only counts, and what the server has resident at most.
func BenchmarkStream(b *testing.B) {
	s := startServer(b)
	setup, err := pgx.Connect(context.Background(), "postgres://trireme@"+s.address+"/trireme?sslmode=disable")
	if err != nil {
		b.Fatal(err)
	}
	defer setup.Close(context.Background())
	if _, err := setup.Exec(context.Background(), fmt.Sprintf(streamTables, streamRows)); err != nil {
		b.Fatal(err)
	}
	c := dialStream(b, s.address)
	for _, q := range []struct{ name, sql string }{
		{"int8,int8", "SELECT k, v FROM t"},
		{"int8,int8,text", "SELECT k, v, s FROM t"},
		{"int8,float8", "SELECT k, v / 7 FROM t"},
		{"native", "SELECT t.k, sum(t.v * u.w) FROM t JOIN u ON t.k = u.k GROUP BY t.k"},
		{"native,text", "SELECT t.k, t.s, sum(t.v * u.w) FROM t JOIN u ON t.k = u.k GROUP BY t.k, t.s"},
		{"native,own-text", "SELECT t.k, 'name ' || t.k, sum(u.w) FROM t JOIN u ON t.k = u.k GROUP BY t.k, 'name ' || t.k"},
	} {
		for format, name := range []string{"text", "binary"} {
			b.Run("result="+q.name+"/format="+name, func(b *testing.B) {
				streamed(b, s, func() int {
					c.send(&pgproto3.Parse{Query: q.sql}, &pgproto3.Bind{ResultFormatCodes: []int16{int16(format)}}, &pgproto3.Execute{}, &pgproto3.Sync{})
					rows, size := c.until('Z')
					b.SetBytes(int64(size))
					return rows
				})
			})
		}
	}
	for _, format := range []string{"text", "csv", "binary"} {
		b.Run("copy=to/format="+format, func(b *testing.B) {
			streamed(b, s, func() int {
				c.send(&pgproto3.Query{String: "COPY (SELECT k, v FROM t) TO STDOUT (FORMAT " + format + ")"})
				rows, size := c.until('Z')
				b.SetBytes(int64(size))
				return min(rows, streamRows) // the binary format has an end that is no row
			})
		})
	}
	for _, from := range []struct{ name, sql, sink string }{{"two", "SELECT k, v FROM t", "sink"}, {"wide", "FROM wide", "widesink"}} {
		for _, format := range []string{"text", "csv", "binary"} {
			b.Run("copy=from/columns="+from.name+"/format="+format, func(b *testing.B) {
				var data bytes.Buffer
				if _, err := setup.PgConn().CopyTo(context.Background(), &data, "COPY ("+from.sql+") TO STDOUT (FORMAT "+format+")"); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(data.Len()))
				streamed(b, s, func() int {
					c.copyFrom("COPY "+from.sink+" FROM STDIN (FORMAT "+format+")", data.Bytes())
					c.send(&pgproto3.Query{String: "TRUNCATE " + from.sink})
					c.until('Z')
					return streamRows
				})
			})
		}
	}
}

// copyFrom sends data by COPY.
func (s *rawStream) copyFrom(sql string, data []byte) {
	s.tb.Helper()
	s.send(&pgproto3.Query{String: sql})
	s.until('G')
	const piece = 64 << 10
	var out []byte
	for len(data) > 0 {
		n := min(piece, len(data))
		var err error
		if out, err = (&pgproto3.CopyData{Data: data[:n]}).Encode(out[:0]); err != nil {
			s.tb.Fatal(err)
		}
		if _, err := s.nc.Write(out); err != nil {
			s.tb.Fatal(err)
		}
		data = data[n:]
	}
	s.send(&pgproto3.CopyDone{})
	s.until('Z')
}

// streamed runs what moves rows and reports how many a second, and the memory that
// the server's process had resident at most.
func streamed(b *testing.B, s *server, move func() int) {
	b.Helper()
	// What the process had before is no longer its highest.
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"), 0); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if n := move(); n != streamRows {
			b.Fatalf("%d rows, want %d", n, streamRows)
		}
	}
	b.ReportMetric(float64(streamRows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
	b.ReportMetric(float64(s.resident(b, "VmHWM"))/1e6, "MB-resident")
}

// BenchmarkIdle is the memory of connections that have said something and then wait.
func BenchmarkIdle(b *testing.B) {
	const clients = 900 // the limit is 1000
	s := startServer(b)
	dialStream(b, s.address).ask("SELECT 1")
	before := s.resident(b, "VmRSS")
	for b.Loop() {
		for range clients {
			dialStream(b, s.address).ask("SELECT 1")
		}
		b.ReportMetric(float64(s.resident(b, "VmRSS")-before)/1e6, "MB")
	}
}
