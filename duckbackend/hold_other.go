//go:build !linux || duckdb_use_lib

package duckbackend

// HoldsCommits: elsewhere, and with a DuckDB that is a library of its own, nothing holds back
// the commit of what writes and returns rows. Who is told that one was cancelled may find what
// it has written.
const HoldsCommits = false

func (c *Conn) holding(_ int, fn func()) fate {
	fn()
	return fateUnknown
}
