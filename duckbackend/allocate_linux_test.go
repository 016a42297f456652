//go:build !duckdb_use_lib

package duckbackend

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
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
	"reservoir_quantile(n, 0.5, 2147483647)",
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

// What has no error for memory that is refused is refused none: it would end the process.
func TestValuesAreReadWhateverIsRefused(t *testing.T) {
	db, err := Open(ctx, Config{Threads: 1, MemoryLimitBytes: 256 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	conn := openConn(t, db)
	for query, refused := range map[string]bool{"SELECT repeat('x', 3000000)": false, "SELECT range(1000000), {'a': range(100000)}, MAP {'k': repeat('x', 3000000)}": true} {
		cur, err := conn.Query(ctx, query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cur.Next(ctx); err != nil {
			t.Fatal(err)
		}
		conn.brake.pull()
		err = conn.brake.during(func() error {
			_, err := cur.read(1)
			return err
		})
		conn.brake.release()
		if refused != (err != nil) || err != nil && !isCancel(err) {
			t.Errorf("%s: %v", query, err)
		}
		if err := cur.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := runs(ctx, conn, "SELECT range(3000000)"); err != nil {
		t.Errorf("a list of 3,000,000: %v", err)
	}
	if err := runs(ctx, conn, "SELECT list_transform(range(1000), lambda x: repeat('x', 100000 + x))"); !isOutOfMemory(err) {
		t.Errorf("a list of 100 MB, whose text is as long: %v", err)
	}
	stmt, err := conn.Prepare(ctx, "SELECT length($1::VARCHAR), len($2::INTEGER[])")
	if err != nil {
		t.Fatal(err)
	}
	free := freeMemory() - 1 // to be allowed nothing is to be allowed all
	allowMemory(-free)
	args := []Arg{{Type: rows.Type{ID: rows.Varchar}, Text: strings.Repeat("x", 2<<20)}, {Type: rows.Type{ID: rows.List, Name: "INTEGER[]"}, Text: "[" + strings.Repeat("1,", 1<<20) + "1]"}}
	if _, err := stmt.Execute(ctx, args); !isOutOfMemory(err) {
		t.Errorf("parameters for which there is no memory: %v", err)
	}
	allowMemory(free)
	if err := stmt.Close(); err != nil {
		t.Error(err)
	}
}

// The text of an error of a function of ours may be as long as its argument, and what makes
// it DuckDB's has no error for memory that is refused either.
func TestLongErrorsWhateverIsRefused(t *testing.T) {
	db, err := Open(ctx, Config{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	var conn *Conn
	text := rows.Type{ID: rows.Varchar}
	fails := func(how func(text string) error) func(func() bool, []any) (any, error) {
		return func(_ func() bool, args []any) (any, error) {
			conn.brake.pull()
			return nil, how(args[0].(string))
		}
	}
	err = db.register(Functions{Values: []ValueFunction{
		{Name: "fails", Params: []rows.Type{text}, Result: text, Call: fails(func(text string) error { return sqlerr.New(sqlerr.InvalidText, "not: %s", text) })},
		{Name: "panics", Params: []rows.Type{text}, Result: text, Call: fails(func(text string) error { panic(text) })},
	}})
	if err != nil {
		t.Fatal(err)
	}
	conn = openConn(t, db)
	for _, f := range []string{"fails", "panics"} {
		err := runs(ctx, conn, "SELECT "+f+"(repeat('x', 5000000))") // folded, and executed when that has failed
		conn.brake.release()
		if err == nil {
			t.Errorf("%s has no error", f)
		}
		err = runs(ctx, conn, "SELECT "+f+"(repeat('x', 5000000 + i::INTEGER)) FROM range(1) r(i)")
		conn.brake.release()
		if err == nil || len(err.Error()) > 16<<10 || !strings.HasSuffix(err.Error(), " bytes)") {
			t.Errorf("%s: an error of %d bytes: %.100v", f, len(fmt.Sprint(err)), err)
		}
	}
}

// What DuckDB has counted for its memory_limit is not counted any more when it has failed: it
// would be missing to all statements until the process ends.
func TestRefusedMemoryIsNotCounted(t *testing.T) {
	db, err := Open(ctx, Config{MemoryLimitBytes: 128 << 20, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	conn := openConn(t, db)
	counted := func() string {
		return query(t, conn, "SELECT sum(memory_usage_bytes) < 2000000 FROM duckdb_memory()")
	}
	for _, value := range []string{"to_json(range(4000000 + i))", "list_sort(range(3000000 + i))", "list_transform(range(4000000 + i), lambda x: x::VARCHAR)", "json_structure(repeat('[', 1) || repeat('1,', 9000000 + i::INTEGER) || '1]')"} {
		if err := runs(ctx, conn, "SELECT "+value+" IS NULL FROM range(1) r(i)"); err != nil && !isOutOfMemory(err) {
			t.Errorf("%s: %v", value, err)
		}
		if got := counted(); got != "1\n" {
			t.Fatalf("after %s memory is counted that nobody has", value)
		}
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		err := runs(short, conn, "SELECT "+value+" IS NULL FROM range(1) r(i)")
		cancel()
		if got := counted(); got != "1\n" {
			t.Fatalf("after %s was interrupted (%v) memory is counted that nobody has", value, err)
		}
	}
}

// An error of a checkpoint would close the database: no memory is refused there.
func TestCheckpointsAreRefusedNoMemory(t *testing.T) {
	db, err := Open(ctx, Config{MemoryLimitBytes: 100 << 20, Threads: 1, Path: t.TempDir() + "/x.db"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	writer, other := openConn(t, db), openConn(t, db)
	mustExec(t, writer, "CREATE TABLE big AS SELECT i, repeat(chr(97 + i::INTEGER), 3000000) AS s FROM range(6) r(i); CHECKPOINT")
	for round := range 3 {
		mustExec(t, writer, fmt.Sprintf("UPDATE big SET s = s || 'z' WHERE i = %d; DELETE FROM big WHERE i = %d", round, 5-round))
		free := freeMemory() - 1
		allowMemory(-free) // to be allowed nothing is to be allowed all
		err := runs(ctx, other, "CHECKPOINT")
		allowMemory(free)
		if err != nil {
			t.Fatalf("a checkpoint with nothing allowed: %v", err)
		}
		mustExec(t, writer, fmt.Sprintf("UPDATE big SET s = s || 'y' WHERE i = %d", round))
		for _, timeout := range []time.Duration{time.Millisecond, 5 * time.Millisecond, 15 * time.Millisecond} {
			short, cancel := context.WithTimeout(ctx, timeout)
			if err := runs(short, other, "SELECT * FROM checkpoint()"); err != nil && !isCancel(err) {
				t.Errorf("a checkpoint that is interrupted: %v", err)
			}
			cancel()
		}
	}
	if got := query(t, writer, "SELECT count(*), sum(length(s)) FROM big"); got != "3|9000006\n" {
		t.Errorf("afterwards: %q", got)
	}
}

// What memory_limit counts is not counted a second time, whoever holds it.
func TestBlocksAreNotCounted(t *testing.T) {
	db, err := Open(ctx, Config{MemoryLimitBytes: 200 << 20, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	conn := openConn(t, db)
	before := heldMemory()
	mustExec(t, conn, "CREATE TEMP TABLE tt AS SELECT repeat('y', 2000000 + i::INTEGER) AS s FROM range(40) r(i)")
	if held := heldMemory() - before; held > 16<<20 {
		t.Errorf("%d bytes of a table's blocks are counted", held)
	}
	mustExec(t, conn, "DROP TABLE tt")
	if held := heldMemory() - before; held != 0 {
		t.Errorf("%d bytes are left of a table's blocks", held)
	}
}

// A block that is made smaller is to be had whatever is refused: where it was not, some of
// DuckDB's functions would lose it.
func TestShrinkingIsNotRefused(t *testing.T) {
	conn := openConn(t, openMemory(t))
	mustExec(t, conn, "CREATE TABLE one AS SELECT repeat('é', 2000000) AS s")
	resident := func() int64 {
		_, text, _ := strings.Cut(string(must(os.ReadFile("/proc/self/status"))), "VmRSS:")
		var kb int64
		fmt.Sscan(text, &kb)
		return kb
	}
	var before int64
	for i := range 8 {
		short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
		if err := runs(short, conn, "SELECT length(nfc_normalize(s)), length(strip_accents(s)) FROM one"); err != nil && !isCancel(err) {
			t.Error(err)
		}
		cancel()
		if i == 1 {
			before = resident()
		}
	}
	if more := resident() - before; more > 24<<10 {
		t.Errorf("%d KB more after 6 interrupted statements", more)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
