package engine

import (
	"context"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// openAs opens a session with the rights of a role.
func openAs(t *testing.T, e *Engine, role string) testSession {
	t.Helper()
	s, err := e.NewSession(context.Background(), SessionOptions{User: role, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return testSession{s, t}
}

// The catalog shows the roles that there are, what they may do and who is a member of
// whom, to everybody, as soon as they have changed.
func TestCatalogShowsRoles(t *testing.T) {
	e := openEngine(t)
	root := openSession(t, e)
	for _, sql := range []string{
		"CREATE TABLE t (x INTEGER)", "CREATE ROLE staff", "CREATE ROLE ann LOGIN SUPERUSER", "CREATE ROLE bob LOGIN IN ROLE staff",
		`CREATE ROLE "Eve" LOGIN VALID UNTIL '2030-01-02' IN ROLE bob`, "CREATE ROLE watcher LOGIN IN ROLE trireme_read_only",
	} {
		root.run(sql)
	}
	const roles = "SELECT rolname, rolsuper, rolcreaterole, rolcanlogin, rolvaliduntil::DATE::VARCHAR FROM pg_roles ORDER BY rolname"
	root.want(roles, "Eve|0|0|1|2030-01-02;ann|1|1|1|NULL;bob|0|0|1|NULL;staff|0|0|0|NULL;trireme|1|1|0|NULL;trireme_admin|1|1|0|NULL;"+
		"trireme_read_only|0|0|0|NULL;u|1|1|1|NULL;watcher|0|0|1|NULL")
	bob, watcher := openAs(t, e, "bob"), openAs(t, e, "watcher")
	for _, c := range []struct{ sql, want string }{
		{
			"SELECT g.rolname, m.rolname FROM pg_auth_members a JOIN pg_roles g ON g.oid = a.roleid JOIN pg_authid m ON m.oid = a.member ORDER BY 1, 2",
			"bob|Eve;staff|bob;trireme_admin|ann;trireme_read_only|watcher",
		},
		{"SELECT usename, usesuper FROM pg_user WHERE usename < 'c' ORDER BY 1", "Eve|0;ann|1;bob|0"},
		{"SELECT groname, len(grolist) FROM pg_group WHERE groname = 'staff'", "staff|1"},
		{
			"SELECT pg_get_userbyid(oid), oid::regrole, rolname::regrole::oid = oid, pg_get_userbyid(10), pg_get_userbyid(3) FROM pg_roles WHERE rolname = 'bob'",
			"bob|bob|1|trireme|unknown (OID=3)",
		},
		{"SELECT pg_has_role('Eve', 'staff', 'MEMBER'), pg_has_role('staff', 'Eve', 'USAGE'), pg_has_role('ann', 'staff', 'USAGE'), pg_has_role('staff', 'member')," +
			" pg_has_role('ann', 'MEMBER'), pg_has_role(NULL, 'MEMBER')", "1|0|1|1|0|NULL"},
		{"SELECT count(DISTINCT oid) = count(*) AND min(oid) = 10 FROM pg_roles", "1"},
		{
			"SELECT has_table_privilege('t', 'INSERT'), has_table_privilege('t', 'SELECT WITH GRANT OPTION'), has_table_privilege('watcher', 't', 'SELECT')," +
				" has_table_privilege('watcher', 't', 'INSERT'), has_table_privilege('watcher', 't'::regclass, 'insert, select'), has_table_privilege('ann', 't', 'DELETE WITH GRANT OPTION')",
			"1|0|1|0|1|1",
		},
		{"SELECT has_column_privilege('t', 'x', 'UPDATE'), has_schema_privilege('watcher', 'main', 'CREATE'), has_schema_privilege('watcher', 'main', 'USAGE')," +
			" has_database_privilege('watcher', 'trireme', 'TEMP'), has_function_privilege('abs', 'EXECUTE'), has_any_column_privilege('public', 't', 'SELECT')", "1|0|1|0|1|1"},
		{"SELECT current_user, session_user, current_role, current_setting('role')", "bob|bob|bob|none"},
		{"SELECT role_name FROM information_schema.enabled_roles ORDER BY 1", "bob;staff"},
		{"SELECT grantee, role_name FROM information_schema.applicable_roles ORDER BY 1, 2", "bob|staff"},
	} {
		bob.want(c.sql, c.want)
	}
	watcher.want("SELECT has_table_privilege('t', 'UPDATE'), has_table_privilege('t', 'SELECT'), current_user", "0|1|watcher")
	for sql, code := range map[string]string{
		"SELECT has_table_privilege('t', 'FLY')":                sqlerr.InvalidParameter,
		"SELECT has_table_privilege('nobody', 't', 'SELECT')":   sqlerr.UndefinedObject,
		"SELECT has_table_privilege('no_table', 'SELECT')":      sqlerr.UndefinedTable,
		"SELECT pg_has_role('nobody', 'MEMBER')":                sqlerr.UndefinedObject,
		"SELECT 'nobody'::regrole":                              sqlerr.UndefinedObject,
		"SELECT pg_has_role('bob', 'staff', 'OWNER')":           sqlerr.InvalidParameter,
		"SELECT has_schema_privilege('main', 'SELECT')":         sqlerr.InvalidParameter,
		"SELECT has_database_privilege('trireme', 'EXECUTE')":   sqlerr.InvalidParameter,
		"SELECT has_parameter_privilege('work_mem', 'CONNECT')": sqlerr.InvalidParameter,
	} {
		bob.wantError(sql, code)
	}
	root.run("REVOKE staff FROM bob")
	root.run("ALTER ROLE watcher SUPERUSER")
	bob.want("SELECT pg_has_role('staff', 'MEMBER'), (SELECT rolsuper FROM pg_roles WHERE rolname = 'watcher')", "0|0") // reading only outweighs
	root.run("DROP ROLE watcher")
	bob.want("SELECT count(*) FROM pg_roles WHERE rolname = 'watcher'", "0")
}

// A session keeps the role that has connected.
func TestSetRole(t *testing.T) {
	e := openEngine(t)
	root := openSession(t, e)
	root.wantError("CREATE ROLE u", "42710") // its own
	root.run("CREATE ROLE ann LOGIN")
	ann := openAs(t, e, "ann")
	for _, sql := range []string{
		"SET ROLE NONE", "SET ROLE ann", "SET ROLE 'ann'", "SET ROLE ANN", "SET LOCAL ROLE NONE", "RESET ROLE", "SET SESSION AUTHORIZATION DEFAULT",
		"SET SESSION AUTHORIZATION 'ann'", "RESET SESSION AUTHORIZATION", "SET SESSION ROLE ann",
	} {
		ann.run(sql)
	}
	ann.want("SHOW role", "none")
	ann.want("SHOW SESSION AUTHORIZATION", "ann")
	for sql, code := range map[string]string{
		"SET ROLE trireme_admin": sqlerr.FeatureNotSupported, "SET SESSION AUTHORIZATION trireme_read_only": sqlerr.FeatureNotSupported,
		"SET ROLE nobody": sqlerr.InvalidParameter, "SET LOCAL ROLE trireme": sqlerr.FeatureNotSupported,
	} {
		if err := ann.wantError(sql, code); code == sqlerr.FeatureNotSupported && err.Hint == "" {
			t.Errorf("%s: no hint", sql)
		}
	}
	ann.want("SELECT current_user", "ann")
}

// What there is of Postgres' privileges and owners is roles alone: the rest says so,
// and what to do.
func TestPrivilegesAreRoles(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{"CREATE TABLE t (owner INTEGER)", "CREATE ROLE bob", "CREATE SCHEMA sc"} {
		s.run(sql)
	}
	for _, sql := range []string{
		"GRANT SELECT ON t TO bob", "GRANT ALL ON ALL TABLES IN SCHEMA main TO bob", "REVOKE INSERT ON t FROM bob", "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO bob",
		"ALTER TABLE t OWNER TO bob", "alter schema sc owner to bob", "REASSIGN OWNED BY bob TO bob", "DROP OWNED BY bob", "SECURITY LABEL ON TABLE t IS 'x'",
		"CREATE POLICY p ON t USING (true)", "DROP POLICY p ON t", "CREATE DATABASE other", "ALTER SYSTEM SET work_mem = '1GB'", "COMMENT ON SCHEMA public IS 'x'", "COMMENT ON CONSTRAINT c ON t IS 'x'", "ALTER ROLE ALL SET search_path = 'sc'",
		"/* a */ Alter -- b\n Table t Owner To bob",
	} {
		if err := s.wantError(sql, sqlerr.FeatureNotSupported); err.Hint == "" {
			t.Errorf("%s: no hint: %v", sql, err)
		}
	}
	s.wantError("GRANT bob TO bob WITH ADMIN OPTION", sqlerr.FeatureNotSupported)
	s.run("ALTER TABLE t RENAME COLUMN owner TO keeper")
	s.want("SELECT count(*) FROM t WHERE keeper = 1", "0")
}
