package exec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// TestRandomMorsels runs random steps cut into tiny morsels by 1, 2 and 5 workers:
// all give what the definition says, on the registry's path and on the general one.
func TestRandomMorsels(t *testing.T) {
	const steps = 500
	deep, merged, several := 0, 0, 0
	for seed := range uint64(steps) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 17)), floats: []float64{0, 1.5, -2, 0.25}, maxDim: 5, rows: 25, maxIdx: 4, sums: seed%3 == 0}
		if seed%20 == 0 {
			g.maxDim, g.rows = 12, 150
		}
		p := g.problem(t)
		if seed%2 == 0 {
			p.withAbsences(t, g)
		}
		want := p.bruteForce()
		for _, threads := range []int{1, 2, 5} {
			opt := Options{NoRegistry: (seed+uint64(threads))%2 == 0, Threads: threads, Morsels: 2 + g.IntN(30)}
			got, stats, err := RunStep(context.Background(), p.step, p.in, opt)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			p.check(t, got, want)
			if stats.Traversals != 1 || stats.Entries != len(want) || stats.Threads > threads || stats.Threads > stats.Morsels {
				t.Fatalf("seed %d: %+v", seed, stats)
			}
			if stats.Threads > 1 {
				several++
			}
			if stats.Morsels > 1 && p.step.Output.Prefix < len(p.step.Output.Order) {
				merged++
			}
			if stats.Morsels > 1 && len(cutOf(p, opt.Morsels)) > p.dims[p.step.Loops[0].Index.Name] {
				deep++
			}
		}
	}
	if several < steps/3 || merged < steps/5 || deep < steps/5 {
		t.Errorf("%d runs by several workers, %d with merged groups, %d cut below the first loop", several, merged, deep)
	}
}

// cutOf is the morsels of a step that is not fused.
func cutOf(p *problem, parts int) []morsel {
	b := newBinder(p.step, p.in, Options{})
	s := b.prepare(context.Background(), make([]bool, len(p.step.Query.Leaves))).sink
	return b.cut(len(p.step.Loops), s.group, parts, 1e18, b.mergedEntries(s))
}

// TestMorselsCoverOnce: morsels of random steps are ascending intervals that meet.
func TestMorselsCoverOnce(t *testing.T) {
	for seed := range uint64(400) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 19)), floats: []float64{1}, maxDim: 6, rows: 60, maxIdx: 4}
		p := g.problem(t)
		morsels := cutOf(p, 1+g.IntN(40))
		if len(morsels[0].from) > 0 || len(morsels[len(morsels)-1].to) > 0 {
			t.Fatalf("seed %d: the ends are bounded: %v", seed, morsels)
		}
		for i := 1; i < len(morsels); i++ {
			if !slices.Equal(morsels[i-1].to, morsels[i].from) {
				t.Fatalf("seed %d: a gap: %v", seed, morsels)
			}
			if i > 1 && slices.Compare(morsels[i-1].from, morsels[i].from) >= 0 {
				t.Fatalf("seed %d: not ascending: %v", seed, morsels)
			}
		}
	}
}

// TestSumsOfFloats: whatever the number of workers, sums of floats that rounding
// makes depend on their order are the same to the last bit.
func TestSumsOfFloats(t *testing.T) {
	differ := 0
	for seed := range uint64(60) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 23)), maxDim: 2000, rows: 4000, maxIdx: 2, sums: true}
		for range 50 {
			g.floats = append(g.floats, math.Exp(g.NormFloat64()*20))
		}
		p := g.problem(t)
		if crossProduct := !slices.ContainsFunc(p.tables, func(t *table) bool { return len(t.args) >= 2 }); crossProduct && len(p.indices) > 1 {
			continue
		}
		var first *fibers.Tensor
		for _, threads := range []int{1, 2, 5, 2} {
			got, _, err := RunStep(context.Background(), p.step, p.in, Options{Threads: threads, Morsels: 20})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			sameTensor(t, p, got, first)
		}
		whole, _, err := RunStep(context.Background(), p.step, p.in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for l := range whole.Leaves {
			if whole.Leaves[l].Elem == semiring.F64 && !slices.Equal(whole.Leaves[l].F64, first.Leaves[l].F64) {
				differ++
			}
		}
	}
	if differ == 0 {
		t.Error("no sum depended on its order")
	}
}

