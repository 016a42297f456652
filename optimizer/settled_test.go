package optimizer_test

import (
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer"
)

// TestReplanKeepsRewrites: weights that are not worth pushing into a sum of tables
// under the first figures would be under those of the next planning, which searches
// no rewrites: the sum stays as the steps that are done were made for it.
func TestReplanKeepsRewrites(t *testing.T) {
	p, err := einsum.Parse(`tensor E(0,1) { n pattern }
tensor L(0,2,3) { n pattern }
tensor S(2,4) { n pattern, x f64 }
tensor P(3,4) { n pattern, x f64 }
tensor th(4) { n pattern, x f64 }
first(i) = n: sum(k) E.n(i,k)
out(i) = n: or(s,p,j) and(L.n(i,s,p), or(S.n(s,j), P.n(p,j)), th.n(j), first.n(i))
       | x: sum(s,p,j) L.n(i,s,p) * (S.x(s,j) + P.x(p,j)) * th.x(j) * first.n(i)
`)
	if err != nil {
		t.Fatal(err)
	}
	small := goldenSource{"E": figures(3, 3, 3), "L": figures(1, 1, 1, 1), "S": figures(100, 1, 100), "P": figures(100, 1, 100), "th": figures(100, 100)}
	large := goldenSource{
		"E": figures(1e6, 1e6, 1), "L": figures(1e6, 1e6, 1e3, 1e3), "S": figures(1e5, 1e3, 100), "P": figures(1e5, 1e3, 100), "th": figures(100, 100), "first": figures(1e6, 1e6),
	}
	pushed := func(text string) bool {
		for line := range strings.Lines(text) {
			if strings.Contains(line, "th.x") && !strings.Contains(line, "L.n") {
				return true
			}
		}
		return false
	}
	lp, err := optimizer.Logical(p, small, optimizer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if lp.Steps[0].Query.Name != "first" || pushed(lp.String()) {
		t.Fatalf("the first plan:\n%s", lp)
	}
	anew, err := optimizer.Logical(p, large, optimizer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !pushed(anew.String()) {
		t.Fatalf("with the later figures a rewrite pays nothing:\n%s", anew)
	}
	again, _, err := optimizer.Replan(lp, 1, large, optimizer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if pushed(again.String()) {
		t.Errorf("planned again with a search for rewrites:\n%s", again)
	}
}
