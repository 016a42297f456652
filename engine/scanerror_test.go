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
