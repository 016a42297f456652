package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Statements that take more than a server gives are errors of their own, and the server
// goes on.
func TestServeRefusesWhatIsTooLarge(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	address := serve(t, "--memory-limit", "500MB")
	c, other := connect(t, address), connect(t, address)
	repeated := func(n int, text string) string { return strings.Repeat(text, n) }
	for _, tc := range []struct{ name, sql, code string }{
		{"depth by SET", "SET max_expression_depth = 1000000", "55P02"},
		{"depth by SET GLOBAL", "SET GLOBAL max_expression_depth = 1000000", "55P02"},
		{"depth by PRAGMA", "PRAGMA max_expression_depth = 1000000", "55P02"},
		{"depth by RESET", "RESET max_expression_depth", "55P02"},
		{"casts", "SELECT 1" + repeated(10000, "::INTEGER"), "54001"},
		{"operators", "SELECT 1" + repeated(600, "+1"), "54001"},
		{"calls", "SELECT " + repeated(600, "abs(") + "1" + repeated(600, ")"), "54001"},
		{"lists", "SELECT " + repeated(600, "[") + "1" + repeated(600, "]"), "54001"},
		{"brackets", "SELECT " + repeated(100000, "(") + "1" + repeated(100000, ")"), "54001"},
		{"blocks", "SELECT 1" + repeated(2000, " UNION ALL SELECT 1"), "54001"},
		{"tokens", "SELECT " + repeated(500000, "1,") + "1", "54001"},
		{"tokens of several statements", repeated(350000, "SELECT 1;"), "54001"},
		{"literal", "SELECT length('" + repeated(33<<20, "x") + "')", "54001"},
		{"name", "SELECT 1 AS \"" + repeated(33<<20, "x") + "\"", "54001"},
		{"list", "SELECT len(generate_series(1, 100000000))", "53200"},
		{"unnested list", "SELECT count(*) FROM (SELECT unnest(range(300000000)))", "53200"},
		{"texts", "SELECT len(string_split(repeat('a,', 50000000), ','))", "53200"},
		{"padding", "SELECT length(lpad('x', 1000000000, 'y'))", "53200"},
	} {
		for _, backend := range []string{"auto", "duckdb"} {
			if _, err := c.Exec(ctx, "SET trireme.backend = "+backend); err != nil {
				t.Fatal(err)
			}
			_, err := c.Exec(ctx, tc.sql)
			t.Run(tc.name+"/"+backend, func(t *testing.T) { wantCode(t, err, tc.code) })
			var one int
			if err := other.QueryRow(ctx, "SELECT 1").Scan(&one); err != nil {
				t.Fatalf("%s: another session: %v", tc.name, err)
			}
		}
	}
}

// A terminated session ends although its client has stopped reading the rows.
func TestServeEndsClientThatDoesNotRead(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	address := serve(t)
	watcher := connect(t, address)
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	fe := pgproto3.NewFrontend(nc, nc)
	fe.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "trireme"}})
	fe.Send(&pgproto3.Query{String: "SELECT repeat('x', 1000) FROM range(100000000)"})
	if err := fe.Flush(); err != nil {
		t.Fatal(err)
	}
	var pid uint32
	for rows := false; !rows; {
		msg, err := fe.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := msg.(type) {
		case *pgproto3.BackendKeyData:
			pid = m.ProcessID
		case *pgproto3.DataRow:
			rows = true
		}
	}
	var done bool
	if err := watcher.QueryRow(ctx, "SELECT pg_terminate_backend($1)", pid).Scan(&done); err != nil || !done {
		t.Fatal(done, err)
	}
	for n := 1; n > 0; time.Sleep(10 * time.Millisecond) {
		if err := watcher.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE pid = $1", pid).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
}

