// Package texts has the functions on texts whose time grows with the product of the
// lengths of their arguments, or faster, as DuckDB defines them.
//
// In: the bytes of the arguments, as SQL has them. Out: the value that DuckDB's function
// of the same meaning has.
//
// Invariants:
//
//	T1. A function that may take long asks its Stop, and ends with ErrStopped.
//	T2. No function takes more memory than TextMax times a small number, nor more time
//	    than the product of the lengths of its arguments.
package texts
