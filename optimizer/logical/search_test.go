package logical_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// TestEverySearch plans random programs with every search, and with randomly
// perturbed costs: every plan gives the program's answer.
func TestEverySearch(t *testing.T) {
	programs := 600
	if testing.Short() {
		programs = 150
	}
	for seed := range uint64(programs) {
		rng := rand.New(rand.NewPCG(seed, 17))
		p, data := interp.RandomProgram(rng, interp.RandomOptions{})
		normal, err := logical.Normalize(p)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		want, err := interp.Run(p, data, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		last := p.Queries[len(p.Queries)-1].Name
		for _, kind := range []logical.Search{logical.Greedy, logical.Exact, logical.Auto} {
			perturb := func(atoms uint64) float64 {
				r := rand.New(rand.NewPCG(atoms, seed<<2|uint64(kind)))
				return []float64{1e-6, 1e-3, 1, 1e3}[r.IntN(4)]
			}
			opt := logical.Options{Search: kind}
			if seed%2 == 0 {
				opt.Needed = map[string]bool{}
			}
			for _, perturb := range []func(uint64) float64{nil, perturb} {
				plan, err := logical.EliminatePerturbed(normal, measured{data: data}, opt, perturb)
				if err != nil {
					t.Fatalf("seed %d, %v: %v\n%s", seed, kind, err, p)
				}
				if err := plan.Check(); err != nil {
					t.Fatalf("seed %d, %v: %v\n%s\n%s", seed, kind, err, p, plan)
				}
				if wrong := logical.OutOfOrder(normal, plan); wrong != "" {
					t.Fatalf("seed %d, %v: %s\n%s\n%s", seed, kind, wrong, p, plan)
				}
				got, err := interp.Run(plan.Program(), data, nil)
				if err != nil {
					t.Fatalf("seed %d, %v: %v\n%s\n%s", seed, kind, err, p, plan)
				}
				if diff := interp.Diff(got[last], want[last], 1e-9); diff != "" {
					t.Fatalf("seed %d, %v: %s\n%s\n%s", seed, kind, diff, p, plan)
				}
			}
		}
	}
}

// TestRest: after every step of a plan, what remains, over the results so far,
// gives the program's answer.
func TestRest(t *testing.T) {
	programs := 400
	if testing.Short() {
		programs = 100
	}
	prefixes := 0
	for seed := range uint64(programs) {
		rng := rand.New(rand.NewPCG(seed, 19))
		p, data := interp.RandomProgram(rng, interp.RandomOptions{})
		normal, err := logical.Normalize(p)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		opt := logical.Options{}
		if seed%2 == 0 {
			opt.Needed = map[string]bool{}
		}
		plan, err := logical.Eliminate(normal, measured{data: data}, opt)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		results, err := interp.Run(plan.Program(), data, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, plan)
		}
		last := plan.Steps[len(plan.Steps)-1].Query.Name
		elems := map[string]semiring.Elem{}
		for _, in := range p.Inputs {
			for _, l := range in.Leaves {
				elems[in.Name+"."+l.Name] = l.Elem
			}
		}
		inputs := p.Inputs
		have := map[string]*interp.Tensor{}
		for name, x := range data {
			have[name] = x
		}
		for i, s := range plan.Steps {
			inputs = append(inputs[:len(inputs):len(inputs)], asInput(s.Query, elems))
			have[s.Query.Name] = results[s.Query.Name]
			if i == len(plan.Steps)-1 {
				if len(s.Rest) != 0 {
					t.Fatalf("seed %d: something remains after the last step\n%s", seed, plan)
				}
				break
			}
			rest := &einsum.Program{Inputs: inputs, Queries: s.Rest}
			if err := rest.Check(); err != nil {
				t.Fatalf("seed %d, after %s: %v\n%s\n%s", seed, s.Query.Name, err, plan, rest)
			}
			got, err := interp.Run(rest, have, nil)
			if err != nil {
				t.Fatalf("seed %d, after %s: %v\n%s\n%s", seed, s.Query.Name, err, plan, rest)
			}
			if diff := interp.Diff(got[last], results[last], 1e-9); diff != "" {
				t.Fatalf("seed %d, after %s: %s\n%s\n%s", seed, s.Query.Name, diff, plan, rest)
			}
			prefixes++
		}
	}
	if prefixes < programs {
		t.Errorf("only %d prefixes", prefixes)
	}
}

// asInput declares a step's result.
func asInput(q *einsum.Query, elems map[string]semiring.Elem) *einsum.Input {
	in := &einsum.Input{Name: q.Name}
	for _, x := range q.Idxs {
		in.Domains = append(in.Domains, x.Domain)
	}
	for _, l := range q.Leaves {
		elem := max(semiring.I64, einsum.ElemOf(l.Expr, func(a *einsum.Access) semiring.Elem { return elems[a.Tensor+"."+a.Leaf] }))
		elems[q.Name+"."+l.Name] = elem
		in.Leaves = append(in.Leaves, einsum.LeafDecl{Name: l.Name, Elem: elem})
	}
	return in
}

