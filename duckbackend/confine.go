package duckbackend

import (
	"context"
	"strings"
)

// keptSettings are what SET may change in a confined instance, of any release: how
// statements are read, shown and executed. Everything else is locked, because it
// names files and addresses, loads code, opens what is closed, lets a statement end
// the process (max_expression_depth), or draws on its standard output (a progress bar).
var keptSettings = []string{
	"allocator_background_threads", "allocator_bulk_deallocation_flush_threshold", "allocator_flush_threshold",
	"asof_loop_join_threshold", "binary_as_string", "calendar", "catalog_error_max_schemas", "checkpoint_threshold",
	"current_transaction_invalidation_policy", // DuckDB sets it where ADD COLUMN has an expression as DEFAULT
	"default_collation", "default_null_order", "default_order", "deprecated_using_key_syntax", "disable_timestamptz_casts",
	"disabled_optimizers", "dynamic_or_filter_threshold", "enable_caching_operators", "enable_external_file_cache",
	"enable_object_cache", "errors_as_json", "explain_output",
	"external_threads", "ieee_floating_point_ops", "ignore_unknown_crs", "immediate_transaction_mode",
	"index_scan_max_count", "index_scan_percentage", "integer_division", "lambda_syntax", "late_materialization_max_rows",
	"max_memory", "max_temp_directory_size", "memory_limit", "merge_join_threshold",
	"nested_loop_join_threshold", "null_order", "old_implicit_casting", "order_by_non_integer_literal",
	"ordered_aggregate_threshold", "partitioned_write_flush_threshold", "partitioned_write_max_open_files",
	"perfect_ht_threshold", "pivot_filter_threshold", "pivot_limit", "prefer_range_joins", "preserve_identifier_case",
	"preserve_insertion_order", "scalar_subquery_error_on_multiple_rows", "schema", "search_path",
	"streaming_buffer_size", "threads", "TimeZone", "wal_autocheckpoint", "worker_threads", "zstd_min_string_length",
}

// confine closes the file system and the network to SQL, but for the directories
// given, and locks the settings that would open them. What DuckDB itself needs,
// the attached database with its log and the directory for spilling, stays open
// to it.
func (db *DB) confine(ctx context.Context, directories []string) error {
	conn, err := db.connect()
	if err != nil {
		return err
	}
	err = conn.Exec(ctx, "SET allowed_directories = "+textList(directories)+`;
		SET autoload_known_extensions = false;
		SET autoinstall_known_extensions = false;
		SET allow_community_extensions = false;
		SET allow_persistent_secrets = false;
		SET enable_external_access = false;
		SET VARIABLE kept = (SELECT list(name) FROM duckdb_settings() WHERE lower(name) IN (SELECT lower(unnest(`+textList(keptSettings)+`))));
		SET allowed_configs = getvariable('kept');
		SET lock_configuration = true`)
	if cerr := conn.Close(); err == nil {
		err = cerr
	}
	return err
}

// textList is a list of texts in SQL.
func textList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = quoteText(item)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// hintClosed explains an error of a confined instance.
const hintClosed = "This server keeps SQL away from files and the network. Its operator can open directories: serve --allow-files DIR."

// isClosed reports whether an error says that the instance is confined.
func isClosed(message string) bool {
	return strings.Contains(message, "disabled by configuration") || strings.Contains(message, "disabled through configuration")
}

// isLocked reports whether an error says that a setting is locked.
func isLocked(message string) bool {
	return strings.Contains(message, "the configuration has been locked")
}
