package cache

import (
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// shapeOf puts the shape of a table's entries in the planner's terms: of the
// layout in the table's order of modes, and of the other one of two modes.
func shapeOf(c *fibers.COO) *stats.Shape {
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
