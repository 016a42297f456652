//go:build !duckdb_use_lib

package duckbackend

import "testing"

// Two rows of one key that is not NULL are an error, also where they are far apart, in a source
// of any kind, and where the key is all that there is.
func TestUpsertsOfOneKeyTwice(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, `CREATE TABLE t(id INT PRIMARY KEY, v TEXT, n INT);
CREATE TABLE pair("a b" INT, "c""d" TEXT, w INT DEFAULT 7, UNIQUE("a b", "c""d")); CREATE TABLE bare(id INT PRIMARY KEY)`)
	// None of the names in the condition is a user's.
	mustExec(t, c, "CREATE MACRO error(x) AS true; CREATE MACRO row_number() AS 1")
	for _, sql := range []string{
		"INSERT INTO t VALUES (9,'a',1),(9,'b',2) ON CONFLICT (id) DO UPDATE SET v = excluded.v",
		"INSERT INTO t VALUES (9,'a',1),(8,'x',0),(9,'b',2) ON CONFLICT DO UPDATE SET v = excluded.v RETURNING id",
		"INSERT INTO t(v, id) VALUES ('a',9),('b',9) ON CONFLICT (id) DO UPDATE SET v = excluded.v, n = t.n + 1 WHERE t.n > 0",
		"INSERT INTO t SELECT i % 50000, 'x', i FROM range(50001) r(i) ON CONFLICT (id) DO UPDATE SET n = excluded.n",
		"INSERT INTO t BY NAME SELECT 'x' AS v, i // 2 AS id FROM range(9) r(i) ON CONFLICT (id) DO UPDATE SET v = excluded.v",
		"WITH w AS (SELECT 1 AS id FROM range(2)) INSERT INTO t(id) SELECT id FROM w ON CONFLICT (id) DO UPDATE SET n = 1",
		`INSERT INTO pair VALUES (1, 'x', DEFAULT), (1, 'y', 2), (1, 'x', 3) ON CONFLICT ("c""d", "a b") DO UPDATE SET w = excluded.w`,
	} {
		err := c.Exec(ctx, sql)
		e := wantCode(t, err, "21000")
		if e.Message != "ON CONFLICT DO UPDATE command cannot affect row a second time" ||
			e.Hint != "Ensure that no rows proposed for insertion within the same command have duplicate constrained values." {
			t.Errorf("%s: %q, hint %q", sql, e.Message, e.Hint)
		}
	}
	if got := query(t, c, "SELECT (SELECT count(*) FROM t) + (SELECT count(*) FROM pair)"); got != "0\n" {
		t.Errorf("%s rows are left of statements that failed", got)
	}
}

func TestUpsertsKeepOtherRows(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, `CREATE TABLE t(id INT PRIMARY KEY, v TEXT); CREATE TABLE pair(a INT, b INT, w INT DEFAULT 7, UNIQUE(a, b));
INSERT INTO t VALUES (1, 'old');
INSERT INTO t VALUES (1, 'new'), (2, 'b') ON CONFLICT (id) DO UPDATE SET v = excluded.v || t.v;
INSERT INTO t VALUES (3, 'first'), (3, 'second') ON CONFLICT (id) DO NOTHING;
INSERT INTO pair VALUES (NULL, 1, 1), (NULL, 1, 2), (1, NULL, 3), (1, NULL, DEFAULT), (1, 1, 5) ON CONFLICT (a, b) DO UPDATE SET w = excluded.w;
INSERT INTO pair VALUES (1, 1, 6) ON CONFLICT (a, b) DO UPDATE SET w = excluded.w + pair.w`)
	for sql, want := range map[string]string{
		"SELECT string_agg(id || v, ' ' ORDER BY id) FROM t":   "1newold 2b 3first\n",
		"SELECT string_agg(w::TEXT, ' ' ORDER BY w) FROM pair": "1 2 3 7 11\n",
	} {
		if got := query(t, c, sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	mustExec(t, c, `CREATE TABLE two(a INT UNIQUE, b INT UNIQUE, v INT);
INSERT INTO two VALUES (NULL, 1, 1), (NULL, 2, 2), (NULL, 2, 2), (NULL, NULL, 4), (NULL, NULL, 5), (1, NULL, 6), (1, NULL, 7) ON CONFLICT DO NOTHING;
INSERT INTO two SELECT DISTINCT ON (a) * FROM (VALUES (NULL, NULL, 8), (NULL, NULL, 9)) v(a, b, v) ON CONFLICT DO NOTHING;
INSERT INTO two BY NAME SELECT DISTINCT ON (a) * FROM (VALUES (NULL, NULL, 10), (NULL, NULL, 11)) v(a, b, v) ON CONFLICT (a) DO UPDATE SET v = 0;
INSERT INTO two(v) VALUES (12), (13) ON CONFLICT (a) DO NOTHING;
INSERT INTO two DEFAULT VALUES ON CONFLICT DO NOTHING`)
	if got := query(t, c, "SELECT string_agg(coalesce(v::TEXT, '-'), ' ' ORDER BY v) FROM two"); got != "1 2 4 5 6 8 10 12 13 -\n" {
		t.Errorf("taken are %q", got)
	}
	st := openConn(t, openMemory(t))
	mustExec(t, st, `CREATE TABLE excluded(id INT PRIMARY KEY); INSERT INTO excluded VALUES (1);
MERGE INTO excluded t USING (SELECT DISTINCT ON (id) * FROM (VALUES (2), (2)) v(id)) excluded ON t.id = excluded.id WHEN NOT MATCHED THEN INSERT`)
	if got := query(t, st, "SELECT count(*) FROM excluded"); got != "2\n" {
		t.Errorf("a MERGE written so has %s rows", got)
	}
}
