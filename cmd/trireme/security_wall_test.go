package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// hides runs statements that may fail, none of which may show a text.
func hides(t *testing.T, conn *pgx.Conn, text string, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		results, err := run(conn, sql)
		if err != nil && strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", sql, err)
		}
		for _, r := range results {
			for _, row := range r.Rows {
				if shown := string(bytes.Join(row, []byte("|"))); strings.Contains(shown, text) {
					t.Errorf("%s shows %s", sql, shown)
				}
			}
		}
		mustRun(t, conn, "ROLLBACK")
	}
}

// TestComputedNamesReachNothing: histogram_values and histogram read what they are given the
// name of, which a statement may compute.
func TestComputedNamesReachNothing(t *testing.T) {
	target := filepath.Join(t.TempDir(), "out")
	g := serveWritten(t, "CREATE VIEW own AS SELECT * FROM read_blob('/etc/hostname')",
		"CREATE VIEW logging AS FROM enable_logging(storage := 'file', storage_path := '"+target+"')", "CREATE VIEW saving AS FROM checkpoint()")
	for _, user := range []string{"root", "ann", "bob"} {
		conn := g.as(t, user)
		codes(t, conn, "42501", "FROM histogram_values('main.own', content)", "FROM histogram_values('trireme.main.own', content)", "FROM histogram_values('ow' || 'n', content)",
			"FROM histogram('main.own', content)", "FROM histogram_values('logg' || 'ing', \"Success\")", "FROM histogram_values('main.l' || 'ogging', \"Success\")",
			"SET VARIABLE v = 'own'; FROM histogram_values(getvariable('v'), content)", "PREPARE p AS FROM histogram_values('main.own', content)")
		if user != "root" {
			hides(t, conn, filepath.Dir(g.db), "FROM histogram_values('duckdb_' || 'databases', path)", "FROM histogram_values('duckdb_' || 'settings', value)", "FROM histogram_values('pg_' || 'settings', setting)")
		}
		mustRun(t, conn, "SELECT * FROM information_schema.columns", "SELECT * FROM pg_attribute", "SELECT view_name FROM duckdb_views()", "SELECT column_name FROM duckdb_columns()")
	}
	codes(t, g.as(t, "bob"), "42501", "FROM histogram_values('main.saving', \"Success\")", "FROM histogram_values('sav' || 'ing', \"Success\")")
	if _, err := os.Stat(target); err == nil {
		t.Error("something was written")
	}
}

// TestPreparedStatementsFollowTheRole: what was prepared with rights that have gone is refused.
func TestPreparedStatementsFollowTheRole(t *testing.T) {
	g := serveGuarded(t)
	root := g.as(t, "root")
	mustRun(t, root, "CREATE ROLE carl LOGIN SUPERUSER PASSWORD 'carl-pw'", "CREATE TABLE own AS SELECT 'duckdb_' AS name", "CREATE VIEW forced AS FROM force_checkpoint()", "CREATE SEQUENCE sq")
	carl := g.as(t, "carl")
	statements := []string{
		"SELECT path FROM duckdb_databases()", "FROM duckdb_settings()", "FROM force_checkpoint()", "SELECT write_log('x')", "FROM forced", "FROM histogram_values('for' || 'ced', \"Success\")",
		"SELECT current_setting('temp_directory')", "SELECT nextval('sq')", "FORCE CHECKPOINT",
	}
	for i, sql := range statements {
		if sql != "FORCE CHECKPOINT" {
			mustRun(t, carl, fmt.Sprintf("PREPARE p%d AS %s", i, sql), fmt.Sprintf("EXECUTE p%d", i))
		}
		if _, err := carl.Prepare(t.Context(), fmt.Sprint("w", i), sql); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, root, "REVOKE trireme_admin FROM carl", "GRANT trireme_read_only TO carl")
	for i, sql := range statements {
		if sql != "FORCE CHECKPOINT" {
			codes(t, carl, "42501", fmt.Sprintf("EXECUTE p%d", i), fmt.Sprintf("EXPLAIN ANALYZE EXECUTE p%d", i))
		}
		_, err := carl.Exec(t.Context(), fmt.Sprint("w", i))
		wantCode(t, err, "42501")
	}
	mustRun(t, root, "REVOKE trireme_read_only FROM carl")
	mustRun(t, carl, "EXECUTE p3", "EXECUTE p7")
	codes(t, carl, "42501", "EXECUTE p0", "EXECUTE p1", "EXECUTE p2", "EXECUTE p4", "EXECUTE p5", "EXECUTE p6")
}

