package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// BenchmarkEstimators is what the search asks most: a nest's sizes, joins,
// reductions, for a pattern of eight vertices, twelve edges and eight labels.
func BenchmarkEstimators(b *testing.B) {
	graph, label := benchFigures(b)
	for _, name := range []string{"uniform", "chain", "best"} {
		est := estimators[name]
		var args []stats.Stats
		var terms []stats.Term
		for v := range 8 {
			args = append(args, est.FromTensor(&label, []int{v}))
		}
		for _, e := range [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 0}, {0, 2}, {1, 3}, {4, 6}, {5, 7}} {
			args = append(args, est.FromTensor(&graph, e[:]))
		}
		for _, s := range args {
			terms = append(terms, stats.Term{Stats: s, Set: s.Set()})
		}
		b.Run("estimator="+name+"/call=join", func(b *testing.B) {
			for b.Loop() {
				s := est.Join(args)
				est.Estimate(s, s.Set(), 0)
			}
		})
		b.Run("estimator="+name+"/call=reduce", func(b *testing.B) {
			s := est.Join(args[:11])
			for b.Loop() {
				est.Reduce(s, 0b10)
			}
		})
		b.Run("estimator="+name+"/call=nest", func(b *testing.B) {
			for b.Loop() {
				n := stats.NewNest(est, terms)
				for set := uint64(1); set < 256; set++ {
					n.Size(set)
				}
			}
		})
		b.Run("estimator="+name+"/call=greedy", func(b *testing.B) {
			for b.Loop() {
				stats.NewNest(est, terms).GreedyCost(255)
			}
		})
	}
}

func benchFigures(b *testing.B) (graph, label stats.TensorStats) {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 10000
	var from, to []fibers.Coord
	for range 20000 {
		u, v := fibers.Coord(n*math.Pow(rng.Float64(), 3)), fibers.Coord(n*math.Pow(rng.Float64(), 3))
		from, to = append(from, u, v), append(to, v, u)
	}
	return edgesOf(b, n, from, to), stats.TensorStats{NNZ: 30, Dims: []float64{n}, Distinct: []float64{30}, Exact: true}
}
