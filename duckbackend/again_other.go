//go:build !linux || duckdb_use_lib

package duckbackend

// replans: elsewhere, and with a DuckDB that is a library of its own, nothing tells DuckDB that
// the data is not what it planned with, nor us what its plans are. So every execution
// has a plan of its own, made just before it: in the same transaction where there is one. In autocommit
// it can be of data from before, since DuckDB's C interface prepares in one transaction and executes
// in the next.
const replans = false

func writing(fn func() error) error { return fn() }

func planning(fn func() error) (once bool, err error) { return true, fn() }
