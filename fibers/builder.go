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
	chunkRows = 1 << chunkLog // chunks: growing one slice costs 4x (KERNELS.md)
	// firstRows is the size of the first chunk: most tables are small.
	firstRows = 1 << 11
	chunksMax = 1 << (31 - chunkLog)
)

// chunk holds rows in column form. Row r of chunk i has the number
// i<<chunkLog + r; numbers need not be dense.
type chunk struct {
	used, size int
	coords     [][]Coord
	leaves     []Leaf // slices nil: 1 per row
}

// Builder gathers rows, in any order and with duplicates, into a COO. It is
// used by one goroutine.
type Builder struct {
	modes   int
	specs   []LeafSpec
	chunks  []*chunk
	n       int
	valued  []bool // per leaf, whether any batch gave values
	workers int
	room    Room
}

// NewBuilder starts a tensor of so many modes with the given leaves; leaf 0 is "n".
func NewBuilder(modes int, leaves []LeafSpec) *Builder {
	return &Builder{modes: modes, specs: leaves, valued: make([]bool, len(leaves)), workers: 1}
}

// SetWorkers sets how many goroutines Finish may use, and the layouts and
// statistics of what it returns; 1 unless set.
func (b *Builder) SetWorkers(n int) { b.workers = max(n, 1) }

// Rows returns how many rows were appended.
func (b *Builder) Rows() int { return b.n }

// Bytes estimates the memory held.
func (b *Builder) Bytes() int64 {
	row := int64(4 * b.modes)
	for l := range b.specs {
		if b.valued[l] {
			row += ElemBytes(b.elem(l))
		}
	}
	total := int64(0)
	for _, c := range b.chunks {
		total += row * int64(c.size)
	}
	return total
}

// elem is the type in which a leaf's values are gathered.
func (b *Builder) elem(l int) semiring.Elem {
	if b.specs[l].Elem == semiring.Pattern {
		return semiring.I64
	}
	return b.specs[l].Elem
}

// Room is a place for rows that Extend has made: the caller writes every
// coordinate, and every value of the leaves that are not Pattern, of which
// each row counts 1.
type Room struct {
	Coords [][]Coord
	Leaves []Leaf
}

// Extend adds n rows, at most 32768, whose columns the caller fills. The room
// is valid until the next call of Extend or Append; what it points to may be
// written until Finish. Values of leaves are zero at first.
func (b *Builder) Extend(n int) (*Room, error) {
	invariant.Check(n <= chunkRows, "fibers: room for %d rows", n)
	c, err := b.chunkFor(n)
	if err != nil {
		return nil, err
	}
	if b.room.Coords == nil {
		b.room = Room{Coords: make([][]Coord, b.modes), Leaves: make([]Leaf, len(b.specs))}
	}
	from, to := c.used, c.used+n
	for m := range c.coords {
		b.room.Coords[m] = c.coords[m][from:to:to]
	}
	for l := range b.specs {
		b.room.Leaves[l] = Leaf{Name: b.specs[l].Name}
		if b.specs[l].Elem != semiring.Pattern {
			b.store(c, l)
			b.room.Leaves[l] = c.leaves[l].slice(from, to)
		}
	}
	b.take(c, n)
	return &b.room, nil
}

// chunkFor returns a chunk with room for n rows.
func (b *Builder) chunkFor(n int) (*chunk, error) {
	if n > math.MaxInt32-1-b.n {
		return nil, ErrTooMany
	}
	if len(b.chunks) > 0 {
		if c := b.chunks[len(b.chunks)-1]; c.size-c.used >= n {
			return c, nil
		}
	}
	if len(b.chunks) == chunksMax {
		return nil, ErrTooMany
	}
	size := chunkRows
	if len(b.chunks) == 0 {
		size = max(firstRows, n)
	}
	c := &chunk{size: size, coords: make([][]Coord, b.modes), leaves: make([]Leaf, len(b.specs))}
	for m := range c.coords {
		c.coords[m] = make([]Coord, size)
	}
	b.chunks = append(b.chunks, c)
	return c, nil
}

func (b *Builder) take(c *chunk, n int) {
	c.used += n
	b.n += n
}

// store gives a leaf of a chunk places for its values; those of rows that are
// there already, which had none, are 1.
func (b *Builder) store(c *chunk, l int) {
	if c.leaves[l].stored() {
		return
	}
	c.leaves[l] = NewLeaf(b.specs[l].Name, b.elem(l), c.size)
	b.valued[l] = true
	if b.elem(l) == semiring.I64 {
		fillOnes(c.leaves[l].I64[:c.used])
	}
}

// Append copies n rows: coords per mode, leaves in the order of their specs. A
// Pattern or I64 leaf without slices counts 1 per row.
func (b *Builder) Append(n int, coords [][]Coord, leaves []Leaf) error {
	invariant.Check(len(coords) == b.modes && len(leaves) == len(b.specs),
		"fibers: batch of %d modes, %d leaves for a builder of %d, %d", len(coords), len(leaves), b.modes, len(b.specs))
	for from := 0; from < n; {
		c, err := b.chunkFor(1)
		if err != nil {
			return err
		}
		take := min(n-from, c.size-c.used)
		for m := range coords {
			copy(c.coords[m][c.used:c.used+take], coords[m][from:from+take])
		}
		for l := range leaves {
			b.appendLeaf(c, l, &leaves[l], from, take)
		}
		b.take(c, take)
		from += take
	}
	return nil
}

// appendLeaf copies rows from..from+take of a leaf to the chunk's end.
func (b *Builder) appendLeaf(c *chunk, l int, src *Leaf, from, take int) {
	elem := b.elem(l)
	given := src.stored()
	invariant.Check(given || elem == semiring.I64, "fibers: leaf %s has no values", b.specs[l].Name)
	dst := &c.leaves[l]
	if !given && !dst.stored() {
		return
	}
	b.store(c, l)
	used := c.used
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

// Renumber replaces the values of an I64 leaf that are below len(table) by their
// entries in it; others, which stand for no value, stay.
func (b *Builder) Renumber(l int, table []int64) {
	for _, c := range b.chunks {
		for e, v := range c.leaves[l].I64 {
			if uint64(v) < uint64(len(table)) {
				c.leaves[l].I64[e] = table[v]
			}
		}
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
// all its values are 1. The Builder is empty afterwards. The context is looked
// at every 65,536 rows.
func (b *Builder) Finish(ctx context.Context, dims []int) (*COO, error) {
	invariant.Check(len(dims) == b.modes, "fibers: %d dimensions for %d modes", len(dims), b.modes)
	defer func() { b.chunks, b.n = nil, 0 }()
	g, err := b.group(ctx, dims)
	if err != nil {
		return nil, err
	}
	c := &COO{Dims: dims, N: g.len(), Coords: g.coords, Leaves: make([]Leaf, len(b.specs)), ascending: true, workers: b.workers}
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
