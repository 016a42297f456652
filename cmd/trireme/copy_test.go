package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
)

// copyText sends text for a COPY FROM.
func copyText(conn *pgx.Conn, sql, text string) (pgconn.CommandTag, error) {
	return conn.PgConn().CopyFrom(context.Background(), strings.NewReader(text), sql)
}

// copyOut returns what a COPY TO sends.
func copyOut(t *testing.T, conn *pgx.Conn, sql string) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := conn.PgConn().CopyTo(context.Background(), &out, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out.String()
}

func mustExec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func value[T any](t *testing.T, conn *pgx.Conn, sql string) (v T) {
	t.Helper()
	if err := conn.QueryRow(context.Background(), sql).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func TestCopyFromByPgx(t *testing.T) {
	conn := connect(t, serve(t))
	mustExec(t, conn, "CREATE TABLE t (b BOOLEAN, i SMALLINT, n INTEGER, l BIGINT, d DOUBLE, q DECIMAL(12,3), s VARCHAR, x BLOB, day DATE, ts TIMESTAMP, tz TIMESTAMPTZ, id UUID, iv INTERVAL)")
	id := [16]byte{1, 2, 3}
	rows := [][]any{
		{
			true, int16(-2), int32(3), int64(math.MinInt64), 0.1,
			pgtype.Numeric{Int: big.NewInt(-12345), Exp: -3, Valid: true},
			"é\tx\n",
			[]byte{0, 255},
			time.Date(2020, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(1969, 1, 2, 3, 4, 5, 6000, time.UTC), time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC),
			id,
			pgtype.Interval{Months: 1, Days: -2, Microseconds: 3, Valid: true},
		},
		{nil, nil, nil, nil, math.Inf(-1), nil, "", []byte{}, nil, nil, nil, nil, nil},
	}
	columns := []string{"b", "i", "n", "l", "d", "q", "s", "x", "day", "ts", "tz", "id", "iv"}
	n, err := conn.CopyFrom(context.Background(), pgx.Identifier{"t"}, columns, pgx.CopyFromRows(rows))
	if err != nil || n != 2 {
		t.Fatal(n, err)
	}
	want := "t\t-2\t3\t-9223372036854775808\t0.1\t-12.345\té\\tx\\n\t\\\\x00ff\t2020-02-29\t1969-01-02 03:04:05.000006\t2020-01-02 03:04:05+00\t" +
		"01020300-0000-0000-0000-000000000000\t1 mon -2 days +00:00:00.000003\n" +
		"\\N\t\\N\t\\N\t\\N\t-Infinity\t\\N\t\t\\\\x\t\\N\t\\N\t\\N\t\\N\t\\N\n"
	if got := copyOut(t, conn, "COPY t TO STDOUT"); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// copyTypes has a column of each type and expressions that give it values, of which
// some are NULL.
const copyTypes = `CREATE TABLE src AS SELECT i AS id,
	CASE WHEN i % 7 = 0 THEN NULL ELSE i % 3 = 0 END AS b, (i % 100 - 50)::TINYINT AS i1, (i * 37 % 30000)::SMALLINT AS i2, (i * 7919)::INTEGER AS i4,
	CASE WHEN i % 5 = 0 THEN NULL ELSE hash(i)::HUGEINT END AS h, (hash(i) % 200)::UTINYINT AS u1, hash(i) AS u8,
	sin(i)::FLOAT AS f4, CASE i % 11 WHEN 0 THEN 'nan' WHEN 1 THEN '-inf' ELSE exp(i % 40 - 20)::VARCHAR END::DOUBLE AS f8,
	(i * 1.25)::DECIMAL(9,2) AS d9, (hash(i) / 1000)::DECIMAL(38,5) AS d38,
	CASE i % 9 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN '\N' WHEN 3 THEN '\.' WHEN 4 THEN 'a,"b"' || chr(9) || chr(10) || chr(13) || '\' ELSE md5(i::VARCHAR) END AS s,
	encode(chr((i % 60)::INTEGER + 1) || '\x' || i) AS x, DATE '1900-01-01' + (i * 13)::INTEGER AS day,
	CASE WHEN i % 6 = 0 THEN 'infinity' ELSE '2001-02-03 04:05:06' END::TIMESTAMP + to_microseconds(i * 1234567) AS ts,
	'2001-02-03 04:05:06+00'::TIMESTAMPTZ - to_seconds(i * 777) AS tz, TIME '01:02:03.000004' + to_seconds(i) AS t,
	to_months(i::INTEGER) + to_days(-i::INTEGER) + to_microseconds(i * 99) AS iv, uuid_v5 AS id5,
	CASE WHEN i % 4 = 0 THEN NULL ELSE [i, NULL, -i] END::INTEGER[] AS l4, ['a', 'it''s', NULL, 'x,"y"\z', '', 'NULL', '{}'] AS ls, [[i], [], [1, 2]] AS ll,
	{'k': i, 's': 'a'} AS st, ('{"n": ' || i || ', "s": "\""}')::JSON AS js, [('{"n": [' || i || ', "x, y"]}')::JSON, NULL, 'null'::JSON] AS jl,
	[to_months(i::INTEGER) + to_microseconds(i * 99), NULL] AS il, [encode(i || '\x00'), NULL] AS xl, (CASE WHEN i % 2 = 0 THEN 'red' ELSE 'it''s' END)::ENUM('red', 'it''s') AS e
FROM (SELECT i, md5(i::VARCHAR)::UUID AS uuid_v5 FROM range(700) r(i))`

// What COPY TO writes COPY FROM reads: random values of all types, in all formats.
func TestCopyRoundTrip(t *testing.T) {
	conn := connect(t, serve(t))
	mustExec(t, conn, copyTypes)
	for _, options := range []string{
		"(FORMAT text)", "(FORMAT csv)", "(FORMAT csv, HEADER, DELIMITER ';', QUOTE '''', ESCAPE '\\', NULL 'none', FORCE_QUOTE *)",
		"(FORMAT text, DELIMITER '|', NULL '')", "(FORMAT binary)", "(FORMAT text, HEADER)",
	} {
		t.Run(options, func(t *testing.T) {
			nullText := strings.Contains(options, "NULL ''")
			source := "src"
			if nullText { // an empty string and NULL look alike
				source = "(SELECT * REPLACE (nullif(s, '') AS s) FROM src)"
			}
			mustExec(t, conn, "CREATE OR REPLACE TABLE dst AS SELECT * FROM src LIMIT 0")
			data := copyOut(t, conn, "COPY src TO STDOUT "+options)
			in := strings.ReplaceAll(options, ", FORCE_QUOTE *", "")
			tag, err := copyText(conn, "COPY dst FROM STDIN "+in, data)
			if err != nil || tag.String() != "COPY 700" {
				t.Fatal(tag, err)
			}
			for _, sql := range []string{"SELECT count(*) FROM (FROM dst EXCEPT ALL FROM " + source + ")", "SELECT count(*) FROM (FROM " + source + " EXCEPT ALL FROM dst)"} {
				if n := value[int64](t, conn, sql); n != 0 {
					t.Errorf("%d rows differ: %s", n, sql)
				}
			}
			if again := copyOut(t, conn, "COPY (FROM dst ORDER BY id) TO STDOUT "+options); again != data && !nullText {
				t.Error("written again it is different")
			}
		})
	}
}

func TestCopyErrorsLeaveNothing(t *testing.T) {
	conn := connect(t, serve(t))
	mustExec(t, conn, "CREATE TABLE t (a INTEGER, b VARCHAR NOT NULL, c DATE, d DECIMAL(4,1), PRIMARY KEY (a))")
	var rows strings.Builder // more than one batch before the error
	const many = 200_000
	for i := range many {
		fmt.Fprintf(&rows, "%d\tx\t\\N\t\\N\n", i)
	}
	for _, c := range []struct{ in, code, message, where string }{
		{"1\tx\t\\N\t\\N\nb\tx\t\\N\t\\N\n", "22P02", `invalid input syntax for type integer: "b"`, `COPY t, line 2, column a: "b"`},
		{"1\tx\t2020-02-30\t\\N\n", "22008", `date/time field value out of range: "2020-02-30"`, `COPY t, line 1, column c: "2020-02-30"`},
		{"1\tx\tnever\t\\N\n", "22007", `invalid input syntax for type date: "never"`, `COPY t, line 1, column c: "never"`},
		{"1\tx\t\\N\t12345\n", "22003", "numeric field overflow", `COPY t, line 1, column d: "12345"`},
		{"1\tx\t\\N\t\\N\n2\t\\N\t\\N\t\\N\n", "23502", `null value in column "b" of relation "t" violates not-null constraint`, "COPY t, line 2: \"2\t\\N\t\\N\t\\N\""},
		{"1\tx\n", "22P04", `missing data for column "c"`, "COPY t, line 1: \"1\tx\""},
		{rows.String() + "x\ty\n", "22P04", `missing data for column "c"`, "COPY t, line 200001: \"x\ty\""},
		{rows.String() + "x\ty\t\\N\t\\N\n", "22P02", `invalid input syntax for type integer: "x"`, `COPY t, line 200001, column a: "x"`},
		// The first error is the one reported, also when a later row cannot be read.
		{"b\tx\t\\N\t\\N\nc\n", "22P02", `invalid input syntax for type integer: "b"`, `COPY t, line 1, column a: "b"`},
	} {
		_, err := copyText(conn, "COPY t FROM STDIN", c.in)
		e := wantCode(t, err, c.code)
		if e.Message != c.message || e.Where != c.where {
			t.Errorf("message %q, where %q; want %q, %q", e.Message, e.Where, c.message, c.where)
		}
		if n := value[int64](t, conn, "SELECT count(*) FROM t"); n != 0 {
			t.Fatalf("%d rows are left", n)
		}
	}
	_, err := copyText(conn, "COPY t FROM STDIN", "1\tx\t\\N\t\\N\n1\tx\t\\N\t\\N\n")
	if e := wantCode(t, err, "23505"); e.Where != "COPY t, line 2: \"1\tx\t\\N\t\\N\"" {
		t.Errorf("where %q", e.Where)
	}
}

func TestCopyFailsItsTransaction(t *testing.T) {
	conn := connect(t, serve(t))
	mustExec(t, conn, "CREATE TABLE t (a INTEGER)")
	for name, fail := range map[string]func() error{
		"a bad row": func() error {
			_, err := copyText(conn, "COPY t FROM STDIN", "1\nx\n")
			return err
		},
		"CopyFail": func() error {
			_, err := conn.PgConn().CopyFrom(context.Background(), io.MultiReader(strings.NewReader("1\n"), failingReader{}), "COPY t FROM STDIN")
			return err
		},
	} {
		mustExec(t, conn, "BEGIN")
		mustExec(t, conn, "INSERT INTO t VALUES (7)")
		if err := fail(); err == nil {
			t.Fatalf("%s: no error", name)
		}
		if conn.PgConn().TxStatus() != 'E' {
			t.Errorf("%s: status %c", name, conn.PgConn().TxStatus())
		}
		_, err := conn.Exec(context.Background(), "SELECT 1")
		wantCode(t, err, "25P02")
		mustExec(t, conn, "ROLLBACK")
		if n := value[int64](t, conn, "SELECT count(*) FROM t"); n != 0 {
			t.Errorf("%s: %d rows are left", name, n)
		}
	}
	mustExec(t, conn, "BEGIN")
	if _, err := copyText(conn, "COPY t FROM STDIN", "1\n2\n"); err != nil {
		t.Fatal(err)
	}
	if n := value[int64](t, conn, "SELECT count(*) FROM t"); n != 2 {
		t.Errorf("%d rows inside the transaction", n)
	}
	mustExec(t, conn, "ROLLBACK")
	if n := value[int64](t, conn, "SELECT count(*) FROM t"); n != 0 {
		t.Errorf("%d rows after ROLLBACK", n)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("the file broke") }

// A COPY is a write: what tensors hold of the table is out of date at once.
func TestCopyAndTensors(t *testing.T) {
	conn := connect(t, serve(t))
	mustExec(t, conn, "CREATE TABLE edge (src INTEGER, dst INTEGER)")
	mustExec(t, conn, "SET trireme.backend = 'native'")
	const paths = "SELECT count(*) FROM edge a JOIN edge b ON a.dst = b.src"
	for i, want := range []int64{0, 1, 4} {
		if n := value[int64](t, conn, paths); n != want {
			t.Errorf("%d paths after %d copies, want %d", n, i, want)
		}
		if _, err := copyText(conn, "COPY edge FROM STDIN", "1\t2\n2\t3\n"); err != nil {
			t.Fatal(err)
		}
	}
	mustExec(t, conn, "SET trireme.backend = 'duckdb'")
	if got := copyOut(t, conn, "COPY ("+paths+") TO STDOUT"); got != "9\n" {
		t.Errorf("got %q", got)
	}
	mustExec(t, conn, "SET trireme.backend = 'native'")
	if got := copyOut(t, conn, "COPY ("+paths+") TO STDOUT (FORMAT csv, HEADER)"); got != "count_star()\n9\n" {
		t.Errorf("got %q", got)
	}
	if by := value[string](t, conn, "SHOW trireme.last_backend"); by != "native" {
		t.Errorf("answered by %s", by)
	}
}

func TestCopyOptionsThatChooseRows(t *testing.T) {
	conn := connect(t, serve(t))
	mustExec(t, conn, "CREATE SEQUENCE seq; CREATE TABLE t (a INTEGER, b VARCHAR DEFAULT 'none', c BIGINT DEFAULT nextval('seq'), g INTEGER GENERATED ALWAYS AS (a + 1))")
	for _, c := range []struct{ sql, in, tag, want string }{
		{"COPY t (a, b) FROM STDIN", "1\tx\n", "COPY 1", "1,x,1\n"},
		{"COPY t FROM STDIN", "1\tx\t5\n", "COPY 1", "1,x,5\n"},
		{"COPY t (b, a) FROM STDIN CSV WHERE a % 2 = 1 AND b <> 'no'", "x,1\ny,2\nno,3\nz,5\n", "COPY 2", "1,x,2\n5,z,3\n"},
		{"COPY t (a, b) FROM STDIN (ON_ERROR ignore)", "1\tx\nq\ty\n3\tz\n", "COPY 2", "1,x,4\n3,z,5\n"},
		{"COPY t FROM STDIN (DEFAULT '\\D')", "1\t\\D\t\\D\n2\ty\t70\n\\D\tz\t8\n", "COPY 3", ",z,8\n1,none,6\n2,y,70\n"},
		{"COPY t (a) FROM STDIN (FREEZE, NULL 'nil')", "nil\n", "COPY 1", ",none,7\n"},
		{"COPY t FROM STDIN", "", "COPY 0", ""},
	} {
		mustExec(t, conn, "DELETE FROM t")
		tag, err := copyText(conn, c.sql, c.in)
		if err != nil || tag.String() != c.tag {
			t.Errorf("%s: %s, %v", c.sql, tag, err)
		}
		if got := copyOut(t, conn, "COPY (SELECT a, b, c FROM t ORDER BY a NULLS FIRST) TO STDOUT CSV"); got != c.want {
			t.Errorf("%s: %q, want %q", c.sql, got, c.want)
		}
	}
	mustExec(t, conn, "INSERT INTO t VALUES (1, 'x', 2)")
	mustExec(t, conn, "DELETE FROM t WHERE a IS NULL")
	if got := copyOut(t, conn, "COPY t TO STDOUT"); got != "1\tx\t2\n" { // without the generated column
		t.Errorf("got %q", got)
	}
	// A value that does not fit is an error also in a row that WHERE rejects.
	_, err := copyText(conn, "COPY t (a, b) FROM STDIN WHERE b = 'x'", "1\tx\nq\ty\n")
	wantCode(t, err, "22P02")
}

// rawClient speaks the protocol message by message.
type rawClient struct {
	t    *testing.T
	nc   net.Conn
	fe   *pgproto3.Frontend
	key  *pgproto3.BackendKeyData
	errs []*pgproto3.ErrorResponse
}

func dialRaw(t *testing.T, address string) *rawClient {
	t.Helper()
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() }) // the test may have closed it
	c := &rawClient{t: t, nc: nc, fe: pgproto3.NewFrontend(nc, nc)}
	c.send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "trireme"}})
	c.until("ReadyForQuery")
	return c
}

