package engine

import (
	"strings"
	"testing"
)

// TestCreateIndexAsPostgres: what says how an index is stored is read, and changes nothing.
func TestCreateIndexAsPostgres(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE SCHEMA z")
	s.run("CREATE TABLE z.t (a INTEGER, b VARCHAR, \"C c\" INTEGER)")
	for _, c := range []struct{ create, sql string }{
		{"CREATE INDEX i ON z.t (b varchar_pattern_ops)", "CREATE INDEX i ON z.t(b);"},
		{"CREATE INDEX i ON ONLY z.t USING btree (b text_pattern_ops DESC NULLS LAST, a ASC)", "CREATE INDEX i ON z.t(b, a);"},
		{
			"CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON z.t (lower(b), (a + 1), \"C c\") INCLUDE (a) WITH (fillfactor = 70)",
			"CREATE UNIQUE INDEX i ON z.t((lower(b)), ((a + 1)), \"C c\");",
		},
		{"CREATE INDEX i ON z.t USING hash (b COLLATE \"C\" text_pattern_ops, a COLLATE pg_catalog.\"default\")", "CREATE INDEX i ON z.t(b, a);"},
		{"CREATE INDEX i ON z.t (a) WHERE a > 0", "CREATE INDEX i ON z.t(a);"},
		{"CREATE INDEX ON z.t (a, lower(b))", "CREATE INDEX t_a_lower_idx ON z.t(a, (lower(b)));"},
	} {
		s.run(c.create)
		s.want("SELECT sql FROM duckdb_indexes()", c.sql)
		s.run("DROP INDEX IF EXISTS z.i")
		s.run("DROP INDEX IF EXISTS z.t_a_lower_idx")
	}
	s.run("CREATE INDEX ON z.t (a)")
	s.run("CREATE INDEX ON z.t (a)")
	s.want("SELECT index_name FROM duckdb_indexes() ORDER BY 1", "t_a_idx;t_a_idx1")
	s.wantError("CREATE UNIQUE INDEX i ON z.t (a) WHERE a > 0", "0A000") // it would mean something else
	s.wantError("CREATE INDEX ON z.absent (a)", "42P01")
	s.wantError("CREATE INDEX ON z.t (b COLLATE nocase)", "0A000")
	for _, sql := range []string{"CREATE INDEX i ON z.t USING gin (b gin_trgm_ops)", "CREATE INDEX CONCURRENTLY ON z.t USING GiST (a)", "CREATE INDEX ON ONLY z.t USING brin (a) WITH (pages_per_range = 8)"} {
		if e := s.wantError(sql, "0A000"); e.Offset != strings.Index(sql, "USING ")+len("USING ") || !strings.HasPrefix(e.Hint, "Leave the index out") {
			t.Errorf("%s: %q at %d, hint %q", sql, e.Message, e.Offset, e.Hint)
		}
	}
	s.run("SET CONSTRAINTS ALL DEFERRED")
	s.run("SET CONSTRAINTS z.fk, \"other\" IMMEDIATE")
	s.wantError("SET CONSTRAINTS fk SOMETIMES", "42601")
}

