// Package coofile reads files of coordinates: sparse matrices (Matrix Market),
// sparse tensors (FROSTT) and graphs (SNAP's lists of edges).
//
// In: a stream of text. Out: a rows.Cursor, typed, with indices as they are in the
// file (from 1 on in the first two formats). Entries that a symmetric matrix
// leaves out are delivered.
//
// Invariants:
//
//	F1. Every error names file and line, and what was expected there.
//	F2. A file that ends early, or goes on after what its header announces, is an
//	    error: nobody gets a part of a file for the whole.
//
// Read reader.go first, then the file of each format.
package coofile
