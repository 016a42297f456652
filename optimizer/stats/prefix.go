package stats

import (
	"math"
	"math/bits"
)

// Term is one conjunct of a loop nest: an operand or a comparison.
type Term struct {
	Stats Stats  // nil for a comparison
	Set   uint64 // its indices
	// Selectivity is the share of index pairs that a comparison keeps.
	Selectivity float64
	// Less is, of a comparison by <, <=, > or >=, the index on the lesser side (a
	// bit); else 0.
	Less uint64
	// Optional says of an operand that assignments without an entry of it count as
	// well: it is looked up, and neither bounds loops nor leads them.
	Optional bool
}

// Nest answers what a loop order asks about a conjunctive body: how many
// assignments a set of outer loops has and what the next loop walks. Answers
// are kept, one per set asked for.
type Nest struct {
	est    Estimator
	terms  []Term
	all    uint64                         // the terms' indices
	masked bool                           // there are comparisons
	parts  [][]factor                     // per term, by its kept indices (compact)
	sizes  []float64                      // per set (compact); nil when the sets are too many
	known  [1 << maxDenseNest / 64]uint64 // which sizes are
	many   map[uint64]float64
	args   []Stats // scratch
}

// factor is a term's projection; stats is nil until it is asked for.
type factor struct {
	stats Stats
	size  float64
}

const (
	// maxCost bounds costs, so that sums of them stay finite.
	maxCost = 1e200
	// maxDenseNest is the number of indices up to which sizes are kept in a slice,
	// and maxDenseTerm that for a term's projections.
	maxDenseNest = 10
	maxDenseTerm = 8
)

// NewNest describes the loops of a product of terms.
func NewNest(est Estimator, terms []Term) *Nest {
	n := &Nest{est: est, terms: terms, parts: make([][]factor, len(terms)), args: make([]Stats, 0, len(terms))}
	for t := range terms {
		n.all |= terms[t].Set
		n.masked = n.masked || terms[t].Stats == nil
	}
	if k := bits.OnesCount64(n.all); k <= maxDenseNest {
		n.sizes = make([]float64, 1<<k)
	} else {
		n.many = map[uint64]float64{}
	}
	return n
}

// project returns term t's projection onto the set.
func (n *Nest) project(t int, set uint64) factor {
	term := &n.terms[t]
	modes := bits.OnesCount64(term.Set)
	if modes > maxDenseTerm {
		return n.measure(term, set)
	}
	if n.parts[t] == nil {
		n.parts[t] = make([]factor, 1<<modes)
	}
	p := &n.parts[t][compact(set, term.Set)]
	if p.stats == nil {
		*p = n.measure(term, set)
	}
	return *p
}

func (n *Nest) measure(term *Term, set uint64) factor {
	p := factor{stats: term.Stats}
	if drop := term.Set &^ set; drop != 0 {
		p.stats = n.est.Reduce(term.Stats, drop)
	}
	p.size = n.est.Estimate(p.stats, p.stats.Set(), 0)
	return p
}

// Size estimates the assignments of the set that all terms' projections onto
// it allow. Projecting before joining tells loop orders apart that the join's
// own projections cannot (OPTIMIZER C).
func (n *Nest) Size(set uint64) float64 {
	if set == 0 {
		return 1
	}
	at := -1
	if n.sizes != nil && set&^n.all == 0 {
		at = compact(set, n.all)
		if n.known[at>>6]&(1<<(at&63)) != 0 {
			return n.sizes[at]
		}
	} else if size, ok := n.many[set]; ok {
		return size
	}
	size := n.size(set)
	switch {
	case at >= 0:
		n.sizes[at] = size
		n.known[at>>6] |= 1 << (at & 63)
	case n.many != nil:
		n.many[set] = size
	}
	return size
}

// size joins the terms' projections.
func (n *Nest) size(set uint64) float64 {
	n.args = n.args[:0]
	for t := range n.terms {
		if term := &n.terms[t]; term.Stats != nil && !term.Optional && term.Set&set != 0 {
			n.args = append(n.args, n.project(t, term.Set&set).stats)
		}
	}
	selectivity := 1.0
	if n.masked {
		selectivity = Share(n.terms, set)
	}
	if best, ok := n.est.(Best); ok {
		return best.joinedSize(n.args) * selectivity
	}
	s := n.est.Join(n.args)
	return n.est.Estimate(s, s.Set(), 0) * selectivity
}

