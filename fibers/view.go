package fibers

import (
	"context"

	"github.com/trireme-db/trireme/internal/invariant"
)

// spanner is what a level tells about contiguous runs of parent positions; all
// levels implement it.
type spanner interface {
	// span maps parent positions [lo,hi) to the positions below them.
	span(lo, hi int32) (int32, int32)
	// count is the number of nodes below parent positions [lo,hi).
	count(lo, hi int32) int
	bytes() int64
}

var (
	_ spanner = (*DenseLevel)(nil)
	_ spanner = (*SparseListLevel)(nil)
	_ spanner = (*BytemapLevel)(nil)
	_ spanner = (*HashLevel)(nil)
	_ spanner = (*RunLevel)(nil)
	_ spanner = (*IntervalLevel)(nil)
	_ spanner = (*BandLevel)(nil)
	_ spanner = (*PinpointLevel)(nil)
)

// Fix returns the view of t at coordinate c of its outermost mode, without that
// mode; where nothing is stored, a tensor without entries. It copies no entry:
// one lookup, then O(1) per remaining level.
func (t *Tensor) Fix(c Coord) *Tensor {
	invariant.Check(len(t.Levels) > 0, "fibers: a tensor of no modes cannot be fixed")
	dims := t.Dims[1:]
	pos, ok := t.Levels[0].Lookup(t.Root, c)
	if t.NNZ == 0 || !ok {
		return Empty(dims, t.Leaves)
	}
	v := &Tensor{Dims: dims, Levels: t.Levels[1:], Leaves: t.Leaves, Root: pos, NNZ: 1, exponents: t.exponents}
	lo, hi := pos, pos+1
	for l, level := range v.Levels {
		s := level.(spanner)
		if l == len(v.Levels)-1 {
			v.NNZ = s.count(lo, hi)
		}
		lo, hi = s.span(lo, hi)
	}
	if v.NNZ == 0 {
		return Empty(dims, t.Leaves)
	}
	v.Distinct = make([]int, len(dims))
	for m := range v.Distinct {
		v.Distinct[m] = -1
	}
	if len(dims) == 1 {
		v.Distinct[0] = v.NNZ
	}
	return v
}

// Each calls f with the coordinates and leaf position of every entry in layout
// order until f returns false. coords is reused between calls.
func (t *Tensor) Each(f func(coords []Coord, pos int32) bool) {
	if t.NNZ > 0 {
		t.each(0, t.Root, make([]Coord, len(t.Levels)), f)
	}
}

func (t *Tensor) each(l int, parent int32, coords []Coord, f func([]Coord, int32) bool) bool {
	if l == len(t.Levels) {
		return f(coords, parent)
	}
	fiber := t.inner(l, parent)
	for e := fiber.next(0); e < fiber.N; e = fiber.next(e + 1) {
		coords[l] = fiber.Coord(e)
		if !t.each(l+1, fiber.Pos(e), coords, f) {
			return false
		}
	}
	return true
}

// innerFiber is a fiber of which entries that lead nowhere are passed over: an array has
// a position for every coordinate, of which far fewer may have entries below.
type innerFiber struct {
	Fiber
	below []int32 // the bounds of the fibers below; nil: no entry is passed over
}

func (t *Tensor) inner(l int, parent int32) innerFiber {
	in := innerFiber{Fiber: t.Levels[l].Fiber(parent)}
	if l+1 < len(t.Levels) && in.Idx == nil && in.Runs == nil && !in.Shared {
		in.below = bounds(t.Levels[l+1])
	}
	return in
}

// next is the first entry from e on that may have entries below it, N when there is none.
func (in *innerFiber) next(e int32) int32 {
	if in.below == nil || e >= in.N {
		return e
	}
	return e + emptyFrom(in.below[in.Base+e:in.Base+in.N+1])
}

// emptyFrom is how many fibers are empty before the first that is not, or all.
func emptyFrom(bounds []int32) int32 {
	n := int32(0)
	for int(n)+1 < len(bounds) && bounds[n] == bounds[n+1] {
		n++
	}
	return n
}

