package engine

import (
	"strings"
	"testing"
)

const columnTypes = "SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY attnum) FROM pg_attribute a WHERE attnum > 0 AND attrelid = "

// TestTypesOfMigrations: the types that tools write in their migrations are shown as they
// were declared, so that a second migration finds nothing to change.
func TestTypesOfMigrations(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, c := range []struct{ declared, shown, value string }{
		{"timestamp(3)", "timestamp(3) without time zone", "2020-01-02 03:04:05.678"},
		{"timestamp(6) without time zone", "timestamp(6) without time zone", "2020-01-02 03:04:05.678901"},
		{"timestamp(0)", "timestamp(0) without time zone", "2020-01-02 03:04:05"},
		{"timestamp", "timestamp without time zone", "2020-01-02 03:04:05.678901"},
		{"timestamptz(6)", "timestamp(6) with time zone", "2020-01-02 03:04:05.678901+00"},
		{"timestamp (3) with time zone", "timestamp(3) with time zone", "2020-01-02 03:04:05.678+00"},
		{"time(0)", "time(0) without time zone", "03:04:05"},
		{"time(3) without time zone", "time(3) without time zone", "03:04:05.678"},
		{"timetz(6)", "time(6) with time zone", "03:04:05+00"},
		{"varchar(191)", "character varying(191)", "x"},
		{"bpchar(3)", "character(3)", "abc"},
		{"decimal(38,10)", "numeric", "1.5000000000"},
		{"numeric(12,4)", "numeric(12,4)", "1.5000"},
		{"float8", "double precision", "1.5"},
		{"float4", "real", "1.5"},
		{"int2", "smallint", "1"},
		{"bytea", "bytea", "x"},
		{"jsonb", "jsonb", "[1]"},
		{"uuid", "uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{"interval", "interval", "1 day"},
		{"bit(8)", "bit(8)", "10101010"},
		{"bit varying(8)", "bit varying(8)", "101"},
		{"varbit", "bit varying", "101"},
	} {
		s.run("CREATE TABLE t (a INTEGER, v " + c.declared + " NOT NULL)")
		s.run("INSERT INTO t VALUES (1, '" + c.value + "')")
		if got := s.run("SELECT v::VARCHAR FROM t"); got != c.value {
			t.Errorf("%s: %s, not %s", c.declared, got, c.value)
		}
		s.want(columnTypes+"'t'::regclass", "a integer, v "+c.shown)
		s.run("ALTER TABLE t ADD COLUMN w " + c.declared + ", ALTER COLUMN a TYPE bigint")
		s.want(columnTypes+"'t'::regclass", "a bigint, v "+c.shown+", w "+c.shown)
		s.run("DROP TABLE t")
	}
	s.run("CREATE TABLE p (a timestamp(3) DEFAULT CURRENT_TIMESTAMP, b timestamptz(6), c time(0), d bit(8), e timestamptz)")
	s.want("SELECT string_agg(coalesce(datetime_precision, character_maximum_length)::VARCHAR, ',' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = 'p'", "3,6,0,8,6")
	s.run("ALTER TABLE p ALTER COLUMN b TYPE timestamptz(3), ALTER COLUMN c TYPE time")
	s.want(columnTypes+"'p'::regclass", "a timestamp(3) without time zone, b timestamp(3) with time zone, c time without time zone, d bit(8), e timestamp with time zone")
	s.want("SELECT CAST('2020-01-01 00:00:00+00' AS timestamptz(3))::VARCHAR, '12:00:00'::time(0)::VARCHAR, '2020-01-01'::timestamp(3) with time zone IS NULL", "2020-01-01 00:00:00+00|12:00:00|0")
	s.run("CREATE TABLE time (timestamptz INTEGER, bit INTEGER, varbit INTEGER)") // they are no reserved words
	s.run("INSERT INTO time VALUES (1, 2, 3)")
	s.want("SELECT timestamptz, bit, varbit, abs(varbit) FROM time", "1|2|3|3")
}

// TestTypesThatAreMissing: an error about a type of Postgres that there is none of says what
// to write.
func TestTypesThatAreMissing(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, c := range []struct{ declared, code, hint string }{
		{"decimal(65,30)", "42601", "DECIMAL(38,s)"},
		{"citext", "42704", "ILIKE"},
		{"cidr", "42704", "VARCHAR"},
		{"macaddr", "42704", "VARCHAR"},
		{"money", "42704", "DECIMAL(19,2)"},
		{"xml", "42704", "VARCHAR"},
		{"tsvector", "42704", "VARCHAR"},
		{"hstore", "42704", "MAP"},
		{"point", "42704", "DOUBLE"},
		{"int4range", "42704", "two columns"},
	} {
		if e := s.wantError("CREATE TABLE t (a INTEGER, v "+c.declared+")", c.code); !strings.Contains(e.Hint, c.hint) || strings.Contains(e.Message, "INSTALL") {
			t.Errorf("%s: %s, hint %s", c.declared, e.Message, e.Hint)
		}
	}
	s.wantError("SELECT 1::money", "42704")
}

// TestOptionsOfStorage: what Postgres is told of how it stores tables and indexes is left out.
func TestOptionsOfStorage(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE TABLE a (id INTEGER NOT NULL, filler CHAR(84)) WITH (fillfactor=100)",
		"CREATE TABLE b (id SERIAL PRIMARY KEY) WITH (autovacuum_enabled=false, fillfactor=70) TABLESPACE pg_default",
		"CREATE TABLE c WITH (oids=false) AS SELECT 1 AS x",
		"CREATE UNIQUE INDEX a_id ON a USING btree (id) WITH (fillfactor='90') TABLESPACE pg_default",
		"CREATE TABLE d (tablespace INTEGER, x DECIMAL(5,2), fillfactor INTEGER)",
		"CREATE TABLE e AS SELECT abs(1) AS tablespace, 2 AS oids",
		"WITH tablespace AS (SELECT 1 AS fillfactor) SELECT fillfactor FROM tablespace",
	} {
		s.run(sql)
	}
	s.want(columnTypes+"'a'::regclass", "id integer, filler character(84)")
	s.want("SELECT indexname FROM pg_indexes WHERE tablename = 'a'", "a_id")
}
