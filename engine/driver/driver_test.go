package driver_test

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"math"
	"math/big"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine/driver"
)

func open(t *testing.T, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver.Name, name)
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

func exec(t *testing.T, db *sql.DB, query string, args ...any) sql.Result {
	t.Helper()
	res, err := db.Exec(query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return res
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var e *driver.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error %v, want SQLSTATE %s", err, code)
	}
}

func TestValuesOfEveryType(t *testing.T) {
	db := open(t, "")
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	cases := []struct {
		sql, typ string
		want     any
	}{
		{"true", "BOOLEAN", true},
		{"1::TINYINT", "TINYINT", int64(1)},
		{"(-9223372036854775808)::BIGINT", "BIGINT", int64(math.MinInt64)},
		{"18446744073709551615::UBIGINT", "UBIGINT", "18446744073709551615"},
		{"(-170141183460469231731687303715884105728)::HUGEINT", "HUGEINT", "-170141183460469231731687303715884105728"},
		{"1.5::FLOAT", "FLOAT", 1.5},
		{"'-inf'::DOUBLE", "DOUBLE", math.Inf(-1)},
		{"-0.05::DECIMAL(9,2)", "DECIMAL", "-0.05"},
		{"12345678901234567890.5::DECIMAL(38,4)", "DECIMAL", "12345678901234567890.5000"},
		{"'ä''b'", "VARCHAR", "ä'b"},
		{`'\x00\xFF'::BLOB`, "BLOB", []byte{0, 255}},
		{"DATE '2024-02-29'", "DATE", day},
		{"TIMESTAMP '1969-12-31 23:59:59.5'", "TIMESTAMP", time.Unix(-1, 5e8).UTC()},
		{"'2024-02-29 00:00:00'::TIMESTAMP_NS", "TIMESTAMP_NS", day},
		{"'infinity'::TIMESTAMP", "TIMESTAMP", "infinity"},
		{"'-infinity'::DATE", "DATE", "-infinity"},
		{"TIME '01:02:03.25'", "TIME", "01:02:03.25"},
		{"INTERVAL '-14 months 3 days 1 second'", "INTERVAL", "-1 years -2 mons +3 days 00:00:01"},
		{"INTERVAL '-1 day 1 second'", "INTERVAL", "-1 days +00:00:01"},
		{"INTERVAL '14 months 3 days -1 second'", "INTERVAL", "1 year 2 mons 3 days -00:00:01"},
		{"'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::UUID", "UUID", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"[1, 2]", "INTEGER[]", "[1, 2]"},
		{"'a'::ENUM('a','b')", "ENUM", "a"},
		{"NULL::INTEGER", "INTEGER", nil},
	}
	for _, c := range cases {
		rows, err := db.Query("SELECT " + c.sql + " AS v")
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		types, err := rows.ColumnTypes()
		if err != nil {
			t.Fatal(err)
		}
		if got := types[0].DatabaseTypeName(); got != c.typ {
			t.Errorf("%s: type %s, want %s", c.sql, got, c.typ)
		}
		var got any
		for rows.Next() {
			if err := rows.Scan(&got); err != nil {
				t.Errorf("%s: %v", c.sql, err)
			}
		}
		if err := rows.Err(); err != nil {
			t.Errorf("%s: %v", c.sql, err)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %#v, want %#v", c.sql, got, c.want)
		}
		if c.want != nil && reflect.TypeOf(got) != types[0].ScanType() && c.want != "infinity" && c.want != "-infinity" {
			t.Errorf("%s: %T, but scan type %s", c.sql, got, types[0].ScanType())
		}
	}
}

func TestParametersRoundTrip(t *testing.T) {
	db := open(t, ":memory:")
	exec(t, db, "CREATE TABLE p (i BIGINT, h HUGEINT, d DOUBLE, b BOOLEAN, s VARCHAR, x BLOB, ts TIMESTAMP, tz TIMESTAMPTZ, da DATE, de DECIMAL(9,2))")
	at := time.Date(2024, 3, 1, 12, 30, 0, 123456000, time.FixedZone("", 3600))
	huge, _ := new(big.Int).SetString("-99999999999999999999", 10)
	args := []any{int64(-5), huge, 0.1, true, "o'x\\y", []byte{0, 1, 'a', 255}, at, at, at, "3.14"}
	res := exec(t, db, "INSERT INTO p VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", args...)
	if n, err := res.RowsAffected(); n != 1 || err != nil {
		t.Errorf("affected %d, %v", n, err)
	}
	exec(t, db, "INSERT INTO p (i, x) VALUES (?, ?)", nil, nil)

	var (
		i      int64
		h, s   string
		d      float64
		b      bool
		x      []byte
		ts, tz time.Time
		da     time.Time
		de     string
	)
	if err := db.QueryRow("SELECT * FROM p WHERE i = ?", -5).Scan(&i, &h, &d, &b, &s, &x, &ts, &tz, &da, &de); err != nil {
		t.Fatal(err)
	}
	if h != huge.String() || d != 0.1 || !b || s != "o'x\\y" || string(x) != "\x00\x01a\xff" || de != "3.14" {
		t.Errorf("got %v %v %v %v %q %q", h, d, b, s, x, de)
	}
	if !ts.Equal(at) || !tz.Equal(at) || da.Format(time.DateOnly) != "2024-03-01" {
		t.Errorf("times %v %v %v", ts, tz, da)
	}
	// A HUGEINT sum scans into an integer.
	var sum int64
	if err := db.QueryRow("SELECT sum(i) FROM p").Scan(&sum); err != nil || sum != -5 {
		t.Errorf("sum %d, %v", sum, err)
	}
	// Types that only the argument can tell.
	var n int64
	if err := db.QueryRow("SELECT $1 + 1", 41).Scan(&n); err != nil || n != 42 {
		t.Errorf("$1 + 1: %d, %v", n, err)
	}
}

