//go:build !linux || duckdb_use_lib

package duckbackend

// ReplaysTypes is set where a database can be opened whose log has types of schemas that it
// makes.
const ReplaysTypes = false
