package physical

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/optimizer/stats"
)

// maxExact is the number of indices up to which all connected loop orders are
// compared; beyond it a beam is kept.
const maxExact = 8

// Beyond maxExact indices the search keeps so many partial orders of each length
// that it looks at about beamWork extensions in all, at most beamWidth. An
// extension takes some 2 microseconds (BenchmarkPlanWide in package optimizer).
const (
	beamWork  = 4000
	beamWidth = 32
)

// orderProblem is the search for a step's loop order: branch-and-bound over
// (set of loops, inputs read in another order than they have, output class), in
// order of the number of loops (Galley section 6.1). Sets are bits of the body's
// indices.
type orderProblem struct {
	nest *stats.Nest
	all  uint64
	free uint64
	// wanted is the layout that the consumers need, outermost first; empty when
	// they need none.
	wanted []int
	// dim is the domain size per index.
	dim []float64
	// fixed are the operands with layouts that should not be left.
	fixed []fixedLayout
	// keys are those of operands that every cell has.
	keys []keyed
	// large are the indices of operands that outgrow the caches.
	large []uint64
	out   float64 // entries of the result
	// folds: entries come as they are made, so that loops cost the same in any order.
	folds bool
	// slotBytes is the size of an entry's values.
	slotBytes, budgetBytes float64
	// flat: there are no loops to cost anything.
	flat bool
	// sparing: no search takes longer than the greedy order takes to run.
	sparing bool
}

// extensionCost is what looking at an extension takes, in cells at 5.5 ns.
const extensionCost = 360

// fixedLayout charges cost when a loop order reads an operand against all of the
// given orders of its indices; once for all operands of a group, which then read
// the same new layout.
type fixedLayout struct {
	orders [][]int
	set    uint64
	cost   float64
	group  uint64 // a bit
}

// keyed says of an operand that its other indices have one coordinate at most where
// those of key are bound.
type keyed struct{ set, key uint64 }

// state is a partial loop order. Its output class is exact while prefix and single are
// the whole set, a set while no loop is reduced, and none otherwise.
type state struct {
	cost   float64
	set    uint64
	lead   uint64 // leading loops that are output indices in the wanted order
	prefix uint64 // the same, and those behind loops of one coordinate
	single uint64 // such loops before or behind the prefix
	moved  uint64 // groups of operands that need another layout
	from   *state
	loop   int // the last loop
	depth  int
}

// loops lists the loops, outermost first.
func (s *state) loops() []int {
	out := make([]int, s.depth)
	for at := s; at.from != nil; at = at.from {
		out[at.depth-1] = at.loop
	}
	return out
}

// solve returns the loop order with the least cost: of all connected ones up to
// maxExact indices, beyond that of those that a beam finds.
func (p *orderProblem) solve() *state {
	if p.flat {
		return p.concordant()
	}
	best := p.greedy()
	n := bits.OnesCount64(p.all)
	width := math.MaxInt
	if n > maxExact {
		width = min(beamWork/(n*n), beamWidth)
	}
	if n == 0 || width < 2 || p.sparing && best.cost < extensionCost*float64(n)*math.Exp2(float64(n-1)) {
		return best
	}
	if s := p.search(best.cost, width); s != nil {
		return s
	}
	return best
}

// search returns an order that costs less than the bound, the best when no more
// than width states of a length are left out; nil when there is none.
func (p *orderProblem) search(bound float64, width int) *state {
	level := []*state{{}}
	for range bits.OnesCount64(p.all) {
		var next []*state
		at := map[uint64][]int{} // places in next by set
		for _, s := range level {
			for c := p.nest.Connected(s.set, p.all&^s.set); c != 0; c &= c - 1 {
				t := p.extend(s, bits.TrailingZeros64(c))
				if t.cost+p.remaining(t) > bound {
					continue
				}
				next = p.insert(next, at, t)
			}
		}
		level = slices.DeleteFunc(next, func(s *state) bool { return s == nil })
		if len(level) > width {
			slices.SortStableFunc(level, func(a, b *state) int { return cmp.Compare(p.rank(a), p.rank(b)) })
			level = level[:width]
		}
	}
	var best *state
	for _, s := range level {
		if best == nil || s.cost < best.cost {
			best = s
		}
	}
	return best
}

// insert adds a state unless another one of its set dominates it, and drops those
// that it dominates.
func (p *orderProblem) insert(next []*state, at map[uint64][]int, s *state) []*state {
	for _, i := range at[s.set] {
		switch {
		case next[i] == nil:
		case p.dominates(next[i], s):
			return next
		case p.dominates(s, next[i]):
			next[i] = nil
		}
	}
	at[s.set] = append(at[s.set], len(next))
	return append(next, s)
}

// dominates reports whether no completion makes b, of the same set as a, cheaper:
// also if a still has to pay for all layouts that b has paid for already.
func (p *orderProblem) dominates(a, b *state) bool {
	if p.free&^a.set != 0 && (b.prefix&^a.prefix != 0 || b.inOrder() && !a.inOrder()) {
		return false
	}
	return a.cost+p.price(b.moved&^a.moved) <= b.cost
}

