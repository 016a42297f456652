package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// lockstepText is a plan of three steps of one index and a map of their entries.
const lockstepText = `tensor A(0,1) { n pattern, x f64 }
tensor B(1) { n pattern, x f64 }
tensor C(0,1) { n pattern, x f64 }
tensor D(1,2) { n pattern, x f64 }
tensor E(0) { n pattern, x f64 }
S(i) = n: or(j) and(A.n(i,j), B.n(j))
     | a: sum(j) A.x(i,j) * B.x(j)
  loops: i ~1, j ~1
  read A(i,j): 0 sparse walk, 1 sparse walk
  read B(j): 0 sparse lookup
  store (i): bytemap; prefix 1; workspace none; lockstep; pattern, f64
  estimate: ~1 cells, ~1 entries
T(i) = n: or(j,k) and(C.n(i,j), D.n(j,k))
     | a: sum(j,k) C.x(i,j) * D.x(j,k)
     | b: sum(j,k) C.n(i,j) * D.x(j,k)
  loops: i ~1, j ~1, k ~1
  read C(i,j): 0 dense walk, 1 sparse walk
  read D(j,k): 0 sparse lookup, 1 sparse walk
  store (i): bytemap; prefix 1; workspace none; lockstep; pattern, f64, f64
  estimate: ~1 cells, ~1 entries
U(i) = n: E.n(i)
     | a: E.x(i) * 2.5
  loops: i ~1
  read E(i): 0 sparse walk
  store (i): bytemap; prefix 1; workspace none; lockstep; pattern, f64
  estimate: ~1 cells, ~1 entries
R(i) = %s
  loops: i ~1
  read S(i): 0 bytemap walk
  read T(i): 0 bytemap walk
  read U(i): 0 bytemap walk
  store (i): %s; prefix 1; workspace none; pattern, f64
  estimate: ~1 cells, ~1 entries
`

// lockstepMaps are maps of the three.
var lockstepMaps = []string{
	"n: or(S.n(i), T.n(i), U.n(i))\n     | a: S.a(i) + T.a(i) + U.a(i)",
	"n: and(S.n(i), T.n(i), U.n(i))\n     | a: S.a(i) * T.b(i) * U.a(i)",
	"n: and(S.n(i), or(T.n(i), U.n(i)))\n     | a: S.a(i) * (T.a(i) + U.a(i))",
	"n: or(and(S.n(i), T.n(i)), U.n(i))\n     | a: S.a(i) * T.b(i) + U.a(i)",
	"n: or(S.n(i), T.n(i), U.n(i))\n     | a: T.b(i) + max(S.a(i), U.a(i), 0.5)",
}

