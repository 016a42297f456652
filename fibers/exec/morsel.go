package exec

import (
	"slices"

	"github.com/trireme-db/trireme/fibers"
)

// morsel is an interval of the iteration space of a nest: the coordinates of the
// outermost loops, outermost first, that are at least from and below to in
// lexicographic order. An end is a prefix of coordinates, as long as the cut
// went deep; without coordinates the morsel has no end on that side. Since loops
// ascend (X3), the morsels of a step taken in order are the whole step in order.
type morsel struct{ from, to []fibers.Coord }

// depth is the number of outermost loops that the morsel bounds.
func (p *morsel) depth() int { return max(len(p.from), len(p.to)) }

// clip narrows the range [lo,hi) of loop d under the coordinates ix of the loops
// around it.
func (p *morsel) clip(ix []fibers.Coord, d int, lo, hi fibers.Coord) (fibers.Coord, fibers.Coord) {
	if d < len(p.from) && slices.Equal(ix[:d], p.from[:d]) {
		lo = max(lo, p.from[d])
	}
	if d < len(p.to) && slices.Equal(ix[:d], p.to[:d]) {
		end := p.to[d]
		if d+1 < len(p.to) {
			end++ // the coordinate itself is cut further in
		}
		hi = min(hi, end)
	}
	return lo, max(lo, hi)
}
