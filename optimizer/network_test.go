package optimizer_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/network"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// networkShape draws the index sets of n tensors.
type networkShape func(rng *rand.Rand, n int) [][]int

// ladder is a strip of that many rows, each tensor with its neighbours: pieces of it
// have few indices at their borders.
func ladder(rows int) networkShape {
	return func(_ *rand.Rand, n int) [][]int {
		out, next := make([][]int, n), 0
		edge := func(a, b int) {
			out[a], out[b] = append(out[a], next), append(out[b], next)
			next++
		}
		for i := range n {
			if (i+1)%rows != 0 && i+1 < n {
				edge(i, i+1)
			}
			if i+rows < n {
				edge(i, i+rows)
			}
		}
		return out
	}
}

// randomShape connects every tensor with an earlier one and some with another; an index
// may have more than two tensors, and a tensor an index of its own.
func randomShape(window int) networkShape {
	return func(rng *rand.Rand, n int) [][]int {
		out, next := make([][]int, n), 0
		for i := 1; i < n; i++ {
			for range 1 + rng.IntN(2) {
				j := max(0, i-1-rng.IntN(window))
				if len(out[j]) > 0 && rng.IntN(4) == 0 {
					if x := out[j][rng.IntN(len(out[j]))]; !slices.Contains(out[i], x) {
						out[i] = append(out[i], x)
					}
					continue
				}
				out[i], out[j] = append(out[i], next), append(out[j], next)
				next++
			}
			if rng.IntN(10) == 0 {
				out[i] = append(out[i], next)
				next++
			}
		}
		return out
	}
}

// networkProgram is the sum of the product of tensors T0, T1, .. with those indices.
func networkProgram(terms [][]int, output []int, elem semiring.Elem) *einsum.Program {
	p := &einsum.Program{}
	index := func(x int) einsum.Index { return einsum.Index{Name: fmt.Sprintf("x%d", x), Domain: 0} }
	q := &einsum.Query{Name: "R"}
	for _, x := range output {
		q.Idxs = append(q.Idxs, index(x))
	}
	var summed []einsum.Index
	seen := map[int]bool{}
	var counts, values []einsum.Expr
	for i, term := range terms {
		name := fmt.Sprintf("T%d", i)
		p.Inputs = append(p.Inputs, &einsum.Input{
			Name: name, Domains: make([]int, len(term)),
			Leaves: []einsum.LeafDecl{{Name: "n", Elem: semiring.Pattern}, {Name: "v", Elem: elem}},
		})
		var args []einsum.Arg
		for _, x := range term {
			args = append(args, einsum.Ix(index(x)))
			if !seen[x] && !slices.Contains(output, x) {
				summed = append(summed, index(x))
			}
			seen[x] = true
		}
		counts = append(counts, einsum.A(name, "n", args...))
		values = append(values, einsum.A(name, "v", args...))
	}
	q.Leaves = []einsum.Leaf{
		{Name: "n", Expr: einsum.Reduce(semiring.Or, summed, einsum.Apply(semiring.And, counts...))},
		{Name: "v", Expr: einsum.Sum(summed, einsum.Mul(values...))},
	}
	p.Queries = []*einsum.Query{q}
	return p
}

// semirings are the products that a network may be under: the aggregate and its product.
var semirings = [][2]semiring.Op{{semiring.Add, semiring.Mul}, {semiring.Min, semiring.Plus}, {semiring.Max, semiring.Plus}, {semiring.Or, semiring.And}, {semiring.Min, semiring.Guard}, {semiring.Max, semiring.Guard}}

// under is the program with another aggregate and product for the values.
func under(p *einsum.Program, ops [2]semiring.Op) {
	l := &p.Queries[0].Leaves[1]
	agg, ok := l.Expr.(*einsum.Agg)
	if !ok && ops[1] == semiring.Guard {
		return // which is under an aggregate
	}
	if !ok {
		l.Expr = einsum.Apply(ops[1], l.Expr.(*einsum.Map).Args...)
		return
	}
	if ops[1] == semiring.Guard { // the value of an operand in the middle, where none is 0
		args := agg.Arg.(*einsum.Map).Args
		l.Expr = einsum.Reduce(ops[0], agg.Idxs, einsum.Apply(ops[1], append([]einsum.Expr{args[len(args)/2]}, args...)...))
		return
	}
	l.Expr = einsum.Reduce(ops[0], agg.Idxs, einsum.Apply(ops[1], agg.Arg.(*einsum.Map).Args...))
}

