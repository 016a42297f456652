// Package notation puts SQL in place of the calls einsum('ik,kj->ij', 'a', 'b') that
// stand where a table does.
//
// In: the text of a statement, and a way to ask for the columns of a relation. Out:
// the text with a SELECT for each call, whose columns are named by the indices, and
// the places of the old text (Text.Offset). Everything after that is a statement
// like others: it is bound, explained, prepared and answered on tensors as if the
// user had written the SELECT.
//
// # The call
//
//	einsum ( expression { , operand } [ , [ semiring ( := | => ) ] semiring ] )
//	operand = name { . name } | 'name { . name }' | ( query )
//	        | 'name { . name } ( [ column { , column } ] [ ; value ] )'
//
// The expression and the semiring are plain strings, which are read before anything
// is executed. Of an operand without columns the first ones are its coordinates, one
// for each index of its term, and the last one is the value; in the semiring count
// there need not be a value. Names of common table expressions are operands as well.
//
// # Invariants
//
//	N1. A text without such a call is returned as it is.
//	N2. Errors carry the byte of the text at which they stand, also inside a string.
package notation
