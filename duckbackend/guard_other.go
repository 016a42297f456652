//go:build !linux || duckdb_use_lib

package duckbackend

import (
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// guard does nothing elsewhere, and with a DuckDB that is a library of its own: nobody is asked.
func (*Conn) guard(*DB) (release func(), err error) { return func() {}, nil }

func contextOf(bindings.ClientContext) unsafe.Pointer { return nil }
