package fibers

import (
	"context"
	"math"
	"math/bits"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// Tensor lays the entries out: level l stores mode order[l] in formats[l], so
// the result's modes are in layout order. It sorts when the order asks for it,
// O(N) passes. A last level asked to be Dense is a Bytemap when a coordinate is
// absent (F4), and a level of a Shaped kind is a SparseList when the entries do
// not have that shape. Fails with ErrTooMany when positions pass 2^31-1.
func (c *COO) Tensor(ctx context.Context, order []int, formats []format.Kind) (*Tensor, error) {
	invariant.Check(len(order) == len(c.Dims) && len(formats) == len(order),
		"fibers: layout of %d modes, %d formats for %d modes", len(order), len(formats), len(c.Dims))
	sorted, err := c.reorder(ctx, order)
	if err != nil {
		return nil, err
	}
	t := &Tensor{Dims: sorted.Dims, Leaves: sorted.Leaves, NNZ: sorted.N}
	t.KeepExponents()
	if len(order) == 0 {
		invariant.Check(c.N <= 1, "fibers: scalar with %d entries", c.N)
		return t, nil
	}
	b := levelBuilder{coo: sorted, parents: 1}
	if b.starts, err = sorted.nodeStarts(ctx); err != nil {
		return nil, err
	}
	for l, kind := range formats {
		level, err := b.add(ctx, l, kind)
		if err != nil {
			return nil, err
		}
		t.Levels = append(t.Levels, level)
	}
	if t.Leaves, err = b.leaves(ctx); err != nil {
		return nil, err
	}
	t.Distinct, err = sorted.distinct(ctx)
	return t, err
}

// leaves puts every value at the position of its entry.
func (b *levelBuilder) leaves(ctx context.Context) ([]Leaf, error) {
	if b.picked == nil && !b.spread {
		return b.coo.Leaves, nil
	}
	out := make([]Leaf, len(b.coo.Leaves))
	for l := range out {
		leaf, err := b.coo.Leaves[l].gather(ctx, b.picked)
		if err == nil && b.spread {
			leaf, err = leaf.scatter(ctx, b.pos, b.parents)
		}
		if err != nil {
			return nil, err
		}
		out[l] = leaf
	}
	return out, nil
}

// levelBuilder makes levels from the outermost inwards.
type levelBuilder struct {
	coo     *COO
	starts  [][]int32 // per level, the entry that each of its nodes begins with; nil: every one
	parents int       // positions of the level above
	pos     []int32   // position of each node of the level above
	spread  bool      // its positions are not its nodes' ordinals
	picked  []int32   // last level, Shared: the entry whose values stand for each position's; nil: every entry
}

// nodes lists the nodes of level l: coordinate and parent position.
func (b *levelBuilder) nodes(ctx context.Context, l int) (idx []Coord, parent []int32, err error) {
	starts := b.starts[l]
	idx, err = pickStarts(ctx, b.coo.Coords[l][:b.coo.N], starts)
	if err != nil {
		return nil, nil, err
	}
	parent = make([]int32, len(idx))
	if l == 0 {
		return idx, parent, nil
	}
	from := 0
	for above := range b.starts[l-1] {
		if above&(checkEvery-1) == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		to := b.firstBelow(l, above+1, from)
		p := b.parent(l, above)
		for i := from; i < to; i++ {
			parent[i] = p
		}
		from = to
	}
	return idx, parent, nil
}

// firstBelow is the ordinal in level l of the first node below node number above
// of the level over it, or the number of nodes; it is not before from.
func (b *levelBuilder) firstBelow(l, above, from int) int {
	end := b.coo.N
	if over := b.starts[l-1]; above < len(over) {
		end = int(over[above])
	}
	starts := b.starts[l]
	if starts == nil {
		return end
	}
	for from < len(starts) && int(starts[from]) < end {
		from++
	}
	return from
}

// add makes level l and moves b down to it.
func (b *levelBuilder) add(ctx context.Context, l int, kind format.Kind) (Level, error) {
	if kind.Shaped() {
		if level, ok, err := b.addShaped(ctx, l, kind); ok || err != nil {
			return level, err
		}
		kind = format.SparseList
	}
	if kind == format.SparseList || kind == format.Hash {
		return b.addSparse(ctx, l, kind)
	}
	idx, parent, err := b.nodes(ctx, l)
	if err != nil {
		return nil, err
	}
	dim := b.coo.Dims[l]
	if kind == format.Dense && l == len(b.coo.Dims)-1 && len(idx) != b.parents*dim {
		kind = format.Bytemap
	}
	switch kind {
	case format.Dense:
		if err := b.descendSpread(idx, parent, dim); err != nil {
			return nil, err
		}
		return &DenseLevel{Dim: int32(dim)}, nil
	case format.Bytemap:
		ptr := pointers(parent, b.parents)
		if err := b.descendSpread(idx, parent, dim); err != nil {
			return nil, err
		}
		present := make([]uint8, b.parents)
		for _, p := range b.pos {
			present[p] = 1
		}
		return &BytemapLevel{Dim: int32(dim), Present: present, Ptr: ptr, Idx: idx}, nil
	default:
		panic(invariant.Failed("fibers: level kind %d", kind))
	}
}

// addSparse makes level l a sorted list, with a hash over it for Hash. The last
// level shares the entries' column.
func (b *levelBuilder) addSparse(ctx context.Context, l int, kind format.Kind) (Level, error) {
	idx, err := pickStarts(ctx, b.coo.Coords[l][:b.coo.N:b.coo.N], b.starts[l])
	if err != nil {
		return nil, err
	}
	ptr := make([]int32, b.parents+1)
	next, from := 0, 0 // the parent positions before next have their pointers
	for above := 0; l > 0 && above < len(b.starts[l-1]); above++ {
		if above&(checkEvery-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		from = b.firstBelow(l, above, from)
		for p := int(b.parent(l, above)); next <= p; next++ {
			ptr[next] = int32(from)
		}
	}
	for next = max(next, 1); next <= b.parents; next++ {
		ptr[next] = int32(len(idx))
	}
	b.parents, b.pos, b.spread = len(idx), nil, false
	if kind == format.Hash {
		return newHashLevel(ctx, ptr, idx)
	}
	return &SparseListLevel{Ptr: ptr, Idx: idx}, nil
}

// parent is the position of node number above of the level above level l.
func (b *levelBuilder) parent(l, above int) int32 {
	switch {
	case l == 0:
		return 0
	case b.spread:
		return b.pos[above]
	default:
		return int32(above)
	}
}

// descendSpread gives the nodes positions parent*dim+c.
func (b *levelBuilder) descendSpread(idx []Coord, parent []int32, dim int) error {
	if b.parents > 0 && dim > math.MaxInt32/b.parents {
		return ErrTooMany
	}
	b.parents *= dim
	b.pos, b.spread = parent, true
	for e, c := range idx {
		b.pos[e] = parent[e]*int32(dim) + c
	}
	return nil
}

// pointers returns the fibers' bounds for nodes with ascending parents.
func pointers(parent []int32, parents int) []int32 {
	ptr := make([]int32, parents+1)
	for _, p := range parent {
		ptr[p+1]++
	}
	for p := range parents {
		ptr[p+1] += ptr[p]
	}
	return ptr
}

// distinct counts the coordinates that occur in each mode, if nobody has.
func (c *COO) distinct(ctx context.Context) ([]int, error) {
	if c.occurring != nil {
		return c.occurring, nil
	}
	out := make([]int, len(c.Dims))
	return out, inParallel(c.workers, len(out), func(m int) error {
		out[m] = countDistinct(c.Coords[m], c.Dims[m])
		return ctx.Err()
	})
}

// countDistinct marks the coordinates in a bitmap, or in a map when the
// dimension dwarfs their number.
func countDistinct(col []Coord, dim int) int {
	if dim > 64*len(col)+1<<16 {
		seen := make(map[Coord]struct{}, len(col))
		for _, c := range col {
			seen[c] = struct{}{}
		}
		return len(seen)
	}
	seen := make([]uint64, dim/64+1)
	for _, c := range col {
		seen[c>>6] |= 1 << (c & 63)
	}
	n := 0
	for _, w := range seen {
		n += bits.OnesCount64(w)
	}
	return n
}

// Empty returns a tensor without entries: sorted lists of the given dimensions,
// leaves of the given names and types.
func Empty(dims []int, leaves []Leaf) *Tensor {
	t := &Tensor{Dims: dims, Distinct: make([]int, len(dims))}
	for range dims {
		ptr := make([]int32, 1, 2)
		if len(t.Levels) == 0 {
			ptr = ptr[:2]
		}
		t.Levels = append(t.Levels, &SparseListLevel{Ptr: ptr})
	}
	for _, l := range leaves {
		t.Leaves = append(t.Leaves, NewLeaf(l.Name, l.Elem, 0))
	}
	return t
}

// Scalar returns a tensor of no modes with one entry, whose leaves hold one
// value each.
func Scalar(leaves []Leaf) *Tensor {
	for _, l := range leaves {
		invariant.Check(l.Elem == semiring.Pattern || len(l.I64)+len(l.I128)+len(l.F64) == 1,
			"fibers: scalar leaf %s has not one value", l.Name)
	}
	return &Tensor{Leaves: leaves, NNZ: 1}
}

// LayoutBytes is what the levels and spread leaves of Tensor would take, for
// entries that are in order already and the modes in their own order.
func (c *COO) LayoutBytes(ctx context.Context, formats []format.Kind) (int64, error) {
	perPosition := int64(0)
	for l := range c.Leaves {
		perPosition += ElemBytes(c.Leaves[l].Elem)
	}
	total, positions := int64(0), int64(1)
	prefix := make([]int, len(formats)) // nodes per level
	for e := range c.N {
		if e&(checkEvery-1) == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		l := 0
		for e > 0 && l < len(formats) && c.Coords[l][e] == c.Coords[l][e-1] {
			l++
		}
		if l < len(formats) {
			prefix[l]++
		}
	}
	nodes := int64(0)
	for l, kind := range formats {
		nodes += int64(prefix[l])
		spread := positions * int64(c.Dims[l])
		switch kind {
		case format.Dense, format.Bytemap:
			if kind == format.Bytemap {
				total += spread + 4*(positions+nodes)
			}
			positions = spread
			if l == len(formats)-1 && spread != nodes {
				total += spread * perPosition
			}
		default:
			total += 4 * (positions + nodes)
			if kind == format.Hash {
				total += 48 * nodes // at most four places of 12 bytes per entry
			}
			positions = nodes
		}
		if positions > 1<<40 {
			return positions, nil // beyond any budget; keeps the product from wrapping
		}
	}
	return total, nil
}
