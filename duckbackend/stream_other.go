//go:build !linux || duckdb_use_lib

package duckbackend

// streamsBeforeEnd: elsewhere, and with a DuckDB that is a library of its own, some streams whose
// rows do not fit in their buffer wait for ever (stream_linux.c).
const streamsBeforeEnd = false

func (c *Conn) streaming(fn func()) { fn() }
