package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	// What the text does not show, DuckDB refuses.
	codes(t, bob, "25006", "SET VARIABLE z = (SELECT n FROM counting)", "SET VARIABLE z = (SELECT counted())", "SELECT * FROM counting", "SELECT counted()", "BEGIN; SELECT * FROM counting", "SELECT 1; SELECT counted()",
		"EXPLAIN ANALYZE SELECT * FROM counting", "WITH a AS (SELECT * FROM counting) SELECT * FROM a")
	mustRun(t, bob, "PREPARE q AS SELECT * FROM counting")
	codes(t, bob, "25006", "EXECUTE q")
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
	} {
		for _, create := range []string{"CREATE MACRO ", "CREATE OR REPLACE FUNCTION ", "CREATE TEMP MACRO ", "CREATE MACRO IF NOT EXISTS ", "EXPLAIN ANALYZE CREATE MACRO ", "CREATE/**/MACRO/**/"} {
			codes(t, ann, "42501", create+name+" AS 42")
		}
		codes(t, g.as(t, "root"), "42501", "CREATE MACRO "+name+" AS TABLE SELECT 42")
	}
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

// TestBoundedFunctions: DuckDB gives some functions memory that it does not count.
func TestBoundedFunctions(t *testing.T) {
	g := serveGuarded(t)
	const long = "repeat('a', 5000), repeat('b', 5000)"
	codes(t, g.as(t, "ann"), "42501", "CREATE MACRO near(a, b) AS damerau_levenshtein(a, b)", "CREATE VIEW far AS SELECT damerau_levenshtein("+long+") AS d",
		"CREATE TABLE d (x VARCHAR, y INTEGER AS (damerau_levenshtein(x, x)))", "CREATE TABLE d (x BIGINT DEFAULT damerau_levenshtein("+long+"))")
	for _, user := range []string{"root", "ann", "bob"} {
		conn := g.as(t, user)
		codes(t, conn, "54000", "SELECT damerau_levenshtein("+long+")", "SELECT list_transform(['a'], lambda x: damerau_levenshtein("+long+"))")
		codes(t, conn, "42501", "SELECT main.damerau_levenshtein("+long+")", "SELECT system.main.\"damerau_levenshtein\"("+long+")", "SELECT repeat('a', 5000).damerau_levenshtein(repeat('b', 5000))")
		mustRun(t, conn, "SELECT damerau_levenshtein('abc', 'acb'), damerau_levenshtein(NULL, 'a'), damerau_levenshtein(x, 'ab') FROM (VALUES ('a')) t(x)")
	}
}
