package exec

import (
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Statistics puts what was gathered from a tensor in the planner's terms, mode
// by mode. All of it is exact for the entries at hand. O(modes).
func Statistics(s *fibers.Statistics) stats.TensorStats {
	out := stats.TensorStats{NNZ: float64(s.Entries), Exact: true, Degrees: &stats.Degrees{}}
	classes := make([]*stats.Classes, len(s.Classes))
	for i := range s.Classes {
		classes[i] = &stats.Classes{Count: s.Classes[i].Count}
	}
	for m, mode := range s.Modes {
		out.Dims = append(out.Dims, float64(s.Dims[m]))
		out.Distinct = append(out.Distinct, float64(mode.Distinct))
		d := stats.ModeDegrees{Max: mode.Max, Squares: mode.Squares, Cubes: mode.Cubes, Fourths: mode.Fourths}
		if mode.Classes >= 0 {
			d.Classes, d.Degree = classes[mode.Classes], s.Classes[mode.Classes].Degree[mode.Row]
		}
		out.Degrees.Modes = append(out.Degrees.Modes, d)
	}
	for _, p := range s.Pairs {
		out.Degrees.Pairs = append(out.Degrees.Pairs, stats.PairDegrees{
			A: p.A, B: p.B, Distinct: float64(p.Distinct), MaxBOfA: float64(p.MaxBOfA), MaxAOfB: float64(p.MaxAOfB),
		})
	}
	if w := s.Walks; w != nil {
		out.Degrees.Walks = &stats.Walks{
			Symmetric: w.Symmetric, Neighbours: w.Neighbours, Transitive: w.Transitive, Cyclic: w.Cyclic,
			Common: w.Common, Apart: w.Apart,
		}
	}
	return out
}
