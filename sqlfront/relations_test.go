package sqlfront

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRelations(t *testing.T) {
	for sql, want := range map[string]string{
		"UPDATE book SET author = 2, title = 'author' WHERE author = 1":                                              "book",
		`UPDATE s."T" AS author SET v = (SELECT max(v) FROM db.s.u, 'w' x) FROM (a JOIN b USING (k)), c WHERE d = e`: "s.t db.s.u w w a b c",
		"INSERT INTO t (a, b) SELECT x, y FROM u WHERE x IS NOT DISTINCT FROM y ORDER BY x, y":                       "t u",
		"INSERT INTO t VALUES (1, v) ON CONFLICT (k) DO UPDATE SET v = excluded.v, w = 1":                            "t set",
		"MERGE INTO t USING (SELECT k FROM s) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = v":                     "t select s set",
		"DELETE FROM t USING a, b JOIN c USING (k), d WHERE t.k = e RETURNING f, g":                                  "t a b c d",
		"CREATE TABLE x AS FROM a: s.t, b SELECT c, d":                                                               "x a s.t b",
		"CREATE TABLE x (k INTEGER REFERENCES p(k), v INTEGER)":                                                      "x p",
		"CREATE OR REPLACE VIEW v AS TABLE t":                                                                        "v t",
		"CREATE TABLE x AS WITH q AS (FROM a), r AS (SELECT b, c FROM d LIMIT 1) SELECT e, f FROM q, r":              "x a d q r",
		"CREATE TABLE x AS (PIVOT t ON a, b USING sum(c))":                                                           "x t sum",
		"UPDATE t SET v = extract(year FROM d), w = [x, y], z = f(a, b)":                                             "t d",
		"CREATE TABLE x AS SELECT * FROM ((t CROSS JOIN LATERAL (SELECT 1, 2)), u), range(3) r(i)":                   "x t lateral select u range",
		"FROM view, show, only t": "view show only t",
		"UPDATE":                  "",
		"FROM a..b":               "a",
	} {
		var got []string
		for _, parts := range Relations(sql) {
			got = append(got, strings.Join(parts, "."))
		}
		if joined := fold(strings.Join(got, " ")); joined != want {
			t.Errorf("%s:\n got %s\nwant %s", sql, joined, want)
		}
	}
}

// All tables that DuckDB's tree of a query names are among the relations of its text.
func TestRelationsAreThoseOfDuckDB(t *testing.T) {
	d := newDuck(t)
	queries := []string{
		"SELECT * FROM a, b x, c AS y(z), d, (e JOIN f ON e.k = f.k), LATERAL (SELECT * FROM g WHERE g.k = a.k), range(3) r(i)",
		"FROM a LEFT JOIN b USING (k, l), c NATURAL JOIN d, e ASOF JOIN f ON e.k >= f.k POSITIONAL JOIN g WHERE a.k IN (FROM h)",
		"WITH x AS (SELECT 1 FROM a), y AS MATERIALIZED (TABLE b) SELECT (SELECT max(k) FROM c), EXISTS (FROM d), ARRAY(SELECT k FROM e) FROM x, y UNION ALL (SELECT * FROM f ORDER BY 1, 2) EXCEPT FROM g",
		"SELECT k FROM x: a, y: s.b, 'c', \"D\" z, db.s.e WHERE k IS DISTINCT FROM l GROUP BY ALL HAVING count(*) > (SELECT 1 FROM f) QUALIFY row_number() OVER (ORDER BY (SELECT 2 FROM g)) = 1",
		"SELECT * FROM (UNPIVOT a ON b, c)", "SELECT * FROM a TABLESAMPLE 10%, b USING SAMPLE 5",
		"SELECT * FROM (VALUES (1, 2)) v(x, y), a SEMI JOIN b ON a.k = b.k ANTI JOIN c ON a.k = c.k", "SELECT {'k': (FROM a)}, [(FROM b)], list(k ORDER BY (FROM c)) FILTER (WHERE k IN (FROM d)) FROM e",
		"SELECT extract(year FROM d), substring(s FROM 2 FOR 1), trim(BOTH 'x' FROM s) FROM a", "FROM a SELECT k, l WHERE m LIMIT (SELECT 1 FROM b)",
		"WITH RECURSIVE r AS (SELECT 1 AS k UNION ALL SELECT k + 1 FROM r, a WHERE r.k < 9) SELECT * FROM r JOIN ONLY b ON true",
		"SELECT * FROM a JOIN (b JOIN (c JOIN d ON 1 = 1) ON 2 = 2) ON 3 = 3, e",
	}
	files, err := filepath.Glob("testdata/accept/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		queries = append(queries, strings.Split(string(text), "\n")...)
	}
	tables := 0
	for _, sql := range queries {
		tree := trees{t.Context(), d}.statement(sql)
		found := Relations(sql)
		anyNode(tree, func(n treeNode) bool {
			if name := textOf(n, "table_name"); n["type"] == "BASE_TABLE" {
				tables++
				if !slices.ContainsFunc(found, func(parts []string) bool { return parts[len(parts)-1] == name }) {
					t.Errorf("%s: %s is missing in %v", sql, name, found)
				}
			}
			return false
		})
		if tree == nil && slices.Index(queries, sql) < 12 {
			t.Errorf("%s: no tree", sql)
		}
	}
	if tables < 100 {
		t.Errorf("only %d tables", tables)
	}
}
