//go:build !duckdb_use_lib

package duckbackend

import (
	"context"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Values that one call makes, folded when the statement is prepared or made when it runs.
// Each would take a gigabyte or more.
var largeValues = []string{
	"len(generate_series(1, 100000000 * n))",
	"len(range(0, 300000000 * n, 1))",
	"len(string_split(repeat('a,', 50000000 * n), ','))",
	"length(lpad('x', (500000000 * n)::INTEGER, 'y'))",
	"length(rpad('x', (500000000 * n)::INTEGER, 'y'))",
	"length(repeat('abc', 700000000 * n))",
	"len(repeat([1, 2, 3], 100000000 * n))",
	"len(list_resize([1], 1000000000 * n))",
	"length(bitstring('1', (2000000000 * n)::INTEGER))",
	"length(format('{:>' || (1000000000 * n)::VARCHAR || '}', 'x'))",
	"length(printf('%' || (1000000000 * n)::VARCHAR || 'd', n))",
	"length(list_reduce(range(40)::VARCHAR[], lambda x, y: x || x || n))",
	"length(replace(repeat('a', 1000000 * n), 'a', repeat('b', 1000000)))",
	"length(regexp_replace(repeat('a', 1000000 * n), 'a', repeat('b', 1000000), 'g'))",
	"length(array_to_string(range(1000 * n), repeat('b', 10000000)))",
	"length(to_json(range(50000000 * n))::VARCHAR)",
	"len(range(TIMESTAMP '2000-01-01', TIMESTAMP '2000-01-01' + INTERVAL (100000000 * n) SECOND, INTERVAL 1 SECOND))",
	"len(list_transform(range(100000000 * n), lambda x: x + 1))",
	"length(repeat(hex(repeat('x', 10000000)), 100 * n))",
}

func TestLargeValuesAreRefused(t *testing.T) {
	db, err := Open(ctx, Config{MemoryLimitBytes: 64 << 20, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	conn := openConn(t, db)
	if err := conn.Exec(ctx, "CREATE TABLE one AS SELECT 1::BIGINT AS n"); err != nil {
		t.Fatal(err)
	}
	before := heldMemory()
	for _, value := range largeValues {
		for _, from := range []string{"(SELECT 1::BIGINT AS n)", "one"} {
			sql := "SELECT " + value + " FROM " + from
			if err := runs(ctx, conn, sql); !isOutOfMemory(err) {
				t.Errorf("%s: %v, want %s", sql, err, sqlerr.OutOfMemory)
			}
		}
	}
	if held := heldMemory(); held != before {
		t.Errorf("%d bytes are held after all statements have failed, %d before", held, before)
	}
	if err := runs(ctx, conn, "SELECT length(repeat('x', 8000000)), len(range(2000000))"); err != nil {
		t.Errorf("values below the limit: %v", err)
	}
}

// While DuckDB folds constants it does not ask whether it was interrupted; it stops when
// it asks for memory.
func TestInterruptEndsLargeValues(t *testing.T) {
	db, err := Open(ctx, Config{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	conn := openConn(t, db)
	for _, value := range []string{"length(lpad('x', 2000000000, 'y'))", "len(string_split(repeat('a,', 400000000), ','))"} {
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		err := runs(short, conn, "SELECT "+value)
		cancel()
		if !isCancel(err) {
			t.Errorf("%s: %v, want %s", value, err, sqlerr.QueryCanceled)
		}
	}
	if err := runs(ctx, conn, "SELECT length(repeat('x', 80000000))"); err != nil {
		t.Errorf("after an interrupt: %v", err)
	}
}

// runs runs a query and reads its rows.
func runs(ctx context.Context, conn *Conn, sql string) error {
	cur, err := conn.Query(ctx, sql)
	if err != nil {
		return err
	}
	_, err = drainErr(cur)
	return err
}
