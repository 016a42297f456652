package exec

import (
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Statistics puts what was gathered from a tensor in the planner's terms, mode
// by mode. All of it but the walks is exact for the entries at hand.
func Statistics(s *fibers.Statistics) stats.TensorStats {
	out := stats.TensorStats{NNZ: float64(s.Entries), Exact: true}
	classes := make([]*stats.Classes, len(s.Classes))
	for i := range s.Classes {
		classes[i] = stats.NewClasses(s.Classes[i].Count, s.Classes[i].Degree)
	}
	var modes []stats.ModeDegrees
	for m, mode := range s.Modes {
		out.Dims = append(out.Dims, float64(s.Dims[m]))
		out.Distinct = append(out.Distinct, float64(mode.Distinct))
		d := stats.ModeDegrees{Max: mode.Max, Squares: mode.Squares, Cubes: mode.Cubes, Fourths: mode.Fourths}
		if mode.Classes >= 0 {
			d.Classes, d.Row = classes[mode.Classes], mode.Row
		}
		modes = append(modes, d)
	}
	var pairs []stats.PairDegrees
	for _, p := range s.Pairs {
		pairs = append(pairs, stats.PairDegrees{
			A: p.A, B: p.B, Distinct: float64(p.Distinct), MaxBOfA: float64(p.MaxBOfA), MaxAOfB: float64(p.MaxAOfB),
		})
	}
	var walks *stats.Walks
	if w := s.Walks; w != nil {
		walks = &stats.Walks{
			Symmetric: w.Symmetric, Reverse: w.Reverse, Neighbours: w.Neighbours,
			Transitive: w.Transitive, Cyclic: w.Cyclic, Common: w.Common, Apart: w.Apart,
		}
	}
	out.Degrees = stats.NewDegrees(out.NNZ, modes, pairs, walks)
	return out
}
