package stats_test

import (
	"context"
	"math"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// edgesOf is the statistics of a graph of the given edges over n vertices.
func edgesOf(tb testing.TB, n int, from, to []fibers.Coord) stats.TensorStats {
	tb.Helper()
	b := fibers.NewBuilder(2, []fibers.LeafSpec{{Name: "n", Elem: semiring.Pattern, Merge: semiring.Max}})
	if err := b.Append(len(from), [][]fibers.Coord{from, to}, []fibers.Leaf{{Name: "n", Elem: semiring.Pattern}}); err != nil {
		tb.Fatal(err)
	}
	coo, err := b.Finish(context.Background(), []int{n, n})
	if err != nil {
		tb.Fatal(err)
	}
	s, err := coo.Statistics(context.Background(), []int{0, 0})
	if err != nil {
		tb.Fatal(err)
	}
	return exec.Statistics(s)
}

// star is a hub with so many leaves, edges in both directions: degrees n, 1, ..., 1.
func star(tb testing.TB, leaves int) stats.TensorStats {
	tb.Helper()
	var from, to []fibers.Coord
	for v := 1; v <= leaves; v++ {
		from, to = append(from, 0, fibers.Coord(v)), append(to, fibers.Coord(v), 0)
	}
	return edgesOf(tb, leaves+1, from, to)
}

// flat is a tensor with the given figures and largest degrees, nothing else.
func flat(nnz float64, distinct, degrees []float64) stats.TensorStats {
	t := stats.TensorStats{NNZ: nnz, Dims: distinct, Distinct: distinct, Exact: true}
	var modes []stats.ModeDegrees
	for _, d := range degrees {
		modes = append(modes, stats.ModeDegrees{Max: d})
	}
	t.Degrees = stats.NewDegrees(nnz, modes, nil, nil)
	return t
}

func within(t *testing.T, what string, got, want, factor float64) {
	t.Helper()
	if got > want*factor || want > got*factor {
		t.Errorf("%s: %g, want %g within a factor %g", what, got, want, factor)
	}
}

// TestChainByHand is the chain bound of Galley section 7.2.
func TestChainByHand(t *testing.T) {
	c := stats.Chain{}
	edges := flat(50, []float64{20, 30}, []float64{5, 5})
	r, s, q := c.FromTensor(&edges, []int{i, j}), c.FromTensor(&edges, []int{j, k}), c.FromTensor(&edges, []int{i, k})
	path := c.Join([]stats.Stats{r, s})
	// 50 edges, each with at most 5 edges on from j.
	near(t, "path", c.Estimate(path, list(i, j, k), 0), 250)
	near(t, "path per i", c.Estimate(path, list(j, k), list(i)), 25)
	near(t, "ends of paths", c.Estimate(path, list(i, k), 0), 250)
	near(t, "triangle", c.Estimate(c.Join([]stats.Stats{r, s, q}), list(i, j, k), 0), 250)
	// With one vertex i: at most 5 edges to j, 5 to k.
	one := c.FromTensor(&stats.TensorStats{NNZ: 1, Dims: []float64{20}, Distinct: []float64{1}, Exact: true}, []int{i})
	near(t, "triangle at a vertex", c.Estimate(c.Join([]stats.Stats{r, s, q, one}), list(i, j, k), 0), 25)
	// With one edge from i to j: at most 5 vertices k.
	edge := flat(1, []float64{1, 1}, []float64{1, 1})
	near(t, "triangle at an edge", c.Estimate(c.Join([]stats.Stats{c.FromTensor(&edge, []int{i, j}), s, q}), list(i, j, k), 0), 5)
	// A foreign key: every j has one k.
	key := flat(30, []float64{30, 4}, []float64{1, 10})
	near(t, "foreign key", c.Estimate(c.Join([]stats.Stats{r, c.FromTensor(&key, []int{j, k})}), list(i, j, k), 0), 50)
	// The product of the distinct counts caps what the degrees allow.
	near(t, "capped", c.Estimate(c.Reduce(path, list(j)), list(i, k), 0), 250)
	few := flat(50, []float64{3, 3}, []float64{20, 20})
	w := c.Join([]stats.Stats{c.FromTensor(&few, []int{i, j}), c.FromTensor(&few, []int{j, k})})
	near(t, "at most all pairs", c.Estimate(c.Reduce(w, list(j)), list(i, k), 0), 9)
	// A chain through a removed index stays valid: from i over j to k.
	near(t, "after reduction", c.Estimate(c.Reduce(path, list(j)), list(k), list(i)), 25)
	// A union holds at most what both hold.
	near(t, "union", c.Estimate(c.Union([]stats.Stats{r, c.FromTensor(&edges, []int{i, j})}), list(i, j), 0), 100)
	near(t, "unknown degree", c.Estimate(c.FromTensor(&stats.TensorStats{NNZ: 50, Dims: []float64{20, 30}, Distinct: []float64{20, 30}, Exact: true}, []int{i, j}), list(j), list(i)), 30)
}

// TestChainManyIndices: a path of 40 edges has more indices than the exact
// search takes; the bound is still the product of the degrees.
func TestChainManyIndices(t *testing.T) {
	c := stats.Chain{}
	edges := flat(100, []float64{50, 50}, []float64{2, 2})
	var args []stats.Stats
	for v := range 40 {
		args = append(args, c.FromTensor(&edges, []int{v, v + 1}))
	}
	path := c.Join(args)
	near(t, "path", c.Bound(path, path.Set()), math.Min(100*math.Pow(2, 39), math.Pow(50, 41)))
}

// TestBestStars: joins of one graph at one vertex are sums of powers of degrees.
func TestBestStars(t *testing.T) {
	b := stats.Best{}
	g := star(t, 100) // 200 edges; sum of squares 100^2+100, of cubes 100^3+100
	ij, jk := b.FromTensor(&g, []int{i, j}), b.FromTensor(&g, []int{j, k})
	path := b.Join([]stats.Stats{ij, jk})
	near(t, "paths of two edges", b.Estimate(path, list(i, j, k), 0), 10100)
	near(t, "and no more", b.Bound(path, list(i, j, k)), 10100)
	jl := b.FromTensor(&g, []int{j, 3})
	near(t, "stars of three", b.Estimate(b.Join([]stats.Stats{ij, jk, jl}), list(i, j, k, 3), 0), 1000100)
	near(t, "bound on them", b.Bound(b.Join([]stats.Stats{ij, jk, jl}), list(i, j, k, 3)), 1000100)
	// Every leaf reaches every leaf, the hub itself: 100*100+1 pairs.
	within(t, "ends of paths", b.Estimate(b.Reduce(path, list(j)), list(i, k), 0), 10001, 1.1)
	near(t, "vertices", b.Estimate(b.Reduce(path, list(j, k)), list(i), 0), 101)
	// A star has no triangle; the model alone would expect (10100/200)^3.
	triangle := b.Join([]stats.Stats{ij, jk, b.FromTensor(&g, []int{i, k})})
	if n := b.Estimate(triangle, list(i, j, k), 0); n > 100 {
		t.Errorf("triangles in a star: %g", n)
	}
	// An edge read both ways is one edge.
	near(t, "both ways", b.Estimate(b.Join([]stats.Stats{ij, b.FromTensor(&g, []int{j, i})}), list(i, j), 0), 200)
}

// TestBestLabels: a set of vertices is independent of the degrees unless its
// statistics say more.
func TestBestLabels(t *testing.T) {
	b := stats.Best{}
	g := star(t, 100)
	edge := b.FromTensor(&g, []int{i, j})
	label := stats.TensorStats{NNZ: 10, Dims: []float64{101}, Distinct: []float64{10}, Exact: true}
	near(t, "edges at ten vertices", b.Estimate(b.Join([]stats.Stats{edge, b.FromTensor(&label, []int{i})}), list(i, j), 0), 200*10./101)
}

// TestBestCompleteGraph: in a complete graph with loops all is known exactly.
func TestBestCompleteGraph(t *testing.T) {
	const n = 12
	var from, to []fibers.Coord
	for u := range n {
		for v := range n {
			from, to = append(from, fibers.Coord(u)), append(to, fibers.Coord(v))
		}
	}
	b, g := stats.Best{}, edgesOf(t, n, from, to)
	edge := func(x, y int) stats.Stats { return b.FromTensor(&g, []int{x, y}) }
	near(t, "triangles", b.Estimate(b.Join([]stats.Stats{edge(0, 1), edge(1, 2), edge(0, 2)}), list(0, 1, 2), 0), n*n*n)
	square := []stats.Stats{edge(0, 1), edge(1, 2), edge(2, 3), edge(3, 0)}
	near(t, "squares", b.Estimate(b.Join(square), list(0, 1, 2, 3), 0), n*n*n*n)
	pairs := b.Reduce(b.Join(square[:2]), list(1))
	near(t, "pairs at distance two", b.Estimate(pairs, list(0, 2), 0), n*n)
	near(t, "a square of pairs", b.Estimate(b.Join([]stats.Stats{pairs, square[2], square[3]}), list(0, 2, 3), 0), n*n*n)
}

// TestBestWithoutDegrees: before loading Best is Uniform.
func TestBestWithoutDegrees(t *testing.T) {
	b, u := stats.Best{}, stats.Uniform{}
	figures := stats.TensorStats{NNZ: 1000, Dims: []float64{100, 50}, Distinct: []float64{90, 50}}
	label := stats.TensorStats{NNZ: 10, Dims: []float64{100}, Distinct: []float64{10}}
	build := func(e stats.Estimator) float64 {
		s := e.Join([]stats.Stats{e.FromTensor(&figures, []int{i, j}), e.FromTensor(&figures, []int{k, j}), e.FromTensor(&label, []int{i})})
		return e.Estimate(e.Reduce(s, list(j)), list(i, k), 0)
	}
	near(t, "labelled wedge", build(b), build(u))
}

// TestBestChances: a scalar present with some chance scales a join with it, with
// degrees or without.
func TestBestChances(t *testing.T) {
	b := stats.Best{}
	half := b.FromTensor(&stats.TensorStats{NNZ: 0.5}, nil)
	plain := stats.TensorStats{NNZ: 1000, Dims: []float64{100, 50}, Distinct: []float64{90, 50}}
	graph := star(t, 100)
	near(t, "without degrees", b.Estimate(b.Join([]stats.Stats{half, b.FromTensor(&plain, []int{i, j})}), list(i, j), 0), 500)
	near(t, "with degrees", b.Estimate(b.Join([]stats.Stats{half, b.FromTensor(&graph, []int{i, j})}), list(i, j), 0), 100)
}
