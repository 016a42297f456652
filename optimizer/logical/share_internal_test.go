package logical

import (
	"testing"

	"github.com/trireme-db/trireme/einsum"
)

// A step is computed before the later ones: a leaf that reads one of them, or the
// step itself, is none of its own.
func TestStepsReadEarlierOnesAlone(t *testing.T) {
	steps := make([]*Step, 3)
	for i, name := range []string{"S0", "S1", "S2"} {
		steps[i] = &Step{Query: &einsum.Query{Name: name}}
	}
	pl := &planner{plan: &Plan{Steps: steps}}
	reading := func(tensor string) einsum.Expr {
		return einsum.Mul(&einsum.Access{Tensor: "A", Leaf: "x"}, &einsum.Access{Tensor: tensor, Leaf: "x"})
	}
	for tensor, later := range map[string]bool{"A": false, "S0": false, "S1": true, "S2": true} {
		if got := pl.readsFrom(reading(tensor), 1); got != later {
			t.Errorf("a leaf that reads %s: readsFrom step 1 is %v", tensor, got)
		}
	}
}
