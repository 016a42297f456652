package fibers

import (
	"context"
	"errors"
	"math"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// ErrTooMany is returned when positions or coordinates would exceed 2^31-1.
var ErrTooMany = errors.New("a tensor level would hold more than 2147483647 entries")

// ErrSumOverflow is returned when rows of one entry sum past 128 bits.
var ErrSumOverflow = errors.New("integer sum past 128 bits")

// LeafSpec declares one leaf of a Builder: Merge (Add, Min or Max) says how the
// values of rows with equal coordinates combine.
type LeafSpec struct {
	Name  string
	Elem  semiring.Elem
	Merge semiring.Op
}

const (
	chunkLog  = 15
	chunkRows = 1 << chunkLog // pooled chunks: growing one slice costs 4x (KERNELS.md)
)

// chunk holds up to chunkRows rows in column form.
type chunk struct {
	coords [][]Coord
	leaves []Leaf // slices nil: 1 per row
}

// Builder gathers rows, in any order and with duplicates, into a COO. It is
// used by one goroutine.
type Builder struct {
	modes  int
	specs  []LeafSpec
	chunks []*chunk
	n      int
	valued []bool // per leaf, whether any batch gave values
}

// NewBuilder starts a tensor of so many modes with the given leaves; leaf 0 is "n".
func NewBuilder(modes int, leaves []LeafSpec) *Builder {
	return &Builder{modes: modes, specs: leaves, valued: make([]bool, len(leaves))}
}

// Rows returns how many rows were appended.
func (b *Builder) Rows() int { return b.n }

// Bytes estimates the memory held.
func (b *Builder) Bytes() int64 {
	row := int64(4 * b.modes)
	for l, s := range b.specs {
		if b.valued[l] {
			row += ElemBytes(s.Elem)
		}
	}
	return row * chunkRows * int64(len(b.chunks))
}

// Append copies n rows: coords per mode, leaves in the order of their specs. A
// Pattern or I64 leaf without slices counts 1 per row.
func (b *Builder) Append(n int, coords [][]Coord, leaves []Leaf) error {
	invariant.Check(len(coords) == b.modes && len(leaves) == len(b.specs),
		"fibers: batch of %d modes, %d leaves for a builder of %d, %d", len(coords), len(leaves), b.modes, len(b.specs))
	if n > math.MaxInt32-1-b.n {
		return ErrTooMany
	}
	for from := 0; from < n; {
		used := b.n & (chunkRows - 1)
		if used == 0 {
			b.chunks = append(b.chunks, &chunk{coords: make([][]Coord, b.modes), leaves: make([]Leaf, len(b.specs))})
		}
		c := b.chunks[len(b.chunks)-1]
		take := min(n-from, chunkRows-used)
		for m := range coords {
			if c.coords[m] == nil {
				c.coords[m] = make([]Coord, chunkRows)
			}
			copy(c.coords[m][used:used+take], coords[m][from:from+take])
		}
		for l := range leaves {
			b.appendLeaf(c, l, used, &leaves[l], from, take)
		}
		from += take
		b.n += take
	}
	return nil
}

// appendLeaf copies rows from..from+take of a leaf to the chunk at used. The
// first values of a leaf turn the implicit ones before them into stored ones.
func (b *Builder) appendLeaf(c *chunk, l, used int, src *Leaf, from, take int) {
	elem := b.specs[l].Elem
	if elem == semiring.Pattern {
		elem = semiring.I64
	}
	given := src.I64 != nil || src.I128 != nil || src.F64 != nil
	invariant.Check(given || elem == semiring.I64, "fibers: leaf %s has no values", b.specs[l].Name)
	dst := &c.leaves[l]
	stored := dst.I64 != nil || dst.I128 != nil || dst.F64 != nil
	if !given && !stored {
		return
	}
	if !stored {
		*dst = NewLeaf(b.specs[l].Name, elem, chunkRows)
		b.valued[l] = true
		if elem == semiring.I64 {
			fillOnes(dst.I64[:used])
		}
	}
	switch {
	case !given:
		fillOnes(dst.I64[used : used+take])
	case elem == semiring.I64:
		copy(dst.I64[used:used+take], src.I64[from:from+take])
	case elem == semiring.I128:
		copy(dst.I128[used:used+take], src.I128[from:from+take])
	default:
		copy(dst.F64[used:used+take], src.F64[from:from+take])
	}
}

func fillOnes(v []int64) {
	for e := range v {
		v[e] = 1
	}
}

// Finish sorts the rows, merges those with equal coordinates and returns the
// entries. dims are the modes' dimensions; every coordinate is below its own.
// An I64 sum that overflows makes its leaf I128. Leaf 0 becomes Pattern when
// all its values are 1. The context is looked at every 65,536 rows.
func (b *Builder) Finish(ctx context.Context, dims []int) (*COO, error) {
	invariant.Check(len(dims) == b.modes, "fibers: %d dimensions for %d modes", len(dims), b.modes)
	g, err := b.group(ctx, dims)
	if err != nil {
		return nil, err
	}
	c := &COO{Dims: dims, N: len(g.starts), Coords: g.coords, Leaves: make([]Leaf, len(b.specs))}
	for l := range b.specs {
		if c.Leaves[l], err = b.mergeLeaf(ctx, l, g); err != nil {
			return nil, err
		}
	}
	if len(c.Leaves) > 0 && allOnes(&c.Leaves[0]) {
		c.Leaves[0] = Leaf{Name: c.Leaves[0].Name, Elem: semiring.Pattern}
	}
	return c, nil
}

func allOnes(l *Leaf) bool {
	if l.Elem != semiring.I64 {
		return l.Elem == semiring.Pattern
	}
	for _, v := range l.I64 {
		if v != 1 {
			return false
		}
	}
	return true
}

// groups are the rows in sorted order cut into runs of equal coordinates: run r
// is rows perm[starts[r]:starts[r+1]] (perm nil: the identity).
type groups struct {
	n      int
	perm   []int32
	starts []int32
	coords [][]Coord // per mode, per run
}

func (g *groups) end(r int) int32 {
	if r+1 < len(g.starts) {
		return g.starts[r+1]
	}
	return int32(g.n)
}

func (b *Builder) anyValued() bool {
	for _, v := range b.valued {
		if v {
			return true
		}
	}
	return false
}

func (b *Builder) group(ctx context.Context, dims []int) (*groups, error) {
	layout, ok := layoutKeys(dims)
	if !ok {
		return b.groupColumns(ctx, dims)
	}
	keys, sorted, err := b.packKeys(ctx, dims, &layout)
	if err != nil {
		return nil, err
	}
	g := &groups{n: b.n}
	if !sorted {
		if b.anyValued() {
			g.perm = identity(b.n)
		}
		if keys, g.perm, err = sortKeys(ctx, keys, g.perm, layout.bits); err != nil {
			return nil, err
		}
	}
	g.starts = make([]int32, 0, b.n)
	for e := range keys {
		if e&(checkEvery-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e == 0 || keys[e] != keys[e-1] {
			g.starts = append(g.starts, int32(e))
		}
	}
	g.coords = make([][]Coord, len(dims))
	for m := range dims {
		col := make([]Coord, len(g.starts))
		for r, s := range g.starts {
			col[r] = layout.coord(keys[s], m)
		}
		g.coords[m] = col
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func identity(n int) []int32 {
	perm := make([]int32, n)
	for e := range perm {
		perm[e] = int32(e)
	}
	return perm
}

// packKeys makes one key per row and reports whether they ascend.
func (b *Builder) packKeys(ctx context.Context, dims []int, layout *keyLayout) ([]uint64, bool, error) {
	keys := make([]uint64, b.n)
	sorted := true
	last := uint64(0)
	for i, c := range b.chunks {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		out := keys[i<<chunkLog : min((i+1)<<chunkLog, b.n)]
		for m, col := range c.coords {
			shift, dim := layout.shift[m], uint32(dims[m])
			for e, v := range col[:len(out)] {
				if uint32(v) >= dim {
					panic(invariant.Failed("fibers: coordinate %d of mode %d is not below %d", v, m, dim))
				}
				out[e] |= uint64(v) << shift
			}
		}
		for _, k := range out {
			sorted = sorted && k >= last
			last = k
		}
	}
	return keys, sorted, nil
}

// groupColumns is group for coordinates that do not fit one 64-bit key.
func (b *Builder) groupColumns(ctx context.Context, dims []int) (*groups, error) {
	cols := make([][]Coord, len(dims))
	for m := range cols {
		cols[m] = make([]Coord, b.n)
		for i, c := range b.chunks {
			copy(cols[m][i<<chunkLog:], c.coords[m])
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	perm, err := sortColumns(ctx, dims, cols, b.n)
	if err != nil {
		return nil, err
	}
	g := &groups{n: b.n, perm: perm, coords: make([][]Coord, len(dims))}
	prev := int32(-1)
	for e := range b.n {
		if e&(checkEvery-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p := int32(e)
		if perm != nil {
			p = perm[e]
		}
		if e > 0 && equalRows(cols, prev, p) {
			continue
		}
		prev = p
		g.starts = append(g.starts, int32(e))
		for m := range cols {
			g.coords[m] = append(g.coords[m], cols[m][p])
		}
	}
	return g, nil
}

func equalRows(cols [][]Coord, a, b int32) bool {
	for _, col := range cols {
		if col[a] != col[b] {
			return false
		}
	}
	return true
}
