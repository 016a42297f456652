package duckbackend

import (
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// LibraryVersion is the release of DuckDB that is linked, such as "v1.5.6".
func LibraryVersion() string { return bindings.LibraryVersion() }

// isRelease1 reports whether a release of DuckDB 1 is linked, whose answers the tensor
// engine gives.
func isRelease1() bool { return strings.HasPrefix(LibraryVersion(), "v1.") }

// DifferingFunctions are the functions, operators and aggregates that have another
// meaning in the linked release than in release 1. TestDifferingFunctions says which.
func DifferingFunctions() []string {
	if isRelease1() {
		return nil
	}
	return []string{
		"sqrt", "ln", "log", "log10", "log2", "acos", "asin", "cot", "lgamma",
		"%", "mod", "//", "divide",
		"~", "!~",
		"stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp", "covar_pop", "covar_samp", "corr",
		"regr_count", "approx_count_distinct",
	}
}