// TestDone: a step computed before is read, not computed again.
func TestDone(t *testing.T) {
	p, err := einsum.Parse(`tensor E(0,0) { n pattern }
tensor Old(0) { n i64 }
R() = n: sum(a,b,c) E.n(a,b) * E.n(b,c) * E.n(c,a)
S(d) = n: sum(e,f) E.n(d,e) * E.n(e,f)`)
	if err != nil {
		t.Fatal(err)
	}
	done, err := einsum.Parse("tensor E(0,0) { n pattern }\nOld(x) = n: sum(y) E.n(x,y)")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := logical.Eliminate(p, path{nodes: 1000}, logical.Options{Done: done.Queries})
	if err != nil {
		t.Fatal(err)
	}
	if text := plan.String(); !strings.Contains(text, "Old.n(e)") {
		t.Errorf("Old is not read:\n%s", text)
	}
}

// TestUnionIsStored: a union of tensors is stored before it is multiplied by many
// columns, and not walked side by side at every cell of that product.
func TestUnionIsStored(t *testing.T) {
	p, err := einsum.Parse(`tensor A(0,1) { n pattern, x f64 }
tensor B(0,1) { n pattern, x f64 }
tensor W(1,2) { n pattern, x f64 }
S(i,j) = n: or(A.n(i,j), B.n(i,j)) | s: A.x(i,j) + B.x(i,j)
R(i,h) = n: or(j) and(S.n(i,j), W.n(j,h)) | z: sum(j) S.s(i,j) * W.x(j,h)`)
	if err != nil {
		t.Fatal(err)
	}
	rows := stats.TensorStats{NNZ: 1e5, Dims: []float64{1e4, 100}, Distinct: []float64{1e4, 100}}
	weights := stats.TensorStats{NNZ: 2500, Dims: []float64{100, 25}, Distinct: []float64{100, 25}}
	plan, err := logical.Eliminate(p, sizes{"A": rows, "B": rows, "W": weights}, logical.Options{Needed: map[string]bool{}})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Steps) != 2 {
		t.Errorf("%d steps\n%s", len(plan.Steps), plan)
	}
}

// TestInlined: a pointwise query is put into its only reader, unless it is needed.
func TestInlined(t *testing.T) {
	p, err := einsum.Parse(`tensor A(0,1) { n pattern, x f64 }
tensor B(0,1) { n pattern, y f64 }
S(i,j) = n: A.n(i,j) * B.n(i,j) | s: A.x(i,j) * B.y(i,j)
R(i) = n: sum(j) S.n(i,j) | m: max(j) S.s(i,j)`)
	if err != nil {
		t.Fatal(err)
	}
	big := stats.TensorStats{NNZ: 1e5, Dims: []float64{1e3, 1e3}, Distinct: []float64{1e3, 1e3}}
	for _, needed := range []map[string]bool{{}, {"S": true}, nil} {
		plan, err := logical.Eliminate(p, sizes{"A": big, "B": big}, logical.Options{Needed: needed})
		if err != nil {
			t.Fatal(err)
		}
		if inlined := len(plan.Steps) == 1; inlined != (needed != nil && !needed["S"]) {
			t.Errorf("needed %v:\n%s", needed, plan)
		}
	}
}

// TestRestricted: what all readers of a maximum restrict it by restricts the
// maximum, unless it is needed as it is or one reader does not.
func TestRestricted(t *testing.T) {
	const inputs = `tensor A(0,1) { n pattern, x f64 }
tensor F(0) { n pattern }
tensor G(0) { n pattern }
S(i) = n: sum(j) A.n(i,j) | m: max(j) A.x(i,j)
`
	src := sizes{
		"A": {NNZ: 1e6, Dims: []float64{1e4, 1e4}, Distinct: []float64{1e4, 1e4}},
		"F": {NNZ: 5, Dims: []float64{1e4}, Distinct: []float64{5}},
		"G": {NNZ: 5e3, Dims: []float64{1e4}, Distinct: []float64{5e3}},
	}
	for _, c := range []struct {
		text   string
		needed map[string]bool
		fires  bool
	}{
		{"R() = n: sum(i) F.n(i) * S.n(i) | s: sum(i) F.n(i) * S.m(i)", map[string]bool{}, true},
		{"R() = n: sum(i) F.n(i) * S.n(i) | s: sum(i) F.n(i) * S.m(i)", map[string]bool{"S": true}, false},
		{"R() = n: sum(i) F.n(i) * S.n(i) | s: sum(i) F.n(i) * S.m(i)", nil, false},
		{"Q() = n: sum(i) G.n(i) * S.n(i)\nR() = n: sum(i) F.n(i) * S.n(i) * Q.n() | s: sum(i) F.n(i) * S.m(i) * Q.n()", map[string]bool{}, false},
		{"R(i) = n: F.n(i) + S.n(i)", map[string]bool{}, false},
	} {
		p, err := einsum.Parse(inputs + c.text)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := logical.Eliminate(p, src, logical.Options{Needed: c.needed})
		if err != nil {
			t.Fatal(err)
		}
		if fires := strings.Contains(plan.String(), "m: max(j) guard(A.x(i,j), F.n(i))"); fires != c.fires {
			t.Errorf("%s, needed %v: fires: %v\n%s", c.text, c.needed, fires, plan)
		}
	}
}

