package exec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// vector is a one-mode tensor over coordinates 0..len-1 with leaves n and x.
func vector(tb testing.TB, kind format.Kind, x fibers.Leaf, n int) *fibers.Tensor {
	tb.Helper()
	coords := make([]fibers.Coord, n)
	for e := range coords {
		coords[e] = fibers.Coord(e)
	}
	coo := &fibers.COO{Dims: []int{n}, N: n, Coords: [][]fibers.Coord{coords}, Leaves: []fibers.Leaf{{Name: "n"}, x}}
	t, err := coo.Tensor(context.Background(), []int{0}, []format.Kind{kind})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// sumOfProducts is R(out) = n: sum of the product of all n | s: of all x, over
// vectors named by one index letter each; loops are the letters in order.
func sumOfProducts(ts map[string]*fibers.Tensor, loops, out string, ws format.Workspace) (*physical.Step, Inputs) {
	step, in := &physical.Step{Query: &einsum.Query{Name: "R"}}, Inputs{Dims: map[string]int{}}
	var reduced []einsum.Index
	var ns, xs []einsum.Expr
	for _, c := range loops {
		ix := einsum.Index{Name: string(c)}
		step.Loops = append(step.Loops, physical.Loop{Index: ix})
		if string(c) != out {
			reduced = append(reduced, ix)
		}
	}
	for _, c := range loops {
		for _, suffix := range []string{"", "2"} {
			t := ts[string(c)+suffix]
			if t == nil {
				continue
			}
			args := []einsum.Arg{{Index: einsum.Index{Name: string(c)}}}
			in.Dims[string(c)] = t.Dims[0]
			in.Operands = append(in.Operands, t)
			step.Operands = append(step.Operands, physical.Operand{Tensor: string(c) + suffix, Args: args, Order: []int{0}})
			ns = append(ns, &einsum.Access{Tensor: string(c) + suffix, Leaf: "n", Args: args})
			xs = append(xs, &einsum.Access{Tensor: string(c) + suffix, Leaf: "x", Args: args})
		}
	}
	sum := func(args []einsum.Expr) einsum.Expr {
		return &einsum.Agg{Op: semiring.Add, Idxs: reduced, Arg: &einsum.Map{Op: semiring.Mul, Args: args}}
	}
	step.Query.Leaves = []einsum.Leaf{{Name: "n", Expr: sum(ns)}, {Name: "s", Expr: sum(xs)}}
	if out != "" {
		step.Query.Idxs = []einsum.Index{{Name: out}}
		step.Output = physical.Output{Order: step.Query.Idxs, Formats: []format.Kind{format.SparseList}}
	}
	step.Output.Workspace = ws
	step.Output.Elems = []semiring.Elem{semiring.I64, semiring.I64}
	return step, in
}

func ints(name string, v ...int64) fibers.Leaf {
	return fibers.Leaf{Name: name, Elem: semiring.I64, I64: v}
}

func TestOverflowRunsAgainWide(t *testing.T) {
	const top = math.MaxInt64
	huge := semiring.FromInt64(top)
	square, _ := huge.Mul(huge)
	twice, _ := huge.Add(huge)
	for _, c := range []struct {
		name       string
		i, i2      []int64
		loops, out string
		ws         format.Workspace
		want       semiring.Int128
	}{
		{name: "sum", i: []int64{top, top}, loops: "i", want: twice},
		{name: "product", i: []int64{top, 0}, i2: []int64{top, 1}, loops: "i", want: square},
		{name: "coefficient", i: []int64{top, 0}, loops: "ij", want: twice},
		{name: "scatter", i: []int64{top, 1}, loops: "ji", out: "i", ws: format.DenseWorkspace, want: twice},
		{name: "hash", i: []int64{top, 1}, loops: "ji", out: "i", ws: format.HashWorkspace, want: twice},
	} {
		for _, opt := range []Options{{}, {NoRegistry: true}} {
			t.Run(fmt.Sprintf("%s/%v", c.name, opt.NoRegistry), func(t *testing.T) {
				ts := map[string]*fibers.Tensor{
					"i": vector(t, format.SparseList, ints("x", c.i...), len(c.i)),
					"j": vector(t, format.SparseList, ints("x", 1, 1), 2),
				}
				if c.i2 != nil {
					ts["i2"] = vector(t, format.Dense, ints("x", c.i2...), len(c.i2))
				}
				step, in := sumOfProducts(ts, c.loops, c.out, c.ws)
				got, stats, err := RunStep(context.Background(), step, in, opt)
				if err != nil {
					t.Fatal(err)
				}
				if stats.Traversals != 2 || len(stats.Wide) != 1 || stats.Wide[0] != "s" {
					t.Errorf("%+v", stats)
				}
				if got.Leaves[0].Elem != semiring.I64 || got.Leaves[1].Elem != semiring.I128 {
					t.Errorf("types %v, %v", got.Leaves[0].Elem, got.Leaves[1].Elem)
				}
				if v := got.Leaves[1].Int128(0); v != c.want {
					t.Errorf("sum is %v, want %v", v, c.want)
				}
			})
		}
	}
}

func TestOverflowPast128Bits(t *testing.T) {
	wide := fibers.Leaf{Name: "x", Elem: semiring.I128, I128: []semiring.Int128{{Hi: math.MaxInt64}, {Hi: math.MaxInt64}}}
	step, in := sumOfProducts(map[string]*fibers.Tensor{"i": vector(t, format.SparseList, wide, 2)}, "i", "", format.None)
	if _, _, err := RunStep(context.Background(), step, in, Options{}); !errors.Is(err, ErrOverflow) {
		t.Fatalf("error %v", err)
	}
}

// TestWideOperand: a planned 64-bit leaf reads an operand that came out wide.
func TestWideOperand(t *testing.T) {
	big := semiring.Int128{Hi: 3, Lo: 5}
	wide := fibers.Leaf{Name: "x", Elem: semiring.I128, I128: []semiring.Int128{big}}
	step, in := sumOfProducts(map[string]*fibers.Tensor{"i": vector(t, format.SparseList, wide, 1)}, "i", "", format.None)
	got, stats, err := RunStep(context.Background(), step, in, Options{})
	if err != nil || got.Leaves[1].Int128(0) != big || stats.Traversals != 1 {
		t.Fatalf("%+v %+v %v", got, stats, err)
	}
}

func TestEmptyAndScalarSteps(t *testing.T) {
	empty := fibers.Empty([]int{4}, []fibers.Leaf{{Name: "n"}, ints("x")})
	full := vector(t, format.SparseList, ints("x", 1, 2), 2)
	step, in := sumOfProducts(map[string]*fibers.Tensor{"i": full, "j": empty}, "ij", "", format.None)
	got, stats, err := RunStep(context.Background(), step, in, Options{})
	if err != nil || got.NNZ != 0 || stats.Entries != 0 {
		t.Fatalf("sum over nothing: %+v %v", got, err)
	}
	// R() = n: a()*b() | s: a()*b(), without loops.
	a, b := fibers.Scalar([]fibers.Leaf{{Name: "n"}, ints("x", 6)}), fibers.Scalar([]fibers.Leaf{{Name: "n"}, ints("x", 7)})
	access := func(name, leaf string) einsum.Expr { return &einsum.Access{Tensor: name, Leaf: leaf} }
	mul := func(args ...einsum.Expr) einsum.Expr { return &einsum.Map{Op: semiring.Mul, Args: args} }
	step = &physical.Step{
		Query: &einsum.Query{Name: "R", Leaves: []einsum.Leaf{
			{Name: "n", Expr: mul(access("a", "n"), access("b", "n"))}, {Name: "s", Expr: mul(access("a", "x"), access("b", "x"))},
		}},
		Operands: []physical.Operand{{Tensor: "a"}, {Tensor: "b"}},
	}
	got, _, err = RunStep(context.Background(), step, Inputs{Operands: []*fibers.Tensor{a, b}}, Options{})
	if err != nil || got.NNZ != 1 || got.Leaves[0].Elem != semiring.Pattern || got.Leaves[1].Int128(0) != semiring.FromInt64(42) {
		t.Fatalf("product of scalars: %+v %v", got, err)
	}
}

// TestEmptyDomains: nothing was ever loaded, so every dimension is 0.
func TestEmptyDomains(t *testing.T) {
	for _, kind := range []format.Kind{format.Dense, format.SparseList, format.Bytemap, format.Hash} {
		for _, ws := range []format.Workspace{format.None, format.DenseWorkspace, format.HashWorkspace} {
			v := vector(t, kind, ints("x"), 0)
			step, in := sumOfProducts(map[string]*fibers.Tensor{"i": v, "j": v}, "ij", "i", ws)
			step.Output.Formats = []format.Kind{kind}
			got, _, err := RunStep(context.Background(), step, in, Options{})
			if err != nil || got.NNZ != 0 || got.COO().N != 0 {
				t.Errorf("%v, %v: %+v %v", kind, ws, got, err)
			}
		}
	}
}

// complete is a graph of n vertices with all n*n edges.
func complete(tb testing.TB, n int64) *fibers.Tensor {
	tb.Helper()
	var src, dst []int64
	for i := range n {
		for j := range n {
			src, dst = append(src, i), append(dst, j)
		}
	}
	return graph(tb, src, dst)
}

func TestBudget(t *testing.T) {
	e := complete(t, 300)
	for name, ws := range map[string]format.Workspace{"dense": format.DenseWorkspace, "hash": format.HashWorkspace} {
		step, in := pattern(e, "ijk", "ij jk", "ik", ws)
		_, stats, err := RunStep(context.Background(), step, in, Options{})
		if err != nil || stats.Entries != 90_000 || stats.Bytes < 90_000*16 {
			t.Fatalf("%s: %+v %v", name, stats, err)
		}
		if _, _, err := RunStep(context.Background(), step, in, Options{BudgetBytes: stats.Bytes}); err != nil {
			t.Errorf("%s within its own peak: %v", name, err)
		}
		for _, part := range []int64{2, 10, 1000} {
			if _, _, err := RunStep(context.Background(), step, in, Options{BudgetBytes: stats.Bytes / part}); !errors.Is(err, ErrBudget) {
				t.Errorf("%s with 1/%d of what it needs: %v", name, part, err)
			}
		}
	}
	step, in := pattern(e, "ij", "ij", "ij", format.None)
	step.Output.Formats = []format.Kind{format.Hash, format.Bytemap}
	if _, _, err := RunStep(context.Background(), step, in, Options{BudgetBytes: 2_000_000}); !errors.Is(err, ErrBudget) {
		t.Errorf("levels past the budget: %v", err)
	}
}

// endless are steps of at least 1e10 units of work, each in another place.
func endless(t *testing.T) map[string]func() (*physical.Step, Inputs) {
	t.Helper()
	n := 200_000
	flat := make([]int64, n)
	v := vector(t, format.SparseList, ints("x", flat...), n)
	d := vector(t, format.Dense, ints("x", flat...), n)
	hub := make([]int64, n)
	next := make([]int64, n)
	for e := range hub {
		next[e] = int64(e)
	}
	star := graph(t, hub, next).Fix(0)
	vs := map[string]*fibers.Tensor{"i": v, "j": v, "k": v}
	return map[string]func() (*physical.Step, Inputs){
		"cross product": func() (*physical.Step, Inputs) { return sumOfProducts(vs, "ijk", "", format.None) },
		"dense vectors": func() (*physical.Step, Inputs) {
			return sumOfProducts(map[string]*fibers.Tensor{"i": d, "j": d, "k": d}, "ijk", "", format.None)
		},
		"grouped":        func() (*physical.Step, Inputs) { return sumOfProducts(vs, "ijk", "k", format.DenseWorkspace) },
		"hash workspace": func() (*physical.Step, Inputs) { return sumOfProducts(vs, "ijk", "k", format.HashWorkspace) },
		"one hub":        func() (*physical.Step, Inputs) { return hubStep(star) },
	}
}

// hubStep counts triples of one fiber with i<>j.
func hubStep(star *fibers.Tensor) (*physical.Step, Inputs) {
	step, in := sumOfProducts(map[string]*fibers.Tensor{"i": star, "j": star, "k": star}, "ijk", "", format.None)
	step.Query.Leaves = step.Query.Leaves[:1]
	agg := step.Query.Leaves[0].Expr.(*einsum.Agg)
	mask := &einsum.Compare{Op: semiring.Ne, L: einsum.Index{Name: "i"}, R: einsum.Index{Name: "j"}}
	product := &einsum.Map{Op: semiring.Mul, Args: append([]einsum.Expr{mask}, agg.Arg.(*einsum.Map).Args...)}
	step.Query.Leaves[0].Expr = &einsum.Agg{Op: agg.Op, Idxs: agg.Idxs, Arg: product}
	return step, in
}

// TestCancel: every kind of endless step ends soon after its deadline.
func TestCancel(t *testing.T) {
	for name, make := range endless(t) {
		for _, opt := range []Options{{}, {NoRegistry: true}} {
			t.Run(fmt.Sprintf("%s/%v", name, opt.NoRegistry), func(t *testing.T) {
				step, in := make()
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
				defer cancel()
				_, stats, err := RunStep(ctx, step, in, opt)
				deadline, _ := ctx.Deadline()
				late := time.Since(deadline)
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("ended with %v, %+v", err, stats)
				}
				t.Logf("%v after the deadline", late)
				if late > 2*time.Second { // promised are 100 ms; this machine may be busy
					t.Errorf("stopped %v late", late)
				}
			})
		}
	}
}

// fuse is a context that is cancelled after so many looks at it.
type fuse struct {
	context.Context
	left int
}

func (f *fuse) Err() error {
	f.left--
	if f.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelAnywhere cancels a step with flushes, joins and a layout at every
// look that it takes at its context: it stops with that error each time.
func TestCancelAnywhere(t *testing.T) {
	step, in := pattern(complete(t, 120), "ijk", "ij jk", "ik", format.DenseWorkspace)
	counter := &fuse{Context: context.Background(), left: math.MaxInt}
	if _, _, err := RunStep(counter, step, in, Options{}); err != nil {
		t.Fatal(err)
	}
	looks := math.MaxInt - counter.left
	if looks < 10 {
		t.Fatalf("only %d looks at the context", looks)
	}
	for k := range looks {
		if _, _, err := RunStep(&fuse{Context: context.Background(), left: k}, step, in, Options{}); !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled at look %d of %d: %v", k, looks, err)
		}
	}
}
