package duckbackend

import (
	"slices"
	"strings"
	"testing"
)

// A fault is a statement that a release of DuckDB answers wrongly. What Trireme
// does about it, or says of it in README, can go when no release that it is built
// with has it any more.
type fault struct {
	name  string
	setup string
	query string
	right string // rows, one a line
	// wrong is the answer of the releases in wrongIn, or a part of the error's text;
	// empty: any other than right, in one of executions at least.
	wrong      string
	wrongIn    []string
	executions int
}

// release1 is the release that is linked statically, release2 the one that the
// module file for DuckDB 2 names.
const release1, release2 = "v1.5.6", "v2.0.0"

var faults = []fault{
	{
		// The optimizer common_subplan lost groups of self-joins in 1.5.4.
		name:  "groups of self-joins",
		setup: "CREATE TABLE e AS SELECT * FROM (VALUES (2, 1), (2, 2), (1, NULL), (2, 2), (1, 1), (NULL, NULL)) v(k, j)",
		query: "SELECT d.k, count(*) FROM e a, e b, e c, e d WHERE a.j = b.k AND b.j = c.k AND b.k = d.k GROUP BY d.k ORDER BY d.k",
		right: "1|8\n2|48\n",
	},
	{
		// It is off on our connections.
		name:    "rows of groups of self-joins under common_subplan",
		setup:   "SET disabled_optimizers = ''; CREATE TABLE e AS SELECT * FROM (VALUES (2, NULL), (2, 2)) v(k, j)",
		query:   "SELECT b.j, count(*) FROM e a JOIN e b ON b.k = a.j JOIN e c ON a.k = c.j JOIN e d ON a.k = d.k GROUP BY b.j ORDER BY b.j",
		right:   "2|2\nNULL|2\n",
		wrong:   "2|1\nNULL|1\n",
		wrongIn: []string{release1},
	},
	{
		// statistics_propagation ended in an INTERNAL error in 1.5.4.
		name:  "range of nothing in a table of the same transaction",
		setup: "BEGIN; CREATE TEMP TABLE t AS SELECT 1::HUGEINT AS a, 0::HUGEINT AS b",
		query: "SELECT min(a), max(a) FROM t WHERE a > 5",
		right: "NULL|NULL\n",
	},
	{
		name:    "NULLs under OR in parts of a table that have nothing else",
		setup:   "CREATE TABLE many AS SELECT CASE WHEN i = 300000 THEN 7 END AS k FROM range(300001) r(i)",
		query:   "SELECT count(*) FROM many WHERE k > 1 OR k IS DISTINCT FROM 0",
		right:   "300001\n",
		wrong:   "54241\n",
		wrongIn: []string{release1},
	},
	{
		// The filter that a join pushes below the grouping has the range of the step before.
		name: "recursion over groups",
		setup: `CREATE TABLE e AS SELECT CASE WHEN i % 50 = 0 THEN (i // 50) % 40 + 2 ELSE 100 + hash(i) % 150000 END::INTEGER AS src,
			CASE WHEN i % 50 = 0 THEN (i // 50) % 40 + 3 ELSE 100 + hash(i + 77) % 150000 END::INTEGER AS dst FROM range(300000) r(i)`,
		query: `WITH RECURSIVE r(node) AS (SELECT 2 UNION SELECT g.dst FROM r JOIN (SELECT src, max(dst) AS dst FROM e GROUP BY src) g ON g.src = r.node)
			SELECT count(*), sum(node) FROM r`,
		right:      "41|902\n",
		wrongIn:    []string{release1},
		executions: 20,
	},
	{
		name:    "date_trunc of NULL beside a date that is not the first of a month",
		setup:   "CREATE TABLE d AS SELECT * FROM (VALUES (NULL::DATE), ('2020-01-05')) v(d)",
		query:   "SELECT count(*) FROM d WHERE date_trunc('month', d) <> '2020-01-15'::DATE",
		right:   "1\n",
		wrong:   "2\n",
		wrongIn: []string{release1},
	},
	{
		name:    "equality or both NULL",
		setup:   "CREATE TABLE l AS SELECT * FROM (VALUES (0, NULL), (1, 1), (NULL, NULL), (1, 2)) v(a, b)",
		query:   "SELECT a = b OR (a IS NULL AND b IS NULL) AS p, count(*) FROM l GROUP BY 1 ORDER BY 1",
		right:   "0|1\n1|2\nNULL|1\n",
		wrong:   "0|2\n1|2\n",
		wrongIn: []string{release1},
	},
	{
		name:    "row of a list with a NULL that decides nothing",
		setup:   "CREATE TABLE l AS SELECT * FROM (VALUES (2, 6), (3, 7), (3, NULL), (4, 8)) v(a, b)",
		query:   "SELECT (1, 5) IN (SELECT a, b FROM l)",
		right:   "0\n",
		wrong:   "NULL\n",
		wrongIn: []string{release1},
	},
	{
		name:    "EXISTS as a value, of rows that differ from a NULL",
		setup:   "CREATE TABLE l AS SELECT * FROM (VALUES (NULL, 1), (5, 1), (5, 2)) v(a, b)",
		query:   "SELECT a, b, EXISTS (SELECT 1 FROM l m WHERE m.a <> l.a AND m.b = l.b) FROM l ORDER BY b, a",
		right:   "5|1|0\nNULL|1|0\n5|2|0\n",
		wrong:   "5|1|0\nNULL|1|1\n5|2|0\n",
		wrongIn: []string{release1},
	},
	{
		name:    "counts of nothing in correlated subqueries",
		setup:   "CREATE TABLE l AS SELECT * FROM (VALUES (2, 6)) v(a, b)",
		query:   "SELECT (SELECT regr_count(m.a, m.b) FROM l m WHERE m.a = l.b), (SELECT approx_count_distinct(m.a) FROM l m WHERE m.a = l.b) FROM l",
		right:   "0|0\n",
		wrong:   "NULL|NULL\n",
		wrongIn: []string{release1},
	},
}

// TestFaults says which of the faults the linked release has. It fails where one is
// gone, so that what is done about it goes as well.
func TestFaults(t *testing.T) {
	db := openMemory(t)
	release := strings.TrimSpace(query(t, openConn(t, db), "SELECT version()"))
	if release != release1 && release != release2 {
		t.Fatalf("%s is neither %s nor %s: say in the table which faults it has", release, release1, release2)
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			c := openConn(t, openMemory(t))
			mustExec(t, c, f.setup)
			got := query(t, c, f.query)
			for n := 1; n < f.executions && got == f.right; n++ {
				got = query(t, c, f.query)
			}
			known := slices.Contains(f.wrongIn, release)
			switch {
			case got == f.right && known:
				t.Errorf("%s no longer has this fault", release)
			case got != f.right && !known:
				t.Errorf("%s answers %q, want %q", release, got, f.right)
			case got != f.right && f.wrong != "" && got != f.wrong:
				t.Errorf("%q, neither right (%q) nor wrong as it was (%q)", got, f.right, f.wrong)
			}
		})
	}
}
