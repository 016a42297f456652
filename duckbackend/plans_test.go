package duckbackend

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPlansAreOfTheirData: DuckDB plans with the least and the greatest values of columns, with
// whether they have NULLs, and with numbers of rows. A statement that is prepared before others
// write is executed on what they wrote: by the same connection or another, in a transaction
// that has written itself or not, for the first time and again.
func TestPlansAreOfTheirData(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.csv")
	statements := []struct{ sql, after, want, again string }{
		{sql: "SELECT k FROM pa WHERE k > 5 ORDER BY k", want: "8 9", again: "8 9 20"},
		{sql: "SELECT k FROM pa WHERE k <= 5 ORDER BY k", want: "1 2", again: "1 2"},
		{sql: "SELECT k FROM pa WHERE v IS NULL", want: "9", again: "9"},
		{sql: "SELECT k FROM pa WHERE v IS NOT NULL ORDER BY k", want: "1 2 8", again: "1 2 8 20"},
		{sql: "SELECT count(*) FROM pa", want: "4", again: "5"},
		{sql: "SELECT count(v) FROM pa", want: "3", again: "4"},
		{sql: "SELECT max(k) FROM pa", want: "9", again: "20"},
		{sql: "SELECT k FROM pa GROUP BY k ORDER BY k", want: "1 2 8 9", again: "1 2 8 9 20"},
		{sql: "SELECT a.k FROM pa a JOIN pa b ON a.k = b.k WHERE a.k > 5 ORDER BY a.k", want: "8 9", again: "8 9 20"},
		{sql: "SELECT [k] FROM pa WHERE k > 7 AND k < 9", want: "[8]", again: "[8]"}, // of text that is ours
		{sql: "EXPLAIN ANALYZE DELETE FROM pa WHERE k <= 5", after: "SELECT k FROM pa ORDER BY k", want: "8 9", again: "8 9 20"},
		{sql: "DELETE FROM pa WHERE k <= 5", after: "SELECT k FROM pa ORDER BY k", want: "8 9", again: "8 9 20"},
		{sql: "WITH RECURSIVE r(k) AS (SELECT 0 UNION ALL SELECT pa.k FROM r, pa WHERE r.k = 0 AND pa.k > 5) SELECT k FROM r ORDER BY k", want: "0 8 9", again: "0 8 9 20"},
		{sql: "DELETE FROM pa WHERE k <= 5 RETURNING k", want: "1 2", again: ""},
		{sql: "UPDATE pa SET v = 100 WHERE k > 5", after: "SELECT v FROM pa ORDER BY k", want: "10 5 100 100", again: "10 5 100 100 100"},
		{sql: "UPDATE pa SET v = 100 WHERE v IS NULL", after: "SELECT v FROM pa ORDER BY k", want: "10 5 1 100", again: "10 5 1 100 1"},
		{sql: "INSERT INTO pa SELECT k + 100, v FROM pa WHERE k BETWEEN 6 AND 90", after: "SELECT k FROM pa ORDER BY k", want: "1 2 8 9 108 109", again: "1 2 8 9 20 108 108 109 109 120"},
		{
			sql:   "MERGE INTO pa USING (SELECT 8 AS k) s ON pa.k = s.k WHEN MATCHED THEN UPDATE SET v = 77 WHEN NOT MATCHED THEN INSERT VALUES (s.k, 0)",
			after: "SELECT v FROM pa ORDER BY k", want: "10 5 77 NULL", again: "10 5 77 NULL 1",
		},
		{sql: "CREATE OR REPLACE TABLE made AS SELECT k FROM pa WHERE k > 5", after: "SELECT k FROM made ORDER BY k", want: "8 9", again: "8 9 20"},
		{sql: "COPY (SELECT k FROM pa WHERE k > 5 ORDER BY k) TO '" + file + "'", after: "SELECT k FROM read_csv('" + file + "')", want: "8 9", again: "8 9 20"},
	}
	ways := []struct {
		name  string
		begin bool // a transaction around everything but the preparing
		other bool // another connection writes
	}{{name: "own"}, {name: "other", other: true}, {name: "in transaction", begin: true}}
	for _, way := range ways {
		for _, s := range statements {
			t.Run(way.name+"/"+s.sql, func(t *testing.T) {
				db := openMemory(t)
				c, other := openConn(t, db), openConn(t, db)
				mustExec(t, c, "CREATE TABLE pa(k INTEGER, v INTEGER); INSERT INTO pa VALUES (1,10),(2,5)")
				stmt, err := c.Prepare(ctx, s.sql)
				if err != nil {
					t.Fatal(err)
				}
				writer := c
				if way.other {
					writer = other
				}
				if way.begin {
					mustExec(t, c, "BEGIN")
				}
				for _, step := range []struct{ write, want string }{{"INSERT INTO pa VALUES (8,1),(9,NULL)", s.want}, {"INSERT INTO pa VALUES (20,1)", s.again}} {
					mustExec(t, writer, step.write)
					got := values(t, stmt)
					if s.after != "" {
						got = oneLine(query(t, c, s.after))
					}
					if got != step.want {
						t.Errorf("after %s: %q, want %q", step.write, got, step.want)
					}
				}
				if way.begin {
					mustExec(t, c, "COMMIT")
				}
				if err := stmt.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestPlansOfTransactions: a plan that was made within a transaction does not outlive what
// the transaction saw, whether it was committed or rolled back.
func TestPlansOfTransactions(t *testing.T) {
	for _, sql := range []string{"SELECT k FROM pa WHERE k > 5 ORDER BY k", "SELECT k FROM pa GROUP BY k HAVING k > 5 ORDER BY k", "SELECT max(k) FROM pa WHERE k > 5"} {
		for _, end := range []string{"COMMIT", "ROLLBACK"} {
			t.Run(end+"/"+sql, func(t *testing.T) {
				db := openMemory(t)
				c, other := openConn(t, db), openConn(t, db)
				mustExec(t, c, "CREATE TABLE pa(k INTEGER); INSERT INTO pa VALUES (1),(2); BEGIN; SELECT * FROM pa")
				mustExec(t, other, "INSERT INTO pa VALUES (8)")
				stmt, err := c.Prepare(ctx, sql)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.ReplaceAll(values(t, stmt), "NULL", ""); got != "" {
					t.Errorf("in the transaction: %q", got)
				}
				mustExec(t, c, end)
				if got := values(t, stmt); got != "8" {
					t.Errorf("after it: %q, want 8", got)
				}
				if err := stmt.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestPlansOfUnfinishedWrites: a statement that is prepared while another connection's
// transaction has written is executed on what that has committed since.
func TestPlansOfUnfinishedWrites(t *testing.T) {
	db := openMemory(t)
	c, other := openConn(t, db), openConn(t, db)
	mustExec(t, c, "CREATE TABLE pa(k INTEGER); INSERT INTO pa VALUES (1),(2)")
	mustExec(t, other, "BEGIN; INSERT INTO pa VALUES (8)")
	stmt, err := c.Prepare(ctx, "DELETE FROM pa WHERE k <= 5")
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, other, "COMMIT")
	values(t, stmt)
	if got := query(t, c, "SELECT k FROM pa"); got != "8\n" {
		t.Errorf("left: %q, want 8", got)
	}
	if err := stmt.Close(); err != nil {
		t.Error(err)
	}
}

// values are the values of an execution, one after the other.
func values(t *testing.T, stmt *Stmt) string {
	t.Helper()
	cur, err := stmt.Execute(ctx, nil)
	return oneLine(drain(t, cur, err))
}

func oneLine(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\n", " ")) }