// TestPathsAreHiddenHoweverAsked asks for paths where no text tells so.
func TestPathsAreHiddenHoweverAsked(t *testing.T) {
	g := serveGuarded(t)
	dir := filepath.Dir(g.db)
	ann := g.as(t, "ann")
	mustRun(t, g.as(t, "root"), "CREATE VIEW asked AS SELECT path FROM duckdb_databases()", "CREATE MACRO setting(n) AS current_setting(n)", "CREATE VIEW listed AS FROM duckdb_settings()")
	mustRun(t, ann, "CREATE TABLE names AS SELECT 'temp_directory' AS n")
	hides(t, ann, dir, "CREATE TABLE kept (x VARCHAR DEFAULT current_setting('temp_' || 'directory'), y INTEGER); INSERT INTO kept (y) VALUES (1); SELECT x FROM kept",
		"ALTER TABLE names ADD COLUMN z VARCHAR DEFAULT current_setting('temp_' || 'directory'); SELECT z FROM names", "ALTER TABLE names ALTER n TYPE VARCHAR USING current_setting('temp_' || 'directory'); SELECT n FROM names",
		"CREATE VIEW v1 AS TABLE pg_settings; FROM v1", "CREATE TABLE t1 AS FROM system.pg_catalog.pg_settings; FROM t1", "CREATE TABLE t2 AS TABLE pg_settings; FROM t2",
		"SELECT set_config('search_path', current_setting('temp_' || 'directory'), false)")
	for _, user := range []string{"ann", "bob"} {
		hides(t, g.as(t, user), dir,
			"SELECT current_setting('temp_directory'::TEXT)", "SELECT current_setting(CAST('temp_directory' AS VARCHAR))", "SELECT current_setting({'a': 'temp_directory', 'b': 1}.a)", "SELECT current_setting('temp_' 'directory')",
			"SELECT current_setting(E'temp\\x5fdirectory')", "SELECT current_setting($$temp_directory$$)", "SET VARIABLE v = 'temp_directory'; SELECT current_setting(getvariable('v'))", "SELECT * FROM query('SELECT current_setting(''temp_'' || ''directory'')')",
			"PREPARE p AS SELECT current_setting($1); EXECUTE p('temp_directory')", "SELECT set_config('application_name', current_setting('temp_' || 'directory'), false)",
			"SELECT 1 QUALIFY current_setting('temp_' || 'directory') GLOB '*'", "SELECT error(current_setting('temp_' || 'directory'))", "SELECT current_setting(n) FROM names", "SELECT setting('temp_directory')", "SELECT setting('temp_' || 'directory')",
			"SELECT current_setting('Temp_Directory' COLLATE NOCASE)", "SELECT current_setting(max(n)) FROM names", "SELECT [current_setting(x) FOR x IN ['temp_directory']]",
			"TABLE pg_settings", "FROM system.pg_catalog.pg_settings", "SELECT * FROM ONLY (pg_settings)", "FROM x: pg_settings", "PIVOT pg_settings ON name IN ('temp_directory') USING max(setting)", "FROM 'pg_settings'", "FROM \"pg_settings\"",
			"FROM query_table('pg_settings')", "FROM histogram_values('pg_settings', setting)", "WITH pg_settings AS (FROM system.pg_catalog.pg_settings) FROM pg_settings", "SUMMARIZE pg_settings", "SUMMARIZE system.pg_catalog.pg_settings",
			"FROM asked", "FROM listed", "FROM query_table('as' || 'ked')", "PRAGMA extension_versions", "PRAGMA database_list", "CALL pragma_database_list()", "FROM (SHOW DATABASES)", "PRAGMA show_databases",
			"COPY (TABLE pg_settings) TO STDOUT", "DECLARE c CURSOR FOR TABLE pg_settings; FETCH ALL FROM c", "EXPLAIN ANALYZE SELECT current_setting('temp_' || 'directory')", "EXPLAIN SELECT current_setting('temp_' || 'directory')",
			"SELECT * FROM duckdb_variables()", "FROM duckdb_logs()", "FROM duckdb_logs", "FROM system.pg_catalog.pg_database", "FROM pg_tablespace", "SHOW ALL")
		mustRun(t, g.as(t, user), "SHOW DATABASES", "FROM (SHOW DATABASES)", "PRAGMA show_databases", "SELECT datname FROM pg_database", "SELECT current_setting('search_path')", "SELECT current_setting('TimeZone')", "SELECT name, setting FROM pg_settings")
	}
	codes(t, ann, "42501", "PRAGMA extension_versions", "FROM duckdb_logs()", "FROM duckdb_logs", "FROM duckdb_logs_parsed('QueryLog')", "FROM duckdb_log_contexts()", "FROM duckdb_secrets()", "FROM duckdb_external_file_cache()", "FROM histogram_values('duckdb_' || 'logs', message)")
	mustRun(t, g.as(t, "root"), "FROM duckdb_logs()", "FROM asked", "SELECT setting('temp_directory')")
}

