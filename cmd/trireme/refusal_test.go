package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A transaction goes on after a statement that a forced backend refuses, since nothing of
// it has run, and after a refused SAVEPOINT; other errors end it.
func TestTransactionOutlivesRefusals(t *testing.T) {
	ctx := context.Background()
	address := serve(t)
	mustRun(t, connect(t, address), "CREATE TABLE t (x INTEGER)", "CREATE SEQUENCE sq")
	const refused = "SELECT a.x FROM t a ASOF JOIN t b ON a.x >= b.x"
	for i, mode := range []pgx.QueryExecMode{pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeCacheStatement, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec} {
		c := connect(t, address)
		exec := func(want, sql string) {
			t.Helper()
			if _, err := c.Exec(ctx, sql, mode); want != "" {
				wantCode(t, err, want)
			} else if err != nil {
				t.Fatal(sql, err)
			}
		}
		status := func(want byte) {
			t.Helper()
			if got := c.PgConn().TxStatus(); got != want {
				t.Errorf("%v: status %c, want %c", mode, got, want)
			}
		}
		exec("", "BEGIN")
		exec("", fmt.Sprintf("INSERT INTO t VALUES (%d)", 10*i))
		for _, backend := range []string{"native", "decomposed"} {
			exec("", "SET trireme.backend = "+backend)
			exec("0A000", refused)
			status('T')
			exec("0A000", "PREPARE p AS "+refused)
			exec("0A000", "DECLARE c CURSOR FOR "+refused)
			status('T')
		}
		exec("", fmt.Sprintf("INSERT INTO t VALUES (%d)", 10*i+1))
		exec("", "UPDATE t SET x = x + nextval('sq') * 0")
		exec("0A000", "SAVEPOINT s")
		status('T')
		exec("", "COMMIT")
		status('I')
		exec("", "BEGIN")
		exec("", "DELETE FROM t")
		exec("0A000", refused)
		exec("42703", "SELECT nothing FROM t")
		status('E')
		exec("25P02", "SELECT 1")
		exec("", "ROLLBACK")
		var n int
		if err := c.QueryRow(ctx, "SELECT count(*) FROM t", pgx.QueryExecModeSimpleProtocol).Scan(&n); err != nil || n != 2*(i+1) {
			t.Errorf("%v: %d rows, %v", mode, n, err)
		}
	}
	if _, err := exec.LookPath("psql"); err != nil {
		t.Skip("psql is not installed")
	}
	host, port, _ := strings.Cut(address, ":")
	cmd := exec.Command("psql", "-h", host, "-p", port, "-U", "trireme", "-tA", "trireme")
	cmd.Stdin = strings.NewReader("BEGIN;\nINSERT INTO t VALUES (100);\nSET trireme.backend = native;\n" + refused + ";\n\\echo :SQLSTATE\nINSERT INTO t VALUES (101);\nCOMMIT;\nSELECT count(*) FROM t WHERE x >= 100;\n")
	out, err := cmd.Output()
	if want := "0A000\nINSERT 0 1\nCOMMIT\n2\n"; err != nil || !strings.HasSuffix(string(out), want) {
		t.Errorf("psql shows %s, %v; want %s at the end", out, err, want)
	}
}
