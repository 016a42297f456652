package logical

import (
	"math"
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/optimizer/stats"
)

// kernel is a candidate step: the nodes that it consumes, the indices that they
// have and those among them that disappear.
type kernel struct {
	nodes     []*node
	base      uint64 // base atoms of the nodes
	set, gone uint64
	out       *node   // its result
	fixed     float64 // the part of its cost that no order of loops changes
	least     float64 // what it costs at least
	price     float64 // negative until priced
	nest      *stats.Nest
	labelled  bool
	label     label
	free      bool // an earlier query has the step
}

// Weights of a step's cost, in units of one cell visited by one loop.
const (
	// outWeight is the price of storing an entry: appending, sorting and
	// building a level (KERNELS section 2: 24 ns an entry against 1-3 a cell).
	outWeight = 10
	// leafWeight is the price of each further leaf computed at a cell.
	leafWeight = 0.2
	// factorWeight is the price of each further factor at a cell. It is what tells
	// apart two orders with the same loops: both facts on one dimension are better
	// summed apart than the second where it meets the sum of the first.
	factorWeight = 0.05
	// skewWeight is the risk of each further index that a step reduces: entries
	// that meet often meet in every index, which estimates hardly see. A smaller
	// first step is safer.
	skewWeight = 0.2
	// longNest is the number of indices beyond which the loops of a kernel are
	// not ordered to price it: all of them visit all cells (OPTIMIZER B).
	longNest = 12
)

// kernelFor returns the kernel that eliminates index v (a bit) of a state: all
// nodes that mention it, those they are tied to, for an atom that leaves an index
// unbound the smallest node that binds it, and every other node whose indices
// are covered, since it restricts the kernel at no new loop (OPTIMIZER B-1).
// Every reduced index that no other node mentions goes as well. A bare kernel
// takes no covered nodes.
func (st *structure) kernelFor(nodes []*node, left, v uint64, bare bool) *kernel {
	var in uint64
	for i, n := range nodes {
		if n.set&v != 0 {
			in |= 1 << i
		}
	}
	return st.kernelOver(nodes, left, st.closed(nodes, in, bare))
}

// widened returns kernel k with the node beside it that restricts it most, and
// what that covers; nil when none restricts it. Such a node has indices that k
// lacks, which become indices of the result unless nothing else has them. In
//
//	R(v,u,w) = sum(f) E(v,u,w) * L(f,v) * M(f,u)
//
// the kernel of f is L and M, for all pairs of v and u; with E it visits the pairs
// of E. It must not take E(u,w) alone: joining that to L and M gives more cells,
// not fewer. A node restricts if it has fewer entries than k has assignments of
// the indices that the two have in common. Less than one entry counts as one:
// there is nothing to gain among kernels that hardly visit a cell.
func (st *structure) widened(nodes []*node, left uint64, k *kernel) *kernel {
	best, least := -1, 1.0
	var in uint64
	for i, n := range nodes {
		common := n.binds & k.set
		switch {
		case n.base&k.base != 0:
			in |= 1 << i
		case n.stats != nil && common != 0:
			if share := max(n.size, 1) / k.nest.Size(common); share < least {
				best, least = i, share
			}
		}
	}
	if best < 0 {
		return nil
	}
	return st.kernelOver(nodes, left, st.closed(nodes, in|1<<best, false))
}

// whole returns the kernel of all nodes of a state.
func (st *structure) whole(nodes []*node, left uint64) *kernel {
	return st.kernelOver(nodes, left, lowBits(len(nodes)))
}

// closed adds to a set of nodes, by their numbers, those that a kernel of them
// must or, unless it is bare, should take.
func (st *structure) closed(nodes []*node, seed uint64, bare bool) uint64 {
	var in, base, set, binds uint64
	take := func(i int) {
		in |= 1 << i
		base |= nodes[i].base
		set |= nodes[i].set
		binds |= nodes[i].binds
	}
	for s := seed; s != 0; s &= s - 1 {
		take(bits.TrailingZeros64(s))
	}
	for {
		before := in
		for _, t := range st.ties {
			if t&base == 0 || t&^base == 0 {
				continue
			}
			for i, n := range nodes {
				if in>>i&1 == 0 && n.base&t != 0 {
					take(i)
				}
			}
		}
		for x := set &^ binds; x != 0; x = set &^ binds {
			take(binder(nodes, x&-x))
		}
		for i, n := range nodes {
			if !bare && in>>i&1 == 0 && n.set&^set == 0 {
				take(i)
			}
		}
		if in == before {
			return in
		}
	}
}