func (c *rawClient) send(messages ...pgproto3.FrontendMessage) {
	c.t.Helper()
	for _, m := range messages {
		c.fe.Send(m)
	}
	if err := c.fe.Flush(); err != nil {
		c.t.Fatal(err)
	}
}

// until receives up to a message of a type.
func (c *rawClient) until(name string) {
	c.t.Helper()
	for {
		msg, err := c.fe.Receive()
		if err != nil {
			c.t.Fatalf("waiting for %s: %v", name, err)
		}
		switch m := msg.(type) {
		case *pgproto3.BackendKeyData:
			c.key = &pgproto3.BackendKeyData{ProcessID: m.ProcessID, SecretKey: bytes.Clone(m.SecretKey)}
		case *pgproto3.ErrorResponse:
			failed := *m
			c.errs = append(c.errs, &failed)
		}
		if strings.HasSuffix(fmt.Sprintf("%T", msg), "."+name) {
			return
		}
	}
}

// wantError checks the errors received so far: one, of a code.
func (c *rawClient) wantError(code string) {
	c.t.Helper()
	if len(c.errs) != 1 || c.errs[0].Code != code {
		c.t.Fatalf("errors %+v, want %s", c.errs, code)
	}
	c.errs = nil
}

// A COPY that waits for its client is cancelled at once, and its error says so where its
// time is limited, too.
func TestCopyCanceled(t *testing.T) {
	address := serve(t)
	for _, before := range []string{"", "SET statement_timeout = '1h'", "SET transaction_timeout = '1h'", "SET transaction_timeout = '1h'; BEGIN"} {
		t.Run(before, func(t *testing.T) { cancelCopy(t, address, before) })
	}
}