// lockstepPlan parses the plan with one of the maps.
func lockstepPlan(t *testing.T, m, kind string) *physical.Plan {
	t.Helper()
	p, err := physical.Parse(fmt.Sprintf(lockstepText, m, kind))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

// lockstepData are random operands; share of the coordinates of index i have entries.
func lockstepData(t *testing.T, rng *rand.Rand, p *physical.Plan, dims map[string]int, share float64) []exec.Part {
	t.Helper()
	var parts []exec.Part
	for _, s := range p.Steps[:3] {
		in := exec.Inputs{Dims: dims}
		for k := range s.Operands {
			o := &s.Operands[k]
			in.Operands = append(in.Operands, randomTensor(t, rng, o, dims, share))
		}
		parts = append(parts, exec.Part{Step: s, In: in})
	}
	return parts
}

func randomTensor(t *testing.T, rng *rand.Rand, o *physical.Operand, dims map[string]int, share float64) *fibers.Tensor {
	t.Helper()
	idxs := o.Indices()
	coo := &fibers.COO{Coords: make([][]fibers.Coord, len(idxs))}
	x := fibers.NewLeaf("x", semiring.F64, 0)
	first, second := dims[idxs[0].Name], 1
	coo.Dims = append(coo.Dims, first)
	if len(idxs) > 1 {
		second = dims[idxs[1].Name]
		coo.Dims = append(coo.Dims, second)
	}
	gap := rng.IntN(2 * first) // from here on there is nothing for a while
	for i := range first {
		if idxs[0].Name == "i" && (i > gap && i < gap+first/3 || rng.Float64() >= share) {
			continue
		}
		for j := range second {
			if second > 1 && rng.IntN(second) > 1 {
				continue
			}
			coo.Coords[0] = append(coo.Coords[0], fibers.Coord(i))
			if second > 1 {
				coo.Coords[1] = append(coo.Coords[1], fibers.Coord(j))
			}
			x.F64 = append(x.F64, float64(rng.IntN(33)-16)/8)
		}
	}
	coo.N = len(x.F64)
	coo.Leaves = []fibers.Leaf{fibers.NewLeaf("n", semiring.Pattern, 0), x}
	out, err := coo.Tensor(context.Background(), o.Order, o.Formats)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLockstep: a map of steps' entries is the same in lockstep with them and after
// they have been stored, whatever is present, for any number of workers.
func TestLockstep(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 41))
		m := lockstepMaps[int(seed)%len(lockstepMaps)]
		p := lockstepPlan(t, m, []string{"bytemap", "sparse"}[rng.IntN(2)])
		dims := map[string]int{"i": 1 + rng.IntN(5000), "j": 2 + rng.IntN(9), "k": 2 + rng.IntN(5)}
		parts := lockstepData(t, rng, p, dims, []float64{0, 0.02, 0.5, 1, 1}[rng.IntN(5)])
		into := p.Steps[3]
		stored := exec.Inputs{Dims: dims}
		for _, part := range parts {
			r, _, err := exec.RunStep(ctx, part.Step, part.In, exec.Options{NoRegistry: true})
			if err != nil {
				t.Fatal(err)
			}
			stored.Operands = append(stored.Operands, r)
		}
		want, _, err := exec.RunStep(ctx, into, stored, exec.Options{NoRegistry: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, opt := range []exec.Options{{}, {Threads: 3}, {Threads: 2, Morsels: 5}} {
			got, stats, err := exec.RunLockstep(ctx, parts, into, exec.Inputs{Dims: dims}, opt)
			if err != nil {
				t.Fatal(err)
			}
			if diff := differ(t, got, want); diff != "" {
				t.Fatalf("seed %d, %+v, %s: %s", seed, opt, m, diff)
			}
			for k, part := range stats.Parts {
				if part.Entries != stored.Operands[k].NNZ {
					t.Errorf("seed %d, %+v: part %d has %d entries, want %d", seed, opt, k, part.Entries, stored.Operands[k].NNZ)
				}
			}
		}
	}
}

// differ says in what tensors' entries differ.
func differ(t *testing.T, got, want *fibers.Tensor) string {
	t.Helper()
	list := func(x *fibers.Tensor) (out []string) {
		x.Each(func(c []fibers.Coord, pos int32) bool {
			out = append(out, fmt.Sprint(c, x.Leaves[1].F64[pos]))
			return true
		})
		return out
	}
	a, b := list(got), list(want)
	if got.NNZ != want.NNZ || len(a) != len(b) {
		return fmt.Sprintf("%d entries, want %d", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("entry %s, want %s", a[i], b[i])
		}
	}
	if !reflect.DeepEqual(got.Distinct, want.Distinct) {
		return fmt.Sprintf("distinct %v, want %v", got.Distinct, want.Distinct)
	}
	return ""
}

// ledger is an account with a limit.
type ledger struct{ held, limit int64 }

func (l *ledger) Hold(bytes int64) bool {
	l.held += bytes
	return l.held <= l.limit
}

// TestLockstepMemory: what is held in the end is the result, as after a step; without
// memory steps fail with ErrBudget.
func TestLockstepMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	p := lockstepPlan(t, lockstepMaps[0], "bytemap")
	dims := map[string]int{"i": 4000, "j": 5, "k": 3}
	parts := lockstepData(t, rng, p, dims, 1)
	stored := exec.Inputs{Dims: dims}
	for _, part := range parts {
		r, _, err := exec.RunStep(t.Context(), part.Step, part.In, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		stored.Operands = append(stored.Operands, r)
	}
	alone := &ledger{limit: 1 << 40}
	if _, _, err := exec.RunStep(t.Context(), p.Steps[3], stored, exec.Options{Account: alone}); err != nil {
		t.Fatal(err)
	}
	account := &ledger{limit: 1 << 40}
	out, _, err := exec.RunLockstep(t.Context(), parts, p.Steps[3], exec.Inputs{Dims: dims}, exec.Options{Account: account})
	if err != nil {
		t.Fatal(err)
	}
	if account.held != alone.held {
		t.Errorf("%d bytes are held, by the map alone %d", account.held, alone.held)
	}
	for _, threads := range []int{1, 3} {
		account = &ledger{limit: out.Bytes() / 2}
		opt := exec.Options{Account: account, Threads: threads, Morsels: threads}
		if _, _, err := exec.RunLockstep(t.Context(), parts, p.Steps[3], exec.Inputs{Dims: dims}, opt); !errors.Is(err, exec.ErrBudget) {
			t.Errorf("%d threads: error %v", threads, err)
		}
	}
}

// TestLockstepRefuses: integers may overflow, and the general path knows no lockstep;
// an end of the context is one of the steps.
func TestLockstepRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	p := lockstepPlan(t, lockstepMaps[0], "bytemap")
	dims := map[string]int{"i": 4000, "j": 5, "k": 3}
	parts := lockstepData(t, rng, p, dims, 1)
	in := exec.Inputs{Dims: dims}
	if _, _, err := exec.RunLockstep(t.Context(), parts, p.Steps[3], in, exec.Options{NoRegistry: true}); !errors.Is(err, exec.ErrNoLockstep) {
		t.Errorf("without kernels: error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := exec.RunLockstep(ctx, parts, p.Steps[3], in, exec.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	counts := *parts[2].In.Operands[0]
	x := fibers.NewLeaf("x", semiring.I64, counts.NNZ)
	counts.Leaves = []fibers.Leaf{x, x}
	counts.Leaves[0].Name = "n"
	parts[2].In.Operands[0] = &counts
	if _, _, err := exec.RunLockstep(t.Context(), parts, p.Steps[3], in, exec.Options{}); !errors.Is(err, exec.ErrNoLockstep) {
		t.Errorf("with integers: error %v", err)
	}
}
