package duckbackend

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

var ctx = context.Background()

func openMemory(t testing.TB) *DB {
	t.Helper()
	db, err := Open(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func openConn(t testing.TB, db *DB) *Conn {
	t.Helper()
	c, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustExec(t testing.TB, c *Conn, sql string) {
	t.Helper()
	if err := c.Exec(ctx, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// drain reads a cursor to its end as text, one line a row, and closes it.
func drain(t testing.TB, cur rows.Cursor, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text, err := drainErr(cur)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func drainErr(cur rows.Cursor) (text string, err error) {
	defer func() { err = errors.Join(err, cur.Close()) }()
	var b strings.Builder
	for {
		batch, err := cur.Next(ctx)
		if err != nil {
			return "", err
		}
		if batch == nil {
			return b.String(), nil
		}
		for i := range batch.N {
			for j := range batch.Cols {
				if j > 0 {
					b.WriteByte('|')
				}
				b.WriteString(cellText(&batch.Cols[j], i))
			}
			b.WriteByte('\n')
		}
	}
}

func cellText(v *rows.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	switch v.Type.Physical() {
	case rows.PhysInt64:
		return fmt.Sprint(v.I64[i])
	case rows.PhysInt128:
		return v.I128[i].String()
	case rows.PhysFloat64:
		return fmt.Sprint(v.F64[i] + 0) // -0 is 0
	case rows.PhysInterval:
		return fmt.Sprint(v.Ivl[i])
	default:
		return v.Str[i]
	}
}

func query(t testing.TB, c *Conn, sql string, args ...Arg) string {
	t.Helper()
	cur, err := c.Query(ctx, sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return drain(t, cur, nil)
}

func wantCode(t testing.TB, err error, code string) *sqlerr.Error {
	t.Helper()
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want SQLSTATE %s", err, code)
	}
	if e.Code != code {
		t.Fatalf("error %s %q, want SQLSTATE %s", e.Code, e.Message, code)
	}
	return e
}

func TestQueryAndChanged(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE t(a INT, b VARCHAR); INSERT INTO t VALUES (1,'x'),(2,NULL)")
	if got := query(t, c, "SELECT * FROM t ORDER BY a"); got != "1|x\n2|NULL\n" {
		t.Errorf("got %q", got)
	}
	for _, tc := range []struct {
		sql     string
		kind    StatementKind
		changed int64
		columns int
		rows    string
	}{
		{"INSERT INTO t VALUES (3,'y'),(4,'z')", KindInsert, 2, 0, ""},
		{"UPDATE t SET b='q' WHERE a>2", KindUpdate, 2, 0, ""},
		{"UPDATE t SET b='r' WHERE a>2 RETURNING a", KindUpdate, 0, 1, "3\n4\n"},
		{"DELETE FROM t WHERE a=4", KindDelete, 1, 0, ""},
		{"CREATE TABLE u AS SELECT * FROM t", KindCreate, 3, 0, ""},
		{"DROP TABLE u", KindDrop, 0, 0, ""},
		{"BEGIN", KindTransaction, 0, 0, ""},
		{"COMMIT", KindTransaction, 0, 0, ""},
		{"CHECKPOINT", KindCall, 0, 0, ""},
		{"SET threads=2", KindSet, 0, 0, ""},
		{"SHOW TABLES", KindSelect, 0, 1, "t\n"},
	} {
		stmt, err := c.Prepare(ctx, tc.sql)
		if err != nil {
			t.Fatalf("%s: %v", tc.sql, err)
		}
		if d := stmt.Describe(); d.Kind != tc.kind || len(d.Columns) != tc.columns {
			t.Errorf("%s: described as %+v", tc.sql, d)
		}
		cur, err := stmt.Execute(ctx, nil)
		if err != nil {
			t.Fatalf("%s: %v", tc.sql, err)
		}
		if cur.Changed() != tc.changed || len(cur.Columns()) != tc.columns || cur.Kind() != tc.kind {
			t.Errorf("%s: changed %d, columns %v", tc.sql, cur.Changed(), cur.Columns())
		}
		if got := drain(t, cur, nil); got != tc.rows {
			t.Errorf("%s: rows %q", tc.sql, got)
		}
		if err := stmt.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPivotExpandsIntoSeveralStatements(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE p(k INT, v INT); INSERT INTO p VALUES (1,10),(2,20)")
	if got := query(t, c, "PIVOT p ON k USING sum(v)"); got != "10|20\n" {
		t.Errorf("got %q", got)
	}
}

func TestCursorBlocksConnection(t *testing.T) {
	c := openConn(t, openMemory(t))
	cur, err := c.Query(ctx, "SELECT * FROM range(100000)")
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, c.Exec(ctx, "SELECT 1"), sqlerr.InternalError)
	if _, err := cur.Next(ctx); err != nil {
		t.Fatal(err)
	}
	if err := cur.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cur.Close(); err != nil {
		t.Error("second close:", err)
	}
	mustExec(t, c, "SELECT 1")
	_, err = cur.Next(ctx)
	wantCode(t, err, sqlerr.UndefinedPortal)
}

func TestCloseEarlyInTransaction(t *testing.T) {
	db := openMemory(t)
	c := openConn(t, db)
	mustExec(t, c, "CREATE TABLE t(a INT); BEGIN; INSERT INTO t VALUES (1)")
	cur, err := c.Query(ctx, "SELECT * FROM range(10000000)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cur.Next(ctx); err != nil {
		t.Fatal(err)
	}
	if err := cur.Close(); err != nil {
		t.Fatal(err)
	}
	mustExec(t, c, "INSERT INTO t VALUES (2); COMMIT")
	if got := query(t, openConn(t, db), "SELECT count(*) FROM t"); got != "2\n" {
		t.Errorf("got %q", got)
	}
}

// failLate executes a statement that fails with "late" in one of DuckDB's
// threads, most often while nobody fetches.
func failLate(t *testing.T, c, other *Conn, sql string, args ...Arg) error {
	t.Helper()
	cur, err := c.Query(ctx, sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	for {
		batch, err := cur.Next(ctx)
		if err != nil {
			return errors.Join(err, cur.Close())
		}
		if batch == nil {
			t.Fatalf("%s: no error", sql)
		}
		query(t, other, "SELECT sum(range % 7) FROM range(10000)") // the time that the failure takes
	}
}

// openStreams opens a database where several threads fill a stream.
func openStreams(t *testing.T) (c, other *Conn) {
	db := openMemory(t)
	c, other = openConn(t, db), openConn(t, db)
	mustExec(t, c, "SET preserve_insertion_order = false; SET threads = 4; CREATE TABLE big AS SELECT range AS a FROM range(1000000)")
	return c, other
}

// Part of a statement has some of its parameters.
func TestQueryWithGaps(t *testing.T) {
	c := openConn(t, openMemory(t))
	args := make([]Arg, 12)
	for i := range args {
		args[i] = Arg{Text: strconv.Itoa(i + 1), Type: rows.Type{ID: rows.Integer}}
	}
	for sql, want := range map[string]string{
		"SELECT $2 + 0":                            "2\n",
		"SELECT $3 - $1, $3, '$2', $1 -- $7":       "2|3|$2|1\n",
		"SELECT $12-$10, $12, $11+$2 WHERE $10=10": "2|12|13\n",
		"SELECT $1, $2":                            "1|2\n",
		"SELECT 7":                                 "7\n",
	} {
		cur, err := c.Query(ctx, sql, args...)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if got, err := drainErr(cur); err != nil || got != want {
			t.Errorf("%s: got %q, %v", sql, got, err)
		}
	}
	_, err := c.Query(ctx, "SELECT $12, nothing", args...)
	if e := wantCode(t, err, sqlerr.UndefinedColumn); e.Offset != len("SELECT $12, ") {
		t.Errorf("offset %d", e.Offset)
	}
}

func TestErrorMidStream(t *testing.T) {
	c, other := openStreams(t)
	two := []Arg{{Text: "900000"}, {Text: "x", Type: rows.Type{ID: rows.Varchar}}}
	for range 5 {
		for _, q := range []struct {
			sql  string
			args []Arg
		}{
			{sql: "SELECT CASE WHEN a < 900000 THEN 1 ELSE error('late') END FROM big"},
			{"SELECT CASE WHEN a < $1 THEN $2 ELSE error('late') END FROM big -- late", two},
		} {
			err := failLate(t, c, other, q.sql, q.args...)
			if e := wantCode(t, err, sqlerr.InvalidParameter); e.Message != "late" {
				t.Errorf("%s: message %q", q.sql, e.Message)
			}
		}
	}
	if got := query(t, c, "SELECT 1"); got != "1\n" {
		t.Errorf("got %q", got)
	}
}

// A statement that changes something is not executed again for its error: a
// sequence goes on by as many numbers as one execution takes.
func TestErrorMidStreamOfNextval(t *testing.T) {
	c, other := openStreams(t)
	mustExec(t, c, "CREATE SEQUENCE seq")
	for range 5 {
		before, err := strconv.Atoi(strings.TrimSpace(query(t, c, "SELECT nextval('seq')")))
		if err != nil {
			t.Fatal(err)
		}
		err = failLate(t, c, other, "SELECT CASE WHEN a < 900000 THEN nextval('seq') ELSE error('late') END FROM big")
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Message != "late" && !strings.Contains(e.Hint, "nextval") {
			t.Errorf("error %v", err)
		}
		after, err := strconv.Atoi(strings.TrimSpace(query(t, c, "SELECT nextval('seq')")))
		if err != nil || after-before > 1000000 {
			t.Errorf("%d numbers were taken, %v", after-before, err)
		}
	}
}

// A statement whose error does not come again says so.
func TestErrorMidStreamByChance(t *testing.T) {
	c, other := openStreams(t)
	mustExec(t, c, "CREATE SEQUENCE seq; CREATE TABLE once AS SELECT 1 AS one")
	cur, err := c.Query(ctx, "SELECT CASE WHEN a < 900000 OR (SELECT max(one) FROM once) > 1 THEN 1 ELSE error('late') END FROM big")
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, other, "UPDATE once SET one = 2")
	for err == nil {
		var batch *rows.Batch
		if batch, err = cur.Next(ctx); err == nil && batch == nil {
			t.Fatal("no error")
		}
	}
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Message != "late" && !strings.Contains(e.Hint, "does not fail") {
		t.Errorf("error %v", err)
	}
	if err := cur.Close(); err != nil {
		t.Error(err)
	}
}

// In a transaction, which the failure ends, the statement cannot be executed
// again for its error; that is no cancellation.
func TestErrorMidStreamInTransaction(t *testing.T) {
	c, other := openStreams(t)
	for range 5 {
		mustExec(t, c, "BEGIN")
		err := failLate(t, c, other, "SELECT CASE WHEN a < 900000 THEN 1 ELSE error('late') END FROM big")
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Message != "late" && (e.Code != sqlerr.InternalError || e.Hint == "") {
			t.Errorf("error %v", err)
		}
		mustExec(t, c, "ROLLBACK; SELECT 1")
	}
}

const endless = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE (a.range * b.range) % 7 = 3"

func TestCancelExecution(t *testing.T) {
	c := openConn(t, openMemory(t))
	for name, stop := range map[string]func(cancel func()){
		"context":   func(cancel func()) { cancel() },
		"interrupt": func(func()) { c.Interrupt() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			failed := make(chan error, 1)
			go func() {
				cur, err := c.Query(ctx, endless)
				if err == nil {
					_, err = cur.Next(ctx)
					err = errors.Join(err, cur.Close())
				}
				failed <- err
			}()
			for { // an interrupt before the start has no effect
				select {
				case err := <-failed:
					wantCode(t, err, sqlerr.QueryCanceled)
					return
				case <-time.After(time.Millisecond):
					stop(cancel)
				}
			}
		})
	}
	mustExec(t, c, "SELECT 1")
}

func TestInterruptSuspendedStream(t *testing.T) {
	c := openConn(t, openMemory(t))
	cur, err := c.Query(ctx, "SELECT * FROM range(10000000)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cur.Next(ctx); err != nil {
		t.Fatal(err)
	}
	c.Interrupt()
	_, err = cur.Next(ctx)
	wantCode(t, err, sqlerr.QueryCanceled)
	if err := cur.Close(); err != nil {
		t.Fatal(err)
	}
	c.Interrupt() // idle: no effect
	if got := query(t, c, "SELECT 1"); got != "1\n" {
		t.Errorf("got %q", got)
	}
}

func TestStatementTimeout(t *testing.T) {
	c := openConn(t, openMemory(t))
	ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	err := c.Exec(ctx, endless)
	if e := wantCode(t, err, sqlerr.QueryCanceled); !strings.Contains(e.Message, "timeout") {
		t.Errorf("message %q", e.Message)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cause lost: %v", err)
	}
}

func TestCloseWhileRunning(t *testing.T) {
	db := openMemory(t)
	c := openConn(t, db)
	started := make(chan struct{})
	failed := make(chan error, 1)
	go func() {
		close(started)
		failed <- c.Exec(ctx, endless)
	}()
	<-started
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil {
		t.Error("the statement survived its connection")
	}
	wantCode(t, c.Exec(ctx, "SELECT 1"), sqlerr.AdminShutdown)
}

// TestCloseUnderCursor: another goroutine may close the connection while the
// owner of a Cursor reads a batch.
func TestCloseUnderCursor(t *testing.T) {
	db := openMemory(t)
	c := openConn(t, db)
	cur, err := c.Query(ctx, "SELECT range, 's' || range FROM range(100000)")
	if err != nil {
		t.Fatal(err)
	}
	batch, err := cur.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range batch.N {
		if batch.Cols[0].I64[i] != int64(i) {
			t.Fatalf("row %d is %d", i, batch.Cols[0].I64[i])
		}
	}
	_, err = cur.Next(ctx)
	wantCode(t, err, sqlerr.AdminShutdown)
	if err := cur.Close(); err != nil {
		t.Fatal(err)
	}
	if len(db.conns) != 0 {
		t.Error("the connection was not given back")
	}
}

// TestCloseEndsTheTransaction: a statement that nobody has closed does not keep it open.
func TestCloseEndsTheTransaction(t *testing.T) {
	db := openMemory(t)
	c, other := openConn(t, db), openConn(t, db)
	mustExec(t, other, "CREATE TABLE a AS SELECT 1 AS k, 1 AS v")
	mustExec(t, c, "BEGIN; UPDATE a SET v = 5")
	s, err := c.Prepare(ctx, "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	mustExec(t, other, "UPDATE a SET v = v + 1")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
