package sqlfront

import (
	"testing"
)

// correlation is the first block of a statement that has to be set apart; nil: none.
func correlation(blocks []*Block) *Block {
	for _, b := range blocks {
		if b.Correlation != nil {
			return b
		}
		if in := correlation(b.Inner); in != nil {
			return in
		}
	}
	return nil
}

// TestCorrelated sets blocks apart; outside says which side of each equality is a
// column of the SELECT around.
func TestCorrelated(t *testing.T) {
	db := newDuck(t)
	for _, sql := range []string{
		"CREATE TABLE c (a INTEGER, c INTEGER, k INTEGER, l INTEGER)", "CREATE TABLE i (i INTEGER, y INTEGER)",
		"CREATE TABLE o (x INTEGER, k INTEGER, l INTEGER, m INTEGER, g INTEGER, i INTEGER, c INTEGER)",
		"CREATE TABLE p (x INTEGER, k INTEGER, m INTEGER)", "CREATE TABLE r (x BOOLEAN, k INTEGER)",
	} {
		if _, err := db.conn.ExecContext(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	aggregate := func(name string) bool {
		return name == "count" || name == "sum" || name == "max" || name == "any_value"
	}
	for _, c := range []struct {
		sql     string
		outside []int
		apart   string // the block
		over    string // the statement over its rows; empty: the block is not set apart
	}{
		{
			sql:     "SELECT c.a, (SELECT sum(o.x) + 1 FROM o JOIN i ON o.i = i.i WHERE o.c = c.c AND i.y > 2) FROM c",
			outside: []int{1},
			apart:   "SELECT o.c, sum(o.x) FROM o INNER JOIN i ON ((o.i = i.i)) WHERE (i.y > 2) GROUP BY o.c",
			over:    `SELECT c.a, (SELECT (any_value("trireme block 1") + 1) AS "(sum(o.x) + 1)" FROM rel WHERE ("trireme block 0" = c.c)) FROM c`,
		},
		{
			sql:     "SELECT c.a FROM c WHERE (SELECT count(*) FILTER (WHERE x) FROM r WHERE c = k) > 2",
			outside: []int{0},
			apart:   "SELECT r.k, count_star() FILTER (WHERE r.x) FROM r GROUP BY r.k",
			over:    `SELECT c.a FROM c WHERE (SELECT COALESCE(any_value("trireme block 1"), 0) AS "count_star() FILTER (WHERE x)" FROM rel WHERE ("trireme block 0" = c)) > 2`,
		},
		{
			sql:     "SELECT * FROM c, LATERAL (SELECT g AS h, sum(x) AS s FROM o WHERE o.k + 1 = c.k AND c.l = o.l AND o.l = o.m GROUP BY g HAVING count(*) > 1 ORDER BY s LIMIT 2) l",
			outside: []int{1, 0},
			apart:   "SELECT (o.k + 1), o.l, o.g, sum(o.x) FROM o WHERE (o.l = o.m) GROUP BY (o.k + 1), o.l, o.g HAVING (count_star() > 1)",
			over:    `SELECT * FROM c, LATERAL (SELECT "trireme block 2" AS h, "trireme block 3" AS s FROM rel WHERE (("trireme block 0" = c.k) AND ("trireme block 1" = c.l)) ORDER BY s LIMIT 2) l`,
		},
		{
			sql:     "WITH w AS (SELECT 1 AS k) SELECT (SELECT max(x) FROM w, o WHERE o.k = c.k AND x BETWEEN 1 AND 2) FROM c",
			outside: []int{1},
			apart:   "WITH w AS (SELECT 1 AS k) SELECT o.k, max(o.x) FROM w , o WHERE (x BETWEEN 1 AND 2) GROUP BY o.k",
			over:    `WITH w AS (SELECT 1 AS k) SELECT (SELECT any_value("trireme block 1") AS "max(x)" FROM rel WHERE ("trireme block 0" = c.k)) FROM c`,
		},
		{
			sql:     "SELECT (SELECT sum(x) FROM p WHERE k = l AND p.m = m) FROM c",
			outside: []int{1, -1},
			apart:   "SELECT p.k, sum(p.x) FROM p WHERE (p.m = m) GROUP BY p.k",
			over:    `SELECT (SELECT any_value("trireme block 1") AS "sum(x)" FROM rel WHERE ("trireme block 0" = l)) FROM c`,
		},
		{
			sql:     "SELECT (SELECT sum(x) FROM o WHERE o.k = c.k AND o.k = c.l AND c.a = o.k) FROM c",
			outside: []int{1, 1, 0},
			apart:   "SELECT o.k, sum(o.x) FROM o GROUP BY o.k",
			over:    `SELECT (SELECT any_value("trireme block 1") AS "sum(x)" FROM rel WHERE (("trireme block 0" = c.k) AND ("trireme block 0" = c.l) AND ("trireme block 0" = c.a))) FROM c`,
		},
		{sql: "SELECT (SELECT sum(x) FROM o WHERE o.k = c.k OR x = 1) FROM c"},                // no conjunct
		{sql: "SELECT (SELECT sum(x) FROM o WHERE NOT o.k = c.k) FROM c"},                     // no equality
		{sql: "SELECT (SELECT sum(x) FROM o WHERE o.k < c.k) FROM c"},                         // no equality
		{sql: "SELECT (SELECT sum(x) FROM o WHERE o.k = c.k HAVING count(*) > 1) FROM c"},     // no row, or none of any group
		{sql: "SELECT (SELECT sum(x) OVER () FROM o WHERE o.k = c.k) FROM c"},                 // a window
		{sql: "SELECT (SELECT o.x FROM o WHERE o.k = c.k) FROM c WHERE 1 < (SELECT sum(x))"},  // no aggregate
		{sql: "SELECT (SELECT sum(x) AS s FROM o WHERE o.k + 1 = s + 1) FROM c"},              // no name of a column alone
		{sql: "SELECT (SELECT sum(x) FROM o WHERE o.k = c.k UNION ALL SELECT max(x) FROM o)"}, // two arms
		{sql: "UPDATE c SET a = (SELECT sum(x) FROM o WHERE o.k = c.k)"},                      // no SELECT around
	} {
		cut := Cut(c.sql, Classify(c.sql), aggregate)
		var b *Block
		if cut != nil {
			b = correlation(cut.Blocks)
		}
		if b == nil || c.over == "" {
			if b != nil || c.over != "" {
				t.Errorf("%s: set apart: %v", c.sql, b != nil)
			}
			continue
		}
		if len(b.Correlation.Equalities) != len(c.outside) {
			t.Errorf("%s: %d equalities", c.sql, len(b.Correlation.Equalities))
			continue
		}
		d, reason, err := b.Correlation.Apart(t.Context(), db, db, nil, c.outside)
		if d == nil || err != nil {
			t.Errorf("%s: %s, %v", c.sql, reason, err)
			continue
		}
		if d.SQL != c.apart {
			t.Errorf("%s\n got %s\nwant %s", c.sql, d.SQL, c.apart)
		}
		over, _ := cut.Replace([]Taken{{Block: b, Relation: "rel", Apart: d}})
		if over != c.over {
			t.Errorf("%s\n got %s\nwant %s", c.sql, over, c.over)
		}
	}
}

// TestSidesOfEquality: what is selected to see where a side means something.
func TestSidesOfEquality(t *testing.T) {
	sql := "WITH o AS (SELECT 1 AS k) SELECT (SELECT count(*) FROM o JOIN i ON o.k = i.k WHERE o.k + 1 = a) FROM c JOIN d USING (k) WHERE b"
	b := correlation(Cut(sql, Classify(sql), func(name string) bool { return name == "count" || name == "any_value" }).Blocks)
	sides := b.Correlation.Equalities[0].Sides
	for i, want := range []string{
		"WITH o AS (SELECT 1 AS k) SELECT o.k + 1 FROM o JOIN i ON o.k = i.k", "",
		"WITH o AS (SELECT 1 AS k) SELECT a FROM o JOIN i ON o.k = i.k", "SELECT DISTINCT a FROM c JOIN d USING (k)",
	} {
		got := sides[i/2].Inside
		if i%2 == 1 {
			got = sides[i/2].Outside
		}
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
