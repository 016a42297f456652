//go:build !linux || duckdb_use_lib

package duckbackend

// disabledOptimizers are one that filters what LIMIT and DISTINCT ON read by what their result is
// joined with, and with release 1 one that loses rows of groups on self-joins of one table and one
// after which EXISTS finds no row where its subquery compares by <> and by <.
func disabledOptimizers() string {
	if isRelease1() {
		return "join_filter_pushdown,common_subplan,deliminator"
	}
	return "join_filter_pushdown"
}
