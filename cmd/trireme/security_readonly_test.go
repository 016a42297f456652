package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func asPgError(err error, e **pgconn.PgError) bool { return errors.As(err, e) }

// TestReadOnlyRoleChangesNothing tries to write in every way there is.
func TestReadOnlyRoleChangesNothing(t *testing.T) {
	g := serveGuarded(t)
	root, bob := g.as(t, "root"), g.as(t, "bob")
	mustRun(t, root, "CREATE TABLE t (x INTEGER)", "INSERT INTO t VALUES (1), (2)", "CREATE SEQUENCE sq",
		"CREATE VIEW seen AS SELECT * FROM t", "CREATE VIEW counting AS SELECT nextval('sq') AS n", "CREATE MACRO counted() AS nextval('sq')")
	codes(t, bob, "42501",
		"INSERT INTO t VALUES (3)", "insert into t select 3 returning x", "UPDATE t SET x = 3", "DELETE FROM t", "TRUNCATE t",
		"MERGE INTO t USING (SELECT 3 AS y) s ON x = y WHEN NOT MATCHED THEN INSERT VALUES (3)",
		"/* a */ -- b\n INSERT INTO t VALUES (3)", "WITH a AS (SELECT 3) INSERT INTO t SELECT * FROM a",
		"WITH a AS (INSERT INTO t VALUES (3) RETURNING x) SELECT * FROM a",
		"EXPLAIN ANALYZE INSERT INTO t VALUES (3)", "EXPLAIN (ANALYZE) DELETE FROM t", "EXPLAIN INSERT INTO t VALUES (3)",
		"PREPARE p AS DELETE FROM t", "SELECT 1; DELETE FROM t", "BEGIN; DELETE FROM t", "BEGIN READ WRITE; DELETE FROM t",
		"DECLARE c CURSOR WITH HOLD FOR SELECT * FROM counting",
		"CREATE TABLE u (x INTEGER)", "CREATE TEMP TABLE u (x INTEGER)", "CREATE TABLE u AS SELECT 1", "CREATE VIEW u AS SELECT 1", "CREATE SCHEMA u",
		"CREATE MACRO u() AS 1", "CREATE INDEX u ON t (x)", "CREATE TYPE u AS ENUM ('a')", "CREATE SEQUENCE u", "DROP TABLE t",
		"DROP VIEW seen", "ALTER TABLE t ADD COLUMN y INTEGER", "COMMENT ON TABLE t IS 'x'", "COPY t FROM 'x.csv'", "COPY t TO 'x.csv'",
		"COPY t FROM STDIN", "COPY (INSERT INTO t VALUES (3) RETURNING x) TO STDOUT", "COPY (DELETE FROM t RETURNING x) TO STDOUT", "EXPORT DATABASE 'x'", "IMPORT DATABASE 'x'", "ATTACH ':memory:' AS m", "DETACH m", "INSTALL httpfs", "LOAD httpfs",
		"CREATE SECRET s (TYPE s3, SECRET 'x')", "CHECKPOINT", "FORCE CHECKPOINT", "VACUUM", "ANALYZE", "CALL enable_logging()",
		"PRAGMA memory_limit = '1GB'", "PRAGMA enable_profiling", "PRAGMA disable_optimizer", "SET GLOBAL threads = 1", "SET threads = 1", "RESET threads",
		"SET memory_limit = '1GB'", "SET lock_configuration = true", "SELECT nextval('sq')", "SELECT \"nextval\"('sq')", "SELECT 'sq'.nextval()",
		"SELECT * FROM query('SELECT nex' || 'tval(''sq'')')", "SELECT * FROM query('SELECT nextval(''sq'')')",
		"EXPLAIN ANALYZE SELECT nextval('sq')", "PREPARE p AS SELECT nextval('sq')", "SELECT * FROM checkpoint()", "CALL force_checkpoint()",
		"GRANT trireme_admin TO bob", "REVOKE trireme_read_only FROM bob", "CREATE ROLE x", "ALTER ROLE bob SUPERUSER",
	)
	// What a text does not show, the definitions that it names do.
	codes(t, bob, "42501", "SET VARIABLE z = (SELECT n FROM counting)", "SET VARIABLE z = (SELECT counted())", "SELECT * FROM counting", "SELECT counted()", "BEGIN; SELECT * FROM counting", "SELECT 1; SELECT counted()",
		"EXPLAIN ANALYZE SELECT * FROM counting", "WITH a AS (SELECT * FROM counting) SELECT * FROM a")
	codes(t, bob, "42501", "PREPARE q AS SELECT * FROM counting")
	if _, err := bob.Exec(context.Background(), "DELETE FROM t WHERE x = $1", 1); err == nil {
		t.Error("a parameter lets DELETE pass")
	}
	mustRun(t, bob, "SELECT * FROM t", "SELECT * FROM seen", "SELECT a.x, count(*) FROM t a JOIN t b ON a.x = b.x GROUP BY a.x", "BEGIN; SELECT * FROM t; COMMIT",
		"EXPLAIN ANALYZE SELECT count(*) FROM t", "PREPARE r AS SELECT * FROM t", "EXECUTE r", "SET TimeZone = 'UTC'", "SET search_path = 'main'",
		"SHOW TimeZone", "DESCRIBE t", "PRAGMA table_info('t')", "SELECT * FROM information_schema.tables", "SET trireme.backend = 'duckdb'", "SELECT * FROM t", "RESET ALL")
	for sql, want := range map[string]string{"SELECT count(*) FROM t": "2", "SELECT nextval('sq')": "1", "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'trireme'": "1"} {
		res, err := run(root, sql)
		if err != nil || string(res[0].Rows[0][0]) != want {
			t.Errorf("%s afterwards: %s, %v", sql, res[0].Rows, err)
		}
	}
}

