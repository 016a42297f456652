package engine

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/duckbackend"
)

// reopened is a database that is closed and opened again.
type reopened struct {
	t    *testing.T
	path string
	e    *Engine
	s    *Session
}

func (r *reopened) again() testSession {
	r.t.Helper()
	r.close()
	var err error
	if r.e, err = Open(context.Background(), Config{Version: "test", Path: r.path}); err != nil {
		r.t.Fatal(err)
	}
	if r.s, err = r.e.NewSession(context.Background(), SessionOptions{User: "u"}); err != nil {
		r.t.Fatal(err)
	}
	return testSession{r.s, r.t}
}

func (r *reopened) close() {
	r.t.Helper()
	if r.e == nil {
		return
	}
	if err := r.s.Close(); err != nil {
		r.t.Error(err)
	}
	if err := r.e.Close(); err != nil {
		r.t.Error(err)
	}
	r.e = nil
}

func openReopened(t *testing.T) *reopened {
	r := &reopened{t: t, path: filepath.Join(t.TempDir(), "a.db")}
	t.Cleanup(r.close)
	return r
}

const allSequences = "SELECT coalesce(string_agg(schema_name || '.' || sequence_name, ' ' ORDER BY schema_name, sequence_name), '') FROM duckdb_sequences()"

// A sequence belongs to one column, by whatever names it and its table have meanwhile, after a
// restart as before.
func TestSequenceBelongsToItsColumn(t *testing.T) {
	r := openReopened(t)
	for _, again := range []func(s testSession) testSession{
		func(s testSession) testSession { return s },
		func(testSession) testSession { return r.again() },
	} {
		s := r.again()
		s.run("CREATE TABLE o1 (id INTEGER GENERATED ALWAYS AS IDENTITY (START WITH 5), x INTEGER)")
		s.run("CREATE TABLE o2 (id INTEGER DEFAULT nextval('o1_id_seq'), x INTEGER)")
		s.run("INSERT INTO o1 (x) VALUES (1), (2)")
		s.run("INSERT INTO o2 (x) VALUES (1)")
		s = again(s)
		for _, drop := range []string{"DROP SEQUENCE o1_id_seq", "DROP SEQUENCE IF EXISTS public.o1_id_seq", "DROP SEQUENCE IF EXISTS nosuch, o1_id_seq", "DROP TABLE o1"} {
			if e := s.wantError(drop, "2BP01"); drop[5] == 'S' && !strings.Contains(e.Detail, "column id of table o2") {
				t.Errorf("%s: detail %q", drop, e.Detail)
			}
		}
		s.run("TRUNCATE o2 RESTART IDENTITY")
		s.want("INSERT INTO o1 (x) VALUES (3) RETURNING id", "8")
		s.run("COMMENT ON SEQUENCE o1_id_seq IS 'of o1'")
		s.want("SELECT obj_description('o1_id_seq'::regclass)", "of o1")
		s.run("ALTER TABLE o1 RENAME id TO k")
		s.run("ALTER TABLE o1 RENAME TO o3")
		s.want("SELECT refobjid::regclass::text, refobjsubid FROM pg_depend WHERE objid = 'o1_id_seq'::regclass AND deptype = 'a'", "o3|1")
		s = again(s)
		s.want("SELECT start_value FROM pg_sequences", "5")
		s.run("TRUNCATE o3 RESTART IDENTITY")
		s.want("INSERT INTO o3 (x) VALUES (3) RETURNING k", "5")
		s.want("SELECT obj_description('o1_id_seq'::regclass)", "of o1")
		s = again(s)
		s.run("DROP TABLE o2")
		s.want(allSequences, "main.o1_id_seq")
		s.run("DROP TABLE o3")
		s.want(allSequences, "")
	}
}

