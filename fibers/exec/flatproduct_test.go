package exec

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// product makes the problem's query a product of one leaf of each table, with no count;
// false: it has other than one or two tables, or one that counts.
func (p *problem) product(g *generator) bool {
	if len(p.tables) > 2 || slices.ContainsFunc(p.tables, func(t *table) bool { return t.elems[0] != semiring.Pattern }) {
		return false
	}
	var ns, vs []einsum.Expr
	for i, t := range p.tables {
		leaf := g.IntN(3)
		if i == 0 {
			leaf = 2
		}
		ns, vs = append(ns, access(t, 0)), append(vs, access(t, leaf))
	}
	if g.IntN(2) == 0 {
		slices.Reverse(vs)
	}
	var reduced []einsum.Index
	for _, x := range p.indices {
		if !slices.Contains(p.step.Query.Idxs, x) {
			reduced = append(reduced, x)
		}
	}
	leaf := func(agg, op semiring.Op, args []einsum.Expr) einsum.Expr {
		e := args[0]
		if len(args) > 1 {
			e = &einsum.Map{Op: op, Args: args}
		}
		if len(reduced) == 0 {
			return e
		}
		return &einsum.Agg{Op: agg, Idxs: reduced, Arg: e}
	}
	p.step.Query.Leaves = []einsum.Leaf{
		{Name: "n", Expr: leaf(semiring.Or, semiring.And, ns)}, {Name: "v", Expr: leaf(semiring.Add, semiring.Mul, vs)},
	}
	p.step.Output.Elems = nil
	return true
}

// TestRandomProducts: a product of two tensors, or a sum of one, is the same whether
// flattened or by loops.
func TestRandomProducts(t *testing.T) {
	const steps = 600
	flat, one, wide, inPlaces, made := 0, 0, 0, 0, 0
	for seed := uint64(0); made < steps; seed++ {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 23)), floats: []float64{0, 1.5, -2, 0.25}, maxDim: 5, rows: 60, maxIdx: 6}
		if seed%5 == 0 {
			g.floats = append(g.floats, math.NaN(), math.Inf(1))
		}
		p := g.problem(t)
		if !p.product(g) {
			continue
		}
		made++
		p.step.Output.Flat = seed%2 == 0
		want := p.bruteForce()
		for _, general := range []bool{true, false} {
			got, stats, err := RunStep(context.Background(), p.step, p.in, Options{NoRegistry: general})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			p.check(t, got, want)
			if stats.Entries != len(want) || stats.Kernel != flatKernel {
				continue
			}
			flat++
			if len(p.tables) == 1 {
				one++
			}
			if len(p.step.Loops) >= flatLoops {
				wide++
			}
			if inPlace(p.step.Output.Formats) {
				inPlaces++
			}
		}
	}
	if flat < steps/4 || one < steps/20 || wide < steps/100 || inPlaces < steps/20 {
		t.Errorf("of %d steps %d were flattened, %d of one tensor, %d of many loops, %d in place", steps, flat, one, wide, inPlaces)
	}
}

// matrices are A(i,j,k) * B(j,k,l) over n coordinates each, all present, to R(i,l).
func matrices(t *testing.T, n int) (*physical.Step, Inputs) {
	t.Helper()
	return contraction(t, n, "i", "j", "k", "l")
}

