// Package expr reads Einstein summation: what stands between the quotes of
// einsum('ik,kj->ij', ..).
//
// In: a text, and how many modes each operand has. Out: an Expr, whose indices
// are numbers, so that expressions of thousands of operands stay cheap; and, for
// a semiring, the einsum.Program that computes it (Program).
//
// # Notation
//
//	expression = term { "," term } [ ( "->" | "→" ) term ]
//	term       = { index | "..." }
//	index      = letter | "[" name "]"        in the short notation
//	           = name                         in the long one
//	name       = ( letter | "_" ) { letter | digit | "_" }
//
// A letter is any letter of Unicode with the marks that follow it; spaces between
// them mean nothing. The long notation, in which names are separated by spaces,
// is read where two names of one term are, one of them of several letters: "row
// col, col out -> row out". In the short one brackets make a name of several
// letters an index: "[row]k,k->[row]".
//
// Without an arrow the output has the indices that occur once, in the order of
// their names, after those of an ellipsis. An ellipsis stands for the modes of an
// operand that its term does not name; those of several operands are the same
// from the last one on.
//
// Indices that the output lacks are summed over; an index that one term has twice
// is a diagonal; a term without indices is a scalar.
//
// # Invariants
//
//	X1. Every error of Parse is *sqlerr.Error 42601 with the byte of the text at
//	    which it stands (Offset).
//	X2. Parse takes time linear in its text, but for sorting an implicit output.
package expr
