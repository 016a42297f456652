//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb6Binder4BindERNS_15InsertStatementE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb6Binder4BindERNS_8TableRefE
import "C"
