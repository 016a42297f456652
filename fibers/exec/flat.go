package exec

import (
	"context"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
)

// flatKind is the level in which the entries can be laid out straight from the
// chunks: of one mode, in its order, each coordinate once (X3).
func flatKind(formats []format.Kind) (format.Kind, bool) {
	if len(formats) != 1 {
		return 0, false
	}
	switch k := formats[0]; k {
	case format.Dense, format.Bytemap, format.SparseList:
		return k, true
	default:
		return 0, false
	}
}

// flat lays out entries of one mode, as COO.Tensor would: values are copied from
// the chunks to their positions, and each chunk is let go.
func (o *output) flat(ctx context.Context, kind format.Kind) (*fibers.Tensor, error) {
	dim := o.dims[0]
	if kind == format.Dense && o.n < dim {
		kind = format.Bytemap
	}
	places := dim
	if kind == format.SparseList {
		places = o.n
	}
	if !o.env.store(o.flatBytes(kind, places)) {
		return nil, o.env.err
	}
	t := &fibers.Tensor{Dims: o.dims, NNZ: o.n, Distinct: []int{o.n}, Leaves: make([]fibers.Leaf, len(o.accs))}
	for l, a := range o.accs {
		t.Leaves[l] = fibers.NewLeaf(o.names[l], a.elem(), places)
	}
	t.KeepExponents()
	level := flatLevel{kind: kind}
	if kind != format.Dense {
		level.idx = make([]fibers.Coord, 0, o.n)
	}
	if kind == format.Bytemap {
		level.present = make([]uint8, dim)
	}
	at := 0
	for i, c := range o.chunks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ks := c.coords[0]
		level.add(ks)
		for l := range t.Leaves {
			if places == o.n {
				copyLeaf(&t.Leaves[l], &c.leaves[l], at)
			} else {
				spreadLeaf(&t.Leaves[l], &c.leaves[l], ks)
			}
		}
		at += c.n
		o.done(c)
		o.chunks[i] = nil
	}
	o.chunks = nil
	t.Levels = []fibers.Level{level.level(int32(dim))}
	return t, nil
}

// flatBytes is the size of the levels and leaves that flat makes.
func (o *output) flatBytes(kind format.Kind, places int) int64 {
	bytes := int64(places) * (o.entryBytes() - 4)
	switch kind {
	case format.SparseList:
		bytes += 4 * int64(o.n)
	case format.Bytemap:
		bytes += int64(places) + 4*int64(o.n)
	}
	return bytes
}

// flatLevel is the level of a tensor of one mode while its coordinates come.
type flatLevel struct {
	kind    format.Kind
	idx     []fibers.Coord // not Dense
	present []uint8        // Bytemap
	last    fibers.Coord
	n       int
}

// add takes the next coordinates.
func (f *flatLevel) add(ks []fibers.Coord) {
	if len(ks) == 0 {
		return
	}
	invariant.Check(f.n == 0 || ks[0] > f.last, "exec: chunks of entries are not in order")
	f.last = ks[len(ks)-1]
	f.n += len(ks)
	if f.kind != format.Dense {
		f.idx = append(f.idx, ks...)
	}
	if f.kind == format.Bytemap {
		for _, k := range ks {
			f.present[k] = 1
		}
	}
}

// level is the finished level.
func (f *flatLevel) level(dim int32) fibers.Level {
	ptr := []int32{0, int32(len(f.idx))}
	switch f.kind {
	case format.Dense:
		return &fibers.DenseLevel{Dim: dim}
	case format.SparseList:
		return &fibers.SparseListLevel{Ptr: ptr, Idx: f.idx}
	case format.Bytemap:
		return &fibers.BytemapLevel{Dim: dim, Present: f.present, Ptr: ptr, Idx: f.idx}
	default:
		panic(invariant.Failed("exec: no flat level of kind %d", f.kind))
	}
}

// copyLeaf copies a chunk's values to positions at, at+1, ...
func copyLeaf(dst, src *fibers.Leaf, at int) {
	copy(tail(dst.I64, at), src.I64)
	copy(tail(dst.I128, at), src.I128)
	copy(tail(dst.F64, at), src.F64)
}

// spreadLeaf copies a chunk's values to the positions ks.
func spreadLeaf(dst, src *fibers.Leaf, ks []fibers.Coord) {
	switch dst.Elem {
	case semiring.Pattern:
	case semiring.I64:
		spread(dst.I64, src.I64, ks)
	case semiring.I128:
		spread(dst.I128, src.I128, ks)
	case semiring.F64:
		spread(dst.F64, src.F64, ks)
	default:
		panic(invariant.Failed("exec: element type %d", dst.Elem))
	}
}

// spread writes src[i] to dst[ks[i]]; where the coordinates are consecutive,
// which many are, as one copy.
func spread[T any](dst, src []T, ks []fibers.Coord) {
	if n := len(ks); n > 0 && int(ks[n-1]-ks[0]) == n-1 {
		copy(dst[ks[0]:], src)
		return
	}
	src = src[:len(ks)]
	for i, k := range ks {
		dst[k] = src[i]
	}
}
