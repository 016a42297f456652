package engine

import "testing"

// TestEmptySearchPath: names of the user's objects have their schemas in what the catalog
// shows to a client without a path, as pg_dump is.
func TestEmptySearchPath(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TYPE mood AS ENUM ('sad')")
	s.run("CREATE TABLE t (id SERIAL PRIMARY KEY, m mood)")
	s.run("CREATE TABLE u (t INTEGER REFERENCES t(id))")
	s.run("CREATE VIEW v AS SELECT count(*) AS n FROM t")
	s.run("CREATE SCHEMA one")
	s.run("SET search_path = one")
	s.run("CREATE TABLE t (id SERIAL)")
	s.run("CREATE VIEW a AS SELECT id FROM t")
	const asked = "SELECT 'public.t'::regclass::text, format_type((SELECT atttypid FROM pg_attribute WHERE attrelid = 'public.t'::regclass AND attname = 'm'), -1), " +
		"(SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f'), pg_get_viewdef('public.v'::regclass), pg_get_viewdef('one.a'::regclass), " +
		"(SELECT string_agg(pg_get_expr(adbin, adrelid), ' ' ORDER BY adrelid::regclass::text) FROM pg_attrdef)"
	for _, c := range []struct{ path, shown, want string }{
		{"public", "public", "t|mood|FOREIGN KEY (t) REFERENCES t(id)| SELECT count(*) AS n FROM t;| SELECT id FROM one.t;|nextval('one.t_id_seq'::regclass) nextval('t_id_seq'::regclass)"},
		{"one", "one", "public.t|public.mood|FOREIGN KEY (t) REFERENCES public.t(id)| SELECT count(*) AS n FROM public.t;| SELECT id FROM t;|nextval('public.t_id_seq'::regclass) nextval('t_id_seq'::regclass)"},
		{"''", "", "public.t|public.mood|FOREIGN KEY (t) REFERENCES public.t(id)| SELECT count(*) AS n FROM public.t;| SELECT id FROM one.t;|nextval('one.t_id_seq'::regclass) nextval('public.t_id_seq'::regclass)"},
	} {
		s.run("SET search_path = " + c.path)
		s.want("SHOW search_path", c.shown)
		s.want(asked, c.want)
	}
	s.run("SELECT set_config('search_path', '', false)")
	s.want("SELECT current_schema()", "NULL")
	s.run("INSERT INTO public.t (m) VALUES ('sad')")
	s.want("SELECT n FROM public.v", "1")
	s.want("SELECT count(*) FROM t JOIN u ON t.id = u.t", "0") // DuckDB's default schema is found
	s.run("RESET search_path")
	s.want("SHOW search_path", "public")
}

// TestDependencies: a sequence goes with its column, whose default needs it; a view needs
// what it reads.
func TestDependencies(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (a INTEGER, id SERIAL)")
	s.run("CREATE VIEW b AS SELECT id FROM t")
	s.run("CREATE VIEW a AS WITH t AS (SELECT id FROM b) SELECT * FROM t")
	s.want("SELECT d.classid::regclass::text, d.refobjid::regclass::text, d.refobjsubid, d.deptype FROM pg_depend d WHERE d.objid = 't_id_seq'::regclass", "pg_class|t|2|a")
	s.want("SELECT d.refobjid::regclass::text FROM pg_depend d JOIN pg_attrdef f ON f.oid = d.objid WHERE d.deptype = 'n'", "t_id_seq")
	s.want("SELECT w.ev_class::regclass::text, d.refobjid::regclass::text FROM pg_depend d JOIN pg_rewrite w ON w.oid = d.objid WHERE d.classid = 'pg_rewrite'::regclass ORDER BY 1", "a|b;b|t")
}

// TestOwnedSequences: what dumps say of sequences and owners.
func TestOwnedSequences(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (id INTEGER NOT NULL)")
	s.run("CREATE SEQUENCE public.sq AS integer START WITH 7 INCREMENT BY 2 NO MINVALUE NO MAXVALUE CACHE 1")
	s.run("ALTER SEQUENCE public.sq OWNED BY public.t.id")
	s.run("ALTER TABLE ONLY public.t ALTER COLUMN id SET DEFAULT nextval('public.sq'::regclass)")
	s.want("INSERT INTO t DEFAULT VALUES RETURNING id", "7")
	s.want("SELECT pg_get_serial_sequence('t', 'id')", "public.sq")
	s.wantError("ALTER SEQUENCE sq OWNED BY t.gone", "42703")
	s.wantError("ALTER SEQUENCE sq OWNED BY gone.id", "42P01")
	s.run("CREATE SEQUENCE of_table")
	s.run("CREATE TABLE owner (id INTEGER)")
	s.run("ALTER SEQUENCE of_table OWNED BY owner") // DuckDB's: it goes with its table
	s.run("DROP TABLE owner")
	s.wantError("SELECT nextval('of_table')", "42P01")
	s.wantError("CREATE SEQUENCE of_none OWNED BY t", "42601")
	s.run("CREATE SEQUENCE kept OWNED BY t.id")
	s.run("ALTER SEQUENCE kept OWNED BY NONE")
	s.run("DROP TABLE t")
	s.want("SELECT sequence_name FROM duckdb_sequences()", "kept")
	s.run("CREATE TABLE t (id INTEGER)")
	for _, object := range []string{"TABLE public.t", "SEQUENCE kept", "SCHEMA public"} {
		s.run("ALTER " + object + " OWNER TO trireme")
		s.wantError("ALTER "+object+" OWNER TO somebody", "0A000")
	}
	s.wantTag("ALTER TABLE t OWNER TO trireme", "ALTER TABLE")
}

// TestDumpStatements: what pg_dump asks in its own way.
func TestDumpStatements(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (u UBIGINT, h HUGEINT, y BLOB)")
	s.run("PREPARE p (pg_catalog.oid, name, \"char\") AS SELECT relname FROM pg_catalog.pg_class WHERE oid = $1 AND relname = $2 AND relkind = $3")
	s.want("EXECUTE p ('1259', 'pg_class', 'r')", "pg_class")
	s.want("SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum < 3 ORDER BY attnum", "numeric(20,0);numeric(38,0)")
	s.run(`INSERT INTO t VALUES (1, 2, '\x'), (1, 2, '\x00ff')`)
	s.want("SELECT octet_length(y) FROM t ORDER BY 1", "0;2")
	s.want("SELECT obj_description('public'::regnamespace, 'pg_namespace')", "standard public schema")
	s.wantError("SELECT pg_export_snapshot()", "0A000")
}
