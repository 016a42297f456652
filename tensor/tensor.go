package tensor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/expr"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Tensor is an immutable sparse tensor: entries with a coordinate per mode, and
// leaves, of which each has a value per entry. Leaf "n" counts the rows that the
// entry was made of. Tensors may be used by several goroutines.
type Tensor struct {
	coo *fibers.COO

	mu      sync.Mutex
	layouts []layout
	figures map[string]stats.TensorStats // by which modes share a domain
	shape   *stats.Shape
}

type layout struct {
	order   []int
	formats []format.Kind
	tensor  *fibers.Tensor
}

// Leaf is one column of values: Ints or Floats, of the length of the coordinates.
type Leaf struct {
	Name   string
	Ints   []int64
	Floats []float64
	// Combine says what becomes of values with equal coordinates: semiring.Add (as
	// the zero value), Min, Max or Mul.
	Combine semiring.Op
}

// Floats makes a tensor of entries with float values. coords has a slice for each
// mode; coordinates are from 0 to 2^31-2. Rows with equal coordinates are one
// entry with the sum of their values. dims are the sizes of the modes; without
// them a mode ends after its largest coordinate.
func Floats(coords [][]int, values []float64, dims ...int) (*Tensor, error) {
	return New(coords, len(values), []Leaf{{Name: expr.ValueLeaf, Floats: values}}, dims...)
}

// Ints is Floats of integers.
func Ints(coords [][]int, values []int64, dims ...int) (*Tensor, error) {
	return New(coords, len(values), []Leaf{{Name: expr.ValueLeaf, Ints: values}}, dims...)
}

// New makes a tensor of n rows with any leaves, for programs; see Floats. Errors
// say which argument is at fault.
func New(coords [][]int, n int, leaves []Leaf, dims ...int) (*Tensor, error) {
	specs, columns, err := columnsOf(leaves, n)
	if err != nil {
		return nil, err
	}
	modes, sizes, err := modesOf(coords, n, dims)
	if err != nil {
		return nil, err
	}
	b := fibers.NewBuilder(len(coords), specs)
	if err := b.Append(n, modes, columns); err != nil {
		return nil, fmt.Errorf("tensor: %w", err)
	}
	coo, err := b.Finish(context.Background(), sizes)
	if err != nil {
		return nil, fmt.Errorf("tensor: %w", err)
	}
	return &Tensor{coo: coo}, nil
}

// columnsOf are the leaves as the builder takes them, the count first.
func columnsOf(leaves []Leaf, n int) ([]fibers.LeafSpec, []fibers.Leaf, error) {
	specs := []fibers.LeafSpec{{Name: einsum.CountLeaf, Elem: semiring.Pattern, Merge: semiring.Add}}
	columns := []fibers.Leaf{{Name: einsum.CountLeaf}}
	for _, l := range leaves {
		spec := fibers.LeafSpec{Name: l.Name, Elem: semiring.I64, Merge: l.Combine}
		switch {
		case slices.ContainsFunc(specs, func(s fibers.LeafSpec) bool { return s.Name == l.Name }) || l.Name == "":
			return nil, nil, fmt.Errorf("tensor: leaf %q is empty, the count, or there twice", l.Name)
		case l.Combine == semiring.NoOp:
			spec.Merge = semiring.Add
		case l.Combine != semiring.Add && l.Combine != semiring.Min && l.Combine != semiring.Max && l.Combine != semiring.Mul:
			return nil, nil, fmt.Errorf("tensor: leaf %s: values are not combined by %s", l.Name, l.Combine)
		}
		column := fibers.Leaf{Name: l.Name, Elem: semiring.I64, I64: l.Ints}
		given := len(l.Ints)
		if l.Ints == nil && (l.Floats != nil || n == 0) {
			spec.Elem = semiring.F64
			column.Elem, column.F64, given = semiring.F64, l.Floats, len(l.Floats)
		}
		if given != n || l.Ints != nil && l.Floats != nil {
			return nil, nil, fmt.Errorf("tensor: leaf %s has %d values for %d rows", l.Name, len(l.Ints)+len(l.Floats), n)
		}
		for e, x := range l.Floats {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, nil, fmt.Errorf("tensor: leaf %s, row %d: %v is not finite", l.Name, e, x)
			}
		}
		specs, columns = append(specs, spec), append(columns, column)
	}
	return specs, columns, nil
}

