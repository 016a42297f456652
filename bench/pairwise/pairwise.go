// Package pairwise contracts networks of sparse tensors two at a time, each pair as a
// batched product of sparse matrices: the way of libraries for tensor networks, to
// measure what kernels of several operands and presence without values buy.
//
// In: tensors as coordinates and values, a path (package optimizer/network). Out: the
// result as coordinates and values, in ascending order.
//
// The indices of a pair are of four classes: those of both sides are batch indices where
// the result has them and contracted otherwise; those of one side are kept or summed.
// Summed ones go first, entry by entry; each class then becomes one index, by position,
// and per batch the rows of the left matrix gather the rows of the right one that their
// entries name (Gustavson): O(sum over contracted indices of the product of both
// degrees), whatever the sizes.
//
// Read pair.go for one pair, network.go for a path.
package pairwise

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// Tensor is entries with a coordinate per index and a value. Entries with equal
// coordinates count together. Values that are zero are entries.
type Tensor struct {
	Indices []int32 // distinct
	Dims    []int   // size of each index
	Coords  [][]int32
	Values  []float64
}

// ErrSize is returned where the positions of a pair do not fit 63 bits.
var ErrSize = errors.New("pairwise: the indices of a product have more than 2^63 positions together")

// entry is an entry by the positions of its classes.
type entry struct {
	batch, row, column uint64
	value              float64
}

// class is some indices as one: a position is the sum of coordinates times strides.
type class struct {
	indices []int32
	dims    []int
	size    uint64
}

func newClass(indices []int32, dims map[int32]int) (class, error) {
	c := class{indices: indices, size: 1}
	for _, x := range indices {
		c.dims = append(c.dims, dims[x])
		hi, lo := bits.Mul64(c.size, uint64(max(dims[x], 1)))
		if hi != 0 || lo >= 1<<63 {
			return c, ErrSize
		}
		c.size = lo
	}
	return c, nil
}

// positions are the positions of a tensor's entries in a class.
func (c *class) positions(t *Tensor) []uint64 {
	out := make([]uint64, len(t.Values))
	for k, x := range c.indices {
		column := t.Coords[slices.Index(t.Indices, x)]
		size := uint64(c.dims[k])
		for e := range out {
			out[e] = out[e]*size + uint64(column[e])
		}
	}
	return out
}

// coords writes the coordinates of a position.
func (c *class) coords(position uint64, write func(index int32, coord int32)) {
	for k := len(c.indices) - 1; k >= 0; k-- {
		size := uint64(c.dims[k])
		write(c.indices[k], int32(position%size))
		position /= size
	}
}

// Contract multiplies two tensors and sums over the indices that out lacks. out has no
// index that neither side has.
func Contract(a, b *Tensor, out []int32) (*Tensor, error) {
	dims, err := sizes(a, b)
	if err != nil {
		return nil, err
	}
	p, err := newPair(a, b, out, dims)
	if err != nil {
		return nil, err
	}
	entries := p.multiply(p.matrix(a, p.left, p.contracted), p.matrix(b, p.contracted, p.right))
	return p.tensor(entries, out, dims), nil
}

// sizes are the sizes of all indices of both sides, which must agree.
func sizes(a, b *Tensor) (map[int32]int, error) {
	dims := map[int32]int{}
	for _, t := range []*Tensor{a, b} {
		for k, x := range t.Indices {
			if d, ok := dims[x]; ok && d != t.Dims[k] {
				return nil, fmt.Errorf("pairwise: index %d has %d and %d coordinates", x, d, t.Dims[k])
			}
			dims[x] = t.Dims[k]
		}
	}
	return dims, nil
}

// Sum sums a tensor over the indices that out lacks.
func Sum(t *Tensor, out []int32) (*Tensor, error) {
	return Contract(t, &Tensor{Coords: [][]int32{}, Values: []float64{1}}, out)
}