// Links do not lead COPY out of the directories that are open.
func TestCopyFollowsNoLinkOut(t *testing.T) {
	open, other := t.TempDir(), t.TempDir()
	secret := filepath.Join(other, "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("1\n"), 0o600), os.Symlink(secret, filepath.Join(open, "file")), os.Symlink(other, filepath.Join(open, "dir"))); err != nil {
		t.Fatal(err)
	}
	c := connect(t, serve(t, "--allow-files", open))
	mustRun(t, c, "CREATE TABLE t (x INTEGER)", "INSERT INTO t VALUES (7)")
	for _, path := range []string{"file", "dir/secret", "dir/new"} {
		path = "'" + filepath.Join(open, path) + "'"
		for _, format := range []string{"text", "csv", "binary"} {
			codes(t, c, "42501", "COPY t FROM "+path+" (FORMAT "+format+")", "COPY t TO "+path+" (FORMAT "+format+")")
		}
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "1\n" {
		t.Errorf("the file behind the links: %q, %v", text, err)
	}
	if err := os.Symlink("t.txt", filepath.Join(open, "inside")); err != nil {
		t.Fatal(err)
	}
	mustRun(t, c, "COPY t TO '"+filepath.Join(open, "t.txt")+"' (FORMAT text)", "COPY t FROM '"+filepath.Join(open, "inside")+"' (FORMAT text)")
}

// A server whose log nobody reads any more goes on.
func TestServeWithoutItsLog(t *testing.T) {
	cmd := process(t, "serve", "--listen", "127.0.0.1:0", "--log-level", "debug")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = w
	if err := errors.Join(cmd.Start(), w.Close()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }() // it was killed
	defer func() { _ = cmd.Process.Kill() }()
	at := make([]byte, 200)
	n, err := r.Read(at)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(at[:n]), "listening on ")
	listening, _, _ := strings.Cut(rest, " ")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	c := connect(t, listening)
	for range 20 { // each writes a line
		mustRun(t, c, "SELECT 1")
	}
}

// What a client leaves open on its connection is bounded.
func TestServeBoundsWhatIsLeftOpen(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	address := serve(t)
	c := connect(t, address)
	long := "SELECT 1 /*" + strings.Repeat("x", 30<<20) + "*/"
	for i, want := range []string{"", "", "54000", "54000"} {
		_, err := c.PgConn().Prepare(ctx, "s"+strconv.Itoa(i), long, nil)
		if want == "" && err != nil {
			t.Fatal(err)
		} else if want != "" {
			wantCode(t, err, want)
		}
	}
	codes(t, c, "54000", "BEGIN; "+cursors(257))
	mustRun(t, c, "ROLLBACK", "BEGIN; "+cursors(256), "FETCH 3 FROM c7", "CLOSE c7", "DECLARE c7 CURSOR FOR SELECT 7", "ROLLBACK")

	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	fe := pgproto3.NewFrontend(nc, nc)
	fe.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "trireme"}})
	fe.Send(&pgproto3.Query{String: "BEGIN"})
	fe.Send(&pgproto3.Parse{Name: "s", Query: "SELECT range FROM range(5)"})
	for i := range 257 {
		fe.Send(&pgproto3.Bind{DestinationPortal: "p" + strconv.Itoa(i), PreparedStatement: "s"})
	}
	fe.Send(&pgproto3.Sync{})
	if err := fe.Flush(); err != nil {
		t.Fatal(err)
	}
	for bound := 0; ; {
		msg, err := fe.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := msg.(type) {
		case *pgproto3.BindComplete:
			bound++
		case *pgproto3.ErrorResponse:
			if m.Code != "54000" || bound != 256 {
				t.Errorf("after %d portals: %s %s", bound, m.Code, m.Message)
			}
			return
		}
	}
}

// cursors declares so many.
func cursors(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "DECLARE c%d CURSOR FOR SELECT range FROM range(10);", i)
	}
	return b.String()
}

// Types of parameters that depend on one another in a long chain are found in many rounds,
// which end when the statement is cancelled; its connection stays.
func TestParametersInAChainHeedTimeouts(t *testing.T) {
	c := connect(t, serve(t))
	ctx := context.Background()
	if _, err := c.Exec(ctx, "SET statement_timeout = '1ms'"); err != nil {
		t.Fatal(err)
	}
	var sums, calls strings.Builder
	for i := range 300 {
		fmt.Fprintf(&sums, "+$%d", i+1)
		fmt.Fprintf(&calls, "coalesce($%d,", i+1)
	}
	for _, sql := range []string{"SELECT 1::SMALLINT" + sums.String(), "SELECT " + calls.String() + "NULL" + strings.Repeat(")", 300)} {
		_, err := c.PgConn().Prepare(ctx, "", sql, nil)
		wantCode(t, err, "57014")
	}
	if _, err := c.Exec(ctx, "RESET statement_timeout"); err != nil {
		t.Error(err)
	}
}