// contraction is A(all but the last) * B(all but the first) over n coordinates each, all
// present, to R(first,last).
func contraction(t *testing.T, n int, indices ...string) (*physical.Step, Inputs) {
	t.Helper()
	var ix []einsum.Index
	in := Inputs{Dims: map[string]int{}}
	step := &physical.Step{Query: &einsum.Query{Name: "R"}}
	for _, name := range indices {
		ix = append(ix, einsum.Index{Name: name})
		in.Dims[name] = n
		step.Loops = append(step.Loops, physical.Loop{Index: einsum.Index{Name: name}})
	}
	last := len(ix) - 1
	var order, dims []int
	var formats []format.Kind
	entries := 1
	for m := range last {
		order, dims, formats = append(order, m), append(dims, n), append(formats, format.SparseList)
		entries *= n
	}
	formats[0] = format.Dense
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2)), floats: []float64{1}, rows: entries * 20}
	var ns, vs []einsum.Expr
	for name, idx := range map[string][]einsum.Index{"A": ix[:last], "B": ix[1:]} {
		args := einsum.Ixs(idx...)
		var tab *table
		for tab == nil || tab.elems[0] != semiring.Pattern {
			tab = g.table(name, args, dims, nil)
		}
		in.Operands = append(in.Operands, tab.tensor(t, order, formats))
		step.Operands = append(step.Operands, physical.Operand{Tensor: name, Args: args, Order: order, Formats: formats, Protocols: make([]format.Protocol, last)})
		ns, vs = append(ns, access(tab, 0)), append(vs, access(tab, 2))
	}
	sum := func(agg, op semiring.Op, args []einsum.Expr) einsum.Expr {
		return &einsum.Agg{Op: agg, Idxs: ix[1:last], Arg: &einsum.Map{Op: op, Args: args}}
	}
	step.Query.Idxs = []einsum.Index{ix[0], ix[last]}
	step.Query.Leaves = []einsum.Leaf{{Name: "n", Expr: sum(semiring.Or, semiring.And, ns)}, {Name: "v", Expr: sum(semiring.Add, semiring.Mul, vs)}}
	step.Output = physical.Output{
		Order: step.Query.Idxs, Formats: []format.Kind{format.Dense, format.Bytemap}, Workspace: format.DenseWorkspace, Prefix: 1,
	}
	return step, in
}

// TestFlatProductOfManyEntries: a step of few loops is not flattened where its operands
// have more entries than pairs would be worth it, unless the plan says so: to find out
// about the pairs took several times as long as the loops.
func TestFlatProductOfManyEntries(t *testing.T) {
	few, fewIn := contraction(t, 20, "i", "j", "k")
	if newFlatProduct(newBinder(few, fewIn, Options{})) == nil {
		t.Error("a small product is not looked at")
	}
	many, manyIn := contraction(t, 70, "i", "j", "k") // 4900 entries of either side
	if newFlatProduct(newBinder(many, manyIn, Options{})) != nil {
		t.Error("entries are read to count pairs that cannot be worth it")
	}
	many.Output.Flat = true
	if newFlatProduct(newBinder(many, manyIn, Options{})) == nil {
		t.Error("not flattened though the plan says so")
	}
}

// TestFlatProductKeepsToItsBudget: without memory for its arrays a step runs as loops
// or fails with ErrBudget, and what it held is given back.
func TestFlatProductKeepsToItsBudget(t *testing.T) {
	step, in := matrices(t, 12)
	ctx := context.Background()
	_, free, err := RunStep(ctx, step, in, Options{})
	if err != nil || free.Kernel != flatKernel {
		t.Fatalf("kernel %s, error %v", free.Kernel, err)
	}
	loops := &counting{limit: math.MaxInt64}
	if _, _, err := RunStep(ctx, step, in, Options{NoRegistry: true, Account: loops}); err != nil {
		t.Fatal(err)
	}
	others := 0
	for budget := int64(64); budget < free.Bytes; budget += budget / 2 {
		account := &counting{limit: budget}
		_, stats, err := RunStep(ctx, step, in, Options{Account: account})
		switch {
		case errors.Is(err, ErrBudget):
			continue
		case err != nil:
			t.Fatal(err)
		case stats.Kernel != flatKernel:
			others++
		}
		if account.held != loops.held {
			t.Errorf("budget %d: %d bytes are held, by loops %d", budget, account.held, loops.held)
		}
	}
	if others == 0 {
		t.Error("no budget was enough for loops alone")
	}
	account := &counting{limit: math.MaxInt64}
	out, _, err := RunStep(ctx, step, in, Options{Account: account})
	if err != nil {
		t.Fatal(err)
	}
	if account.held != out.Bytes() {
		t.Errorf("%d bytes are held for a result of %d", account.held, out.Bytes())
	}
}

// counting is an account with a limit.
type counting struct{ held, limit int64 }

func (c *counting) Hold(bytes int64) bool {
	c.held += bytes
	return c.held <= c.limit
}

// TestFlatProductCancel: a step ends when its context does.
func TestFlatProductCancel(t *testing.T) {
	step, in := matrices(t, 12)
	ctx, cancel := context.WithCancel(context.Background())
	b := newBinder(step, in, Options{})
	p := newFlatProduct(b)
	if p == nil {
		t.Fatal("not flattened")
	}
	cancel()
	if _, ok, err := p.run(ctx, &StepStats{}); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("ok %v, error %v", ok, err)
	}
}
