package stats

import "slices"

// Shape says in which layouts the entries of a stored tensor have a special form.
// It is exact, shared and never changed.
type Shape struct{ Layouts []LayoutShape }

// LayoutShape is about the layout that stores mode Order[l] at level l.
type LayoutShape struct {
	Order  []int
	Levels []LevelShape
}

// LevelShape is about the fibers of one level of a layout.
type LevelShape struct {
	// Single: no fiber has two entries. Block: the coordinates of every fiber are
	// consecutive. Equal: a Block at the last level, and the values of every fiber
	// are equal.
	Single, Block, Equal bool
	// Runs is, of the last level, the number of runs of consecutive coordinates
	// with equal values; 0: unknown, or too many to matter.
	Runs float64
}

// Full reports whether every coordinate of every mode is known to be stored. A
// level kind may be chosen for it, so a plan must not outlive it.
func (t *TensorStats) Full() bool {
	if t.Shape == nil || t.NNZ == 0 || len(t.Dims) == 0 {
		return false
	}
	cells := 1.0
	for _, d := range t.Dims {
		cells *= d
	}
	return cells == t.NNZ
}

// Of returns what is known of a layout, one answer per level; nil for nothing.
func (s *Shape) Of(order []int) []LevelShape {
	if s == nil {
		return nil
	}
	for i := range s.Layouts {
		if slices.Equal(s.Layouts[i].Order, order) {
			return s.Layouts[i].Levels
		}
	}
	return nil
}

// Alike reports whether the two say the same of the same layouts; numbers of runs
// are compared by similar.
func (s *Shape) Alike(t *Shape, similar func(a, b float64) bool) bool {
	if s == nil || t == nil {
		return s == t
	}
	return slices.EqualFunc(s.Layouts, t.Layouts, func(a, b LayoutShape) bool {
		return slices.Equal(a.Order, b.Order) && slices.EqualFunc(a.Levels, b.Levels, func(x, y LevelShape) bool {
			return x.Single == y.Single && x.Block == y.Block && x.Equal == y.Equal && similar(x.Runs, y.Runs)
		})
	})
}
