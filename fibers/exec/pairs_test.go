package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// pairQueries are counts whose two innermost loops run over pairs of fibers.
var pairQueries = []struct {
	name, order, edges, out string
	masks                   []*einsum.Compare
}{
	{name: "no window", order: "ijk", edges: "ij ik jk"},
	{name: "per outer index", order: "ijk", edges: "ij ik jk", out: "i"},
	{name: "above the row", order: "ijk", edges: "ij ik jk", masks: []*einsum.Compare{less("j", "k")}},
	{name: "from the row", order: "ijk", edges: "ij ik jk", masks: []*einsum.Compare{compare("k", semiring.Ge, "j")}},
	{name: "below the row", order: "ijk", edges: "ij ik jk", masks: []*einsum.Compare{less("k", "j")}},
	{name: "to the row", order: "ijk", edges: "ij ik jk", masks: []*einsum.Compare{compare("k", semiring.Le, "j")}},
	{name: "ascending", order: "ijk", edges: "ij ik jk", masks: []*einsum.Compare{less("i", "j"), less("j", "k")}},
	{name: "descending", order: "ijk", edges: "ij ik jk", masks: []*einsum.Compare{less("j", "i"), less("k", "j")}},
	{name: "between", order: "ijk", edges: "ij ik jk", masks: []*einsum.Compare{less("j", "k"), less("k", "i")}},
	{name: "above the outer index", order: "ijk", edges: "ij ik jk", masks: []*einsum.Compare{less("i", "k")}},
	{name: "paths", order: "ijk", edges: "ij jk", masks: []*einsum.Compare{less("i", "k")}},
	{name: "paths that ascend", order: "ijk", edges: "ij jk", masks: []*einsum.Compare{less("i", "j"), less("j", "k")}},
	{name: "paths with a peak", order: "ijk", edges: "ij jk", masks: []*einsum.Compare{less("i", "j"), less("k", "j")}},
	{name: "cliques", order: "ijkl", edges: "ij ik il jk jl kl", masks: []*einsum.Compare{less("i", "j"), less("j", "k"), less("k", "l")}},
	{name: "cliques downwards", order: "ijkl", edges: "ij ik il jk jl kl", masks: []*einsum.Compare{less("j", "i"), less("k", "j"), less("l", "k")}},
	{name: "cliques in all orders", order: "ijkl", edges: "ij ik il jk jl kl"},
}

// TestPairs compares counts over pairs of fibers with the general path: however
// many workers there are, in morsels that end inside the hubs, and in slices.
func TestPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 29))
	for _, size := range [][2]int{{3, 4}, {40, 300}, {400, 2000}} {
		e := randomGraph(t, rng, size[0], size[1])
		n := fibers.Coord(e.Dims[0])
		for _, c := range pairQueries {
			if len(c.order) > 3 && size[0] > 100 {
				continue
			}
			step, in := pattern(e, c.order, c.edges, c.out, format.None, c.masks...)
			for _, slices := range []map[string]Slice{nil, {"k": {Lo: n / 4, Hi: n - n/5}}, {"j": {Lo: n / 7, Hi: n}, "k": {Lo: 1, Hi: n}}} {
				in.Slices = slices
				want, general, err := RunStep(context.Background(), step, in, Options{NoRegistry: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, opt := range []Options{{}, {Threads: 2}, {Threads: 3, Morsels: 9}, {Morsels: 60}} {
					got, stats, err := RunStep(context.Background(), step, in, opt)
					if err != nil {
						t.Fatal(err)
					}
					if !stats.Rows || stats.Cells != general.Cells {
						t.Errorf("%s of %d with %+v %v: rows %v, %d cells, want %d", c.name, size[0], opt, slices, stats.Rows, stats.Cells, general.Cells)
					}
					sameTensor(t, &problem{step: step, dims: in.Dims}, got, want)
				}
			}
		}
	}
}

// TestPairsMakeHubs: a count over pairs uses the bitmaps of hubs; the fibers that
// stay meet through them as well. A budget without room for them changes nothing.
func TestPairsMakeHubs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 31))
	const n, hub = 2000, 20 // every hundredth vertex is a hub
	var src, dst []int64
	for a := range int64(n) {
		for b := range a {
			if dense := a%(n/hub) == 0 || b%(n/hub) == 0; rng.IntN(n) < 10 || dense && rng.IntN(3) == 0 {
				src, dst = append(src, a, b), append(dst, b, a)
			}
		}
	}
	e := graph(t, src, dst)
	for _, c := range pairQueries {
		if c.name != "no window" && c.name != "ascending" && c.name != "cliques" {
			continue
		}
		step, in := pattern(e, c.order, c.edges, c.out, format.None, c.masks...)
		want, _ := runScalar(t, step, in, Options{})
		for _, budget := range []int64{0, 256 << 10} {
			b := newBinder(step, in, Options{BudgetBytes: budget})
			n := b.bind(context.Background(), make([]bool, 1))
			n.run(n.env)
			if n.env.err != nil || n.env.cells != want {
				t.Fatalf("%s: %d cells, want %d: %v", c.name, n.env.cells, want, n.env.err)
			}
			bitmaps := 0
			for _, h := range b.hubs {
				if table := h.table.Load(); table != nil {
					for i := range table.bits {
						if table.bits[i].Load() != nil {
							bitmaps++
						}
					}
				}
			}
			if most := int(budget) / hubBudget / (8 * (e.Dims[0]/64 + 1)); budget > 0 && bitmaps > most || budget == 0 && bitmaps < hub/2 {
				t.Errorf("%s: %d bitmaps within %d bytes", c.name, bitmaps, budget)
			}
		}
	}
}