// networkData fills the tensors of a program with a few small integers each.
func networkData(rng *rand.Rand, p *einsum.Program, dim int) map[string]*interp.Tensor {
	data := map[string]*interp.Tensor{}
	for _, in := range p.Inputs {
		t := &interp.Tensor{Leaves: []string{"n", "v"}}
		seen := map[string]bool{}
		for range 1 + rng.IntN(3) {
			e := interp.Entry{Leaves: []interp.Num{interp.NumInt(1), interp.NumFloat(float64(rng.IntN(7) - 2))}}
			key := ""
			for range in.Domains {
				c := rng.IntN(dim)
				key += fmt.Sprint(c, ",")
				e.Coord = append(e.Coord, interp.Int(int64(c)))
			}
			if !seen[key] {
				seen[key] = true
				t.Entries = append(t.Entries, e)
			}
		}
		data[in.Name] = t
	}
	return data
}

// TestNetworks runs products of 13 to 17 sparse tensors of all shapes, or 65 and more, with and without
// indices in the result, in every semiring, by what they are divided into.
func TestNetworks(t *testing.T) {
	programs, divided := 60, 0
	if testing.Short() {
		programs = 30
	}
	shapes := []networkShape{ladder(3), ladder(4), randomShape(3), randomShape(100)}
	for seed := range uint64(programs) {
		rng := rand.New(rand.NewPCG(seed, 31))
		ops := semirings[rng.IntN(len(semirings))]
		shape, tensors := seed%4, 13+rng.IntN(5)
		if ops[1] == semiring.Guard { // divided where there are too many for elimination
			shape, tensors = seed%3, tensors+52
		}
		terms := shapes[shape](rng, tensors)
		var output []int
		if first := terms[rng.IntN(len(terms))]; rng.IntN(2) == 0 && len(first) > 0 {
			output = append(output, first[rng.IntN(len(first))])
		}
		p := networkProgram(terms, output, semiring.F64)
		under(p, ops)
		dim := 1 + rng.IntN(3)
		data := networkData(rng, p, dim)
		var src stats.Source = fullSource{float64(dim)}
		if rng.IntN(2) == 0 {
			src = &randomSource{rng: rng, tensors: map[string]stats.TensorStats{}}
		}
		lp, pp, err := optimizer.Optimize(p, src, optimizer.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		if err := errors.Join(p.Check(), lp.Check(), pp.Check()); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, pp)
		}
		if q, _, err := network.Divide(p, src); err == nil && q != p {
			divided++
		}
		want, err := interp.Run(p, data, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		db := newDatabase(t, p, data)
		got, err := db.run(pp, exec.Options{NoRegistry: seed%3 == 0, Threads: 1 + int(seed%2)})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, p, pp)
		}
		if diff := interp.Diff(got, want["R"], 1e-9); diff != "" {
			t.Fatalf("seed %d: %s\n%s\n%s", seed, diff, p, pp)
		}
	}
	if divided < programs/2 {
		t.Errorf("only %d of %d programs were divided", divided, programs)
	}
}

// fullSource says that every tensor has all entries over domains of one size.
type fullSource struct{ dim float64 }

func (s fullSource) Stats(a *einsum.Access) stats.TensorStats {
	t := stats.TensorStats{NNZ: 1, Exact: true}
	for range a.Args {
		t.NNZ *= s.dim
		t.Dims, t.Distinct = append(t.Dims, s.dim), append(t.Distinct, s.dim)
	}
	return t
}

// BenchmarkPlanNetwork plans networks from the program to the physical plan.
func BenchmarkPlanNetwork(b *testing.B) {
	for _, shape := range []struct {
		name  string
		terms networkShape
	}{{"strip", ladder(6)}, {"near", randomShape(4)}, {"far", randomShape(12)}} {
		for _, n := range []int{100, 1000, 5000} {
			b.Run(fmt.Sprintf("shape=%s/tensors=%d", shape.name, n), func(b *testing.B) {
				p := networkProgram(shape.terms(rand.New(rand.NewPCG(3, 3)), n), nil, semiring.F64)
				steps := 0
				for b.Loop() {
					if err := p.Check(); err != nil {
						b.Fatal(err)
					}
					_, pp, err := optimizer.Optimize(p, fullSource{2}, optimizer.Options{})
					if err != nil {
						b.Fatal(err)
					}
					steps = len(pp.Steps)
					_ = pp.String()
				}
				b.ReportMetric(float64(steps), "steps")
			})
		}
	}
}
