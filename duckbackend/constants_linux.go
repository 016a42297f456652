//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZNK6duckdb14BaseExpression6EqualsERKS0_
import "C"
