package stats

import (
	"math"
	"math/bits"

	"github.com/trireme-db/trireme/internal/invariant"
)

// Chain is the estimator of degree constraints (Galley section 7.2): of an
// expression it knows bounds D(Y|X), the largest number of assignments of Y per
// assignment of X, and estimates by the cheapest chain of them that binds all
// indices asked for. Its estimates are upper bounds whenever the tensors'
// figures are exact.
type Chain struct{}

// constraint bounds by e^d the assignments of y per assignment of x; x is part
// of y.
type constraint struct {
	x, y uint64
	d    float64
}

// chain is Chain's view of an expression.
type chain struct {
	set  uint64
	cons []constraint
	dims []float64 // logs of the domains' sizes, in the order of the numbers
}

// Set returns the free indices.
func (c *chain) Set() uint64 { return c.set }

func asChain(s Stats) *chain {
	c, ok := s.(*chain)
	if !ok {
		panic(invariant.Failed("stats: %T given to the chain estimator", s))
	}
	return c
}

func (c *chain) dim(x int) float64 { return c.dims[bits.OnesCount64(c.set&(1<<x-1))] }

// FromTensor describes a tensor by its entries, and per mode by the coordinates
// that occur and the largest degree, also by what is known of pairs of modes.
func (Chain) FromTensor(t *TensorStats, numbers []int) Stats {
	c := &chain{cons: make([]constraint, 0, 1+2*len(numbers)), dims: make([]float64, len(numbers))}
	for _, x := range numbers {
		c.set |= 1 << x
	}
	c.cons = append(c.cons, constraint{y: c.set, d: atLeastOne(logOf(t.NNZ))})
	for m, x := range numbers {
		bit := uint64(1) << x
		f := t.mode(m)
		c.dims[bits.OnesCount64(c.set&(bit-1))] = f.dim
		if len(numbers) > 1 {
			c.cons = append(c.cons, constraint{y: bit, d: atLeastOne(f.distinct)}, constraint{x: bit, y: c.set, d: f.degree})
		}
	}
	if t.Degrees == nil {
		return c
	}
	for _, p := range t.Degrees.Pairs {
		a, b := uint64(1)<<numbers[p.A], uint64(1)<<numbers[p.B]
		c.cons = append(c.cons, constraint{y: a | b, d: logOf(p.Distinct)},
			constraint{x: a, y: a | b, d: max(logOf(p.MaxBOfA), 0)}, constraint{x: b, y: a | b, d: max(logOf(p.MaxAOfB), 0)})
	}
	return c
}

// atLeastOne rounds a count (a log) between none and one up.
func atLeastOne(d float64) float64 {
	if d <= -logLimit {
		return d
	}
	return max(d, 0)
}

// modeFigures are bounds on one mode, in logs: the domain's size, the coordinates
// that occur, the entries per coordinate.
type modeFigures struct{ dim, distinct, degree float64 }

// mode reads what is known of mode m. A degree that is unknown is at most what
// the other coordinates, with an entry each, leave.
func (t *TensorStats) mode(m int) modeFigures {
	n := logOf(t.NNZ)
	f := modeFigures{dim: n, distinct: n}
	if m < len(t.Dims) && t.Dims[m] > 0 {
		f.dim = logOf(t.Dims[m])
	}
	distinct := f.dim
	if m < len(t.Distinct) && t.Distinct[m] > 0 {
		distinct = min(distinct, logOf(t.Distinct[m]))
	}
	f.distinct = min(distinct, n)
	f.degree = max(n, 0)
	switch {
	case t.Degrees != nil && m < len(t.Degrees.Modes):
		f.degree = min(f.degree, max(logOf(t.Degrees.Modes[m].Max), 0))
	case t.Exact && m < len(t.Distinct) && t.Distinct[m] <= t.NNZ:
		f.degree = min(f.degree, max(logOf(t.NNZ-t.Distinct[m]+1), 0))
	}
	return f
}

// Join describes a conjunctive map: all constraints hold.
func (Chain) Join(args []Stats) Stats {
	out := &chain{}
	n := 0
	for _, a := range args {
		c := asChain(a)
		out.set |= c.set
		n += len(c.cons)
	}
	out.cons = make([]constraint, 0, n)
	out.dims = make([]float64, bits.OnesCount64(out.set))
	for i := range out.dims {
		out.dims[i] = logLimit
	}
	for _, a := range args {
		c := asChain(a)
		out.cons = append(out.cons, c.cons...)
		for i, s := 0, c.set; s != 0; i, s = i+1, s&(s-1) {
			k := bits.OnesCount64(out.set & (s&-s - 1))
			out.dims[k] = min(out.dims[k], c.dims[i])
		}
	}
	return out
}