// star is a graph in which vertex 0 is joined with all others, in both directions.
func star(tb testing.TB, n int) *fibers.Tensor {
	tb.Helper()
	var src, dst []int64
	for v := int64(1); v < int64(n); v++ {
		src, dst = append(src, 0, v), append(dst, v, 0)
	}
	return graph(tb, src, dst)
}

// share is the part of the paths of two edges in the largest morsel.
func share(t *testing.T, step *physical.Step, in Inputs, parts int) (morsels int, largest float64) {
	t.Helper()
	b := newBinder(step, in, Options{})
	cut := b.cut(len(step.Loops), step.Output.Prefix, parts, 1e18, 1)
	total, most := int64(0), int64(0)
	for _, p := range cut {
		n := b.bind(context.Background(), make([]bool, len(step.Query.Leaves)))
		w := &worker{nest: n, entries: n}
		if err := w.run(p); err != nil {
			t.Fatal(err)
		}
		total, most = total+n.env.cells, max(most, n.env.cells)
	}
	return len(cut), float64(most) / float64(total)
}

// TestHubIsCut: nearly all paths run through one vertex, whose fiber is cut; so is
// the loop below one that a constant binds.
func TestHubIsCut(t *testing.T) {
	hub := star(t, 2000)
	step, in := pattern(hub, "jik", "ji jk", "", format.None)
	if morsels, largest := share(t, step, in, 20); morsels < 10 || largest > 0.2 {
		t.Errorf("hub: %d morsels, the largest has %.2f of the work", morsels, largest)
	}
	all := complete(t, 200)
	step, in = pattern(all, "ijk", "ij ik jk", "i", format.None)
	in.Slices = map[string]Slice{"i": {Lo: 7, Hi: 8}}
	if morsels, largest := share(t, step, in, 20); morsels < 10 || largest > 0.2 {
		t.Errorf("slice of one coordinate: %d morsels, the largest has %.2f of the work", morsels, largest)
	}
	step, in = pattern(all, "ijk", "ij ik jk", "", format.None)
	one, _, err := constant(t, all, 7)
	if err != nil {
		t.Fatal(err)
	}
	ix := []einsum.Arg{{Index: einsum.Index{Name: "i"}}}
	step.Operands = append(step.Operands, physical.Operand{Tensor: "C", Args: ix, Order: []int{0}, Formats: []format.Kind{format.SparseList}, Protocols: []format.Protocol{format.Walk}})
	in.Operands = append(in.Operands, one)
	product := step.Query.Leaves[0].Expr.(*einsum.Agg).Arg.(*einsum.Map)
	product.Args = append(product.Args, &einsum.Access{Tensor: "C", Leaf: "n", Args: ix})
	if morsels, largest := share(t, step, in, 20); morsels < 10 || largest > 0.2 {
		t.Errorf("constant: %d morsels, the largest has %.2f of the work", morsels, largest)
	}
}

// constant is a tensor of the single coordinate c.
func constant(tb testing.TB, like *fibers.Tensor, c fibers.Coord) (*fibers.Tensor, int, error) {
	tb.Helper()
	coo := &fibers.COO{Dims: like.Dims[:1], N: 1, Coords: [][]fibers.Coord{{c}}, Leaves: []fibers.Leaf{{Name: "n", Elem: semiring.Pattern}}}
	out, err := coo.Tensor(context.Background(), []int{0}, []format.Kind{format.SparseList})
	return out, 1, err
}

