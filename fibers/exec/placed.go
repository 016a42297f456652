package exec

import (
	"bytes"
	"math"
	"slices"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
)

// placedRows is the number of entries written to their places at once: they stay
// in the first level cache with a leaf or two.
const placedRows = 1 << 10

// placed is a result with a place per coordinate of its last mode, below every
// coordinate of the others. Workers write entries there as they finish them, so that
// neither chunks are kept nor entries copied when all are there.
type placed struct {
	kind    format.Kind // of the last level: Dense or Bytemap
	dims    []int
	leaves  []fibers.Leaf
	present []uint8
}

// placedKind is the last level's kind where an entry's place is known from its
// coordinates: all levels are arrays.
func placedKind(formats []format.Kind) (format.Kind, bool) {
	last := len(formats) - 1
	if last < 0 || slices.ContainsFunc(formats[:last], func(k format.Kind) bool { return k != format.Dense }) {
		return 0, false
	}
	return formats[last], formats[last] == format.Dense || formats[last] == format.Bytemap
}

// place lets the workers' entries be written to their places where the result has
// such, memory allows it, and no two of these morsels (none: there is but one) hold
// parts of one entry.
func (c *crew) place(morsels []morsel) {
	o := c.workers[0].entries.sink.out
	kind, ok := placedKind(c.entries.step.Output.Formats)
	if !ok || c.entries != c.binder {
		return
	}
	group := c.workers[0].entries.sink.group
	inside := func(p morsel) bool { return p.depth() > group }
	if len(morsels) > 0 && (group == 0 || slices.ContainsFunc(morsels, inside)) {
		return
	}
	places := 1
	for _, dim := range o.dims {
		if dim > 0 && places > math.MaxInt32/dim {
			return // as the layout will say, unless a slice of it is run
		}
		places *= dim
	}
	if bytes := o.placedBytes(places); !o.env.meter.hold(bytes) {
		o.env.meter.hold(-bytes)
		return
	}
	p := &placed{kind: kind, dims: o.dims, present: make([]uint8, places)}
	for l, a := range o.accs {
		p.leaves = append(p.leaves, fibers.NewLeaf(o.names[l], a.elem(), places))
	}
	for _, w := range c.workers {
		out := w.entries.sink.out
		out.placed, out.full = p, p.take
	}
}

// placedBytes is the size of the places, beside what lists them.
func (o *output) placedBytes(places int) int64 {
	return int64(places) * (o.entryBytes() - 4*int64(len(o.dims)) + 1)
}

// take writes a chunk's entries to their places. Workers may do so at the same
// time: no two have entries of one coordinate. The chunk's last coordinates become
// places.
func (p *placed) take(c *outChunk) {
	last := len(p.dims) - 1
	ks := c.coords[last][:c.n]
	stride := fibers.Coord(1)
	for m := last - 1; m >= 0; m-- {
		stride *= fibers.Coord(p.dims[m+1])
		for e, x := range c.coords[m][:c.n] {
			ks[e] += x * stride
		}
	}
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
	last := len(p.dims) - 1
	dim := p.dims[last]
	t := &fibers.Tensor{Dims: o.dims, NNZ: o.n, Leaves: p.leaves}
	t.KeepExponents()
	for _, d := range p.dims[:last] {
		t.Levels = append(t.Levels, &fibers.DenseLevel{Dim: int32(d)})
	}
	if o.n == len(p.present) {
		t.Distinct = slices.Clone(p.dims)
		if o.n == 0 {
			clear(t.Distinct)
		}
	}
	if p.kind == format.Dense && o.n == len(p.present) {
		o.env.store(-int64(len(p.present))) // nobody asks what is present
		t.Levels = append(t.Levels, &fibers.DenseLevel{Dim: int32(dim)})
		return t, nil
	}
	rows := 1
	for _, d := range p.dims[:last] {
		rows *= d
	}
	if !o.env.store(4 * (int64(o.n) + int64(rows-1))) {
		return nil, o.env.err
	}
	level := &fibers.BytemapLevel{Dim: int32(dim), Present: p.present, Ptr: make([]int32, rows+1), Idx: make([]fibers.Coord, o.n)}
	at := 0
	for r := range rows {
		at += p.row(r*dim, level.Idx[at:])
		level.Ptr[r+1] = int32(at)
	}
	invariant.Check(at == o.n, "exec: %d entries at %d places", o.n, at)
	if t.Distinct == nil {
		t.Distinct = p.distinct(level)
	}
	t.Levels = append(t.Levels, level)
	return t, nil
}

// row lists the coordinates that the fiber from a place on has, and returns how many.
func (p *placed) row(from int, dst []fibers.Coord) int {
	flags := p.present[from:][:p.dims[len(p.dims)-1]]
	if bytes.IndexByte(flags, 0) >= 0 {
		return flagged(flags, dst)
	}
	for k := range flags {
		dst[k] = fibers.Coord(k)
	}
	return len(flags)
}

// distinct counts the coordinates of each mode that have entries.
func (p *placed) distinct(level *fibers.BytemapLevel) []int {
	seen := make([][]uint8, len(p.dims))
	for m, dim := range p.dims {
		seen[m] = make([]uint8, dim)
	}
	last := len(p.dims) - 1
	for r := range len(level.Ptr) - 1 {
		ks := level.Idx[level.Ptr[r]:level.Ptr[r+1]]
		if len(ks) == 0 {
			continue
		}
		mark(seen[last], ks)
		for m, row := last-1, r; m >= 0; m-- {
			seen[m][row%p.dims[m]] = 1
			row /= p.dims[m]
		}
	}
	out := make([]int, len(p.dims))
	for m := range seen {
		out[m] = bytes.Count(seen[m], []byte{1})
	}
	return out
}
