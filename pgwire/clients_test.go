package pgwire

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"

	"github.com/trireme-db/trireme/internal/rows"
)

var queryModes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

// oneOfEach is a result with a column of each common type and a row of NULLs.
func oneOfEach() fakeResult {
	var res fakeResult
	b := &rows.Batch{N: 2}
	add := func(name string, v *rows.Vector) {
		v.SetNull(1, 2)
		res.cols = append(res.cols, rows.Column{Name: name, Type: v.Type})
		b.Cols = append(b.Cols, *v)
	}
	add("b", vecI(rows.Boolean, 1, 0))
	add("i2", vecI(rows.SmallInt, -2, 0))
	add("i4", vecI(rows.Integer, 4, 0))
	add("i8", vecI(rows.BigInt, math.MaxInt64, 0))
	add("f8", vecF(rows.Double, 0.1, 0))
	add("num", vecDec(9, 2, -12345, 0))
	add("huge", vec128(rows.HugeInt, int128Max, int128Max))
	add("s", vecS(rows.Varchar, "é", ""))
	add("raw", vecS(rows.Blob, "\x00\xff", ""))
	add("d", vecI(rows.Date, leap, 0))
	add("ts", vecI(rows.Timestamp, leap*microsPerDay+1, 0))
	add("tz", vecI(rows.TimestampTZ, leap*microsPerDay, 0))
	add("id", vecS(rows.UUID, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", ""))
	res.batches = []*rows.Batch{b}
	return res
}

const oneOfEachSpelled = "true -2 4 9223372036854775807 0.1 -123.45 170141183460469231731687303715884105727 é " +
	"[0 255] 2000-02-29 2000-02-29T00:00:00.000001Z 2000-02-29T00:00:00Z a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"

// scanner is a row of any of the client libraries.
type scanner interface{ Scan(dest ...any) error }

// readOneOfEach scans the first row and spells it.
func readOneOfEach(t *testing.T, row scanner) string {
	t.Helper()
	var (
		b         bool
		i2        int16
		i4        int32
		i8        int64
		f8        float64
		num, huge string
		s, id     string
		raw       []byte
		d, ts, tz time.Time
	)
	if err := row.Scan(&b, &i2, &i4, &i8, &f8, &num, &huge, &s, &raw, &d, &ts, &tz, &id); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(fmt.Sprintln(b, i2, i4, i8, f8, num, huge, s, raw, d.Format(time.DateOnly), ts.UTC().Format(time.RFC3339Nano),
		tz.UTC().Format(time.RFC3339Nano), id))
}

func TestPgxModes(t *testing.T) {
	ts := startServer(t, Options{})
	ts.fake.results["each"] = oneOfEach()
	ctx := context.Background()
	for _, mode := range queryModes {
		t.Run(mode.String(), func(t *testing.T) {
			c := ts.connect(t)
			defer c.Close(ctx)
			for range 2 { // the second time from the statement cache
				r, err := c.Query(ctx, "values each", mode)
				if err != nil {
					t.Fatal(err)
				}
				if !r.Next() {
					t.Fatal(r.Err())
				}
				if got := readOneOfEach(t, r); got != oneOfEachSpelled {
					t.Errorf("got  %s\nwant %s", got, oneOfEachSpelled)
				}
				if !r.Next() {
					t.Fatal("second row is missing")
				}
				vals, err := r.Values()
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range vals {
					if v != nil {
						t.Errorf("column %d of the NULL row is %v", i, v)
					}
				}
				r.Close()
				if err := r.Err(); err != nil {
					t.Fatal(err)
				}
			}
			tag, err := c.Exec(ctx, "count 7 UPDATE", mode)
			if err != nil || tag.RowsAffected() != 7 || !tag.Update() {
				t.Errorf("tag %v, %v", tag, err)
			}
			var pgErr *pgconn.PgError
			if _, err = c.Exec(ctx, "error 22012 6 division by zero", mode); !errors.As(err, &pgErr) ||
				pgErr.Code != "22012" || pgErr.Position != 7 {
				t.Errorf("error %#v", pgErr)
			}
		})
	}
}

func TestPgxParameters(t *testing.T) {
	ts := startServer(t, Options{})
	ctx := context.Background()
	for _, mode := range queryModes[:4] { // the simple protocol has none
		t.Run(mode.String(), func(t *testing.T) {
			c := ts.connect(t)
			defer c.Close(ctx)
			var got [6]*string
			err := c.QueryRow(ctx, "echo int8 float8 text bytea bool timestamptz", mode,
				int64(-5), 0.25, "x'y", []byte{0, 'a'}, true, time.Date(2020, 1, 2, 3, 4, 5, 6000, time.UTC)).
				Scan(&got[0], &got[1], &got[2], &got[3], &got[4], &got[5])
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"-5", "0.25", "x'y", `\x00\x61`, "true", "2020-01-02 03:04:05.000006+00"}
			for i, w := range want {
				if got[i] == nil || *got[i] != w && (i < 4 || mode != pgx.QueryExecModeExec) {
					t.Errorf("parameter %d: %v, want %s", i, deref(got[i]), w)
				}
			}
			if err := c.QueryRow(ctx, "echo text", mode, nil).Scan(&got[0]); err != nil || got[0] != nil {
				t.Errorf("NULL: %v, %v", deref(got[0]), err)
			}
		})
	}
}

func deref(s *string) string {
	if s == nil {
		return "NULL"
	}
	return *s
}

// TestPgxBatch pipelines statements: one transaction, its first error rolling back.
func TestPgxBatch(t *testing.T) {
	ts := startServer(t, Options{})
	ctx := context.Background()
	c := ts.connect(t)
	defer c.Close(ctx)
	b := &pgx.Batch{}
	for range 3 {
		b.Queue("count 1 INSERT 0")
	}
	b.Queue("rows 3000")
	res := c.SendBatch(ctx, b)
	for range 3 {
		if tag, err := res.Exec(); err != nil || tag.RowsAffected() != 1 {
			t.Fatal(tag, err)
		}
	}
	r, err := res.Query()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r.Next() {
		n++
	}
	if err := errors.Join(r.Err(), res.Close()); err != nil || n != 3000 {
		t.Fatal(n, err)
	}
	log, err := pgx.CollectRows(must(c.Query(ctx, "trace")), pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	want := "[begin-implicit count 1 INSERT 0 count 1 INSERT 0 count 1 INSERT 0 rows 3000 end-implicit(true)]"
	if fmt.Sprint(log) != want {
		t.Errorf("log %v", log)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestPgxTransaction(t *testing.T) {
	ts := startServer(t, Options{})
	ctx := context.Background()
	c := ts.connect(t)
	defer c.Close(ctx)
	tx, err := c.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "error 22012 -1 boom"); err == nil {
		t.Fatal("no error")
	}
	var pgErr *pgconn.PgError
	if _, err := tx.Exec(ctx, "rows 1"); !errors.As(err, &pgErr) || pgErr.Code != "25P02" {
		t.Errorf("in a failed transaction: %v", err)
	}
	if err := tx.Commit(ctx); !errors.Is(err, pgx.ErrTxCommitRollback) {
		t.Errorf("commit of a failed transaction: %v", err)
	}
}

func TestDatabaseSQL(t *testing.T) {
	ts := startServer(t, Options{})
	ts.fake.results["each"] = oneOfEach()
	for _, driver := range []string{"pgx", "postgres"} {
		t.Run(driver, func(t *testing.T) {
			db, err := sql.Open(driver, ts.url())
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if driver == "pgx" {
				if got := readOneOfEach(t, db.QueryRow("values each")); got != oneOfEachSpelled {
					t.Errorf("got  %s\nwant %s", got, oneOfEachSpelled)
				}
			}
			var a, b string
			if err := db.QueryRow("echo int8 text", 42, "x").Scan(&a, &b); err != nil || a != "42" || b != "x" {
				t.Errorf("parameters: %q %q %v", a, b, err)
			}
			st, err := db.Prepare("echo ?")
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range []string{"one", "two"} {
				if err := st.QueryRow(v).Scan(&a); err != nil || a != v {
					t.Errorf("prepared: %q %v", a, err)
				}
			}
			if err := st.Close(); err != nil {
				t.Error(err)
			}
			tx, err := db.Begin()
			if err != nil {
				t.Fatal(err)
			}
			res, err := tx.Exec("count 5 DELETE")
			if err != nil {
				t.Fatal(err)
			}
			if n, err := res.RowsAffected(); n != 5 || err != nil {
				t.Errorf("affected %d %v", n, err)
			}
			if err := tx.Commit(); err != nil {
				t.Error(err)
			}
			r, err := db.Query("rows 5000")
			if err != nil {
				t.Fatal(err)
			}
			n := int64(0)
			for ; r.Next(); n++ {
				var i int64
				if err := r.Scan(&i, &a); err != nil || i != n {
					t.Fatal(i, n, err)
				}
			}
			if err := errors.Join(r.Err(), r.Close()); err != nil || n != 5000 {
				t.Errorf("%d rows, %v", n, err)
			}
		})
	}
}

// TestLibPQTypes reads what lib/pq decodes itself, in text and in binary.
func TestLibPQTypes(t *testing.T) {
	ts := startServer(t, Options{})
	ts.fake.results["each"] = oneOfEach()
	for _, binary := range []string{"no", "yes"} {
		db, err := sql.Open("postgres", ts.url()+"&binary_parameters="+binary)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if got := readOneOfEach(t, db.QueryRow("values each")); got != oneOfEachSpelled {
			t.Errorf("binary_parameters=%s:\ngot  %s\nwant %s", binary, got, oneOfEachSpelled)
		}
		var raw, text string
		if err := db.QueryRow("echo bytea text", []byte{1, 2}, "t").Scan(&raw, &text); err != nil || raw != `\x01\x02` {
			t.Errorf("binary_parameters=%s: %q %q %v", binary, raw, text, err)
		}
	}
}

// TestManyConnections runs 100 sessions at once, each with statements of its own.
func TestManyConnections(t *testing.T) {
	ts := startServer(t, Options{})
	const connections = 100
	var ready, done sync.WaitGroup
	ready.Add(connections)
	errs := make(chan error, connections)
	for i := range connections {
		done.Add(1)
		go func() {
			defer done.Done()
			errs <- func() error {
				ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
				defer cancel()
				c, err := pgx.Connect(ctx, ts.url())
				ready.Done()
				if err != nil {
					return err
				}
				defer c.Close(ctx)
				ready.Wait() // all are connected
				for range 5 {
					n := 0
					r, err := c.Query(ctx, fmt.Sprintf("rows %d", 100+i))
					if err != nil {
						return err
					}
					for r.Next() {
						n++
					}
					if r.Err() != nil || n != 100+i {
						return fmt.Errorf("session %d: %d rows, %w", i, n, r.Err())
					}
				}
				return nil
			}()
		}()
	}
	done.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}
