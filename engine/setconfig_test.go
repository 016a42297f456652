package engine

import "testing"

// TestSetConfigFrom: set_config over the rows of a FROM sets what each of them says.
func TestSetConfigFrom(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("SELECT set_config(name, 'owl', false) FROM pg_settings WHERE name = 'application_name'")
	s.want("SHOW application_name", "owl")
	s.want("SELECT set_config(name, 'view', false) FROM pg_settings WHERE name = 'nobody''s setting'", "")
	s.want("SELECT set_config(n, v, false) FROM (VALUES ('my.a', '1'), ('my.b', '2')) s(n, v) ORDER BY 1", "1;2")
	s.want("SELECT current_setting('my.a') || current_setting('my.b')", "12")
	s.wantError("SELECT set_config('my.a', i::VARCHAR, false) FROM range(1000000) r(i)", "54000")
	s.want("SHOW my.a", "1")
	s.run("SET synchronize_seqscans TO off")
	s.run("CREATE SCHEMA \"old docks\"")
	s.run("CREATE TABLE \"old docks\".\"a b\" (x INTEGER)")
	s.want("SELECT '\"old docks\" . \"a b\"'::regclass = '\"old docks\".\"a b\"'::regclass", "1")
}
