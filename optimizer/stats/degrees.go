package stats

import "math"

// Degrees describes how a stored tensor's entries are spread over coordinates.
// A coordinate's degree is the number of entries that have it. It is shared and
// never changed.
type Degrees struct {
	Modes []ModeDegrees // per mode
	// Pairs has the pairs of modes about which more is known.
	Pairs []PairDegrees

	graph *graph
}

// ModeDegrees is the degree sequence of one mode in short.
type ModeDegrees struct {
	Max                     float64 // the largest degree
	Squares, Cubes, Fourths float64 // sums of powers of the degrees
	// Classes partitions the mode's coordinates; modes over one domain share it.
	// Row is the mode's place there. Nil: unknown.
	Classes *Classes
	Row     int
	// Part says instead, of a tensor with one entry per coordinate, which part of
	// each class it has; Classes is then another tensor's partition.
	Part *Part
}

// Part is a set of coordinates seen in the classes of a tensor that it is joined
// with.
type Part struct {
	degree  []float64 // per class, the share of its coordinates
	moments []float64 // as in Classes, over the set
}

// Classes is a partition of the coordinates of a domain by their degrees in the
// modes of one tensor. Its address is its identity.
type Classes struct {
	Count  []float64   // per class, coordinates
	Degree [][]float64 // per row (a mode over the domain) and class, the mean degree

	total, logTotal float64 // coordinates
	// group is, per class, the coarse group of similar degrees that it is in.
	group []uint8
	// moments[a*momentWidth+b] is the log of the sum over coordinates of (degree in
	// row 0)^a * (degree in row 1)^b.
	moments []float64
}

const (
	maxPower    = 7 // of a degree that is tabled
	momentWidth = maxPower + 1
)

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
	// Reverse is the share of edges whose reverse is an edge.
	Reverse float64
	// Neighbours is the mean over edges u -> v of edges into u times edges out of v.
	Neighbours float64
	// Transitive is the share of wedges u <- w -> v with an edge u -> v, Cyclic
	// that of paths u -> w -> v with an edge v -> u.
	Transitive, Cyclic float64
	// Common is the mean number of common neighbours of the ends of a wedge,
	// Apart that of its inverse; 0: unknown.
	Common, Apart float64
}

// NewClasses makes a partition of classes with the given sizes; degree has a row
// for each mode over the domain. O(classes).
func NewClasses(count []float64, degree [][]float64) *Classes {
	c := &Classes{Count: count, Degree: degree}
	for _, n := range count {
		c.total += n
	}
	c.group = groups(count, degree)
	c.logTotal = max(logOf(c.total), 0)
	c.moments = c.table(count)
	return c
}

// Part describes a set that has so many coordinates of each class.
func (c *Classes) Part(count []float64) *Part {
	p := &Part{degree: make([]float64, len(count)), moments: c.table(count)}
	for b, n := range count {
		p.degree[b] = n / max(c.Count[b], 1)
	}
	return p
}

// table makes the moments of a set that has so many coordinates of each class.
func (c *Classes) table(count []float64) []float64 {
	out := make([]float64, momentWidth*momentWidth)
	rows := append([]float64(nil), count...)
	product := make([]float64, len(count))
	for a := range momentWidth {
		copy(product, rows)
		for b := range momentWidth {
			if len(c.Degree) < 2 && b > 0 {
				break // there is no row 1
			}
			sum := 0.0
			for _, x := range product {
				sum += x
			}
			out[a*momentWidth+b] = logOf(sum)
			if len(c.Degree) > 1 {
				scale(product, c.Degree[1])
			}
		}
		if len(c.Degree) > 0 {
			scale(rows, c.Degree[0])
		}
	}
	return out
}

// groups cuts the range of degrees, in logs, into coarse groups.
func groups(count []float64, degree [][]float64) []uint8 {
	logs := make([]float64, len(count))
	low, high := math.Inf(1), math.Inf(-1)
	for b := range count {
		sum := 0.0
		for _, row := range degree {
			sum += row[b]
		}
		logs[b] = logOf(sum)
		low, high = min(low, logs[b]), max(high, logs[b])
	}
	out := make([]uint8, len(count))
	for b, l := range logs {
		if high > low {
			out[b] = uint8(min(coarse-1, coarse*(l-low)/(high-low)))
		}
	}
	return out
}

// graph is a tensor's walks as corrections, in logs, of what independence of
// edges given the degrees (the Chung-Lu model) says.
type graph struct {
	symmetric bool
	reverse   float64 // chance of the reverse of an edge
	// middle corrects a path through an edge, transitive, cyclic and square the
	// closing of a cycle of three or four edges.
	middle, transitive, cyclic, square float64
	// apart is the share of distinct ends among wedges.
	apart float64
}

// maxCorrection bounds the corrections: 1e4 either way.
const maxCorrection = 4 * math.Ln10

// leastShare stands for a share that no sample found: about half a sample.
const leastShare = 1.0 / 3000

// NewDegrees describes a tensor of nnz entries, whose moments replace those that
// the classes gave; walks is nil unless the tensor is
// a graph: two modes over one domain, whose modes share their Classes.
func NewDegrees(nnz float64, modes []ModeDegrees, pairs []PairDegrees, walks *Walks) *Degrees {
	d := &Degrees{Modes: modes, Pairs: pairs}
	for _, m := range modes {
		if c := m.Classes; c != nil && m.Row < 2 && m.Part == nil {
			for p, sum := range []float64{nnz, m.Squares, m.Cubes, m.Fourths} {
				at := (p + 1) * momentWidth
				if m.Row == 1 {
					at = p + 1
				}
				c.moments[at] = logOf(sum)
			}
		}
	}
	if walks == nil || len(modes) != 2 || modes[0].Classes == nil || modes[0].Classes != modes[1].Classes {
		return d
	}
	m := logOf(nnz)
	through := modes[0].Classes.moments[momentWidth+1] // paths of two edges
	in := logOf(modes[1].Squares)
	correction := func(truth, model float64) float64 {
		return max(-maxCorrection, min(maxCorrection, truth-model))
	}
	d.graph = &graph{
		symmetric:  walks.Symmetric,
		reverse:    logOf(max(walks.Reverse, leastShare)),
		middle:     correction(m+logOf(walks.Neighbours), 2*through-m),
		transitive: correction(logOf(max(walks.Transitive, leastShare)), through+in-3*m),
		cyclic:     correction(logOf(max(walks.Cyclic, leastShare)), 2*through-3*m),
	}
	if walks.Common > 0 {
		d.graph.square = correction(logOf(walks.Common), 3*in-4*m)
		d.graph.apart = logOf(walks.Apart)
	}
	return d
}
