package fibers

import (
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// Coord is a coordinate along a mode.
type Coord = int32

// Leaf is one value array. Exactly the slice named by Elem is used; Pattern
// uses none. Indexed by position in the last level.
type Leaf struct {
	Name string
	Elem semiring.Elem
	I64  []int64
	I128 []semiring.Int128
	F64  []float64
}

// COO is a list of entries in column form: Coords[m][e] is entry e's coordinate
// along mode m. Builder.Finish and Tensor.COO give distinct, ascending entries.
type COO struct {
	Dims   []int // per mode, the size of its domain
	N      int   // entries
	Coords [][]Coord
	Leaves []Leaf
	// ascending says that the entries are known to be distinct and in order.
	ascending bool
	// workers is how many goroutines may work on the entries; 0 is one.
	workers int
	// occurring is, per mode, the number of coordinates that occur; nil: unknown.
	occurring []int
}

// Tensor is an immutable fibertree. A tensor of no modes has zero or one entry.
type Tensor struct {
	Dims   []int
	Levels []Level
	Leaves []Leaf
	// Root is the position in a virtual level above level 0 whose fiber is the
	// tensor; 0 but for views made by Fix.
	Root int32
	// NNZ is the number of entries of this tensor or view.
	NNZ int
	// Distinct is, per mode, the number of coordinates that occur; -1: unknown.
	Distinct []int

	exponents exponents // nil: Exponent remembers nothing
}

// Level is the storage of one mode: *DenseLevel, *SparseListLevel,
// *BytemapLevel, *HashLevel, *RunLevel, *IntervalLevel, *BandLevel,
// *PinpointLevel. It is consulted when a plan is bound, not per element.
type Level interface {
	Kind() format.Kind
	// Fiber returns the coordinates below a parent position.
	Fiber(parent int32) Fiber
	// Lookup returns the position of a coordinate below a parent position.
	Lookup(parent int32, c Coord) (pos int32, ok bool)
}
