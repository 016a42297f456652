package sqlfront

import (
	"context"
	"testing"
)

// TestRedefinedMacro: NULLIF is a macro of DuckDB's own that a user can replace.
func TestRedefinedMacro(t *testing.T) {
	d := newDuck(t)
	const text = "SELECT count(*) FROM e WHERE nullif(src, 1) = 7"
	if a, err := d.analyze(text); err != nil || a.Query == nil {
		t.Fatalf("%+v, %v; want a query", a, err)
	}
	if _, err := d.conn.ExecContext(context.Background(), "CREATE MACRO nullif(a, b) AS 7"); err != nil {
		t.Fatal(err)
	}
	d.functions = map[string]Function{}
	d.loadFunctions(t)
	if a, err := d.analyze(text); err != nil || a.Reason != "macro nullif" {
		t.Fatalf("%+v, %v; want reason macro nullif", a, err)
	}
}
