package engine

import "testing"

// TestAlterTableWithIndexes: a table's indexes stay through what DuckDB does not do to a
// table that has any, and follow it.
func TestAlterTableWithIndexes(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE SCHEMA z")
	s.run("CREATE TABLE z.t (id INTEGER PRIMARY KEY, a INTEGER, b VARCHAR DEFAULT 'x', c INTEGER, d INTEGER GENERATED ALWAYS AS (a * 2))")
	s.run("COMMENT ON TABLE z.t IS 'of ships'")
	s.run("COMMENT ON COLUMN z.t.b IS 'painted'")
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
		s.want("SELECT string_agg(sql, '|') FROM ("+indexes+") i(sql)", c.indexes)
		s.want("SELECT * FROM z.t2 ORDER BY id", c.rows)
	}
	s.want("SELECT comment FROM duckdb_tables() WHERE table_name = 't2'", "of ships")
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
		"far_c_id_fkey FOREIGN KEY (c) REFERENCES kid(id);kid_id_pkey PRIMARY KEY (id);kid_p_check CHECK ((p > 0));"+
			"kid_p_ident_fkey FOREIGN KEY (p) REFERENCES par2(ident);kid_p_key UNIQUE (p);uu UNIQUE (id, p);par2_ident_pkey PRIMARY KEY (ident);par2_n_key UNIQUE (n)")
	s.wantError("INSERT INTO kid VALUES (12, 7)", "23503")
	s.wantError("INSERT INTO kid VALUES (12, 2)", "23505")
	s.wantError("INSERT INTO far VALUES (12)", "23503")
	s.want("SELECT * FROM kid ORDER BY id", "10|1;11|2")
	s.run("ALTER TABLE kid DROP CONSTRAINT uu, DROP CONSTRAINT kid_p_key, DROP CONSTRAINT kid_p_ident_fkey, DROP CONSTRAINT IF EXISTS gone")
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
	// One that refers to itself stays as it is.
	s.run("CREATE TABLE own (id INTEGER PRIMARY KEY, up INTEGER REFERENCES own(id))")
	s.wantError("ALTER TABLE own RENAME TO own2", "0A000")
}
