//go:build !linux || duckdb_use_lib

package duckbackend

// disabledOptimizers are one that loses rows of groups on self-joins of one table, and one that
// filters what ORDER BY with LIMIT reads by what its result is joined with.
const disabledOptimizers = "common_subplan,join_filter_pushdown"