// TestViewsWithoutText: EXPLAIN ANALYZE of CREATE VIEW makes a view of which DuckDB has no text.
func TestViewsWithoutText(t *testing.T) {
	g := serveGuarded(t)
	root, ann, bob := g.as(t, "root"), g.as(t, "ann"), g.as(t, "bob")
	mustRun(t, root, "CREATE SEQUENCE sq", "EXPLAIN ANALYZE CREATE OR REPLACE VIEW ev AS SELECT coalesce(write_log('q'), 'wrote') AS n", "EXPLAIN ANALYZE CREATE VIEW ec AS FROM checkpoint()")
	mustRun(t, ann, "SELECT * FROM ev")
	codes(t, bob, "42501", "SELECT * FROM ev", "FROM 'ev'", "FROM ec", "SELECT count(*) FROM ev a JOIN ev b ON a.n = b.n")
	mustRun(t, bob, "SELECT * FROM information_schema.tables", "SELECT * FROM pg_class")
}

// TestNamesMayBeThoseOfDefinitions: what calls a function that a role may not call locks it out of
// nothing that has the same name.
func TestNamesMayBeThoseOfDefinitions(t *testing.T) {
	open := t.TempDir()
	g := serveGuarded(t, "--allow-files", open)
	ann, bob, root := g.as(t, "ann"), g.as(t, "bob"), g.as(t, "root")
	writePlain(t, filepath.Join(open, "c.db"), "CREATE VIEW t AS FROM enable_logging()", "CREATE MACRO x(f) AS TABLE FROM read_text(f)", "CREATE MACRO a() AS TABLE FROM checkpoint()")
	mustRun(t, ann, "ATTACH '"+filepath.Join(open, "c.db")+"' AS c", "CREATE SEQUENCE sq", "CREATE VIEW id AS SELECT nextval('sq') AS n", "CREATE MACRO name(v) AS nextval('sq') + v", "CREATE TABLE t (id INTEGER, name VARCHAR, x INTEGER)")
	for _, conn := range []*pgx.Conn{bob, ann, root} {
		mustRun(t, conn, "SELECT id, name FROM t", "SELECT x AS a, 'id' AS name FROM t AS a", "SELECT count(*) AS \"name\" FROM t WHERE name = 'id'", "PREPARE x AS SELECT id FROM t", "SELECT t.id FROM t", "WITH id AS (SELECT 1 AS name) FROM id")
	}
	for sql, function := range map[string]string{"FROM id": "nextval", "SELECT name(1)": "nextval", "FROM c.a()": "checkpoint"} {
		var e *pgconn.PgError
		if _, err := run(bob, sql); !asPgError(err, &e) || e.Code != "42501" || e.Message != "permission denied for function "+function || e.Hint != "The role is a member of trireme_read_only." {
			t.Errorf("%s: %v, %+v", sql, err, e)
		}
	}
	codes(t, root, "42501", "FROM c.t")
}

// TestDefinitionsOfASnapshot: in a transaction a view is as it was when that began.
func TestDefinitionsOfASnapshot(t *testing.T) {
	g := serveGuarded(t)
	ann := g.as(t, "ann")
	mustRun(t, g.as(t, "root"), "CREATE TABLE t (x INTEGER)", "CREATE VIEW logs AS SELECT write_log('x') AS n", "CREATE MACRO says() AS write_log('x')", "CREATE VIEW gone AS SELECT write_log('x') AS n")
	bobs := map[string]*pgx.Conn{}
	for _, sql := range []string{"SELECT * FROM logs", "SELECT says()", "SELECT * FROM gone"} {
		bobs[sql] = g.as(t, "bob")
		mustRun(t, bobs[sql], "BEGIN", "SELECT * FROM t")
	}
	mustRun(t, ann, "CREATE OR REPLACE VIEW logs AS SELECT 'x' AS n", "CREATE OR REPLACE MACRO says() AS 'x'", "DROP VIEW gone")
	for sql, bob := range bobs {
		codes(t, bob, "42501", sql)
	}
}

