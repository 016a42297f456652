package optimizer_test

import (
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// randomSource answers with figures drawn once per tensor: they have nothing to
// do with the data, so they reach plans that true statistics would not.
type randomSource struct {
	rng     *rand.Rand
	tensors map[string]stats.TensorStats
}

func (s *randomSource) Stats(a *einsum.Access) stats.TensorStats {
	t, ok := s.tensors[a.Tensor]
	if !ok {
		t.NNZ = []float64{0, 1, 50, 1e4, 1e6, 1e9}[s.rng.IntN(6)]
		for range a.Args {
			dim := []float64{1, 10, 1e4, 1e7}[s.rng.IntN(4)]
			t.Dims = append(t.Dims, dim)
			t.Distinct = append(t.Distinct, min(dim, t.NNZ))
		}
		s.tensors[a.Tensor] = t
	}
	rest := stats.TensorStats{NNZ: t.NNZ}
	for m, arg := range a.Args {
		if arg.Const != nil {
			rest.NNZ /= max(t.Distinct[m], 1)
			continue
		}
		rest.Dims = append(rest.Dims, t.Dims[m])
		rest.Distinct = append(rest.Distinct, t.Distinct[m])
	}
	return rest
}

// repeatsIndex reports an access like A(i,i), which no step reads natively.
func repeatsIndex(p *einsum.Program) bool {
	for _, q := range p.Queries {
		for _, l := range q.Leaves {
			for _, a := range einsum.Accesses(l.Expr) {
				seen := map[einsum.Index]bool{}
				for _, arg := range a.Args {
					if arg.Const == nil && seen[arg.Index] {
						return true
					}
					seen[arg.Index] = arg.Const == nil
				}
			}
		}
	}
	return false
}

// TestPhysicalInvariants plans random programs under random statistics: every
// plan satisfies P1 to P5, survives printing, and means what the program means.
func TestPhysicalInvariants(t *testing.T) {
	programs := 1200
	if testing.Short() {
		programs = 400
	}
	planned := 0
	seen := map[string]int{}
	for seed := range uint64(programs) {
		rng := rand.New(rand.NewPCG(seed, 11))
		p, data := interp.RandomProgram(rng, interp.RandomOptions{})
		lp, pp, err := optimizer.Optimize(p, &randomSource{rng: rng, tensors: map[string]stats.TensorStats{}}, optimizer.Options{})
		if err != nil {
			if !repeatsIndex(p) {
				t.Fatalf("seed %d: %v\n%s", seed, err, p)
			}
			continue
		}
		planned++
		if err := pp.Check(); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, lp, pp)
		}
		again, err := physical.Parse(pp.String())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, pp)
		}
		if again.String() != pp.String() || again.Check() != nil {
			t.Fatalf("seed %d: plan does not survive printing\n%s\n%s", seed, pp, again)
		}
		count(seen, pp)
		if seed%4 != 0 {
			continue
		}
		sameMeaning(t, seed, p, pp, data)
	}
	t.Logf("%d of %d programs planned: %v", planned, programs, seen)
	if planned < programs/2 {
		t.Errorf("only %d of %d programs were planned", planned, programs)
	}
	for _, what := range []string{
		"dense", "sparse", "bytemap", "hash", "walk", "lookup",
		"workspace none", "workspace dense", "workspace hash", "reorder",
	} {
		if seen[what] == 0 {
			t.Errorf("no plan has %s", what)
		}
	}
}

func sameMeaning(t *testing.T, seed uint64, p *einsum.Program, pp *physical.Plan, data map[string]*interp.Tensor) {
	t.Helper()
	steps := &einsum.Program{Inputs: pp.Inputs}
	for _, s := range pp.Steps {
		steps.Queries = append(steps.Queries, s.Query)
	}
	want, err := interp.Run(p, data, nil)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, p)
	}
	got, err := interp.Run(steps, data, nil)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s\n%s", seed, err, p, pp)
	}
	last := p.Queries[len(p.Queries)-1].Name
	if diff := interp.Diff(got[last], want[last], 1e-9); diff != "" {
		t.Fatalf("seed %d: %s\n%s\n%s", seed, diff, p, pp)
	}
}

