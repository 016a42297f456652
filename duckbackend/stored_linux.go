//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb21CatalogEntryRetriever8GetEntryERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_RKNS_15EntryLookupInfoENS_15OnEntryNotFoundE
import "C"
