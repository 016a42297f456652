package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
)

// placedRows is the number of entries written to their places at once: they stay
// in the first level cache with a leaf or two.
const placedRows = 1 << 10

// placed is a result of one mode with a place per coordinate. Workers write
// entries there as they finish them, so that neither chunks are kept nor entries
// copied when all are there.
type placed struct {
	kind    format.Kind // Dense or Bytemap
	leaves  []fibers.Leaf
	present []uint8
}

// place lets the workers' entries be written to their places where the result has
// such, memory allows it, and no two of these morsels (none: there is but one) hold
// parts of one entry.
func (c *crew) place(morsels []morsel) {
	o := c.workers[0].entries.sink.out
	kind, ok := flatKind(c.entries.step.Output.Formats)
	if !ok || kind == format.SparseList || c.entries != c.binder || len(o.dims) != 1 {
		return
	}
	inside := func(p morsel) bool { return p.depth() > 1 }
	if len(morsels) > 0 && (c.workers[0].entries.sink.group != 1 || slices.ContainsFunc(morsels, inside)) {
		return
	}
	dim := o.dims[0]
	if bytes := o.flatBytes(format.Bytemap, dim); !o.env.meter.hold(bytes) {
		o.env.meter.hold(-bytes)
		return
	}
	p := &placed{kind: kind, present: make([]uint8, dim)}
	for l, a := range o.accs {
		p.leaves = append(p.leaves, fibers.NewLeaf(o.names[l], a.elem(), dim))
	}
	for _, w := range c.workers {
		out := w.entries.sink.out
		out.placed, out.full = p, p.take
	}
}

// take writes a chunk's entries to their places. Workers may do so at the same
// time: no two have entries of one coordinate.
func (p *placed) take(c *outChunk) {
	ks := c.coords[0]
	for l := range p.leaves {
		spreadLeaf(&p.leaves[l], &c.leaves[l], ks)
	}
	mark(p.present, ks)
}

// flush writes what the worker's chunk still holds.
func (p *placed) flush(o *output) {
	for _, c := range o.chunks {
		p.take(c)
		c.empty()
	}
}

// mark sets the flags of ascending coordinates; where they are consecutive, which
// many are, without looking at each.
func mark(flags []uint8, ks []fibers.Coord) {
	if n := len(ks); n > 0 && int(ks[n-1]-ks[0]) == n-1 {
		run := flags[ks[0]:][:n]
		for i := range run {
			run[i] = 1
		}
		return
	}
	for _, k := range ks {
		flags[k] = 1
	}
}

// tensor is the result of n entries.
func (p *placed) tensor(o *output) (*fibers.Tensor, error) {
	dim := len(p.present)
	t := &fibers.Tensor{Dims: o.dims, NNZ: o.n, Distinct: []int{o.n}, Leaves: p.leaves}
	t.KeepExponents()
	if p.kind == format.Dense && o.n == dim {
		o.env.store(-int64(dim)) // nobody asks what is present
		t.Levels = []fibers.Level{&fibers.DenseLevel{Dim: int32(dim)}}
		return t, nil
	}
	if !o.env.store(4 * int64(o.n)) {
		return nil, o.env.err
	}
	idx := make([]fibers.Coord, o.n)
	if o.n == dim {
		for k := range idx {
			idx[k] = fibers.Coord(k)
		}
	} else {
		n := flagged(p.present, idx)
		invariant.Check(n == o.n, "exec: %d entries at %d places", o.n, n)
	}
	t.Levels = []fibers.Level{&fibers.BytemapLevel{Dim: int32(dim), Present: p.present, Ptr: []int32{0, int32(o.n)}, Idx: idx}}
	return t, nil
}
