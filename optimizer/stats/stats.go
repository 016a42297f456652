// Package stats estimates how many entries tensors and expressions have.
// An Estimator is five functions (Galley section 7): from a tensor, of a
// conjunctive map, of a disjunctive map, of an aggregate, and the estimate.
//
// In: figures of tensors from a Source. Out: estimates that are finite and at
// least 0. Nest (prefix.go) puts an estimator to the questions of a loop order;
// the logical planner prices kernels with it, the physical one orders loops.
package stats

import "github.com/trireme-db/trireme/einsum"

// TensorStats describes a stored tensor, or one that would be loaded.
type TensorStats struct {
	NNZ      float64   // stored entries
	Dims     []float64 // per mode, the size of its domain
	Distinct []float64 // per mode, coordinates that occur
	// Exact is false for figures from before loading.
	Exact bool
	// Degrees is nil when the degrees are unknown: before loading.
	Degrees *Degrees
	// Shape is nil when it is unknown: before loading, and of parts and results.
	Shape *Shape
}

// Source supplies statistics of accesses. For an access with constants the
// answer describes the remaining modes, in their order.
type Source interface {
	Stats(a *einsum.Access) TensorStats
}

// Stats is an estimator's view of one expression: opaque to the caller.
type Stats interface {
	// Set returns the free indices, as bits of the numbers that FromTensor was
	// given.
	Set() uint64
}

// Estimator is the five-function interface, and Rename for an expression that
// is read elsewhere. Sets of indices are bits of at most 64 numbers that the
// caller gives to indices. Estimates are at least 0, finite, and saturate
// instead of overflowing.
type Estimator interface {
	// FromTensor describes a tensor whose mode m is read with index number
	// numbers[m]; the numbers are distinct.
	FromTensor(t *TensorStats, numbers []int) Stats
	// Join describes a conjunctive map of the arguments.
	Join(args []Stats) Stats
	// Union describes a disjunctive map of the arguments.
	Union(args []Stats) Stats
	// Reduce describes the aggregate of s over the indices of drop.
	Reduce(s Stats, drop uint64) Stats
	// Estimate returns the number of entries of the projection onto the set;
	// with given, per present assignment of the given indices.
	Estimate(s Stats, set, given uint64) float64
	// Rename describes the same expression with index number to[x] in place of
	// each of its numbers x.
	Rename(s Stats, to []int) Stats
}