func TestReadOnlyRoleReachesNoFile(t *testing.T) {
	open := t.TempDir()
	g := serveGuarded(t, "--allow-files", open)
	file := filepath.Join(open, "a.csv")
	if err := os.WriteFile(file, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, g.as(t, "ann"), "SELECT * FROM '"+file+"'", fmt.Sprintf("CREATE VIEW shown AS SELECT * FROM read_csv('%s')", file), "CREATE TABLE t (x INTEGER)")
	bob := g.as(t, "bob")
	for _, sql := range []string{
		"SELECT * FROM '%s'", "SELECT * FROM \"%s\"", "SELECT * FROM read_csv('%s')", "SELECT * FROM read_text('%s')", "FROM glob('%s')",
		"WITH a AS (FROM read_csv('%s')) SELECT * FROM a", "SELECT (SELECT max(a) FROM '%s')", "SELECT * FROM t, read_csv('%s')",
		"SELECT * FROM query('FROM read_csv(''%s'')')", "SELECT * FROM query_table('%s')", "PREPARE p AS SELECT * FROM read_csv('%s')",
		"EXPLAIN SELECT * FROM '%s'", "DESCRIBE SELECT * FROM '%s'", "SUMMARIZE FROM '%s'", "SELECT * FROM sniff_csv('%s')",
		"COPY (SELECT 1) TO '%s'", "PIVOT read_csv('%s') ON a", "SELECT * FROM (PIVOT '%s' ON a USING sum(b))",
		"SELECT * FROM read_csv('%s') WHERE a::TEXT OPERATOR(pg_catalog.~) 'x'", "ATTACH '%s' AS x",
		"SET VARIABLE f = (SELECT a FROM '%s')", "SET VARIABLE f TO [x FOR x IN (SELECT list(a) FROM '%s')]", "SHOW '%s'", "SHOW \"%s\"", "DESCRIBE '%s'", "DESC FROM '%s'", "SUMMARIZE '%s'",
		"SELECT * FROM (SHOW '%s')", "FROM (SUMMARIZE '%s')", "SHOW SELECT * FROM '%s'", "SHOW (FROM '%s')", "DESCRIBE PIVOT '%s' ON a", "EXPLAIN ANALYZE SHOW '%s'",
		"FROM histogram_values('%s', a)", "FROM histogram('%s', a)", "SELECT json_serialize_plan('SELECT x FROM ''%s''')",
		"SELECT * FROM query_table(['%s'])", "EXPLAIN ANALYZE SELECT * FROM '%s'", "DECLARE c CURSOR FOR SELECT * FROM '%s'", "COPY (SELECT * FROM '%s') TO STDOUT",
		"EXPLAIN (FORMAT json) FROM '%s'", "SELECT (SELECT count(*) FROM '%s' POSITIONAL JOIN t)", "VALUES ((SELECT max(a) FROM '%s'))", "TABLE \"%s\"", "FROM '%s' SELECT a",
		"WITH RECURSIVE a AS (FROM '%s' UNION ALL FROM a) FROM a", "SELECT * FROM t WHERE x IN (FROM '%s')", "SELECT x FROM t ORDER BY (SELECT max(a) FROM '%s')", "SELECT x FROM t LIMIT (SELECT max(a) FROM '%s')",
	} {
		codes(t, bob, "42501", fmt.Sprintf(sql, file))
	}
	mustRun(t, bob, "SET VARIABLE f = (SELECT max(x) FROM t)", "SHOW TABLES", "SHOW ALL TABLES", "SHOW t", "SHOW main.t", "SHOW TABLES FROM main", "SHOW DATABASES", "DESCRIBE t", "DESCRIBE SELECT * FROM shown", "SUMMARIZE t",
		"SHOW TimeZone", "SHOW TRANSACTION ISOLATION LEVEL", "SHOW ALL", "SHOW threads", "SELECT histogram(x) FROM t", "SELECT * FROM (DESCRIBE t)", "SELECT * FROM shown", "SELECT * FROM t", "SELECT * FROM main.t") // a view is its maker's
}

