package exec

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// with puts further conditions on every leaf of a query.
func with(q *einsum.Query, conds ...einsum.Expr) {
	for l, leaf := range q.Leaves {
		agg, ok := leaf.Expr.(*einsum.Agg)
		if !ok {
			q.Leaves[l].Expr = &einsum.Map{Op: semiring.Guard, Args: append([]einsum.Expr{leaf.Expr}, conds...)}
			continue
		}
		arg := &einsum.Map{Op: semiring.Guard, Args: append([]einsum.Expr{agg.Arg}, conds...)}
		q.Leaves[l].Expr = &einsum.Agg{Op: agg.Op, Idxs: agg.Idxs, Arg: arg}
	}
}

// nearlySorted are the ranks of a domain that has grown: those of its last
// coordinates lie between the others, and one is NULL's.
func nearlySorted(r *rand.Rand, n int) []int32 {
	late := r.IntN(n/2 + 1)
	perm := r.Perm(n)
	early := slices.Sorted(slices.Values(perm[:n-late]))
	ranks := make([]int32, 0, n)
	for _, x := range append(early, perm[n-late:]...) {
		ranks = append(ranks, int32(x))
	}
	if late > 0 && r.IntN(2) == 0 {
		ranks[n-1] = -1
	}
	return ranks
}

// TestRandomMasks compares chains of comparisons, as windows, with brute force.
func TestRandomMasks(t *testing.T) {
	sorted, grown, nonEmpty := 0, 0, 0
	for seed := range uint64(700) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 17)), floats: []float64{0, 1.5, -2}, maxDim: 7, rows: 60, maxIdx: 4, sums: seed%2 == 0}
		if seed%20 == 0 { // fibers long enough for a <> to split them
			g.maxDim, g.rows, g.maxIdx = 60, 3000, 2
		}
		p := g.problem(t)
		clear(p.in.Ranks)
		for d := range 2 {
			for _, ix := range p.indices {
				if ix.Domain == d && g.IntN(2) == 0 && p.in.Ranks[d] == nil {
					p.in.Ranks[d] = nearlySorted(g.Rand, p.dims[ix.Name])
				}
			}
		}
		var masks []einsum.Expr
		for range 1 + g.IntN(4) {
			l, r := p.indices[g.IntN(len(p.indices))], p.indices[g.IntN(len(p.indices))]
			if l.Domain != r.Domain || l == r {
				continue
			}
			masks = append(masks, &einsum.Compare{Op: semiring.Eq + semiring.Op(g.IntN(6)), L: l, R: r})
			if order := newOrder(p.in.Ranks[l.Domain]); order.ranks == nil {
				sorted++
			} else if 2*int(order.sorted) >= len(order.ranks) && int(order.sorted) < len(order.ranks) {
				grown++
			}
		}
		if len(masks) == 0 {
			continue
		}
		with(p.step.Query, masks...)
		want := p.bruteForce()
		for _, general := range []bool{true, false} {
			got, _, err := RunStep(context.Background(), p.step, p.in, Options{NoRegistry: general})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			p.check(t, got, want)
		}
		if len(want) > 0 {
			nonEmpty++
		}
	}
	if sorted < 50 || grown < 100 || nonEmpty < 100 {
		t.Errorf("%d masks over domains in order, %d over grown ones, %d results not empty", sorted, grown, nonEmpty)
	}
}

// work runs a step in one piece and returns its result and the entries that its
// loops looked at.
func work(tb testing.TB, step *physical.Step, in Inputs, opt Options) (got *fibers.Tensor, entries int64) {
	tb.Helper()
	n := newBinder(step, in, opt).bind(context.Background(), make([]bool, len(step.Query.Leaves)))
	n.run(n.env)
	entries = n.env.spent + n.env.tank - n.env.gas
	got, err := n.sink.out.tensor(context.Background(), step.Output.Formats)
	if n.env.err != nil || err != nil {
		tb.Fatal(n.env.err, err)
	}
	return got, entries
}

// completeGraph is the graph of all edges between n vertices, loops included.
func completeGraph(tb testing.TB, n int) *fibers.Tensor { return fan(tb, n, n, format.Dense) }

