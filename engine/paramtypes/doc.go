// Package paramtypes finds the types of the parameters of a statement that DuckDB does
// not infer: each at its place, by the rules of Postgres for what has no type. It is the
// type of the other operand, of the column that is assigned to, or of the argument of the
// function that Postgres would choose among DuckDB's.
//
// It walks DuckDB's syntax trees (of a SELECT for each part of a statement: sqlfront.Form)
// for the expressions that stand beside parameters, and has DuckDB tell the types of
// these where they are: an expression e becomes CASE WHEN true THEN e ELSE $n END, in
// which DuckDB infers $n. What has been found stands in the statement as a value of its
// type when the next expressions are asked for, which may contain it.
//
// A parameter that nothing decides is a text, as in Postgres, but for one that is an
// argument of a function or operator for which no text will do: it is an error, never a
// guess.
package paramtypes
