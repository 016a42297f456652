//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb15DatabaseManager18GetDefaultDatabaseB5cxx11ERNS_13ClientContextE
import "C"
