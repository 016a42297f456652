package duckbackend

import (
	"strings"
	"testing"
)

// TestPrepareUnoptimized: the plan is the one that is written, and the optimizer is on
// afterwards.
func TestPrepareUnoptimized(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE t AS SELECT i FROM range(5) v(i)")
	const explain = "EXPLAIN SELECT count(*) FROM t a, t b WHERE a.i = b.i"
	stmt, err := c.PrepareUnoptimized(t.Context(), explain, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		cur, err := stmt.Execute(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := cur.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if plan := b.Cols[len(b.Cols)-1].Str[0]; !strings.Contains(plan, "CROSS_PRODUCT") {
			t.Errorf("optimized:\n%s", plan)
		}
		if err := cur.Close(); err != nil {
			t.Fatal(err)
		}
		if plan := query(t, c, explain); strings.Contains(plan, "CROSS_PRODUCT") {
			t.Errorf("not optimized:\n%s", plan)
		}
	}
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
	const many = "SELECT i FROM range(100000) v(i) ORDER BY i"
	if stmt, err = c.PrepareUnoptimized(t.Context(), many, nil); err != nil {
		t.Fatal(err)
	}
	cur, err := stmt.Execute(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for b, err := cur.Next(t.Context()); b != nil || err != nil; b, err = cur.Next(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n += b.N
	}
	if n != 100000 {
		t.Errorf("%d rows", n)
	}
	if err := cur.Close(); err != nil {
		t.Fatal(err)
	}
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
}
