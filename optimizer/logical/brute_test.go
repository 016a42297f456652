package logical_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// independent is an estimator whose answers do not depend on the order of
// arguments: entries are spread independently over the distinct coordinates.
type independent struct{}

type view struct {
	set uint64
	n   float64
	v   [16]float64
}

func (s *view) Set() uint64 { return s.set }

func (s *view) entries(set uint64) float64 {
	space := 1.0
	for x := range s.v {
		if set&s.set>>x&1 == 1 {
			space *= s.v[x]
		}
	}
	return min(s.n, space)
}

func (independent) FromTensor(t *stats.TensorStats, numbers []int) stats.Stats {
	out := &view{n: t.NNZ}
	for m, x := range numbers {
		out.set |= 1 << x
		out.v[x] = t.Distinct[m]
	}
	return out
}

func (independent) Join(args []stats.Stats) stats.Stats {
	out := &view{n: 1}
	for _, a := range args {
		out.n *= a.(*view).n
		out.set |= a.Set()
	}
	for x := range out.v {
		var vs []float64
		for _, a := range args {
			if a.Set()>>x&1 == 1 {
				vs = append(vs, a.(*view).v[x])
			}
		}
		slices.Sort(vs)
		for i, v := range vs {
			if i == 0 {
				out.v[x] = v
			} else {
				out.n /= v
			}
		}
	}
	return out
}

func (independent) Union(args []stats.Stats) stats.Stats { return args[0] }

func (independent) Reduce(s stats.Stats, drop uint64) stats.Stats {
	in := s.(*view)
	out := *in
	out.set &^= drop
	out.n = in.entries(out.set)
	return &out
}

func (independent) Estimate(s stats.Stats, set, given uint64) float64 {
	v := s.(*view)
	n := v.entries(set | given)
	if given != 0 {
		n /= v.entries(given)
	}
	return n
}

func (independent) Rename(s stats.Stats, to []int) stats.Stats {
	in := s.(*view)
	out := &view{n: in.n}
	for x := range in.v {
		if in.set>>x&1 == 1 {
			out.set |= 1 << to[x]
			out.v[to[x]] = in.v[x]
		}
	}
	return out
}

// shape is a query that counts: a product of binary and unary operands.
type shape struct {
	tensors []string
	args    [][]int // of operands, by index number
	indices int
	free    uint64
	src     map[string]stats.TensorStats
}

func (s *shape) Stats(a *einsum.Access) stats.TensorStats { return s.src[a.Tensor] }

func randomShape(rng *rand.Rand, reduced int) *shape {
	s := &shape{indices: reduced + rng.IntN(2), src: map[string]stats.TensorStats{}}
	s.free = uint64(1)<<(s.indices-reduced) - 1
	number := func() float64 { return 10 + 2000*rng.Float64() }
	for _, name := range []string{"A", "B", "C"} {
		t := stats.TensorStats{NNZ: number() * 40, Dims: []float64{3000, 3000}, Distinct: []float64{number(), number()}}
		if name == "C" {
			t = stats.TensorStats{NNZ: number(), Dims: []float64{3000}}
			t.Distinct = []float64{t.NNZ}
		}
		s.src[name] = t
	}
	add := func(name string, args ...int) {
		s.tensors, s.args = append(s.tensors, name), append(s.args, args)
	}
	for x := 1; x < s.indices; x++ {
		y := rng.IntN(x)
		if rng.IntN(2) == 0 {
			add("A", x, y)
		} else {
			add([]string{"A", "B"}[rng.IntN(2)], y, x)
		}
	}
	for range rng.IntN(3) {
		if x, y := rng.IntN(s.indices), rng.IntN(s.indices); x != y {
			add("A", x, y)
		}
	}
	for range rng.IntN(3) {
		add("C", rng.IntN(s.indices))
	}
	if len(s.tensors) == 0 {
		add("C", 0)
	}
	return s
}

// program writes the shape in the notation; the same operand twice is one.
func (s *shape) program() *einsum.Program {
	name := func(x int) string { return fmt.Sprintf("x%d", x) }
	var free, over, factors []string
	for x := range s.indices {
		if s.free>>x&1 == 1 {
			free = append(free, name(x))
		} else {
			over = append(over, name(x))
		}
	}
	for i, t := range s.tensors {
		var args []string
		for _, x := range s.args[i] {
			args = append(args, name(x))
		}
		factors = append(factors, fmt.Sprintf("%s.n(%s)", t, strings.Join(args, ",")))
	}
	p, err := einsum.Parse(fmt.Sprintf("tensor A(0,0) { n i64 }\ntensor B(0,0) { n i64 }\ntensor C(0) { n i64 }\nR(%s) = n: sum(%s) %s",
		strings.Join(free, ","), strings.Join(over, ","), strings.Join(factors, " * ")))
	if err != nil {
		panic(err)
	}
	return p
}

// piece is a live node of the brute force: operands joined so far.
type piece struct {
	ops   uint64
	set   uint64
	class string // what it computes
	order []int  // its indices by the positions that class speaks of
	stats stats.Stats
}