// bounds are where a level's fibers begin and end, by position; nil: it has none.
func bounds(level Level) []int32 {
	switch level := level.(type) {
	case *SparseListLevel:
		return level.Ptr
	case *HashLevel:
		return level.Ptr
	case *BytemapLevel:
		return level.Ptr
	default:
		return nil
	}
}

// COO lists the entries in layout order: distinct and ascending. O(NNZ).
func (t *Tensor) COO() *COO {
	c, err := t.Entries(context.Background())
	if err != nil {
		panic(invariant.Failed("fibers: a listing nobody cancels failed: %v", err))
	}
	return c
}

// Entries is COO for tensors so large that listing them should be cancellable.
func (t *Tensor) Entries(ctx context.Context) (*COO, error) {
	c := &COO{Dims: t.Dims, N: t.NNZ, Coords: make([][]Coord, len(t.Dims)), Leaves: make([]Leaf, len(t.Leaves)), ascending: true}
	for m := range c.Coords {
		c.Coords[m] = make([]Coord, t.NNZ)
	}
	listing := entryListing{ctx: ctx, t: t, coords: c.Coords, pos: make([]int32, t.NNZ)}
	if t.NNZ > 0 {
		if err := listing.below(0, t.Root); err != nil {
			return nil, err
		}
	}
	invariant.Check(listing.n == t.NNZ, "fibers: %d entries of a tensor of %d", listing.n, t.NNZ)
	for l := range t.Leaves {
		var err error
		if c.Leaves[l], err = t.Leaves[l].gather(ctx, listing.pos); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// entryListing writes the entries of a tensor down, a fiber of the last level at a time;
// the first n are there.
type entryListing struct {
	ctx    context.Context
	t      *Tensor
	coords [][]Coord
	pos    []int32
	n      int
	gas    int
}

// below lists what is below a position of the level above.
func (g *entryListing) below(l int, parent int32) error {
	if l == len(g.t.Levels) { // a scalar
		g.pos[g.n] = parent
		g.n++
		return nil
	}
	fiber := g.t.inner(l, parent)
	if l == len(g.t.Levels)-1 {
		return g.last(&fiber.Fiber, l)
	}
	for e := fiber.next(0); e < fiber.N; e = fiber.next(e + 1) {
		from := g.n
		if err := g.below(l+1, fiber.Pos(e)); err != nil {
			return err
		}
		fill(g.coords[l][from:g.n], fiber.Coord(e))
	}
	return nil
}

// last lists a fiber of the last level.
func (g *entryListing) last(fiber *Fiber, l int) error {
	if g.gas -= 1 + int(fiber.N); g.gas < 0 {
		if g.ctx.Err() != nil {
			return g.ctx.Err()
		}
		g.gas = checkEvery
	}
	n := int(fiber.N)
	fiber.Coords(0, g.coords[l][g.n:][:n])
	pos := g.pos[g.n:][:n]
	if fiber.Spread || fiber.Runs != nil || fiber.Shared {
		for e := range pos {
			pos[e] = fiber.Pos(int32(e))
		}
	} else {
		for e := range pos {
			pos[e] = fiber.Base + int32(e)
		}
	}
	g.n += n
	return nil
}

func fill(to []Coord, x Coord) {
	for i := range to {
		to[i] = x
	}
}

// Bytes is the memory of levels and leaves. Views count what they share.
func (t *Tensor) Bytes() int64 {
	total := int64(0)
	for _, l := range t.Levels {
		total += l.(spanner).bytes()
	}
	for l := range t.Leaves {
		total += t.Leaves[l].bytes()
	}
	return total
}

// Leaf returns the leaf with that name, or nil.
func (t *Tensor) Leaf(name string) *Leaf {
	for l := range t.Leaves {
		if t.Leaves[l].Name == name {
			return &t.Leaves[l]
		}
	}
	return nil
}

// Below returns the number of nodes of level l below positions [lo,hi) of the
// level above it, and the range of their positions. O(1).
func (t *Tensor) Below(l int, lo, hi int32) (nodes int, from, to int32) {
	s := t.Levels[l].(spanner)
	from, to = s.span(lo, hi)
	return s.count(lo, hi), from, to
}
