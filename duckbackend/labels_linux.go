//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb11LogicalType4ENUMERNS_6VectorEm
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb12EnumTypeInfo11DeserializeERNS_12DeserializerE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb12StringVector15AddStringOrBlobERNS_6VectorENS_8string_tE
import "C"
