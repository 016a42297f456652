//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb9Exception19InvalidatesDatabaseENS_13ExceptionTypeE
import "C"
