// Package jsonb is what Postgres does with values of JSONB and DuckDB has no function for:
// containment, keys, paths and changes. In go texts of JSON, out come texts of JSON as
// DuckDB's own functions write them, without blanks. An object keeps the order of its keys;
// of a key that it has twice the last value counts, as in Postgres.
//
// Read next: value.go (reading and writing), contain.go, change.go, and functions.go, which
// lists the functions and operators by their names.
package jsonb
