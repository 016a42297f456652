package optimizer_test

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// evaluate runs queries over the given tensors.
func evaluate(t *testing.T, inputs []*einsum.Input, queries []*einsum.Query, data map[string]*interp.Tensor) map[string]*interp.Tensor {
	t.Helper()
	out, err := interp.Run(&einsum.Program{Inputs: inputs, Queries: queries}, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func stepQueries(steps []*logical.Step) []*einsum.Query {
	var out []*einsum.Query
	for _, s := range steps {
		out = append(out, s.Query)
	}
	return out
}

// TestReplan stops random plans after every step, plans the rest again under
// other statistics and goes on with that: the answer stays, and so do all
// queries that may be asked for by name.
func TestReplan(t *testing.T) {
	programs := uint64(400)
	if testing.Short() {
		programs = 60
	}
	replanned := 0
	for seed := range programs {
		rng := rand.New(rand.NewPCG(seed, 17))
		p, data := interp.RandomProgram(rng, interp.RandomOptions{})
		source := func() *randomSource { return &randomSource{rng: rng, tensors: map[string]stats.TensorStats{}} }
		lp, err := optimizer.Logical(p, source(), optimizer.Options{})
		if err != nil {
			continue
		}
		want := evaluate(t, p.Inputs, p.Queries, data)
		for done := 1; done < len(lp.Steps); done++ {
			first := evaluate(t, lp.Inputs, stepQueries(lp.Steps[:done]), data)
			again, _, err := optimizer.Replan(lp, done, source(), optimizer.Options{})
			if err != nil {
				if !repeatsIndex(p) {
					t.Fatalf("seed %d: %v\n%s\n%s", seed, err, p, lp)
				}
				break
			}
			replanned++
			have := maps.Clone(data)
			for _, s := range lp.Steps[:done] {
				have[s.Query.Name] = first[s.Query.Name]
			}
			got := evaluate(t, again.Inputs, stepQueries(again.Steps), have)
			for _, q := range p.Queries {
				sameLeaves(t, seed, q, again, have, got, want[q.Name])
			}
		}
	}
	t.Logf("%d plans planned again", replanned)
	if replanned < int(programs)/3 {
		t.Errorf("only %d plans were planned again", replanned)
	}
}

// sameLeaves looks a query of the program up in a plan that computes it.
func sameLeaves(t *testing.T, seed uint64, q *einsum.Query, lp *logical.Plan, inputs, steps map[string]*interp.Tensor, want *interp.Tensor) {
	t.Helper()
	name, _ := lp.Leaf(q.Name, q.Leaves[0].Name)
	got := steps[name]
	if got == nil {
		got = inputs[name]
	}
	if got == nil {
		t.Fatalf("seed %d: query %s is nowhere in\n%s", seed, q.Name, lp)
	}
	if name != q.Name {
		return // its modes and leaves have another order there
	}
	if diff := interp.Diff(got, want, 1e-9); diff != "" {
		t.Fatalf("seed %d: query %s: %s\n%s", seed, q.Name, diff, lp)
	}
}
