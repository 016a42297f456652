package engine

import (
	"slices"
	"strings"
	"testing"
)

// harmlessFunctions are DuckDB's table functions and pragmas that tell something of what
// everybody may see, or change the session alone, and cost no more than other statements.
// A function of a new release is looked at before it stands here; one with effects on
// others, on files or on the process is guarded.
var harmlessFunctions = strings.Fields(`
	duckdb_approx_database_count duckdb_columns duckdb_connection_count duckdb_constraints duckdb_coordinate_systems duckdb_databases
	duckdb_dependencies duckdb_extensions duckdb_external_file_cache duckdb_functions duckdb_indexes duckdb_keywords duckdb_log_contexts duckdb_logs
	duckdb_logs_parsed duckdb_memory duckdb_optimizers duckdb_prepared_statements duckdb_profiling_settings duckdb_schemas duckdb_secret_types
	duckdb_secrets duckdb_sequences duckdb_settings duckdb_table_sample duckdb_tables duckdb_temporary_files duckdb_types duckdb_variables duckdb_views
	pragma_collations pragma_database_size pragma_metadata_info pragma_platform pragma_show pragma_storage_info pragma_table_info pragma_user_agent
	pragma_version which_secret icu_calendar_names pg_timezone_names
	generate_series range repeat repeat_row unnest summary seq_scan json_each json_tree test_all_types test_vector_types
	collations database_list database_size extension_versions functions metadata_info platform show show_databases show_tables show_tables_expanded
	storage_info table_info user_agent version disable_optimizer enable_optimizer
	disable_print_progress_bar disable_progress_bar enable_print_progress_bar
	disable_verification disable_verify_external disable_verify_fetch_row disable_verify_parallelism disable_verify_serializer
	pg_stat_activity trireme_cache trireme_memberships trireme_queries trireme_roles`)

// volatileFunctions are scalar functions with effects, or answers of their own each time,
// that everybody may call.
var volatileFunctions = strings.Fields(`
	current_connection_id current_database current_date current_query current_query_id current_schema current_schemas current_transaction_id
	currval error gen_random_uuid get_current_time get_current_timestamp in_search_path now random setseed sleep_ms stats today
	transaction_timestamp txid_current uuid uuidv4 uuidv7`)

// guarded reports whether not everybody may use a function.
func guarded(name string) bool {
	return closedFunctions[name] || serverFunctions[name] || writingFunctions[name] || textFunctions[name] || fileFunctions[name] || nameFunctions[name]
}

// TestEveryFunctionWithEffectsIsGuarded looks at all functions that this release of DuckDB
// has.
func TestEveryFunctionWithEffectsIsGuarded(t *testing.T) {
	s := openSession(t, openEngine(t))
	const system = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE database_name = 'system' AND "
	for where, known := range map[string][]string{
		"function_type IN ('table', 'pragma', 'table_macro')":                          harmlessFunctions,
		"function_type = 'scalar' AND (has_side_effects OR stability <> 'CONSISTENT')": volatileFunctions,
	} {
		for _, name := range strings.Split(s.run(system+where), ";") {
			if !guarded(name) && !serverPragmas[name] && !isFixed(name) && !strings.HasPrefix(name, "trireme_") && !slices.Contains(known, name) {
				t.Errorf("function %s has not been looked at", name)
			}
		}
	}
}

// TestDefinitionsTellNothingOfOthers: what a plain role defines, and others evaluate, neither keeps the texts of
// their statements nor acts with their rights. An admin may define it.
func TestDefinitionsTellNothingOfOthers(t *testing.T) {
	w := openWatched(t, Config{})
	ann := w.session(t, SessionOptions{User: "ann", Role: "ann"})
	ann.t = t
	must(t, ann, "CREATE TABLE t (x INTEGER)", "CREATE SEQUENCE s")
	for _, sql := range []string{
		"CREATE TABLE u (x VARCHAR DEFAULT current_query())", "CREATE TABLE u (x VARCHAR DEFAULT upper(\"CURRENT_QUERY\"()))",
		"ALTER TABLE t ADD COLUMN y VARCHAR DEFAULT system.main.current_query()", "ALTER TABLE t ALTER COLUMN x SET DEFAULT length(current_query())",
		"CREATE TABLE u (x INTEGER, y VARCHAR GENERATED ALWAYS AS (current_query()))", "CREATE TABLE u (x INTEGER CHECK (current_query() <> 'a' OR x > 1))",
		"CREATE VIEW v AS SELECT current_query() AS q", "CREATE OR REPLACE MACRO m() AS current_query()", "CREATE MACRO m() AS TABLE SELECT current_query() AS q",
		"CREATE MACRO m() AS (SELECT q FROM query('SELECT current_query() AS q'))", "EXPLAIN ANALYZE CREATE VIEW v AS SELECT current_query() AS q",
		"CREATE INDEX i ON t ((length(current_query())))", "CREATE TABLE u (x INTEGER DEFAULT setval('s', 7))", "CREATE TABLE u (x BOOLEAN DEFAULT pg_terminate_backend(7))",
		"CREATE TABLE u (x INTEGER CHECK (write_log('a') IS NULL))",
	} {
		e := ann.wantError(sql, "42501")
		if e == nil || !strings.Contains(e.Message, "in a definition") || e.Offset < 0 {
			t.Errorf("%s: %+v", sql, e)
		}
	}
	must(t, ann, "CREATE TABLE u (x INTEGER DEFAULT nextval('s'))", "CREATE TABLE own AS SELECT current_query() AS q", "SELECT current_query(), setval('s', 9)")
	root := w.session(t, SessionOptions{User: "root"})
	must(t, root, "CREATE TABLE log (x INTEGER, q VARCHAR DEFAULT current_query())")
}
