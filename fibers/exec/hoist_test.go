package exec

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// TestHoist runs random expressions in nests that are said to visit every entry many
// times, and on the general path, which hoists nothing.
func TestHoist(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(250) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 43)), floats: []float64{0, 1.5, -2, 0.25, 3, math.Inf(1)}}
		p := g.columnStep(t)
		want, _, failed := RunStep(context.Background(), p.step, p.in, Options{NoRegistry: true})
		p.step.BodyNNZ = 1e9
		for _, opt := range []Options{{Threads: 1}, {Threads: 2, Morsels: 1 + g.IntN(20)}} {
			got, stats, err := RunStep(context.Background(), p.step, p.in, opt)
			if (failed == nil) != (err == nil) {
				t.Fatalf("seed %d: %v, want %v\n%s", seed, err, failed, p.step.Query)
			}
			switch {
			case !mappedValues(stats):
				seen["not"]++
			case err != nil:
				seen["failed"]++
			default:
				seen["kernel"]++
			}
			if err == nil {
				nearTensor(t, p, got, want)
			}
		}
	}
	for what, least := range map[string]int{"not": 100, "kernel": 30} {
		if seen[what] < least {
			t.Errorf("%s: %d times", what, seen[what])
		}
	}
	t.Log(seen)
}

func mappedValues(s StepStats) bool { return strings.Contains(s.Kernel, "of mapped values") }

// layer is a step R(i,k) = sum(j) f(A(i,j)) * W(j,k) over A of a column of values per
// j, and what is expected of it.
func layer(t *testing.T, a []float64, present int, f func(einsum.Expr) einsum.Expr) (*physical.Step, Inputs, []float64) {
	t.Helper()
	const units, outs = 2, 3
	rows := len(a) / units
	i, j, k := einsum.Index{Name: "i"}, einsum.Index{Name: "j", Domain: 1}, einsum.Index{Name: "k", Domain: 2}
	from := &fibers.COO{Dims: []int{units, rows}, Coords: make([][]fibers.Coord, 2), Leaves: []fibers.Leaf{fibers.NewLeaf("x", semiring.F64, 0)}}
	for n, x := range a[:present] {
		from.Coords[0], from.Coords[1] = append(from.Coords[0], fibers.Coord(n/rows)), append(from.Coords[1], fibers.Coord(n%rows))
		from.Leaves[0].F64, from.N = append(from.Leaves[0].F64, x), from.N+1
	}
	weights := &fibers.COO{Dims: []int{outs, units}, Coords: make([][]fibers.Coord, 2), Leaves: []fibers.Leaf{fibers.NewLeaf("w", semiring.F64, 0)}}
	want := make([]float64, outs*rows)
	for n := range outs * units {
		w := float64(n%5) - 2
		weights.Coords[0], weights.Coords[1] = append(weights.Coords[0], fibers.Coord(n/units)), append(weights.Coords[1], fibers.Coord(n%units))
		weights.Leaves[0].F64, weights.N = append(weights.Leaves[0].F64, w), weights.N+1
		for r := range rows {
			if at := n%units*rows + r; at < present {
				want[n/units*rows+r] += max(a[at], 0) * w
			}
		}
	}
	tensors := make([]*fibers.Tensor, 2)
	for n, c := range []*fibers.COO{from, weights} {
		made, err := c.Tensor(context.Background(), []int{0, 1}, []format.Kind{format.Dense, format.Bytemap})
		if err != nil {
			t.Fatal(err)
		}
		tensors[n] = made
	}
	args := func(ixs ...einsum.Index) (out []einsum.Arg) {
		for n := range ixs {
			out = append(out, einsum.Arg{Index: ixs[n]})
		}
		return out
	}
	x := &einsum.Access{Tensor: "A", Leaf: "x", Args: args(j, i)}
	w := &einsum.Access{Tensor: "W", Leaf: "w", Args: args(k, j)}
	product := func(x einsum.Expr) einsum.Expr {
		return &einsum.Agg{Op: semiring.Add, Idxs: []einsum.Index{j}, Arg: &einsum.Map{Op: semiring.Mul, Args: []einsum.Expr{x, w}}}
	}
	step := &physical.Step{
		Query: &einsum.Query{Name: "R", Idxs: []einsum.Index{k, i}, Leaves: []einsum.Leaf{{Name: "p", Expr: product(x)}, {Name: "s", Expr: product(f(x))}}},
		Loops: []physical.Loop{{Index: k}, {Index: j}, {Index: i}},
		Operands: []physical.Operand{
			{Tensor: "A", Args: args(j, i), Order: []int{0, 1}}, {Tensor: "W", Args: args(k, j), Order: []int{0, 1}},
		},
		Output:  physical.Output{Order: []einsum.Index{k, i}, Formats: []format.Kind{format.Dense, format.Bytemap}, Prefix: 1, Workspace: format.DenseWorkspace},
		BodyNNZ: 1e6,
	}
	return step, Inputs{Operands: tensors, Dims: map[string]int{"i": rows, "j": units, "k": outs}}, want
}

