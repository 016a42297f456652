package engine

import "testing"

// A table with the name of a relation of the engine's cannot be made, and tables whose names
// look alike are the client's.
func TestReservedNames(t *testing.T) {
	_, s := hostSession(t)
	for _, sql := range []string{
		`CREATE TABLE "trireme copy"(c0 VARCHAR)`, `CREATE TEMP TABLE "trireme copy"(c0 VARCHAR)`, `CREATE TABLE "Trireme Rows 1" AS SELECT 1`, `CREATE VIEW "trireme rows 1" AS SELECT 1`,
		`CREATE TEMP VIEW "trireme rows 1" AS SELECT 1`, `ALTER TABLE o RENAME TO "trireme rows 1"`, `EXPLAIN ANALYZE CREATE TABLE "trireme rows 1"(a INTEGER)`,
	} {
		s.wantError(sql, "42939")
	}
	for _, temp := range []string{"", "TEMP "} {
		s.run("SET trireme.backend = auto")
		s.run("CREATE " + temp + "TABLE trireme_copy(c0 VARCHAR)")
		if err := copyRows(s, "COPY trireme_copy FROM STDIN", [][]string{{"x"}}); err != nil {
			t.Fatal(err)
		}
		s.want("SELECT * FROM trireme_copy", "x")
		s.run("DROP TABLE trireme_copy")
		s.run("SET trireme.backend = native")
		const counts = "SELECT a.c, count(*) AS n FROM o a JOIN o b ON a.c = b.c GROUP BY a.c"
		want := s.run("SELECT count(*), sum(n) FROM (" + counts + ")")
		s.run("SET trireme.backend = native")
		for _, name := range []string{"trireme_block_1", "trireme_working", "trireme_result", "trireme_recurring"} {
			s.run("CREATE " + temp + "TABLE " + name + "(a INTEGER, n BIGINT)")
			s.run("INSERT INTO " + name + " " + counts)
			s.want("SELECT count(*), sum(n) FROM "+name, want)
			s.run("UPDATE " + name + " SET n = 0 WHERE n IN (SELECT n FROM (" + counts + "))")
			s.want("SELECT sum(n) FROM "+name, "0")
			s.run("DELETE FROM " + name + " WHERE a IN (SELECT c FROM (" + counts + "))")
			s.run("INSERT INTO " + name + " VALUES (1, 2), (2, 3), (3, 4)")
			for i, sql := range []string{
				"SELECT o.c, count(*) FROM " + name + " t JOIN o ON o.c = t.a GROUP BY o.c HAVING count(*) > (SELECT min(n) FROM " + name + ") ORDER BY round(sum(t.n), 0), 1",
				"WITH RECURSIVE w(x) AS (SELECT 1 UNION SELECT e.n FROM w JOIN " + name + " e ON e.a = w.x WHERE position('9' IN e.n::VARCHAR) = 0) SELECT count(*), sum(x) FROM w",
			} {
				if i == 0 || temp == "" { // the rows of a step are not beside those of the session
					s.equalsDuckDB(sql)
				}
			}
			s.run("DROP TABLE " + name)
		}
	}
}
