package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // the database/sql driver "pgx"
)

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), "postgres://trireme@"+address+"/trireme?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return conn
}

func wantCode(t *testing.T, err error, code string) *pgconn.PgError {
	t.Helper()
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error %v, want SQLSTATE %s", err, code)
	}
	return e
}

func TestServeToPgx(t *testing.T) {
	ctx := context.Background()
	conn := connect(t, serve(t))
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			run := func(sql string, args ...any) pgconn.CommandTag {
				t.Helper()
				tag, err := conn.Exec(ctx, sql, append([]any{mode}, args...)...)
				if err != nil {
					t.Fatalf("%s: %v", sql, err)
				}
				return tag
			}
			run("RESET trireme.backend")
			run("CREATE OR REPLACE TABLE t (x BIGINT PRIMARY KEY, s VARCHAR)")
			if tag := run("INSERT INTO t VALUES ($1, $2), ($3, $4)", int64(1), "one", int64(2), "two"); tag.String() != "INSERT 0 2" {
				t.Errorf("tag %s", tag)
			}
			var s string
			if err := conn.QueryRow(ctx, "SELECT s FROM t WHERE x = $1", mode, int64(2)).Scan(&s); err != nil || s != "two" {
				t.Errorf("%q, %v", s, err)
			}
			_, err := conn.Exec(ctx, "INSERT INTO t VALUES ($1, 'again')", mode, int64(1))
			wantCode(t, err, "23505")
			run("SET trireme.backend = 'native'")
			var n int64
			if err := conn.QueryRow(ctx, "SELECT count(*) FROM t a, t b WHERE a.x = b.x", mode).Scan(&n); err != nil || n != 2 {
				t.Errorf("%d, %v", n, err)
			}
			var backend string
			if err := conn.QueryRow(ctx, "SHOW trireme.last_backend", mode).Scan(&backend); err != nil || backend != "native" {
				t.Errorf("a join was answered by %q, %v", backend, err)
			}
		})
	}
}

func TestServeTransactions(t *testing.T) {
	ctx := context.Background()
	address := serve(t)
	conn, other := connect(t, address), connect(t, address)
	if _, err := conn.Exec(ctx, "CREATE TABLE t (x INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	count := func(c *pgx.Conn) (n int) {
		t.Helper()
		if err := c.QueryRow(ctx, "SELECT count(*) FROM t").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "INSERT INTO t VALUES (2)"); err != nil {
		t.Fatal(err)
	}
	if a, b := count(conn), count(other); a != 2 || b != 1 {
		t.Errorf("inside %d, outside %d", a, b)
	}
	_, err = tx.Exec(ctx, "INSERT INTO t VALUES (1)")
	if e := wantCode(t, err, "23505"); e.SchemaName != "public" || e.TableName != "t" || e.ConstraintName != "t_pkey" || e.Detail != "Key (x)=(1) already exists." {
		t.Errorf("the error is about %q.%q, constraint %q: %s", e.SchemaName, e.TableName, e.ConstraintName, e.Detail)
	}
	_, err = tx.Exec(ctx, "SELECT 1")
	wantCode(t, err, "25P02")
	if err := tx.Commit(ctx); !errors.Is(err, pgx.ErrTxCommitRollback) {
		t.Errorf("commit of a failed transaction: %v", err)
	}
	if n := count(conn); n != 1 {
		t.Errorf("%d rows", n)
	}
	// Several statements in one simple query are one transaction.
	_, err = conn.Exec(ctx, "INSERT INTO t VALUES (3); INSERT INTO t VALUES (1)")
	wantCode(t, err, "23505")
	if n := count(conn); n != 1 {
		t.Errorf("%d rows after half a query", n)
	}
}

func TestServeErrorPosition(t *testing.T) {
	conn := connect(t, serve(t))
	const text = "SELECT 'ä', nope FROM (SELECT 1 AS a) t"
	_, err := conn.Exec(context.Background(), text)
	if e := wantCode(t, err, "42703"); e.Position != int32(len([]rune(text[:strings.Index(text, "nope")]))+1) {
		t.Errorf("position %d", e.Position)
	}
}