// OWNED BY, and the other ways to give a table a sequence or to take it.
func TestSequenceChangesItsOwner(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (id INTEGER, x INTEGER)")
	s.run("CREATE SEQUENCE q START 7 OWNED BY a.id")
	s.wantError("ALTER SEQUENCE q OWNED BY a.nosuch", "42703")
	s.wantError("ALTER SEQUENCE q OWNED BY nosuch.id", "42P01")
	s.wantError("ALTER SEQUENCE nosuch OWNED BY a.id", "42P01")
	s.run("COMMENT ON SEQUENCE q IS 'mine'")
	s.run("ALTER SEQUENCE q OWNED BY a.x")
	s.run("ALTER TABLE a DROP COLUMN id")
	s.want(allSequences, "main.q")
	s.run("ALTER SEQUENCE q OWNED BY NONE")
	s.want("SELECT comment FROM duckdb_sequences()", "trireme: of [] from 7\nmine")
	s.want("SELECT obj_description('q'::regclass, 'pg_class')", "mine")
	s.run("ALTER SEQUENCE q OWNED BY public.a.x")
	s.run("ALTER TABLE a ADD COLUMN y INTEGER, DROP COLUMN x")
	s.want(allSequences, "")
	s.run("DROP TABLE a")

	s.run("CREATE TABLE r (id SERIAL)")
	s.run("CREATE OR REPLACE TABLE r (id SERIAL, x INTEGER)")
	s.want("INSERT INTO r (x) VALUES (1) RETURNING id", "1")
	s.want("SELECT count(*) FROM duckdb_sequences()", "1")
	s.run("CREATE OR REPLACE TABLE r AS SELECT 1 AS x")
	s.want(allSequences, "")

	s.run("ATTACH ':memory:' AS m")
	s.run("CREATE TABLE m.main.s (id SERIAL, x INTEGER)")
	s.run("ALTER TABLE m.main.s ADD COLUMN k SERIAL")
	s.want("INSERT INTO m.main.s (x) VALUES (1) RETURNING id, k", "1|1")
	s.want("SELECT string_agg(database_name, ' ') FROM duckdb_sequences()", "m m")
	s.run("DROP TABLE m.main.s")
	s.want(allSequences, "")
}

// Names with double quotes, which nextval cannot be told.
func TestSerialOfQuotedNames(t *testing.T) {
	needsNotesDrawn(t) // a name alone is looked for in the table's schema first
	s := openSession(t, openEngine(t))
	s.run(`CREATE SCHEMA "a""b.c"`)
	s.run(`CREATE TABLE "a""b.c"."t""u" ("i""d" SERIAL, x INTEGER)`)
	s.want(`INSERT INTO "a""b.c"."t""u" (x) VALUES (1), (2) RETURNING "i""d"`, "1;2")
	s.run(`ALTER TABLE "a""b.c"."t""u" ADD COLUMN k SERIAL`)
	s.want(`INSERT INTO "a""b.c"."t""u" (x) VALUES (1) RETURNING "i""d", k`, "3|3")
	s.wantError(`CREATE TABLE u (id INTEGER GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME "q""r"))`, "0A000")
	s.run(`DROP TABLE "a""b.c"."t""u"`)
	s.want(allSequences, "")
}

// Names with single quotes, by which the catalog shows a default.
func TestSerialOfNamesWithQuotes(t *testing.T) {
	needsNotesDrawn(t)
	s := openSession(t, openEngine(t))
	s.run(`CREATE SCHEMA "o'neil"`)
	s.run(`CREATE TABLE "o'neil".t (id SERIAL, x INTEGER)`)
	s.run(`CREATE TABLE "q'2" (a SERIAL, x INTEGER)`)
	s.want(`INSERT INTO "o'neil".t (x) VALUES (1), (2) RETURNING id`, "1;2")
	s.want(`INSERT INTO "q'2" (x) VALUES (1), (2) RETURNING a`, "1;2")
	const shown = `SELECT pg_get_expr(adbin, adrelid) FROM pg_catalog.pg_attrdef ORDER BY 1`
	s.want(shown, `nextval('"o''neil".t_id_seq'::regclass);nextval('"q''2_a_seq"'::regclass)`)
	s.want(`SELECT column_default FROM information_schema.columns WHERE table_name = 'q''2' AND column_name = 'a'`, `nextval('"q''2_a_seq"'::regclass)`)
	s.run("SET search_path = ''")
	s.want(shown, `nextval('"o''neil".t_id_seq'::regclass);nextval('public."q''2_a_seq"'::regclass)`)
}

