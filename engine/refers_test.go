package engine

import "testing"

// A table is what its schema makes it, however many others have its name: TRUNCATE and DROP of several tables
// see which of them refer to which.
func TestTablesOfOneNameInSchemas(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE SCHEMA ma", "CREATE SCHEMA mb", "CREATE TABLE ma.p (k INT PRIMARY KEY)", "CREATE TABLE ma.c (k INT REFERENCES ma.p (k))",
		"CREATE TABLE mb.c (k INT)", "CREATE TABLE mb.p (k INT PRIMARY KEY)", "INSERT INTO ma.p VALUES (1)", "INSERT INTO ma.c VALUES (1)", "INSERT INTO mb.c VALUES (9)",
	} {
		s.run(sql)
	}
	s.wantError("TRUNCATE ma.p, mb.c", "23503")
	s.wantError("TRUNCATE mb.c, ma.p", "23503")
	s.want("SELECT (SELECT count(*) FROM ma.p), (SELECT count(*) FROM ma.c), (SELECT count(*) FROM mb.c)", "1|1|1")
	s.run("TRUNCATE mb.p, mb.c")
	s.wantTag("TRUNCATE ma.p, mb.c, ma.c", "TRUNCATE TABLE")
	s.want("SELECT (SELECT count(*) FROM ma.p), (SELECT count(*) FROM ma.c)", "0|0")
	s.wantError("INSERT INTO ma.c VALUES (1)", "23503")
	s.wantError("DROP TABLE ma.p, mb.c", "2BP01")
	s.run("DROP TABLE mb.p, ma.p, mb.c, ma.c")
	// The table's name in other letters is its name.
	s.run("CREATE TABLE \"Par\" (k INT PRIMARY KEY)")
	s.run("CREATE TABLE chi (k INT REFERENCES par (k))")
	s.run("INSERT INTO par VALUES (1)")
	s.run("INSERT INTO chi VALUES (1)")
	s.run("TRUNCATE par, chi")
	s.run("ALTER TABLE par ADD COLUMN z INT NOT NULL DEFAULT 1")
	s.wantError("INSERT INTO chi VALUES (1)", "23503")
}

// A foreign key to a table of the same name in another schema is refused, and not one of the table to itself.
func TestForeignKeyToOneOfTheSameName(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{"CREATE SCHEMA fa", "CREATE SCHEMA fb", "CREATE TABLE fa.t (k INT PRIMARY KEY)"} {
		s.run(sql)
	}
	s.wantError("CREATE TABLE fb.t (k INT PRIMARY KEY, a INT REFERENCES fa.t (k))", "0A000")
	s.wantError("CREATE TABLE fb.T (k INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES fa.t (k))", "0A000")
	s.wantError("CREATE TABLE t (k INT PRIMARY KEY, a INT REFERENCES fa.t (k))", "0A000")
	s.run("CREATE TABLE fb.t (k INT PRIMARY KEY, a INT REFERENCES fb.t (k))")
	s.run("CREATE TABLE t (k INT PRIMARY KEY, a INT REFERENCES public.t (k), b INT REFERENCES t (k))")
	s.wantError("ALTER TABLE fb.t ADD CONSTRAINT x FOREIGN KEY (a) REFERENCES fa.t (k)", "0A000")
	s.wantError("ALTER TABLE fb.t ADD COLUMN b INT REFERENCES fa.t (k)", "0A000")
	s.wantError("INSERT INTO fb.t VALUES (1, 5)", "23503")
	s.run("SET search_path = fb")
	s.wantError("CREATE TABLE t2 (k INT REFERENCES fa.t (k))", "42601") // DuckDB refuses those of other names
	s.run("DROP TABLE t")
	s.wantError("CREATE TABLE t (k INT PRIMARY KEY, a INT REFERENCES fa.t (k))", "0A000")
	s.run("CREATE TABLE t (k INT PRIMARY KEY, a INT REFERENCES fb.t (k))")
}
