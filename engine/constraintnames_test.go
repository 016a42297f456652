package engine

import (
	"path/filepath"
	"testing"
)

// constraintsOfTable is a query for a table's constraints by kind and name.
func constraintsOfTable(name string) string {
	return "SELECT string_agg(conname || ' ' || pg_get_constraintdef(oid), '; ' ORDER BY contype::text, conname::text) FROM pg_constraint WHERE conrelid = '" + name + "'::regclass"
}

// TestConstraintNames: a constraint has the name that it is given, or the one that Postgres
// makes, and keeps it.
func TestConstraintNames(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE p (a INTEGER PRIMARY KEY, b INTEGER, CONSTRAINT bu UNIQUE (b))")
	s.run(`CREATE TABLE t1 (id INTEGER CONSTRAINT pkname PRIMARY KEY, a INTEGER CONSTRAINT "Ua" UNIQUE, b INTEGER CONSTRAINT nn NOT NULL DEFAULT (1), c INTEGER CONSTRAINT posi CHECK (c > 0),
		d INTEGER REFERENCES p(a), e INTEGER CONSTRAINT efk REFERENCES p(b), CONSTRAINT uu UNIQUE (a, b), CONSTRAINT CC CHECK (a > b AND b < 10), CHECK (c < 10), UNIQUE (b),
		FOREIGN KEY (d) REFERENCES p(b))`)
	// As Postgres 15 has them, but for brackets around CHECK's whole expression.
	const made = "cc CHECK (((a > b) AND (b < 10))); posi CHECK ((c > 0)); t1_c_check CHECK ((c < 10)); efk FOREIGN KEY (e) REFERENCES p(b); t1_d_fkey FOREIGN KEY (d) REFERENCES p(a); " +
		"t1_d_fkey1 FOREIGN KEY (d) REFERENCES p(b); pkname PRIMARY KEY (id); Ua UNIQUE (a); t1_b_key UNIQUE (b); uu UNIQUE (a, b)"
	s.want(constraintsOfTable("t1"), made)
	s.want("SELECT obj_description('t1'::regclass)", "NULL")
	s.run("COMMENT ON TABLE t1 IS 'of names'")
	s.want("SELECT obj_description('t1'::regclass)", "of names")
	s.want(constraintsOfTable("t1"), made)
	s.want("SELECT relname FROM pg_class WHERE relkind = 'i' ORDER BY 1", "Ua;bu;p_pkey;pkname;t1_b_key;uu")
	s.want("SELECT constraint_name FROM information_schema.table_constraints WHERE table_name = 't1' AND constraint_type = 'UNIQUE' ORDER BY 1", "Ua;t1_b_key;uu")
	s.run("INSERT INTO p VALUES (1, 1)")
	s.run("INSERT INTO t1 VALUES (1, 3, 2, 4, 1, 1)")
	// What alters the table keeps the names, those of Postgres' making too.
	s.run("ALTER TABLE p RENAME COLUMN b TO b2")
	s.run("ALTER TABLE p RENAME TO q")
	s.run("ALTER TABLE t1 RENAME COLUMN c TO c2, RENAME TO t2")
	s.run("ALTER TABLE t2 ADD COLUMN f INTEGER CONSTRAINT fc CHECK (f > 1), ALTER c2 TYPE BIGINT, ALTER id TYPE BIGINT")
	s.want("SELECT data_type FROM information_schema.columns WHERE table_name = 't2' AND column_name IN ('id', 'c2')", "bigint;bigint")
	s.want(constraintsOfTable("t2"), "cc CHECK (((a > b) AND (b < 10))); fc CHECK ((f > 1)); posi CHECK ((c2 > 0)); t1_c_check CHECK ((c2 < 10)); efk FOREIGN KEY (e) REFERENCES q(b2); "+
		"t1_d_fkey FOREIGN KEY (d) REFERENCES q(a); t1_d_fkey1 FOREIGN KEY (d) REFERENCES q(b2); pkname PRIMARY KEY (id); Ua UNIQUE (a); t1_b_key UNIQUE (b); uu UNIQUE (a, b)")
	s.want(constraintsOfTable("q"), "p_pkey PRIMARY KEY (a); bu UNIQUE (b2)")
	s.want("SELECT obj_description('t2'::regclass)", "of names")
	s.wantError("INSERT INTO t2 VALUES (2, 6, 5, 4, 7, 1, 2)", "23503")
	s.want("SELECT * FROM t2", "1|3|2|4|1|1|NULL")
}

