package sqlfront

import (
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

// splitGroups is the first block of a statement that computes groups; nil: there is none.
func splitGroups(blocks []*Block) *Block {
	for _, b := range blocks {
		if b.Splits() && !b.Repeats() {
			return b
		}
		if in := splitGroups(b.Inner); in != nil {
			return in
		}
	}
	return nil
}

// TestSplitGroups splits groups off the windows over them. Without a block the SELECT has none
// to be split, or the reason is why it is not.
func TestSplitGroups(t *testing.T) {
	db := newDuck(t)
	for _, c := range []struct{ sql, block, over, reason string }{
		{
			sql:   "SELECT src, sum(w) AS s, sum(sum(w)) OVER () FROM e GROUP BY 1 HAVING count(*) > 1 ORDER BY s LIMIT 3",
			block: "SELECT e.src, sum(e.w) FROM e GROUP BY e.src HAVING (count_star() > 1)",
			over:  `SELECT "trireme block 0" AS src, "trireme block 1" AS s, sum("trireme block 1") OVER () AS "sum(sum(w)) OVER ()" FROM rel ORDER BY s LIMIT 3`,
		},
		{
			sql:   "SELECT src + 1 AS g, max(w) FILTER (WHERE dst > 1) AS m FROM e GROUP BY g QUALIFY count(*) OVER () > count(*)",
			block: "SELECT (e.src + 1), max(e.w) FILTER (WHERE (e.dst > 1)), count_star() FROM e GROUP BY (e.src + 1)",
			over:  `SELECT "trireme block 0" AS g, "trireme block 1" AS m FROM rel QUALIFY (count() OVER () > "trireme block 2")`,
		},
		{
			sql:   "SELECT -src AS src, src AS b, rank() OVER (ORDER BY src) AS r FROM e GROUP BY src",
			block: "SELECT e.src FROM e GROUP BY e.src",
			over:  `SELECT -("trireme block 0") AS src, "trireme block 0" AS b, rank() OVER (ORDER BY "trireme block 0") AS r FROM rel`,
		},
		{
			sql:   "SELECT 2 AS two, src, rank() OVER (ORDER BY src) AS r FROM e GROUP BY 1, 2 ORDER BY 2 LIMIT 1",
			block: "SELECT e.src FROM e GROUP BY e.src",
			over:  `SELECT 2 AS two, "trireme block 0" AS src, rank() OVER (ORDER BY "trireme block 0") AS r FROM rel ORDER BY 2 LIMIT 1`,
		},
		{
			sql:   "SELECT struct_pack(b := src) AS s, {a: src} AS t, st.x, rank() OVER (ORDER BY st) AS r FROM e, t GROUP BY src, st",
			block: "SELECT e.src, t.st FROM e , t GROUP BY e.src, t.st",
			over:  `SELECT struct_pack(b := "trireme block 0") AS s, struct_pack(a := "trireme block 0") AS t, struct_extract("trireme block 1", 'x') AS x, rank() OVER (ORDER BY "trireme block 1") AS r FROM rel`,
		},
		{
			sql:   "SELECT src, max((SELECT 1)), rank() OVER (ORDER BY src) > (SELECT 2) AS r FROM e GROUP BY src HAVING src < (SELECT 3)",
			block: "SELECT e.src, max((SELECT 1)) FROM e GROUP BY e.src HAVING (src < (SELECT 3))",
			over:  `SELECT "trireme block 0" AS src, "trireme block 1" AS "max((SELECT 1))", (rank() OVER (ORDER BY "trireme block 0") > (SELECT 2)) AS r FROM rel`,
		},
		{sql: "SELECT rank() OVER (ORDER BY src) FROM e"},
		{sql: "SELECT sum(src) OVER (), max(src) FILTER (WHERE true) OVER () FROM e"},
		{sql: "SELECT -src AS src, rank() OVER (ORDER BY src) FROM e GROUP BY e.src ORDER BY src + 1", reason: "a name that a column and an alias have"},
		{sql: "SELECT alias(src), rank() OVER (ORDER BY src) FROM e GROUP BY src", reason: "the name of an expression as a value"},
		{sql: "SELECT struct_pack(src), rank() OVER (ORDER BY src) FROM e GROUP BY src", reason: "a field without a name"},
		{sql: "SELECT 2, count(*), sum(count(*)) OVER () FROM e GROUP BY 1", reason: "groups of constants alone"},
		{sql: "SELECT src, rank() OVER (ORDER BY src) FROM e GROUP BY ROLLUP (src)", reason: "groups of several kinds"},
		{sql: "SELECT src, rank() OVER (ORDER BY src) FROM e GROUP BY ALL", reason: "DuckDB cannot describe it"},
		{sql: "SELECT src AS x, rank() OVER (ORDER BY x) FROM e GROUP BY 1, x", reason: "a group that is written twice"},
		{sql: "SELECT DISTINCT ON (src) src, rank() OVER (ORDER BY src) FROM e GROUP BY src", reason: "DISTINCT ON"},
		{sql: "SELECT src AS a, -src AS a, rank() OVER (ORDER BY src) FROM e GROUP BY src ORDER BY a", reason: "a name of several items"},
		{sql: "SELECT src, (SELECT max(dst) FROM edge WHERE edge.src = e.src), rank() OVER (ORDER BY src) FROM e GROUP BY src", reason: "query of DuckDB's"},
	} {
		cut := Cut(c.sql, Classify(c.sql), func(name string) bool { return name == "count" || name == "sum" || name == "max" })
		var b *Block
		if cut != nil {
			b = splitGroups(cut.Blocks)
		}
		if b == nil {
			if c.block+c.reason != "" {
				t.Errorf("%s: no block", c.sql)
			}
			continue
		}
		reason, err := b.Split(t.Context(), db, db, nil, false)
		if err != nil {
			reason = "DuckDB cannot describe it"
		}
		if reason != "" || c.reason != "" {
			if reason != c.reason {
				t.Errorf("%s: %s, %v", c.sql, reason, err)
			}
			continue
		}
		if b.SQL != c.block {
			t.Errorf("%s\n got %s\nwant %s", c.sql, b.SQL, c.block)
		}
		over, _ := cut.Replace([]Taken{{Block: b, Relation: "rel", Columns: make([]rows.Column, b.Items())}})
		if over != c.over {
			t.Errorf("%s\n got %s\nwant %s", c.sql, over, c.over)
		}
	}
}
