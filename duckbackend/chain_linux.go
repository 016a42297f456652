//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb19ColumnRefExpressionC1ENS_6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEELb1ESaIS7_EEE
import "C"
