//go:build !linux || duckdb_use_lib

package duckbackend

// FindsMain is set where a name like main.t within the text of a view, a function or a default is
// never that of a temporary object.
const FindsMain = false
