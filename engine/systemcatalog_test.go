package engine

import (
	"runtime"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

const catalogSetup = `CREATE SCHEMA "other one";
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE SEQUENCE numbers;
CREATE TABLE parent(id INTEGER PRIMARY KEY DEFAULT nextval('numbers'), name VARCHAR NOT NULL UNIQUE, price DECIMAL(10,2) CHECK (price > 0), m mood, tags VARCHAR[]);
CREATE TABLE child(a INTEGER, b INTEGER, parent_id INTEGER REFERENCES parent(id), twice INTEGER GENERATED ALWAYS AS (a * 2), PRIMARY KEY (a, b));
CREATE TABLE "other one".t("X y" INTEGER);
CREATE INDEX child_b ON child(b);
CREATE INDEX child_sum ON child((a + b));
CREATE VIEW v AS SELECT id, name FROM parent;
CREATE MACRO plus(a, b) AS a + b;
COMMENT ON TABLE parent IS 'those above';
COMMENT ON COLUMN parent.name IS 'what it is called'`

// What the tables of the copy show is what the views show.
func TestKeptCatalogIsLive(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(catalogSetup, ";\n") {
		s.run(sql)
	}
	s.run("SELECT count(*) FROM pg_class")
	s.run("BEGIN")
	s.run("CREATE TABLE own(a INTEGER)")
	s.run("SELECT count(*) FROM pg_class") // from the views
	s.run("ROLLBACK")
	names := s.run("SELECT table_name FROM duckdb_tables() WHERE database_name = 'trireme_pg_kept' AND schema_name = 'pg'" +
		" AND table_name IN (SELECT view_name FROM duckdb_views() WHERE database_name = 'trireme_pg')")
	if n := len(strings.Split(names, ";")); n < 20 {
		t.Fatalf("%d tables: %s", n, names)
	}
	for _, name := range strings.Split(names, ";") {
		contents := "SELECT count(*) || ' rows, ' || coalesce(sum(hash(x)::HUGEINT), 0) FROM "
		if live, kept := s.run(contents+"trireme_pg.pg."+name+" AS x"), s.run(contents+"trireme_pg_kept.pg."+name+" AS x"); live != kept {
			t.Errorf("%s: %s; kept %s", name, live, kept)
		}
	}
}

// A statement on the catalog sees what its session sees, from the copy or not.
func TestCatalogSeesDDL(t *testing.T) {
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	const tables = "SELECT string_agg(relname, ',' ORDER BY relname) FROM pg_class WHERE relkind = 'r' AND oid >= 16384 AND relname LIKE 't_'"
	want := func(s testSession, text, when string) {
		t.Helper()
		if got := s.run(tables); got != text {
			t.Errorf("%s: %s, not %s", when, got, text)
		}
	}
	a.run("CREATE TABLE t1(a INTEGER)")
	want(a, "t1", "own table")
	want(b, "t1", "table of another session")
	a.run("BEGIN")
	want(a, "t1", "in a transaction")
	a.run("CREATE TABLE t2(a INTEGER)")
	want(a, "t1,t2", "own table that is not committed")
	want(b, "t1", "table of another session that is not committed")
	a.run("ROLLBACK")
	want(a, "t1", "after a rollback")

	a.run("BEGIN")
	want(a, "t1", "in a transaction")
	b.run("CREATE TABLE t3(a INTEGER)")
	want(b, "t1,t3", "after DDL")
	want(a, "t1", "in a transaction that began before")
	a.run("COMMIT")
	want(a, "t1,t3", "after the transaction")
	a.run("CREATE TEMP TABLE t4(a INTEGER)")
	want(a, "t1,t3,t4", "own temporary table")
	want(b, "t1,t3", "temporary table of another session")
	b.run("ALTER TABLE t1 RENAME TO t5")
	want(a, "t3,t4,t5", "with a temporary table")
	want(b, "t3,t5", "after ALTER")
}

// A transaction that has seen the copy as it was filled for an older version reads
// DuckDB's catalog instead.
func TestCatalogOfOlderFilling(t *testing.T) {
	e := openEngine(t)
	a, b, c := openSession(t, e), openSession(t, e), openSession(t, e)
	const tables = "SELECT count(*) FROM pg_class WHERE relname LIKE 't_'"
	if got := a.run(tables); got != "0" {
		t.Fatal(got)
	}
	b.run("CREATE TABLE t1(a INTEGER)")
	c.run("BEGIN")
	c.run("CREATE TABLE t2(a INTEGER)")
	a.run("BEGIN")
	a.run("SELECT count(*) FROM trireme_pg_kept.pg._class") // pins the filling without t1
	c.run("ROLLBACK")
	if got := b.run(tables); got != "1" {
		t.Errorf("outside of the transaction: %s", got)
	}
	if got := a.run(tables); got != "1" {
		t.Errorf("in the transaction: %s", got)
	}
	a.run("COMMIT")
}

// A prepared statement follows DDL of its own transaction, also under settings that
// make the session bind for itself.
func TestPreparedCatalogStatement(t *testing.T) {
	for _, setting := range []string{"SET application_name = 'x'", "SET search_path = 'main'"} {
		s := openSession(t, openEngine(t))
		s.run(setting)
		s.run("PREPARE q AS SELECT count(*) FROM pg_class WHERE relname LIKE 't_'")
		s.run("BEGIN")
		if got := s.run("EXECUTE q"); got != "0" {
			t.Errorf("%s: before: %s", setting, got)
		}
		s.run("CREATE TABLE t1(a INTEGER)")
		if got := s.run("EXECUTE q"); got != "1" {
			t.Errorf("%s: after CREATE TABLE: %s", setting, got)
		}
		s.run("ROLLBACK")
		if got := s.run("EXECUTE q"); got != "0" {
			t.Errorf("%s: after ROLLBACK: %s", setting, got)
		}
	}
}

// DuckDB types no parameter of these, though each has a cast: they are described all the
// same.
func TestColumnsOfCastParameters(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"SELECT len([$1::VARCHAR]) AS x", "SELECT json_object($1::VARCHAR, 1) AS x",
		"SELECT 1 AS x FROM pg_description WHERE classoid = CAST($1 AS REGCLASS)",
	} {
		p, err := s.Prepare(t.Context(), sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		if columns := p.Columns(); len(columns) != 1 || columns[0].Name != "x" {
			t.Errorf("%s: columns %v", sql, columns)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Numbers of rows and values of sequences change without DDL.
func TestCatalogSeesData(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t(a INTEGER)")
	s.run("CREATE SEQUENCE q")
	const figures = "SELECT reltuples, relpages, pg_total_relation_size(oid), (SELECT last_value FROM pg_sequences) FROM pg_class WHERE relname = 't'"
	if got := s.run(figures); got != "0|0|0|NULL" {
		t.Errorf("empty: %s", got)
	}
	s.run("INSERT INTO t FROM range(2000)")
	s.run("SELECT nextval('q')")
	if got := s.run(figures); got != "2000|2|8000|1" {
		t.Errorf("after INSERT: %s", got)
	}
}

// The first statement on the catalog may be one of a transaction that has changed it.
func TestFirstCatalogStatementInATransaction(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("BEGIN")
	s.run("CREATE TABLE t(a INTEGER)")
	if got := s.run("SELECT relname FROM pg_class WHERE oid >= 16384 AND relkind = 'r'"); got != "t" {
		t.Error(got)
	}
	s.run("ROLLBACK")
	if got := s.run("SELECT count(*) FROM pg_class WHERE oid >= 16384 AND relkind = 'r'"); got != "0" {
		t.Error(got)
	}
}

// What names mean, and how they are written, follows the search path of the session,
// also in statements that have been prepared under another.
func TestCatalogFollowsTheSearchPath(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE SCHEMA a", "CREATE SCHEMA b", "CREATE TABLE a.t(x INTEGER PRIMARY KEY)", "CREATE TABLE b.t(x INTEGER)",
		"CREATE TABLE a.child(x INTEGER REFERENCES a.t(x))", `CREATE TABLE b."select"(x INTEGER)`, "CREATE TYPE b.mood AS ENUM ('glad')",
	} {
		s.run(sql)
	}
	const visible = "SELECT string_agg(n.nspname || '.' || c.relname, ' ' ORDER BY n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace" +
		" WHERE c.oid >= 16384 AND c.relkind = 'r' AND pg_table_is_visible(c.oid)"
	const texts = "SELECT string_agg(c.oid::regclass::text, ' ' ORDER BY c.oid::regclass::text), (SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f')," +
		" (SELECT format_type(oid, -1) FROM pg_type WHERE typname = 'mood') FROM pg_class c WHERE c.oid >= 16384 AND c.relkind = 'r'"
	s.run("PREPARE visible AS " + visible)
	s.run("PREPARE texts AS " + texts)
	for _, tc := range []struct{ path, visible, texts, t string }{
		{"main", "NULL", `a.child a.t b."select" b.t|FOREIGN KEY (x) REFERENCES a.t(x)|b.mood`, "NULL"},
		{"a, b", "a.child a.t b.select", `"select" b.t child t|FOREIGN KEY (x) REFERENCES t(x)|mood`, "a"},
		{"b, a", "a.child b.select b.t", `"select" a.t child t|FOREIGN KEY (x) REFERENCES t(x)|mood`, "b"},
		{"b", "b.select b.t", `"select" a.child a.t t|FOREIGN KEY (x) REFERENCES a.t(x)|mood`, "b"},
	} {
		s.run("SET search_path = " + tc.path)
		if got := s.run("EXECUTE visible"); got != tc.visible {
			t.Errorf("%s: visible: %s", tc.path, got)
		}
		if got := s.run("EXECUTE texts"); got != tc.texts {
			t.Errorf("%s: texts: %s", tc.path, got)
		}
		if got := s.run("SELECT (SELECT nspname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = to_regclass('T'))"); got != tc.t {
			t.Errorf("%s: t: %s", tc.path, got)
		}
	}
}

// The schema of temporary objects has a name by which clients leave it out of their
// lists, as JDBC does, and is pg_temp in names as well.
func TestTemporarySchema(t *testing.T) {
	s := openSession(t, openEngine(t))
	const schemas = "SELECT string_agg(nspname, ',' ORDER BY nspname) FROM pg_namespace WHERE nspname !~ '^pg_temp_' OR nspname = (pg_catalog.current_schemas(true))[1]"
	s.want(schemas, "information_schema,pg_catalog,public")
	s.run("CREATE TEMP TABLE own AS SELECT 7 AS a")
	s.want(schemas, "information_schema,pg_catalog,public")
	s.want("SELECT nspname, pg_my_temp_schema() = n.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE relname = 'own'", "pg_temp_1|1")
	s.want("SELECT to_regclass('pg_temp.own') = to_regclass('pg_temp_1.own'), to_regclass('pg_temp_1.other')", "1|NULL")
	s.want("SELECT * FROM pg_temp.own UNION ALL SELECT * FROM pg_temp_1.own", "7;7")
}

// quote_ident knows DuckDB's keywords.
func TestKeywordsAreQuoted(t *testing.T) {
	s := openSession(t, openEngine(t))
	if got := s.run("SELECT string_agg(word, ' ') FROM pg_get_keywords() WHERE (catcode <> 'U') <> (quote_ident(word) LIKE '\"%')"); got != "NULL" {
		t.Error(got)
	}
}

// Cursors and prepared statements of the session are listed, also by a statement that
// has been prepared before.
func TestCatalogListsTheSessions(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("PREPARE cursors AS SELECT name, statement, is_holdable, is_scrollable, creation_time > '2000-01-01' FROM pg_cursors ORDER BY 1")
	s.run("PREPARE named AS SELECT name, from_sql FROM pg_prepared_statements WHERE prepare_time IS NOT NULL ORDER BY 1")
	if got := s.run("EXECUTE cursors") + ";" + s.run("EXECUTE named"); got != ";cursors|1;named|1" {
		t.Error(got)
	}
	s.run("PREPARE plus(INTEGER, VARCHAR) AS SELECT $1 + 1, $2")
	s.run("BEGIN")
	s.run("DECLARE c SCROLL CURSOR FOR SELECT 1")
	if got := s.run("EXECUTE cursors"); got != "c|DECLARE c SCROLL CURSOR FOR SELECT 1|0|1|1" {
		t.Error(got)
	}
	s.run("COMMIT")
	if got := s.run("EXECUTE cursors") + ";" + s.run("EXECUTE named"); got != ";cursors|1;named|1;plus|1" {
		t.Error(got)
	}
	if got := s.run("SELECT parameter_types FROM pg_prepared_statements WHERE name = 'plus'"); got != "[integer, text]" {
		t.Error(got)
	}
}

// What a name stands for, from the tables of the copy and from the views: also in
// statements whose aliases are names of the macros', and where a condition leaves out the
// rows whose names are none.
func TestNamesOfObjects(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(catalogSetup, ";\n") {
		s.run(sql)
	}
	for _, own := range []string{"SELECT 1", "CREATE TEMP TABLE own(a INTEGER)"} {
		s.run(own)
		s.play(`
			SELECT relname FROM pg_class e WHERE e.oid = 'PARENT'::regclass : parent
			SELECT count(*) FROM pg_class q JOIN pg_type e ON q.oid = 'pg_type'::regclass WHERE e.oid = 'mood'::regtype : 1
			SELECT 'pg_catalog.pg_type'::regclass::oid, '-'::regclass, '-'::regclass::oid, NULL::regclass, '1247'::regclass, '99'::regclass : 1247|-|0|NULL|pg_type|99
			SELECT '"other one".t'::regclass, to_regclass('t') IS NULL, to_regclass('nothing') IS NULL, to_regclass('numbers') = 'numbers'::regclass : "other one".t|1|1|1
			SELECT string_agg((quote_ident(nspname) || '.' || quote_ident(relname))::regclass, ',' ORDER BY relname) FROM pg_class e JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind = 'r' AND nspname = 'public' : child,parent
			SELECT string_agg(CASE WHEN x LIKE 'n%' THEN x ELSE x::regclass END, ',' ORDER BY x) FROM (VALUES ('nothing'), ('child')) v(x) : child,nothing
			SELECT pg_get_serial_sequence('parent', 'id')::regclass::oid = 'numbers'::regclass, pg_get_serial_sequence(a.attrelid::regclass::text, a.attname) FROM pg_attribute a WHERE attrelid = 'parent'::regclass AND attnum < 3 ORDER BY attnum : 1|public.numbers;1|NULL
			SELECT (SELECT min(relname) FROM pg_class WHERE relname LIKE 'par_nt')::regclass, (SELECT min(typname) FROM pg_type WHERE typname LIKE 'moo_')::regtype : parent|mood
			SELECT 'int4'::regtype, 'numeric(10,2)'::regtype::oid, 'timestamp'::regtype, 'mood'::regtype = to_regtype('Mood'), '-'::regtype::oid, NULL::regtype, '23'::regtype : integer|1700|timestamp without time zone|1|0|NULL|integer
			SELECT 'main'::regnamespace::oid, '"other one"'::regnamespace, '11'::regnamespace, NULL::regnamespace, to_regnamespace('nothing') IS NULL : 2200|"other one"|pg_catalog|NULL|1
			SELECT 'nothing'::regclass ! 42P01
			SELECT (relname || 'nothing')::regclass FROM pg_class e ! 42P01
			SELECT 'nothing'::regtype ! 42704
			SELECT 'nothing'::regnamespace ! 3F000`)
	}
}

// pg_identify_object and pg_describe_object say what an object of each catalog is called.
func TestObjectsAreIdentified(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(catalogSetup, ";\n") {
		s.run(sql)
	}
	s.play(`
		SELECT pg_identify_object('pg_class'::regclass, 'parent'::regclass, 0)::VARCHAR : {'type': table, 'schema': public, 'name': parent, 'identity': public.parent}
		SELECT (pg_identify_object(1259, '"other one".t'::regclass::oid, 1)).identity : "other one".t."X y"
		SELECT (pg_identify_object('pg_class'::regclass, 'v'::regclass, 2)).type, (pg_identify_object('pg_class'::regclass, 'child_b'::regclass, 0)).type, (pg_identify_object('pg_class'::regclass, 'numbers'::regclass, 0)).type : view column|index|sequence
		SELECT (pg_identify_object('pg_type'::regclass, 'mood'::regtype, 0)).identity, (pg_identify_object('pg_type'::regclass, 'int4'::regtype, 0)).identity : public.mood|integer
		SELECT (pg_identify_object('pg_namespace'::regclass, 'main'::regnamespace, 0)).identity : public
		SELECT string_agg((pg_identify_object(classid, objid, objsubid)).identity, ', ' ORDER BY classid, objid) FROM pg_depend WHERE refobjid = 'child'::regclass AND classid = 'pg_constraint'::regclass AND deptype = 'a' : child_parent_id_fkey on public.child, child_pkey on public.child
		SELECT pg_describe_object('pg_class'::regclass, 'parent'::regclass, 0), pg_describe_object(1259, '"other one".t'::regclass, 1), pg_describe_object(1259, 'v'::regclass, 1) : table parent|column "X y" of table "other one".t|column id of view v
		SELECT pg_describe_object('pg_type'::regclass, 'int4'::regtype, 0), pg_describe_object('pg_type'::regclass, 'mood'::regtype, 0), pg_describe_object('pg_namespace'::regclass, 'main'::regnamespace, 0) : type integer|type mood|schema public
		SELECT string_agg(pg_describe_object(classid, objid, objsubid), ', ' ORDER BY classid, objid) FROM pg_depend WHERE refobjid = 'parent'::regclass AND deptype = 'a' AND classid IN (2604, 2606) : default value for column id of table parent, constraint parent_price_check on table parent, constraint parent_name_key on table parent, constraint parent_pkey on table parent
		SELECT pg_describe_object(1259, 1, 0) IS NULL : 1
		SELECT pg_identify_object('pg_class'::regclass, 1, 0) IS NULL, pg_identify_object(NULL, 1, 0) IS NULL : 1|1`)
	s.run("CREATE TEMP TABLE own(a INTEGER)")
	s.play(`
		SELECT pg_describe_object('pg_class'::regclass, 'own'::regclass, 1) : column a of table own`)
}

// TestGeneratedColumnsInTheCatalog: the first column is one as well as the others.
func TestGeneratedColumnsInTheCatalog(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE gen (g INTEGER GENERATED ALWAYS AS (a + 1), a INTEGER DEFAULT 3, h INTEGER GENERATED ALWAYS AS (a * 2))")
	s.want("SELECT string_agg(attname || attgenerated::text, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'gen'::regclass AND attnum > 0", "gs a hs")
}

// A statement that does not wait for the catalog to be made has it made for those that follow.
func TestCatalogIsMadeForThoseThatFollow(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	c := e.system
	s.run("SET statement_timeout = '30ms'")
	c.making.Lock()
	s.wantError("SELECT count(*) FROM pg_class", sqlerr.QueryCanceled)
	s.run("BEGIN")
	s.run("CREATE TABLE own (a INTEGER)")
	s.wantError("SELECT count(*) FROM pg_class", sqlerr.QueryCanceled) // by the views
	s.run("ROLLBACK")
	c.making.Unlock()
	for made := false; !made; runtime.Gosched() {
		made = c.hasViews() && c.showing(version(e)) > 0
	}
	s.run("SET statement_timeout = 0")
	if s.run("SELECT count(*) FROM pg_class"); c.fills != 1 {
		t.Errorf("the tables were filled %d times", c.fills)
	}
}

func version(e *Engine) (schema, functions uint64) {
	schema, _ = e.catalog.Versions.Schema()
	functions, _ = e.catalog.Versions.Functions()
	return schema, functions
}
