package engine

import "testing"

// Names that differ in a letter beyond ASCII are two names to DuckDB, whatever their case:
// of tables, columns, macros and views.
func TestLettersBeyondASCIIKeepTheirCase(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		`CREATE TABLE "Ét" (a INTEGER, v INTEGER)`, `CREATE TABLE "ét" (a INTEGER, v INTEGER)`, `INSERT INTO "Ét" VALUES (1, 1)`, `INSERT INTO "ét" VALUES (1, 100)`,
		`CREATE TABLE c ("É" INTEGER UNIQUE, "é" INTEGER, v INTEGER)`, `INSERT INTO c VALUES (1, 7, 1), (2, 7, 10), (3, 8, 100)`,
		`CREATE MACRO "Ém"(x) AS x + 1`, `CREATE MACRO "ém"(x) AS x + 100`, `CREATE VIEW "Év" AS SELECT * FROM "Ét"`, `CREATE VIEW "év" AS SELECT * FROM "ét"`,
		`CREATE INDEX "Éi" ON c ("é")`, `COMMENT ON COLUMN c."é" IS 'small'`,
	} {
		s.run(sql)
	}
	for _, backend := range []string{"native", "decomposed", "duckdb"} {
		s.run("SET trireme.backend = '" + backend + "'")
		s.want(`SELECT sum(x.v) FROM "Ét" x JOIN "Ét" y ON x.a = y.a`, "1")
		s.want(`SELECT sum(x.v) FROM "ét" x JOIN "ÉT" y ON x.a = y.a`, "100")
		s.want(`SELECT x."é", sum(x.v) FROM c x JOIN c y ON x."é" = y."é" GROUP BY x."é" ORDER BY 1`, "7|22;8|100")
		s.want(`SELECT x."É", sum(y.v) FROM c x JOIN c y ON x."É" = y."É" GROUP BY x."É" ORDER BY 1`, "1|1;2|10;3|100")
		s.want(`SELECT sum("Ém"(x.v)), sum("ém"(x.v)) FROM "Ét" x JOIN "ét" y ON x.a = y.a`, "2|101")
		s.want(`SELECT sum(x.v), sum(y.v) FROM "Év" x JOIN "év" y ON x.a = y.a`, "1|100")
	}
	s.run("RESET trireme.backend")
	s.run(`DELETE FROM "Ét"`)
	s.run("SET trireme.backend = 'native'")
	s.want(`SELECT count(*) FROM "Ét" x JOIN "ét" y ON x.a = y.a`, "0")
	s.want(`SELECT sum(x.v) FROM "ét" x JOIN "ét" y ON x.a = y.a`, "100")
}

// A name of two parts is looked for in the database in use, and is written there.
func TestSchemasOfTheDatabaseInUse(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	for _, sql := range []string{
		"ATTACH ':memory:' AS m", "CREATE SCHEMA m.s", "CREATE SCHEMA s", "CREATE TABLE m.s.t (a INTEGER)", "CREATE TABLE s.t (a INTEGER)", "CREATE TABLE t (a INTEGER)",
		"CREATE TABLE m.t (a INTEGER)", "INSERT INTO m.s.t VALUES (1)", "INSERT INTO s.t VALUES (2)", "INSERT INTO t VALUES (3)", "INSERT INTO m.t VALUES (4)",
		"CREATE VIEW m.s.v AS SELECT x.a FROM s.t x JOIN main.t y ON x.a < y.a", "CREATE VIEW s.v AS SELECT x.a FROM s.t x JOIN main.t y ON x.a < y.a",
	} {
		s.run(sql)
	}
	const inSchema, inMain, alone = "SELECT sum(x.a) FROM s.t x JOIN s.t y ON x.a = y.a", "SELECT sum(x.a) FROM main.t x JOIN main.t y ON x.a = y.a", "SELECT sum(x.a) FROM t x JOIN t y ON x.a = y.a"
	for _, c := range []struct{ path, schema, main, one string }{
		{"RESET search_path", "2", "3", "3"},
		{"USE m", "1", "4", "4"},
		{"USE m.s", "1", "4", "1"},
		{"USE trireme.s", "2", "3", "2"},
		{"SET search_path = 'm.s, trireme.main'", "1", "3", "1"},
		{"SET search_path = 'main, m.s'", "1", "3", "3"},
		{"SET search_path = 'm.main, s'", "2", "4", "4"},
		{"SET search_path = s", "2", "3", "2"},
	} {
		s.run(c.path)
		for _, backend := range []string{"native", "decomposed", "duckdb"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.want(inSchema, c.schema)
			s.want(inMain, c.main)
			s.want(alone, c.one)
		}
		s.run("RESET trireme.backend")
	}
	// What is written under another path is seen under each.
	const ofM, ofServed = "SELECT sum(x.a) FROM m.s.t x JOIN m.s.t y ON x.a = y.a", "SELECT sum(x.a) FROM trireme.main.t x JOIN trireme.main.t y ON x.a = y.a"
	other.run("SET trireme.backend = 'native'")
	other.want(ofM, "1")
	other.want(ofServed, "3")
	s.run("USE m")
	s.run("INSERT INTO s.t VALUES (100)")
	other.want(ofM, "101")
	s.run("USE m.s")
	s.run("INSERT INTO trireme.t VALUES (1000)")
	other.want(ofServed, "1003")
	other.want("SELECT sum(x.a) FROM m.main.t x JOIN m.main.t y ON x.a = y.a", "4")
	s.run("DELETE FROM main.t") // m's
	other.want("SELECT count(*) FROM m.main.t x JOIN m.main.t y ON x.a = y.a", "0")
	other.want(ofServed, "1003")
	s.run("RESET search_path")
	s.want("SELECT current_database()", "trireme")
}

// A view's names are looked for in its schema, then where the session looks: what depends on
// the session is DuckDB's.
func TestViewsUnderOtherPaths(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"ATTACH ':memory:' AS m", "CREATE SCHEMA m.s", "CREATE SCHEMA s", "CREATE TABLE m.s.t AS SELECT 1 AS a", "CREATE TABLE s.t AS SELECT 2 AS a", "CREATE TABLE t AS SELECT 3 AS a",
		"CREATE TABLE m.t AS SELECT 4 AS a", "CREATE VIEW v AS SELECT x.a FROM s.t x JOIN main.t y ON x.a < y.a", "CREATE VIEW m.v AS SELECT x.a FROM t x JOIN main.t y ON x.a = y.a",
	} {
		s.run(sql)
	}
	for _, path := range []string{"RESET search_path", "USE m", "USE m.s", "USE trireme.s", "SET search_path = 'm.s, trireme.main'", "SET search_path = 'main, m.s'"} {
		s.run(path)
		for _, sql := range []string{"SELECT sum(x.a) FROM trireme.main.v x JOIN trireme.main.v y ON x.a = y.a", "SELECT sum(x.a) FROM m.main.v x JOIN m.main.v y ON x.a = y.a"} {
			s.run("SET trireme.backend = 'duckdb'")
			want, _, failed := s.try(sql)
			for _, backend := range []string{"auto", "native", "decomposed"} {
				s.run("SET trireme.backend = '" + backend + "'")
				got, _, err := s.try(sql)
				if isRefusal(err) && backend != "auto" {
					continue
				}
				if got != want || (err == nil) != (failed == nil) {
					t.Errorf("%s, %s, %s: %q, %v; DuckDB %q, %v", path, backend, sql, got, err, want, failed)
				}
			}
		}
	}
}