func TestServeCancelAndTimeout(t *testing.T) {
	ctx := context.Background()
	conn := connect(t, serve(t))
	const endless = "SELECT count(*) FROM range(1000000000000) r(i) WHERE i % 3 = 1"
	if _, err := conn.Exec(ctx, "SET statement_timeout = '100ms'"); err != nil {
		t.Fatal(err)
	}
	_, err := conn.Exec(ctx, endless)
	wantCode(t, err, "57014")
	if _, err := conn.Exec(ctx, "RESET statement_timeout"); err != nil {
		t.Fatal(err)
	}
	sent := make(chan time.Time, 1)
	timer := time.AfterFunc(200*time.Millisecond, func() {
		sent <- time.Now()
		if err := conn.PgConn().CancelRequest(ctx); err != nil {
			t.Error(err)
		}
	})
	defer timer.Stop()
	_, err = conn.Exec(ctx, endless)
	took := time.Since(<-sent)
	wantCode(t, err, "57014")
	t.Logf("cancelled after %s", took)
	if took > 2*time.Second {
		t.Errorf("cancelled after %s", took)
	}
	if err := conn.Ping(ctx); err != nil {
		t.Error(err)
	}
}

func TestServeManyConnections(t *testing.T) {
	db, err := sql.Open("pgx", "postgres://trireme@"+serve(t)+"/trireme?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const clients = 100
	db.SetMaxOpenConns(clients)
	if _, err := db.Exec("CREATE TABLE t (x INTEGER)"); err != nil {
		t.Fatal(err)
	}
	ready, all := make(chan struct{}, clients), make(chan struct{})
	failed := make(chan error, clients)
	for i := range clients {
		go func() {
			failed <- func() error {
				conn, err := db.Conn(context.Background())
				ready <- struct{}{}
				if err != nil {
					return err
				}
				defer conn.Close()
				<-all // every client has its connection at this moment
				if _, err := conn.ExecContext(context.Background(), "INSERT INTO t VALUES ($1)", i); err != nil {
					return err
				}
				var n int
				return conn.QueryRowContext(context.Background(), "SELECT count(*) FROM t a, t b WHERE a.x = b.x").Scan(&n)
			}()
		}()
	}
	for range clients {
		<-ready
	}
	close(all)
	for range clients {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	var n int
	if err := db.QueryRow("SELECT count(DISTINCT x) FROM t").Scan(&n); err != nil || n != clients {
		t.Errorf("%d rows, %v", n, err)
	}
}

func TestServePsql(t *testing.T) {
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("psql is not installed")
	}
	host, port, err := net.SplitHostPort(serve(t))
	if err != nil {
		t.Fatal(err)
	}
	const script = `\conninfo
CREATE TABLE t (x INTEGER PRIMARY KEY, s VARCHAR);
INSERT INTO t VALUES (1, 'ä'), (2, NULL);
SELECT * FROM t ORDER BY x;
BEGIN;
INSERT INTO t VALUES (1, 'again');
SELECT 1;
COMMIT;
SET trireme.backend = 'native';
SELECT count(*) FROM t a, t b WHERE a.x = b.x;
SHOW trireme.last_backend;
SET trireme.backend = 'duckdb';
SELECT count(*) FROM t a, t b WHERE a.x = b.x;
SHOW trireme.last_backend;
SELECT 1 AS a; SELECT 2 AS b;
`
	cmd := exec.Command(psql, "-X", "-A", "-q", "-h", host, "-p", port, "-U", "trireme", "trireme")
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := fmt.Sprintf(`You are connected to database "trireme" as user "trireme" on host "%s" at port "%s".
x|s
1|ä
2|
(2 rows)
ERROR:  duplicate key value violates unique constraint "t_pkey"
DETAIL:  Key (x)=(1) already exists.
ERROR:  current transaction is aborted, commands ignored until end of transaction block
count_star()
2
(1 row)
trireme.last_backend
native
(1 row)
count_star()
2
(1 row)
trireme.last_backend
duckdb
(1 row)
a
1
(1 row)
b
2
(1 row)
`, host, port)
	if string(out) != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

// A server in a process of its own holds its file against others and ends on
// SIGTERM, with what it has acknowledged on disk.
func TestServeProcess(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "a.db")
	cmd := process(t, "serve", "--listen", "127.0.0.1:0", "--db", path)
	output, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	defer func() {
		if !ended {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}()
	conn := connect(t, address(t, output))
	if _, err := conn.Exec(ctx, "CREATE TABLE t AS SELECT 7 AS x"); err != nil {
		t.Fatal(err)
	}
	second := process(t, "query", "--db", path, "SELECT 1")
	text, err := second.CombinedOutput()
	if err == nil || !strings.Contains(string(text), "55006") {
		t.Errorf("a second process opened the file: %v\n%s", err, text)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	ended = true
	if err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	got, err := trireme(t, "", "query", "--db", path, "--format", "csv", "SELECT x FROM t")
	if err != nil || got != "x\n7\n" {
		t.Errorf("%q, %v", got, err)
	}
}
