package physical

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/optimizer/stats"
)

// randomProblem is the search for a loop order of n indices over operands of one
// to three modes, some of which have a layout already.
func randomProblem(rng *rand.Rand, n int) *orderProblem {
	p := &orderProblem{all: 1<<n - 1, free: rng.Uint64() & (1<<n - 1), slotBytes: 8}
	for range n {
		p.dim = append(p.dim, math.Pow(10, 1+3*rng.Float64()))
	}
	var terms []stats.Term
	var covered uint64
	for i := 0; covered != p.all || i < n; i++ {
		perm := rng.Perm(n)[:1+rng.IntN(min(n, 3))]
		t := stats.TensorStats{NNZ: 1}
		var set uint64
		for _, x := range perm {
			t.NNZ *= p.dim[x]
			t.Dims, t.Distinct = append(t.Dims, p.dim[x]), append(t.Distinct, p.dim[x])
			set |= 1 << x
		}
		t.NNZ = max(1, t.NNZ*math.Pow(10, -3*rng.Float64()))
		covered |= set
		terms = append(terms, stats.Term{Stats: stats.Uniform{}.FromTensor(&t, perm), Set: set})
		if rng.IntN(2) == 0 {
			p.large = append(p.large, set)
		}
		if rng.IntN(2) == 0 {
			f := fixedLayout{orders: [][]int{perm}, set: set, cost: t.NNZ * 30 * rng.Float64(), group: 1 << len(p.fixed)}
			if len(p.fixed) > 0 && rng.IntN(3) == 0 { // reads what the one before reads
				f.group, f.cost = p.fixed[len(p.fixed)-1].group, p.fixed[len(p.fixed)-1].cost
			}
			p.fixed = append(p.fixed, f)
		}
	}
	p.nest = stats.NewNest(stats.Uniform{}, terms)
	p.out = p.nest.Size(p.free)
	if rng.IntN(2) == 0 {
		for _, x := range rng.Perm(n) {
			if p.free&(1<<x) != 0 {
				p.wanted = append(p.wanted, x)
			}
		}
	}
	return p
}

// cheapest goes through all connected orders.
func (p *orderProblem) cheapest(from *state) float64 {
	if from.set == p.all {
		return from.cost
	}
	best := math.Inf(1)
	for c := p.nest.Connected(from.set, p.all&^from.set); c != 0; c &= c - 1 {
		best = min(best, p.cheapest(p.extend(from, bits.TrailingZeros64(c))))
	}
	return best
}

// TestSolveIsExact: domination and the bound leave out no order that costs less.
func TestSolveIsExact(t *testing.T) {
	cheaper := 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := randomProblem(rng, 1+rng.IntN(6))
		got, want := p.solve(), p.cheapest(&state{})
		if math.Abs(got.cost-want) > 1e-9*want {
			t.Fatalf("seed %d: order %v costs %g, the best %g", seed, got.loops(), got.cost, want)
		}
		at := &state{}
		for _, x := range got.loops() {
			at = p.extend(at, x)
		}
		if at.cost != got.cost || at.set != p.all {
			t.Fatalf("seed %d: order %v costs %g, not %g", seed, got.loops(), at.cost, got.cost)
		}
		if got.cost < p.greedy().cost {
			cheaper++
		}
	}
	t.Logf("cheaper than greedy: %d", cheaper)
	if cheaper < 100 {
		t.Errorf("only %d orders are cheaper than what the cheapest next loop leads to", cheaper)
	}
}

// TestBeam: beyond the exact size an order is at most as dear as by the cheapest
// next loop, and often cheaper.
func TestBeam(t *testing.T) {
	cheaper := 0
	const problems = 60
	for seed := range uint64(problems) {
		p := randomProblem(rand.New(rand.NewPCG(seed, 2)), maxExact+1+int(seed%4))
		got := p.solve()
		if got.set != p.all || got.cost > p.greedy().cost {
			t.Fatalf("seed %d: order %v costs %g, the greedy one %g", seed, got.loops(), got.cost, p.greedy().cost)
		}
		if got.cost < p.greedy().cost {
			cheaper++
		}
	}
	if cheaper < problems/6 {
		t.Errorf("only %d of %d orders are cheaper than what the cheapest next loop leads to", cheaper, problems)
	}
}

// TestGroupPaysOnce: operands that need the same new layout pay for it together.
func TestGroupPaysOnce(t *testing.T) {
	p := randomProblem(rand.New(rand.NewPCG(1, 3)), 3)
	p.wanted, p.large = nil, nil
	p.fixed = []fixedLayout{
		{orders: [][]int{{0, 1}}, set: 3, cost: 100, group: 1},
		{orders: [][]int{{1, 2}}, set: 6, cost: 100, group: 1},
		{orders: [][]int{{0, 2}}, set: 5, cost: 7, group: 2},
	}
	forth, back := &state{}, &state{}
	for x := range 3 {
		forth, back = p.extend(forth, x), p.extend(back, 2-x)
	}
	p.fixed = nil
	plain := &state{}
	for x := range 3 {
		plain = p.extend(plain, 2-x)
	}
	if forth.moved != 0 || back.moved != 3 || math.Abs(back.cost-plain.cost-107) > 1e-6 {
		t.Errorf("moved %b and %b, %g more", forth.moved, back.moved, back.cost-plain.cost)
	}
}
