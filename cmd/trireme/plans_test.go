package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestPlansOverTheWire: a statement that is parsed and described before another connection
// writes is executed on what that wrote, whatever the backend; with and without parameters, in a transaction and
// in a pipeline.
func TestPlansOverTheWire(t *testing.T) {
	host, port, err := net.SplitHostPort(serve(t))
	if err != nil {
		t.Fatal(err)
	}
	mine, other := connectTo(t, host, port), connectTo(t, host, port)
	for _, backend := range []string{"auto", "native", "decomposed", "duckdb"} {
		for _, around := range []string{"", "BEGIN", "SHOW trireme.backend"} {
			for _, s := range []struct {
				sql  string
				args []string
				want string
			}{
				{sql: "DELETE FROM pa WHERE k <= 5 RETURNING k", want: "1 2"},
				{sql: "DELETE FROM pa WHERE k <= $1 RETURNING k", args: []string{"5"}, want: "1 2"},
				{sql: "UPDATE pa SET v = 3 WHERE v IS NULL RETURNING k", want: "9"},
				{sql: "SELECT max(k) FROM pa WHERE k > 5", want: "9"},
				{sql: "SELECT k FROM pa GROUP BY k ORDER BY k", want: "1 2 8 9"},
			} {
				name := fmt.Sprintf("%s, %s: %s", backend, around, s.sql)
				wireRows(t, mine, "SET trireme.backend = "+backend+"; CREATE OR REPLACE TABLE pa(k INTEGER, v INTEGER); INSERT INTO pa VALUES (1,10),(2,5)")
				if _, err := mine.Prepare(context.Background(), "q", s.sql, nil); err != nil {
					t.Fatal(name, err)
				}
				wireRows(t, other, "INSERT INTO pa VALUES (8,1),(9,NULL)")
				var got string
				switch around {
				case "":
					got = wireText(t, mine.ExecPrepared(context.Background(), "q", bytesOf(s.args), nil, nil).Read())
				case "BEGIN":
					wireRows(t, mine, "BEGIN")
					got = wireText(t, mine.ExecPrepared(context.Background(), "q", bytesOf(s.args), nil, nil).Read())
					wireRows(t, mine, "COMMIT")
				default:
					batch := &pgconn.Batch{}
					batch.ExecParams(around, nil, nil, nil, nil)
					batch.ExecPrepared("q", bytesOf(s.args), nil, nil)
					results, err := mine.ExecBatch(context.Background(), batch).ReadAll()
					if err != nil {
						t.Fatal(name, err)
					}
					got = wireText(t, results[1])
				}
				if got != s.want {
					t.Errorf("%s: %q, want %q", name, got, s.want)
				}
				wireRows(t, mine, "DEALLOCATE q")
			}
		}
	}
}

func connectTo(t *testing.T, host, port string) *pgconn.PgConn {
	t.Helper()
	c, err := pgconn.Connect(context.Background(), "postgres://trireme@"+net.JoinHostPort(host, port)+"/trireme")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func wireRows(t *testing.T, c *pgconn.PgConn, sql string) {
	t.Helper()
	if err := answerOne(c.Exec(context.Background(), sql)); err != nil {
		t.Fatal(sql, err)
	}
}

// wireText is the first column of a result.
func wireText(t *testing.T, r *pgconn.Result) string {
	t.Helper()
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	var texts []string
	for _, row := range r.Rows {
		texts = append(texts, string(row[0]))
	}
	return strings.Join(texts, " ")
}

func bytesOf(args []string) [][]byte {
	values := make([][]byte, len(args))
	for i, a := range args {
		values[i] = []byte(a)
	}
	return values
}
