package optimizer_test

import (
	"math"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// TestIdentities holds the identities of linear algebra that rewriting systems
// of matrix languages list one by one (SystemML's, OPTIMIZER E) against the
// planner, which knows none of them: both sides mean the same, and their plans
// cost the same up to a quarter (two aggregates that are added are not made one,
// which would save a traversal's overhead).
func TestIdentities(t *testing.T) {
	const tensors = `
tensor X(0,1) { n pattern, x f64 }
tensor Y(1,2) { n pattern, x f64 }
tensor Z(0,1) { n pattern, x f64 }
tensor W(2,0) { n pattern, x f64 }
tensor c(0) { n pattern, x f64 }
tensor v(0) { n pattern, x f64 }
`
	src := goldenSource{
		"X": figures(20000, 1000, 800), "Y": figures(16000, 800, 600), "Z": figures(30000, 1000, 800),
		"W": figures(10000, 600, 1000), "c": figures(1000, 1000), "v": figures(1000, 1000),
	}
	for _, c := range []struct{ name, left, right string }{
		{
			"sum of a product of matrices",
			"out() = n: sum(i,k) (sum(j) X.n(i,j) * Y.n(j,k)) | x: sum(i,k) (sum(j) X.x(i,j) * Y.x(j,k))",
			"out() = n: sum(j) (sum(i) X.n(i,j)) * (sum(k) Y.n(j,k)) | x: sum(j) (sum(i) X.x(i,j)) * (sum(k) Y.x(j,k))",
		},
		{
			"sum of row sums",
			"out() = n: sum(i) (sum(j) X.n(i,j)) | x: sum(i) (sum(j) X.x(i,j))",
			"out() = n: sum(j,i) X.n(i,j) | x: sum(j,i) X.x(i,j)",
		},
		{
			"sum of a scaled matrix",
			"out() = n: sum(i,j) X.n(i,j) | x: sum(i,j) 3 * X.x(i,j)",
			"out() = n: sum(i,j) X.n(i,j) | x: 3 * (sum(i,j) X.x(i,j))",
		},
		{
			"sum of a sum",
			"out() = n: sum(i,j) X.n(i,j) + Z.n(i,j) | x: sum(i,j) X.x(i,j) + Z.x(i,j)",
			"out() = n: (sum(i,j) X.n(i,j)) + (sum(k,l) Z.n(k,l)) | x: (sum(i,j) X.x(i,j)) + (sum(k,l) Z.x(k,l))",
		},
		{
			"a product with a negated vector",
			"out(j) = n: sum(i) X.n(i,j) * c.n(i) | x: sum(i) neg(X.x(i,j)) * c.x(i)",
			"out(j) = n: sum(i) X.n(i,j) * c.n(i) | x: neg(sum(i) X.x(i,j) * c.x(i))",
		},
		{
			"association of a chain",
			"out(i) = n: sum(j) X.n(i,j) * (sum(k,h) Y.n(j,k) * W.n(k,h) * c.n(h)) | x: sum(j) X.x(i,j) * (sum(k,h) Y.x(j,k) * W.x(k,h) * c.x(h))",
			"out(i) = n: sum(h) (sum(j,k) X.n(i,j) * Y.n(j,k) * W.n(k,h)) * c.n(h) | x: sum(h) (sum(j,k) X.x(i,j) * Y.x(j,k) * W.x(k,h)) * c.x(h)",
		},
		{
			"the square of a sum's terms",
			"out() = n: sum(i) c.n(i) | x: sum(i) c.x(i) * c.x(i) + c.x(i) * c.x(i)",
			"out() = n: sum(i) c.n(i) | x: 2 * (sum(i) c.x(i) * c.x(i))",
		},
		{
			"double negation and ones",
			"out(i,j) = n: X.n(i,j) | x: neg(neg(X.x(i,j))) * 1",
			"out(i,j) = n: X.n(i,j) | x: X.x(i,j)",
		},
		{
			"a common factor",
			"out(i,j) = n: X.n(i,j) * c.n(i) | x: X.x(i,j) * c.x(i) - v.x(i) * X.x(i,j) * c.x(i)",
			"out(i,j) = n: X.n(i,j) * c.n(i) | x: (1 - v.x(i)) * X.x(i,j) * c.x(i)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			left, costLeft := planned(t, tensors+c.left, src)
			right, costRight := planned(t, tensors+c.right, src)
			if err := sameAnswers(left, right); err != nil {
				t.Fatalf("%v\n%s\n%s", err, left, right)
			}
			if ratio := costLeft / costRight; math.Abs(math.Log(ratio)) > math.Log(1.25) {
				t.Errorf("left costs %.4g, right %.4g", costLeft, costRight)
			}
		})
	}
}

// planned returns a program and what its plan costs.
func planned(t *testing.T, text string, src goldenSource) (*einsum.Program, float64) {
	t.Helper()
	p, err := einsum.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	var lp *logical.Plan
	if lp, err = optimizer.Logical(p, src, optimizer.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := sameAnswers(p, lp.Program()); err != nil {
		t.Fatalf("%v\n%s\n%s", err, p, lp)
	}
	cost := 0.0
	for _, s := range lp.Steps {
		cost += s.Cost
	}
	return p, cost
}
