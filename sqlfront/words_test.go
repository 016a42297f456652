package sqlfront

import (
	"context"
	"testing"
)

// TestKeywordsAreKnown: a word that DuckDB reserves is never taken for a name.
func TestKeywordsAreKnown(t *testing.T) {
	d := newDuck(t)
	r, err := d.conn.QueryContext(context.Background(),
		"SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := 0
	for r.Next() {
		var w string
		if err := r.Scan(&w); err != nil {
			t.Fatal(err)
		}
		n++
		sel, reason := parsed("SELECT " + w + " FROM t")
		if reason == "" {
			if _, isName := sel.items[0].expr.(*nameNode); isName {
				t.Errorf("%s is taken for a name", w)
			}
		}
	}
	if err := r.Err(); err != nil || n < 70 {
		t.Errorf("%d keywords, %v", n, err)
	}
}
