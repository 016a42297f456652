package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var copyPostgres = flag.String("copy.postgres", "", "host:port of a Postgres 15 that answers testdata/copyerrors in Trireme's place, with -rewrite")

// copyTable is the table of testdata/copyerrors.
const copyTable = `DROP TABLE IF EXISTS t; DROP TABLE IF EXISTS n; DROP TABLE IF EXISTS x; DROP TABLE IF EXISTS c;
CREATE TABLE t (a INTEGER PRIMARY KEY, b VARCHAR NOT NULL, c DATE, d NUMERIC(4,1));
CREATE TABLE n (k BIGINT, v BIGINT); CREATE TABLE c (k INTEGER CHECK (k > 0), v INTEGER UNIQUE);
CREATE TABLE x (b BOOLEAN, r REAL, f DOUBLE PRECISION, s SMALLINT, u UUID, ts TIMESTAMP, iv INTERVAL, y BYTEA, l INTEGER[], tm TIME, j JSON);
INSERT INTO t VALUES (-1, 'there', NULL, NULL)`

// TestCopyErrors compares the errors of COPY with Postgres' word by word. The answers
// in testdata/copyerrors are those of a real Postgres 15: a directive "copy" is a
// statement and what the client sends, strings of Go that are put together. Where
// Trireme's answer is another for a reason, the directive is "differs", and Postgres'
// is in the comment.
func TestCopyErrors(t *testing.T) {
	target, user := *copyPostgres, "postgres"
	if target == "" {
		target, user = serve(t), "trireme"
	}
	conn, err := pgx.Connect(context.Background(), "postgres://"+user+"@"+target+"/"+user+"?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	n := 0
	datadriven.RunTest(t, "testdata/copyerrors", func(t *testing.T, d *datadriven.TestData) string {
		switch n++; {
		case d.Cmd == "copy", d.Cmd == "differs" && *copyPostgres == "":
		case d.Cmd == "differs":
			return d.Expected
		default:
			d.Fatalf(t, "unknown directive %s", d.Cmd)
		}
		return answerOfCopy(t, conn, d)
	})
	if n < 60 {
		t.Errorf("only %d statements", n)
	}
}

// answerOfCopy runs one directive: its first line is the statement.
func answerOfCopy(t *testing.T, conn *pgx.Conn, d *datadriven.TestData) string {
	t.Helper()
	mustExec(t, conn, copyTable)
	sql, rest, _ := strings.Cut(d.Input, "\n")
	var data strings.Builder
	for line := range strings.Lines(rest) {
		text, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			d.Fatalf(t, "%s: %v", line, err)
		}
		data.WriteString(text)
	}
	tag, err := copyText(conn, sql, data.String())
	if err == nil {
		return tag.String() + "\n"
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if e.Where == "" {
		return fmt.Sprintf("%s %s\n", e.Code, e.Message)
	}
	return fmt.Sprintf("%s %s\n%s\n", e.Code, e.Message, strings.ReplaceAll(e.Where, "\n", "\\n"))
}

// A row for which there is no memory is an error of the COPY, by its name.
func TestCopyOfARowTooLargeForMemory(t *testing.T) {
	conn := connect(t, serve(t, "--memory-limit", "200MB"))
	mustExec(t, conn, "CREATE TABLE t (x VARCHAR)")
	for _, format := range []string{"text", "csv"} {
		_, err := conn.PgConn().CopyFrom(context.Background(), strings.NewReader(strings.Repeat("x", 150<<20)), "COPY t FROM STDIN (FORMAT "+format+")")
		wantCode(t, err, "53200")
	}
	mustExec(t, conn, "INSERT INTO t VALUES ('x')")
}
