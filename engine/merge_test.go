package engine

import (
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TestMergeOfARowTwice: a second source row that would change a row is an error, as in Postgres; DuckDB takes whichever comes
// first.
func TestMergeOfARowTwice(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	s.run("INSERT INTO t VALUES (1, 10), (2, 20)")
	s.run(`CREATE TABLE s (id INT, v INT)`)
	s.run(`INSERT INTO s VALUES (1, 5), (1, 6), (3, 7)`)
	s.run("CREATE MACRO trireme_merge_once(x) AS false")
	for _, sql := range []string{
		"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v)",
		"MERGE INTO t USING s USING (id) WHEN MATCHED THEN DELETE",
		"MERGE INTO t AS x USING s ON x.id = s.id WHEN MATCHED AND s.v = 5 THEN UPDATE SET v = 0 WHEN MATCHED AND CASE WHEN s.v = 6 THEN true END THEN DELETE RETURNING *",
		`MERGE INTO main.t "a b" USING (SELECT 1 AS id FROM range(3000)) s ON "a b".id = s.id WHEN MATCHED AND v > 0 OR v < 0 THEN UPDATE SET v = 1`,
		"WITH w AS (FROM s) MERGE INTO t USING w ON t.id = w.id WHEN MATCHED THEN UPDATE SET id = 9",
		"EXPLAIN ANALYZE MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE",
	} {
		e := s.wantError(sql, "21000")
		if e.Message != "MERGE command cannot affect row a second time" || e.Hint != "Ensure that not more than one source row matches any one target row." {
			t.Errorf("%s: %q, hint %q", sql, e.Message, e.Hint)
		}
		s.want("FROM t ORDER BY id", "1|10;2|20")
	}
	// One of them changes nothing, or each another row; the next statement begins anew.
	s.wantTag("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.v = 5 THEN UPDATE SET v = s.v WHEN MATCHED THEN DO NOTHING", "MERGE 1")
	s.wantTag("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.v = $1 THEN UPDATE SET v = s.v", "MERGE 1", "6")
	s.wantTag("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.v = $1 THEN UPDATE SET v = s.v", "MERGE 1", "6")
	s.wantTag("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND NULL THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = 0 WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v)", "MERGE 2")
	s.want("FROM t ORDER BY id", "1|6;2|0;3|7")
	// Within savepoints: it is the same when it is executed again.
	s.run("BEGIN")
	s.run("MERGE INTO t USING (SELECT 3 AS id) s USING (id) WHEN MATCHED THEN UPDATE SET v = 8")
	s.run("SAVEPOINT a")
	s.run("MERGE INTO t USING (SELECT 3 AS id) s USING (id) WHEN MATCHED THEN UPDATE SET v = 9")
	s.wantError("MERGE INTO t USING s USING (id) WHEN MATCHED THEN DELETE", "21000")
	s.run("ROLLBACK TO a")
	s.run("MERGE INTO t USING (SELECT 3 AS id) s USING (id) WHEN MATCHED THEN UPDATE SET v = v + 1")
	s.run("COMMIT")
	s.want("SELECT v FROM t WHERE id = 3", "9")
	// Rows of large tables, and of several threads.
	s.run("CREATE TABLE big AS SELECT range AS id, 0 AS v FROM range(300000)")
	s.wantTag("MERGE INTO big USING (SELECT range AS id FROM range(300000)) s USING (id) WHEN MATCHED THEN UPDATE SET v = 1", "MERGE 300000")
	s.wantError("MERGE INTO big USING (SELECT range % 299999 AS id FROM range(300000)) s USING (id) WHEN MATCHED THEN UPDATE SET v = 1", "21000")
	// A column with the name of the number of rows hides it: these are not looked at.
	s.run("CREATE TABLE r (rowid INT, k INT)")
	s.run("INSERT INTO r VALUES (NULL, 1)")
	s.run("MERGE INTO r USING s ON r.k = s.id WHEN MATCHED THEN UPDATE SET k = 4")
	s.want("FROM r", "NULL|4")
	s.wantError("MERGE INTO t USING s ON t.id = s.nosuch WHEN MATCHED THEN DELETE", sqlerr.UndefinedColumn)
}
