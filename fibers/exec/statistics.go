package exec

import (
	"context"
	"slices"

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
	out.Degrees = stats.NewDegrees(out.NNZ, modes, pairs, walksOf(s.Walks))
	return out
}

// ShapeOf puts the shape of a tensor's entries in the planner's terms: of the
// layout in its own order of modes, and of the other one of two modes.
func ShapeOf(c *fibers.COO) *stats.Shape {
	own := make([]int, len(c.Dims))
	for m := range own {
		own[m] = m
	}
	out := &stats.Shape{Layouts: []stats.LayoutShape{{Order: own, Levels: levelShapes(c.Shapes())}}}
	if transposed := c.ShapesTransposed(); transposed != nil {
		out.Layouts = append(out.Layouts, stats.LayoutShape{Order: []int{1, 0}, Levels: levelShapes(transposed)})
	}
	return out
}

func levelShapes(levels []fibers.LevelShape) []stats.LevelShape {
	out := make([]stats.LevelShape, len(levels))
	for l, s := range levels {
		out[l] = stats.LevelShape{Single: s.Single, Block: s.Block, Equal: s.Equal, Runs: float64(s.Runs)}
	}
	return out
}

// Measure gathers the statistics of a step's result. Level l of the tensor
// stores mode order[l], and domains names the domain of each mode; the answer is
// by modes. O(entries).
func Measure(ctx context.Context, t *fibers.Tensor, order, domains []int) (stats.TensorStats, error) {
	stored := make([]int, len(order))
	for l, m := range order {
		stored[l] = domains[m]
	}
	s, err := t.Statistics(ctx, stored)
	if err != nil {
		return stats.TensorStats{}, err
	}
	levels := Statistics(s)
	out := levels
	out.Dims, out.Distinct = make([]float64, len(order)), make([]float64, len(order))
	modes := make([]stats.ModeDegrees, len(order))
	for l, m := range order {
		out.Dims[m], out.Distinct[m], modes[m] = levels.Dims[l], levels.Distinct[l], levels.Degrees.Modes[l]
	}
	var pairs []stats.PairDegrees
	for _, p := range levels.Degrees.Pairs {
		p.A, p.B = order[p.A], order[p.B]
		if p.A > p.B {
			p.A, p.B, p.MaxBOfA, p.MaxAOfB = p.B, p.A, p.MaxAOfB, p.MaxBOfA
		}
		pairs = append(pairs, p)
	}
	walks := walksOf(s.Walks)
	if walks != nil && !walks.Symmetric && !slices.IsSorted(order) {
		walks = nil // they are about edges the other way around
	}
	out.Degrees = stats.NewDegrees(out.NNZ, modes, pairs, walks)
	return out, nil
}

// walksOf is nil for a tensor that is no graph.
func walksOf(w *fibers.WalkStatistics) *stats.Walks {
	if w == nil {
		return nil
	}
	return &stats.Walks{
		Symmetric: w.Symmetric, Reverse: w.Reverse, Neighbours: w.Neighbours,
		Transitive: w.Transitive, Cyclic: w.Cyclic, Common: w.Common, Apart: w.Apart,
	}
}
