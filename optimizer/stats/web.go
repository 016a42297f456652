package stats

import "math/bits"

// web is the edges of one graph in a join: a pattern. A second graph in the same
// join is not corrected for.
type web struct {
	graph *graph
	// Per index: its neighbours, and those that an edge leads to from it. Middles of
	// bridges have numbers that no index has.
	near, out [64]uint64
	vertices  uint64
	edges     int
	bridges   int
}

// Places of an atom with regard to a web.
const (
	outside = iota
	inside
	repeated // an edge that is there already, perhaps the other way around
)

// take puts an atom into the web if it is an edge of the graph. An edge that is
// there already repeats; one whose reverse is there does, with the chance of a
// reverse (a log).
func (w *web) take(a *atom) (chance float64, place int) {
	g := a.graph
	if a.bridge != nil {
		g = a.bridge
	}
	if g == nil || w.graph != nil && w.graph != g {
		return 0, outside
	}
	w.graph = g
	u, v := a.modes[0].x, a.modes[1].x
	if a.bridge != nil {
		w.bridges++
		middle := 63 - w.bridges
		if bit := uint64(1) << middle; w.vertices&bit == 0 && a.set&bit == 0 {
			w.join(u, middle)
			w.join(middle, v)
		}
		return 0, outside
	}
	from, to := uint64(1)<<u, uint64(1)<<v
	switch {
	case w.out[u]&to != 0:
		return 0, repeated
	case w.out[v]&from != 0:
		w.out[u] |= to
		if g.symmetric {
			return 0, repeated
		}
		return g.reverse, repeated
	}
	w.join(u, v)
	return 0, inside
}

func (w *web) join(u, v int) {
	w.near[u] |= 1 << v
	w.near[v] |= 1 << u
	w.out[u] |= 1 << v
	w.vertices |= 1<<u | 1<<v
	w.edges++
}

// corrections is the log of what the walks add to the model: for every
// independent cycle of three or four edges, and for every other edge in the
// middle of a path.
func (w *web) corrections() float64 {
	if w.graph == nil || w.edges < 2 {
		return 0
	}
	cycles := w.edges - bits.OnesCount64(w.vertices) + w.components()
	total := 0.0
	if cycles > 0 {
		triangles, sum := w.triangles()
		if triangles > 0 {
			used := min(triangles, cycles)
			total += sum * float64(used) / float64(triangles)
			cycles -= used
		}
		if cycles > 0 && w.graph.square != 0 {
			total += w.graph.square * float64(min(w.squares(), cycles))
		}
	}
	if w.graph.middle != 0 {
		total += w.graph.middle * float64(w.middles())
	}
	return total
}

func (w *web) components() int {
	n := 0
	for left := w.vertices; left != 0; n++ {
		reached, border := uint64(0), left&-left
		for border != 0 {
			reached |= border
			next := uint64(0)
			for ; border != 0; border &= border - 1 {
				next |= w.near[bits.TrailingZeros64(border)]
			}
			border = next &^ reached
		}
		left &^= reached
	}
	return n
}

// triangles counts cycles of three edges and adds up their corrections.
func (w *web) triangles() (n int, sum float64) {
	for s := w.vertices; s != 0; s &= s - 1 {
		u := bits.TrailingZeros64(s)
		above := ^uint64(0) << u << 1
		for t := w.near[u] & above; t != 0; t &= t - 1 {
			v := bits.TrailingZeros64(t)
			for r := w.near[u] & w.near[v] & (^uint64(0) << v << 1); r != 0; r &= r - 1 {
				n++
				sum += w.closing(u, v, bits.TrailingZeros64(r))
			}
		}
	}
	return n, sum
}

// closing is the correction of one triangle: a directed cycle, or not.
func (w *web) closing(a, b, c int) float64 {
	set := uint64(1)<<a | 1<<b | 1<<c
	one := func(x int) bool { return bits.OnesCount64(w.out[x]&set) == 1 }
	if one(a) && one(b) && one(c) {
		return w.graph.cyclic
	}
	return w.graph.transitive
}

// squares counts cycles of four edges without chords: two vertices that are no
// neighbours have two common ones that are none either.
func (w *web) squares() int {
	n := 0
	for s := w.vertices; s != 0; s &= s - 1 {
		u := bits.TrailingZeros64(s)
		for t := w.vertices & (^uint64(0) << u << 1) &^ w.near[u]; t != 0; t &= t - 1 {
			common := w.near[u] & w.near[bits.TrailingZeros64(t)]
			for r := common; r != 0; r &= r - 1 {
				n += bits.OnesCount64(r & (r - 1) &^ w.near[bits.TrailingZeros64(r)])
			}
		}
	}
	return (n + 1) / 2 // each was seen from both of its diagonals
}

// middles counts the edges that continue at both ends and lie in no cycle of
// three or four edges, whose corrections include theirs.
func (w *web) middles() int {
	n := 0
	for s := w.vertices; s != 0; s &= s - 1 {
		u := bits.TrailingZeros64(s)
		for t := w.near[u] & (^uint64(0) << u << 1); t != 0; t &= t - 1 {
			v := bits.TrailingZeros64(t)
			left, right := w.near[u]&^(1<<v), w.near[v]&^(1<<u)
			if left != 0 && right != 0 && left&right == 0 && !w.touch(left, right) {
				n++
			}
		}
	}
	return n
}

// touch reports an edge between two sets of vertices.
func (w *web) touch(a, b uint64) bool {
	for ; a != 0; a &= a - 1 {
		if w.near[bits.TrailingZeros64(a)]&b != 0 {
			return true
		}
	}
	return false
}
