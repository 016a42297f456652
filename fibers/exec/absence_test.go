package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// withAbsences puts all leaves under the condition that one or two more tables have
// no entry, as anti joins do.
func (p *problem) withAbsences(tb testing.TB, g *generator) {
	one := einsum.Int(1)
	for k := range 1 + g.IntN(2) {
		p.operand(tb, g, fmt.Sprint("L", k), map[string]bool{}, false)
		found := &einsum.Map{Op: semiring.And, Args: []einsum.Expr{access(p.tables[len(p.tables)-1], g.IntN(len(leafNames))), one}}
		absent := &einsum.Map{Op: semiring.Sub, Args: []einsum.Expr{one, found}}
		for l := range p.step.Query.Leaves {
			leaf := &p.step.Query.Leaves[l]
			agg, ok := leaf.Expr.(*einsum.Agg)
			if !ok {
				agg = &einsum.Agg{Op: semiring.Add, Arg: leaf.Expr}
			}
			arg := agg.Arg
			inner := &einsum.Map{Op: semiring.Guard, Args: []einsum.Expr{one, absent}}
			switch {
			case agg.Op == semiring.Add && g.IntN(4) > 0:
				arg = &einsum.Map{Op: semiring.Mul, Args: []einsum.Expr{arg, inner}}
			case g.IntN(2) > 0:
				arg = &einsum.Map{Op: semiring.Guard, Args: []einsum.Expr{arg, inner}}
			default:
				arg = &einsum.Map{Op: semiring.Guard, Args: []einsum.Expr{arg, absent}}
			}
			leaf.Expr = &einsum.Agg{Op: agg.Op, Idxs: agg.Idxs, Arg: arg}
		}
	}
}

// probes reports whether the step's loops test an absence.
func (p *problem) probes() bool {
	b := newBinder(p.step, p.in, Options{})
	b.recognise()
	return len(b.absences) > 0
}

// antiStep makes op(g,k) A.x(g,k) under the absence of B.x(k), as one entry or one
// per g. B has kind; with zeros some of its values are zero.
func antiStep(tb testing.TB, r *rand.Rand, dim, rows int, op semiring.Op, kind format.Kind, grouped, zeros bool) *problem {
	tb.Helper()
	gx, k := einsum.Index{Name: "g"}, einsum.Index{Name: "k", Domain: 1}
	p := &problem{dims: map[string]int{"g": 8, "k": dim}, indices: []einsum.Index{gx, k}}
	p.in.Dims = p.dims
	fill := func(name string, args []einsum.Arg, dims []int, formats []format.Kind, least int) {
		t := &table{name: name, args: args, dims: dims, fixed: make([]fibers.Coord, len(dims)), rows: map[string][]float64{}, elems: []semiring.Elem{semiring.Pattern, semiring.I64, semiring.F64}}
		b := fibers.NewBuilder(len(dims), []fibers.LeafSpec{{Name: "x", Elem: semiring.I64, Merge: semiring.Max}})
		cols := make([][]fibers.Coord, len(dims))
		leaf := fibers.NewLeaf("x", semiring.I64, 0)
		for range rows {
			for m, d := range dims {
				cols[m] = append(cols[m], fibers.Coord(r.IntN(d)))
			}
			leaf.I64 = append(leaf.I64, int64(least+r.IntN(3)))
		}
		if err := b.Append(rows, cols, []fibers.Leaf{leaf}); err != nil {
			tb.Fatal(err)
		}
		coo, err := b.Finish(context.Background(), dims)
		if err != nil {
			tb.Fatal(err)
		}
		order := []int{0, 1}[:len(dims)]
		out, err := coo.Tensor(context.Background(), order, formats)
		if err != nil {
			tb.Fatal(err)
		}
		p.tables = append(p.tables, t)
		p.step.Operands = append(p.step.Operands, physical.Operand{Tensor: name, Args: args, Order: order, Formats: formats})
		p.in.Operands = append(p.in.Operands, out)
	}
	p.step = &physical.Step{Loops: []physical.Loop{{Index: gx, Iterations: 8}, {Index: k, Iterations: float64(rows)}}}
	fill("A", []einsum.Arg{einsum.Ix(gx), einsum.Ix(k)}, []int{8, dim}, []format.Kind{format.Dense, format.SparseList}, 1)
	least := 1
	if zeros {
		least = 0
	}
	fill("B", []einsum.Arg{einsum.Ix(k)}, []int{dim}, []format.Kind{kind}, least)
	a := &einsum.Access{Tensor: "A", Leaf: "x", Args: p.tables[0].args}
	found := einsum.Apply(semiring.And, &einsum.Access{Tensor: "B", Leaf: "x", Args: p.tables[1].args}, einsum.Int(1))
	absent := einsum.Guarded(einsum.Int(1), einsum.Sub(einsum.Int(1), found))
	combine := semiring.Mul
	if op == semiring.Or {
		combine = semiring.And
	}
	q := &einsum.Query{Name: "R"}
	idxs := []einsum.Index{gx, k}
	if grouped {
		q.Idxs, idxs = []einsum.Index{gx}, []einsum.Index{k}
		p.step.Output = physical.Output{Order: q.Idxs, Formats: []format.Kind{format.SparseList}, Prefix: 1}
	}
	q.Leaves = []einsum.Leaf{{Name: "n", Expr: &einsum.Agg{Op: op, Idxs: idxs, Arg: einsum.Apply(combine, a, absent)}}}
	p.step.Query = q
	return p
}

// TestAbsences compares what loops probe with what the expression says, on fibers
// of several batches.
func TestAbsences(t *testing.T) {
	kernels := map[string]int{}
	for seed := range uint64(96) {
		r := rand.New(rand.NewPCG(seed, 17))
		op := []semiring.Op{semiring.Add, semiring.Or}[seed%2]
		kind := []format.Kind{format.Bytemap, format.SparseList, format.Hash}[seed/2%3]
		p := antiStep(t, r, 1+r.IntN(9000), 1+r.IntN(30_000), op, kind, seed/6%2 == 0, seed/12%2 == 0)
		if !p.probes() {
			t.Fatalf("seed %d: the absence is not recognised", seed)
		}
		general, _, err := RunStep(context.Background(), p.step, p.in, Options{NoRegistry: true})
		if err != nil {
			t.Fatal(err)
		}
		fast, stats, err := RunStep(context.Background(), p.step, p.in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		kernels[stats.Kernel]++
		sameTensor(t, p, fast, general)
	}
	for _, name := range []string{"any-probe", "gather-reduce"} {
		if kernels[name] == 0 {
			t.Errorf("no step took kernel %s: %v", name, kernels)
		}
	}
	if kernels["general"] > 0 {
		t.Errorf("absences on the general path: %v", kernels)
	}
}

// BenchmarkAbsence sums half a million cells of which one in two is masked.
func BenchmarkAbsence(b *testing.B) {
	for _, kind := range []format.Kind{format.Bytemap, format.SparseList, format.Hash} {
		p := antiStep(b, rand.New(rand.NewPCG(1, 2)), 400_000, 500_000, semiring.Add, kind, true, false)
		for _, path := range []string{"probe", "general"} {
			b.Run("kind="+kind.String()+"/path="+path, func(b *testing.B) {
				for b.Loop() {
					if _, _, err := RunStep(context.Background(), p.step, p.in, Options{NoRegistry: path == "general", Threads: 1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
