package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serveWritten serves a database that DuckDB has written by itself, with the users of
// serveGuarded.
func serveWritten(t *testing.T, statements ...string) guarded {
	t.Helper()
	plain := filepath.Join(t.TempDir(), "x.db")
	writePlain(t, plain, statements...)
	for name, role := range map[string]string{"root": "trireme_admin", "ann": "", "bob": "trireme_read_only"} {
		args := []string{"user", "add", name, "--db", plain}
		if role != "" {
			args = append(args, "--role", role)
		}
		if out, err := trireme(t, name+"-pw\n", args...); err != nil {
			t.Fatal(out, err)
		}
	}
	return guarded{db: plain, address: serve(t, "--db", plain, "--auth", "scram")}
}

// Ways to a relation, %[1]s, or to the view or macro of it, whose name %[2]s computes.
var readingWays = []string{
	"FROM %[1]s", "SELECT * FROM %[1]s AS a", "SELECT count(*) FROM (FROM %[1]s)", "WITH a AS (FROM %[1]s) FROM a", "SELECT (SELECT count(*) FROM %[1]s)", "SELECT 1 WHERE EXISTS (FROM %[1]s)",
	"FROM t, %[1]s", "FROM t LEFT JOIN LATERAL (FROM %[1]s) ON true", "SELECT * FROM t UNION ALL BY NAME FROM %[1]s", "VALUES ((SELECT count(*) FROM %[1]s))", "SELECT x FROM t LIMIT (SELECT count(*) FROM %[1]s)",
	"EXPLAIN FROM %[1]s", "EXPLAIN ANALYZE FROM %[1]s", "DESCRIBE FROM %[1]s", "SUMMARIZE FROM %[1]s", "SELECT * FROM (SUMMARIZE FROM %[1]s)", "PIVOT (FROM %[1]s) ON z IN (1)", "UNPIVOT (FROM %[1]s) ON COLUMNS(*)",
	"COPY (FROM %[1]s) TO STDOUT", "DECLARE c CURSOR WITH HOLD FOR FROM %[1]s", "BEGIN; DECLARE c CURSOR FOR FROM %[1]s; FETCH ALL FROM c", "PREPARE p AS FROM %[1]s", "SET VARIABLE v = (SELECT count(*) FROM %[1]s)",
	"BEGIN; FROM t; FROM %[1]s", "SELECT a.x, count(*) FROM t a, t b, %[1]s GROUP BY a.x",
}

var computedWays = []string{
	"FROM histogram_values(%[2]s, z)", "FROM histogram(%[2]s, z)", "SET VARIABLE n = %[2]s; FROM histogram_values(getvariable('n'), z)", "SELECT (SELECT count(*) FROM histogram_values(%[2]s, z))",
	"PREPARE h AS FROM histogram_values(%[2]s, z)", "FROM query_table(%[2]s)", "FROM query('FROM ' || %[2]s)",
}

var writingWays = []string{
	"CREATE TABLE q AS FROM %[1]s", "CREATE VIEW q AS FROM %[1]s", "EXPLAIN ANALYZE CREATE TABLE q AS FROM %[1]s", "INSERT INTO t SELECT 1 FROM %[1]s", "UPDATE t SET x = (SELECT count(*) FROM %[1]s)", "DELETE FROM t USING %[1]s",
	"MERGE INTO t USING (SELECT 1 AS z FROM %[1]s) s ON false WHEN NOT MATCHED THEN INSERT VALUES (1)", "CREATE TYPE e AS ENUM (SELECT 'a' FROM %[1]s)",
}

