package exec

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

const tallyPlan = `tensor E(0,0) { n pattern }
P(i,k) = n: sum(j) E.n(i,j) * E.n(j,k)
  loops: i ~1, j ~1, k ~1
  read E(i,j): 0 dense walk, 1 sparse walk
  read E(j,k): 0 dense lookup, 1 sparse walk
  store (i,k): sparse, sparse; prefix 1; workspace dense; fused; i64
  estimate: ~1 cells, ~1 entries
R() = n: sum(i,k) guard(1, P.n(i,k))
    | a: sum(i,k) P.n(i,k) * P.n(i,k)
  loops: i ~1, k ~1
  read P(i,k): 0 sparse walk, 1 sparse walk
  store ():; prefix 0; workspace none; i64, i64
  estimate: ~1 cells, ~1 entries
`

// tallied binds the plan over a graph.
func tallied(tb testing.TB, e *fibers.Tensor) (step, into *physical.Step, in Inputs) {
	tb.Helper()
	p, err := physical.Parse(tallyPlan)
	if err != nil {
		tb.Fatal(err)
	}
	n := e.Dims[0]
	return p.Steps[0], p.Steps[1], Inputs{Operands: []*fibers.Tensor{e, e}, Dims: map[string]int{"i": n, "j": n, "k": n}}
}

// TestTally: counts that go to the reading step without coordinates are kept in
// 32 bits, and are those of the general path.
func TestTally(t *testing.T) {
	for _, size := range [][2]int{{3, 4}, {300, 2000}, {gasUnits + 9, 1}} {
		e := randomGraph(t, rand.New(rand.NewPCG(9, 41)), size[0], size[1])
		step, into, in := tallied(t, e)
		read := Inputs{Dims: in.Dims}
		if size[0] < gasUnits {
			want, general, err := RunFused(context.Background(), step, into, in, read, Options{NoRegistry: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, opt := range []Options{{}, {Threads: 2}, {Threads: 3, Morsels: 20}} {
				got, stats, err := RunFused(context.Background(), step, into, in, read, opt, nil)
				if err != nil {
					t.Fatal(err)
				}
				if stats.Step.Entries != general.Step.Entries || stats.Step.Cells != general.Step.Cells {
					t.Errorf("%+v: %+v, want %+v", opt, stats.Step, general.Step)
				}
				sameTensor(t, &problem{step: into, dims: in.Dims}, got, want)
			}
		}
		b := newBinder(step, in, Options{})
		n := b.prepare(context.Background(), make([]bool, 1))
		n.sink.out.unplaced = true
		f, _ := b.fastLoop(b.newLoop(2, nil), n.sink)
		r := b.rowLoop(nil, f, n.sink)
		n.env.ix[0], n.env.pos[b.operands[0].slots[1]] = 0, 0 // the first row is a hub's
		r.run(n.env)
		if len(r.tally) != e.Dims[0] || n.env.err != nil {
			t.Fatalf("%d counts for %d coordinates: %v", len(r.tally), e.Dims[0], n.env.err)
		}
		touched, total := n.sink.dense.n, int64(0)
		r.settle(n.env)
		for _, c := range n.sink.out.chunks {
			for _, v := range c.leaves[0].I64 {
				total += v
			}
		}
		if n.sink.out.n != touched || total != n.env.cells || n.sink.dense.n != 0 {
			t.Errorf("%d entries of %d, of %d cells for %d", n.sink.out.n, touched, total, n.env.cells)
		}
		for c, v := range r.tally {
			if v != 0 {
				t.Fatalf("a count of %d is left at %d", v, c)
			}
		}
	}
}

// BenchmarkTally sums the squares of common neighbours.
func BenchmarkTally(b *testing.B) {
	step, into, in := tallied(b, epinions(b))
	for b.Loop() {
		if _, _, err := RunFused(b.Context(), step, into, in, Inputs{Dims: in.Dims}, Options{}, nil); err != nil {
			b.Fatal(err)
		}
	}
}
