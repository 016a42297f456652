package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
)

// A client that is silent for too long is told why its connection ends.
func TestIdleTimeouts(t *testing.T) {
	ctx := context.Background()
	address := serve(t)
	for _, c := range []struct {
		code  string
		setup []string
	}{
		{"57P05", []string{"SET idle_session_timeout = 50"}},
		{"25P03", []string{"SET idle_in_transaction_session_timeout = 50", "BEGIN"}},
		{"25P03", []string{"SET idle_in_transaction_session_timeout = 50", "BEGIN", "nonsense"}},
		{"25P04", []string{"SET transaction_timeout = 50", "BEGIN"}},
	} {
		t.Run(fmt.Sprint(c.setup), func(t *testing.T) {
			conn, err := pgx.Connect(ctx, "postgres://trireme@"+address+"/trireme?sslmode=disable")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(ctx)
			for _, sql := range c.setup {
				var refused *pgconn.PgError
				if _, err := conn.Exec(ctx, sql); err != nil && !errors.As(err, &refused) {
					t.Fatal(err)
				}
			}
			_, err = conn.PgConn().ReceiveMessage(ctx) // nothing but the end of the connection
			wantCode(t, err, c.code)
		})
	}
	// A transaction has its limit also where the client does not say Sync.
	for _, sql := range []string{"BEGIN", "CREATE TABLE IF NOT EXISTS held (a INT)"} {
		conn := connect(t, address)
		if _, err := conn.Exec(ctx, "SET transaction_timeout = 50"); err != nil {
			t.Fatal(err)
		}
		wire := conn.PgConn().Frontend()
		wire.SendParse(&pgproto3.Parse{Query: sql})
		wire.SendBind(&pgproto3.Bind{})
		wire.SendExecute(&pgproto3.Execute{})
		wire.Send(&pgproto3.Flush{})
		if err := wire.Flush(); err != nil {
			t.Fatal(err)
		}
		var why *pgproto3.ErrorResponse
		for why == nil {
			msg, err := wire.Receive()
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			why, _ = msg.(*pgproto3.ErrorResponse)
		}
		if why.Code != "25P04" || why.Severity != "FATAL" {
			t.Errorf("%s: %s %s", sql, why.Severity, why.Code)
		}
	}
	// Where the limit is of transactions, a session outside them may be silent, and
	// one that speaks goes on.
	conn := connect(t, address)
	for _, sql := range []string{"SET idle_in_transaction_session_timeout = 20", "SET statement_timeout = 0", "SELECT 1"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(60 * time.Millisecond)
	if _, err := conn.Exec(ctx, "SELECT 1"); err != nil {
		t.Error(err)
	}
	if _, err := conn.Exec(ctx, "SET transaction_timeout = 200"); err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(ctx, "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = 7")
	wantCode(t, err, "25P04")
	if !conn.IsClosed() {
		t.Error("the connection outlives its transaction's time")
	}
}

// An error's position is in the statement, not where its text stands before in a comment.
func TestPositionsBehindComments(t *testing.T) {
	ctx := context.Background()
	conn := connect(t, serve(t))
	for sql, want := range map[string]int32{
		"/* select nope */ select nope":           26,
		"-- select nope\nselect nope":             23,
		"select 1; /* select é */ select nope":    33,
		"select 'select nope'; select nope":       30,
		"/* select 1 */ select 1; select 1, nope": 36,
	} {
		_, err := conn.PgConn().Exec(ctx, sql).ReadAll()
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Position != want {
			t.Errorf("%s: %v at %d, want %d", sql, err, refused.Position, want)
		}
	}
	var text string
	if err := conn.QueryRow(ctx, "SELECT ($1::interval)::text", "1-2").Scan(&text); err != nil || text != "1 year 2 months" {
		t.Errorf("an interval of years and months: %s, %v", text, err)
	}
	least := pgtype.Interval{Microseconds: math.MinInt64, Valid: true}
	var back pgtype.Interval
	if err := conn.QueryRow(ctx, "SELECT $1::interval", least).Scan(&back); err != nil || back != least {
		t.Errorf("the least time of an interval: %v, %v", back, err)
	}
}

// Every type goes there and back as a parameter and as a column, in text and in
// binary.
func TestRoundTrips(t *testing.T) {
	ctx := context.Background()
	conn := connect(t, serve(t))
	for _, c := range []struct{ typ, text string }{
		{"BOOLEAN", "true"},
		{"SMALLINT", "-32768"},
		{"INTEGER", "2147483647"},
		{"BIGINT", "-9223372036854775808"},
		{"REAL", "1.5"},
		{"REAL", "Infinity"},
		{"DOUBLE", "0.1"},
		{"DOUBLE", "NaN"},
		{"DOUBLE", "-Infinity"},
		{"DECIMAL(38,4)", "-1234567890123456789012345678901234.5678"},
		{"DECIMAL(9,2)", "0.05"},
		{"HUGEINT", "-170141183460469231731687303715884105728"},
		{"VARCHAR", "é, 'x' \"y\" \\z"},
		{"VARCHAR", ""},
		{"BLOB", `\x00ff41`},
		{"UUID", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{"DATE", "2024-02-29"},
		{"DATE", "infinity"},
		{"DATE", "-infinity"},
		{"DATE", "0044-03-15 BC"},
		{"TIME", "12:34:56.789"},
		{"TIMESTAMP", "2024-02-29 12:34:56.789012"},
		{"TIMESTAMP", "-infinity"},
		{"TIMESTAMPTZ", "2024-02-29 12:34:56.789012+00"},
		{"TIMESTAMPTZ", "infinity"},
		{"INTERVAL", "1 year 2 mons -3 days +04:05:06.789"},
		{"JSON", `{"a": [1, null]}`},
		{"INTEGER[]", "{1,NULL,-3}"},
		{"INTEGER[]", "{}"},
		{"VARCHAR[]", `{"a,b",NULL,"NULL","","q\"\\",'}`},
		{"DOUBLE[]", "{0.1,NaN,-Infinity}"},
		{"DATE[]", `{2024-02-29,infinity,"0044-03-15 BC"}`},
		{"BOOLEAN[]", "{t,f,NULL}"},
		{"DECIMAL(9,2)[]", "{1.50,-0.01}"},
		{"TIMESTAMPTZ[]", `{"2024-02-29 12:34:56+00"}`},
		{"UUID[]", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}"},
	} {
		sql := "SELECT CAST($1 AS " + c.typ + ")"
		want := []byte(c.text)
		if c.typ == "BOOLEAN" {
			want = []byte("t")
		}
		text := conn.PgConn().ExecParams(ctx, sql, [][]byte{[]byte(c.text)}, nil, nil, nil).Read()
		if text.Err != nil {
			t.Errorf("%s %s: %v", c.typ, c.text, text.Err)
			continue
		}
		if got := text.Rows[0][0]; !slices.Equal(got, want) {
			t.Errorf("%s %s: %q in text", c.typ, c.text, got)
		}
		// What comes in binary goes back in binary, and is the same in text.
		binary := conn.PgConn().ExecParams(ctx, sql, [][]byte{[]byte(c.text)}, nil, nil, []int16{1}).Read()
		if binary.Err != nil {
			t.Errorf("%s %s in binary: %v", c.typ, c.text, binary.Err)
			continue
		}
		oid := binary.FieldDescriptions[0].DataTypeOID
		for _, format := range []int16{0, 1} {
			back := conn.PgConn().ExecParams(ctx, sql, [][]byte{binary.Rows[0][0]}, []uint32{oid}, []int16{1}, []int16{format}).Read()
			expected := want
			if format == 1 {
				expected = binary.Rows[0][0]
			}
			if back.Err != nil || !slices.Equal(back.Rows[0][0], expected) {
				t.Errorf("%s %s from binary, in format %d: %q, %v", c.typ, c.text, format, back.Rows, back.Err)
			}
		}
		// Untyped NULL in both formats.
		for _, format := range []int16{0, 1} {
			null := conn.PgConn().ExecParams(ctx, sql, [][]byte{nil}, nil, []int16{format}, []int16{format}).Read()
			if null.Err != nil || null.Rows[0][0] != nil {
				t.Errorf("NULL of %s: %v, %v", c.typ, null.Rows, null.Err)
			}
		}
	}
}

func TestAnyOfAList(t *testing.T) {
	ctx := context.Background()
	conn := connect(t, serve(t))
	if _, err := conn.Exec(ctx, "CREATE TABLE t AS SELECT i::INTEGER AS i, 'n' || i AS n FROM range(10) r(i)"); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec,
	} {
		var n int64
		if err := conn.QueryRow(ctx, "SELECT count(*) FROM t WHERE i = ANY($1)", mode, []int32{1, 2, 77}).Scan(&n); err != nil || n != 2 {
			t.Errorf("%s: %d, %v", mode, n, err)
		}
		if err := conn.QueryRow(ctx, "SELECT count(*) FROM t WHERE n <> ALL($1)", mode, []string{"n1", "a'b\\"}).Scan(&n); err != nil || n != 9 {
			t.Errorf("%s: %d, %v", mode, n, err)
		}
	}
	var list []int32
	if err := conn.QueryRow(ctx, "SELECT list(i ORDER BY i) FROM t WHERE i < 3").Scan(&list); err != nil || !slices.Equal(list, []int32{0, 1, 2}) {
		t.Errorf("%v, %v", list, err)
	}
}

// The names of Parse and of PREPARE are one set, and DECLAREd cursors are portals.
func TestNamesAreShared(t *testing.T) {
	ctx := context.Background()
	conn := connect(t, serve(t))
	pc := conn.PgConn()
	if _, err := pc.Prepare(ctx, "a", "SELECT 1", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, "DEALLOCATE a"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, pc.ExecPrepared(ctx, "a", nil, nil, nil).Read().Err, "26000")
	if _, err := pc.Prepare(ctx, "a", "SELECT 1", nil); err != nil {
		t.Error(err)
	}
	_, err := conn.Exec(ctx, "PREPARE a AS SELECT 2")
	wantCode(t, err, "42P05")
	if _, err := conn.Exec(ctx, "PREPARE b(INTEGER) AS SELECT $1 + 1 AS n"); err != nil {
		t.Fatal(err)
	}
	_, err = pc.Prepare(ctx, "b", "SELECT 1", nil)
	wantCode(t, err, "42P05")
	wantRows := func(name string, want string, args ...string) {
		t.Helper()
		values := make([][]byte, len(args))
		for i, a := range args {
			values[i] = []byte(a)
		}
		res := pc.ExecPrepared(ctx, name, values, nil, nil).Read()
		if res.Err != nil || len(res.Rows) != 1 || string(res.Rows[0][0]) != want {
			t.Errorf("%s: %q, %v", name, res.Rows, res.Err)
		}
	}
	wantRows("b", "42", "41")
	wantRows("a", "1")
	var n int
	if err := conn.QueryRow(ctx, "EXECUTE b(6)", pgx.QueryExecModeSimpleProtocol).Scan(&n); err != nil || n != 7 {
		t.Errorf("%d, %v", n, err)
	}
	if err := conn.QueryRow(ctx, "EXECUTE a", pgx.QueryExecModeSimpleProtocol).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	var names []string
	if err := conn.QueryRow(ctx, "SELECT list(name || from_sql::VARCHAR ORDER BY name) FROM pg_prepared_statements", pgx.QueryExecModeExec).Scan(&names); err != nil || !slices.Equal(names, []string{"afalse", "btrue"}) {
		t.Errorf("%v, %v", names, err)
	}
	if err := pc.Deallocate(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, pc.ExecPrepared(ctx, "b", [][]byte{[]byte("1")}, nil, nil).Read().Err, "26000")
	_, err = conn.Exec(ctx, "EXECUTE b(1)")
	wantCode(t, err, "26000")
	if _, err := conn.Exec(ctx, "DISCARD ALL"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, pc.ExecPrepared(ctx, "a", nil, nil, nil).Read().Err, "26000")
}