// kernelOver returns the kernel that takes the nodes of a set.
func (st *structure) kernelOver(nodes []*node, left, in uint64) *kernel {
	var base, set, outside, hash uint64
	for i, n := range nodes {
		if in>>i&1 == 0 {
			outside |= n.set
			continue
		}
		base |= n.base
		set |= n.set
		hash ^= n.hash
	}
	if k, ok := st.kernels[hash]; ok {
		return k
	}
	k := &kernel{base: base, set: set, gone: left & set &^ outside, price: -1}
	for i, n := range nodes {
		if in>>i&1 == 1 {
			k.nodes = append(k.nodes, n)
		}
	}
	st.kernels[hash] = k
	st.bound(k)
	return k
}

// binder returns the smallest node that binds index x (a bit).
func binder(nodes []*node, x uint64) int {
	best := -1
	for i, n := range nodes {
		if n.binds&x != 0 && (best < 0 || n.size < nodes[best].size) {
			best = i
		}
	}
	return best
}

// terms describes the kernel for a loop nest.
func (k *kernel) terms() []stats.Term {
	terms := make([]stats.Term, len(k.nodes))
	for i, n := range k.nodes {
		terms[i] = stats.Term{Stats: n.stats, Set: n.set, Selectivity: n.share}
	}
	connect(terms)
	return terms
}

// bound fills in what a kernel costs at least: its cells and what it stores.
func (st *structure) bound(k *kernel) {
	k.nest = stats.NewNest(st.est, k.terms())
	st.work += len(k.nodes)
	factors := -1
	for _, n := range k.nodes {
		if n.set != 0 {
			factors++
		}
	}
	cells := k.nest.Size(k.set)
	perCell := 1 + leafWeight*float64(st.leaves-1) + factorWeight*float64(max(factors, 0)) + st.evaluated(k)
	k.fixed = cells*perCell*k.risk() + outWeight*(k.entries()+st.reordered(k))
	k.least = k.fixed
}

// evaluated is what the factors cost that a kernel evaluates: those of whose base atoms it
// takes all, and which no kernel before it has taken.
func (st *structure) evaluated(k *kernel) (cells float64) {
	for _, f := range st.factors {
		if f.base&^k.base != 0 {
			continue
		}
		if !slices.ContainsFunc(k.nodes, func(n *node) bool { return n.by != nil && f.base&^n.base == 0 }) {
			cells += f.cells
		}
	}
	return cells
}

// reordered estimates the entries of results that a kernel reads in two orders of
// their modes, as in T(b,d) * T(d,b): no order of loops suits both, so that one
// is stored again. Layouts of inputs are kept and cost nothing here.
func (st *structure) reordered(k *kernel) float64 {
	entries := 0.0
	for i, n := range k.nodes {
		for _, m := range k.nodes[:i] {
			if n.by == nil || m.by == nil || n.label == noLabel || n.label != m.label {
				continue
			}
			_, a := st.modes(n)
			_, b := st.modes(m)
			if discordant(a, b) {
				entries += n.size
				break
			}
		}
	}
	return entries
}

// discordant reports whether two indices stand in one order in a and in the other
// in b.
func discordant(a, b []uint8) bool {
	for i, x := range a {
		for _, y := range a[:i] {
			if at := slices.Index(b, y); at >= 0 && slices.Contains(b[:at], x) {
				return true
			}
		}
	}
	return false
}

// risk weighs a kernel's work by the number of indices that it reduces.
func (k *kernel) risk() float64 {
	return 1 + skewWeight*float64(max(bits.OnesCount64(k.gone)-1, 0))
}

// entries estimates what a kernel stores.
func (k *kernel) entries() float64 {
	cells := k.nest.Size(k.set)
	if k.gone == 0 {
		return cells
	}
	return math.Min(cells, k.nest.Size(k.set&^k.gone))
}

// cost estimates a step: the work of its loops in a good order, one visit of
// each index of each cell, and the entries it stores (OPTIMIZER B).
func (st *structure) cost(k *kernel) float64 {
	c, _ := st.costBelow(k, math.Inf(1))
	return c
}

