//go:build !linux || duckdb_use_lib

package duckbackend

import (
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Elsewhere, and with a DuckDB that is a library of its own, no wall stands.

type wallTexts struct{}

func (*Wall) inC()                                    {}
func (c *Conn) wallFor(*Wall)                         {}
func contextOf(bindings.ClientContext) unsafe.Pointer { return nil }
