// Package notation puts SQL in place of the calls einsum('ik,kj->ij', 'a', 'b') and
// tensor('tensor E(0,0) { n pattern } ..', E := 'edges') that stand where a table does.
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
//	tensor ( program { , operand } )
//	operand = name ( := | => ) ( name { . name } | 'table' | ( query ) ) | 'name = table'
//	table   = name { . name } [ ( [ column { , column } ] [ ; column { , column } ] ) ]
//
// A program is in the notation of package einsum. What stands for it is no SQL that
// could be executed (sqlfront, Program): it has the columns of the program's last query
// and reads the operands, and the program is executed as the tensor program of a SELECT
// is. A tensor without an operand is the table of its name. Views with programs in them
// are replaced by what they select, so that a statement shows its programs.
//
// # Invariants
//
//	N1. A text without such a call is returned as it is.
//	N2. Errors carry the byte of the text at which they stand, also inside a string.
package notation