// brute tries every order of elimination; wide: also kernels of more than one
// index's operands.
type brute struct {
	s      *shape
	wide   bool
	base   []piece
	prices map[string]float64
	seen   map[string]piece
}

func newBrute(s *shape, wide bool) *brute {
	b := &brute{s: s, wide: wide, prices: map[string]float64{}, seen: map[string]piece{}}
	known := map[string]bool{}
	for i, t := range s.tensors {
		key := fmt.Sprint(t, s.args[i])
		if known[key] {
			continue
		}
		known[key] = true
		figures := s.src[t]
		p := piece{ops: 1 << len(b.base), class: t, order: s.args[i], stats: independent{}.FromTensor(&figures, s.args[i])}
		p.set = p.stats.Set()
		b.base = append(b.base, p)
	}
	return b
}

// best is the least cost of a plan from here on.
func (b *brute) best(live []piece, left uint64, done []string) float64 {
	if left == 0 {
		if len(live) == 1 {
			return 0
		}
		return b.price(live, 0)
	}
	least := math.Inf(1)
	try := func(in, out []piece, gone uint64, onlyComputed bool) {
		r := b.result(in, gone)
		computed := slices.Contains(done, r.class) && r.ops != 1<<len(b.base)-1
		if onlyComputed && !computed {
			return
		}
		cost := 0.0
		if !computed {
			cost = b.price(in, gone)
		}
		if cost >= least {
			return
		}
		cost += b.best(append(out, r), left&^gone, append(slices.Clone(done), r.class))
		least = min(least, cost)
	}
	for x := range b.s.indices {
		if left>>x&1 == 0 {
			continue
		}
		in, out, gone := b.kernel(live, left, 1<<x, false)
		try(in, out, gone, true)
		in, out, gone = b.kernel(live, left, 1<<x, true)
		try(in, out, gone, false)
		for b.wide && b.widen(live, in, &in, &out) {
			gone = b.gone(in, out, left)
			try(in, out, gone, false)
		}
	}
	if b.wide {
		try(live, nil, left, false)
	}
	return least
}

// widen moves the piece that restricts the others most, and what it covers, to
// them: that with the fewest entries for each assignment that they have of the
// common indices, fewer than one.
func (b *brute) widen(live, taken []piece, in, out *[]piece) bool {
	var ops, set uint64
	var terms []stats.Term
	for _, p := range taken {
		ops, set = ops|p.ops, set|p.set
		terms = append(terms, stats.Term{Stats: p.stats, Set: p.set, Selectivity: 1})
	}
	nest := stats.NewNest(independent{}, terms)
	share, at := 1.0, -1
	for i, p := range live {
		if p.ops&ops == 0 && p.set&set != 0 {
			if r := max(p.stats.(*view).n, 1) / nest.Size(p.set&set); r < share {
				share, at = r, i
			}
		}
	}
	if at < 0 {
		return false
	}
	set |= live[at].set
	*in, *out = nil, nil
	for i, p := range live {
		if p.ops&ops != 0 || i == at || p.set&^set == 0 {
			*in = append(*in, p)
		} else {
			*out = append(*out, p)
		}
	}
	return true
}

// gone returns the indices that only the pieces of a kernel have.
func (*brute) gone(in, out []piece, left uint64) uint64 {
	var set uint64
	for _, p := range in {
		set |= p.set
	}
	for _, p := range out {
		set &^= p.set
	}
	return set & left
}

// kernel divides the live pieces for the elimination of v.
func (b *brute) kernel(live []piece, left, v uint64, covered bool) (in, out []piece, gone uint64) {
	var set, elsewhere uint64
	for _, p := range live {
		if p.set&v != 0 {
			set |= p.set
		}
	}
	for _, p := range live {
		if p.set&v != 0 || covered && p.set&^set == 0 {
			in = append(in, p)
		} else {
			out = append(out, p)
			elsewhere |= p.set
		}
	}
	return in, out, set & left &^ elsewhere
}

func (b *brute) result(in []piece, gone uint64) piece {
	r := piece{}
	key := fmt.Sprint(gone)
	for _, p := range in {
		r.ops |= p.ops
		r.set |= p.set
		key += fmt.Sprint(" ", p.ops, p.set, p.class)
	}
	if known, ok := b.seen[key]; ok {
		return known
	}
	r.set &^= gone
	r.class, r.order = class(in, gone)
	var args []stats.Stats
	for _, p := range b.base {
		if p.ops&r.ops != 0 {
			args = append(args, p.stats)
		}
	}
	j := independent{}.Join(args)
	r.stats = independent{}.Reduce(j, j.Set()&^r.set)
	b.seen[key] = r
	return r
}

