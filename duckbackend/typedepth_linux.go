//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb11LogicalType4LISTERKS0_
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb11LogicalType5ARRAYERKS0_NS_12optional_idxE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb11LogicalType3MAPERKS0_
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb11LogicalType3MAPES0_S0_
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb11LogicalType6STRUCTENS_6vectorISt4pairINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES0_ELb1ESaIS9_EEE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb11LogicalType5UNIONENS_6vectorISt4pairINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES0_ELb1ESaIS9_EEE
import "C"
