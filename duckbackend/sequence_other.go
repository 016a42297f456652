//go:build !linux || duckdb_use_lib

package duckbackend

// NotesDrawn: elsewhere, and with a DuckDB that is a library of its own, nobody knows who has
// drawn numbers.
const NotesDrawn = false

func (*Conn) takeDrawn() []uint64                { return nil }
func (*Conn) noteDrawn(uint64, int64) bool       { return true }
func lastDrawn() (int64, bool)                   { return 0, false }
func (*Conn) forgetNumbers()                     {}
func (*Conn) forgetDrawn()                       {}
func (*Conn) logging(func() error) (bool, error) { return true, nil }