// Union describes a disjunctive map: an entry is one of some argument's, extended
// by all coordinates of the indices that the argument lacks, so that bounds add.
func (Chain) Union(args []Stats) Stats {
	out := &chain{}
	for _, a := range args {
		out.set |= asChain(a).set
	}
	out.dims = make([]float64, bits.OnesCount64(out.set))
	for i := range out.dims {
		out.dims[i] = -logLimit
	}
	for _, a := range args {
		c := asChain(a)
		for i, s := 0, c.set; s != 0; i, s = i+1, s&(s-1) {
			k := bits.OnesCount64(out.set & (s&-s - 1))
			out.dims[k] = max(out.dims[k], c.dims[i])
		}
	}
	add := func(x, y uint64) {
		d := -logLimit
		for _, a := range args {
			c := asChain(a)
			extended := c.path(x&c.set, y&c.set)
			if extended <= -logLimit {
				continue // it has no entries
			}
			for s := y &^ x &^ c.set; s != 0; s &= s - 1 {
				extended += out.dim(bits.TrailingZeros64(s))
			}
			d = addLogs(d, clampLog(extended))
		}
		out.cons = append(out.cons, constraint{x: x, y: y, d: atLeastOne(d)})
	}
	add(0, out.set)
	for s := out.set; s != 0; s &= s - 1 {
		if bit := s & -s; bit != out.set {
			add(0, bit)
			add(bit, out.set)
		}
	}
	return out
}

// Rename gives the indices other numbers.
func (Chain) Rename(s Stats, to []int) Stats {
	c := asChain(s)
	out := &chain{set: renamed(c.set, to), cons: make([]constraint, len(c.cons)), dims: make([]float64, len(c.dims))}
	for i, k := range c.cons {
		out.cons[i] = constraint{x: renamed(k.x, to), y: renamed(k.y, to), d: k.d}
	}
	for i, s := 0, c.set; s != 0; i, s = i+1, s&(s-1) {
		bit := uint64(1) << to[bits.TrailingZeros64(s)]
		out.dims[bits.OnesCount64(out.set&(bit-1))] = c.dims[i]
	}
	return out
}

// renamed maps the members of a set.
func renamed(set uint64, to []int) uint64 {
	var out uint64
	for ; set != 0; set &= set - 1 {
		out |= 1 << to[bits.TrailingZeros64(set)]
	}
	return out
}

// Estimate returns the bound on the projection onto the set; with given, per
// present assignment of those. Indices that s does not have are ignored.
func (Chain) Estimate(s Stats, set, given uint64) float64 {
	c := asChain(s)
	return unlog(c.path(given&c.set, set&c.set))
}

// Bound returns an upper bound on the entries of the projection onto the set.
func (Chain) Bound(s Stats, set uint64) float64 { return Chain{}.Estimate(s, set, 0) }

// unlog leaves the logarithms; the smallest one stands for nothing.
func unlog(d float64) float64 {
	if d <= -logLimit {
		return 0
	}
	return math.Exp(clampLog(d))
}

// Reduce describes the aggregate of s over the indices of drop.
func (Chain) Reduce(s Stats, drop uint64) Stats {
	c := asChain(s)
	if c.set&drop == 0 {
		return c
	}
	out := &chain{set: c.set &^ drop, cons: condense(c.cons, c.set&drop)}
	for i, s := 0, c.set; s != 0; i, s = i+1, s&(s-1) {
		if s&-s&drop == 0 {
			out.dims = append(out.dims, c.dims[i])
		}
	}
	return out
}

// condenseBudget bounds the comparisons made to take one index out of a set of
// constraints, and condensedMax the constraints kept. With fewer constraints the
// bound is looser and still holds.
const (
	condenseBudget = 20_000
	condensedMax   = 48
)

// condense returns the constraints on the other indices that those with the
// dropped ones imply: chains through a removed index stay valid for the
// projection.
func condense(cons []constraint, drop uint64) []constraint {
	var out []constraint
	budget := condenseBudget
	for _, k := range cons {
		out = insert(out, k, &budget)
	}
	for s := drop; s != 0; s &= s - 1 {
		out = resolve(out, s&-s)
	}
	return out
}

