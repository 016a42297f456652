// Package interp is the meaning of a tensor program by enumeration of SQL
// values: slow, exact, and independent of the planner and the kernels. In goes
// a program and its inputs as lists of entries, out come all queries as lists
// of entries. Tests hold everything else against it.
//
// Invariants:
//
//	I1. A tensor is a function: no two entries have the same coordinates.
//	I2. Integers are exact (no width), floats are float64; an integer that meets
//	    a float becomes one.
//	I3. Run verifies that all leaves of a query have the same presence (E1 of
//	    package einsum), that the program passes Check, and that the inputs have
//	    the facts that they declare. A function outside its domain is an error.
//
// value.go has the coordinates, num.go the leaf values, eval.go the presence
// rules, enumerate.go the search for assignments, random.go makes programs for
// other packages' tests.
package interp
