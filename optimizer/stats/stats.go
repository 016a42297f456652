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
}

// Source supplies statistics of accesses. For an access with constants the
// answer describes the remaining modes, in their order.
type Source interface {
	Stats(a *einsum.Access) TensorStats
}

// Stats is an estimator's view of one expression: opaque to the caller.
type Stats interface {
	// Indices returns the free indices.
	Indices() []einsum.Index
}

// Estimator is the five-function interface. Estimates are at least 0, finite,
// and saturate instead of overflowing.
type Estimator interface {
	FromTensor(t TensorStats, idxs []einsum.Index) Stats
	Join(args []Stats) Stats
	Union(args []Stats) Stats
	Reduce(s Stats, over []einsum.Index) Stats
	// Estimate returns the number of entries of the projection onto idxs; with
	// given, per assignment of the given indices that is present.
	Estimate(s Stats, idxs, given []einsum.Index) float64
}