// TestConstraintsByName: ALTER TABLE finds a constraint by its name, wherever it was
// declared.
func TestConstraintsByName(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE z (a INTEGER PRIMARY KEY, b INTEGER UNIQUE, c INTEGER CONSTRAINT c1 CHECK (c > 0), d INTEGER, CONSTRAINT c2 CHECK (c > 0), CONSTRAINT du UNIQUE (d))")
	s.run("INSERT INTO z VALUES (1, 1, 1, 1)")
	s.run("ALTER TABLE z DROP CONSTRAINT z_b_key")
	s.run("ALTER TABLE z DROP CONSTRAINT du, DROP CONSTRAINT c1")
	s.want(constraintsOfTable("z"), "c2 CHECK ((c > 0)); z_pkey PRIMARY KEY (a)")
	s.run("INSERT INTO z VALUES (2, 1, 1, 1)")
	s.wantError("INSERT INTO z VALUES (3, 1, -1, 1)", "23514")
	s.run("ALTER TABLE z DROP CONSTRAINT z_pkey")
	s.run("INSERT INTO z VALUES (2, 1, 1, 1)")
	s.wantError("INSERT INTO z VALUES (NULL, 1, 1, 1)", "23502") // as in Postgres
	s.run("DELETE FROM z WHERE b = 1 AND a = 2")
	s.run("ALTER TABLE z ADD CONSTRAINT zk PRIMARY KEY (a), ADD CONSTRAINT zu UNIQUE (b, c), ADD CONSTRAINT zc CHECK (d > 0)")
	s.want(constraintsOfTable("z"), "c2 CHECK ((c > 0)); zc CHECK ((d > 0)); zk PRIMARY KEY (a); zu UNIQUE (b, c)")
	s.run("ALTER TABLE z RENAME CONSTRAINT zk TO zk2")
	s.run(`ALTER TABLE z RENAME CONSTRAINT zu TO "Z u"`)
	s.want(constraintsOfTable("z"), "c2 CHECK ((c > 0)); zc CHECK ((d > 0)); zk2 PRIMARY KEY (a); Z u UNIQUE (b, c)")
	s.wantError("INSERT INTO z VALUES (5, 1, 1, 1)", "23505")
	s.wantError("ALTER TABLE z RENAME CONSTRAINT zc TO zk2", "42710")
	s.wantError("ALTER TABLE z RENAME CONSTRAINT gone TO there", "42704")
	s.wantError("ALTER TABLE z ADD CONSTRAINT c2 CHECK (a > 0)", "42710")
	s.wantError("CREATE TABLE y (a INTEGER CONSTRAINT one CHECK (a > 0), b INTEGER CONSTRAINT one UNIQUE)", "42710")
	s.run("BEGIN")
	s.run("ALTER TABLE z DROP CONSTRAINT zk2, RENAME TO z2")
	s.run("ROLLBACK")
	s.want(constraintsOfTable("z"), "c2 CHECK ((c > 0)); zc CHECK ((d > 0)); zk2 PRIMARY KEY (a); Z u UNIQUE (b, c)")
	s.run("ALTER TABLE z DROP COLUMN c")
	s.want(constraintsOfTable("z"), "zc CHECK ((d > 0)); zk2 PRIMARY KEY (a)")
}