// fan has an edge to every vertex from each of the first ones.
func fan(tb testing.TB, first, n int, outer format.Kind) *fibers.Tensor {
	tb.Helper()
	cols := make([][]fibers.Coord, 2)
	for i := range first * n {
		cols[0], cols[1] = append(cols[0], fibers.Coord(i/n)), append(cols[1], fibers.Coord(i%n))
	}
	b := fibers.NewBuilder(2, []fibers.LeafSpec{{Name: "n", Merge: semiring.Add}})
	if err := b.Append(first*n, cols, []fibers.Leaf{{}}); err != nil {
		tb.Fatal(err)
	}
	coo, err := b.Finish(context.Background(), []int{n, n})
	if err != nil {
		tb.Fatal(err)
	}
	t, err := coo.Tensor(context.Background(), []int{0, 1}, []format.Kind{outer, format.SparseList})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func compare(a string, op semiring.Op, b string) *einsum.Compare {
	return &einsum.Compare{Op: op, L: einsum.Index{Name: a}, R: einsum.Index{Name: b}}
}

func TestMasksBoundLoops(t *testing.T) {
	const n = 120 // rows long enough to be cut
	e := completeGraph(t, n)
	grown := make([]int32, n) // the last coordinate is NULL's
	for c := range grown {
		grown[c] = int32(c)
	}
	grown[n-1] = -1
	for _, c := range []struct {
		name, order, edges string
		masks              []*einsum.Compare
		ranks              []int32
		count              int64
		most               float64 // entries looked at, as a share of those without masks
	}{
		{name: "chain", order: "ijk", edges: "ij ik jk", masks: []*einsum.Compare{less("i", "j"), less("j", "k")}, count: n * (n - 1) * (n - 2) / 6, most: 0.22},
		{name: "chain, middle last", order: "ikj", edges: "ik ij kj", masks: []*einsum.Compare{less("i", "j"), less("j", "k")}, count: n * (n - 1) * (n - 2) / 6, most: 0.22},
		{name: "between", order: "ikj", edges: "ik ij kj", masks: []*einsum.Compare{compare("i", semiring.Le, "j"), compare("j", semiring.Le, "k")}, count: n * (n + 1) * (n + 2) / 6, most: 0.26},
		{name: "equal", order: "ijk", edges: "ij ik jk", masks: []*einsum.Compare{compare("i", semiring.Eq, "k")}, count: n * n, most: 0.1},
		{name: "chain with NULL", order: "ijk", edges: "ij ik jk", masks: []*einsum.Compare{less("i", "j"), less("j", "k")}, ranks: grown, count: (n - 1) * (n - 2) * (n - 3) / 6, most: 0.26},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, opt := range []Options{{}, {NoRegistry: true}} {
				step, in := pattern(e, c.order, c.edges, "", format.None)
				all, _ := work(t, step, in, Options{NoRegistry: true})
				_, entries := work(t, step, in, Options{NoRegistry: true})
				if got := all.Leaves[0].Float64(all.Root); got != n*n*n {
					t.Fatalf("%v without masks", got)
				}
				step, in = pattern(e, c.order, c.edges, "", format.None, c.masks...)
				if c.ranks != nil {
					in.Ranks = map[int][]int32{0: c.ranks}
				}
				got, looked := work(t, step, in, opt)
				if v := got.Leaves[0].Float64(got.Root); v != float64(c.count) {
					t.Errorf("%+v: counted %v, want %d", opt, v, c.count)
				}
				if float64(looked) > c.most*float64(entries) {
					t.Errorf("%+v: looked at %d entries of %d, want a share of %v", opt, looked, entries, c.most)
				}
			}
		})
	}
}

// TestNotEqualSplits: what a <> leaves out is not looked at in long fibers.
func TestNotEqualSplits(t *testing.T) {
	const n, first = 600, 3
	graph := fan(t, first, n, format.SparseList)
	reversed := make([]int32, n)
	for c := range reversed {
		reversed[c] = int32(n - 1 - c)
	}
	for _, c := range []struct {
		name, order, edges string
		masks              []*einsum.Compare
		count              int64
	}{
		{"alone", "ij", "ij", []*einsum.Compare{compare("i", semiring.Ne, "j")}, first * (n - 1)},
		{"twice", "ikj", "ij kj", []*einsum.Compare{compare("j", semiring.Ne, "i"), compare("k", semiring.Ne, "j")}, first*n*first - 3*1 - 6*2},
	} {
		for _, opt := range []Options{{}, {NoRegistry: true}} {
			step, in := pattern(graph, c.order, c.edges, "", format.None, c.masks...)
			got, entries := work(t, step, in, opt)
			in.Ranks = map[int][]int32{0: reversed} // no windows: all is tested
			_, tested := work(t, step, in, opt)
			if v := got.Leaves[0].Float64(got.Root); v != float64(c.count) {
				t.Errorf("%s: counted %v, want %d", c.name, v, c.count)
			}
			if entries >= tested {
				t.Errorf("%s: looked at %d entries, and %d with tests", c.name, entries, tested)
			}
		}
	}
}

// BenchmarkWindows counts ordered triangles of Epinions with comparisons that
// bound the loops, and the same with a domain that is out of order, whose
// comparisons are tested entry by entry.
func BenchmarkWindows(b *testing.B) {
	e := epinions(b)
	shuffled := make([]int32, e.Dims[0])
	for c := range shuffled {
		shuffled[c] = int32(len(shuffled) - 1 - c)
	}
	for _, c := range []struct {
		name  string
		masks []*einsum.Compare
	}{
		{"ordered", []*einsum.Compare{less("i", "j"), less("j", "k")}},
		{"different", []*einsum.Compare{compare("i", semiring.Ne, "k")}},
	} {
		for _, ranks := range []map[int][]int32{nil, {0: shuffled}} {
			step, in := pattern(e, "ijk", "ij ik jk", "", format.None, c.masks...)
			name := "query=" + c.name + "/masks=windows"
			if in.Ranks = ranks; ranks != nil {
				name = "query=" + c.name + "/masks=tested"
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					runScalar(b, step, in, Options{})
				}
			})
		}
	}
}
