package exec

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// columnStep is a random step whose leaves but the first are random expressions
// over a matrix, a vector of its rows that may be absent, and one of its columns.
func (g *generator) columnStep(t *testing.T) *problem {
	t.Helper()
	i, j := einsum.Index{Name: "i"}, einsum.Index{Name: "j", Domain: 1}
	p := &problem{
		step: &physical.Step{Loops: []physical.Loop{{Index: i}, {Index: j}}}, indices: []einsum.Index{i, j},
		dims: map[string]int{"i": 1 + g.IntN(60), "j": 1 + g.IntN([]int{8, 8, 40, 40, 40, 40, 40, 1500}[g.IntN(8)])}, in: Inputs{Ranks: map[int][]int32{}},
	}
	p.in.Dims = p.dims
	kind := func() format.Kind { return kinds[g.IntN(int(format.Hash)+1)] }
	g.batchOperand(t, p, p.indices, []format.Kind{kind(), kind()}, false)
	g.batchOperand(t, p, p.indices[:1], []format.Kind{kind()}, false)
	g.batchOperand(t, p, p.indices[1:], []format.Kind{kind()}, g.IntN(2) == 0)
	matrix, rows, cols := p.tables[0], p.tables[1], p.tables[2]
	q := &einsum.Query{Name: "R"}
	var over []einsum.Index
	workspace, prefix := format.None, 0
	switch g.IntN(5) {
	case 4: // an entry per cell
		q.Idxs, prefix = p.indices, 2
	case 0: // one entry
		over = p.indices
	case 1: // an entry per row
		q.Idxs, over, prefix = p.indices[:1], p.indices[1:], 1
	case 2: // an entry per column
		q.Idxs, over, workspace = p.indices[1:], p.indices[:1], format.DenseWorkspace
	default:
		q.Idxs, over, workspace = p.indices[:1], p.indices[1:], format.HashWorkspace
	}
	p.step.Output = physical.Output{Order: q.Idxs, Workspace: workspace, Prefix: prefix, Formats: slices.Repeat([]format.Kind{format.SparseList}, len(q.Idxs))}
	structure := []einsum.Expr{access(matrix, 0), access(cols, 0)}
	optional := g.IntN(3) == 0
	if !optional {
		structure = append(structure, access(rows, 0))
	}
	agg := func(op semiring.Op, x einsum.Expr) einsum.Expr {
		if len(over) == 0 && g.IntN(2) == 0 {
			return x
		}
		return &einsum.Agg{Op: op, Idxs: over, Arg: x}
	}
	q.Leaves = []einsum.Leaf{{Name: "n", Expr: agg(semiring.Add, &einsum.Map{Op: semiring.Mul, Args: structure})}}
	x := expressions{Rand: g.Rand, leaves: map[semiring.Elem][]string{
		semiring.Pattern: {"n"}, semiring.I64: {"n", "x"}, semiring.I128: {"n", "x"}, semiring.F64: {"n", "x", "f", "f"},
	}}
	for l := range 1 + g.IntN(3) {
		op := []semiring.Op{semiring.Add, semiring.Min, semiring.Max, semiring.Or}[g.IntN(4)]
		elem := []semiring.Elem{semiring.I64, semiring.F64}[g.IntN(2)]
		body := x.over(p.tables, 1+g.IntN(3), elem)
		if elem == semiring.I64 && g.IntN(4) == 0 { // past 64 bits
			body = &einsum.Map{Op: semiring.Mul, Args: []einsum.Expr{body, einsum.Int(1 << 62)}}
		}
		if optional {
			body = &einsum.Map{Op: semiring.If0, Args: []einsum.Expr{body, einsum.Int(2)}}
		}
		q.Leaves = append(q.Leaves, einsum.Leaf{Name: fmt.Sprint("l", l), Expr: agg(op, einsum.Guarded(body, structure...))})
	}
	p.step.Query = q
	return p
}

// over is an expression over the leaves of tables with different indices.
func (x *expressions) over(tables []*table, depth int, elem semiring.Elem) einsum.Expr {
	x.tensors, x.args = []string{""}, nil
	return einsum.Rewrite(x.expression(depth, elem), func(e einsum.Expr) einsum.Expr {
		a, ok := e.(*einsum.Access)
		if !ok {
			return e
		}
		t := tables[x.IntN(len(tables))]
		return &einsum.Access{Tensor: t.name, Leaf: a.Leaf, Args: t.args}
	})
}

