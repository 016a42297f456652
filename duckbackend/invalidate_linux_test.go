//go:build !duckdb_use_lib

package duckbackend

import (
	"errors"
	"testing"
)

// internalValue is an expression of x that DuckDB types wrongly, which it notices when it
// evaluates it: without its optimizer always.
const internalValue = "switch(x, map([1], [2]), 9::DECIMAL(38, 0))"

// An internal error that comes while a statement is executed is that statement's alone.
func TestInternalErrorsCloseNothing(t *testing.T) {
	db := openMemory(t)
	other := openConn(t, db)
	mustExec(t, other, "CREATE TABLE t AS SELECT 5 AS x")
	for _, text := range []string{
		"SELECT " + internalValue + " FROM t",
		"SELECT " + internalValue + " FROM t UNION ALL SELECT i FROM range(100000) v(i)",
		"SELECT " + internalValue + " FROM (SELECT i::INTEGER AS x FROM range(100000) v(i))",
		"SELECT list_transform([1, 2], lambda y: switch(x + y, map([1], [2]), 9::DECIMAL(38, 0))) FROM t",
		"EXPLAIN ANALYZE SELECT " + internalValue + " FROM t",
		"CREATE TABLE u AS SELECT " + internalValue + " AS x FROM t",
		"INSERT INTO t SELECT " + internalValue + " FROM t",
		"UPDATE t SET x = " + internalValue,
		"DELETE FROM t WHERE " + internalValue + " = 2",
		"ALTER TABLE t ALTER x TYPE BIGINT USING " + internalValue,
	} {
		c, err := db.PlainConn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := runs(ctx, c, text); !errors.Is(err, ErrInternal) {
			t.Errorf("%s: %v", text, err)
		}
		mustExec(t, c, "BEGIN; INSERT INTO t VALUES (6)")
		if err := runs(ctx, c, text); !errors.Is(err, ErrInternal) {
			t.Errorf("%s in a transaction: %v", text, err)
		}
		if err := runs(ctx, c, "FROM t"); err == nil {
			t.Errorf("%s: the transaction goes on", text)
		}
		mustExec(t, c, "ROLLBACK")
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if got := query(t, other, "SELECT x, (SELECT count(*) FROM duckdb_tables() WHERE table_name = 'u') FROM t"); got != "5|0\n" {
			t.Errorf("%s: %q afterwards", text, got)
		}
	}
}

// A statement that is not prepared leaves its transaction as it was.
func TestPreparingEndsNoTransaction(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE t (x INTEGER, d DATE, l INTEGER[])")
	for _, text := range []string{
		"SELECT strftime(d, '') FROM t", "SELECT strptime(x::VARCHAR, '%!') FROM t", "SELECT list_sort(l, 'year') FROM t",
		"FROM '/no/such/file.csv'", "SELECT regexp_matches(x::VARCHAR, '(') FROM t",
		"SELECT quantile_cont(x, 2) FROM t", "INSERT INTO t SELECT * FROM read_csv('/no/such/file')", "SELECT nothing FROM t", "SELECT",
	} {
		mustExec(t, c, "BEGIN; INSERT INTO t (x) VALUES (6)")
		if _, err := c.Prepare(ctx, text); err == nil {
			t.Errorf("%s is prepared", text)
		}
		if got := query(t, c, "SELECT x FROM t"); got != "6\n" {
			t.Errorf("%s: %q afterwards", text, got)
		}
		mustExec(t, c, "ROLLBACK")
	}
}
