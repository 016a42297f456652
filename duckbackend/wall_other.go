//go:build !linux || duckdb_use_lib

package duckbackend

// behind: elsewhere, and with a DuckDB that is a library of its own, there is no wall.
func (w *Wall) behind(fn func() error) error { return fn() }
