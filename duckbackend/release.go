package duckbackend

import (
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// LibraryVersion is the release of DuckDB that is linked, such as "v1.5.6".
func LibraryVersion() string { return bindings.LibraryVersion() }

// isRelease1 reports whether a release of DuckDB 1 is linked, whose answers the tensor
// engine gives.
func isRelease1() bool { return strings.HasPrefix(LibraryVersion(), "v1.") }

// checkRelease is the error of a linked release whose objects do not lie in memory as those of the
// known one do; without a known one all are right.
func checkRelease(known, linked string) error {
	if known == "" || known == linked {
		return nil
	}
	return sqlerr.New(sqlerr.InternalError, "this program works inside DuckDB %s, and DuckDB %s is linked", known, linked).
		WithHint("Build it with the version of github.com/duckdb/duckdb-go-bindings that go.mod names, or with -tags duckdb_use_lib.")
}

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
