//go:build !duckdb_use_lib

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// makeCatalogs makes the databases of Postgres' catalog, both of them.
func makeCatalogs(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	mustRun(t, conn, "SELECT count(*) FROM pg_class", "CREATE TEMP TABLE mine (x INTEGER)", "SELECT count(*) FROM pg_class", "DROP TABLE mine")
}

// state is a text of all that is in the databases.
func state(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	var all strings.Builder
	for _, sql := range []string{
		"SELECT database_name, readonly FROM system.main.duckdb_databases() ORDER BY ALL",
		"SELECT database_name, schema_name, comment FROM system.main.duckdb_schemas() ORDER BY ALL",
		"SELECT database_name, schema_name, table_name, column_count, comment FROM system.main.duckdb_tables() ORDER BY ALL",
		"SELECT database_name, schema_name, table_name, column_name, data_type, column_default, comment FROM system.main.duckdb_columns() WHERE NOT internal ORDER BY ALL",
		"SELECT database_name, schema_name, view_name, sql, comment FROM system.main.duckdb_views() WHERE NOT internal ORDER BY ALL",
		"SELECT database_name, schema_name, function_name, parameters, macro_definition, comment FROM system.main.duckdb_functions() WHERE NOT internal ORDER BY ALL",
		"SELECT database_name, schema_name, type_name FROM system.main.duckdb_types() WHERE NOT internal ORDER BY ALL",
		"SELECT database_name, schema_name, index_name FROM system.main.duckdb_indexes() ORDER BY ALL",
		"SELECT database_name, schema_name, sequence_name FROM system.main.duckdb_sequences() ORDER BY ALL",
		"SELECT * FROM trireme_pg.pg._system_column ORDER BY ALL",
		"SELECT * FROM trireme_pg_kept.pg._system_column ORDER BY ALL",
		"SELECT count(*), min(number) > 0 FROM trireme_pg_kept.main.filling",
	} {
		results, err := run(conn, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		for _, row := range results[0].Rows {
			fmt.Fprintf(&all, "%q\n", row)
		}
	}
	return all.String()
}

// craft makes a file as somebody does who has DuckDB.
func craft(t *testing.T, path, sql string) {
	t.Helper()
	if _, err := trireme(t, "", "query", "--db", path, sql); err != nil {
		t.Fatal(err)
	}
}

// changing are statements of every kind that DuckDB has for a change, on the database %[1]s.
var changing = []string{
	"INSERT INTO %[1]s.pg._system_column (schema_name) VALUES ('x')", "INSERT INTO %[1]s.pg._system_column BY NAME SELECT 'x' AS schema_name", "INSERT OR IGNORE INTO %[1]s.pg._system_column (schema_name) VALUES ('x')",
	"WITH q AS (SELECT 'x') INSERT INTO %[1]s.pg._system_column (schema_name) SELECT * FROM q RETURNING 1",
	"UPDATE %[1]s.pg._system_column SET schema_name = 'x'", "DELETE FROM %[1]s.pg._system_column", "DELETE FROM %[1]s.pg._system_column RETURNING *", "TRUNCATE %[1]s.pg._system_column",
	"MERGE INTO %[1]s.pg._system_column c USING (SELECT 1) s ON false WHEN NOT MATCHED THEN INSERT (schema_name) VALUES ('x')",
	"COPY %[1]s.pg._system_column FROM '/dev/null' (FORMAT csv)", "COPY FROM DATABASE memory TO %[1]s", "COPY FROM DATABASE memory TO %[1]s (SCHEMA)", "COPY FROM DATABASE memory TO %[1]s (DATA)",
	"CREATE TABLE %[1]s.pg.x (y INTEGER)", "CREATE TABLE %[1]s.pg.x AS SELECT 1 AS y", "CREATE OR REPLACE TABLE %[1]s.pg._system_column AS SELECT 1 AS y", "CREATE TABLE IF NOT EXISTS %[1]s.x (y INTEGER)",
	"CREATE VIEW %[1]s.pg.x AS SELECT 1 AS y", "CREATE OR REPLACE VIEW %[1]s.pg.pg_roles AS SELECT 1 AS y",
	"CREATE MACRO %[1]s.pg.x(a) AS a", "CREATE OR REPLACE MACRO %[1]s.pg._encode(a, b) AS a", "CREATE OR REPLACE FUNCTION %[1]s.pg._type_oid(a) AS TABLE SELECT a AS y",
	"CREATE TYPE %[1]s.pg.x AS ENUM ('y')", "CREATE SEQUENCE %[1]s.pg.x", "CREATE SCHEMA %[1]s.x", "CREATE SCHEMA IF NOT EXISTS %[1]s.x", "CREATE INDEX x ON %[1]s.pg._system_column (schema_name)",
	"ALTER TABLE %[1]s.pg._system_column ADD COLUMN x INTEGER", "ALTER TABLE %[1]s.pg._system_column RENAME TO x", "ALTER TABLE %[1]s.pg._system_column ADD COLUMN x INTEGER, RENAME TO y",
	"ALTER TABLE %[1]s.pg._system_column RENAME schema_name TO x", "ALTER TABLE %[1]s.pg._system_column ALTER schema_name SET DEFAULT 'x'", "ALTER TABLE %[1]s.pg._system_column DROP COLUMN schema_name",
	"ALTER VIEW %[1]s.pg.pg_roles RENAME TO x", "COMMENT ON TABLE %[1]s.pg._system_column IS 'x'", "COMMENT ON COLUMN %[1]s.pg._system_column.schema_name IS 'x'", "COMMENT ON VIEW %[1]s.pg.pg_roles IS 'x'",
	"COMMENT ON MACRO %[1]s.pg._type_oid IS 'x'",
	"DROP TABLE %[1]s.pg._system_column", "DROP VIEW %[1]s.pg.pg_roles", "DROP MACRO %[1]s.pg._type_oid", "DROP FUNCTION %[1]s.pg._type_oid", "DROP SCHEMA %[1]s.pg CASCADE", "DROP SCHEMA %[1]s.info CASCADE",
	"DROP TABLE IF EXISTS nosuch, %[1]s.pg._system_column", "DROP MACRO IF EXISTS nosuch, %[1]s.pg._type_oid", "DROP VIEW IF EXISTS nosuch, %[1]s.pg.pg_roles", "DROP SCHEMA IF EXISTS nosuch, %[1]s.pg CASCADE",
	"ATTACH ':memory:' AS %[1]s", "ATTACH OR REPLACE ':memory:' AS %[1]s", "DETACH %[1]s", "DETACH DATABASE IF EXISTS %[1]s", "DROP DATABASE %[1]s", "ALTER DATABASE %[1]s SET ALIAS TO x", "ALTER DATABASE %[1]s RENAME TO x",
	"ATTACH ':memory:' AS \"%[1]S\"", "ALTER DATABASE memory SET ALIAS TO %[1]s",
}

// harmless are statements that change nothing of a database, whatever they say.
var harmless = []string{
	"ANALYZE %[1]s.pg._system_column", "VACUUM %[1]s.pg._system_column", "CHECKPOINT %[1]s", "ATTACH IF NOT EXISTS ':memory:' AS %[1]s", "PRAGMA table_info('%[1]s.pg._system_column')", "CALL pragma_table_info('%[1]s.pg._system_column')",
	"SELECT nextval('%[1]s.pg.nosuch')", "SET VARIABLE x = (SELECT count(*) FROM %[1]s.pg._system_column)", "DESCRIBE %[1]s.pg._system_column", "LOAD json", "UPDATE EXTENSIONS", "PRAGMA copy_database('memory', '%[1]s')",
	"EXPORT DATABASE %[1]s TO '/tmp/nosuch/x'", "IMPORT DATABASE '/tmp/nosuch/x'", "SELECT 1 INTO %[1]s.pg.x", "EXECUTE nosuch", "CALL checkpoint(%[1]s)", "DROP SECRET IF EXISTS %[1]s",
}

// frames are statements with another one in them.
var frames = []string{
	"EXPLAIN ANALYZE %s", "EXPLAIN (ANALYZE, FORMAT json) %s", "SELECT 1; %s", "BEGIN; SELECT 1; EXPLAIN ANALYZE %s; COMMIT", "COPY (%s) TO STDOUT", "WITH q AS (%s) SELECT * FROM q", "SELECT * FROM (%s)",
	"PREPARE n AS %s; EXECUTE n; DEALLOCATE n", "PREPARE m AS EXPLAIN ANALYZE %s; EXECUTE m; DEALLOCATE m", "DECLARE c CURSOR WITH HOLD FOR %s; FETCH ALL FROM c; CLOSE c",
}

// The databases of the server are nobody's, whatever statement would change them.
func TestCatalogsOfTheServerAreKept(t *testing.T) {
	g := serveGuarded(t)
	makeCatalogs(t, g.as(t, "root"))
	t.Run("in other statements", func(t *testing.T) { changeWithin(t, g.as(t, "root"), g.as(t, "root")) })
	for _, name := range []string{"ann", "root"} {
		t.Run("by "+name, func(t *testing.T) { changeBy(t, g.as(t, name)) })
	}
	mustRun(t, g.as(t, "bob"), "SELECT count(*) FROM pg_class", "SELECT * FROM pg_settings")
}

// changeWithin tries each statement, by itself and within others; user is a session whose
// names are those of the databases.
func changeWithin(t *testing.T, root, user *pgx.Conn) {
	want := state(t, root)
	for database, frames := range map[string][]string{"trireme_pg": frames[:1], "trireme_pg_kept": frames} {
		for i, text := range append(changing, harmless...) {
			sql := fmt.Sprintf(strings.ReplaceAll(text, "%[1]S", strings.ToUpper(database)), database)
			if _, err := run(root, sql); err == nil && i < len(changing) {
				t.Errorf("%s: no error", sql)
			}
			for _, frame := range frames {
				_, _ = run(root, fmt.Sprintf(frame, sql))
				mustRun(t, root, "ROLLBACK")
			}
			mustRun(t, user, "USE "+database+".pg")
			for _, frame := range []string{"%s", "EXPLAIN ANALYZE %s"} {
				_, _ = run(user, fmt.Sprintf(frame, strings.ReplaceAll(sql, database+".pg.", "")))
			}
		}
		if got := state(t, root); got != want {
			t.Fatalf("one of the statements changes %s to\n%s", database, got)
		}
	}
}

// changeBy tries what the text of a statement does not show.
func changeBy(t *testing.T, conn *pgx.Conn) {
	codes(t, conn, "42501",
		"EXPLAIN ANALYZE CREATE OR REPLACE MACRO trireme_pg_kept.pg._encode(a, b) AS (SELECT 1)", "EXPLAIN ANALYZE CREATE SCHEMA trireme_pg.x", "EXPLAIN ANALYZE CREATE SEQUENCE trireme_pg_kept.pg.x",
		"DROP MACRO IF EXISTS nosuch, trireme_pg_kept.pg._type_oid", "COPY FROM DATABASE trireme_pg_kept TO trireme (SCHEMA)", "COPY FROM DATABASE trireme_pg TO trireme", "COPY FROM DATABASE memory TO trireme_pg_kept",
		"USE trireme_pg_kept; CREATE TABLE pg.x (y INTEGER)", "USE trireme_pg_kept.pg; EXPLAIN ANALYZE CREATE MACRO x() AS 1", "ALTER DATABASE x SET ALIAS TO trireme_pg_kept", "ATTACH ':memory:' AS \"TRIREME_PG\"",
	)
	// With parameters, which DuckDB binds as it executes.
	ctx := context.Background()
	for _, sql := range []string{"DELETE FROM trireme_pg_kept.main.filling WHERE number >= $1", "INSERT INTO trireme_pg_kept.main.filling VALUES ($1::INTEGER)"} {
		_, err := conn.Exec(ctx, sql, 0)
		wantCode(t, err, "42501")
		_, err = conn.Exec(ctx, "PREPARE dn AS "+strings.Replace(sql, "$1", "$n", 1))
		if err == nil {
			_, err = conn.Exec(ctx, "EXECUTE dn(n := 0)")
		}
		wantCode(t, err, "42501")
		mustRun(t, conn, "DEALLOCATE ALL")
	}
	_, err := conn.PgConn().CopyFrom(ctx, strings.NewReader("99\n"), "COPY trireme_pg_kept.main.filling FROM STDIN")
	wantCode(t, err, "42501")
	codes(t, conn, "55006", "ATTACH OR REPLACE ':memory:' AS \"SYSTEM\"", "DETACH DATABASE IF EXISTS memory")
}

// A name that everybody finds is nobody's, whatever statement would take it.
func TestNamesOfTheServerCannotBeTaken(t *testing.T) {
	dir := t.TempDir()
	g := serveGuarded(t, "--allow-files", dir)
	for _, user := range []string{"ann", "root"} {
		conn := g.as(t, user)
		crafted := filepath.Join(dir, user+".db")
		mustRun(t, conn, "CREATE TABLE own (x INTEGER)", "CREATE VIEW seen AS SELECT 1 AS x")
		codes(t, conn, "42501",
			"ALTER TABLE own ADD COLUMN z INTEGER, RENAME TO pg_class", "ALTER TABLE own RENAME TO pg_class", "ALTER VIEW seen RENAME TO pg_settings", "ALTER TABLE own ADD COLUMN z INTEGER DEFAULT (1 + 2), RENAME TO \"Pg_Class\"",
			"EXPLAIN ANALYZE CREATE MACRO lower(a) AS 42", "EXPLAIN ANALYZE CREATE TABLE pg_class AS SELECT 1 AS x", "BEGIN; EXPLAIN ANALYZE CREATE VIEW pg_stat_activity AS SELECT 1 AS x", "EXPLAIN ANALYZE CREATE TYPE regclass AS ENUM ('a')",
			"CREATE SCHEMA trireme", "EXPLAIN ANALYZE CREATE SCHEMA \"Trireme\"", "CREATE SCHEMA IF NOT EXISTS system",
		)
		codes(t, conn, "42P06", "EXPLAIN ANALYZE CREATE SCHEMA public")
		craft(t, crafted, "CREATE MACRO lower(a) AS 'mine'; CREATE VIEW pg_stat_activity AS SELECT 1 AS x")
		mustRun(t, conn, "ATTACH '"+crafted+"' AS c")
		codes(t, conn, "42501", "COPY FROM DATABASE c TO trireme", "COPY FROM DATABASE c TO trireme (SCHEMA)", "BEGIN; COPY FROM DATABASE c TO trireme; COMMIT")
		craft(t, filepath.Join(dir, user+"2.db"), "CREATE TABLE copied AS SELECT 1 AS x; CREATE MACRO twice(a) AS 2 * a")
		mustRun(t, conn, "ATTACH '"+filepath.Join(dir, user+"2.db")+"' AS d", "COPY FROM DATABASE d TO trireme", "SELECT twice(x) FROM trireme.copied", "DROP TABLE copied", "DROP MACRO twice", "DETACH d")
		mustRun(t, conn, "DETACH c", "DROP TABLE own", "DROP VIEW seen")
		// A file that would have the name of one of the server's.
		craft(t, filepath.Join(dir, "trireme_pg.db"), "CREATE TABLE IF NOT EXISTS t (x INTEGER)")
		codes(t, conn, "42501", "ATTACH '"+filepath.Join(dir, "trireme_pg.db")+"'", "ATTACH IF NOT EXISTS '"+filepath.Join(dir, "trireme_pg.db")+"'")
		mustRun(t, conn, "SELECT lower('A')", "SELECT count(*) FROM pg_stat_activity", "SELECT count(*) FROM pg_class")
	}
}