// TestMorselsOverflow: a leaf that overflows in one worker, or only where morsels
// are merged, is computed again with 128 bits.
func TestMorselsOverflow(t *testing.T) {
	text := `tensor E(0,0) { n i64 }
R() = n: sum(i,j) E.n(i,j)
  loops: i ~1, j ~1
  read E(i,j): 0 sparse walk, 1 sparse walk
  store ():; prefix 0; workspace none; i64
  estimate: ~1 cells, ~1 entries
`
	plan, err := physical.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, weight := range []int64{1 << 40, 1 << 51, 1 << 58} {
		e := weighted(t, 80, weight)
		in := Inputs{Operands: []*fibers.Tensor{e}, Dims: map[string]int{"i": 80, "j": 80}}
		got, stats, err := RunStep(context.Background(), plan.Steps[0], in, Options{Threads: 3, Morsels: 40})
		if err != nil {
			t.Fatal(err)
		}
		want := 6400 * float64(weight)
		if v := got.Leaf("n").Int128(0).Float64(); v != want {
			t.Errorf("sum of %d: %v, want %v", weight, v, want)
		}
		if wide := want >= math.MaxInt64; wide != (len(stats.Wide) == 1) || stats.Threads != 3 || stats.Morsels < 20 {
			t.Errorf("%+v", stats)
		}
	}
}

