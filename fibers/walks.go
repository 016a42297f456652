package fibers

import (
	"math/rand/v2"
	"slices"
	"sort"
)

// WalkStatistics is what sampled walks tell of a graph: a tensor of two modes
// over one domain, whose entries are edges from mode 0 to mode 1. The samples
// are drawn with a seed made of the data, so that equal data gives equal plans.
type WalkStatistics struct {
	// Symmetric says that with every edge its reverse is stored, as far as the
	// degrees of all vertices and a sample of edges tell.
	Symmetric bool
	// Reverse is the share of edges whose reverse is stored.
	Reverse float64
	// Neighbours is the mean over edges u -> v of (edges into u) * (edges out of
	// v): the middles of paths of three edges.
	Neighbours float64
	// Transitive is the share of wedges u <- w -> v, drawn uniformly, for which
	// u -> v is an edge; Cyclic that of paths u -> w -> v for which v -> u is.
	Transitive, Cyclic float64
	// Common is the mean number of common neighbours of the ends of such wedges,
	// and Apart the mean of its inverse: the number of wedges times Common is that
	// of closed walks of four edges, times Apart that of pairs at distance two. 0
	// when unknown.
	Common, Apart float64
}

const (
	wedgeSamples = 1500
	edgeSamples  = 1 << 16 // edges looked at for Neighbours
	reverseTests = 500
)

// graph is the rows of a sorted list of edges.
type graph struct {
	from, to []Coord
	ptr      []int32 // per vertex, its first edge
	rng      *rand.Rand
}

// walk samples the graph; out and in are the degrees of its vertices.
func walk(c *COO, out, in []int32) *WalkStatistics {
	g := &graph{from: c.Coords[0][:c.N], to: c.Coords[1][:c.N], ptr: make([]int32, len(out)+1)}
	for v, d := range out {
		g.ptr[v+1] = g.ptr[v] + d
	}
	seed := uint64(c.N)
	for e := 0; e < c.N; e += 1 + c.N/64 {
		seed = seed*0x9E3779B97F4A7C15 + uint64(g.from[e])<<32 + uint64(g.to[e])
	}
	g.rng = rand.New(rand.NewPCG(seed, 0x57415348))
	w := &WalkStatistics{Reverse: g.reverse()}
	w.Symmetric = w.Reverse == 1 && slices.Equal(out, in)
	w.Neighbours = g.neighbours(out, in)
	g.wedges(w, out)
	if w.Symmetric {
		w.Cyclic = w.Transitive
	} else {
		w.Cyclic = g.cyclic(out)
	}
	return w
}

func (g *graph) row(v Coord) []Coord { return g.to[g.ptr[v]:g.ptr[v+1]] }

func (g *graph) has(u, v Coord) bool {
	_, ok := slices.BinarySearch(g.row(u), v)
	return ok
}

// reverse samples edges for which the reverse exists.
func (g *graph) reverse() float64 {
	n := 0
	for range reverseTests {
		if e := g.rng.IntN(len(g.from)); g.has(g.to[e], g.from[e]) {
			n++
		}
	}
	return float64(n) / reverseTests
}

func (g *graph) neighbours(out, in []int32) float64 {
	stride := 1 + len(g.from)/edgeSamples
	sum, n := 0.0, 0
	for e := g.rng.IntN(stride); e < len(g.from); e += stride {
		sum += float64(in[g.from[e]]) * float64(out[g.to[e]])
		n++
	}
	return sum / float64(max(n, 1))
}

// cumulated returns the running sums of a weight, to draw by.
func cumulated(n int, weight func(i int) float64) []float64 {
	sums := make([]float64, n)
	total := 0.0
	for i := range sums {
		total += weight(i)
		sums[i] = total
	}
	return sums
}

// draw picks a place in proportion to its weight; the total is positive.
func (g *graph) draw(sums []float64) int {
	at := g.rng.Float64() * sums[len(sums)-1]
	return min(sort.Search(len(sums), func(i int) bool { return sums[i] > at }), len(sums)-1)
}

// wedges draws two edges out of one vertex, every pair alike.
func (g *graph) wedges(w *WalkStatistics, out []int32) {
	sums := cumulated(len(out), func(v int) float64 { return float64(out[v]) * float64(out[v]) })
	closed, common, apart := 0, 0.0, 0.0
	for range wedgeSamples {
		row := g.row(Coord(g.draw(sums)))
		u, v := row[g.rng.IntN(len(row))], row[g.rng.IntN(len(row))]
		if g.has(u, v) {
			closed++
		}
		if w.Symmetric {
			n := float64(commonCount(g.row(u), g.row(v)))
			common += n
			apart += 1 / max(n, 1)
		}
	}
	w.Transitive = float64(closed) / wedgeSamples
	w.Common, w.Apart = common/wedgeSamples, apart/wedgeSamples
}

// cyclic draws paths of two edges, every one alike.
func (g *graph) cyclic(out []int32) float64 {
	sums := cumulated(len(g.to), func(e int) float64 { return float64(out[g.to[e]]) })
	if sums[len(sums)-1] == 0 {
		return 0
	}
	closed := 0
	for range wedgeSamples {
		e := g.draw(sums)
		row := g.row(g.to[e])
		if len(row) > 0 && g.has(row[g.rng.IntN(len(row))], g.from[e]) {
			closed++
		}
	}
	return float64(closed) / wedgeSamples
}

// commonCount counts the members of two ascending lists: by a merge, or by
// searching the longer one where it is much longer.
func commonCount(a, b []Coord) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	n := 0
	if len(b) > 16*len(a) {
		for _, x := range a {
			at, ok := slices.BinarySearch(b, x)
			if ok {
				n++
			}
			b = b[at:]
		}
		return n
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := a[i], b[j]
		if x == y {
			n++
		}
		if x <= y {
			i++
		}
		if y <= x {
			j++
		}
	}
	return n
}
