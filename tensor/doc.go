// Package tensor is the engine from Go, without SQL and without DuckDB: sparse
// tensors in memory, programs in the tensor index notation or Einstein
// summations, planned and run.
//
//	c, err := tensor.Einsum(ctx, "ik,kj->ij", []*tensor.Tensor{a, b}, tensor.Options{})
//
// In: tensors made of coordinates and values, which are integers or floats, and
// what is to be computed: an expression (Einsum; package einsum/expr has its
// notation) or a program (Prepare; package einsum has its notation). Out: tensors.
//
// # Meaning
//
// A tensor holds entries; where it has none it has no value, and an operand
// without a value annihilates a product. A result has an entry where at least one
// assignment of the indices that are summed over meets an entry of every operand,
// whatever comes out: a sum that is 0 is an entry. A scalar to which nothing
// contributes has no entry.
//
// Sums of integers are exact, of 128 bits where 64 are not enough; a sum of floats
// may differ in its last bits from one in another order, but does not depend on
// the number of threads. Values are finite.
//
// A run that needs more than Options.MemoryLimitBytes ends with ErrMemory. It is not
// planned again with less to store, and not cut into slices, as the server does: raise
// the limit, or sum over parts of the tensors.
//
// The package needs no cgo. It imports the planner and the kernels and nothing of
// the server.
//
// Read tensor.go for tensors, prepare.go and run.go for the life of a program.
package tensor
