package engine

import (
	"maps"
	"slices"
	"strings"
)

// settingEffect is what a setting of DuckDB's may change in the answer of a
// SELECT over tables.
type settingEffect uint8

const (
	// meaningEffect: what statements mean, which names and types they have, or
	// whether they are errors. A setting that is not in the table has it.
	meaningEffect settingEffect = iota
	// noEffect: how DuckDB works, where it reads and writes files, what it logs.
	noEffect
	// zoneEffect: values that are made from or of times with a zone.
	zoneEffect
	// orderEffect: an ORDER BY that does not say everything.
	orderEffect
	// pathEffect: which tables names mean.
	pathEffect
)

// settingEffects is the table of all settings that duckdb_settings() lists, of both
// releases that Trireme is built with.
var settingEffects = indexEffects(map[settingEffect][]string{
	zoneEffect:  {"TimeZone"},
	pathEffect:  {"schema", "search_path"},
	orderEffect: {"default_null_order", "null_order", "default_order"},
	meaningEffect: {
		"Calendar", "access_mode", "allow_parser_override_extension", "current_transaction_invalidation_policy",
		"debug_force_no_cross_product", "default_collation", "deprecated_using_key_syntax", "disable_timestamptz_casts",
		"disabled_optimizers", "ieee_floating_point_ops", "ignore_unknown_crs", "integer_division", "lambda_syntax",
		"max_expression_depth", "old_implicit_casting", "order_by_non_integer_literal", "pivot_limit", "preserve_identifier_case",
		"scalar_subquery_error_on_multiple_rows", "warnings_as_errors",
		// Of release 2.
		"active_grammar_extensions", "current_dialect", "default_transaction_invalidation_policy", "dialect_compatibility_mode",
		"error_on_division_by_zero", "json_geometry_format", "legacy_disable_null_type", "max_execution_time",
		"regex_match_operator_semantics", "show_behavior", "table_function_identifier_conversion",
	},
	noEffect: {
		// How much, how fast, in which way.
		"allocator_background_threads", "allocator_bulk_deallocation_flush_threshold", "allocator_flush_threshold",
		"asof_loop_join_threshold", "block_allocator_memory", "debug_asof_iejoin", "debug_eviction_queue_sleep_micro_seconds",
		"debug_force_external", "debug_physical_table_scan_execution_strategy", "debug_verify_vector", "debug_window_mode",
		"dynamic_or_filter_threshold", "enable_caching_operators", "enable_fsst_vectors", "enable_object_cache", "external_threads",
		"immediate_transaction_mode", "index_scan_max_count", "index_scan_percentage", "late_materialization_max_rows",
		"max_memory", "max_temp_directory_size", "memory_limit", "merge_join_threshold", "nested_loop_join_threshold",
		"ordered_aggregate_threshold", "perfect_ht_threshold", "pin_threads", "pivot_filter_threshold", "prefer_range_joins",
		"scheduler_process_partial", "storage_block_prefetch", "streaming_buffer_size", "temp_directory", "temp_file_encryption",
		"threads", "worker_threads",
		// In which order rows come that nobody ordered.
		"preserve_insertion_order",
		// What the database file is like, and when it is written.
		"__delta_only_variant_encoding_enabled", "auto_checkpoint_skip_wal_threshold", "checkpoint_threshold",
		"debug_checkpoint_abort", "debug_checkpoint_scan_sleep_ms", "debug_checkpoint_sleep_ms", "debug_skip_checkpoint_on_commit", "debug_verify_blocks",
		"default_block_size", "disable_database_invalidation", "disabled_compression_methods", "experimental_metadata_reuse",
		"force_bitpacking_mode", "force_column_metadata_reuse", "force_compression", "force_variant_shredding",
		"geometry_minimum_shredding_size", "max_vacuum_tasks", "storage_compatibility_version", "vacuum_rebuild_indexes",
		"variant_minimum_shredding_size", "wal_autocheckpoint", "wal_autocheckpoint_entries", "enable_optimistic_write", "write_buffer_row_group_count",
		"write_buffer_row_group_memory_limit", "zstd_min_string_length",
		// Files beside it, extensions, secrets, the network.
		"allow_community_extensions", "allow_extensions_metadata_mismatch", "allow_persistent_secrets", "allow_unredacted_secrets",
		"allow_unsigned_extensions", "allowed_configs", "allowed_directories", "allowed_paths", "autoinstall_extension_repository",
		"autoinstall_known_extensions", "autoload_known_extensions", "binary_as_string", "custom_extension_repository",
		"custom_user_agent", "default_secret_storage", "disable_parquet_prefetching", "disabled_filesystems", "duckdb_api",
		"enable_external_access", "enable_external_file_cache", "enable_geoparquet_conversion", "enable_http_metadata_cache",
		"extension_directories", "extension_directory", "file_search_path", "force_mbedtls_unsafe", "home_directory", "http_proxy",
		"http_proxy_password", "http_proxy_username", "lock_configuration", "parquet_metadata_cache",
		"partitioned_write_flush_threshold", "partitioned_write_max_open_files", "password", "prefetch_all_parquet_files",
		"secret_directory", "user", "username", "validate_external_file_cache",
		// What is kept of dependencies, logged, measured and shown; Arrow.
		"arrow_large_buffer_size", "arrow_lossless_conversion", "arrow_output_list_view", "arrow_output_version",
		"catalog_error_max_schemas", "custom_profiling_settings", "disabled_log_types", "enable_http_logging", "enable_logging",
		"enable_macro_dependencies", "enable_profiling", "enable_progress_bar", "enable_progress_bar_print",
		"enable_view_dependencies", "enabled_log_types", "errors_as_json", "explain_output", "http_logging_output",
		"log_query_path", "logging_level", "logging_mode", "logging_storage", "produce_arrow_string_view", "profile_output",
		"profiling_coverage", "profiling_mode", "profiling_output", "progress_bar_time",
		// Of release 2.
		"allow_extension_repositories", "approximate_join_order_threshold", "async_threads", "cache_local_files", "checkpoint_on_detach",
		"delim_join_as_cte", "enable_optimizer", "extension_repository_directory", "external_file_cache_local_max_block_size",
		"external_file_cache_remote_max_block_size", "external_file_cache_remote_min_block_size", "external_file_cache_request_sizing",
		"external_file_cache_spill", "fsync_mode", "http_client_pool_capacity", "initial_column_segment_size", "max_streaming_buffer_size",
		"operator_memory_limit", "parquet_prefetch_column_gap", "profiling_renderer_settings", "read_ahead_depth", "redact_http_logs",
		"standard_vector_size", "tracked_metrics",
	},
})

func indexEffects(lists map[settingEffect][]string) map[string]settingEffect {
	index := map[string]settingEffect{}
	for effect, names := range lists {
		for _, name := range names {
			index[name] = effect
		}
	}
	return index
}

// difference is what settings of DuckDB that differ from a new session's may
// change.
type difference struct {
	// meaning and order list names of settings, with commas; empty: none.
	meaning, order string
	zone           string // empty: the engine's
	otherPath      bool   // names mean other tables
}

// compareSettings says in what the settings of a connection differ from those of
// a new one.
func compareSettings(baseline, now map[string]string) difference {
	var d difference
	var meaning, order []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if now[name] == baseline[name] {
			continue
		}
		switch settingEffects[name] {
		case meaningEffect:
			meaning = append(meaning, name)
		case orderEffect:
			order = append(order, name)
		case zoneEffect:
			d.zone = now[name]
		case pathEffect:
			d.otherPath = true
		case noEffect:
		}
	}
	d.meaning, d.order = strings.Join(meaning, ", "), strings.Join(order, ", ")
	return d
}
