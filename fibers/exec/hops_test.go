package exec

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// hopStep is a random step over i, j and, perhaps, k: one operand tells j from i and
// another k from j, and others are factors of any kind.
func (g *generator) hopStep(t *testing.T) *problem {
	t.Helper()
	p := &problem{step: &physical.Step{}, dims: map[string]int{}, in: Inputs{Ranks: map[int][]int32{}}}
	p.in.Dims = p.dims
	names := []string{"i", "j", "k"}[:2+g.IntN(2)]
	for d, name := range names {
		ix := einsum.Index{Name: name, Domain: d}
		p.indices = append(p.indices, ix)
		p.dims[name] = 1 + g.IntN([]int{20, 300, 3000}[g.IntN(3)])
		p.step.Loops = append(p.step.Loops, physical.Loop{Index: ix})
	}
	for d := 1; d < len(names); d++ {
		last := []format.Kind{format.Pinpoint, format.SparseList}[g.IntN(2)]
		g.hopOperand(t, p, p.indices[d-1:d+1], []format.Kind{format.Dense, last}, true)
	}
	for range g.IntN(4) {
		at := g.IntN(len(names))
		over := p.indices[at : at+1]
		if at > 0 && g.IntN(4) == 0 {
			over = p.indices[at-1 : at+1]
		}
		formats := []format.Kind{kinds[g.IntN(int(format.Hash)+1)], kinds[g.IntN(int(format.Hash)+1)]}
		g.hopOperand(t, p, over, formats[:len(over)], false)
	}
	q := &einsum.Query{Name: "R", Idxs: p.indices[:1]}
	p.step.Output = physical.Output{Order: q.Idxs, Formats: []format.Kind{format.SparseList}, Workspace: format.None, Prefix: 1}
	product := func(op semiring.Op, leaf func() int) einsum.Expr {
		m := &einsum.Map{Op: op}
		for _, tab := range p.tables {
			m.Args = append(m.Args, access(tab, leaf()))
		}
		return m
	}
	q.Leaves = []einsum.Leaf{{Name: "n", Expr: &einsum.Agg{Op: semiring.Add, Idxs: p.indices[1:], Arg: product(semiring.Mul, func() int { return 0 })}}}
	for l := range 1 + g.IntN(3) {
		op := []semiring.Op{semiring.Add, semiring.Min, semiring.Max, semiring.Or}[g.IntN(4)]
		in := []semiring.Op{semiring.Mul, semiring.Plus, semiring.And}[g.IntN(3)]
		leaf := g.IntN(3)
		q.Leaves = append(q.Leaves, einsum.Leaf{Name: fmt.Sprint("l", l), Expr: &einsum.Agg{Op: op, Idxs: p.indices[1:], Arg: product(in, func() int { return min(leaf, g.IntN(3)) })}})
	}
	p.step.Query = q
	return p
}

// hopOperand adds an operand; single: no fiber of its last level has two entries.
func (g *generator) hopOperand(t *testing.T, p *problem, over []einsum.Index, formats []format.Kind, single bool) {
	t.Helper()
	op := physical.Operand{Tensor: fmt.Sprint("T", len(p.tables)), Formats: formats}
	var dims []int
	for m, ix := range over {
		dim := p.dims[ix.Name]
		if g.IntN(8) == 0 { // the tensor is older than its domain
			dim = 1 + g.IntN(dim)
		}
		dims = append(dims, dim)
		op.Args, op.Order = append(op.Args, einsum.Arg{Index: ix}), append(op.Order, m)
		op.Protocols = append(op.Protocols, format.Protocol(0))
	}
	g.rows = 1 + 4*slices.Max(dims)
	if len(dims) == 2 && !single {
		g.rows = min(20_000, dims[0]*dims[1])
		if slices.Max(dims) > 300 {
			op.Formats = []format.Kind{format.SparseList, format.SparseList}
		}
	}
	tab := g.table(op.Tensor, op.Args, dims, make([]fibers.Coord, len(over)))
	if single {
		g.shape(tab, op.Order, []format.Kind{format.Dense, format.Pinpoint})
	}
	p.tables = append(p.tables, tab)
	p.step.Operands = append(p.step.Operands, op)
	p.in.Operands = append(p.in.Operands, tab.tensor(t, op.Order, op.Formats))
}

