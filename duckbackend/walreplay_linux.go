//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb18BufferedFileReaderC1ERNS_10FileSystemENS_10unique_ptrINS_10FileHandleESt14default_deleteIS4_ELb1EEE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb18BufferedFileReader5ResetEv
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb7Catalog10CreateTypeERNS_13ClientContextERNS_14CreateTypeInfoE
import "C"

// ReplaysTypes is set where a database can be opened whose log has types of schemas that it
// makes.
const ReplaysTypes = true