// resolve takes index h (a bit) out. A constraint that gives h and one that
// needs it make one that does not need it; it still gives h, for others that
// need it.
func resolve(cons []constraint, h uint64) []constraint {
	var gives, needs, kept []constraint
	for _, k := range cons {
		switch {
		case k.x&h != 0:
			needs = append(needs, k)
		case k.y&h != 0:
			gives = append(gives, k)
		default:
			kept = append(kept, k)
		}
	}
	budget := condenseBudget
	for i := 0; i < len(gives) && budget > 0; i++ {
		for _, n := range needs {
			g := gives[i]
			if n.y&^g.y == 0 {
				continue
			}
			x := g.x | n.x&^g.y
			if made := (constraint{x: x, y: g.y | n.y, d: clampLog(g.d + n.d)}); len(gives) < 4*condensedMax {
				gives = insert(gives, made, &budget)
			}
		}
	}
	for _, g := range gives {
		g.y &^= h
		if g.y != g.x || g.d <= -logLimit { // that there is nothing stays known
			kept = insert(kept, g, &budget)
		}
	}
	return strongest(kept)
}

// insert adds a constraint unless one in the list says as much: needs no more,
// gives no less, costs no more. Once the budget is spent it adds unseen.
func insert(cons []constraint, k constraint, budget *int) []constraint {
	if *budget > 0 {
		*budget -= len(cons)
		for i := range cons {
			if o := &cons[i]; o.x&^k.x == 0 && k.y&^(o.y|k.x) == 0 && o.d <= k.d {
				return cons
			}
		}
	}
	return append(cons, k)
}

// strongest keeps at most condensedMax constraints: those that need least.
func strongest(cons []constraint) []constraint {
	for need := 0; len(cons) > condensedMax && need <= 64; need++ {
		var kept []constraint
		for _, k := range cons {
			if bits.OnesCount64(k.x) <= need {
				kept = append(kept, k)
			}
		}
		switch {
		case len(kept) > condensedMax:
			return kept[:condensedMax]
		case len(kept) > condensedMax/2:
			return kept
		}
	}
	return cons
}

// maxLattice is the number of indices up to which the cheapest chain is found
// exactly; beyond it a chain is made of the locally cheapest links.
const maxLattice = 10

// path returns the log of the cheapest product of constraints that leads from
// the indices of from to all of the target.
func (c *chain) path(from, target uint64) float64 {
	switch {
	case c.empty():
		return -logLimit
	case target&^from == 0:
		return 0
	}
	if bits.OnesCount64(c.set) <= maxLattice {
		return shortest(c.cons, c.set, from, target)
	}
	return greedyPath(c.cons, from, target)
}

// empty reports whether a constraint says that there are no entries.
func (c *chain) empty() bool {
	for i := range c.cons {
		if c.cons[i].x == 0 && c.cons[i].d <= -logLimit {
			return true
		}
	}
	return false
}

// shortest is exact: every link only adds indices, so that sets in the order of
// their numbers are settled when they are reached. O(2^k * constraints).
func shortest(cons []constraint, set, from, target uint64) float64 {
	var table [1 << maxLattice]float64
	cost := table[:1<<bits.OnesCount64(set)]
	for i := range cost {
		cost[i] = math.Inf(1)
	}
	type link struct {
		x, y int
		d    float64
	}
	links := make([]link, 0, 64)
	for i := range cons {
		links = append(links, link{x: compact(cons[i].x, set), y: compact(cons[i].y, set), d: cons[i].d})
	}
	goal, best := compact(target, set), math.Inf(1)
	cost[compact(from, set)] = 0
	for s, at := range cost {
		if at >= best {
			continue
		}
		if goal&^s == 0 {
			best = at
			continue
		}
		for i := range links {
			l := &links[i]
			if to := s | l.y; l.x&^s == 0 && to != s && at+l.d < cost[to] {
				cost[to] = at + l.d
			}
		}
	}
	return clampLog(best)
}

// compact numbers the members of a subset by their places in the set.
func compact(subset, set uint64) int {
	out := 0
	for s := subset & set; s != 0; s &= s - 1 {
		out |= 1 << bits.OnesCount64(set&(s&-s-1))
	}
	return out
}

// greedyPath takes the link that costs least per index it adds until all of the
// target is bound.
func greedyPath(cons []constraint, from, target uint64) float64 {
	at, total := from, 0.0
	for target&^at != 0 {
		best, rate := -1, math.Inf(1)
		for i := range cons {
			k := &cons[i]
			if k.x&^at != 0 || k.y&^at == 0 {
				continue
			}
			if r := k.d / float64(bits.OnesCount64(k.y&^at)); r < rate {
				best, rate = i, r
			}
		}
		if best < 0 {
			return logLimit // nothing bounds an index
		}
		total += cons[best].d
		at |= cons[best].y
	}
	return clampLog(total)
}
