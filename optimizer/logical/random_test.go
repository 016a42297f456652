package logical_test

import (
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// measured answers from the data of a random program, or, perturbed, at random:
// statistics change plans, never answers.
type measured struct {
	data      map[string]*interp.Tensor
	perturbed *rand.Rand
}

func (m measured) Stats(a *einsum.Access) stats.TensorStats {
	var t stats.TensorStats
	t.NNZ = float64(len(m.data[a.Tensor].Entries))
	for _, arg := range a.Args {
		if arg.Const != nil {
			t.NNZ /= 3
			continue
		}
		t.Dims = append(t.Dims, 6)
		t.Distinct = append(t.Distinct, min(6, t.NNZ))
	}
	if m.perturbed != nil {
		t.NNZ *= []float64{0, 1e-3, 1, 1e3, 1e80}[m.perturbed.IntN(5)]
	}
	return t
}

// TestMeaning plans random programs; the plan's steps, read as a program,
// give the program's results.
func TestMeaning(t *testing.T) {
	programs := 1500
	if testing.Short() {
		programs = 300
	}
	steps, split := 0, 0
	for seed := range uint64(programs) {
		rng := rand.New(rand.NewPCG(seed, 7))
		p, data := interp.RandomProgram(rng, interp.RandomOptions{})
		src := measured{data: data}
		if seed%2 == 1 {
			src.perturbed = rng
		}
		normal, err := logical.Normalize(p)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		plan, err := logical.Eliminate(normal, src, logical.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		if err := plan.Check(); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, p, plan)
		}
		again, err := logical.Parse(plan.String())
		if err != nil || !again.Program().Equal(plan.Program()) {
			t.Fatalf("seed %d: plan does not survive printing: %v\n%s\n%s", seed, err, plan, again)
		}
		want, err := interp.Run(p, data, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		got, err := interp.Run(plan.Program(), data, nil)
		if err != nil {
			t.Fatalf("seed %d: plan: %v\n%s\n%s", seed, err, p, plan)
		}
		last := p.Queries[len(p.Queries)-1].Name
		if diff := interp.Diff(got[last], want[last], 1e-9); diff != "" {
			t.Fatalf("seed %d: %s\n%s\n%s", seed, diff, p, plan)
		}
		steps += len(plan.Steps)
		if len(plan.Steps) > len(normal.Queries) {
			split++
		}
	}
	t.Logf("%d programs, %d steps, %d with eliminated indices", programs, steps, split)
	if split < programs/10 {
		t.Errorf("only %d of %d programs were split", split, programs)
	}
}