// class names what a kernel computes: the least text over all ways to number its
// indices, the remaining ones first.
func class(in []piece, gone uint64) (string, []int) {
	var set uint64
	for _, p := range in {
		set |= p.set
	}
	var kept, reduced []int
	for s := set; s != 0; s &= s - 1 {
		if x := bits.TrailingZeros64(s); gone>>x&1 == 0 {
			kept = append(kept, x)
		} else {
			reduced = append(reduced, x)
		}
	}
	best, order := "", []int(nil)
	permute(kept, func(k []int) {
		permute(reduced, func(r []int) {
			number := map[int]int{}
			for _, x := range append(slices.Clone(k), r...) {
				number[x] = len(number)
			}
			var parts []string
			for _, p := range in {
				text := p.class
				for _, x := range p.order {
					text += fmt.Sprint(",", number[x])
				}
				parts = append(parts, text)
			}
			slices.Sort(parts)
			if text := fmt.Sprintf("[%d %s]", len(kept), strings.Join(parts, " ")); best == "" || text < best {
				best, order = text, slices.Clone(k)
			}
		})
	})
	return best, order
}

func permute(xs []int, visit func([]int)) {
	var next func(i int)
	next = func(i int) {
		if i == len(xs) {
			visit(xs)
			return
		}
		for j := i; j < len(xs); j++ {
			xs[i], xs[j] = xs[j], xs[i]
			next(i + 1)
			xs[i], xs[j] = xs[j], xs[i]
		}
	}
	next(0)
}

// price is the cost of one step: its loops and cells, dearer by a fifth for every
// further reduced index, a twentieth of a cell for every further factor, ten for
// what is stored.
func (b *brute) price(in []piece, gone uint64) float64 {
	key := fmt.Sprint(gone)
	var terms []stats.Term
	var set uint64
	for _, p := range in {
		key += fmt.Sprint(" ", p.ops, p.set)
		terms = append(terms, stats.Term{Stats: p.stats, Set: p.set, Selectivity: 1})
		set |= p.set
	}
	if c, ok := b.prices[key]; ok {
		return c
	}
	nest := stats.NewNest(independent{}, terms)
	cells := nest.Size(set)
	out := cells
	if gone != 0 {
		out = min(cells, nest.Size(set&^gone))
	}
	for i, p := range in {
		for _, q := range in[:i] {
			if strings.HasPrefix(p.class, "[") && p.class == q.class && crossed(p.order, q.order) {
				out += p.stats.(*view).n
				break
			}
		}
	}
	risk := 1 + 0.2*float64(max(bits.OnesCount64(gone)-1, 0))
	c := risk*(nest.GreedyCost(set)+cells*(1+0.05*float64(len(in)-1))) + 10*out
	b.prices[key] = c
	return c
}

// crossed: no one order of loops suits both.
func crossed(a, b []int) bool {
	for _, x := range a {
		for _, y := range a {
			inA := slices.Index(a, x) < slices.Index(a, y)
			if i, j := slices.Index(b, x), slices.Index(b, y); i >= 0 && j >= 0 && inA && i > j {
				return true
			}
		}
	}
	return false
}

// TestExactIsBruteForce: over random queries of up to seven reduced indices the
// exact search costs what the best of all plans does; greedy no less, the beam
// between. No order of single indices, and no single kernel, costs less.
func TestExactIsBruteForce(t *testing.T) {
	queries := 400
	if testing.Short() {
		queries = 100
	}
	worse, tried, wide := 0, 0, 0
	for seed := range uint64(queries) {
		rng := rand.New(rand.NewPCG(seed, 31))
		s := randomShape(rng, 1+rng.IntN(6+int(seed%20)/19))
		p := s.program()
		find := func(kind logical.Search) float64 {
			cost, _, ok := logical.SearchCost(p, s, logical.Options{Estimator: independent{}, Search: kind})
			if !ok {
				t.Fatalf("seed %d: not searched", seed)
			}
			return cost
		}
		b := newBrute(s, true)
		all := uint64(1)<<s.indices - 1
		var bound uint64
		for _, piece := range b.base {
			bound |= piece.set
		}
		if bound != all {
			continue
		}
		tried++
		want, order := b.best(b.base, all&^s.free, nil), newBrute(s, false).best(b.base, all&^s.free, nil)
		exact, greedy, auto := find(logical.Exact), find(logical.Greedy), find(logical.Auto)
		if math.Abs(exact-want) > 1e-6*want {
			t.Errorf("seed %d: exact costs %g, the best plan %g\n%s", seed, exact, want, p)
		}
		if want > order || want > b.price(b.base, all&^s.free)*(1+1e-9) {
			t.Errorf("seed %d: the best plan costs %g, the best order of single indices %g, one kernel %g\n%s",
				seed, want, order, b.price(b.base, all&^s.free), p)
		}
		if want < order*0.99 {
			wide++
		}
		if greedy < exact*(1-1e-6) || auto < exact*(1-1e-6) || auto > greedy*(1+1e-6) {
			t.Errorf("seed %d: exact %g, auto %g, greedy %g\n%s", seed, exact, auto, greedy, p)
		}
		if greedy > exact*1.01 {
			worse++
		}
	}
	t.Logf("of %d queries greedy was worse for %d, single indices for %d", tried, worse, wide)
	if tried < queries/2 || worse == 0 || wide == 0 {
		t.Errorf("%d queries tried, greedy worse for %d, single indices for %d", tried, worse, wide)
	}
}