// TestCompound: a sum of operands with different indices is one atom; what it does
// not mention is eliminated around it, and its own indices with all of it.
func TestCompound(t *testing.T) {
	p, err := einsum.Parse(`tensor F(3,0) { n pattern }
tensor L(0,1) { n pattern }
tensor S(0,2) { n pattern, x f64 }
tensor P(1,2) { n pattern, x f64 }
out(j) = n: sum(u,s,p) F.n(u,s) * L.n(s,p) * (S.n(s,j) + P.n(p,j)) | x: sum(u,s,p) F.n(u,s) * L.n(s,p) * (S.x(s,j) - P.x(p,j))`)
	if err != nil {
		t.Fatal(err)
	}
	square := func(n, d float64) stats.TensorStats {
		return stats.TensorStats{NNZ: n, Dims: []float64{d, d}, Distinct: []float64{d, d}}
	}
	plan, err := logical.Eliminate(p, sizes{"F": square(1e5, 1000), "L": square(2e4, 1000), "S": square(1e4, 100), "P": square(1e4, 100)}, logical.Options{})
	if err != nil {
		t.Fatal(err)
	}
	alone := false
	for _, s := range plan.Steps {
		alone = alone || strings.HasSuffix(s.Query.String(), "(s) = n: sum(u) F.n(u,s)")
	}
	if !alone || len(plan.Steps) < 2 {
		t.Errorf("u is not summed around the compound:\n%s", plan)
	}
}

// TestCycleOfEight: the greedy choice is clearly worse than the best order on a
// cycle whose edges have different sizes.
func TestCycleOfEight(t *testing.T) {
	src := sizes{}
	var inputs, factors, over []string
	for i, n := range []float64{2e4, 9e3, 3e4, 8e3, 5e4, 1e4, 4e4, 7e3} {
		name := fmt.Sprintf("E%d", i)
		d := []float64{2000, 300, 5000, 400, 1000, 150, 3000, 800}
		src[name] = stats.TensorStats{NNZ: n, Dims: []float64{d[i], d[(i+1)%8]}, Distinct: []float64{d[i], d[(i+1)%8]}}
		inputs = append(inputs, fmt.Sprintf("tensor %s(0,0) { n pattern }", name))
		factors = append(factors, fmt.Sprintf("%s.n(x%d,x%d)", name, i, (i+1)%8))
		over = append(over, fmt.Sprintf("x%d", i))
	}
	p, err := einsum.Parse(fmt.Sprintf("%s\nR() = n: sum(%s) %s", strings.Join(inputs, "\n"), strings.Join(over, ","), strings.Join(factors, " * ")))
	if err != nil {
		t.Fatal(err)
	}
	greedy, _, _ := logical.SearchCost(p, src, logical.Options{Search: logical.Greedy})
	exact, _, _ := logical.SearchCost(p, src, logical.Options{Search: logical.Exact})
	t.Logf("greedy %.3g, exact %.3g", greedy, exact)
	if greedy < 1.2*exact {
		t.Errorf("greedy costs %g, exact %g", greedy, exact)
	}
}

// sizes are figures by tensor.
type sizes map[string]stats.TensorStats

func (s sizes) Stats(a *einsum.Access) stats.TensorStats { return s[a.Tensor] }

// TestEqualHalves plans a query of two equal halves, each of which can be made in
// several ways: whatever costs make of them, a step reads what earlier ones have made.
func TestEqualHalves(t *testing.T) {
	p, err := einsum.Parse(`tensor A(0,0,0) { n pattern }
tensor B(0,0,0) { n pattern }
tensor C(0,0) { n pattern }
R(c,a,d) = n: or(k,x,b,l,y) and(A.n(a,k,x), B.n(b,c,x), A.n(b,l,y), B.n(a,d,y), C.n(k,c), C.n(l,d))`)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string]*interp.Tensor{"A": {}, "B": {}, "C": {}}
	for seed := range uint64(400) {
		perturb := func(atoms uint64) float64 {
			return []float64{1e-6, 1e-3, 1, 1e3}[rand.New(rand.NewPCG(atoms, seed)).IntN(4)]
		}
		rng := rand.New(rand.NewPCG(seed, 18))
		plan, err := logical.EliminatePerturbed(p, measured{data: data, perturbed: rng}, logical.Options{Search: logical.Exact}, perturb)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := plan.Check(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, plan)
		}
	}
}
