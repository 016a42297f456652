package fibers

import "github.com/trireme-db/trireme/einsum/format"

// DenseLevel holds every coordinate below Dim; position parent*Dim + c.
type DenseLevel struct{ Dim int32 }

// Kind is Dense.
func (*DenseLevel) Kind() format.Kind { return format.Dense }

// Fiber returns all Dim coordinates.
func (l *DenseLevel) Fiber(parent int32) Fiber { return Fiber{Base: parent * l.Dim, N: l.Dim} }

// Lookup is O(1); a coordinate beyond Dim (the domain has grown) is absent.
func (l *DenseLevel) Lookup(parent int32, c Coord) (int32, bool) {
	return parent*l.Dim + c, uint32(c) < uint32(l.Dim)
}

func (l *DenseLevel) span(lo, hi int32) (int32, int32) { return lo * l.Dim, hi * l.Dim }

func (l *DenseLevel) count(lo, hi int32) int { return int(hi-lo) * int(l.Dim) }

func (*DenseLevel) bytes() int64 { return 0 }