// TestFastColumns runs random expressions in innermost loops column by column, and
// on the general path.
func TestFastColumns(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(500) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 41)), floats: []float64{0, 1.5, -2, 0.25, 3}}
		p := g.columnStep(t)
		want, _, failed := RunStep(context.Background(), p.step, p.in, Options{NoRegistry: true})
		for _, opt := range []Options{{}, {Threads: 2, Morsels: 1 + g.IntN(20)}} {
			got, stats, err := RunStep(context.Background(), p.step, p.in, opt)
			if (failed == nil) != (err == nil) {
				t.Fatalf("seed %d: %v, want %v\n%s", seed, err, failed, p.step.Query)
			}
			if err != nil {
				seen["failed"]++
				continue
			}
			if stats.Kernel != "general" {
				seen["fast"]++
				seen[stats.Kernel]++
				seen["128 bits"] += len(stats.Wide)
			}
			nearTensor(t, p, got, want)
		}
		p.seeColumns(seen)
	}
	for what, least := range map[string]int{"fast": 300, "failed": 10, "collected": 50, "immediate": 50, "scatter": 50, "append-columns": 50, "128 bits": 20} {
		if seen[what] < least {
			t.Errorf("%s: %d times", what, seen[what])
		}
	}
}

// seeColumns counts the forms in which leaves of the step are columns.
func (p *problem) seeColumns(seen map[string]int) {
	b := newBinder(p.step, p.in, Options{})
	n := b.prepare(context.Background(), make([]bool, len(p.step.Query.Leaves)))
	f, name := b.fastLoop(b.newLoop(len(p.step.Loops)-1, nil), n.sink)
	if f == nil {
		return
	}
	for _, leaf := range f.leaves {
		switch leaf.(type) {
		case *fastColumn[int64], *fastColumn[float64]:
		default:
			continue
		}
		switch {
		case strings.Contains(name, "scatter"):
			seen["scatter"]++
		case f.collects():
			seen["collected"]++
		default:
			seen["immediate"]++
		}
	}
}

// nearTensor is sameTensor but for sums of floats in another order.
func nearTensor(t *testing.T, p *problem, got, want *fibers.Tensor) {
	t.Helper()
	a, b := got.COO(), want.COO()
	if a.N != b.N {
		t.Fatalf("%d entries, want %d\n%s", a.N, b.N, p.describe())
	}
	for m := range a.Coords {
		if !slices.Equal(a.Coords[m], b.Coords[m]) {
			t.Fatalf("other coordinates in mode %d\n%s", m, p.describe())
		}
	}
	for l := range a.Leaves {
		for e := range int32(a.N) {
			x, y := a.Leaves[l].Float64(e), b.Leaves[l].Float64(e)
			near := a.Leaves[l].Elem == semiring.F64 && math.Abs(x-y) <= 1e-9*max(1, math.Abs(y))
			if x != y && !near && !(math.IsNaN(x) && math.IsNaN(y)) {
				t.Fatalf("leaf %s: %v, want %v\n%s", a.Leaves[l].Name, x, y, p.describe())
			}
		}
	}
}

// TestShortRuns: columns are made of runs that are expected to be long enough.
func TestShortRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 43))
	for _, c := range []struct {
		head, agg, store string
		cells            int
		kernel           string
	}{
		{"R(i)", "sum(j) ", "(i): sparse; prefix 1; workspace none; i64, f64", 10 * (columnsFrom - 1), "general"},
		{"R(i)", "sum(j) ", "(i): sparse; prefix 1; workspace none; i64, f64", 10 * columnsFrom, "gather-reduce"},
		{"R()", "sum(i,j) ", "():; prefix 0; workspace none; i64, f64", 10, "gather-reduce"},
		{"R(i,j)", "", "(i,j): sparse, sparse; prefix 2; workspace none; i64, f64", 10, "append-columns"},
	} {
		step := columnPlan(t, c.head, c.agg, c.store, 10, c.cells)
		e := randomGraph(t, rng, 10, 20)
		weights := fibers.NewLeaf("s", semiring.F64, e.NNZ)
		for i := range weights.F64 {
			weights.F64[i] = float64(rng.IntN(3))
		}
		e.Leaves = append(e.Leaves, weights)
		e.KeepExponents()
		in := Inputs{Dims: map[string]int{"i": 10, "j": 10}, Operands: []*fibers.Tensor{e}}
		got, stats, err := RunStep(context.Background(), step, in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if stats.Kernel != c.kernel {
			t.Errorf("%s of %d cells: kernel %s, want %s", c.head, c.cells, stats.Kernel, c.kernel)
		}
		want, _, err := RunStep(context.Background(), step, in, Options{NoRegistry: true})
		if err != nil {
			t.Fatal(err)
		}
		nearTensor(t, &problem{step: step}, got, want)
	}
}
