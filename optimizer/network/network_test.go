package network_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/optimizer/network"
)

// random is a network of n tensors, with about degree indices each, two tensors an
// index, connected; some indices have more holders.
func random(rng *rand.Rand, n int, degree float64, hyper float64, dim float64) *network.Network {
	out := &network.Network{}
	holders := make([][]int32, n)
	index := func(a, b int) {
		x := int32(len(out.Sizes))
		out.Sizes = append(out.Sizes, dim)
		holders[a] = append(holders[a], x)
		holders[b] = append(holders[b], x)
		for rng.Float64() < hyper {
			c := rng.IntN(n)
			if c != a && c != b && !slices.Contains(holders[c], x) {
				holders[c] = append(holders[c], x)
			}
		}
	}
	for i := 1; i < n; i++ {
		index(i, rng.IntN(i))
	}
	for i := n - 1; float64(i) < degree*float64(n)/2; i++ {
		a := rng.IntN(n)
		b := rng.IntN(n)
		if a != b {
			index(a, b)
		}
	}
	for i := range holders {
		slices.Sort(holders[i])
		out.Tensors = append(out.Tensors, network.Tensor{
			Indices: holders[i], Entries: math.Ceil(math.Pow(dim, float64(len(holders[i]))) * (0.3 + 0.7*rng.Float64())),
		})
	}
	return out
}

func BenchmarkFind(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 5000} {
		for _, hyper := range []float64{0, 0.5} {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			net := random(rng, n, 2.2, hyper/5, 2)
			b.Run(fmt.Sprintf("tensors=%d/hyper=%v", n, hyper), func(b *testing.B) {
				cost := 0.0
				for b.Loop() {
					if p := network.Find(net, network.Options{}); p != nil {
						cost = p.Cost
					}
				}
				b.ReportMetric(cost/math.Ln10, "log10-cost")
			})
		}
	}
}