func TestPreparedStatementFollowsItsArguments(t *testing.T) {
	db := open(t, "")
	stmt, err := db.Prepare("SELECT $1")
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Close()
	for _, want := range []any{int64(1), "x", 2.5, int64(3), nil, true} {
		var got any
		if err := stmt.QueryRow(want).Scan(&got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%#v gave %#v, %v", want, got, err)
		}
	}
	if _, err := stmt.Query(1, 2); err == nil {
		t.Error("two arguments for one parameter")
	}
}

func TestTransactions(t *testing.T) {
	ctx := context.Background()
	db := open(t, "")
	exec(t, db, "CREATE TABLE t (x INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
	count := func() (n int) {
		t.Helper()
		if err := db.QueryRow("SELECT count(*) FROM t").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("INSERT INTO t VALUES (2)"); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 1 { // on another connection
		t.Errorf("uncommitted row is visible: %d", n)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if tx, err = db.Begin(); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("INSERT INTO t VALUES (3)"); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 2 {
		t.Errorf("%d rows after commit", n)
	}
	// A failed statement loses the transaction, and Commit says so.
	if tx, err = db.Begin(); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("INSERT INTO t VALUES (4)"); err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec("INSERT INTO t VALUES (1)")
	wantCode(t, err, "23505")
	_, err = tx.Exec("SELECT 1")
	wantCode(t, err, "25P02")
	wantCode(t, tx.Commit(), "25P02")
	if n := count(); n != 2 {
		t.Errorf("%d rows after a failed transaction", n)
	}
	if tx, err = db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("INSERT INTO t VALUES (5)"); err == nil {
		t.Error("a read-only transaction wrote")
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable}); err == nil {
		t.Error("serializable is promised")
	}
}

func TestTwoOpenResultsOnOneConnection(t *testing.T) {
	ctx := context.Background()
	db := open(t, "")
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const n = 100_000
	a, err := conn.QueryContext(ctx, "SELECT i, 'v' || i FROM range($1) r(i)", n)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var i, seen int64
	var s string
	for a.Next() {
		if err := a.Scan(&i, &s); err != nil {
			t.Fatal(err)
		}
		if i != seen {
			t.Fatalf("row %d is %d", seen, i)
		}
		seen++
		if seen == 10 { // the rest of a must survive this
			var m int64
			if err := conn.QueryRowContext(ctx, "SELECT max(i) FROM range(7) r(i)").Scan(&m); err != nil || m != 6 {
				t.Fatalf("second query: %d, %v", m, err)
			}
		}
	}
	if a.Err() != nil || seen != n {
		t.Errorf("%d rows, %v", seen, a.Err())
	}
}

func TestFileIsSharedWithinTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	one := open(t, path)
	exec(t, one, "CREATE TABLE t AS SELECT 7 AS x")
	two := open(t, path+"?backend=duckdb")
	exec(t, two, "INSERT INTO t VALUES (8)")
	var n int
	if err := one.QueryRow("SELECT sum(x) FROM t").Scan(&n); err != nil || n != 15 {
		t.Errorf("sum %d, %v", n, err)
	}
	var backend string
	if err := two.QueryRow("SHOW trireme.backend").Scan(&backend); err != nil || backend != "duckdb" {
		t.Errorf("backend %q, %v", backend, err)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if err := two.QueryRow("SELECT count(*) FROM t").Scan(&n); err != nil || n != 2 {
		t.Errorf("after the other sql.DB was closed: %d, %v", n, err)
	}
	if err := two.Close(); err != nil {
		t.Fatal(err)
	}
	three := open(t, path) // durable
	if err := three.QueryRow("SELECT count(*) FROM t").Scan(&n); err != nil || n != 2 {
		t.Errorf("reopened: %d, %v", n, err)
	}
}

func TestErrorsOfOpening(t *testing.T) {
	for name, code := range map[string]string{
		filepath.Join(t.TempDir(), "no", "such", "dir.db"): "58030",
		"?backend=fast": "22023",
		"?no_such=1":    "42704",
		"?threads=many": "22023",
		t.TempDir():     "58030",
	} {
		db, err := sql.Open(driver.Name, name)
		if err == nil {
			err = db.Ping()
			if cerr := db.Close(); cerr != nil {
				t.Error(cerr)
			}
		}
		wantCode(t, err, code)
	}
}

func TestContextCancelsAQuery(t *testing.T) {
	db := open(t, "")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	var n int64
	err := db.QueryRowContext(ctx, "SELECT count(*) FROM range(1000000000000) r(i) WHERE i % 3 = 1").Scan(&n)
	wantCode(t, err, "57014")
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("cancelled after %s", d)
	}
	if err := db.Ping(); err != nil {
		t.Error(err)
	}
}

// A connection is given on without the transaction of its last user; one on which that
// cannot be ended is not used again.
func TestResetSession(t *testing.T) {
	db := open(t, "")
	db.SetMaxOpenConns(1)
	ctx := context.Background()
	for _, want := range []error{nil, sqldriver.ErrBadConn} {
		conn, err := db.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
			t.Fatal(err)
		}
		err = conn.Raw(func(raw any) error {
			c := raw.(*driver.Conn)
			if want != nil { // its session has ended, and takes no statement
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
			if err := c.ResetSession(ctx); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
			return want
		})
		if !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if err := conn.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
			t.Error(err)
		}
		for range 2 { // no transaction is open, nor left open by the one before
			exec(t, db, "BEGIN")
		}
	}
}
