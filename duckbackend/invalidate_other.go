//go:build !linux || duckdb_use_lib

package duckbackend

// Elsewhere, and with a DuckDB that is a library of its own, some errors of binding end the
// transaction.
func binding(fn func() error) error { return fn() }
