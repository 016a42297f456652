//go:build !duckdb_use_lib

package duckbackend

// #include "duckdb_linux.h"
import "C"

// knownRelease is the release of DuckDB whose functions are wrapped and whose objects are read.
const knownRelease = C.DUCKDB_RELEASE
