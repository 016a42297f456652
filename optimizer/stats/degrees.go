package stats

// Degrees describes how a stored tensor's entries are spread over coordinates.
// A coordinate's degree is the number of entries that have it. It is shared and
// never changed.
type Degrees struct {
	Modes []ModeDegrees // per mode
	// Pairs has the pairs of modes about which more is known.
	Pairs []PairDegrees
	// Walks is nil unless the tensor is a graph: two modes over one domain.
	Walks *Walks
}

// ModeDegrees is the degree sequence of one mode in short.
type ModeDegrees struct {
	Max                     float64 // the largest degree
	Squares, Cubes, Fourths float64 // sums of powers of the degrees
	// Classes partitions the mode's coordinates; modes over one domain share it.
	// Nil: unknown. Degree is, per class, the mean degree in this mode.
	Classes *Classes
	Degree  []float64
}

// Classes is a partition of the coordinates of a domain by their degrees in one
// tensor. Its address is its identity.
type Classes struct {
	Count []float64 // per class, coordinates
}

// PairDegrees is about the projection onto modes A and B, A < B: its entries,
// and the most coordinates of the one mode with one of the other.
type PairDegrees struct {
	A, B             int
	Distinct         float64
	MaxBOfA, MaxAOfB float64
}

// Walks is what sampled walks tell of a graph with edges from mode 0 to mode 1.
type Walks struct {
	Symmetric bool
	// Neighbours is the mean over edges u -> v of edges into u times edges out of v.
	Neighbours float64
	// Transitive is the share of wedges u <- w -> v with an edge u -> v, Cyclic
	// that of paths u -> w -> v with an edge v -> u.
	Transitive, Cyclic float64
	// Common is the mean number of common neighbours of the ends of a wedge,
	// Apart that of its inverse; 0: unknown.
	Common, Apart float64
}
