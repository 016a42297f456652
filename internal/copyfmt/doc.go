// Package copyfmt is the three formats of COPY: text, CSV and binary. In go the
// options as a statement spells them and the bytes a client sends, cut anywhere;
// out come batches of text fields, one column of VARCHAR each. The other way it
// turns values into fields. It knows bytes and fields; it knows nothing of SQL
// types and of tables.
//
// Invariants:
//
//	F1. A Batch, and the strings in it, are valid until the next Reset.
//	F2. Memory is bounded by BatchBytes and the longest row, which is bounded by
//	    RowBytesMax, whatever the input.
//	F3. A row is in a Batch before an error of a later row is reported.
//
// Read next: options.go, reader.go (rows out of bytes), fields.go (fields out of
// rows), binary.go, write.go.
package copyfmt