// TestEveryWayToEveryFunction goes to the functions that not everybody may call, to each by a
// quarter of all ways: by their names, and by the views and macros over them of a database at
// which no server has looked.
func TestEveryWayToEveryFunction(t *testing.T) {
	dir := t.TempDir()
	file, parquet := filepath.Join(dir, "a.csv"), filepath.Join(dir, "a.parquet")
	if err := os.WriteFile(file, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	everybody := []string{"enable_logging()", "enable_peg_parser()", "sql_auto_complete('S')", "glob('%s')", "'%s'", "sniff_csv('%s')"}
	for _, name := range []string{"csv", "csv_auto", "text", "blob"} {
		everybody = append(everybody, "read_"+name+"('%s')")
	}
	for i := range everybody {
		everybody[i] = strings.ReplaceAll(everybody[i], "%s", file)
	}
	for _, name := range []string{"parquet_scan", "read_parquet", "parquet_schema", "parquet_metadata", "parquet_file_metadata", "parquet_kv_metadata", "parquet_full_metadata"} {
		everybody = append(everybody, name+"('"+parquet+"')")
	}
	others := []string{"force_checkpoint()", "disable_logging()", "truncate_duckdb_logs()", "disable_profiling()", "duckdb_logs()", "duckdb_logs", "duckdb_logs_parsed('QueryLog')", "duckdb_log_contexts()", "duckdb_extensions()", "duckdb_temporary_files()", "duckdb_external_file_cache()", "duckdb_secrets()"}
	readers := []string{"checkpoint()", "(SELECT write_log('x') AS z)", "(SELECT nextval('sq') AS z)"}
	functions := append(append(append([]string{}, everybody...), others...), readers...)
	made := []string{"CREATE TABLE t (x INTEGER)", "CREATE SEQUENCE sq", "COPY (SELECT 1 AS a) TO '" + parquet + "'", "CREATE SCHEMA other"}
	for i, f := range functions {
		made = append(made, fmt.Sprintf("CREATE VIEW v%d AS SELECT * FROM %s", i, f), fmt.Sprintf("CREATE VIEW other.w%d AS FROM v%d", i, i),
			fmt.Sprintf("CREATE MACRO m%d() AS TABLE FROM %s", i, f), fmt.Sprintf("CREATE MACRO n%d() AS TABLE FROM m%d()", i, i))
	}
	g := serveWritten(t, made...)
	for user, denied := range map[string]int{"root": len(everybody), "ann": len(everybody) + len(others), "bob": len(functions)} {
		conn := g.as(t, user)
		ways := append(append([]string{}, readingWays...), computedWays...)
		if user != "bob" {
			ways = append(ways, writingWays...)
		}
		for i, f := range functions[:denied] {
			names := []string{f, fmt.Sprint("v", i), fmt.Sprint("other.w", i), fmt.Sprintf("m%d()", i), fmt.Sprintf("n%d()", i)}
			for n := i % 4; n < len(ways); n += 4 {
				codes(t, conn, "42501", fmt.Sprintf(ways[n]+"%.0[1]s%.0[2]s", names[(n/4+i)%len(names)], fmt.Sprintf("'v' || '%d'", i)))
			}
		}
		mustRun(t, conn, "FROM t", "SELECT * FROM information_schema.columns", "SELECT count(*) FROM pg_attribute", "SELECT count(*) FROM duckdb_columns()")
	}
}

// TestEveryWayToASetting puts an expression that tells a path wherever an expression may be.
func TestEveryWayToASetting(t *testing.T) {
	const path = "current_setting('temp_' || 'directory')"
	g := serveWritten(t, "CREATE TABLE t (x INTEGER)", "INSERT INTO t VALUES (1)", "CREATE MACRO m() AS "+path, "CREATE MACRO n(a) AS concat(m(), a)",
		"CREATE TABLE d (x INTEGER, s VARCHAR DEFAULT "+path+")", "CREATE TABLE k (x INTEGER, CHECK (x::VARCHAR <> "+path+"))", "CREATE TABLE gc (x INTEGER, s VARCHAR AS (concat(x, "+path+")))", "INSERT INTO gc VALUES (1)")
	ann := g.as(t, "ann")
	codes(t, ann, "42501", "INSERT INTO d (x) VALUES (1) RETURNING s", "INSERT INTO d VALUES (1, DEFAULT)", "INSERT INTO k VALUES (1)", "SELECT s FROM gc", "SELECT m()", "SELECT n('x')", "SELECT list_transform([1], lambda i: n(i))",
		"MERGE INTO d USING (SELECT m() AS s) q ON false WHEN NOT MATCHED THEN INSERT VALUES (1, q.s)", "UPDATE d SET s = m()", "DELETE FROM d WHERE s = m()", "SELECT x FROM t ORDER BY m()", "SELECT count(*) FILTER (m() <> '') FROM t",
		"SELECT sum(x) OVER (PARTITION BY m()) FROM t", "SELECT x FROM t GROUP BY x HAVING m() <> ''", "ALTER TABLE t ADD COLUMN y VARCHAR DEFAULT m()", "ALTER TABLE t ALTER x TYPE VARCHAR USING m()",
		"CREATE TABLE e (x INTEGER, s VARCHAR DEFAULT m()); INSERT INTO e (x) VALUES (1)", "CREATE TABLE f (x INTEGER, s VARCHAR AS (n(x)))", "SELECT * FROM range(length(m()))", "COPY (SELECT m()) TO STDOUT", "SELECT TRY(m())", "SELECT a.x FROM t a, t b WHERE m() = '' USING SAMPLE 1")
	codes(t, ann, "42P17", "CREATE INDEX i ON t ((concat(x, m())))")
	hides(t, ann, filepath.Dir(g.db), "SELECT * FROM d", "SELECT * FROM t", "PREPARE p AS SELECT $1; EXECUTE p(m())", "SET VARIABLE v = m(); SELECT getvariable('v')", "CALL range(length(m()))")
}