// TestAttachedDefinitionsReadNoOwnFiles: DuckDB would let a view of an attached database read the
// files of the server's, which are attached as well.
func TestAttachedDefinitionsReadNoOwnFiles(t *testing.T) {
	open := t.TempDir()
	g := serveGuarded(t, "--allow-files", open)
	mustRun(t, g.as(t, "ann"), "CREATE TABLE t (x INTEGER)", "CHECKPOINT")
	crafted, file := filepath.Join(open, "c.db"), filepath.Join(open, "a.csv")
	if err := os.WriteFile(file, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	writePlain(t, crafted, "CREATE VIEW own AS SELECT size, content FROM read_blob('"+g.db+"')",
		"CREATE MACRO spelled() AS TABLE FROM read_blob('"+filepath.Dir(g.db)+"/./x.d' || 'b')", "CREATE VIEW behind AS FROM histogram_values('main.own', content)", "CREATE VIEW csv AS SELECT * FROM read_csv('"+file+"')")
	for _, user := range []string{"root", "ann"} {
		conn := g.as(t, user)
		mustRun(t, conn, "ATTACH IF NOT EXISTS '"+crafted+"' AS c", "FROM c.csv", "FROM histogram_values('c.main.csv', a)", "FROM read_csv('"+file+"')")
		codes(t, conn, "42501", "FROM c.own", "FROM histogram_values('c.main.own', content)", "FROM histogram_values('c.main.' || 'own', content)", "FROM query_table('c.main.own')", "FROM histogram_values('c.\"main\".\"own\"', content)", "FROM histogram_values(c.main.own, content)", "FROM histogram('c.main.own', content)",
			"FROM c.behind", "FROM c.spelled()", "USE c; FROM spelled()")
	}
}

// TestOwnFilesHaveNoOtherName: a link in an open directory, which is found by its pattern or which a
// definition of an attached database names, leads to no file of the server's.
func TestOwnFilesHaveNoOtherName(t *testing.T) {
	open, databases := t.TempDir(), t.TempDir()
	g := serveGuarded(t, "--allow-files", open+","+databases)
	mustRun(t, g.as(t, "ann"), "CREATE TABLE t AS SELECT 1 AS x", "CHECKPOINT", "INSERT INTO t VALUES (2)")
	linked := map[string]string{"hard": g.db, "wal": g.db + ".wal", "roles": g.db + ".roles"}
	for name, file := range linked {
		if err := os.Link(file, filepath.Join(open, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"soft": g.db, "out": "/etc/hostname"} {
		if err := os.Symlink(target, filepath.Join(open, name)); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(open, name) }
	crafted, ended := filepath.Join(databases, "c.db"), filepath.Join(databases, "e.db")
	writePlain(t, crafted, "CREATE VIEW url AS SELECT size FROM read_blob('file:' || '"+g.db+"')",
		"CREATE VIEW copied AS FROM read_blob('"+g.db+"')", "CREATE VIEW own AS FROM read_blob('"+in("*")+"')", "CREATE VIEW own_text AS FROM read_text('"+in("ro")+"' || 'les')")
	if err := os.WriteFile(in("a.csv"), []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{"root", "ann"} {
		conn := g.as(t, user)
		mustRun(t, conn, "ATTACH IF NOT EXISTS '"+crafted+"' AS c", "FROM read_csv('"+in("a.*")+"')", "COPY t TO '"+in("b.csv")+"'", "COPY t TO '"+in("b.csv")+"'", "FROM '"+in("b.csv")+"'")
		codes(t, conn, "42501", "FROM c.url", "FROM c.copied", "FROM c.own", "FROM c.own_text", "FROM query_table('c.own')", "FROM histogram_values('c.' || 'url', size)", "FROM histogram_values('c.cop' || 'ied', size)", "FROM histogram_values('c.o' || 'wn', size)", "FROM read_blob('"+in("*")+"')", "FROM read_blob('"+in("o*")+"')", "FROM read_text('"+in("s*")+"')")
		for name := range linked {
			codes(t, conn, "42501", "FROM read_blob('"+in(name)+"')", "FROM read_blob('"+in("*"+name[1:])+"')", "COPY t TO '"+in(name)+"' (FORMAT csv)", "COPY t TO '"+in(name)+"' (FORMAT csv, USE_TMP_FILE false)", "ATTACH '"+in(name)+"' AS l", "FROM read_duckdb('"+in(name)+"', table_name = 't')")
		}
	}
	writePlain(t, ended, "CREATE VIEW ended AS SELECT content FROM read_text('"+in("roles")+"' || chr(0) || 'x')")
	mustRun(t, g.as(t, "ann"), "ATTACH '"+ended+"' AS e")
	codes(t, g.as(t, "ann"), "42501", "FROM histogram_values('e.en' || 'ded', content)", "FROM glob('"+open+"/**/../*')", "FROM glob('"+open+"/*/../*')", "FROM read_text('"+in(strings.Repeat("a/", 20000))+"x')")
	mustRun(t, g.as(t, "root"), "CHECKPOINT", "INSERT INTO t VALUES (3)", "CHECKPOINT", "DETACH c", "DETACH e", "ATTACH '"+crafted+"'", "FROM read_blob('"+in("a.*")+"')")
}
