package stats_test

import (
	"math"
	"testing"

	"github.com/trireme-db/trireme/optimizer/stats"
)

// Index numbers.
const (
	i = iota
	j
	k
)

func list(xs ...int) uint64 {
	var set uint64
	for _, x := range xs {
		set |= 1 << x
	}
	return set
}

// matrix is a tensor of two modes with every coordinate in use.
func matrix(nnz, rows, cols float64, numbers ...int) stats.Stats {
	t := stats.TensorStats{NNZ: nnz, Dims: []float64{rows, cols}, Distinct: []float64{rows, cols}}
	return stats.Uniform{}.FromTensor(&t, numbers)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*math.Abs(want)+1e-9 {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

func TestUniformByHand(t *testing.T) {
	u := stats.Uniform{}
	a, b := matrix(1000, 100, 50, i, j), matrix(500, 50, 20, j, k)
	near(t, "entries", u.Estimate(a, list(i, j), 0), 1000)
	near(t, "entries of a row", u.Estimate(a, list(j), list(i)), 10)
	path := u.Join([]stats.Stats{a, b})
	// 1000 * 500 / 50 pairs agree on j.
	near(t, "path", u.Estimate(path, list(i, j, k), 0), 10000)
	// 10000 pairs fall on 100 * 20 cells: nearly all are hit.
	near(t, "path without j", u.Estimate(u.Reduce(path, list(j)), list(i, k), 0), 2000*(1-math.Pow(1-1/2000., 10000)))
	near(t, "scalar", u.Estimate(u.Reduce(path, list(i, j, k)), 0, 0), 1)
	// A third edge of a triangle: one index in full, the other by its root.
	c := matrix(200, 100, 20, i, k)
	near(t, "triangle", u.Estimate(u.Join([]stats.Stats{a, b, c}), list(i, j, k), 0), 10000*200/(100*math.Sqrt(20)))
	// A filter on both indices never adds entries.
	near(t, "full filter", u.Estimate(u.Join([]stats.Stats{a, matrix(5000, 100, 50, i, j)}), list(i, j), 0), 1000)
	near(t, "union", u.Estimate(u.Union([]stats.Stats{a, matrix(300, 100, 50, i, j)}), list(i, j), 0), 1300)
	// A union extends an argument along the indices that it lacks.
	v := u.FromTensor(&stats.TensorStats{NNZ: 7, Dims: []float64{100}, Distinct: []float64{7}}, []int{i})
	near(t, "union with a vector", u.Estimate(u.Union([]stats.Stats{a, v}), list(i, j), 0), 1350)
}

// TestUniformEmpty: what is empty is estimated at no entries, not at one.
func TestUniformEmpty(t *testing.T) {
	u := stats.Uniform{}
	empty := matrix(0, 100, 50, i, j)
	near(t, "empty", u.Estimate(empty, list(i, j), 0), 0)
	near(t, "join with empty", u.Estimate(u.Join([]stats.Stats{matrix(1000, 100, 50, i, j), empty}), list(i, j), 0), 0)
}

// TestNest checks sizes, leaders and costs of loops on a labelled wedge.
func TestNest(t *testing.T) {
	u := stats.Uniform{}
	edge := matrix(1000, 100, 100, i, j)
	second := matrix(1000, 100, 100, j, k)
	label := u.FromTensor(&stats.TensorStats{NNZ: 2, Dims: []float64{100}, Distinct: []float64{2}}, []int{k})
	n := stats.NewNest(u, []stats.Term{
		{Stats: edge, Set: 0b011},
		{Stats: second, Set: 0b110},
		{Stats: label, Set: 0b100},
		{Set: 0b101, Selectivity: 0.5},
	})
	near(t, "nothing", n.Size(0), 1)
	near(t, "k", n.Size(0b100), 2)
	near(t, "j, k", n.Size(0b110), 20)
	near(t, "all, halved by the comparison", n.Size(0b111), 100)
	if leader, entries := n.Leader(0b100, 0); leader != 2 || math.Abs(entries-2) > 1e-6 {
		t.Errorf("operand %d leads the loop over k with %g entries", leader, entries)
	}
	if leader, _ := n.Leader(0b010, 0b001); leader != 0 {
		t.Errorf("operand %d leads the loop over j below i", leader)
	}
	if near := n.Connected(0b001, 0b110); near != 0b010 {
		t.Errorf("next to i are %b", near)
	}
	if near := n.Connected(0b111, 0); near != 0 {
		t.Errorf("next to all are %b", near)
	}
	start := n.LoopCost(0b100, 0) + n.LoopCost(0b010, 0b100) + n.LoopCost(0b001, 0b110)
	if c := n.GreedyCost(0b111); c > start*(1+1e-9) {
		t.Errorf("greedy costs %g, the order k, j, i costs %g", c, start)
	}
}
