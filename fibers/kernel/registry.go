package kernel

import "github.com/trireme-db/trireme/einsum/semiring"

// BatchMax is the largest batch, in entries: buffers stay in the L1 cache.
const BatchMax = 1024

// Shape is what the innermost loop does with the entries that pass its filters.
type Shape uint8

// Shapes. Reduce adds all entries into one slot, Scatter each entry into the
// slot of its coordinate.
const (
	Reduce Shape = iota
	Scatter
)

// Key selects kernels: how many filters (beyond the leader) an entry must pass,
// the element type, and how many factors of the widest product depend on the
// innermost index.
type Key struct {
	Shape   Shape
	Filters int
	Factors int
}

// Name is the kernel's name in a step's statistics.
func (k Key) Name() string {
	name := "scatter-accumulate"
	if k.Shape == Reduce {
		switch {
		case k.Factors > 0:
			name = "gather-reduce"
		case k.Filters > 0:
			name = "probe-count"
		default:
			name = "count"
		}
	}
	if k.Filters > 1 || k.Filters == 1 && name != "probe-count" {
		name = "select+" + name
	}
	return name
}

// Supports reports whether leaves of an element type can be accumulated.
func Supports(elem semiring.Elem) bool { return elem == semiring.I64 || elem == semiring.F64 }
