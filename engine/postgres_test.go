package engine

import (
	"strings"
	"testing"
)

// What Postgres' clients and users write and DuckDB spells otherwise has Postgres' answer.
func TestPostgresSpellings(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE TABLE t(id INTEGER PRIMARY KEY, n NUMERIC, shop VARCHAR)",
		"INSERT INTO t VALUES (1, 0.123456, 'op1x'), (2, 2, 'xop1y'), (3, NULL, 'zz'), (4, -1.5, NULL)",
		"CREATE TABLE u(id INTEGER, tz TIMESTAMPTZ)",
		"CREATE SEQUENCE s",
		"INSERT INTO u VALUES (1, '2020-01-01 00:00:00.000 +00:00'), (2, '2020-01-01 00:00:00+02')",
	} {
		s.run(sql)
	}
	for _, tc := range []struct{ sql, want string }{
		{"SELECT n::VARCHAR FROM t ORDER BY id", "0.1234560000;2.0000000000;NULL;-1.5000000000"},
		{"SELECT 0.1234567891::numeric = 0.1234567891, typeof(1::numeric)", "1|DECIMAL(38,10)"},
		{"SELECT id FROM t WHERE shop ~ 'op1' ORDER BY id", "1;2"},
		{"SELECT id FROM t WHERE shop ~ '^op1'", "1"},
		{"SELECT id FROM t WHERE shop !~ 'op1'", "3"},
		{"SELECT id FROM t WHERE shop ~* 'OP1$' OR shop !~* 'P'", "3"},
		{"SELECT 'a' || chr(10) || 'b' ~ 'a.b'", "1"},
		{"SELECT id FROM t WHERE id = 1 FOR UPDATE OF t SKIP LOCKED", "1"},
		{"SELECT initcap('hello WORLD foo-bar élan'), initcap(NULL), initcap('')", "Hello World Foo-Bar Élan|NULL|"},
		{"SELECT width_bucket(5.35, 0.024, 10.06, 5), width_bucket(NULL, 1, 2, 3), width_bucket(20, 0, 10, 5), width_bucket(5, 10, 0, 5)", "3|NULL|6|3"},
		{"SELECT json_array_elements('[1,true, [2,false]]')", "1;true;[2,false]"},
		{"SELECT value FROM json_array_elements('[1,2]')", "1;2"},
		{"SELECT x.value FROM json_array_elements_text('[\"a\",null]') AS x", "a;NULL"},
		{"SELECT w FROM regexp_split_to_table('a  b', '\\s+') AS w", "a;b"},
		{"SELECT * FROM json_object_keys('{\"a\":1,\"b\":2}')", "a;b"},
		{"SELECT * FROM unnest(array[1,2], array['a','b','c']) AS x(i, t)", "1|a;2|b;NULL|c"},
		{"SELECT * FROM current_schema()", "public"},
		{"SELECT v LIKE 'PostgreSQL%' FROM version() AS v", "1"},
		{"SELECT to_date('02.01.2024', 'DD.MM.YYYY')::VARCHAR, to_timestamp('2024-01-02 03:04:05.6', 'YYYY-MM-DD HH24:MI:SS.US')::VARCHAR",
			"2024-01-02|2024-01-02 03:04:05.6+00"},
		{"SELECT count(*) FROM u WHERE tz = '2020-01-01 00:00:00.000 +00:00'", "1"},
		{"SELECT set_config('application_name', 'a' || 'b', false)", "ab"},
		{"SHOW application_name", "ab"},
		{"SELECT nextval('public.s'::regclass)", "1"},
		{"EXPLAIN VERBOSE SELECT 1 WHERE false", ""},
	} {
		if got := s.run(tc.sql); got != tc.want && tc.want != "" {
			t.Errorf("%s: %s, not %s", tc.sql, got, tc.want)
		}
	}
	for _, tc := range []struct{ sql, want string }{
		{"SELECT lastval()", "0A000 lastval is not supported"},
		{"SELECT width_bucket(1, 1, 1, 1)", "2201G lower bound cannot equal upper bound"},
		{"SELECT to_date('1', 'Q')", "0A000 to_date does not support the pattern"},
		{"SET TimeZone = '5.5'", "22023 invalid value for parameter"},
		{"SET IntervalStyle = 'sql_standard'", "22023 "},
	} {
		code, text, _ := strings.Cut(tc.want, " ")
		if e := s.wantError(tc.sql, code); !strings.HasPrefix(e.Message, text) {
			t.Errorf("%s: %v", tc.sql, e)
		}
	}
}

// Offsets are zones; their signs are Postgres', not POSIX's.
func TestOffsetsAreZones(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, tc := range []struct{ set, zone, want string }{
		{"SET TimeZone = -5", "Etc/GMT+5", "2019-12-31 19:00:00-05"},
		{"SET TIME ZONE 3", "Etc/GMT-3", "2020-01-01 03:00:00+03"},
		{"SET TIME ZONE INTERVAL '+02:00' HOUR TO MINUTE", "Etc/GMT-2", "2020-01-01 02:00:00+02"},
		{"SET TIME ZONE INTERVAL '+00:00' HOUR TO MINUTE", "UTC", "2020-01-01 00:00:00+00"},
		{"SET TIME ZONE '+00:00'", "UTC", "2020-01-01 00:00:00+00"},
	} {
		s.run(tc.set)
		s.want("SHOW TimeZone", tc.zone)
		s.want("SELECT TIMESTAMPTZ '2020-01-01 00:00:00+00'::VARCHAR", tc.want)
	}
}

// public is the default schema's name for clients, and main is, too.
func TestPublicSchema(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE SCHEMA IF NOT EXISTS public", "CREATE TABLE public.a(id INTEGER PRIMARY KEY, x INTEGER)", "SET search_path = public",
		`CREATE TABLE "public"."b"(id SERIAL, a INTEGER REFERENCES public.a(id))`, "INSERT INTO public.a VALUES (1, 10), (2, 20)",
		"INSERT INTO main.b(a) VALUES (1), (1), (2)", "SET search_path = main", "RESET search_path",
	} {
		s.run(sql)
	}
	for _, tc := range [][2]string{
		{"SHOW search_path", "public"},
		{"SELECT current_schema(), current_schema, array_to_string(current_schemas(false), ',')", "public|public|public"},
		{"SELECT public.a.id FROM public.a WHERE public.a.x = 20", "2"},
		{"SELECT public.x FROM a AS public WHERE public.id = 1", "10"},
		{"SELECT 'public.a'::regclass::oid = 'main.a'::regclass::oid, 'main.a'::regclass::text, 'public'::regnamespace::oid", "1|a|2200"},
		{"SELECT nspname FROM pg_namespace WHERE nspname IN ('main', 'public')", "public"},
		{"SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 2", "public|a;public|b"},
		{"SELECT pg_get_serial_sequence('public.b', 'id'), nextval('public.b_id_seq')", "public.b_id_seq|4"},
		{"SELECT id FROM trireme.public.a ORDER BY 1", "1;2"},
	} {
		s.want(tc[0], tc[1])
	}
	s.run("SET trireme.backend = native")
	s.want("SELECT p.x, count(*) FROM public.a p JOIN public.b q ON q.a = p.id GROUP BY p.x ORDER BY 1", "10|2;20|1")
	s.wantError("CREATE SCHEMA public", "42P06")
	s.wantError("DROP SCHEMA public CASCADE", "2BP01")
}
