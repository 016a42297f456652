package physical

import (
	"math"
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/optimizer/stats"
)

// Costs of a loop order beside its loops, in units of walking one entry.
const (
	// appendCost stores an entry in loop order.
	appendCost = 2.0
	// flushCost takes an entry out of a workspace, sorted, and stores it.
	flushCost = 6.0
	// denseWrite and hashWrite add one cell to a workspace; a dense write is an
	// array access and a branch-free touch, a hash write a probe (KERNELS 2).
	denseWrite = 1.0
	hashWrite  = 5.0
	// coldWrite is a hash write when the workspace outgrows the caches, at
	// largeWorkspace entries.
	coldWrite      = 20.0
	largeWorkspace = 1 << 16
	// relayoutCost builds another layout of an input, per entry. Building costs
	// more than that, but once: the tensor cache keeps it for later statements.
	relayoutCost = 0.1
	// reorderCost stores a step's result a second time, per entry, every time.
	reorderCost = 30.0
)

// maxDenseWorkspace bounds the domain of a dense workspace, in coordinates.
const maxDenseWorkspace = 4 << 20

// maxExact is the number of indices up to which all loop orders are compared;
// beyond it the cheapest next loop is taken.
const maxExact = 8

// orderProblem is the search for a step's loop order. Sets are bits of the
// body's indices.
type orderProblem struct {
	nest *stats.Nest
	all  uint64
	free uint64
	// wanted is the layout that the consumers need, outermost first; empty when
	// they need none.
	wanted []int
	// dim is the domain size per index.
	dim []float64
	// operands with layouts that should not be left.
	fixed []fixedLayout
	out   float64 // entries of the result
}

// fixedLayout charges cost whenever a loop order reads an operand against all
// of the given orders of its indices.
type fixedLayout struct {
	orders [][]int
	set    uint64
	cost   float64
}

// state is a partial loop order: matched is the number of leading loops that
// are output indices in the wanted order.
type state struct {
	cost    float64
	loops   []int
	matched int
}

// solve returns the loop order with the least cost. With up to maxExact indices
// it is exact by dynamic programming over (set of loops, matched outputs).
func (p *orderProblem) solve() state {
	greedy := p.greedy()
	n := bits.OnesCount64(p.all)
	if n > maxExact {
		return greedy
	}
	outputs := bits.OnesCount64(p.free)
	best := make([]state, (1<<n)*(outputs+1))
	for i := range best {
		best[i].cost = math.Inf(1)
	}
	best[0] = state{}
	width := outputs + 1
	for set := uint64(0); set < p.all; set++ {
		for matched := range width {
			from := best[int(set)*width+matched]
			// The greedy order bounds the search; costs only grow.
			if from.cost > greedy.cost {
				continue
			}
			for s := p.nest.Connected(set, p.all&^set); s != 0; s &= s - 1 {
				to := p.extend(from, set, bits.TrailingZeros64(s))
				slot := &best[int(set|s&-s)*width+to.matched]
				if to.cost < slot.cost {
					*slot = to
				}
			}
		}
	}
	result := greedy
	for matched := range width {
		if s := best[int(p.all)*width+matched]; s.cost < result.cost {
			result = s
		}
	}
	return result
}

// extend adds the loop over index v.
func (p *orderProblem) extend(from state, set uint64, v int) state {
	bit := uint64(1) << v
	to := state{cost: from.cost + p.nest.LoopCost(bit, set), matched: from.matched}
	to.loops = append(slices.Clip(from.loops), v)
	if p.free&bit != 0 && len(from.loops) == from.matched &&
		(len(p.wanted) == 0 || p.wanted[from.matched] == v) {
		to.matched++
	}
	for i := range p.fixed {
		to.cost += p.fixed[i].charge(set, v)
	}
	if p.free&^(set|bit) == 0 && p.free&^set != 0 || p.free == 0 && set == 0 {
		to.cost += p.outputCost(to, set|bit, v)
	}
	return to
}

// charge is the price of entering loop v of the operand after the set when in
// every layout an index before v is still to come.
func (f *fixedLayout) charge(set uint64, v int) float64 {
	if f.set&(1<<v) == 0 {
		return 0
	}
	for _, order := range f.orders {
		concordant := true
		for _, u := range order {
			if u == v {
				break
			}
			concordant = concordant && set&(1<<u) != 0
		}
		if concordant {
			return 0
		}
	}
	return f.cost
}

// outputCost is the price of the result once the last output index, v, is
// bound: one write per assignment of the loops so far, one entry each.
func (p *orderProblem) outputCost(at state, set uint64, v int) float64 {
	writes := p.nest.Size(set)
	outputs := bits.OnesCount64(p.free)
	switch {
	case at.matched == outputs:
		return appendCost * p.out
	case at.matched == outputs-1 && p.dim[p.last(v)] <= maxDenseWorkspace:
		return denseWrite*writes + flushCost*p.out
	}
	// The workspace is emptied whenever a matched loop moves on.
	var prefix uint64
	for _, x := range at.loops[:at.matched] {
		prefix |= 1 << x
	}
	write := hashWrite
	if p.out/max(p.nest.Size(prefix), 1) > largeWorkspace {
		write = coldWrite
	}
	return write*writes + flushCost*p.out
}

// last is the output index that is stored innermost.
func (p *orderProblem) last(v int) int {
	if len(p.wanted) > 0 {
		return p.wanted[len(p.wanted)-1]
	}
	return v
}

// greedy takes the cheapest connected loop next, from every possible first one.
func (p *orderProblem) greedy() state {
	best := state{cost: math.Inf(1)}
	for s := p.all; s != 0; s &= s - 1 {
		first := bits.TrailingZeros64(s)
		at, set := p.extend(state{}, 0, first), uint64(1)<<first
		for set != p.all && at.cost < best.cost {
			next := state{cost: math.Inf(1)}
			rank := math.Inf(1)
			for c := p.nest.Connected(set, p.all&^set); c != 0; c &= c - 1 {
				to := p.extend(at, set, bits.TrailingZeros64(c))
				// What a loop leaves to the loops inside it counts as well.
				if r := to.cost + p.nest.Size(set|c&-c); r < rank || next.loops == nil {
					rank, next = r, to
				}
			}
			at = next
			set |= 1 << at.loops[len(at.loops)-1]
		}
		if set == p.all && (at.cost < best.cost || best.loops == nil) {
			best = at
		}
	}
	if p.all == 0 {
		return state{}
	}
	return best
}
