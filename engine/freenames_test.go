package engine

import "testing"

// TestFreeNames: words that are DuckDB's grammar are names where Postgres has names.
func TestFreeNames(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, name := range []string{
		"anti", "asof", "at", "by", "describe", "glob", "lambda", "pivot", "pivot_longer", "pivot_wider", "positional", "qualify", "semi", "show",
		"summarize", "unpack", "unpivot",
	} {
		s.run("CREATE TABLE public." + name + " (id integer NOT NULL, " + name + " character varying(9) DEFAULT 'd', CHECK ((" + name + " <> ''::text)))")
		s.run("ALTER TABLE ONLY public." + name + " ADD CONSTRAINT k PRIMARY KEY (id)")
		s.run("CREATE INDEX i_" + name + " ON public." + name + " USING btree (" + name + ")")
		s.run("INSERT INTO " + name + " (id, " + name + ") VALUES (1, 'x'), (2, 'y')")
		s.run("UPDATE " + name + " SET " + name + " = " + name + " || 'z' WHERE " + name + " = 'x'")
		s.want("SELECT "+name+", max(id) AS m FROM "+name+" WHERE "+name+" > 'a' GROUP BY "+name+" ORDER BY "+name, "xz|1;y|2")
		s.run("ALTER TABLE " + name + " RENAME COLUMN " + name + " TO other")
		s.run("ALTER TABLE " + name + " ADD COLUMN " + name + " integer")
		s.run("ALTER TABLE " + name + " ALTER COLUMN " + name + " SET DEFAULT 7")
		s.run("COMMENT ON COLUMN " + name + "." + name + " IS 'c'")
		s.run("CREATE VIEW v AS SELECT t." + name + ", " + name + " AS a FROM " + name + " t")
		s.want("SELECT count(*) FROM v WHERE "+name+" IS NULL", "2")
		s.run("DROP VIEW v")
		s.run("DELETE FROM " + name + " WHERE " + name + " IS NULL")
		s.run("DROP TABLE " + name)
	}
	s.run("CREATE TABLE t (k VARCHAR, a INTEGER)")
	s.run("INSERT INTO t VALUES ('x', 1), ('y', 2)")
	s.want("SELECT * FROM (PIVOT t ON k USING sum(a)) p", "1|2")
	s.want("SELECT count(*) FROM (DESCRIBE t)", "2")
	s.want("SELECT a FROM t QUALIFY row_number() OVER (ORDER BY a DESC) = 1", "2")
	s.want("SELECT t.a FROM t SEMI JOIN (SELECT 2 AS a) s USING (a)", "2")
	s.want("SELECT list_transform([1], lambda x: x + 1)", "[2]")
}

// TestAnyInDefinitions: a comparison with the elements of an array is a condition of a table.
func TestAnyInDefinitions(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (id INTEGER, y VARCHAR, z VARCHAR CONSTRAINT zz CHECK (((z)::text <> ALL ((ARRAY['a'::character varying, 'b'::character varying])::text[]))), " +
		"l VARCHAR[], b BOOLEAN DEFAULT (1 = ANY (ARRAY[1, 2])), CONSTRAINT yy CHECK ((y = ANY (ARRAY['a'::text, 'b'::text]))))")
	s.run("ALTER TABLE t ADD CONSTRAINT ll CHECK ((z = ANY (l)))")
	s.run("ALTER TABLE t ADD CONSTRAINT li CHECK (y ~~ ANY (ARRAY['a%', 'b%']))")
	s.run("INSERT INTO t (id, y, z, l) VALUES (1, 'a', 'c', ['c', NULL]), (2, 'b', NULL, ['x']), (3, NULL, 'd', [NULL]), (4, NULL, 'd', NULL), (5, NULL, 'e', ['d', 'e'])")
	s.want("SELECT count(*), bool_and(b) FROM t", "5|1")
	for _, row := range []string{"'c', NULL, NULL", "'a', 'a', NULL", "'a', 'c', []", "'a', NULL, []", "'a', 'c', ['d']"} {
		s.wantError("INSERT INTO t (y, z, l) VALUES ("+row+")", "23514")
	}
}