// TestConstraintsOfReferringTables: tables that refer to the altered one, several times, to
// themselves and through others, have their constraints and indexes after it.
func TestConstraintsOfReferringTables(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (id INTEGER PRIMARY KEY, up INTEGER CONSTRAINT to_itself REFERENCES a(id))")
	s.run("CREATE TABLE b (id INTEGER PRIMARY KEY, a1 INTEGER CONSTRAINT first REFERENCES a(id), a2 INTEGER REFERENCES a(id), n INTEGER)")
	s.run("CREATE INDEX bn ON b (n)")
	s.run("CREATE TABLE c (a INTEGER REFERENCES a(id), b INTEGER CONSTRAINT cb REFERENCES b(id), n INTEGER)")
	s.run("CREATE INDEX cn ON c (n)")
	s.run("INSERT INTO a VALUES (1, NULL)")
	s.run("INSERT INTO a VALUES (2, 1)")
	s.run("INSERT INTO a VALUES (3, 2)")
	s.run("INSERT INTO b VALUES (1, 2, 3, 4)")
	s.run("INSERT INTO c VALUES (3, 1, 5)")
	s.run("ALTER TABLE a RENAME COLUMN up TO above, RENAME COLUMN id TO ident, RENAME TO a0, ADD COLUMN x INTEGER CHECK (x > 0)")
	s.want(constraintsOfTable("a0"), "a0_x_check CHECK ((x > 0)); to_itself FOREIGN KEY (above) REFERENCES a0(ident); a_pkey PRIMARY KEY (ident)")
	s.want(constraintsOfTable("b"), "b_a2_fkey FOREIGN KEY (a2) REFERENCES a0(ident); first FOREIGN KEY (a1) REFERENCES a0(ident); b_pkey PRIMARY KEY (id)")
	s.want(constraintsOfTable("c"), "c_a_fkey FOREIGN KEY (a) REFERENCES a0(ident); cb FOREIGN KEY (b) REFERENCES b(id)")
	s.want("SELECT indexname FROM pg_indexes WHERE indexname LIKE '_n' ORDER BY 1", "bn;cn")
	s.want("SELECT * FROM a0 ORDER BY 1", "1|NULL|NULL;2|1|NULL;3|2|NULL")
	s.wantError("INSERT INTO a0 VALUES (4, 9, 1)", "23503")
	s.wantError("INSERT INTO b VALUES (2, 9, 1, 1)", "23503")
	s.wantError("INSERT INTO c VALUES (9, 1, 1)", "23503")
	s.wantError("INSERT INTO c VALUES (1, 9, 1)", "23503")
	s.run("CREATE TABLE self (id INTEGER, up INTEGER)")
	s.run("INSERT INTO self VALUES (2, 1), (1, NULL)")
	s.run("ALTER TABLE ONLY self ADD CONSTRAINT self_pkey PRIMARY KEY (id)")
	s.run("ALTER TABLE ONLY self ADD CONSTRAINT fk FOREIGN KEY (up) REFERENCES self(id)")
	s.wantError("INSERT INTO self VALUES (4, 9)", "23503")
	s.run("ALTER TABLE self DROP CONSTRAINT fk")
	s.run("INSERT INTO self VALUES (4, 9)")
	s.wantError("ALTER TABLE self ADD FOREIGN KEY (up) REFERENCES self", "23503")
	s.want("SELECT * FROM self ORDER BY 1", "1|NULL;2|1;4|9")
}

// TestConstraintNamesStay: names are in the file, and a comment that looks like one of ours
// is the user's.
func TestConstraintNamesStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.db")
	t.Run("made", func(t *testing.T) {
		s := openSession(t, openConfig(t, Config{Path: path}))
		s.run("CREATE TABLE t (a INTEGER CONSTRAINT up CHECK (a > 0) CONSTRAINT small CHECK (a < 10))")
		s.run("CREATE TABLE u (a INTEGER)")
		for _, name := range []string{"t", "u"} {
			s.run("COMMENT ON TABLE " + name + ` IS 'trireme: {"x'`)
			s.run("COMMENT ON COLUMN " + name + `.a IS 'trireme: varchar(3)'`)
			s.want("SELECT obj_description('"+name+"'::regclass) || col_description('"+name+"'::regclass, 1)", `trireme: {"xtrireme: varchar(3)`)
			s.want("SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '"+name+"'::regclass AND attnum > 0", "integer")
		}
	})
	s := openSession(t, openConfig(t, Config{Path: path}))
	s.want(constraintsOfTable("t"), "small CHECK ((a < 10)); up CHECK ((a > 0))")
	s.want("SELECT obj_description('t'::regclass) || obj_description('u'::regclass)", `trireme: {"xtrireme: {"x`)
}