// inOrder reports whether entries come in the order of the result so far.
func (s *state) inOrder() bool { return s.prefix|s.single == s.set }

// one reports whether index v has at most one coordinate inside of the loops of a set:
// package exec takes it for one where the operand's level is a list without a second.
func (p *orderProblem) one(v int, outer uint64) bool {
	return slices.ContainsFunc(p.keys, func(k keyed) bool { return k.set&(1<<v) != 0 && k.key&^outer == 0 })
}

// price is the cost of the layouts of groups of operands.
func (p *orderProblem) price(groups uint64) float64 {
	total := 0.0
	for i := range p.fixed {
		if groups&p.fixed[i].group != 0 {
			total += p.fixed[i].cost
			groups &^= p.fixed[i].group
		}
	}
	return total
}

// remaining is the least that a state has still to pay: its entries are appended.
func (p *orderProblem) remaining(s *state) float64 {
	if p.free&^s.set == 0 {
		return 0
	}
	return appendCost * p.out
}

// rank is what a state costs with what its loops leave to those inside.
func (p *orderProblem) rank(s *state) float64 { return s.cost + p.nest.Size(s.set) }

// extend adds the loop over index v.
func (p *orderProblem) extend(from *state, v int) *state {
	bit := uint64(1) << v
	to := &state{
		cost: from.cost, set: from.set | bit,
		lead: from.lead, prefix: from.prefix, single: from.single, moved: from.moved, from: from, loop: v, depth: from.depth + 1,
	}
	if !p.folds && !p.flat {
		to.cost += p.nest.LoopCost(bit, from.set)
	}
	switch free := p.free&bit != 0; {
	case !from.inOrder():
	case free && (len(p.wanted) == 0 || p.wanted[bits.OnesCount64(from.prefix)] == v):
		to.prefix |= bit
		if from.lead == from.set {
			to.lead |= bit
		}
	case !free && p.one(v, from.set):
		to.single |= bit
	}
	for _, op := range p.large {
		// A walk in the order of storage, of an operand that has all loops so far,
		// finds the next fiber where the last one ends; others are anywhere.
		if op&bit != 0 && op&^to.set != 0 && to.set&^op != 0 {
			to.cost += farFiber * p.nest.Size(to.set)
		}
	}
	for i := range p.fixed {
		if f := &p.fixed[i]; to.moved&f.group == 0 && f.against(from.set, v) {
			to.cost += f.cost
			to.moved |= f.group
		}
	}
	if p.free&^to.set == 0 && (p.free&^from.set != 0 || from.set == 0) {
		to.cost += p.outputCost(to)
	}
	return to
}

// against reports whether in every layout an index before v is still to come when
// loop v of the operand is entered after the set.
func (f *fixedLayout) against(set uint64, v int) bool {
	if f.set&(1<<v) == 0 {
		return false
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
			return false
		}
	}
	return true
}

// outputCost is the price of the result once the last output index is bound: one
// write per assignment of the loops so far, one entry each.
func (p *orderProblem) outputCost(at *state) float64 {
	g := p.gathering(at)
	_, cost := g.workspace(p.budgetBytes)
	return cost
}

// gathering is what the workspace has to do when the last loop of the state has
// bound the last output index.
func (p *orderProblem) gathering(at *state) gathering {
	rest := p.free &^ at.prefix // stored below what the loops bind in order
	g := gathering{
		modes: bits.OnesCount64(rest), slots: 1, entries: p.out, writes: p.nest.Size(at.set),
		group: p.out / max(p.nest.Size(at.prefix), 1), once: at.set == p.free, slotBytes: p.slotBytes,
	}
	for ; rest != 0; rest &= rest - 1 {
		g.slots *= p.dim[bits.TrailingZeros64(rest)]
	}
	return g
}

// greedy takes the cheapest connected loop next, from every possible first one;
// from the cheapest of them when there are many.
func (p *orderProblem) greedy() *state {
	var starts []*state
	for s := p.all; s != 0; s &= s - 1 {
		starts = append(starts, p.extend(&state{}, bits.TrailingZeros64(s)))
	}
	if len(starts) > maxExact {
		slices.SortStableFunc(starts, func(a, b *state) int { return cmp.Compare(p.rank(a), p.rank(b)) })
		starts = starts[:maxExact]
	}
	best := &state{}
	for i, at := range starts {
		for at.set != p.all && (i == 0 || at.cost < best.cost) {
			var next *state
			for c := p.nest.Connected(at.set, p.all&^at.set); c != 0; c &= c - 1 {
				to := p.extend(at, bits.TrailingZeros64(c))
				if next == nil || p.rank(to) < p.rank(next) {
					next = to
				}
			}
			at = next
		}
		if at.set == p.all && (i == 0 || at.cost < best.cost) {
			best = at
		}
	}
	return best
}
