//go:build !linux || duckdb_use_lib

package duckbackend

// disabledOptimizers are one that loses rows of groups on self-joins of one table, and one that
// filters what LIMIT and DISTINCT ON read by what their result is joined with.
const disabledOptimizers = "common_subplan,join_filter_pushdown"