// The server's own files are no data, by whatever name, for admins neither.
func TestOwnFilesAreNoData(t *testing.T) {
	g := serveGuarded(t)
	mustRun(t, g.as(t, "root"), "CREATE TABLE t (x INTEGER)", "CHECKPOINT")
	for _, user := range []string{"root", "ann", "bob"} {
		conn := g.as(t, user)
		for _, file := range []string{"'" + g.db + "'", "'" + g.db + ".roles'", "'" + filepath.Dir(g.db) + "/' || 'x.db'", "['" + filepath.Dir(g.db) + "/*']"} {
			codes(t, conn, "42501", "SELECT * FROM read_blob("+file+")", "SELECT * FROM read_text("+file+")", "PREPARE p AS SELECT * FROM \"read_blob\"("+file+")",
				"SELECT * FROM read_csv("+file+", encoding = 'latin-1')", "CREATE VIEW own AS SELECT * FROM read_blob("+file+")", "CREATE MACRO own() AS TABLE FROM read_blob("+file+")",
				"SELECT * FROM query('FROM read_blob(''"+g.db+"'')')")
		}
	}
}

// TestNobodyReplacesFunctions makes macros with the names of functions that the server's
// own statements call, by which a role could answer for them.
func TestNobodyReplacesFunctions(t *testing.T) {
	open := t.TempDir()
	g := serveGuarded(t, "--allow-files", open)
	file := filepath.Join(open, "a.csv")
	if err := os.WriteFile(file, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ann, bob := g.as(t, "ann"), g.as(t, "bob")
	for _, name := range []string{
		"json_serialize_sql(x)", "json_deserialize_sql(x)", "duckdb_schemas()", "main.duckdb_tables()", "trireme.main.\"Count\"(x)", "memory.main.lower(x)",
		"sum(x)", "\"+\"(a, b)", "pg_terminate_backend(x)", "format_type(a, b)", "version()",
		"pg_backend_pid()", "hashtext(x)", "to_date(x, y)", "initcap(x)", "einsum(x)", "pg_advisory_lock(x)", "pg_try_advisory_lock(x)", "PG_Advisory_Unlock(x)", "setval(a, b)", "set_config(a, b, c)",
	} {
		for _, create := range []string{"CREATE MACRO ", "CREATE OR REPLACE FUNCTION ", "CREATE TEMP MACRO ", "CREATE MACRO IF NOT EXISTS ", "EXPLAIN ANALYZE CREATE MACRO ", "CREATE/**/MACRO/**/"} {
			codes(t, ann, "42501", create+name+" AS 42")
		}
		codes(t, g.as(t, "root"), "42501", "CREATE MACRO "+name+" AS TABLE SELECT 42")
	}
	codes(t, ann, "42501", "CREATE VIEW pg_stat_activity AS SELECT 1 AS pid", "CREATE TABLE trireme_queries (a INTEGER)", "CREATE TABLE own AS SELECT 1; ALTER TABLE own RENAME TO pg_class")
	codes(t, ann, "42501", "CREATE TYPE json AS INTEGER", "CREATE OR REPLACE TYPE main.JSON AS ENUM ('a')")
	mustRun(t, ann, "CREATE MACRO twice(x) AS x + x", "CREATE TYPE mood AS ENUM ('a')")
	// A macro reads no file that whoever calls it names.
	codes(t, ann, "42501", "CREATE MACRO m(f) AS TABLE FROM histogram_values(f, a)", "CREATE MACRO m(f) AS TABLE FROM histogram(f, a)",
		"CREATE MACRO m(f) AS TABLE FROM query_table(f)", "CREATE MACRO m(f) AS TABLE FROM read_csv(f)")
	mustRun(t, ann, "CREATE TABLE t (x INTEGER)", "CREATE MACRO h() AS TABLE FROM histogram_values('t', x)", "FROM histogram_values(t, x)")
	mustRun(t, bob, "FROM h()")
	codes(t, bob, "42501", "FROM '"+file+"'")
	codes(t, ann, "42501", "FORCE CHECKPOINT", "FORCE CHECKPOINT trireme")
	mustRun(t, g.as(t, "root"), "FORCE CHECKPOINT")
}

// TestDefinitionsAreLookedInto: what a definition calls counts where its name stands, also
// behind other definitions; whoever made it may have been allowed to.
func TestDefinitionsAreLookedInto(t *testing.T) {
	g := serveGuarded(t)
	root, ann, bob := g.as(t, "root"), g.as(t, "ann"), g.as(t, "bob")
	mustRun(t, root, "CREATE TABLE t (x INTEGER)", "CREATE SCHEMA other", "CREATE SEQUENCE sq",
		"CREATE VIEW logs AS SELECT write_log('x') AS n", "CREATE VIEW other.\"Far Logs\" AS SELECT n FROM logs", "CREATE VIEW saves AS FROM checkpoint()",
		"CREATE MACRO says(m) AS write_log(m::VARCHAR)", "CREATE MACRO saying(m) AS TABLE SELECT says(m) AS n", "CREATE MACRO ends(p) AS pg_terminate_backend(p)",
		"CREATE VIEW \"Élan\" AS FROM logs", "CREATE MACRO \"Énd\"(p) AS ends(p)",
		"CREATE TABLE noisy (x INTEGER, y INTEGER AS (x + length(write_log('y'))))")
	mustRun(t, ann, "SELECT * FROM logs", "SELECT * FROM noisy")
	mustRun(t, root, "CREATE VIEW forced AS FROM force_checkpoint()", "CREATE MACRO force() AS TABLE FROM forced", "CREATE VIEW stop AS FROM disable_logging()")
	codes(t, bob, "42501", "SELECT * FROM logs", "FROM 'logs'", "FROM E'logs'", "FROM E'\\x6c\\157gs'", "FROM $$logs$$", "FROM $q$Logs$q$", "FROM 'lo'\n'gs'", "FROM 'lo' -- '\n'gs'", "FROM E'lo'\n'g\\x73'", "SELECT * FROM \"LOGS\"", "SELECT * FROM main.logs", "SELECT * FROM other.\"Far Logs\"", "FROM saves", "SELECT says('a')",
		"SELECT * FROM saying('a')", "SELECT ends(1)", "FROM \"Élan\"", "FROM \"ÉLan\"", "SELECT \"Énd\"(1)", "SELECT ('a').says()", "SELECT * FROM query('FROM logs')", "FROM query_table('logs')", "EXPLAIN ANALYZE FROM logs", "PREPARE p AS FROM logs",
		"DECLARE c CURSOR FOR FROM logs", "COPY (FROM logs) TO STDOUT", "SET VARIABLE v = (SELECT n FROM logs)", "SELECT * FROM noisy", "WITH a AS (FROM logs) FROM a", "FROM forced", "FROM force()", "FROM stop",
		"DESCRIBE logs", "SUMMARIZE logs", "SELECT x FROM t WHERE EXISTS (FROM other.\"far logs\")")
	codes(t, bob, "42501", "SELECT E'a'\n'\\' ', write_log('x'), 'b' -- '", "SELECT E'a'\n'\\' ', n FROM logs, (SELECT 'b') -- '")
	codes(t, ann, "42501", "FROM forced", "FROM force()", "FROM stop", "INSERT INTO t SELECT 1 FROM forced", "CREATE VIEW mine AS FROM force()", "CREATE MACRO mine() AS TABLE FROM forced")
	mustRun(t, root, "FROM force()")
	mustRun(t, bob, "SELECT * FROM t")
	mustRun(t, ann, "CREATE OR REPLACE VIEW logs AS SELECT 1 AS n", "CREATE OR REPLACE MACRO says(m) AS m")
	mustRun(t, bob, "SELECT * FROM logs", "SELECT * FROM other.\"Far Logs\"", "SELECT * FROM saying('a')")
	mustRun(t, bob, "PREPARE early AS FROM logs", "PREPARE spoken AS FROM saying('a')", "EXECUTE early", "EXECUTE spoken")
	const prepared = "wire"
	if _, err := bob.Prepare(t.Context(), prepared, "FROM logs"); err != nil {
		t.Fatal(err)
	}
	mustRun(t, root, "CREATE OR REPLACE VIEW logs AS SELECT write_log('x') AS n", "CREATE OR REPLACE MACRO says(m) AS write_log(m::VARCHAR)")
	codes(t, bob, "42501", "EXECUTE early", "EXECUTE spoken", "EXPLAIN ANALYZE EXECUTE early")
	var e *pgconn.PgError
	if _, err := bob.Exec(t.Context(), prepared); !asPgError(err, &e) || e.Code != "42501" {
		t.Errorf("executed as prepared over the wire: %v", err)
	}
}

// TestDatabasesWrittenElsewhere: a database that DuckDB has written by itself has definitions
// at which no server has looked.
func TestDatabasesWrittenElsewhere(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "x.db")
	target := filepath.Join(t.TempDir(), "out")
	writePlain(t, plain,
		"CREATE TABLE t (x INTEGER)", "INSERT INTO t VALUES (1)", "CREATE SEQUENCE sq", "CREATE VIEW own AS SELECT * FROM read_blob('"+plain+"')", "CREATE VIEW\u00a0hidden\u00a0AS FROM\u00a0read_text('/etc/hostname')",
		"CREATE MACRO run(q) AS TABLE FROM query(q)", "CREATE MACRO named(q) AS TABLE FROM query_table(q)", "CREATE MACRO logged() AS TABLE FROM enable_logging(storage := 'file', storage_path := '"+target+"')",
		"CREATE VIEW logging AS FROM logged()", "CREATE MACRO executed(x) AS TABLE FROM json_execute_serialized_sql(x)", "CREATE MACRO read(f) AS TABLE FROM read_text(f)",
		"CREATE VIEW counts AS SELECT nextval('sq') AS n", "CREATE TABLE counted (x INTEGER DEFAULT nextval('sq'), y INTEGER CHECK (y < 10))", "CREATE INDEX i ON t ((x + 1))")
	for name, role := range map[string]string{"root": "trireme_admin", "ann": "", "bob": "trireme_read_only"} {
		args := []string{"user", "add", name, "--db", plain}
		if role != "" {
			args = append(args, "--role", role)
		}
		if out, err := trireme(t, name+"-pw\n", args...); err != nil {
			t.Fatal(out, err)
		}
	}
	g := guarded{db: plain, address: serve(t, "--db", plain, "--auth", "scram")}
	for _, user := range []string{"root", "ann", "bob"} {
		conn := g.as(t, user)
		mustRun(t, conn, "FROM run('SELECT x FROM t')", "FROM named('t')")
		codes(t, conn, "42501", "FROM run('FROM own')", "FROM run('FROM read_blob(''"+plain+"'')')", "FROM run('FROM ''/etc/x.csv''')", "FROM named('hidden')", "FROM named('/etc/x.csv')", "FROM run('FROM executed(''{}'')')",
			"FROM run('FROM enable_peg_parser()')", "FROM run('SELECT count(*) FROM sql_auto_complete(''S'')')", "FROM run('FROM run(''FROM logging'')')")
		codes(t, conn, "42883", "FROM run('SELECT getenv(''HOME'')')")
		codes(t, conn, "42601", "FROM run('DROP TABLE t')", "FROM run('SELECT 1; DROP TABLE t')", "FROM run('SET threads = 1')", "FROM run('COPY t TO ''/tmp/x''')")
		codes(t, conn, "42501", "FROM own", "FROM hidden", "FROM logged()", "FROM logging", "FROM executed('{}')", "FROM read('/etc/hostname')",
			"CREATE VIEW v AS FROM logging", "PREPARE p AS FROM logging", "SELECT * FROM t, logging")
		mustRun(t, conn, "SELECT * FROM t", "SELECT a.x, count(*) FROM t a JOIN t b ON a.x = b.x GROUP BY a.x", "\u00a0SELECT\u00a0*\u00a0FROM\u00a0t", "SELECT table_name FROM information_schema.tables")
	}
	hides(t, g.as(t, "ann"), dir, "FROM run('SELECT path FROM duckdb_databases()')", "FROM run('SELECT current_setting(''temp_'' || ''directory'')')", "FROM named('duckdb_settings')")
	codes(t, g.as(t, "bob"), "42501", "FROM run('SELECT nextval(''sq'')')", "FROM run('SELECT write_log(''x'')')", "FROM run('FROM checkpoint()')", "FROM named('counts')")
	codes(t, g.as(t, "bob"), "42501", "FROM counts", "INSERT INTO counted (y) VALUES (1)")
	mustRun(t, g.as(t, "ann"), "FROM counts", "INSERT INTO counted (y) VALUES (1)", "INSERT INTO t VALUES (2)")
	if _, err := os.Stat(target); err == nil {
		t.Error("something was written")
	}
}

