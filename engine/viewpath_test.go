package engine

import "testing"

// TestDefinitionsKeepTheirAuthorsPath: what a view reads and a default counts by is what its author's path
// found, whoever reads it.
func TestDefinitionsKeepTheirAuthorsPath(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	for _, sql := range []string{
		"CREATE SCHEMA vs", "CREATE TABLE vs.vt (a INTEGER)", "INSERT INTO vs.vt VALUES (1)", `CREATE TABLE vs."From" (a INTEGER)`, `INSERT INTO vs."From" VALUES (8)`,
		"CREATE SEQUENCE vs.sq START 10", "CREATE TABLE other (a INTEGER)", "INSERT INTO other VALUES (7)",
		"SET search_path = vs, public",
		"CREATE VIEW own AS SELECT * FROM vt",
		"CREATE VIEW public.v AS SELECT vt.a, o.a AS b FROM vt, other AS o WHERE vt.a IN (SELECT x.a FROM (SELECT a FROM vt) x) AND EXISTS (FROM vt)",
		"CREATE VIEW public.common AS WITH vt AS (SELECT a + 100 AS a FROM vt), w AS (SELECT a FROM vt) SELECT w.a FROM w JOIN vt USING (a)",
		"CREATE VIEW public.recursion AS WITH RECURSIVE r AS (SELECT a FROM vt UNION ALL SELECT a + 1 FROM r WHERE a < 3) SELECT max(a) AS a FROM r",
		`CREATE VIEW public.quoted AS SELECT "From".a, extract(year FROM DATE '2020-01-01') AS y FROM "From"`,
		"CREATE VIEW public.views AS SELECT * FROM own UNION ALL SELECT a FROM public.v",
		"CREATE VIEW public.draws AS SELECT nextval('sq') AS n",
		"CREATE TABLE public.counted (id INTEGER DEFAULT nextval('sq'), x INTEGER)",
		"CREATE MACRO vs.mac(x) AS x + 42", "CREATE VIEW public.called AS SELECT mac(1) AS m, abs(-1) AS one",
		"CREATE OR REPLACE VIEW public.calls AS SELECT count(*) AS n FROM generate_series(1, 3) g, vt",
	} {
		s.run(sql)
	}
	reader := openSession(t, e)
	for _, sql := range []string{
		"CREATE MACRO mac(x) AS 0", "CREATE TABLE vt (a INTEGER)", "INSERT INTO vt VALUES (99)", `CREATE TABLE "From" (a INTEGER)`, "CREATE SEQUENCE sq", "CREATE SCHEMA later", "CREATE TABLE later.other (a INTEGER)",
	} {
		reader.run(sql)
	}
	for _, path := range []string{"public", "later", "vs"} {
		reader.run("SET search_path = " + path)
		for view, want := range map[string]string{
			"vs.own": "1", "public.v": "1|7", "public.common": "101", "public.recursion": "3", "public.quoted": "8|2020", "public.views": "1;1", "public.calls": "3", "public.called": "43|1",
		} {
			reader.want("SELECT * FROM "+view, want)
		}
	}
	reader.run("RESET search_path")
	reader.want("SELECT n FROM draws", "10")
	reader.want("INSERT INTO counted (x) VALUES (1) RETURNING id", "11")

	// A column that counts is one to the catalog.
	s.run("CREATE TABLE ser (id SERIAL PRIMARY KEY, x INTEGER)")
	s.want("SELECT pg_get_serial_sequence('ser', 'id')", "vs.ser_id_seq")
	reader.want("INSERT INTO vs.ser (x) VALUES (1) RETURNING id", "1")
}