// Fiber estimates the entries of term t along index v (a bit) below one
// assignment of those of its indices that are in the outer set.
func (n *Nest) Fiber(t int, v, outer uint64) float64 {
	set := n.terms[t].Set
	inner := n.project(t, set&(outer|v)).size
	if set&outer == 0 {
		return inner
	}
	return inner / math.Max(n.project(t, set&outer).size, 1e-100)
}

// Leader returns the operand with the fewest entries along v below the outer
// set, and that number; -1 when no operand has v.
func (n *Nest) Leader(v, outer uint64) (int, float64) {
	best, entries := -1, math.Inf(1)
	for t := range n.terms {
		if n.terms[t].Stats == nil || n.terms[t].Optional || n.terms[t].Set&v == 0 {
			continue
		}
		if e := n.Fiber(t, v, outer); best < 0 || e < entries {
			best, entries = t, e
		}
	}
	return best, entries
}

// Costs of one unit of work inside a loop nest, relative to walking one entry.
const (
	// lookupCost is one lookup in an operand that does not lead; marks and
	// bytemaps make it cheaper than a walk's step (KERNELS section 2).
	lookupCost = 0.5
	// openCost is entering a fiber of an operand once per outer iteration.
	openCost = 2.0
)

// LoopCost estimates the work of the loop over v (a bit) inside the outer set:
// what the leader walks of its entries inside the windows that comparisons with
// the outer indices make, and one lookup per entry for each of the others. It
// assumes that the loop is entered: an outer size below one says that the result
// may be empty, not that the loop is free.
func (n *Nest) LoopCost(v, outer uint64) float64 {
	leader, entries := n.Leader(v, outer)
	if leader < 0 {
		return maxCost
	}
	others := 0
	for t := range n.terms {
		if t != leader && n.terms[t].Stats != nil && n.terms[t].Set&v != 0 {
			others++
		}
	}
	entries *= n.narrowed(v, outer)
	outerSize := math.Max(n.Size(outer), 1)
	return math.Min(maxCost, outerSize*(openCost+entries*(1+lookupCost*float64(others))))
}

// Connected returns the members of rest that share an operand with the outer
// set; all of rest when none does.
func (n *Nest) Connected(outer, rest uint64) uint64 {
	var near uint64
	for t := range n.terms {
		if n.terms[t].Stats != nil && n.terms[t].Set&outer != 0 {
			near |= n.terms[t].Set
		}
	}
	if near &= rest; near != 0 {
		return near
	}
	return rest
}

// GreedyCost is the work of the loop order that takes the cheapest connected
// loop next: O(k^2) questions for k indices. Starting indices are all tried
// when there are few, since the first choice decides most.
func (n *Nest) GreedyCost(all uint64) float64 { return n.GreedyCostBelow(all, math.Inf(1)) }

// GreedyCostBelow is GreedyCost if that is below the limit, else the limit or
// more: orders are given up when they reach it.
func (n *Nest) GreedyCostBelow(all uint64, limit float64) float64 {
	best := limit
	for s := all; s != 0; s &= s - 1 {
		first := s & -s
		cost, outer := n.LoopCost(first, 0), first
		for outer != all && cost < best {
			v, c := n.cheapest(outer, all&^outer)
			cost += c
			outer |= v
		}
		best = math.Min(best, cost)
	}
	if all == 0 {
		return 0
	}
	return math.Min(best, maxCost)
}

func (n *Nest) cheapest(outer, rest uint64) (v uint64, cost float64) {
	cost = math.Inf(1)
	for s := n.Connected(outer, rest); s != 0; s &= s - 1 {
		bit := s & -s
		// The loop's own work and what it leaves for the loops inside it.
		if c := n.LoopCost(bit, outer) + n.Size(outer|bit); c < cost {
			v, cost = bit, c
		}
	}
	return v, cost - n.Size(outer|v)
}
