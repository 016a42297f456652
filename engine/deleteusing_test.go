package engine

import "testing"

// TestDeleteUsingOfSeveralMatches: a row is deleted once, however many matches it has, also one of the same transaction
// and with an index, in which DuckDB would look for it again.
func TestDeleteUsingOfSeveralMatches(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE d (id INTEGER PRIMARY KEY, k INTEGER)")
	s.run("CREATE TABLE m (k INTEGER)")
	s.run("INSERT INTO m VALUES (10), (10), (10), (20)")
	s.run(`CREATE TABLE "R" (rowid INTEGER PRIMARY KEY, k INTEGER)`) // a column that hides the number of the row
	for _, sql := range []string{
		"DELETE FROM d USING m WHERE m.k = d.k",
		"DELETE FROM main.d AS x USING m, (SELECT 10 AS k UNION ALL SELECT 10) n WHERE m.k = x.k AND n.k = x.k;",
		"DELETE FROM d x USING m JOIN m o USING (k) WHERE m.k = x.k -- once",
		"WITH w AS (FROM m) DELETE FROM d USING w WHERE w.k = d.k AND id > 0",
	} {
		s.run("INSERT INTO d VALUES (1, 10)")
		s.run("BEGIN")
		s.run("INSERT INTO d VALUES (2, 10), (3, 30)")
		s.wantTag(sql, "DELETE 2")
		s.run("SAVEPOINT a")
		s.run("INSERT INTO d VALUES (4, 20)")
		s.want("DELETE FROM d USING m WHERE m.k = d.k RETURNING id", "4")
		s.run("ROLLBACK TO a")
		s.run("COMMIT")
		s.want("FROM d", "3|30")
		s.run("TRUNCATE d")
	}
	s.run("INSERT INTO d VALUES (1, 10), (2, 20)")
	s.wantTag("DELETE FROM d USING m", "DELETE 2")
	s.run("INSERT INTO d VALUES (1, 10), (2, 20)")
	s.wantTag("DELETE FROM d USING m WHERE d.k = m.k AND m.k = $1", "DELETE 1", "20")
	s.run(`INSERT INTO "R" VALUES (7, 10), (8, 11)`)
	s.wantTag(`DELETE FROM "R" USING m WHERE m.k = "R".k`, "DELETE 1")
	s.want(`FROM "R"`, "8|11")
	for sql, code := range map[string]string{
		"DELETE FROM none USING m WHERE true": "42P01", "DELETE FROM d USING none WHERE true": "42P01", "DELETE FROM d USING m WHERE k = 1": "42702",
		"DELETE FROM d USING m WHERE m.nosuch = 1": "42703",
	} {
		s.wantError(sql, code)
	}
}