// TestPairProtocols meets lists and rows of all lengths by each protocol that the
// lengths ask for.
func TestPairProtocols(t *testing.T) {
	const dim = 3 * gasUnits
	rng := rand.New(rand.NewPCG(7, 37))
	draw := func(n int) []fibers.Coord {
		seen := map[fibers.Coord]bool{}
		for len(seen) < n {
			seen[rng.Int32N(dim)] = true
		}
		out := make([]fibers.Coord, 0, n)
		for c := range seen {
			out = append(out, c)
		}
		slices.Sort(out)
		return out
	}
	lengths := []int{1, 5, 70, 1500, 30_000, 2 * gasUnits}
	level := &fibers.SparseListLevel{Ptr: []int32{0}}
	var rows [][]fibers.Coord
	for _, n := range lengths {
		row := draw(n)
		rows = append(rows, row)
		level.Idx = append(level.Idx, row...)
		level.Ptr = append(level.Ptr, int32(len(level.Idx)))
	}
	for _, hub := range []bool{false, true} {
		for _, n := range lengths {
			list := draw(n)
			in := map[fibers.Coord]bool{}
			e := &env{ctx: context.Background(), gas: gasUnits, tank: gasUnits, meter: &meter{}}
			p := &pairs{list: standing{dim: dim}}
			if hub {
				p.hubs = (&binder{}).hubsOf(level, dim)
			}
			p.list.set(list)
			for round := range 4 {
				if round == 0 {
					p.list.start(true, true)
				}
				// The window moves up between the rounds.
				lo := fibers.Coord(round * dim / 5)
				p.list.move(lo, lo+dim/2)
				clear(in)
				for _, c := range list {
					if c >= lo && c < lo+dim/2 {
						in[c] = true
					}
				}
				for q, row := range rows {
					want := 0
					for _, c := range row {
						if in[c] {
							want++
						}
					}
					if p.list.left() == 0 {
						continue
					}
					if got := p.meet(e, int32(q), row); got != want || e.err != nil {
						t.Fatalf("hub %v, a list of %d and a row of %d in round %d: %d, want %d: %v", hub, n, len(row), round, got, want, e.err)
					}
				}
			}
			if !p.list.clear(e) || slices.Contains(p.list.bytes, 1) {
				t.Errorf("marks are left of a list of %d", n)
			}
		}
	}
}

// TestPairsStop: a count over pairs stops when it is cancelled.
func TestPairsStop(t *testing.T) {
	e := randomGraph(t, rand.New(rand.NewPCG(1, 3)), 1500, 30_000) // all queries but paths are long
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range pairQueries {
		if c.edges == "ij jk" {
			continue
		}
		step, in := pattern(e, c.order, c.edges, c.out, format.None, c.masks...)
		b := newBinder(step, in, Options{})
		n := b.bind(ctx, make([]bool, 1))
		n.run(n.env)
		if n.env.err == nil || n.env.spent >= 2*gasUnits { // it went on after the first look
			t.Errorf("%s went on to %d units: %v", c.name, n.env.spent, n.env.err)
		}
	}
}

// BenchmarkPairs meets lists and rows of many lengths: walking a row over marks,
// its bitmap, and searches in it. The constants of pairs are where the protocols
// cross.
func BenchmarkPairs(b *testing.B) {
	e := epinions(b)
	level := e.Levels[1].(*fibers.SparseListLevel)
	dim := int(slices.Max(level.Idx)) + 1
	for _, lengths := range [][2]int32{{4, 64}, {4, 256}, {16, 256}, {64, 256}, {16, 1024}, {64, 1024}, {256, 1024}} {
		var lists, rows []int32
		for p := range int32(dim) {
			n := level.Ptr[p+1] - level.Ptr[p]
			if n >= lengths[0] && n < 2*lengths[0] && len(lists) < 64 {
				lists = append(lists, p)
			}
			if n >= lengths[1] && n < 2*lengths[1] && len(rows) < 400 {
				rows = append(rows, p)
			}
		}
		for _, protocol := range []string{"marks", "bits", "search"} {
			b.Run(fmt.Sprintf("list=%d/row=%d/protocol=%s", lengths[0], lengths[1], protocol), func(b *testing.B) {
				env := &env{ctx: context.Background(), gas: gasUnits, tank: gasUnits, meter: &meter{}}
				p := &pairs{list: standing{dim: dim}}
				bits := map[int32][]uint64{}
				for _, q := range rows {
					bits[q] = make([]uint64, dim/64+1)
					kernel.SetBits(bits[q], level.Idx[level.Ptr[q]:level.Ptr[q+1]])
				}
				found := 0
				for b.Loop() {
					for _, l := range lists {
						list := level.Idx[level.Ptr[l]:level.Ptr[l+1]]
						p.list.clear(env)
						p.list.set(list)
						if protocol == "marks" {
							p.list.follow(env)
						}
						for _, q := range rows {
							row := level.Idx[level.Ptr[q]:level.Ptr[q+1]]
							switch protocol {
							case "marks":
								found += p.probe(env, row, nil, nil)
							case "bits":
								found += p.probe(env, list, nil, bits[q])
							default:
								found += p.probe(env, list, row, nil)
							}
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(lists)*len(rows)), "ns/pair")
				if found < 0 {
					b.Fatal(found)
				}
			})
		}
	}
}
