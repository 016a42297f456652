package exec

import (
	"context"
	"math"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

const (
	chunkMin = 64
	// firstMax bounds the first chunk of a morsel, which estimates size.
	firstMax = 1 << 12
	chunkMax = 1 << 15 // growing one slice costs 4x (KERNELS.md)
)

// output gathers finished entries, in ascending order, in chunks.
type output struct {
	env     *env
	dims    []int
	names   []string
	accs    []accumulator
	chunks  []*outChunk
	n       int
	row     []fibers.Coord // coordinates of the entry to append
	slotted []int          // dimensions of the last modes that a dense workspace's slots number; nil: one
	// expected is about how many entries come before the next detach.
	expected int
	// full takes a chunk that is full, which is then emptied and filled again
	// (RunFused, placed); nil: chunks are kept.
	full   func(*outChunk)
	placed *placed // takes the chunks; nil: nobody, or the step fused to this one
	// unplaced: nobody asks for coordinates or order.
	unplaced bool
}

type outChunk struct {
	coords [][]fibers.Coord
	leaves []fibers.Leaf
	n, cap int
}

// entryBytes is the size of one entry in a chunk.
func (o *output) entryBytes() int64 {
	size := 4 * int64(len(o.dims))
	for _, a := range o.accs {
		size += fibers.ElemBytes(a.elem())
	}
	return size
}

// append adds an entry at o.row with the values of a slot.
func (o *output) append(slot int32) {
	c := o.room()
	if c == nil {
		return
	}
	if !o.unplaced {
		for m, x := range o.row {
			c.coords[m] = append(c.coords[m], x)
		}
	}
	for l, a := range o.accs {
		a.emit(&c.leaves[l], slot)
	}
	c.n++
	o.n++
}

// appendFiber adds entries that agree with o.row but for the modes that their
// slots number, and clears the slots.
func (o *output) appendFiber(slots []fibers.Coord) {
	for len(slots) > 0 {
		c := o.room()
		if c == nil {
			return
		}
		n := min(len(slots), c.cap-c.n)
		if !o.unplaced {
			o.placeFiber(c, slots[:n])
		}
		first, run := kernel.Run(slots[:n])
		for l, a := range o.accs {
			if run && !o.unplaced { // else they are in no order
				a.drainRun(&c.leaves[l], first, n)
			} else {
				a.drain(&c.leaves[l], slots[:n])
			}
		}
		c.n += n
		o.n += n
		slots = slots[n:]
	}
}

// placeFiber appends the coordinates of a fiber's entries to a chunk.
func (o *output) placeFiber(c *outChunk, slots []fibers.Coord) {
	last := len(o.row) - max(len(o.slotted), 1)
	for m, x := range o.row[:last] {
		col := c.coords[m][:c.n+len(slots)]
		for e := c.n; e < len(col); e++ {
			col[e] = x
		}
		c.coords[m] = col
	}
	if len(o.slotted) < 2 {
		c.coords[last] = append(c.coords[last], slots...)
		return
	}
	for _, slot := range slots {
		for m := len(o.slotted) - 1; m >= 0; m-- {
			dim := fibers.Coord(o.slotted[m])
			c.coords[last+m] = append(c.coords[last+m], slot%dim)
			slot /= dim
		}
	}
}

// empty makes a chunk ready to be filled again.
func (c *outChunk) empty() {
	for m := range c.coords {
		c.coords[m] = c.coords[m][:0]
	}
	for l := range c.leaves {
		leaf := &c.leaves[l]
		leaf.I64, leaf.I128, leaf.F64 = leaf.I64[:0], leaf.I128[:0], leaf.F64[:0]
	}
	c.n = 0
}

// detach returns the entries and forgets them. A chunk whose entries have been
// placed stays, to be filled again.
func (o *output) detach() *output {
	out := *o
	o.n = 0
	if o.placed == nil {
		o.chunks = nil
	}
	return &out
}

// room returns a chunk with space, nil when the traversal must stop.
func (o *output) room() *outChunk {
	size := max(chunkMin, min(o.expected, firstMax))
	if k := len(o.chunks); k > 0 {
		last := o.chunks[k-1]
		if last.n < last.cap {
			return last
		}
		if o.full != nil {
			o.full(last)
			last.empty()
			return last
		}
		size = min(2*last.cap, chunkMax)
	}
	account := o.env.store
	switch {
	case o.placed != nil:
		size, account = placedRows, o.env.hold // the chunk goes with the worker
	case o.full != nil:
		size = fusedRows
	case o.n >= math.MaxInt32-chunkMax:
		o.env.err = fibers.ErrTooMany
		return nil
	}
	if !account(int64(size) * o.entryBytes()) {
		return nil
	}
	c := o.chunk(size)
	o.chunks = append(o.chunks, c)
	return c
}

// tensor joins the chunks and lays the entries out.
func (o *output) tensor(ctx context.Context, formats []format.Kind) (*fibers.Tensor, error) {
	if o.placed != nil {
		return o.placed.tensor(o)
	}
	if formats == nil {
		formats = defaultFormats(len(o.dims))
	}
	if kind, ok := flatKind(formats); ok && !o.unplaced {
		return o.flat(ctx, kind)
	}
	coo, err := o.join(ctx)
	if err != nil {
		return nil, err
	}
	// The layout shares the joined columns' leaves; its levels come on top.
	levels, err := coo.LayoutBytes(ctx, formats)
	if err != nil {
		return nil, err
	}
	if !o.env.store(levels) {
		return nil, o.env.err
	}
	order := make([]int, len(o.dims))
	for l := range order {
		order[l] = l
	}
	return coo.Tensor(ctx, order, formats)
}

func defaultFormats(n int) []format.Kind {
	out := make([]format.Kind, n)
	for l := range out {
		out[l] = format.SparseList
	}
	return out
}

// join concatenates the chunks, releasing each as it goes.
func (o *output) join(ctx context.Context) (*fibers.COO, error) {
	coo := &fibers.COO{Dims: o.dims, N: o.n, Coords: make([][]fibers.Coord, len(o.dims)), Leaves: make([]fibers.Leaf, len(o.accs))}
	if !o.env.store(int64(o.n) * o.entryBytes()) {
		return nil, o.env.err
	}
	for m := range coo.Coords {
		coo.Coords[m] = make([]fibers.Coord, 0, o.n)
	}
	for l, a := range o.accs {
		leaf := fibers.NewLeaf(o.names[l], a.elem(), o.n)
		leaf.I64, leaf.I128, leaf.F64 = leaf.I64[:0], leaf.I128[:0], leaf.F64[:0]
		coo.Leaves[l] = leaf
	}
	for i, c := range o.chunks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for m := range coo.Coords {
			coo.Coords[m] = append(coo.Coords[m], c.coords[m]...)
		}
		for l := range coo.Leaves {
			dst, src := &coo.Leaves[l], &c.leaves[l]
			dst.I64, dst.I128, dst.F64 = append(dst.I64, src.I64...), append(dst.I128, src.I128...), append(dst.F64, src.F64...)
		}
		o.done(c)
		o.chunks[i] = nil
	}
	o.chunks = nil
	return coo, nil
}