func cancelCopy(t *testing.T, address, before string) {
	other := connect(t, address)
	mustExec(t, other, "CREATE OR REPLACE TABLE t (a BIGINT)")
	c := dialRaw(t, address)
	c.send(&pgproto3.Query{String: before})
	c.until("ReadyForQuery")
	c.send(&pgproto3.Query{String: "COPY t FROM STDIN"})
	c.until("CopyInResponse")
	c.send(&pgproto3.CopyData{Data: []byte("1\n2\n3")})
	cancel, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer cancel.Close()
	request, err := (&pgproto3.CancelRequest{ProcessID: c.key.ProcessID, SecretKey: c.key.SecretKey}).Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cancel.Write(request); err != nil {
		t.Fatal(err)
	}
	c.until("ReadyForQuery")
	c.wantError("57014")
	c.send(&pgproto3.CopyData{Data: []byte("4\n")}, &pgproto3.CopyDone{}, &pgproto3.Query{String: "ROLLBACK; SELECT 1"})
	c.until("ReadyForQuery")
	if len(c.errs) > 0 {
		t.Errorf("errors %+v", c.errs)
	}
	if n := value[int64](t, other, "SELECT count(*) FROM t"); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// A COPY that waits for its client runs out of time, like any other statement.
func TestCopyTimesOut(t *testing.T) {
	address := serve(t)
	for _, setting := range []struct{ sql, code string }{
		{"SET statement_timeout = '100ms'", "57014"},
		{"SET transaction_timeout = '100ms'", "25P04"},
	} {
		t.Run(setting.sql, func(t *testing.T) {
			other := connect(t, address)
			mustExec(t, other, "CREATE OR REPLACE TABLE t (a BIGINT)")
			c := dialRaw(t, address)
			c.send(&pgproto3.Query{String: setting.sql})
			c.until("ReadyForQuery")
			if setting.code == "25P04" {
				c.send(&pgproto3.Query{String: "BEGIN"})
				c.until("ReadyForQuery")
			}
			c.send(&pgproto3.Query{String: "COPY t FROM STDIN"})
			c.until("CopyInResponse")
			c.send(&pgproto3.CopyData{Data: []byte("1\n2\n3")})
			c.until("ErrorResponse")
			c.wantError(setting.code)
			if n := value[int64](t, other, "SELECT count(*) FROM t"); n != 0 {
				t.Errorf("%d rows are left", n)
			}
		})
	}
}

// What COPY moves is counted, and what it did not is not.
func TestCopyIsCounted(t *testing.T) {
	s := startServer(t, "--http", "127.0.0.1:0")
	conn := connect(t, s.address)
	mustExec(t, conn, "CREATE TABLE t (a INTEGER)")
	if _, err := copyText(conn, "COPY t FROM STDIN", "1\n2\n3\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := copyText(conn, "COPY t FROM STDIN", "4\nx\n"); err == nil {
		t.Fatal("a bad line is copied")
	}
	copyOut(t, conn, "COPY (SELECT a FROM t WHERE a < 3) TO STDOUT (FORMAT csv, HEADER)")
	if _, body := s.get(t, "/metrics"); !strings.Contains(body, "trireme_copy_rows_total 5\n") {
		t.Errorf("the metrics do not count 5 rows:\n%s", body)
	}
}

// By the extended protocol everything up to Sync is passed over after an error, and
// Sync and Flush in the middle mean nothing.
func TestCopyExtended(t *testing.T) {
	address := serve(t)
	other := connect(t, address)
	mustExec(t, other, "CREATE TABLE t (a BIGINT)")
	c := dialRaw(t, address)
	begin := func() {
		c.send(&pgproto3.Parse{Query: "COPY t FROM STDIN"}, &pgproto3.Bind{}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{})
		c.until("NoData")
		c.until("CopyInResponse")
	}
	begin()
	c.send(&pgproto3.CopyData{Data: []byte("1")}, &pgproto3.Flush{}, &pgproto3.CopyData{Data: []byte("\n")}, &pgproto3.CopyDone{}, &pgproto3.Sync{})
	c.until("CommandComplete")
	c.until("ReadyForQuery")
	begin()
	c.send(&pgproto3.CopyData{Data: []byte("2\t3\n")})
	c.until("ErrorResponse")
	c.wantError("22P04")
	c.send(&pgproto3.CopyData{Data: []byte("4\n")}, &pgproto3.CopyDone{}, &pgproto3.Sync{})
	c.until("ReadyForQuery")
	begin()
	c.send(&pgproto3.CopyFail{Message: "no more"}, &pgproto3.Sync{})
	c.until("ReadyForQuery")
	c.wantError("57014")
	begin()
	c.send(&pgproto3.Parse{Query: "SELECT 1"})
	c.until("ErrorResponse")
	c.wantError("08P01")
	c.send(&pgproto3.Sync{})
	c.until("ReadyForQuery")
	if n := value[int64](t, other, "SELECT count(*) FROM t"); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// A client that leaves in the middle takes its rows with it.
func TestCopyOfAClientThatLeaves(t *testing.T) {
	for _, polite := range []bool{false, true} {
		address := serve(t)
		other := connect(t, address)
		mustExec(t, other, "CREATE TABLE t (a BIGINT)")
		c := dialRaw(t, address)
		c.send(&pgproto3.Query{String: "COPY t FROM STDIN"})
		c.until("CopyInResponse")
		for range 10 {
			c.send(&pgproto3.CopyData{Data: []byte(strings.Repeat("1\n", 50_000))})
		}
		if polite {
			c.send(&pgproto3.Terminate{})
		} else if err := c.nc.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, c.nc); polite && err != nil { // until the server has closed
			t.Fatal(err)
		}
		if n := value[int64](t, other, "SELECT count(*) FROM t"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		// What the client held is free: the table can be altered.
		for {
			if _, err := other.Exec(context.Background(), "ALTER TABLE t ADD COLUMN b INTEGER"); err == nil {
				break
			}
		}
	}
}

// A client that does not read what it has asked for stops nobody, and what it is
// owed is not kept in memory.
func TestCopyToAClientThatDoesNotRead(t *testing.T) {
	address := serve(t)
	other := connect(t, address)
	mustExec(t, other, "CREATE TABLE t AS SELECT i AS a, 'a text that takes its place' AS s FROM range(3000000) r(i)")
	idle := dialRaw(t, address)
	idle.send(&pgproto3.Query{String: "COPY t TO STDOUT"})
	idle.until("CopyOutResponse")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 20 {
		mustExec(t, other, "INSERT INTO t VALUES (-1, 'x')")
		if n := value[int64](t, other, "SELECT count(*) FROM t WHERE a >= 0"); n != 3000000 {
			t.Fatal(n)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 32<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	rows := 0
	for {
		msg, err := idle.fe.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := msg.(*pgproto3.CopyData); ok {
			rows++
		}
		if done, ok := msg.(*pgproto3.CommandComplete); ok {
			if string(done.CommandTag) != "COPY 3000000" || rows != 3000000 {
				t.Errorf("%s, %d rows", done.CommandTag, rows)
			}
			return
		}
	}
}

// What COPY has acknowledged is there after the server was killed.
func TestCopyIsDurable(t *testing.T) {
	file := t.TempDir() + "/d.db"
	cmd := process(t, "serve", "--listen", "127.0.0.1:0", "--db", file)
	output, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(context.Background(), "postgres://trireme@"+address(t, output)+"/trireme?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, conn, "CREATE TABLE t (a INTEGER)")
	if _, err := copyText(conn, "COPY t FROM STDIN", strings.Repeat("1\n", 300_000)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	out, err := trireme(t, "", "query", "--db", file, "--format", "csv", "SELECT sum(a)::BIGINT AS n FROM t")
	if err != nil || out != "n\n300000\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// The catalog of Postgres can be copied like any table.
func TestCopyOfTheCatalog(t *testing.T) {
	conn := connect(t, serve(t))
	mustExec(t, conn, "CREATE TABLE some_table (a INTEGER)")
	if got := copyOut(t, conn, "COPY (SELECT relname FROM pg_catalog.pg_class WHERE relname = 'some_table') TO STDOUT"); got != "some_table\n" {
		t.Errorf("got %q", got)
	}
}

func TestCopyIsRefused(t *testing.T) {
	dir := t.TempDir()
	file := "'" + dir + "/f'"
	conn := connect(t, serve(t, "--allow-files", dir))
	mustExec(t, conn, "CREATE TABLE t (a INTEGER); CREATE VIEW v AS SELECT 1 AS x")
	for sql, code := range map[string]string{
		"COPY t FROM PROGRAM 'ls'":                               "42501",
		"COPY t FROM STDIN (BOGUS)":                              "42601",
		"COPY nosuch FROM STDIN":                                 "42P01",
		"COPY nosuch TO STDOUT":                                  "42P01",
		"COPY t (b) TO STDOUT":                                   "42703",
		"COPY t (a, a) FROM STDIN":                               "42701",
		"COPY t FROM STDIN WHERE b = 1":                          "42703",
		"COPY (SELECT $1) TO STDOUT":                             "42P02",
		"COPY t FROM STDIN WHERE a = $1":                         "42P02",
		"COPY (SELECT a FROM t WHERE a = $1) TO STDOUT":          "42P02",
		"COPY (DROP TABLE t) TO STDOUT":                          "42601",
		"COPY (SELECT nosuch FROM t) TO STDOUT":                  "42703",
		"COPY t TO STDOUT (FORMAT csv, FORCE_QUOTE (b))":         "42P10",
		"COPY t TO " + file + " (ON_ERROR ignore)":               "0A000",
		"COPY t FROM " + file + " (FORMAT csv, ON_ERROR ignore)": "58P01",
		"COPY t FROM " + file + " WHERE a > 1":                   "0A000",
	} {
		_, err := conn.Exec(context.Background(), sql)
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v, want %s", sql, err, code)
		}
	}
	_, err := copyText(conn, "COPY v FROM STDIN", "1\n")
	if err == nil {
		t.Error("a view took rows")
	}
	if n := value[int64](t, conn, "SELECT count(*) FROM t"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

// COPY is not for callers in process, who have no stream to give.
func TestCopyWithoutWire(t *testing.T) {
	for _, sql := range []string{"COPY (SELECT 1) TO STDOUT", "CREATE TABLE t (a INTEGER); COPY t FROM STDIN"} {
		_, err := trireme(t, "", "query", sql)
		if err == nil || !strings.Contains(err.Error(), "only available over the wire") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestNanosecondsReachClients: results have the six digits of a second that drivers read, in both formats;
// COPY writes all nine, and reads them again.
func TestNanosecondsReachClients(t *testing.T) {
	conn := connect(t, serve(t))
	const exact = "2024-01-02 03:04:05.123456789"
	mustExec(t, conn, "CREATE TABLE t (n TIMESTAMP_NS, l TIMESTAMP_NS[]); INSERT INTO t VALUES ('"+exact+"', ['"+exact+"'])")
	for format, want := range map[int16]string{pgx.TextFormatCode: "2024-01-02 03:04:05.123456", pgx.BinaryFormatCode: "2024-01-02 03:04:05.123456"} {
		var n pgtype.Timestamp
		var l []pgtype.Timestamp
		if err := conn.QueryRow(context.Background(), "SELECT n, l FROM t", pgx.QueryResultFormats{format}).Scan(&n, &l); err != nil {
			t.Fatal(err)
		}
		for _, got := range append(l, n) {
			if text := got.Time.Format("2006-01-02 15:04:05.999999999"); text != want {
				t.Errorf("format %d: %s, want %s", format, text, want)
			}
		}
	}
	if got := value[string](t, conn, "SELECT n::VARCHAR FROM t"); got != exact {
		t.Errorf("as text: %s", got)
	}
	text := copyOut(t, conn, "COPY t TO STDOUT")
	if want := exact + "\t{\"" + exact + "\"}\n"; text != want {
		t.Errorf("COPY: %q, want %q", text, want)
	}
	mustExec(t, conn, "DELETE FROM t")
	if _, err := copyText(conn, "COPY t FROM STDIN", text); err != nil {
		t.Fatal(err)
	}
	if got := value[string](t, conn, "SELECT n::VARCHAR || l::VARCHAR FROM t"); got != exact+"['"+exact+"']" {
		t.Errorf("after COPY: %s", got)
	}
}
