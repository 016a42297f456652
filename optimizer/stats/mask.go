package stats

import "math/bits"

// maxOrdered is the number of indices up to which the orders that comparisons
// admit are counted; beyond it comparisons count as independent.
const maxOrdered = 8

// Share is the share of all assignments to the indices of the set that the
// comparisons between them keep. Those that order indices are not independent:
// a < b < c keeps one order of six, not a quarter of the assignments. O(2^k k)
// for k ordered indices.
func Share(terms []Term, set uint64) float64 {
	share, ordered := 1.0, 1.0
	var less [64]uint64 // per index, those below it
	var involved uint64
	for i := range terms {
		t := &terms[i]
		switch {
		case t.Stats != nil || t.Set&^set != 0:
		case t.Less == 0 || t.Less == t.Set:
			share *= t.Selectivity
		default:
			less[bits.TrailingZeros64(t.Set&^t.Less)] |= t.Less
			involved |= t.Set
			ordered *= t.Selectivity
		}
	}
	if k := bits.OnesCount64(involved); k > 1 && k <= maxOrdered {
		if counted := orders(&less, involved); counted > 0 {
			ordered = counted // else they are in a circle: equal, if anything
		}
	}
	return share * ordered
}

// orders is the share of the orders of some indices in which each comes after
// all that are below it; 0 when they are below one another.
func orders(less *[64]uint64, involved uint64) float64 {
	k := bits.OnesCount64(involved)
	// Per set of indices that come first, the share of its orders.
	shares := make([]float64, 1<<k)
	shares[0] = 1
	for done := range shares {
		if shares[done] == 0 {
			continue
		}
		at := 0
		for s := involved; s != 0; s &= s - 1 {
			if done>>at&1 == 0 && uint64(compact(less[bits.TrailingZeros64(s)], involved))&^uint64(done) == 0 {
				shares[done|1<<at] += shares[done] / float64(bits.OnesCount64(uint64(done))+1)
			}
			at++
		}
	}
	return shares[len(shares)-1]
}

// narrowed is what the comparisons that the loop over v (a bit) completes leave
// of the entries that it would walk: windows bound the loop.
func (n *Nest) narrowed(v, outer uint64) float64 {
	if !n.masked {
		return 1
	}
	return Share(n.terms, outer|v) / max(Share(n.terms, outer), 1e-100)
}
