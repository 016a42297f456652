package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// bruteShare counts the orders of n indices that the comparisons of the set admit.
func bruteShare(terms []Term, set uint64, n int) float64 {
	kept, all := 0, 0
	var each func(place []int)
	each = func(place []int) {
		if len(place) < n {
			for p := range n {
				free := true
				for _, q := range place {
					free = free && q != p
				}
				if free {
					each(append(place[:len(place):len(place)], p))
				}
			}
			return
		}
		all++
		for i := range terms {
			if t := &terms[i]; t.Set&^set == 0 && place[bits.TrailingZeros64(t.Less)] > place[bits.TrailingZeros64(t.Set&^t.Less)] {
				return
			}
		}
		kept++
	}
	each(nil)
	return float64(kept) / float64(all)
}

func TestShareCountsOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	impossible := 0
	for range 200 {
		const n = 5
		var terms []Term
		for range 1 + r.IntN(5) {
			perm := r.Perm(n)
			less := uint64(1) << perm[0]
			terms = append(terms, Term{Set: less | 1<<perm[1], Less: less, Selectivity: 0.5})
		}
		set := r.Uint64N(1 << n)
		want := bruteShare(terms, set, n)
		if want == 0 { // a circle
			impossible++
			want = 1
			for _, term := range terms {
				if term.Set&^set == 0 {
					want *= term.Selectivity
				}
			}
		}
		if got := Share(terms, set); math.Abs(got-want) > 1e-12 {
			t.Errorf("share of %v in %b is %v, want %v", terms, set, got, want)
		}
	}
	if impossible == 0 {
		t.Error("no circle of comparisons was tried")
	}
	terms := []Term{{Set: 3, Selectivity: 0.25}, {Set: 6, Less: 2, Selectivity: 0.5}, {Set: 12, Less: 4, Selectivity: 0.5}}
	if got := Share(terms, 15); math.Abs(got-0.25/6) > 1e-12 {
		t.Errorf("a comparison without order and a chain keep %v", got)
	}
}

// TestWindowsHalveLoops: a comparison with an outer index halves what a loop walks.
func TestWindowsHalveLoops(t *testing.T) {
	est := Uniform{}
	edge := TensorStats{NNZ: 1000, Dims: []float64{100, 100}, Distinct: []float64{100, 100}}
	terms := []Term{{Stats: est.FromTensor(&edge, []int{0, 1}), Set: 3}}
	plain := NewNest(est, terms).LoopCost(2, 1)
	masked := NewNest(est, append(terms, Term{Set: 3, Less: 1, Selectivity: 0.5})).LoopCost(2, 1)
	if opened := 100 * openCost; math.Abs((masked-opened)*2-(plain-opened)) > 1e-9 {
		t.Errorf("a loop costs %v, under a comparison %v", plain, masked)
	}
}
