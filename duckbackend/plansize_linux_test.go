//go:build !duckdb_use_lib

package duckbackend

import (
	"fmt"
	"strings"
	"testing"
)

// aliases are columns of which each is the one before twice.
func aliases(n int) string {
	var b strings.Builder
	b.WriteString("x AS a0")
	for i := range n {
		fmt.Fprintf(&b, ", a%d + a%[1]d AS a%d", i, i+1)
	}
	return b.String()
}

// A short text may name views, macros and common tables that become a million SELECTs.
func TestStatementsOfManyTablesAreRefused(t *testing.T) {
	c := openConn(t, openMemory(t))
	const n = 200
	mustExec(t, c, "CREATE VIEW v AS "+strings.Repeat("SELECT 1 AS x UNION ALL ", n)+"SELECT 2; CREATE MACRO m() AS TABLE FROM v UNION ALL FROM v")
	if got := query(t, c, "SELECT count(*) FROM (FROM v UNION ALL FROM m())"); got != "603\n" {
		t.Error(got)
	}
	for _, sql := range []string{
		"CREATE VIEW w AS " + strings.Repeat("FROM v UNION ALL ", n) + "FROM v",
		strings.Repeat("FROM m() UNION ALL ", n/2) + "FROM v",
		"SELECT 1 IN (" + strings.Repeat("FROM v UNION ALL ", n) + "FROM v)",
		"EXPLAIN " + strings.Repeat("FROM v UNION ALL ", n) + "FROM v",
	} {
		wantCode(t, runs(ctx, c, sql), "54001")
	}
	if got := query(t, c, "SELECT count(*) FROM v"); got != "201\n" {
		t.Error(got)
	}
}

// Small blocks of a plan count for the limit of memory, and are forgotten when it is made.
func TestPlansWithoutMemoryAreRefused(t *testing.T) {
	db, err := Open(ctx, Config{MemoryLimitBytes: 16 << 20, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	c := openConn(t, db)
	mustExec(t, c, "CREATE TABLE t (x INTEGER); CREATE MACRO f(a) AS a + 1")
	before := heldMemory()
	for _, sql := range []string{
		"SELECT " + aliases(20) + " FROM t",
		"SELECT [" + strings.Repeat("f(f(f(f(x)))), ", 20000) + "x] FROM t",
	} {
		if err := runs(ctx, c, sql); !isOutOfMemory(err) || !strings.Contains(err.Error(), "the plan") {
			t.Errorf("%.50s..: %v", sql, err)
		}
	}
	mustExec(t, c, "SELECT "+aliases(5)+" FROM t")
	if held := heldMemory(); held != before {
		t.Errorf("%d bytes are held, %d before", held, before)
	}
}