// count notes which choices occur in a plan.
func count(seen map[string]int, pp *physical.Plan) {
	for _, s := range pp.Steps {
		for _, o := range s.Operands {
			for _, k := range o.Formats {
				seen[k.String()]++
			}
			for _, k := range o.Protocols {
				seen[k.String()]++
			}
		}
		seen["workspace "+s.Output.Workspace.String()]++
		if len(s.Operands) == 1 && s.Query.Name == s.Operands[0].Tensor+"_r1" {
			seen["reorder"]++
		}
		if s.Output.Workspace == format.None && len(s.Output.Order) == 0 {
			seen["scalar"]++
		}
	}
}

// pattern makes the count of homomorphisms of a random connected labelled graph.
func pattern(rng *rand.Rand, vertices, edges int) *einsum.Program {
	p := &einsum.Program{Inputs: []*einsum.Input{
		{Name: "E", Domains: []int{0, 0}, Leaves: []einsum.LeafDecl{{Name: "n"}}},
		{Name: "V", Domains: []int{1, 0}, Leaves: []einsum.LeafDecl{{Name: "n"}}},
	}}
	idxs := make([]einsum.Index, vertices)
	var factors []einsum.Expr
	for v := range idxs {
		idxs[v] = einsum.Index{Name: string(rune('a' + v))}
		factors = append(factors, einsum.A("V", "n", einsum.Number("7"), einsum.Ix(idxs[v])))
	}
	have := map[[2]int]bool{}
	add := func(u, v int) {
		if u != v && !have[[2]int{u, v}] && !have[[2]int{v, u}] {
			have[[2]int{u, v}] = true
			factors = append(factors, einsum.A("E", "n", einsum.Ixs(idxs[u], idxs[v])...))
		}
	}
	for v := 1; v < vertices; v++ {
		add(rng.IntN(v), v)
	}
	for len(have) < min(edges, vertices*(vertices-1)/2) {
		add(rng.IntN(vertices), rng.IntN(vertices))
	}
	p.Queries = []*einsum.Query{{Name: "R", Leaves: []einsum.Leaf{{Name: "n", Expr: einsum.Sum(idxs, einsum.Mul(factors...))}}}}
	return p
}

// graph is a protein graph of the size that the pattern workloads use.
type graph struct{}

func (graph) Stats(a *einsum.Access) stats.TensorStats {
	switch {
	case a.Tensor == "E":
		return stats.TensorStats{NNZ: 69996, Dims: []float64{9460, 9460}, Distinct: []float64{9460, 9460}}
	case a.Args[0].Const != nil:
		return stats.TensorStats{NNZ: 31, Dims: []float64{9460}, Distinct: []float64{31}}
	}
	return stats.TensorStats{NNZ: 9460, Dims: []float64{307, 9460}, Distinct: []float64{307, 9460}}
}

func TestPatternsPlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		p := pattern(rng, 4+i%5, 4+i%5+rng.IntN(10))
		lp, pp, err := optimizer.Optimize(p, graph{}, optimizer.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		if err := pp.Check(); err != nil {
			t.Fatalf("%v\n%s", err, pp)
		}
		if len(lp.Steps) < 1 {
			t.Fatalf("no steps for %s", p)
		}
	}
}

// BenchmarkPlan plans patterns of eight labelled vertices: trees, sparse ones
// with cycles, and the densest of the workloads.
func BenchmarkPlan(b *testing.B) {
	for _, edges := range []int{7, 9, 13, 20, 28} {
		rng := rand.New(rand.NewPCG(3, 4))
		var programs []*einsum.Program
		for range 50 {
			programs = append(programs, pattern(rng, 8, edges))
		}
		b.Run("vertices=8/edges="+string(rune('0'+edges/10))+string(rune('0'+edges%10)), func(b *testing.B) {
			for i := range b.N {
				if _, _, err := optimizer.Optimize(programs[i%len(programs)], graph{}, optimizer.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
