package engine

import "testing"

// TestDumpedMacros: what pg_dump writes of a macro makes it again.
func TestDumpedMacros(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE SCHEMA s")
	s.run("CREATE FUNCTION s.plus(a, b) RETURNS anyelement\n    LANGUAGE sql COST 1 SUPPORT 0 PARALLEL SAFE\n    AS $$(a + b)$$")
	s.run("ALTER FUNCTION s.plus(a, b) OWNER TO trireme")
	s.run("CREATE FUNCTION s.tab(x) RETURNS SETOF record LANGUAGE sql COST 1 SUPPORT 0 PARALLEL SAFE AS $$SELECT x AS y$$")
	s.run("CREATE OR REPLACE FUNCTION one() RETURNS integer LANGUAGE sql AS 'SELECT 1'")
	s.want("SELECT s.plus(1, 2), one(), y FROM s.tab(4)", "3|1|4")
	s.wantError("CREATE FUNCTION f(a integer) RETURNS integer LANGUAGE sql AS 'SELECT a'", "0A000")
	s.wantError("CREATE FUNCTION f(a) RETURNS integer LANGUAGE plpgsql AS 'BEGIN END'", "0A000")
	s.wantError("CREATE FUNCTION s.plus(a, b) RETURNS anyelement LANGUAGE sql AS $$(a + b)$$", "42723")
}