func relu(x einsum.Expr) einsum.Expr {
	return &einsum.Map{Op: semiring.Max, Args: []einsum.Expr{x, einsum.Float(0)}}
}

// A layer's activation is computed once per unit, where each is read often, memory
// allows it, and it has a value everywhere.
func TestHoistWhere(t *testing.T) {
	a := []float64{1, -2, 3, 4, -5, 6, -7, 8, 9, -1, -2, 4}
	under := func(op semiring.Op) func(einsum.Expr) einsum.Expr {
		return func(x einsum.Expr) einsum.Expr { return &einsum.Map{Op: op, Args: []einsum.Expr{relu(x)}} }
	}
	negative := func(x einsum.Expr) einsum.Expr { return &einsum.Map{Op: semiring.Sqrt, Args: []einsum.Expr{x}} }
	for name, c := range map[string]struct {
		f       func(einsum.Expr) einsum.Expr
		present int
		body    float64
		budget  int64
		hoisted bool
		err     error
	}{
		"relu":                 {f: relu, present: 12, body: 1e6, hoisted: true},
		"absent entries":       {f: relu, present: 9, body: 1e6, hoisted: true},
		"mostly absent":        {f: relu, present: 3, body: 1e6},
		"a value":              {f: func(x einsum.Expr) einsum.Expr { return relu(relu(x)) }, present: 12, body: 1e6, hoisted: true},
		"an absolute value":    {f: under(semiring.Abs), present: 12, body: 1e6, hoisted: true},
		"outside the domain":   {f: negative, present: 12, body: 1e6, err: ErrDomain},
		"read once":            {f: relu, present: 12, body: 12},
		"no memory":            {f: relu, present: 12, body: 1e6, budget: 90, err: ErrBudget},
		"no more than a value": {f: func(x einsum.Expr) einsum.Expr { return x }, present: 12, body: 1e6},
	} {
		t.Run(name, func(t *testing.T) {
			step, in, want := layer(t, a, c.present, c.f)
			step.BodyNNZ = c.body
			got, stats, err := RunStep(context.Background(), step, in, Options{Threads: 1, BudgetBytes: c.budget})
			if !errors.Is(err, c.err) || mappedValues(stats) != c.hoisted {
				t.Fatalf("%v, kernel %s", err, stats.Kernel)
			}
			if err != nil || !c.hoisted {
				return
			}
			for n, x := range want {
				if pos, ok := entryAt(got, n/(len(want)/3), n%(len(want)/3)); ok && got.Leaves[1].F64[pos] != x {
					t.Errorf("entry %d is %v, want %v", n, got.Leaves[1].F64[pos], x)
				}
			}
		})
	}
}

func entryAt(t *fibers.Tensor, k, i int) (int32, bool) {
	pos, ok := t.Levels[0].Lookup(0, fibers.Coord(k))
	if !ok {
		return 0, false
	}
	return t.Levels[1].Lookup(pos, fibers.Coord(i))
}