// costBelow is cost if that is below the limit; else ok may be false and the
// kernel costs at least the limit, which is noted.
func (st *structure) costBelow(k *kernel, limit float64) (cost float64, ok bool) {
	if k.price >= 0 {
		return k.price, true
	}
	st.work += len(k.nodes) * bits.OnesCount64(k.set)
	if st.perturb != nil {
		k.price = (loops(k.nest, k.set, math.Inf(1))*k.risk() + k.fixed) * st.perturb(k.base)
		return k.price, true
	}
	most := (limit - k.fixed) / k.risk()
	l := loops(k.nest, k.set, most)
	if l >= most {
		k.least = max(k.least, limit)
		return 0, false
	}
	k.price = l*k.risk() + k.fixed
	return k.price, true
}

// loops estimates the work of a nest's loops, exactly only below the limit.
func loops(nest *stats.Nest, set uint64, limit float64) float64 {
	if n := bits.OnesCount64(set); n > longNest {
		return nest.Size(set) * float64(n)
	}
	return nest.GreedyCostBelow(set, limit)
}

// apply returns the kernel's result as a node.
func (st *structure) apply(k *kernel) *node {
	if k.out != nil {
		return k.out
	}
	key := spread(k.base)
	l := noLabel
	if st.mayRepeat(k.base) {
		l = st.labelOf(k)
		// Mixed, so that the labels of two results do not cancel out in the hash of a set.
		key = spread(key ^ spread(uint64(l)<<32))
	}
	if n, ok := st.results[key]; ok {
		k.out = n
		return n
	}
	set := k.set &^ k.gone
	joined := st.join(k.base)
	n := &node{base: k.base, set: set, binds: set, hash: key, label: l, by: k}
	n.stats = st.est.Reduce(joined, joined.Set()&^set)
	n.size = st.est.Estimate(n.stats, n.stats.Set(), 0)
	st.results[key] = n
	k.out = n
	return n
}

// labelOf returns the class of what a kernel computes: equal for kernels that
// count the same up to the names of indices and the order of factors.
func (st *structure) labelOf(k *kernel) label {
	if k.labelled {
		return k.label
	}
	f, _ := st.figure(k)
	_, code := f.canonical()
	st.work += len(k.nodes)
	k.labelled, k.label = true, st.share.intern(code)
	if have := st.share.steps[code]; have != nil {
		k.free = have.grows || st.leaves == len(have.q.Leaves)
	}
	return k.label
}

// figure is what a kernel counts, with the numbers that its indices have there.
func (st *structure) figure(k *kernel) (f figure, indices []int) {
	indices = members(k.set)
	var local [maxBits]uint8
	for i, x := range indices {
		local[x] = uint8(i)
		if k.gone>>x&1 == 0 {
			f.free |= 1 << i
		}
	}
	f.n = len(indices)
	for _, n := range k.nodes {
		l, args := st.modes(n)
		p := part{label: l, args: make([]uint8, len(args))}
		for i, x := range args {
			p.args[i] = local[x]
		}
		f.parts = append(f.parts, p)
	}
	return f, indices
}

// modes returns a node's label and its indices in the order of canonical modes.
func (st *structure) modes(n *node) (label, []uint8) {
	if n.by == nil || n.args != nil {
		return n.label, n.args
	}
	f, indices := st.figure(n.by)
	order, code := f.canonical()
	n.label = st.share.intern(code)
	n.args = make([]uint8, 0, len(order))
	for _, x := range order[:bits.OnesCount64(f.free)] {
		n.args = append(n.args, uint8(indices[x]))
	}
	return n.label, n.args
}

// replaced returns the nodes with a kernel's result in place of what it consumes,
// ordered by their first base atom.
func (st *structure) replaced(nodes []*node, k *kernel) []*node {
	out := make([]*node, 0, len(nodes)-len(k.nodes)+1)
	for _, n := range nodes {
		if n.base&k.base == 0 {
			out = append(out, n)
		}
	}
	r := st.apply(k)
	first := bits.TrailingZeros64(r.base)
	at := slices.IndexFunc(out, func(n *node) bool { return bits.TrailingZeros64(n.base) > first })
	if at < 0 {
		at = len(out)
	}
	return slices.Insert(out, at, r)
}

// rest prices the query over what is left when no index is to be reduced: its
// pointwise step. A single result is that step.
func (st *structure) rest(nodes []*node) float64 {
	if len(nodes) == 1 {
		return 0
	}
	hash := uint64(1)
	for _, n := range nodes {
		hash ^= n.hash
	}
	k, ok := st.kernels[hash]
	if !ok {
		k = &kernel{nodes: nodes, price: -1}
		for _, n := range nodes {
			k.base |= n.base
			k.set |= n.set
		}
		st.kernels[hash] = k
		st.bound(k)
	}
	return st.cost(k)
}
