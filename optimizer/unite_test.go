package optimizer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Parts that are read together are united, and what remains after every step of the
// plan still means what the program means.
func TestUnitedPartsMeanTheirSum(t *testing.T) {
	factors := []string{"A%s(i,%s)", "B%s(%s,j)", "C%s(%s)"}
	rnd := rand.New(rand.NewPCG(6, 20))
	united := 0
	for trial := range 60 {
		var text strings.Builder
		text.WriteString("tensor A(0,1) { n i64 >=0, x i64 }\ntensor B(1,2) { n i64 >=0, x i64 }\ntensor C(1) { n i64 >=0, x i64 }\n")
		parts := 2 + rnd.IntN(2)
		var counts, values []string
		for k := range parts {
			index := fmt.Sprintf("p%d", k)
			var ns, xs []string
			for f, factor := range factors {
				if f == 2 && rnd.IntN(2) == 0 {
					continue
				}
				ns = append(ns, fmt.Sprintf(factor, ".n", index))
				xs = append(xs, fmt.Sprintf(factor, []string{".n", ".x"}[rnd.IntN(2)], index))
			}
			fmt.Fprintf(&text, "P%d(i,j) = n: or(%s) and(%s)\n | x: sum(%s) %s\n", k, index, strings.Join(ns, ", "), index, strings.Join(xs, " * "))
			counts = append(counts, fmt.Sprintf("P%d.n(i,j)", k))
			values = append(values, fmt.Sprintf("P%d.x(i,j)", k))
		}
		fold := []string{"max", "sum"}[rnd.IntN(2)]
		fmt.Fprintf(&text, "out(i) = n: or(j) or(%s)\n | x: %s(j) (%s) * (%s)\n", strings.Join(counts, ", "), fold, strings.Join(values, " + "), strings.Join(values, " + "))
		p, err := einsum.Parse(text.String())
		if err != nil {
			t.Fatal(err)
		}
		src := goldenSource{}
		for name, modes := range map[string]int{"A": 2, "B": 2, "C": 1} {
			s := stats.TensorStats{NNZ: 9}
			for range modes {
				s.Dims, s.Distinct = append(s.Dims, 3), append(s.Distinct, 3)
			}
			src[name] = s
		}
		plan, err := logical.Eliminate(p, src, logical.Options{Needed: map[string]bool{}})
		if err != nil {
			t.Fatal(err)
		}
		whole := len(plan.Steps)
		if plan, err = logical.UniteParts(p, plan, src, logical.Options{Needed: map[string]bool{}, UniteAll: true}); err != nil {
			t.Fatal(err)
		}
		if len(plan.Steps) < whole {
			united++
		}
		if err := plan.Check(); err != nil {
			t.Fatalf("trial %d: %v\n%s", trial, err, plan)
		}
		for k := range plan.Steps {
			left := &einsum.Program{Inputs: p.Inputs}
			for _, s := range plan.Steps[:k+1] {
				left.Queries = append(left.Queries, s.Query)
			}
			left.Queries = append(left.Queries, plan.Steps[k].Rest...)
			if err := sameAnswers(p, left); err != nil {
				t.Fatalf("trial %d, after step %d: %v\n%s", trial, k, err, plan)
			}
		}
	}
	if united < 20 {
		t.Errorf("%d programs had parts that were united", united)
	}
}