// coordMax is the largest coordinate.
const coordMax = math.MaxInt32 - 1

// modesOf are the coordinates as the builder takes them, and the modes' sizes.
func modesOf(coords [][]int, n int, dims []int) ([][]fibers.Coord, []int, error) {
	if len(dims) > 0 && len(dims) != len(coords) {
		return nil, nil, fmt.Errorf("tensor: %d sizes for %d modes", len(dims), len(coords))
	}
	modes, sizes := make([][]fibers.Coord, len(coords)), make([]int, len(coords))
	copy(sizes, dims)
	for m, column := range coords {
		if len(column) != n {
			return nil, nil, fmt.Errorf("tensor: mode %d has %d coordinates for %d rows", m, len(column), n)
		}
		modes[m] = make([]fibers.Coord, n)
		for e, c := range column {
			switch {
			case c < 0 || c > coordMax:
				return nil, nil, fmt.Errorf("tensor: mode %d, row %d: coordinate %d is not from 0 to %d", m, e, c, coordMax)
			case c >= sizes[m] && len(dims) > 0:
				return nil, nil, fmt.Errorf("tensor: mode %d, row %d: coordinate %d is beyond the size %d", m, e, c, dims[m])
			}
			modes[m][e] = fibers.Coord(c)
			sizes[m] = max(sizes[m], c+1)
		}
	}
	return modes, sizes, nil
}

// Modes is the number of modes; a scalar has none.
func (t *Tensor) Modes() int { return len(t.coo.Dims) }

// Dims are the sizes of the modes.
func (t *Tensor) Dims() []int { return slices.Clone(t.coo.Dims) }

// Len is the number of entries.
func (t *Tensor) Len() int { return t.coo.N }

// Coord is the coordinate of an entry along a mode. Entries are in the order of
// their coordinates.
func (t *Tensor) Coord(mode, entry int) int { return int(t.coo.Coords[mode][entry]) }

// Leaves are the names of the leaves, the count first.
func (t *Tensor) Leaves() []string {
	names := make([]string, len(t.coo.Leaves))
	for i, l := range t.coo.Leaves {
		names[i] = l.Name
	}
	return names
}

// errNoLeaf is what asking for a leaf that is not there ends in.
var errNoLeaf = errors.New("tensor: there is no such leaf")

// Column is the values of a leaf.
type Column struct{ leaf *fibers.Leaf }

// Values are the values that an expression computes: leaf "v".
func (t *Tensor) Values() Column {
	c, err := t.Column(expr.ValueLeaf)
	if err != nil {
		panic("tensor: a tensor of a program, without a leaf v")
	}
	return c
}

// Column is the values of a leaf by name.
func (t *Tensor) Column(leaf string) (Column, error) {
	for i := range t.coo.Leaves {
		if t.coo.Leaves[i].Name == leaf {
			return Column{&t.coo.Leaves[i]}, nil
		}
	}
	return Column{}, fmt.Errorf("%w: %q", errNoLeaf, leaf)
}

// IsFloat reports whether the values are floats; else they are integers.
func (c Column) IsFloat() bool { return c.leaf.Elem == semiring.F64 }

// Float64 is the value of an entry, integers rounded to the nearest float64.
func (c Column) Float64(entry int) float64 { return c.leaf.Float64(int32(entry)) }

// Int64 is the value of an entry of integers; false where it needs more bits.
func (c Column) Int64(entry int) (int64, bool) { return c.leaf.Int128(int32(entry)).Int64() }

// Big is the value of an entry of integers.
func (c Column) Big(entry int) *big.Int { return c.leaf.Int128(int32(entry)).Big() }
