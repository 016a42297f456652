package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/translate"
)

// TestScanError: what rows raise is a reason; a text of the run's own that DuckDB
// does not prepare is a fault, unless a table has changed.
func TestScanError(t *testing.T) {
	ctx := context.Background()
	e := openEngine(t)
	conn, err := e.db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	failed := func(sql string) error {
		cur, err := conn.Query(ctx, sql)
		if err == nil {
			_, err = cur.Next(ctx)
			err = errors.Join(err, cur.Close())
		}
		if err == nil {
			t.Fatalf("%s: no error", sql)
		}
		return err
	}
	q := &queryRun{route: e.tensor.(*route)}
	var no *translate.Ineligible
	for _, sql := range []string{
		"SELECT CAST(a AS INTEGER) FROM (VALUES ('x')) v(a)",
		"SELECT json_extract('{}', a) FROM (VALUES ('$.['), ('b')) v(a)", // a Binder Error, of a row
	} {
		if err := q.scanError(ctx, failed(sql)); !errors.As(err, &no) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, sql := range []string{"SELECT nothing FROM range(1)", "SELECT FROM", "SELECT * FROM nowhere"} {
		var e *sqlerr.Error
		if err := q.scanError(ctx, failed(sql)); !errors.As(err, &e) || e.Code != sqlerr.InternalError || !strings.Contains(e.Detail, sql) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// An internal error that DuckDB makes of a relation that arg_min needs, whose condition
// compares an expression of several tables with itself, is no answer: auto gives DuckDB
// the user's own text, also in a transaction of the user's, and forced backends refuse.
func TestPartThatDuckDBFails(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.choosesNative()
	s.run("CREATE TABLE a (k BIGINT)")
	s.run("INSERT INTO a VALUES (1), (3), (5)")
	s.run("CREATE TABLE b (k BIGINT, j BIGINT)")
	s.run("INSERT INTO b VALUES (-1, NULL), (-1, 0), (3, 3), (1, -1), (2, -1)")
	sql := `SELECT r.k < s.j AS g, arg_min(s.k + r.j + 1, s.k + r.j)
		FROM a JOIN b r ON a.k = r.j, b s WHERE r.j = s.k AND g = g GROUP BY g`
	for _, backend := range []string{"native", "decomposed"} {
		s.run("SET trireme.backend = '" + backend + "'")
		_, _, err := s.try(sql)
		if reason, no := refusal(err); !no || !strings.HasPrefix(reason, "DuckDB fails on a part of the statement") {
			t.Errorf("%s: %v", backend, err)
		}
	}
	want := s.duckSorted(sql)
	s.run("SET trireme.backend = 'auto'")
	s.want(sql, want)
	s.run("BEGIN")
	s.want(sql, want)
	s.want("SELECT count(*) FROM a", "3")
	s.run("COMMIT")
}
