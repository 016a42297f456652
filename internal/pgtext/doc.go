// Package pgtext turns the texts in which Postgres writes values into those from which
// DuckDB reads the same values: bytes, booleans, dates before the common era,
// intervals, arrays. Parameters, literals in statements and the rows of COPY share it,
// so that a value means the same on every way in.
//
// Invariants:
//
//	T1. What DuckDB reads rightly stays as it is.
//	T2. Spelling a text twice gives the text of the first time.
package pgtext
