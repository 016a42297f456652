package exec_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// fusedPlan is a step P(i,k), read by R alone, for the plan's text.
func fusedPlan(t *testing.T, text string) (step, into *physical.Step) {
	t.Helper()
	p, err := physical.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p.Steps[0], p.Steps[1]
}

const fusedText = `tensor E(0,0) { n i64 }
P(i,k) = n: sum(j) E.n(i,j) * E.n(j,k)
  loops: i ~1, j ~1, k ~1
  read E(i,j): 0 sparse walk, 1 sparse walk
  read E(j,k): 0 sparse lookup, 1 sparse walk
  store (i,k): sparse, sparse; prefix 1; workspace dense; fused; i64
  estimate: ~1 cells, ~1 entries
R() = n: sum(i,k) guard(1, P.n(i,k))
    | a: sum(i,k) P.n(i,k) * P.n(i,k)
  loops: i ~1, k ~1
  read P(i,k): 0 sparse walk, 1 sparse walk
  store ():; prefix 0; workspace none; i64, i64
  estimate: ~1 cells, ~1 entries
`

// squareGraph has edges i -> j of the given weight for all i, j below n.
func squareGraph(t *testing.T, n int, weight int64) *fibers.Tensor {
	t.Helper()
	coo := &fibers.COO{Dims: []int{n, n}, N: n * n, Coords: make([][]fibers.Coord, 2)}
	w := fibers.NewLeaf("n", semiring.I64, n*n)
	for e := range n * n {
		coo.Coords[0] = append(coo.Coords[0], fibers.Coord(e/n))
		coo.Coords[1] = append(coo.Coords[1], fibers.Coord(e%n))
		w.I64[e] = weight
	}
	coo.Leaves = []fibers.Leaf{w}
	out, err := coo.Tensor(context.Background(), []int{0, 1}, []format.Kind{format.SparseList, format.SparseList})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFusedOverflow: entries, their squares and sums that pass 64 bits widen
// the leaf that needs it, on the columnwise path and on the general one.
func TestFusedOverflow(t *testing.T) {
	const n = 80 // 6,400 entries: more than one chunk
	tests := []struct {
		name   string
		weight int64
		entry  float64 // n * weight^2
	}{
		{"small", 3, 720},
		{"square passes 64 bits", 1 << 16, n * math.Pow(2, 32)},
		{"entry passes 64 bits", 1 << 31, n * math.Pow(2, 62)},
	}
	step, into := fusedPlan(t, fusedText)
	for _, tt := range tests {
		for _, opt := range []exec.Options{{}, {NoRegistry: true}, {Threads: 3, Morsels: 20}, {NoRegistry: true, Threads: 2, Morsels: 7}} {
			e := squareGraph(t, n, tt.weight)
			dims := map[string]int{"i": n, "j": n, "k": n}
			got, stats, err := exec.RunFused(context.Background(), step, into,
				exec.Inputs{Operands: []*fibers.Tensor{e, e}, Dims: dims}, exec.Inputs{Dims: dims},
				opt, []exec.Watch{{Lo: "n", Hi: "n"}})
			if tt.entry*tt.entry*n*n > math.Pow(2, 127) {
				if err == nil {
					t.Errorf("%s: no overflow past 128 bits", tt.name)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			want := tt.entry * tt.entry * n * n
			if v := got.Leaf("a").Int128(0).Float64(); v != want {
				t.Errorf("%s (%+v): sum of squares %v, want %v", tt.name, opt, v, want)
			}
			if v := got.Leaf("n").Int128(0).Float64(); v != n*n {
				t.Errorf("%s: %v entries, want %d", tt.name, v, n*n)
			}
			if r := stats.Ranges[0]; !r.Found || r.Lo.Float64() != tt.entry || r.Hi.Float64() != tt.entry {
				t.Errorf("%s: range %v, want %v", tt.name, r, tt.entry)
			}
			if stats.Step.Entries != n*n || stats.Into.Entries != 1 {
				t.Errorf("%s: %d and %d entries", tt.name, stats.Step.Entries, stats.Into.Entries)
			}
			if stats.Step.Threads != max(1, opt.Threads) || stats.Step.Morsels < opt.Morsels {
				t.Errorf("%s: %d threads, %d morsels", tt.name, stats.Step.Threads, stats.Step.Morsels)
			}
		}
	}
}

// TestFusedEmpty: no entries give no entry and no range.
func TestFusedEmpty(t *testing.T) {
	step, into := fusedPlan(t, fusedText)
	e := fibers.Empty([]int{4, 4}, []fibers.Leaf{fibers.NewLeaf("n", semiring.I64, 0)})
	dims := map[string]int{"i": 4, "j": 4, "k": 4}
	got, stats, err := exec.RunFused(context.Background(), step, into,
		exec.Inputs{Operands: []*fibers.Tensor{e, e}, Dims: dims}, exec.Inputs{Dims: dims}, exec.Options{}, []exec.Watch{{Lo: "n", Hi: "n"}})
	if err != nil || got.NNZ != 0 || stats.Ranges[0].Found {
		t.Errorf("%d entries, range %v, error %v", got.NNZ, stats.Ranges, err)
	}
}

// TestFusedMemory: a result that would not fit the budget is never stored.
func TestFusedMemory(t *testing.T) {
	step, into := fusedPlan(t, fusedText)
	const n = 300 // 90,000 entries of 16 bytes
	e := squareGraph(t, n, 1)
	dims := map[string]int{"i": n, "j": n, "k": n}
	_, stats, err := exec.RunFused(context.Background(), step, into,
		exec.Inputs{Operands: []*fibers.Tensor{e, e}, Dims: dims}, exec.Inputs{Dims: dims}, exec.Options{BudgetBytes: 300_000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if stats.Step.Entries != n*n {
		t.Errorf("%d entries, want %d", stats.Step.Entries, n*n)
	}
}

const fusedFloats = `tensor E(0,0) { n i64, w f64 }
P(i,k) = n: sum(j) E.n(i,j) * E.n(j,k)
       | w: sum(j) E.w(i,j) * E.w(j,k)
  loops: i ~1, j ~1, k ~1
  read E(i,j): 0 sparse walk, 1 sparse walk
  read E(j,k): 0 sparse lookup, 1 sparse walk
  store (i,k): sparse, sparse; prefix 1; workspace dense; fused; i64, f64
  estimate: ~1 cells, ~1 entries
R() = n: sum(i,k) guard(1, P.n(i,k))
    | a: sum(i,k) P.w(i,k)
    | b: sum(i,k) P.w(i,k) * P.w(i,k)
  loops: i ~1, k ~1
  read P(i,k): 0 sparse walk, 1 sparse walk
  store ():; prefix 0; workspace none; i64, f64, f64
  estimate: ~1 cells, ~1 entries
`

// TestFusedFloats: sums of floats over chunks are those of the general path, to
// the last bit.
func TestFusedFloats(t *testing.T) {
	step, into := fusedPlan(t, fusedFloats)
	const n = 80 // 6,400 entries: more than one chunk
	e := squareGraph(t, n, 1)
	w := fibers.NewLeaf("w", semiring.F64, e.NNZ)
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range w.F64 {
		w.F64[i] = rng.NormFloat64()
	}
	e.Leaves = append(e.Leaves, w)
	e.KeepExponents()
	dims := map[string]int{"i": n, "j": n, "k": n}
	for _, opt := range []exec.Options{{}, {Threads: 3, Morsels: 20}} {
		sums := func(opt exec.Options) [2]float64 {
			got, _, err := exec.RunFused(context.Background(), step, into,
				exec.Inputs{Operands: []*fibers.Tensor{e, e}, Dims: dims}, exec.Inputs{Dims: dims}, opt, nil)
			if err != nil {
				t.Fatal(err)
			}
			return [2]float64{got.Leaf("a").F64[0], got.Leaf("b").F64[0]}
		}
		general := opt
		general.NoRegistry = true
		if got, want := sums(opt), sums(general); got != want {
			t.Errorf("%+v: %v, the general path gives %v", opt, got, want)
		}
	}
}

// TestFusedZeroCounts: a stored number of rows may be zero, and then guard(1, n)
// counts nothing, by columns as on the general path.
func TestFusedZeroCounts(t *testing.T) {
	const n = 20
	step, into := fusedPlan(t, fusedText)
	dims := map[string]int{"i": n, "j": n, "k": n}
	for _, zeroRows := range []int{0, 1, 7, n} {
		e := squareGraph(t, n, 3)
		for i := range zeroRows * n {
			e.Leaves[0].I64[i] = 0
		}
		for _, opt := range []exec.Options{{}, {NoRegistry: true}, {Threads: 2, Morsels: 5}} {
			got, stats, err := exec.RunFused(context.Background(), step, into,
				exec.Inputs{Operands: []*fibers.Tensor{e, e}, Dims: dims}, exec.Inputs{Dims: dims}, opt, nil)
			if err != nil {
				t.Fatal(err)
			}
			if stats.Step.Entries != n*n {
				t.Fatalf("%d entries, want %d", stats.Step.Entries, n*n)
			}
			want := int64(n * (n - zeroRows))
			if v, ok := got.Leaf("n").Int128(0).Int64(); !ok || v != want {
				t.Errorf("%d rows of zeros (%+v): counted %d, want %d", zeroRows, opt, v, want)
			}
		}
	}
}