// TestHops runs loops that have one coordinate each in batches of the loop around
// them, and on the general path.
func TestHops(t *testing.T) {
	taken, entries := 0, 0
	for seed := range uint64(300) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 91)), floats: []float64{0, math.Copysign(0, -1), 1.5, -2, math.Inf(1), 3}}
		p := g.hopStep(t)
		want, _, err := RunStep(context.Background(), p.step, p.in, Options{NoRegistry: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, opt := range []Options{{}, {Threads: 2, Morsels: 1 + g.IntN(40)}} {
			got, stats, err := RunStep(context.Background(), p.step, p.in, opt)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, p.describe())
			}
			if stats.Kernel == hopName {
				taken++
				entries += got.NNZ
			}
			bitwiseTensor(t, p, got, want)
		}
	}
	if taken < 300 || entries < 10_000 {
		t.Errorf("hops were taken %d times, for %d entries", taken, entries)
	}
}

// BenchmarkHops adds up, per row of a table, what two other tables have for its keys.
func BenchmarkHops(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 92))
	const rows, keys = 1 << 17, 1 << 12
	vector := func(n int) []fibers.Coord {
		c := make([]fibers.Coord, rows)
		for i := range c {
			c[i] = fibers.Coord(r.IntN(n))
		}
		return c
	}
	row := make([]fibers.Coord, rows)
	for i := range row {
		row[i] = fibers.Coord(i)
	}
	build := func(dims []int, formats []format.Kind, cols ...[]fibers.Coord) *fibers.Tensor {
		bl := fibers.NewBuilder(len(dims), []fibers.LeafSpec{{Name: "n", Elem: semiring.I64, Merge: semiring.Max}})
		vals := make([]int64, len(cols[0]))
		for i := range vals {
			vals[i] = 1 + int64(i%5)
		}
		if err := bl.Append(len(vals), cols, []fibers.Leaf{{I64: vals}}); err != nil {
			b.Fatal(err)
		}
		coo, err := bl.Finish(context.Background(), dims)
		if err != nil {
			b.Fatal(err)
		}
		out, err := coo.Tensor(context.Background(), []int{0, 1}[:len(dims)], formats)
		if err != nil {
			b.Fatal(err)
		}
		return out
	}
	i, j := einsum.Index{Name: "i"}, einsum.Index{Name: "j", Domain: 1}
	for _, kind := range []format.Kind{format.Pinpoint, format.SparseList} {
		key := build([]int{rows, 2 * keys}, []format.Kind{format.Dense, kind}, row, vector(keys))
		some := build([]int{2 * keys}, []format.Kind{format.Bytemap}, vector(keys))
		a := []einsum.Arg{{Index: i}, {Index: j}}
		step := &physical.Step{
			Loops:    []physical.Loop{{Index: i}, {Index: j}},
			Operands: []physical.Operand{{Tensor: "T0", Args: a, Order: []int{0, 1}}, {Tensor: "T1", Args: a[1:], Order: []int{0}}},
			Output:   physical.Output{Order: []einsum.Index{i}, Formats: []format.Kind{format.Bytemap}, Prefix: 1},
			Query: &einsum.Query{Name: "R", Idxs: []einsum.Index{i}, Leaves: []einsum.Leaf{{Name: "n", Expr: &einsum.Agg{
				Op: semiring.Add, Idxs: []einsum.Index{j},
				Arg: &einsum.Map{Op: semiring.Mul, Args: []einsum.Expr{
					&einsum.Access{Tensor: "T0", Leaf: "n", Args: a}, &einsum.Access{Tensor: "T1", Leaf: "n", Args: a[1:]},
				}},
			}}}},
		}
		in := Inputs{Dims: map[string]int{"i": rows, "j": 2 * keys}, Operands: []*fibers.Tensor{key, some}}
		for _, how := range []string{"general", "hops"} {
			b.Run(fmt.Sprintf("kind=%v/how=%s", kind, how), func(b *testing.B) {
				for b.Loop() {
					if _, _, err := RunStep(context.Background(), step, in, Options{NoRegistry: how == "general"}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
	}
}
