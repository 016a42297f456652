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

// TestMergeOnceIsTheServersOwn: statements do not call what a MERGE calls, and rows have no numbers
// below 0.
func TestMergeOnceIsTheServersOwn(t *testing.T) {
	e := openEngine(t)
	admin := openSession(t, e)
	for _, sql := range []string{"CREATE ROLE ann LOGIN", "CREATE ROLE bob LOGIN IN ROLE trireme_read_only", "CREATE TABLE t (x INTEGER)", "INSERT INTO t VALUES (1)"} {
		admin.run(sql)
	}
	ann := openAs(t, e, "ann")
	for _, sql := range []string{
		"SELECT trireme_merge_once(1)", `SELECT system.main."trireme_merge_once"(1)`, "SELECT (1).trireme_merge_once()", "FROM query('SELECT trireme_merge_once(1)')",
		"CREATE MACRO m(x) AS trireme_merge_once(x)", "CREATE VIEW v AS SELECT trireme_merge_once(1)", "PREPARE p AS SELECT trireme_merge_once(1)",
		"MERGE INTO t USING (SELECT 1 AS x WHERE trireme_merge_once(1)) s USING (x) WHEN MATCHED THEN DELETE",
	} {
		ann.wantError(sql, "42501")
	}
	openAs(t, e, "bob").wantError("SELECT trireme_merge_once(1)", "42501")
	ann.wantTag("MERGE INTO t USING (SELECT 1 AS x) s USING (x) WHEN MATCHED THEN UPDATE SET x = 2", "MERGE 1")
	admin.wantError("SELECT trireme_merge_once(-1)", "22023")
	admin.want("SELECT count(*) FROM range(100) t(i) WHERE trireme_merge_once(i * 16384)", "100")
}
