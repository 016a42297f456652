package engine

import (
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// TestAlterTableWithIndexes: a table's indexes stay through what DuckDB does not do to a
// table that has any, and follow it.
func TestAlterTableWithIndexes(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE SCHEMA z")
	s.run("CREATE TABLE z.t (id INTEGER PRIMARY KEY, a INTEGER, b VARCHAR DEFAULT 'x', c INTEGER, d INTEGER GENERATED ALWAYS AS (a * 2))")
	s.run("COMMENT ON TABLE z.t IS 'of ships'")
	s.run("COMMENT ON COLUMN z.t.b IS 'painted'")
	s.run("COMMENT ON COLUMN z.t.d IS 'twice a'")
	s.run("CREATE INDEX ia ON z.t(a)")
	s.run("CREATE UNIQUE INDEX ib ON z.t(lower(b), a)")
	s.run("COMMENT ON INDEX z.ia IS 'by a'")
	s.run("CREATE INDEX ic ON z.t(c)")
	s.run("INSERT INTO z.t VALUES (1, 1, 'Q', 3), (2, 2, 'r', 4)")
	indexes := "SELECT sql || coalesce(comment, '') FROM duckdb_indexes() ORDER BY index_name"
	for _, c := range []struct{ alter, indexes, rows string }{
		{"ALTER TABLE z.t RENAME TO t2", "CREATE INDEX ia ON z.t2(a);by a|CREATE UNIQUE INDEX ib ON z.t2((lower(b)), a);|CREATE INDEX ic ON z.t2(c);", "1|1|Q|3|2;2|2|r|4|4"},
		{"ALTER TABLE z.t2 DROP COLUMN d", "CREATE INDEX ia ON z.t2(a);by a|CREATE UNIQUE INDEX ib ON z.t2((lower(b)), a);|CREATE INDEX ic ON z.t2(c);", "1|1|Q|3;2|2|r|4"},
		{"ALTER TABLE z.t2 RENAME COLUMN a TO \"the a\"", "CREATE INDEX ia ON z.t2(\"the a\");by a|CREATE UNIQUE INDEX ib ON z.t2((lower(b)), \"the a\");|CREATE INDEX ic ON z.t2(c);", "1|1|Q|3;2|2|r|4"},
		{"ALTER TABLE z.t2 ALTER COLUMN \"the a\" TYPE BIGINT", "CREATE INDEX ia ON z.t2(\"the a\");by a|CREATE UNIQUE INDEX ib ON z.t2((lower(b)), \"the a\");|CREATE INDEX ic ON z.t2(c);", "1|1|Q|3;2|2|r|4"},
		{"ALTER TABLE ONLY z.t2 DROP COLUMN c, ADD COLUMN e INTEGER DEFAULT 7, RENAME COLUMN \"the a\" TO a", "CREATE INDEX ia ON z.t2(a);by a|CREATE UNIQUE INDEX ib ON z.t2((lower(b)), a);", "1|1|Q|7;2|2|r|7"},
		{"ALTER TABLE z.t2 ALTER e SET NOT NULL", "CREATE INDEX ia ON z.t2(a);by a|CREATE UNIQUE INDEX ib ON z.t2((lower(b)), a);", "1|1|Q|7;2|2|r|7"},
	} {
		s.run(c.alter)
		s.want("SELECT count(*) FROM duckdb_columns() WHERE column_name = 'd' AND comment IS DISTINCT FROM 'twice a'", "0")
		s.want("SELECT string_agg(sql, '|') FROM ("+indexes+") i(sql)", c.indexes)
		s.want("SELECT * FROM z.t2 ORDER BY id", c.rows)
	}
	s.want("SELECT obj_description('z.t2'::regclass)", "of ships")
	s.want("SELECT comment FROM duckdb_columns() WHERE table_name = 't2' AND column_name = 'b'", "painted")
	s.wantError("INSERT INTO z.t2 VALUES (3, 1, 'q', 1)", "23505")
	s.wantError("INSERT INTO z.t2 VALUES (3, 9, 'q', NULL)", "23502")
	s.wantError("ALTER TABLE z.t2 DROP COLUMN a, DROP COLUMN nothing", "42703") // all or nothing
	s.want("SELECT * FROM z.t2 ORDER BY id", "1|1|Q|7;2|2|r|7")
	s.run("BEGIN")
	s.run("ALTER TABLE z.t2 RENAME TO t3")
	s.run("CREATE TABLE z.t2 AS SELECT 1 AS a")
	s.run("ROLLBACK")
	s.want("SELECT * FROM z.t2 ORDER BY id", "1|1|Q|7;2|2|r|7")
}

// TestAlterTableOfAView: ALTER TABLE speaks of views, too.
func TestAlterTableOfAView(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE VIEW v1 AS SELECT 1 AS a")
	s.run("ALTER TABLE v1 RENAME TO v2")
	s.want("SELECT * FROM v2", "1")
	s.wantError("SELECT * FROM v1", "42P01")
	s.wantError("ALTER TABLE v1 RENAME TO v3", "42P01")
	s.run("ALTER TABLE IF EXISTS v1 RENAME TO v3")
}

// TestAddColumnToItself: a column that is added may refer to its own table, whose other
// columns have any names.
func TestAddColumnToItself(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE g (id INTEGER PRIMARY KEY, b INTEGER, r INTEGER REFERENCES g(id))")
	s.run("INSERT INTO g VALUES (1, 7, NULL)")
	s.run("INSERT INTO g VALUES (2, 8, 1)")
	s.run("INSERT INTO g VALUES (3, 9, 2)")
	s.run("ALTER TABLE g ADD COLUMN par INT REFERENCES g(id)")
	s.run("ALTER TABLE g ADD COLUMN other INT CONSTRAINT named REFERENCES G")
	s.want("SELECT * FROM g ORDER BY id", "1|7|NULL|NULL|NULL;2|8|1|NULL|NULL;3|9|2|NULL|NULL")
	s.run("INSERT INTO g VALUES (4, 1, 3, 2, 1)")
	s.wantError("INSERT INTO g VALUES (5, 1, 3, 9, 1)", "23503")
	s.wantError("INSERT INTO g VALUES (5, 1, 3, 1, 9)", "23503")
	s.wantError("ALTER TABLE g ADD COLUMN k INT DEFAULT 77 REFERENCES g(id)", "23503")
	s.want("SELECT count(*) FROM g", "4")
	s.run("CREATE TABLE one (id INTEGER PRIMARY KEY, b INTEGER)")
	s.run("INSERT INTO one VALUES (1, 1), (2, 2)")
	s.run("ALTER TABLE one ADD COLUMN up INT REFERENCES one(id)")
	s.want("SELECT * FROM one ORDER BY id", "1|1|NULL;2|2|NULL")
}

// TestAlterTableConstraints: constraints come and go, and hold in between; what refers to
// a table does not keep it from being altered.
func TestAlterTableConstraints(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE par (id INTEGER PRIMARY KEY, n VARCHAR(20) UNIQUE, d INTEGER)")
	s.run("INSERT INTO par VALUES (1, 'a', 3), (2, 'b', 4)")
	s.run("CREATE TABLE chi (id INTEGER PRIMARY KEY, p INTEGER)")
	s.run("INSERT INTO chi VALUES (10, 1), (11, 2)")
	s.run("CREATE INDEX chi_p ON chi (p)")
	s.run("CREATE TABLE far (c INTEGER REFERENCES chi(id))")
	s.run("INSERT INTO far VALUES (10)")
	s.run("ALTER TABLE chi ADD CONSTRAINT fk FOREIGN KEY (p) REFERENCES par (id) DEFERRABLE INITIALLY DEFERRED")
	s.run("ALTER TABLE par ALTER n TYPE VARCHAR(30)")
	s.run("ALTER TABLE par DROP COLUMN d")
	s.run("ALTER TABLE par RENAME COLUMN id TO ident")
	s.run("ALTER TABLE par RENAME TO par2")
	s.run("ALTER TABLE chi RENAME TO kid")
	s.run("ALTER TABLE kid ADD CHECK (p > 0), ADD CONSTRAINT uu UNIQUE (id, p)")
	s.run("ALTER TABLE kid ADD UNIQUE (p)")
	s.want("SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE contype <> 'n' ORDER BY conrelid::regclass::text, conname",
		"far_c_fkey FOREIGN KEY (c) REFERENCES kid(id);chi_pkey PRIMARY KEY (id);fk FOREIGN KEY (p) REFERENCES par2(ident);kid_p_check CHECK ((p > 0));"+
			"kid_p_key UNIQUE (p);uu UNIQUE (id, p);par_n_key UNIQUE (n);par_pkey PRIMARY KEY (ident)")
	s.wantError("INSERT INTO kid VALUES (12, 7)", "23503")
	s.wantError("INSERT INTO kid VALUES (12, 2)", "23505")
	s.wantError("INSERT INTO far VALUES (12)", "23503")
	s.want("SELECT * FROM kid ORDER BY id", "10|1;11|2")
	s.run("ALTER TABLE kid DROP CONSTRAINT uu, DROP CONSTRAINT kid_p_key, DROP CONSTRAINT fk, DROP CONSTRAINT IF EXISTS gone")
	s.run("INSERT INTO kid VALUES (12, 2), (13, 7)")
	s.wantError("INSERT INTO kid VALUES (14, -1)", "23514")
	s.wantError("ALTER TABLE kid DROP CONSTRAINT gone", "42704")
	s.wantError("ALTER TABLE kid ADD UNIQUE (p)", "23505")
	s.wantError("ALTER TABLE kid ADD CHECK (p > 5)", "23514")
	s.wantError("ALTER TABLE kid ADD UNIQUE (lower(p))", "0A000")
	s.wantError("ALTER TABLE absent ADD UNIQUE (p)", "42P01")
	s.run("DROP TABLE par2")
	s.run("CREATE TABLE keyless (id INTEGER)")
	s.run("CREATE INDEX ki ON keyless (id)")
	s.run("ALTER TABLE ONLY keyless ADD CONSTRAINT keyless_pkey PRIMARY KEY (id)")
	s.wantError("INSERT INTO keyless VALUES (NULL)", "23502")
}

// TestAlterTableNamesInSchemas: tables of the same names in several schemas, with the same
// foreign keys, have nothing to do with each other.
func TestAlterTableNamesInSchemas(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, schema := range []string{"", "one.", "two."} {
		if schema != "" {
			s.run("CREATE SCHEMA " + schema[:3])
		}
		s.run("CREATE TABLE " + schema + "harbour (id INTEGER PRIMARY KEY)")
		s.run("CREATE TABLE " + schema + "ship (id INTEGER PRIMARY KEY, home INTEGER REFERENCES " + schema + "harbour (id))")
		s.run("CREATE TABLE " + schema + "sail (ship INTEGER REFERENCES " + schema + "ship (id))")
		s.run("INSERT INTO " + schema + "harbour VALUES (1)")
		s.run("INSERT INTO " + schema + "ship VALUES (2, 1)")
		s.run("INSERT INTO " + schema + "sail VALUES (2)")
	}
	s.run("ALTER TABLE two.harbour RENAME TO port")
	s.run("ALTER TABLE two.ship ADD CHECK (home > 0)")
	s.run("SET search_path = one")
	s.run("ALTER TABLE ship ALTER home SET NOT NULL")
	s.run("ALTER TABLE harbour RENAME TO haven")
	s.run("ALTER TABLE main.ship ALTER home SET NOT NULL")
	s.run("ALTER TABLE public.harbour RENAME COLUMN id TO key")
	s.run("SET search_path = public")
	s.want("SELECT schema_name, table_name, constraint_text FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY' ORDER BY ALL",
		"main|sail|FOREIGN KEY (ship) REFERENCES ship(id);main|ship|FOREIGN KEY (home) REFERENCES harbour(\"key\");"+
			"one|sail|FOREIGN KEY (ship) REFERENCES one.ship(id);one|ship|FOREIGN KEY (home) REFERENCES one.haven(id);"+
			"two|sail|FOREIGN KEY (ship) REFERENCES two.ship(id);two|ship|FOREIGN KEY (home) REFERENCES two.port(id)")
	for _, schema := range []string{"", "one.", "two."} {
		s.wantError("INSERT INTO "+schema+"ship VALUES (3, 3)", "23503")
		s.wantError("INSERT INTO "+schema+"sail VALUES (3)", "23503")
	}
	s.run("DROP TABLE two.port CASCADE")
	s.run("INSERT INTO two.ship VALUES (3, 3)")
	s.wantError("INSERT INTO one.ship VALUES (3, 3)", "23503")
}

// TestUnfinishedDefinitions: a statement that ends anywhere is an error, or another
// statement.
func TestUnfinishedDefinitions(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE OR REPLACE TEMP TABLE IF NOT EXISTS z.q (id SERIAL PRIMARY KEY, n NUMERIC(5, 2) DEFAULT - 1 CHECK (n > 0), r VARCHAR(5) REFERENCES z.t (a) ON DELETE CASCADE, FOREIGN KEY (id) REFERENCES z.t (a))",
		"CREATE TABLE q (id BIGINT GENERATED BY DEFAULT AS IDENTITY (START WITH 5) NOT NULL, a INTEGER[] COLLATE nocase, UNIQUE NULLS DISTINCT (id))",
		"CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON ONLY z.t USING btree (lower(b) text_pattern_ops DESC, (a + 1)) INCLUDE (a) NULLS DISTINCT WITH (fillfactor = 70) TABLESPACE x WHERE a > 0",
		"CREATE INDEX ON t (a COLLATE nocase)",
		"CREATE OR REPLACE VIEW z.v (a, b) AS SELECT 1, 2", "CREATE SEQUENCE z.s START 5", "CREATE TYPE z.m AS ENUM ('a', 'b')", "CREATE SCHEMA z2 AUTHORIZATION x",
		"ALTER TABLE IF EXISTS ONLY z.t ADD CONSTRAINT c UNIQUE NULLS DISTINCT (a, b) NOT DEFERRABLE INITIALLY DEFERRED, ADD COLUMN IF NOT EXISTS c INTEGER DEFAULT (1 + 1) NOT NULL CONSTRAINT k CHECK (c > 0)",
		"ALTER TABLE t ADD c INTEGER CHECK (c > 0) REFERENCES z.t (a) ON DELETE CASCADE, DROP COLUMN IF EXISTS d CASCADE, DROP CONSTRAINT IF EXISTS u, ALTER COLUMN b SET DATA TYPE VARCHAR(5) USING b",
		"ALTER TABLE t ALTER a SET DEFAULT 5, RENAME COLUMN a TO z", "ALTER TABLE z.t RENAME TO u", "ALTER TABLE t RENAME CONSTRAINT a TO b", "ALTER TABLE t ADD PRIMARY KEY (a)",
		"ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES z.t (a)", "ALTER INDEX z.i RENAME TO j", "ALTER VIEW v RENAME TO w", "ALTER SEQUENCE s RESTART WITH 5", "ALTER SCHEMA z RENAME TO y",
		"DROP TABLE IF EXISTS z.q, t CASCADE", "DROP MATERIALIZED VIEW z.v, v RESTRICT", "DROP INDEX CONCURRENTLY IF EXISTS z.i, j", "DROP SEQUENCE s CASCADE", "DROP SCHEMA z, y CASCADE", "DROP TYPE m, n",
		"TRUNCATE TABLE ONLY z.t, t RESTART IDENTITY CASCADE", "TRUNCATE t CONTINUE IDENTITY", "COMMENT ON COLUMN z.t.a IS 'x'", "COMMENT ON CONSTRAINT c ON z.t IS 'x'",
		"SELECT nextval('s'::regclass), b ~ 'x' FROM t WHERE b OPERATOR(pg_catalog.~) 'y' COLLATE nocase FOR NO KEY UPDATE OF t SKIP LOCKED",
		"SET CONSTRAINTS ALL DEFERRED", "INSERT INTO z.t (a) VALUES (1)", "LOCK TABLE z.t IN SHARE MODE",
	} {
		tokens, err := sqlfront.Tokens(sql)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range tokens {
			s.run("CREATE SCHEMA IF NOT EXISTS z")
			s.run("CREATE TABLE IF NOT EXISTS z.t (a INTEGER PRIMARY KEY, b VARCHAR)")
			s.run("CREATE TABLE IF NOT EXISTS t (a INTEGER, b VARCHAR)")
			start := sql[:token.End]
			for _, text := range []string{start, start + " (", "PREPARE p AS " + start} {
				if _, _, err := s.try(text); err != nil && sqlerr.From(err).Code == sqlerr.InternalError {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
	}
}

// An error of the rows names the table, not the one in between.
func TestAlterErrorsNameTheTable(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE bad (a INTEGER)")
	s.run("INSERT INTO bad VALUES (1)")
	if e := s.wantError("ALTER TABLE bad ADD CONSTRAINT c CHECK (a > 5)", "23514"); strings.Contains(e.Error(), "trireme") || !strings.Contains(e.Message, "bad") {
		t.Errorf("%v", e)
	}
}
