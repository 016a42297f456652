package logical

import (
	"testing"

	"github.com/trireme-db/trireme/einsum"
)

// TestOrderOfHalfASearch ends the search for the permutations of a pattern after
// every number of steps. Of a directed circle, which can be turned but not
// mirrored, two places exchange with each other in no permutation: a comparison of
// just these would leave another number of assignments than half.
func TestOrderOfHalfASearch(t *testing.T) {
	program, err := einsum.Parse("tensor E(0,0) { n i64 } hollow\nC() = n: sum(i,j,k) E.n(i,j) * E.n(j,k) * E.n(k,i)")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	for left := range 100 {
		s := newSymmetry(program)
		s.elems = program.Elems()
		p, ok := s.patternOf(program.Queries[0])
		if !ok {
			t.Fatal("no pattern")
		}
		p.work = symmetryWork - left
		times, _ := p.order()
		seen[times] = true
		if times != 1 && times != 3 {
			t.Errorf("with %d steps left: %d assignments are images of each other", left, times)
		}
	}
	if !seen[1] || !seen[3] {
		t.Errorf("numbers of images %v", seen)
	}
}
