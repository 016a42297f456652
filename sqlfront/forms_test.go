package sqlfront_test

import (
	"slices"
	"testing"

	"github.com/trireme-db/trireme/sqlfront"
)

func TestForms(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"SELECT a FROM t WHERE b = ? AND c = ?;", []string{"SELECT a FROM t WHERE b = $1 AND c = $2"}},
		{"EXPLAIN (ANALYZE, FORMAT json) SELECT $1", []string{"SELECT $1"}},
		{"EXPLAIN ANALYZE WITH q AS (SELECT 1) SELECT $1 FROM q", []string{"WITH q AS (SELECT 1) SELECT $1 FROM q"}},
		{"EXPLAIN EXECUTE p(1)", nil},
		{"CREATE TABLE n AS SELECT $1 AS x", []string{"SELECT $1 AS x"}},
		{"UPDATE s.t SET a = $1, b = DEFAULT, (c, d) = (b + $2, 3) WHERE e IS DISTINCT FROM $3 RETURNING a + $4", []string{
			"SELECT trireme_assigned(t.a, $1\n), trireme_assigned(t.c, b + $2\n), trireme_assigned(t.d, 3\n), a + $4, 1 FROM s.t WHERE e IS DISTINCT FROM $3",
		}},
		{"WITH q AS (SELECT 1) UPDATE t AS x SET a = f(1, $1) FROM q, r WHERE x.a = q.a", []string{
			"WITH q AS (SELECT 1)\nSELECT trireme_assigned(x.a, f(1, $1)\n), 1 FROM t AS x, q, r WHERE x.a = q.a",
		}},
		{"UPDATE t SET (a, b) = (SELECT $1, 2)", []string{"SELECT EXISTS (SELECT $1, 2), 1 FROM t"}},
		{"DELETE FROM t USING u WHERE t.a = u.a + $1 RETURNING $2", []string{"SELECT $2, 1 FROM t, u WHERE t.a = u.a + $1"}},
		{"DELETE FROM t", []string{"SELECT 1 FROM t"}},
		{"INSERT INTO t VALUES ($1, DEFAULT), ($2, 2)", []string{"VALUES ($1, DEFAULT), ($2, 2)", "into SELECT * FROM t"}},
		{"INSERT INTO m.t AS x (a, b) SELECT $1, c FROM u JOIN v ON u.a = v.a ON CONFLICT (a) DO UPDATE SET b = x.b + $2 WHERE x.a > $3 RETURNING b * $4", []string{
			"SELECT $1, c FROM u JOIN v ON u.a = v.a", "into SELECT a, b FROM m.t",
			"SELECT (SELECT ROW(trireme_assigned(x.b, x.b + $2\n), 1) FROM m.t AS x WHERE x.a > $3\n) FROM m.t AS excluded",
			"SELECT b * $4 FROM m.t AS x",
		}},
		{"INSERT OR REPLACE INTO t BY NAME (SELECT $1 AS a)", []string{"(SELECT $1 AS a)"}},
		{"INSERT INTO t (SELECT $1)", []string{"(SELECT $1)", "into SELECT * FROM t"}},
		{"INSERT INTO t DEFAULT VALUES RETURNING $1", []string{"SELECT $1 FROM t AS t"}},
		{"MERGE INTO t AS x USING (SELECT 1 AS a) AS s ON x.a = s.a + $1 WHEN MATCHED AND s.a > $2 THEN UPDATE SET b = CASE WHEN s.a = 1 THEN $3 END " +
			"WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, $4)", []string{
			"SELECT 1 FROM t AS x, (SELECT 1 AS a) AS s WHERE x.a = s.a + $1",
			"SELECT 1 FROM t AS x, (SELECT 1 AS a) AS s WHERE s.a > $2",
			"SELECT trireme_assigned(x.b, CASE WHEN s.a = 1 THEN $3 END\n), 1 FROM t AS x, (SELECT 1 AS a) AS s",
			"SELECT s.a, $4 FROM (SELECT 1 AS a) AS s", "into SELECT a, b FROM t",
		}},
		{"", nil},
		{"UPDATE", []string{"SELECT 1 FROM "}},
		{"INSERT INTO t (a", []string{"", "into SELECT a FROM t"}},
	} {
		var got []string
		for _, f := range sqlfront.Forms(c.sql) {
			got = append(got, f.SQL)
			if f.Target != "" {
				got = append(got, "into "+f.Target)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.sql, got, c.want)
		}
	}
}