// TestRenameIndex: the index is made again under its new name, by ALTER INDEX or ALTER
// TABLE, in transactions too.
func TestRenameIndex(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (a INTEGER, b VARCHAR)")
	s.run("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
	s.run("CREATE UNIQUE INDEX i ON t (a)")
	s.run("COMMENT ON INDEX i IS 'of a'")
	s.run("CREATE INDEX other ON t (lower(b))")
	s.run("ALTER INDEX i RENAME TO \"I 2\"")
	s.want("SELECT index_name, sql, comment FROM duckdb_indexes() ORDER BY 1", "I 2|CREATE UNIQUE INDEX \"I 2\" ON t(a);|of a;other|CREATE INDEX other ON t((lower(b)));|NULL")
	s.wantError("INSERT INTO t VALUES (1, 'z')", "23505")
	s.run("ALTER TABLE main.\"I 2\" RENAME TO j")
	s.wantError("ALTER INDEX j RENAME TO Other", "42P07")
	s.wantError("ALTER INDEX absent RENAME TO k", "42P01")
	s.wantError("ALTER TABLE absent RENAME TO k", "42P01")
	s.run("ALTER INDEX IF EXISTS absent RENAME TO k")
	s.run("BEGIN")
	s.run("INSERT INTO t VALUES (3, 'z')")
	s.run("ALTER INDEX j RENAME TO k")
	s.run("COMMIT")
	s.want("SELECT index_name FROM duckdb_indexes() ORDER BY 1", "k;other")
	s.want("SELECT * FROM t ORDER BY a", "1|x;2|y;3|z")
	s.run("ALTER TABLE t ADD CONSTRAINT u UNIQUE (b)")
	s.run("ALTER INDEX u RENAME TO v")
	s.want("SELECT conname FROM pg_constraint WHERE conrelid = 't'::regclass", "v")
	s.wantError("INSERT INTO t VALUES (4, 'z')", "23505")
}

// TestAddColumnWithConstraints: they come after the column.
func TestAddColumnWithConstraints(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE p (id INTEGER PRIMARY KEY)")
	s.run("INSERT INTO p VALUES (5)")
	s.run("CREATE TABLE t (a INTEGER)")
	s.run("INSERT INTO t VALUES (1)")
	s.run("ALTER TABLE t ADD COLUMN b INTEGER DEFAULT (2 + 3) NOT NULL, ALTER COLUMN b DROP DEFAULT, ADD c VARCHAR(5) NULL CONSTRAINT u UNIQUE, " +
		"ADD COLUMN IF NOT EXISTS d INTEGER DEFAULT 5 CONSTRAINT f REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED, ADD e INTEGER CHECK (e > 0), ADD COLUMN IF NOT EXISTS a INTEGER NOT NULL")
	s.want("SELECT * FROM t", "1|5|NULL|5|NULL")
	s.want("SELECT conname FROM pg_constraint WHERE conrelid = 't'::regclass ORDER BY 1", "f;t_e_check;u")
	s.wantError("INSERT INTO t (b) VALUES (NULL)", "23502")
	s.wantError("INSERT INTO t (b, d) VALUES (1, 6)", "23503")
	s.wantError("INSERT INTO t (b, e) VALUES (1, 0)", "23514")
	s.run("INSERT INTO t (b, c) VALUES (1, 'x')")
	s.wantError("INSERT INTO t (b, c) VALUES (1, 'x')", "23505")
	s.wantError("ALTER TABLE t ADD COLUMN g INTEGER NOT NULL", "23502")
	s.run("CREATE TABLE k (n INTEGER, id INTEGER PRIMARY KEY, m INTEGER UNIQUE, CHECK (n < m))")
	s.run("INSERT INTO k VALUES (1, 2, 3)")
	s.run("ALTER TABLE k DROP COLUMN n CASCADE")
	s.wantError("INSERT INTO k VALUES (2, 4)", "23505")
	s.run("ALTER TABLE k DROP COLUMN m")
	s.want("SELECT * FROM k", "2")
}

// TestArraysSideBySide: several arrays are a table, and a list of JSON may be written as
// an array.
func TestArraysSideBySide(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (a INTEGER, b VARCHAR, j JSONB)")
	s.run(`INSERT INTO t SELECT * FROM unnest('{1,2}'::int[], ('{x,"y z"}')::varchar[], '{"{\"k\": 1}",NULL}'::jsonb[])`)
	s.want("SELECT a, b, j->>'k' FROM t ORDER BY a", "1|x|1;2|y z|NULL")
	s.run("UPDATE t SET b = u.b FROM unnest(array[2, 1], array['two', 'one']) AS u(a, b) WHERE t.a = u.a")
	s.want("SELECT a, b FROM t ORDER BY a", "1|one;2|two")
	s.want("SELECT t.n, u.x, u.y, u.o FROM (VALUES (1, [1, 2], ['a']), (2, NULL, ['z'])) t(n, xs, ys), unnest(t.xs, t.ys) WITH ORDINALITY AS u(x, y, o) ORDER BY 1, 4",
		"1|1|a|1;1|2|NULL|2;2|NULL|z|1")
	// A pattern's backslash escapes.
	s.run("INSERT INTO t (b) VALUES ('a_b'), ('axb'), ('a\\xb')")
	s.want(`SELECT b FROM t WHERE b LIKE 'a\_%'`, "a_b")
	s.want(`SELECT b FROM t WHERE b LIKE E'a\\_%'`, "a_b")
	s.want(`SELECT b FROM t WHERE b LIKE 'a\x%'`, "axb")
}
