package engine

import "testing"

// Tables that refer to one another are emptied together, in any order, and refer as before.
func TestTruncateOfTablesThatRefer(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE p (x INT PRIMARY KEY, y INT UNIQUE, z INT)")
	s.run("CREATE INDEX i ON p (z)")
	s.run("CREATE TABLE c (x INT REFERENCES p, y INT)")
	s.run("CREATE INDEX j ON c (y)")
	s.run("CREATE TABLE self (x INT PRIMARY KEY, up INT REFERENCES self (x))")
	fill := []string{
		"INSERT INTO p VALUES (1, 1, 1), (2, 2, 2)", "INSERT INTO c VALUES (1, 1), (2, 2)",
		"INSERT INTO self VALUES (1, NULL)", "INSERT INTO self VALUES (2, 1)",
	}
	for _, sql := range []string{"TRUNCATE p, c, self", "TRUNCATE c, self, p", "TRUNCATE TABLE self, p, c RESTART IDENTITY"} {
		for _, f := range fill {
			s.run(f)
		}
		s.wantError("TRUNCATE p", "23503")
		s.wantTag(sql, "TRUNCATE TABLE")
		s.want("SELECT (SELECT count(*) FROM p), (SELECT count(*) FROM c), (SELECT count(*) FROM self)", "0|0|0")
		s.wantError("INSERT INTO c VALUES (1, 1)", "23503")
		s.wantError("INSERT INTO self VALUES (2, 1)", "23503")
		s.want("SELECT string_agg(index_name, ',' ORDER BY index_name) FROM duckdb_indexes()", "i,j")
	}
	for _, f := range fill {
		s.run(f)
	}
	s.run("TRUNCATE self")
	s.want("SELECT count(*) FROM self", "0")
	s.run("BEGIN")
	s.run("TRUNCATE p, c")
	s.run("INSERT INTO p VALUES (1, 5, 5)")
	s.run("INSERT INTO c VALUES (1, 5)")
	s.run("COMMIT")
	s.want("SELECT p.y, c.y FROM p JOIN c ON p.x = c.x", "5|5")
	s.run("BEGIN")
	s.run("TRUNCATE p, c")
	s.run("ROLLBACK")
	s.want("SELECT p.y, c.y FROM p JOIN c ON p.x = c.x", "5|5")
}

// A temporary object has the schema pg_temp, in statements and in names of sequences.
func TestTemporarySchemaIsNamed(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE x (a INT)")
	s.run("CREATE TEMP TABLE x (b INT)")
	s.run("INSERT INTO pg_temp.x VALUES (1)")
	s.want("SELECT b FROM pg_temp.x", "1")
	s.run("ALTER TABLE pg_temp.x ADD COLUMN c INT")
	s.run("CREATE INDEX xi ON pg_temp.x (b)")
	s.run("DROP TABLE pg_temp.x")
	s.want("SELECT count(a) FROM x", "0")
	s.wantError("DROP TABLE pg_temp.x", "42P01")
	s.run("CREATE TEMP SEQUENCE q")
	s.want("SELECT nextval('pg_temp.q'), currval('pg_temp.q')", "1|1")
	s.run("DROP SEQUENCE pg_temp.q")
	s.run("CREATE TEMP TABLE y AS SELECT a FROM public.x")
	s.want("SELECT count(*) FROM pg_temp.y, public.x, pg_temp.y z", "0")
}
