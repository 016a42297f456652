package fibers

// LevelShape says which special form the fibers of one level of a layout have;
// format.Kind names a level kind for each.
type LevelShape struct {
	// Single: no fiber has two entries. Block: the coordinates of every fiber are
	// consecutive. Both also of fibers that are empty.
	Single, Block bool
	// Equal: the last level is a Block, and the values of every fiber are equal.
	Equal bool
	// Runs is, of the last level, the number of runs of consecutive coordinates
	// with equal values; 0 when there are too many to matter.
	Runs int
}

// leastRun is the mean length of a run from which runs are counted to the end.
const leastRun = 8

// Shapes looks at the entries in the order of the modes: one answer per level.
// It looks at each entry until no form is left, which most often is soon. The
// entries are distinct and ascending.
func (c *COO) Shapes() []LevelShape {
	out := make([]LevelShape, len(c.Coords))
	if c.N == 0 || len(out) == 0 {
		return out
	}
	last := len(out) - 1
	for l := range out {
		out[l] = LevelShape{Single: l > 0, Block: true}
	}
	out[last].Equal = true
	open := out // levels whose form the entries have to tell
	if last > 0 && c.occurring != nil {
		open = out[1:]
		defer func() { out[0].Block = c.firstBlock() }()
	}
	runs, limit := 1, max(1, c.N/leastRun)
	for e := 1; e < c.N; e++ {
		l := 0
		for l < last && c.Coords[l][e] == c.Coords[l][e-1] {
			l++
		}
		follows := c.Coords[l][e] == c.Coords[l][e-1]+1
		s := &out[l]
		s.Single, s.Block = false, s.Block && follows
		equal := l == last && follows && (s.Equal || runs <= limit) && c.equalLeaves(e, e-1)
		s.Equal = s.Equal && equal
		if !equal {
			runs++
		}
		if runs > limit && !anyForm(open) {
			return out
		}
	}
	if runs <= limit {
		out[last].Runs = runs
	}
	return out
}

// firstBlock reports whether the coordinates of mode 0 are consecutive, of which
// it is known how many there are.
func (c *COO) firstBlock() bool {
	return c.occurring[0] == int(c.Coords[0][c.N-1]-c.Coords[0][0])+1
}

// anyForm reports whether a level still has a form.
func anyForm(s []LevelShape) bool {
	for _, l := range s {
		if l.Single || l.Block {
			return true
		}
	}
	return false
}

// ShapesTransposed is Shapes of a tensor of two modes for the layout of mode 1
// above mode 0; nil where an array of mode 1's size is not affordable. The form
// of its first level is not looked for.
func (c *COO) ShapesTransposed() []LevelShape {
	if len(c.Coords) != 2 || c.N == 0 || !countable(c.Dims[1], c.N) {
		return nil
	}
	s := LevelShape{Single: true, Block: true, Equal: true}
	before := make([]int32, c.Dims[1]) // per coordinate, its last entry plus one
	runs, limit := 0, max(1, c.N/leastRun)
	for e, x := range c.Coords[1][:c.N] {
		f := int(before[x]) - 1
		before[x] = int32(e) + 1
		if f < 0 {
			runs++
			continue
		}
		follows := c.Coords[0][e] == c.Coords[0][f]+1
		s.Single, s.Block = false, s.Block && follows
		equal := follows && (s.Equal || runs <= limit) && c.equalLeaves(e, f)
		s.Equal = s.Equal && equal
		if !equal {
			runs++
		}
		if !s.Block && runs > limit {
			return make([]LevelShape, 2)
		}
	}
	if runs <= limit {
		s.Runs = runs
	}
	return []LevelShape{{}, s}
}
