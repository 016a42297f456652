package fibers

import (
	"context"
	"math"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// addShaped makes level l of a kind that only data of a certain shape can have;
// ok is false, and nothing has happened, when the entries have another shape.
func (b *levelBuilder) addShaped(ctx context.Context, l int, kind format.Kind) (level Level, ok bool, err error) {
	last := l == len(b.coo.Dims)-1
	if kind.Shared() && !last {
		return nil, false, nil
	}
	idx, parent, err := b.nodes(ctx, l)
	if err != nil {
		return nil, false, err
	}
	switch kind {
	case format.Pinpoint:
		level, ok = b.addPinpoint(idx, parent)
	case format.Band, format.Interval:
		level, ok = b.addBlock(idx, parent, kind)
	case format.RunLength, format.SparseRunLength:
		level, ok = b.addRuns(idx, parent, kind)
	default:
		panic(invariant.Failed("fibers: level kind %d", kind))
	}
	return level, ok, ctx.Err()
}

// addPinpoint appends nodes of which no two have one parent.
func (b *levelBuilder) addPinpoint(idx []Coord, parent []int32) (Level, bool) {
	for e := 1; e < len(parent); e++ {
		if parent[e] == parent[e-1] {
			return nil, false
		}
	}
	if b.spread = len(idx) != b.parents; !b.spread {
		return &PinpointLevel{Idx: idx, ptr: identity(len(idx) + 1)}, true
	}
	b.pos = parent
	level := &PinpointLevel{Idx: make([]Coord, b.parents), ptr: pointers(parent, b.parents)}
	for p := range level.Idx {
		level.Idx[p] = noCoord
	}
	for e, p := range parent {
		level.Idx[p] = idx[e]
	}
	return level, true
}

// addBlock appends nodes that have consecutive coordinates below each parent.
func (b *levelBuilder) addBlock(idx []Coord, parent []int32, kind format.Kind) (Level, bool) {
	for e := 1; e < len(idx); e++ {
		if parent[e] == parent[e-1] && (idx[e] != idx[e-1]+1 || kind == format.Interval && !b.coo.equalLeaves(e, e-1)) {
			return nil, false
		}
	}
	start := make([]Coord, b.parents)
	var firsts []int32
	for e, p := range parent {
		if e == 0 || p != parent[e-1] {
			start[p] = idx[e]
			firsts = append(firsts, int32(e))
		}
	}
	ptr := pointers(parent, b.parents)
	if kind == format.Band {
		b.parents, b.pos, b.spread = len(idx), nil, false
		return &BandLevel{Ptr: ptr, Start: start}, true
	}
	b.picked, b.pos = firsts, make([]int32, len(firsts))
	for i, e := range firsts {
		b.pos[i] = parent[e]
	}
	b.spread = len(firsts) != b.parents
	return &IntervalLevel{Ptr: ptr, Start: start}, true
}

// addRuns appends nodes run by run.
func (b *levelBuilder) addRuns(idx []Coord, parent []int32, kind format.Kind) (Level, bool) {
	dim := b.coo.Dims[len(b.coo.Dims)-1]
	if kind == format.RunLength && (b.parents == 0 || dim > math.MaxInt32/b.parents || len(idx) != b.parents*dim) {
		return nil, false
	}
	level := &RunLevel{Dim: int32(dim), First: []Coord{}}
	var below []int32
	for e, p := range parent {
		if e > 0 && p == parent[e-1] && idx[e] == idx[e-1]+1 && b.coo.equalLeaves(e, e-1) {
			continue
		}
		below = append(below, p)
		level.First, level.Entries = append(level.First, idx[e]), append(level.Entries, int32(e))
	}
	b.picked = level.Entries
	level.Entries = append(level.Entries[:len(below):len(below)], int32(len(idx)))
	level.Ptr = pointers(below, b.parents)
	if kind == format.RunLength {
		level.First = nil
	}
	b.parents, b.pos, b.spread = len(below), nil, false
	return level, true
}

// equalLeaves reports whether entries e and f have the same values. NaN equals
// itself, and 0 is not -0.
func (c *COO) equalLeaves(e, f int) bool {
	for l := range c.Leaves {
		leaf := &c.Leaves[l]
		equal := true
		switch leaf.Elem {
		case semiring.Pattern:
		case semiring.I64:
			equal = leaf.I64[e] == leaf.I64[f]
		case semiring.I128:
			equal = leaf.I128[e] == leaf.I128[f]
		case semiring.F64:
			equal = math.Float64bits(leaf.F64[e]) == math.Float64bits(leaf.F64[f])
		default:
			panic(invariant.Failed("fibers: element type %d", leaf.Elem))
		}
		if !equal {
			return false
		}
	}
	return true
}