// Macros and types with the names of DuckDB's own would be called by the server's statements.
func TestDatabasesThatRedefineFunctionsAreNotServed(t *testing.T) {
	for name, create := range map[string]string{"lower": "CREATE MACRO lower(x) AS 'low'", "duckdb_tables": "CREATE MACRO duckdb_tables() AS TABLE SELECT 1", "json": "CREATE TYPE json AS INTEGER", "sum": "CREATE SCHEMA s; CREATE MACRO s.\"Sum\"(x) AS x"} {
		plain := filepath.Join(t.TempDir(), "x.db")
		writePlain(t, plain, create)
		if _, err := trireme(t, "", "serve", "--db", plain, "--listen", "127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", create, err)
		}
	}
}

// writePlain makes a database without the server.
func writePlain(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// Functions on texts that take long are there in definitions, by all their names.
func TestSlowFunctionsAreAvailable(t *testing.T) {
	g := serveGuarded(t)
	ann := g.as(t, "ann")
	mustRun(t, ann, "CREATE MACRO near(a, b) AS damerau_levenshtein(a, b)", "CREATE VIEW far AS SELECT levenshtein('abc', 'abd') AS d",
		"CREATE TABLE d (x VARCHAR, y BIGINT AS (damerau_levenshtein(x, 'ab')), CHECK (x NOT LIKE '%_%_x'))", "INSERT INTO d VALUES ('abc')", "CREATE INDEX i ON d ((levenshtein(x, 'a')))")
	for _, user := range []string{"root", "ann", "bob"} {
		mustRun(t, g.as(t, user), "SELECT near('a', x), y FROM d", "FROM far", "SELECT system.main.\"damerau_levenshtein\"('ab', 'ba')", "SELECT x.levenshtein('b') FROM d")
	}
}

// DuckDB's second parser reads the statements of all sessions once a function has enabled
// it, and its recursion has no end but that of the stack.
func TestNobodyReachesTheSecondParser(t *testing.T) {
	g := serveGuarded(t)
	for _, user := range []string{"bob", "ann", "root"} {
		conn := g.as(t, user)
		codes(t, conn, "42501", "FROM enable_peg_parser()", "SELECT * FROM \"Enable_PEG_Parser\"()", "FROM disable_peg_parser()",
			"SELECT count(*) FROM check_peg_parser('SELECT ' || repeat('(', 10000) || '1')", "SELECT count(*) FROM sql_auto_complete('SELECT ' || repeat('(', 20000))",
			"EXPLAIN ANALYZE FROM enable_peg_parser()", "PREPARE p AS FROM enable_peg_parser()", "SELECT * FROM query('FROM enable_peg_parser()')")
	}
	codes(t, g.as(t, "ann"), "42501", "CALL enable_peg_parser()", "CREATE VIEW v AS FROM enable_peg_parser()", "CREATE MACRO m() AS TABLE FROM sql_auto_complete('S')")
	mustRun(t, g.as(t, "bob"), "SELECT 1")
}

// TestPathsAreForAdmins: where the server's files are is told to admins only, by no function,
// view or setting of DuckDB's, and by no error.
func TestPathsAreForAdmins(t *testing.T) {
	g := serveGuarded(t)
	dir := filepath.Dir(g.db)
	shown := []string{
		"SELECT path FROM duckdb_databases()", "FROM duckdb_databases", "FROM \"DuckDB_Databases\"()", "FROM system.main.duckdb_databases()", "SUMMARIZE duckdb_databases",
		"FROM query('FROM duckdb_databases()')", "FROM query_table('duckdb_databases')", "FROM 'duckdb_databases'", "PRAGMA database_list", "FROM pragma_database_list", "FROM pragma_database_list()",
		"SELECT value FROM duckdb_settings() WHERE name = 'temp_directory'", "SELECT current_setting('temp_directory')", "SELECT current_setting('Temp_Directory')", "SHOW temp_directory",
		"SELECT system.main.current_setting('temp_' || 'directory')", "SELECT ('temp_' || 'directory').current_setting()", "SELECT 'temp_directory'.current_setting()",
		"EXPLAIN ANALYZE SELECT path FROM duckdb_databases()", "PREPARE p AS FROM duckdb_databases()", "COPY (FROM duckdb_databases()) TO STDOUT", "DECLARE c CURSOR WITH HOLD FOR FROM duckdb_databases()",
		"FROM duckdb_temporary_files()", "FROM duckdb_extensions()",
	}
	for _, user := range []string{"ann", "bob"} {
		conn := g.as(t, user)
		codes(t, conn, "42501", shown...)
		for _, sql := range []string{
			"SHOW DATABASES", "SELECT datname FROM pg_database", "SELECT pg_tablespace_location(oid) FROM pg_tablespace", "SHOW ALL", "SELECT * FROM pg_settings", "SELECT current_setting(name) FROM pg_settings",
			"SELECT current_setting('temp_' || 'directory')", "SELECT current_setting('data_directory', true)", "VALUES (current_setting('temp_' || 'directory'))", "SELECT 1 WHERE current_setting('temp_' || 'directory') <> ''",
		} {
			results, err := run(conn, sql)
			if err != nil && strings.Contains(err.Error(), dir) {
				t.Errorf("%s: %v", sql, err)
			}
			for _, r := range results {
				for _, row := range r.Rows {
					if text := string(bytes.Join(row, []byte("|"))); strings.Contains(text, dir) {
						t.Errorf("%s shows %s", sql, text)
					}
				}
			}
		}
	}
	codes(t, g.as(t, "ann"), "42501", "CREATE VIEW v AS FROM duckdb_databases()", "CREATE MACRO m() AS TABLE FROM duckdb_databases()", "CREATE MACRO m() AS current_setting('temp_directory')", "CREATE TABLE t AS FROM duckdb_databases()")
	codes(t, g.as(t, "ann"), "42501", "CREATE MACRO setting(n) AS current_setting(n)", "CREATE VIEW v AS SELECT current_setting('temp_' || 'directory')")
	mustRun(t, g.as(t, "ann"), "CREATE MACRO setting() AS current_setting('memory_limit')", "CREATE TABLE t (temp_directory VARCHAR)", "INSERT INTO t VALUES ('temp_directory')")
	mustRun(t, g.as(t, "root"), "SELECT path FROM duckdb_databases()", "SELECT current_setting('temp_directory')", "FROM duckdb_settings()", "PRAGMA database_list")
}
