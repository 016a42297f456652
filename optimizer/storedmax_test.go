package optimizer_test

import (
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// TestStoredMax: plans that may store little compute the same in fewer steps.
func TestStoredMax(t *testing.T) {
	const programs = 120
	fewer := 0
	for seed := range uint64(programs) {
		rng := rand.New(rand.NewPCG(seed, 31))
		p, data := interp.RandomProgram(rng, interp.RandomOptions{})
		tensors := map[string]stats.TensorStats{}
		source := func() *randomSource { return &randomSource{rng: rng, tensors: tensors} }
		free, err := optimizer.Logical(p, source(), optimizer.Options{})
		if err != nil {
			continue
		}
		want := evaluate(t, p.Inputs, p.Queries, data)
		for _, most := range []float64{1, 1 + 100*rng.Float64()} {
			lp, _, err := optimizer.Optimize(p, source(), optimizer.Options{StoredMax: most})
			if err != nil {
				if !repeatsIndex(p) {
					t.Fatalf("seed %d: %v\n%s", seed, err, p)
				}
				continue
			}
			got := evaluate(t, lp.Inputs, stepQueries(lp.Steps), data)
			for _, q := range p.Queries {
				sameLeaves(t, seed, q, lp, data, got, want[q.Name])
			}
			if len(lp.Steps) < len(free.Steps) {
				fewer++
			}
		}
	}
	t.Logf("fewer steps in %d plans", fewer)
	if fewer < programs/30 {
		t.Errorf("fewer steps in only %d plans", fewer)
	}
}
