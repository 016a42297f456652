package lower_test

import (
	"context"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/sqlfront/lower"
)

// TestOuterJoinsThatStay says which conjuncts make an outer join inner: a bag is
// what an outer join becomes.
func TestOuterJoinsThatStay(t *testing.T) {
	o := newOracle(t)
	for _, s := range statements(t, "testdata/schema.sql") {
		o.exec(t, s)
	}
	const left = "a LEFT JOIN b ON a.k = b.k"
	const full = "a FULL JOIN b ON a.k = b.k"
	tests := []struct {
		from, where string
		bags        int // bags in FROM
		blocks      int // blocks of the bag
	}{
		{left, "true", 1, 2},
		{left, "b.y > 1", 0, 0},
		{left, "b.y + 1 = a.x", 0, 0},
		{left, "a.x > 1", 1, 2},
		{left, "b.y IS NULL", 1, 2},
		{left, "b.y IS NOT NULL", 0, 0},
		{left, "NOT (b.y IS NULL)", 0, 0},
		{left, "b.y IS NOT DISTINCT FROM 1", 1, 2},
		{left, "b.y IS DISTINCT FROM 1", 1, 2},
		{left, "coalesce(b.y, 1) = 1", 1, 2},
		{left, "b.y > 1 OR a.x > 1", 1, 2},
		{left, "b.y > 1 OR b.j = 2", 0, 0},
		{left, "NOT (b.y > 1 OR a.x > 1)", 0, 0},
		{left, "NOT (b.y > 1 AND a.x > 1)", 1, 2},
		{left, "b.y BETWEEN a.x AND 9", 0, 0},
		{left, "a.x BETWEEN b.y AND 9", 0, 0},
		{left, "a.x NOT BETWEEN b.y AND 1", 1, 2},
		{left, "b.y IN (1, 2)", 0, 0},
		{left, "b.y NOT IN (1, 2)", 0, 0},
		{left, "a.x IN (1, b.y)", 1, 2},
		{left, "CASE WHEN b.y IS NULL THEN true ELSE false END", 1, 2},
		{left, "b.y NOT IN (SELECT y FROM b WHERE false)", 1, 2},
		{left + " JOIN c ON c.j = b.j", "true", 0, 0},
		{left + " JOIN c ON c.j = a.x", "true", 1, 2},
		{left + " LEFT JOIN c ON c.j = b.j", "c.z > 1", 0, 0},
		{"a LEFT JOIN (b LEFT JOIN c ON b.j = c.j) ON a.k = b.k AND c.z > 1", "true", 1, 2},
		{full, "true", 1, 3},
		{full, "b.y > 1", 1, 2},
		{full, "a.x > 1", 1, 2},
		{full, "a.x > b.y", 0, 0},
		{full, "a.x > 1 OR b.y > 1", 1, 3},
	}
	for _, tt := range tests {
		sql := "SELECT count(*), sum(b.y), sum(a.x) FROM " + tt.from + " WHERE " + tt.where
		out, err := o.check(sql)
		if err != nil || out.lowered == nil {
			t.Errorf("%s: %v %s %s", sql, err, out.unbound, out.refused)
			continue
		}
		bags, blocks := 0, 0
		for _, s := range out.lowered.From {
			if len(s.Bag) > 0 {
				bags++
				blocks = len(s.Bag)
			}
		}
		if bags != tt.bags || blocks != tt.blocks {
			t.Errorf("%s\n%d bags, the last of %d blocks, want %d of %d\n%s", sql, bags, blocks, tt.bags, tt.blocks, out.printed)
		}
	}
}

// TestLoweredStays is about queries that need nothing.
func TestLoweredStays(t *testing.T) {
	o := newOracle(t)
	for _, s := range statements(t, "testdata/schema.sql") {
		o.exec(t, s)
	}
	sql := "SELECT d.k, sum(a.x * d.n) AS v FROM a JOIN (SELECT k, count(*) AS n FROM b GROUP BY k) d USING (k) GROUP BY d.k"
	a, err := sqlfront.Analyze(context.Background(), sql, o.view, o, nil)
	if err != nil || a.Query == nil {
		t.Fatal(err, a)
	}
	q, err := lower.Lower(a.Query)
	if err != nil || q != a.Query {
		t.Errorf("a query in the lowered dialect is rewritten: %v", err)
	}
}

// TestUnsupported gives the named reasons.
func TestUnsupported(t *testing.T) {
	o := newOracle(t)
	for _, s := range statements(t, "testdata/schema.sql") {
		o.exec(t, s)
	}
	tests := []struct{ sql, reason string }{
		{"SELECT count(*) FROM a WHERE a.x = (SELECT y FROM b WHERE b.k = a.k)", "scalar subquery that may have several rows"},
		{"SELECT count(*) FROM a WHERE a.x = (SELECT max(y) FROM b WHERE b.k = a.k GROUP BY b.j)", "scalar subquery that may have several rows"},
		{"SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE EXISTS (SELECT 1 FROM c WHERE EXISTS (SELECT 1 FROM none WHERE none.k = a.x)))", "correlation over three blocks"},
		{"SELECT count(*) FROM a WHERE a.x IN (SELECT y FROM b WHERE b.k = a.k UNION SELECT z FROM c)", "correlation in a set operation or below LIMIT"},
	}
	for _, tt := range tests {
		out, err := o.check(tt.sql)
		if err != nil || !strings.Contains(out.refused, tt.reason) {
			t.Errorf("%s\nrefused %q (not bound %q), want %q; error %v", tt.sql, out.refused, out.unbound, tt.reason, err)
		}
	}
}
