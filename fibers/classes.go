package fibers

import (
	"context"
	"math"
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// Slices are the parts of a tensor by the coordinate of one mode.
type Slices struct {
	COO  *COO
	Mode int
}

// Classes are the coordinates of a domain by their slices: two are in one class
// if all tensors have equal slices at them, in coordinates and leaves.
type Classes struct {
	// First is, per class, its least coordinate; ascending.
	First []Coord
	// Of is, per coordinate, its class; -1 where no tensor has an entry.
	Of []Coord
	// Members is, per class, how many coordinates it has.
	Members []int64
}

// Bytes is the memory of the classes.
func (c *Classes) Bytes() int64 {
	return 4*int64(len(c.First)+len(c.Of)) + 8*int64(len(c.Members))
}

// What FindClasses holds at most: per coordinate, per coordinate and tensor, and
// per entry of a tensor whose slices are to be gathered.
const coordBytes, startBytes, orderBytes = 48, 8, 4

// FindClasses groups the coordinates below dim. ok is false when there are more
// than most classes: it stops there. Expected time is linear in the entries: slices
// are compared by a hash first, entry by entry with the first of their class then.
// Errors: those of ctx.
func FindClasses(ctx context.Context, of []Slices, dim int, most int) (c *Classes, ok bool, err error) {
	f := &classFinder{hashes: make([]uint64, dim), entries: make([]int32, dim)}
	for t := range of {
		if err := f.add(ctx, of[t], uint64(t)); err != nil {
			return nil, false, err
		}
	}
	c = &Classes{Of: make([]Coord, dim)}
	byHash := map[uint64]Coord{}
	for i := range dim {
		if i&symmetryChunk == 0 && ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		c.Of[i] = -1
		if f.entries[i] == 0 {
			continue
		}
		k, found := byHash[f.hashes[i]]
		if !found || !f.equal(int(c.First[k]), i) {
			k = Coord(len(c.First)) // of two that share a hash by chance the second is alone
			if len(c.First) == most {
				return nil, false, nil
			}
			c.First, c.Members = append(c.First, Coord(i)), append(c.Members, 0)
			if !found {
				byHash[f.hashes[i]] = k
			}
		}
		c.Of[i] = k
		c.Members[k]++
	}
	return c, true, nil
}

// ClassesBytes estimates what FindClasses takes for tensors over a domain of dim
// coordinates.
func ClassesBytes(of []Slices, dim int) int64 {
	n := int64(dim) * coordBytes
	for _, s := range of {
		n += int64(dim)*startBytes + int64(s.COO.N)*orderBytes
	}
	return n
}

// classFinder holds the slices of all tensors and, per coordinate, what they hash
// to and how many entries they have.
type classFinder struct {
	tensors []slicesOf
	hashes  []uint64
	entries []int32
}

// slicesOf is one tensor's slices: the entries at coordinate i are order[start[i]:start[i+1]],
// in the order of the tensor; order nil: the entries themselves.
type slicesOf struct {
	Slices
	start []int32
	order []int32
}

func (s *slicesOf) entry(at int32) int {
	if s.order == nil {
		return int(at)
	}
	return int(s.order[at])
}

// add hashes the slices of a tensor: the sum, per coordinate, of hashes of its
// entries, so that the order of entries does not matter.
func (f *classFinder) add(ctx context.Context, of Slices, seed uint64) error {
	s := slicesOf{Slices: of, start: make([]int32, len(f.hashes)+1)}
	col := of.COO.Coords[of.Mode][:of.COO.N]
	for e, i := range col {
		if e&symmetryChunk == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.start[i+1]++
		f.entries[i]++
		f.hashes[i] += of.COO.hashBut(e, of.Mode, seed)
	}
	for i := range f.hashes {
		s.start[i+1] += s.start[i]
	}
	if !slices.IsSorted(col) {
		next := slices.Clone(s.start)
		s.order = make([]int32, len(col))
		for e, i := range col {
			s.order[next[i]] = int32(e)
			next[i]++
		}
	}
	f.tensors = append(f.tensors, s)
	return nil
}

// equal reports whether all slices at two coordinates are equal. The entries of a
// slice ascend, so that equal ones are in the same order.
func (f *classFinder) equal(i, j int) bool {
	if f.entries[i] != f.entries[j] {
		return false
	}
	for t := range f.tensors {
		s := &f.tensors[t]
		a, b, n := s.start[i], s.start[j], s.start[i+1]-s.start[i]
		if s.start[j+1]-b != n {
			return false
		}
		for e := range n {
			if !s.COO.sameBut(s.entry(a+e), s.entry(b+e), s.Mode) {
				return false
			}
		}
	}
	return true
}

// hashBut hashes an entry without its coordinate along one mode.
func (c *COO) hashBut(e, but int, seed uint64) uint64 {
	h := mixHash(seed+1, uint64(len(c.Coords)))
	for m := range c.Coords {
		if m != but {
			h = mixHash(h, uint64(c.Coords[m][e]))
		}
	}
	for l := range c.Leaves {
		lo, hi := c.Leaves[l].bitsAt(e)
		h = mixHash(mixHash(h, lo), hi)
	}
	return h
}

// sameBut reports whether two entries are equal but for one mode, floats bit by bit.
func (c *COO) sameBut(a, b, but int) bool {
	for m := range c.Coords {
		if m != but && c.Coords[m][a] != c.Coords[m][b] {
			return false
		}
	}
	for l := range c.Leaves {
		aLo, aHi := c.Leaves[l].bitsAt(a)
		bLo, bHi := c.Leaves[l].bitsAt(b)
		if aLo != bLo || aHi != bHi {
			return false
		}
	}
	return true
}

// bitsAt is the value of an entry as bits.
func (l *Leaf) bitsAt(e int) (lo, hi uint64) {
	switch l.Elem {
	case semiring.Pattern:
		return 1, 0
	case semiring.I64:
		return uint64(l.I64[e]), 0
	case semiring.I128:
		return uint64(l.I128[e].Lo), uint64(l.I128[e].Hi)
	case semiring.F64:
		return math.Float64bits(l.F64[e]), 0
	default:
		panic(invariant.Failed("fibers: a leaf of type %s", l.Elem))
	}
}

// mixHash adds a word to a hash (the finalizer of splitmix64).
func mixHash(h, v uint64) uint64 {
	h = h*0x9e3779b97f4a7c15 + v
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// ByClass is a tensor over classes in place of coordinates along one mode: of
// every class the slice that all of its members have.
func (c *COO) ByClass(mode int, classes *Classes) *COO {
	out := &COO{Dims: slices.Clone(c.Dims), ascending: c.ascending, workers: c.workers}
	out.Dims[mode] = len(classes.First)
	var kept []int32
	for e, i := range c.Coords[mode][:c.N] {
		if classes.First[classes.Of[i]] == i {
			kept = append(kept, int32(e))
		}
	}
	out.N = len(kept)
	for m := range c.Coords {
		col := make([]Coord, len(kept))
		for k, e := range kept {
			col[k] = c.Coords[m][e]
			if m == mode { // which ascends with the first members, as these do with classes
				col[k] = classes.Of[col[k]]
			}
		}
		out.Coords = append(out.Coords, col)
	}
	for l := range c.Leaves {
		out.Leaves = append(out.Leaves, c.Leaves[l].pick(kept))
	}
	return out
}

// pick is a leaf of some of the entries.
func (l *Leaf) pick(entries []int32) Leaf {
	return Leaf{Name: l.Name, Elem: l.Elem, I64: pickValues(l.I64, entries), I128: pickValues(l.I128, entries), F64: pickValues(l.F64, entries)}
}

func pickValues[T any](values []T, entries []int32) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(entries))
	for k, e := range entries {
		out[k] = values[e]
	}
	return out
}

// Membership is the tensor of a coordinate and its class; its one leaf is a pattern.
func (c *Classes) Membership(leaf string) *COO {
	out := &COO{Dims: []int{len(c.Of), len(c.First)}, Coords: make([][]Coord, 2), ascending: true, Leaves: []Leaf{{Name: leaf, Elem: semiring.Pattern}}}
	for i, k := range c.Of {
		if k >= 0 {
			out.Coords[0] = append(out.Coords[0], Coord(i))
			out.Coords[1] = append(out.Coords[1], k)
			out.N++
		}
	}
	return out
}

// Sizes is the tensor of a class and the number of its members.
func (c *Classes) Sizes(leaf string) *COO {
	out := &COO{Dims: []int{len(c.First)}, N: len(c.First), ascending: true, Leaves: []Leaf{{Name: leaf, Elem: semiring.I64, I64: slices.Clone(c.Members)}}}
	out.Coords = [][]Coord{make([]Coord, len(c.First))}
	for k := range c.First {
		out.Coords[0][k] = Coord(k)
	}
	return out
}