// weighted is a complete graph with loops, all of whose edges have one weight.
func weighted(t *testing.T, n int, weight int64) *fibers.Tensor {
	t.Helper()
	coo := &fibers.COO{Dims: []int{n, n}, N: n * n, Coords: make([][]fibers.Coord, 2)}
	w := fibers.NewLeaf("n", semiring.I64, n*n)
	for e := range n * n {
		coo.Coords[0], coo.Coords[1] = append(coo.Coords[0], fibers.Coord(e/n)), append(coo.Coords[1], fibers.Coord(e%n))
		w.I64[e] = weight
	}
	coo.Leaves = []fibers.Leaf{w}
	out, err := coo.Tensor(context.Background(), []int{0, 1}, []format.Kind{format.SparseList, format.SparseList})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestMorselsInBudget: workers share the budget. Where it has room for fewer
// workspaces there are fewer workers; what they hold is given back but the result.
func TestMorselsInBudget(t *testing.T) {
	e := complete(t, 300)
	step, in := pattern(e, "ijk", "ij jk", "ik", format.DenseWorkspace)
	_, alone, err := RunStep(context.Background(), step, in, Options{Morsels: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, extra := range []int64{0, 2_000, 10_000, 1 << 30} {
		h := &hall{}
		out, stats, err := RunStep(context.Background(), step, in, Options{Threads: 8, Morsels: 10, BudgetBytes: alone.Bytes + extra, Account: h})
		if err != nil || stats.Bytes > alone.Bytes+extra {
			t.Fatalf("%d more bytes: %+v, %v", extra, stats, err)
		}
		if all := extra == 1<<30; all != (stats.Threads == 8) && extra != 10_000 {
			t.Errorf("%d more bytes: %d workers", extra, stats.Threads)
		}
		if held := h.held.Load(); held < out.Bytes()/2 || held > 2*out.Bytes() {
			t.Errorf("holds %d bytes for a result of %d", held, out.Bytes())
		}
	}
	if _, _, err := RunStep(context.Background(), step, in, Options{Threads: 8, Morsels: 10, BudgetBytes: alone.Bytes / 4}); !errors.Is(err, ErrBudget) {
		t.Errorf("a quarter of the bytes: %v", err)
	}
}

// TestMorselsCancelled: a statement that is cancelled stops all workers, early or
// late, and says so.
func TestMorselsCancelled(t *testing.T) {
	e := complete(t, 400)
	step, in := pattern(e, "ijk", "ij jk", "ik", format.DenseWorkspace)
	for k := range 40 {
		ctx := &countdown{Context: context.Background()}
		ctx.left.Store(int64(1 + k))
		if _, _, err := RunStep(ctx, step, in, Options{Threads: 3, Morsels: 10}); !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled at look %d: %v", k, err)
		}
	}
}

// TestPanicInWorker: what a worker panics with comes out of RunStep, with the
// worker's stack for the log.
func TestPanicInWorker(t *testing.T) {
	e := complete(t, 300)
	step, in := pattern(e, "ijk", "ij jk", "ik", format.DenseWorkspace)
	ctx := &countdown{Context: context.Background(), fail: true}
	ctx.left.Store(12)
	defer func() {
		p := recover()
		if text := fmt.Sprintf("%v", p); text != "internal error: the countdown is over" {
			t.Errorf("panicked with %q", text)
		}
		if text := fmt.Sprintf("%+v", p); !strings.Contains(text, "countdown") || !strings.Contains(text, "goroutine") {
			t.Errorf("no stack in %q", text)
		}
	}()
	_, _, err := RunStep(ctx, step, in, Options{Threads: 3, Morsels: 30})
	t.Errorf("no panic, but %v", err)
}

// countdown is cancelled, or panics, at a look at it.
type countdown struct {
	context.Context
	left atomic.Int64
	fail bool
}

func (c *countdown) Err() error {
	if c.left.Add(-1) >= 0 {
		return nil
	}
	if c.fail {
		panic(invariant.Failed("the countdown is over"))
	}
	return context.Canceled
}

// TestLongSteps: a step that turns out longer than its estimate says begins again
// in morsels; one that is short is left whole.
func TestLongSteps(t *testing.T) {
	for n, want := range map[int64]bool{40: false, 300: true} {
		step, in := pattern(complete(t, n), "ijk", "ij ik jk", "", format.None)
		step.BodyNNZ = 10
		got, stats := runScalar(t, step, in, Options{Threads: 2})
		if cut := stats.Morsels > 1; got != n*n*n || cut != want || stats.Traversals != 1 {
			t.Errorf("%d vertices: %d triangles with %+v", n, got, stats)
		}
	}
}

// BenchmarkThreads is the same step on one and on two threads: of graphs with
// hubs, the large one of 20,000 vertices and 400,000 edges; small steps must not lose.
func BenchmarkThreads(b *testing.B) {
	large, medium, small := skewed(b, 20_000, 400_000), skewed(b, 6_000, 60_000), skewed(b, 300, 3_000)
	for _, c := range []struct {
		name, order, edges, out string
		ws                      format.Workspace
		graph                   *fibers.Tensor
	}{
		{name: "triangles", order: "ijk", edges: "ij ik jk", graph: large},
		{name: "perVertex", order: "ijk", edges: "ij ik jk", out: "i", graph: large},
		{name: "paths", order: "jik", edges: "ji jk", graph: large},
		{name: "product", order: "ijk", edges: "ij jk", out: "ik", ws: format.DenseWorkspace, graph: medium},
		{name: "scattered", order: "ijk", edges: "ij ik jk", out: "k", ws: format.DenseWorkspace, graph: large},
		{name: "degree", order: "ij", edges: "ij", out: "i", graph: large},
		{name: "small", order: "ijk", edges: "ij ik jk", graph: small},
		{name: "smallPerVertex", order: "ijk", edges: "ij ik jk", out: "i", graph: small},
	} {
		step, in := pattern(c.graph, c.order, c.edges, c.out, c.ws)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("query=%s/threads=%d", c.name, threads), func(b *testing.B) {
				var stats StepStats
				for b.Loop() {
					var err error
					if _, stats, err = RunStep(b.Context(), step, in, Options{Threads: threads}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(stats.Morsels), "morsels")
			})
		}
	}
}

// skewed is a random graph whose vertices have degrees like those of a social one.
func skewed(tb testing.TB, vertices, edges int) *fibers.Tensor {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 29))
	draw := func() int64 { return int64(float64(vertices) * math.Pow(rng.Float64(), 3)) }
	var src, dst []int64
	for range edges / 2 {
		i, j := draw(), draw()
		src, dst = append(src, i, j), append(dst, j, i)
	}
	return graph(tb, src, dst)
}
