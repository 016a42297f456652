package network_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/optimizer/network"
)

// checkPath verifies N1 and N2: every node is used once, and a step keeps the indices
// that the output or another node has.
func checkPath(t *testing.T, n *network.Network, p *network.Path, pairwise bool) {
	t.Helper()
	var nodes [][]int32
	uses := make([]int, len(n.Sizes))
	for _, x := range n.Tensors {
		nodes = append(nodes, x.Indices)
		for _, ix := range x.Indices {
			uses[ix]++
		}
	}
	for _, ix := range n.Output {
		uses[ix]++
	}
	used := map[int32]bool{}
	for i, s := range p.Steps {
		if pairwise && len(s.Args) > 2 {
			t.Fatalf("step %d has %d arguments", i, len(s.Args))
		}
		var all []int32
		for _, a := range s.Args {
			if used[a] || int(a) >= len(nodes) {
				t.Fatalf("step %d uses node %d, which is used or not made", i, a)
			}
			used[a] = true
			all = append(all, nodes[a]...)
			for _, x := range nodes[a] {
				uses[x]--
			}
		}
		slices.Sort(all)
		var want []int32
		for _, x := range slices.Compact(all) {
			if uses[x] > 0 {
				want = append(want, x)
				uses[x]++
			}
		}
		if !slices.Equal(s.Indices, want) {
			t.Fatalf("step %d has indices %v, want %v", i, s.Indices, want)
		}
		nodes = append(nodes, s.Indices)
	}
	if len(used) != len(nodes)-1 {
		t.Fatalf("%d of %d nodes are used", len(used), len(nodes))
	}
	if !slices.Equal(nodes[len(nodes)-1], n.Output) {
		t.Fatalf("the result has indices %v, want %v", nodes[len(nodes)-1], n.Output)
	}
}

func TestPathsAreValid(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := random(rng, 2+rng.IntN(25), 1.5+rng.Float64(), rng.Float64()*0.6, 1+float64(rng.IntN(4)))
		if rng.IntN(3) == 0 { // scalars, disconnected parts and indices of one tensor
			for range rng.IntN(4) {
				x := int32(len(n.Sizes))
				n.Sizes = append(n.Sizes, 3)
				n.Tensors = append(n.Tensors, network.Tensor{Entries: 1}, network.Tensor{Indices: []int32{x}, Entries: 3})
			}
		}
		for x := range n.Sizes {
			if rng.IntN(10) == 0 {
				n.Output = append(n.Output, int32(x))
			}
		}
		for _, pairwise := range []bool{true, false} {
			checkPath(t, n, network.Find(n, network.Options{Pairwise: pairwise}), pairwise)
			checkPath(t, n, network.Find(n, network.Options{Pairwise: pairwise, Budget: 1}), pairwise)
		}
	}
}

// TestPathsAreTheSame finds a path twice.
func TestPathsAreTheSame(t *testing.T) {
	n := random(rand.New(rand.NewPCG(1, 1)), 60, 2.4, 0.2, 3)
	a, b := network.Find(n, network.Options{}), network.Find(n, network.Options{})
	if a.Cost != b.Cost || !slices.EqualFunc(a.Steps, b.Steps, func(x, y network.Step) bool { return slices.Equal(x.Args, y.Args) }) {
		t.Error("two searches found different paths")
	}
}

// TestLogarithms plans networks of which no dense size fits a float64.
func TestLogarithms(t *testing.T) {
	n := &network.Network{Sizes: make([]float64, 61)}
	for i := range n.Sizes {
		n.Sizes[i] = 1e9
		if i > 0 {
			n.Tensors = append(n.Tensors, network.Tensor{Indices: []int32{int32(i - 1), int32(i)}, Entries: 1e18})
		}
		n.Output = append(n.Output, int32(i))
	}
	p := network.Find(n, network.Options{})
	checkPath(t, n, p, false)
	if p.Cost < 61*9*math.Ln10 || math.IsInf(p.Cost, 0) || math.IsNaN(p.Cost) {
		t.Errorf("the result has 1e549 entries, the cost is e^%v", p.Cost)
	}
}

// TestTooManyIndices says of a network that no small steps compute that there is no path.
func TestTooManyIndices(t *testing.T) {
	n := random(rand.New(rand.NewPCG(2, 2)), 2000, 6, 0, 2)
	if p := network.Find(n, network.Options{}); p != nil {
		t.Errorf("a path of cost e^%v over a random graph of degree six", p.Cost)
	}
}

// TestMatrixChain finds the order of a chain of matrices that the textbook's cubic
// programming finds.
func TestMatrixChain(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 8))
		sizes := make([]float64, 4+rng.IntN(7))
		n := &network.Network{Output: []int32{0, int32(len(sizes) - 1)}}
		for i := range sizes {
			sizes[i] = float64(20 + rng.IntN(200))
			n.Sizes = append(n.Sizes, sizes[i])
			if i > 0 {
				n.Tensors = append(n.Tensors, network.Tensor{Indices: []int32{int32(i - 1), int32(i)}, Entries: sizes[i-1] * sizes[i]})
			}
		}
		m := len(sizes)
		best := make([][]float64, m)
		for i := range best {
			best[i] = make([]float64, m)
		}
		for gap := 2; gap < m; gap++ {
			for i := 0; i+gap < m; i++ {
				k := i + gap
				best[i][k] = math.Inf(1)
				for j := i + 1; j < k; j++ {
					work := sizes[i]*sizes[j]*sizes[k] + 10*sizes[i]*sizes[k] + 4000
					best[i][k] = min(best[i][k], best[i][j]+best[j][k]+work)
				}
			}
		}
		p := network.Find(n, network.Options{Pairwise: true})
		if got, want := p.Cost, math.Log(best[0][m-1]); got > want+0.01 {
			t.Errorf("seed %d: cost e^%.3f, want e^%.3f", seed, got, want)
		}
	}
}
