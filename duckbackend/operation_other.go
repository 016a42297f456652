//go:build !linux || duckdb_use_lib

package duckbackend

import bindings "github.com/duckdb/duckdb-go-bindings"

// replacesFunctions: elsewhere, and with a DuckDB that is a library of its own, all
// functions are its own: its letters are not known, nor how its functions look.
const replacesFunctions = false

func appendLower(out, text []byte) []byte          { return append(out, text...) }
func pushCollations(bindings.ScalarFunction) error { return nil }