// The index of a UNIQUE constraint stays one whatever is said of it.
func TestCommentOnConstraintIndex(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (a INTEGER, b INTEGER)")
	s.run("ALTER TABLE t ADD CONSTRAINT u UNIQUE (a)")
	s.run("COMMENT ON INDEX u IS 'said'")
	s.want("SELECT obj_description('u'::regclass), (SELECT conname FROM pg_constraint WHERE contype = 'u')", "said|u")
	s.run("ALTER TABLE t ALTER b TYPE BIGINT")
	s.want("SELECT obj_description('u'::regclass)", "said")
	s.run("ALTER TABLE t DROP CONSTRAINT u")
	s.want("SELECT count(*) FROM duckdb_indexes()", "0")
}

// Databases of earlier releases say only that a sequence is of a column.
func TestEarlierOwnersOfSequences(t *testing.T) {
	r := openReopened(t)
	db, err := duckbackend.Open(context.Background(), duckbackend.Config{Path: r.path})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Exec(context.Background(), `CREATE SEQUENCE o1_id_seq;
COMMENT ON SEQUENCE o1_id_seq IS 'trireme: of a column';
CREATE TABLE o2 (id INTEGER NOT NULL DEFAULT nextval('"o1_id_seq"'), x INTEGER);
CREATE TABLE o1 (id INTEGER NOT NULL DEFAULT nextval('"o1_id_seq"'), x INTEGER);
CREATE SEQUENCE alone;
COMMENT ON SEQUENCE alone IS 'trireme: of a column';`); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := r.again()
	s.want("INSERT INTO o1 (x) VALUES (1), (2) RETURNING id", "1;2")
	s = r.again()
	s.want("SELECT pg_get_serial_sequence('o1', 'id')", "public.o1_id_seq")
	s.run("DROP TABLE o2")
	s.run("TRUNCATE o1 RESTART IDENTITY")
	s.want("INSERT INTO o1 (x) VALUES (1) RETURNING id", "1")
	s.run("DROP TABLE o1")
	s.want(allSequences, "main.alone")
}

// What ALTER says of a default does not need the defaults of other columns: a migration makes an
// identity column, then others with defaults, then a savepoint.
func TestAlterDefaultBesideIdentity(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("BEGIN")
	s.run("CREATE TABLE m (id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, a VARCHAR)")
	s.run("ALTER TABLE m ADD COLUMN b INTEGER DEFAULT 5 NOT NULL")
	s.run("ALTER TABLE m ALTER COLUMN b DROP DEFAULT")
	s.run("ALTER TABLE m ALTER COLUMN a SET DEFAULT 'x'")
	s.run("SAVEPOINT s")
	s.run("INSERT INTO m (b) VALUES (1)")
	s.run("ALTER TABLE m ALTER COLUMN b SET DEFAULT 6")
	s.run("ROLLBACK TO s")
	s.run("INSERT INTO m (b) VALUES (2)")
	s.run("COMMIT")
	s.want("FROM m", "2|x|2")
}

// A sequence is read as a relation by its full name, which the server writes where there are
// temporary objects.
func TestReadSequenceInFull(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE SEQUENCE sv START 10")
	s.run("CREATE TEMP TABLE other (x INTEGER)")
	s.run("SELECT nextval('sv')")
	for _, name := range []string{"sv", "public.sv", "main.sv", "trireme.main.sv", "trireme.public.sv"} {
		s.want("SELECT last_value, is_called FROM "+name, "10|1")
	}
}

// ROLLBACK TO brings a sequence that the transaction has made, or others beside it, to where
// they were, also after the database has been opened again.
func TestPlacesAfterRestart(t *testing.T) {
	r := openReopened(t)
	s := r.again()
	s.run("CREATE SEQUENCE q START 100 INCREMENT 10")
	s.run("SELECT nextval('q') FROM range(3)")
	s = r.again()
	s.run("BEGIN")
	s.run("CREATE SEQUENCE made")
	s.run("SAVEPOINT a")
	s.want("SELECT nextval('q'), nextval('made')", "130|1")
	s.run("ROLLBACK TO a")
	s.want("SELECT nextval('q'), nextval('made')", "140|2")
	s.run("COMMIT")
}
