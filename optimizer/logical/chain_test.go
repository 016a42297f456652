package logical_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// path is a graph of n nodes with two edges out of each.
type path struct{ nodes float64 }

func (p path) Stats(*einsum.Access) stats.TensorStats {
	return stats.TensorStats{NNZ: 2 * p.nodes, Dims: []float64{p.nodes, p.nodes}, Distinct: []float64{p.nodes, p.nodes}}
}

// TestLongChain: a chain is eliminated to its end, up to the largest that a
// query may be. A step that has more
// than an edge and what is left of it on both sides would visit paths.
func TestLongChain(t *testing.T) {
	for _, n := range []int{2, 32, 33, 40, 58, 63} {
		var over, factors []string
		for i := range n {
			over = append(over, fmt.Sprintf("x%d", i))
			factors = append(factors, fmt.Sprintf("e.n(x%d,x%d)", i, i+1))
		}
		over = append(over, fmt.Sprintf("x%d", n))
		text := fmt.Sprintf("tensor e(0,0) { n i64 }\nR() = n: sum(%s) %s", strings.Join(over, ","), strings.Join(factors, " * "))
		program, err := einsum.Parse(text)
		if err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		plan, err := logical.Eliminate(program, path{nodes: 20}, logical.Options{})
		if err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		if err := plan.Check(); err != nil {
			t.Fatalf("%d: %v\n%s", n, err, plan)
		}
		reads := map[string]int{}
		for _, s := range plan.Steps {
			if k := strings.Count(s.Query.String(), ".n("); k > 3 {
				t.Errorf("%d: a step of %d operands: %s", n, k, s.Query)
			}
			for _, s2 := range plan.Steps {
				reads[s.Query.Name] += strings.Count(s2.Query.String(), s.Query.Name+".n(")
			}
		}
		for _, s := range plan.Steps[:len(plan.Steps)-1] {
			if reads[s.Query.Name] == 0 {
				t.Errorf("%d: nothing reads %s", n, s.Query.Name)
			}
		}
	}
}
