//go:build !linux || duckdb_use_lib

package duckbackend

// knownRelease: elsewhere, and with a DuckDB that is a library of its own, nothing is known of its inside.
const knownRelease = ""
