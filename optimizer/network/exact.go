package network

import (
	"math"
	"math/bits"
	"slices"
)

// piece is a few nodes that become one, in the order that costs least: dynamic
// programming over their connected sets. What is known of a set does not depend on
// the order in which it was made. Sets are bits, of leaves and of local indices.
type piece struct {
	tree   *tree
	leaves []int32
	// Per local index: its number, the leaves that have it, and whether the result does.
	x       []int32
	holders []uint32
	outside uint64

	// Per set of leaves: indices of its result, logarithms of its entries and of the
	// cells that its indices have; the least cost, relative to that of the steps at
	// hand, and the half that it was made of.
	idx            []uint64
	entries, space []float64
	best           []float64
	split          []uint32
	d              [][]float64 // per set and local index: coordinates that occur
	scale          float64     // logarithm of the cost of the steps at hand
	tried          int
}

// newPiece describes the nodes below a root; ok is false where they have more indices
// than a word has bits.
func newPiece(t *tree, root int32, leaves []int32) (*piece, bool) {
	p := &piece{tree: t, leaves: leaves}
	for i, l := range leaves {
		for _, x := range t.nodes[l].idx {
			k := slices.Index(p.x, x)
			if k < 0 {
				k = len(p.x)
				p.x, p.holders = append(p.x, x), append(p.holders, 0)
			}
			p.holders[k] |= 1 << i
		}
	}
	if len(p.x) > 64 {
		return nil, false
	}
	for _, x := range t.nodes[root].idx {
		p.outside |= 1 << slices.Index(p.x, x)
	}
	n := 1 << len(leaves)
	p.idx, p.entries, p.space = make([]uint64, n), make([]float64, n), make([]float64, n)
	p.best, p.split, p.d = make([]float64, n), make([]uint32, n), make([][]float64, n)
	figures := make([]float64, n*len(p.x))
	for s := 1; s < n; s++ {
		p.d[s] = figures[s*len(p.x) : (s+1)*len(p.x)]
		p.describe(uint32(s))
	}
	return p, true
}

// describe estimates the join of a set of leaves.
func (p *piece) describe(set uint32) {
	joined, all := 0.0, 0.0
	for s := set; s != 0; s &= s - 1 {
		joined += p.tree.nodes[p.leaves[bits.TrailingZeros32(s)]].entries
	}
	for k, x := range p.x {
		least, sum := math.Inf(1), 0.0
		for s := p.holders[k] & set; s != 0; s &= s - 1 {
			nd := &p.tree.nodes[p.leaves[bits.TrailingZeros32(s)]]
			at, _ := slices.BinarySearch(nd.idx, x)
			least, sum = min(least, nd.d[at]), sum+nd.d[at]
		}
		if p.holders[k]&set == 0 {
			continue
		}
		joined -= sum - least
		all += least
		p.d[set][k] = least
		if p.outside>>k&1 == 1 || p.holders[k]&^set != 0 {
			p.idx[set] |= 1 << k
			p.space[set] += least
		}
	}
	if p.entries[set] = min(joined, all); p.space[set] < all {
		p.entries[set] = occupied(p.entries[set], p.space[set])
	}
	p.tried += len(p.x)
}

// step is the cost of making a set of two halves, relative to that of the steps at
// hand.
func (p *piece) step(a, b uint32) float64 {
	meet := 0.0
	for s := p.idx[a] & p.idx[b]; s != 0; s &= s - 1 {
		k := bits.TrailingZeros64(s)
		meet += max(p.d[a][k], p.d[b][k])
	}
	body := min(p.entries[a]+p.entries[b], p.space[a]+p.space[b]) - meet
	if p.scale == 0 {
		return stepCost(body, p.entries[a|b])
	}
	return math.Exp(body-p.scale) + storeWeight*math.Exp(p.entries[a|b]-p.scale) + stepWork*math.Exp(-p.scale)
}

// price is the logarithm of what the opened steps below at cost, by the piece's
// estimates, and the set of leaves that they are made of.
func (p *piece) price(at int32, opened []int32) (set uint32, cost float64) {
	if i := slices.Index(p.leaves, at); i >= 0 && !slices.Contains(opened, at) {
		return 1 << i, math.Inf(-1)
	}
	kids := p.tree.nodes[at].kids
	a, costA := p.price(kids[0], opened)
	b, costB := p.price(kids[1], opened)
	return a | b, addLogs(addLogs(costA, costB), p.step(a, b))
}

// search fills in the least costs. Sets that are not connected, or that cost more than
// the steps at hand, are left out.
func (p *piece) search(scale float64) {
	p.scale = scale
	for set := uint32(1); set < uint32(len(p.best)); set++ {
		if set&(set-1) == 0 {
			continue
		}
		p.best[set] = math.Inf(1)
		low := set & -set
		for half := (set - 1) & set; half != 0; half = (half - 1) & set {
			other := set &^ half
			if half&low == 0 || p.idx[half]&p.idx[other] == 0 {
				continue
			}
			below := p.best[half] + p.best[other]
			if below >= p.best[set] || below >= 1 {
				continue
			}
			p.tried += 2
			if cost := below + p.step(half, other); cost < p.best[set] && cost < 1 {
				p.best[set], p.split[set] = cost, half
			}
		}
	}
}
