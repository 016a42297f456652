package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TestValuesOfPostgresFunctions: functions that DuckDB lacks, or has by another meaning.
func TestValuesOfPostgresFunctions(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE b (x BLOB, made TIMESTAMPTZ DEFAULT statement_timestamp())")
	for sql, want := range map[string]string{
		"SELECT decode('00ff', 'hex') AS x":                                                                                      "\x00\xff",
		"SELECT decode('AP8=', 'base64'), octet_length(decode('AP8=', 'BASE64'))":                                                "\x00\xff|2",
		"INSERT INTO b(x) VALUES (decode('00ff', 'hex')) RETURNING encode(x, 'hex'), octet_length(x), made <= clock_timestamp()": "00ff|2|1",
		"SELECT encode(sha256('abc'), 'hex')":                                                                                    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	} {
		s.want(sql, want)
	}
	s.run("BEGIN")
	first := s.run("SELECT now(), statement_timestamp()")
	s.want("SELECT statement_timestamp() > now(), clock_timestamp() >= statement_timestamp(), typeof(statement_timestamp()), typeof(clock_timestamp())",
		"1|1|TIMESTAMP WITH TIME ZONE|TIMESTAMP WITH TIME ZONE")
	s.want("SELECT count(DISTINCT statement_timestamp()) FROM range(100000)", "1")
	if again := s.run("SELECT now(), statement_timestamp()"); again == first {
		t.Errorf("the time of two statements of a transaction is %s", again)
	}
	s.run("COMMIT")
}

// TestNamesOfTheServerAreKept walks the names that statements find without anybody having
// made them: nobody's object takes one, since it would answer for them in the statements of
// all users.
func TestNamesOfTheServerAreKept(t *testing.T) {
	e := openConfig(t, Config{Version: "test", Confined: true})
	s := openSession(t, e)
	shown := func(sql string) []string { return strings.Split(s.run(sql), ";") }
	names := e.system.live.Supplied()
	for kind, list := range map[string]struct{ names, must []string }{
		"MACRO %() AS 42": {
			slices.Concat(names.Functions, shown("SELECT DISTINCT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE nspname = 'pg_catalog' AND prolang = 14")),
			strings.Fields(`pg_backend_pid hashtext to_date initcap width_bucket row_to_json jsonb_agg json_each_text string_to_table current_user
				einsum tensor pg_advisory_lock setval set_config pg_get_viewdef has_table_privilege pg_cancel_backend jsonb_path_query lastval`),
		},
		"TABLE % (a INTEGER)": {
			slices.Concat(names.Relations, shown("SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = 'pg_catalog'")),
			strings.Fields("pg_stat_activity pg_settings pg_locks pg_cursors pg_prepared_statements pg_class trireme_queries trireme_cache trireme_roles duckdb_tables sqlite_master"),
		},
		"VIEW % AS SELECT 42 AS a":        {names.Relations, strings.Fields("pg_stat_activity pg_settings trireme_queries duckdb_databases pragma_database_list")},
		"TYPE % AS ENUM ('a')":            {names.Types, strings.Fields("regclass oid jsonb json varchar")},
		"OR REPLACE TEMP MACRO %(a) AS a": {nil, strings.Fields("PG_Backend_PID hashtext")},
	} {
		for _, name := range append(list.names, list.must...) {
			sql := "CREATE " + strings.Replace(kind, "%", load.Quote(name), 1)
			if _, _, err := s.try(sql); err == nil || sqlerr.From(err).Code != insufficientPrivilege {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
	s.run("CREATE TABLE tables (a INTEGER)") // of information_schema, which is found by its schema only
	s.run("CREATE VIEW columns AS SELECT 1 AS a")
	s.run("CREATE TYPE point AS STRUCT(x DOUBLE, y DOUBLE)")
	s.run("CREATE MACRO _regclass(a) AS a")
	for _, sql := range []string{"ALTER TABLE tables RENAME TO pg_class", "ALTER VIEW columns RENAME TO pg_settings", "ALTER TABLE IF EXISTS main.tables RENAME TO \"Trireme_Queries\""} {
		if _, _, err := s.try(sql); err == nil || sqlerr.From(err).Code != insufficientPrivilege {
			t.Errorf("%s: %v", sql, err)
		}
	}
	s.run("ALTER TABLE tables RENAME TO t")
}
